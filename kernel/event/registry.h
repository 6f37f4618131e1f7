/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be recorded: systems, their events, and the kernel's tracepoints.
 *
 *	kt_point	what an event is attached to: a tracepoint that exists, in
 *			vmlinux or in a module that is loaded.  Modules know
 *			nothing of each other's names, so two may have one of the
 *			same name, with other arguments.  All events whose source
 *			attaches them elsewhere have one point, which is always
 *			there.
 *	kt_entry	an event that a source registered.  Shown in the control
 *			tree while it has a point.
 *	kt_system	a name for a group of events; shown while one of them is
 *
 * All is protected by kt_mutex.  Entries and systems are counted, so that inodes
 * of the tree can hold them; one that is gone or hidden is refused by whoever
 * uses it.  Cookies grow and are never used twice: they are positions in
 * directories, and keys.
 */
#ifndef KT_KERNEL_EVENT_REGISTRY_H
#define KT_KERNEL_EVENT_REGISTRY_H

#include <linux/ctype.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/xarray.h>

#include "event.h"

#define KT_NAME_MAX 63 /* of a system or event */

struct kt_system {
	struct kref ref;
	char name[KT_NAME_MAX + 1];
	unsigned long cookie;
	struct xarray entries; /* by cookie */
	unsigned int nr_visible;
};

struct kt_point {
	struct hlist_node node;
	struct tracepoint *tp; /* NULL: not a tracepoint */
	struct module *module; /* NULL: vmlinux */
	unsigned int nr_entries;
};

struct kt_entry {
	struct kref ref;
	struct hlist_node node;		/* by name */
	struct kt_event *event;		/* NULL: gone */
	const struct kt_event_set *set; /* has the print format's constants */
	struct kt_system *system;
	struct kt_point *point; /* NULL: hidden */
	unsigned long cookie;
	struct list_head going;
};

extern struct xarray kt_systems; /* by cookie */

/* What the registry tells those who use its entries. */
struct kt_registry_ops {
	/*
	 * The entries on @entries (linked by going) are about to lose their point, or to go
	 * altogether (@forget): no probe of them runs when this returns.
	 */
	void (*drop)(struct list_head *entries, bool forget);
};

int kt_registry_init(const struct kt_registry_ops *ops);
void kt_registry_exit(void);

struct kt_system *kt_system_find(const char *name, size_t length);
struct kt_entry *kt_entry_find(struct kt_system *system, const char *name,
			       size_t length);
/* The kernel's own of this name, not a module's. */
struct kt_point *kt_point_find(const char *name);
/* One of this name in @module (NULL: in any); @nr: how many there are. */
struct kt_point *kt_point_search(const char *name, const char *module,
				 unsigned int *nr);
/* Calls @visit for each tracepoint until it returns false. */
void kt_points_each(bool (*visit)(const struct kt_point *point, void *data),
		    void *data);

const char *kt_point_module(const struct kt_point *point);
/* Of a visible entry: the module that the event is from. */
const char *kt_entry_module(const struct kt_entry *entry);
/* How many a probe may read; more would be whatever lies on the stack, or behind it. */
unsigned int kt_point_arguments(const struct kt_point *point);

/* Waits until no probe runs any more that was detached from a tracepoint. */
void kt_tracepoints_synchronize(void);

static inline bool kt_entry_visible(const struct kt_entry *entry)
{
	return entry->event && entry->point;
}

void kt_system_release(struct kref *ref);
void kt_entry_release(struct kref *ref);

static inline void kt_system_put(struct kt_system *system)
{
	kref_put(&system->ref, kt_system_release);
}

static inline void kt_entry_put(struct kt_entry *entry)
{
	kref_put(&entry->ref, kt_entry_release);
}

/* The kernel's own isalnum() and isprint() take Latin-1 for what they name. */
static inline bool kt_name_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

/* What is wrong with an event itself, NULL: nothing. */
const char *kt_event_complaint(const struct kt_event *event);
/* The one that has its name now, and why there cannot be both. */
struct kt_event *kt_event_namesake(const struct kt_event *event);
const char *kt_event_clash(const struct kt_event *event,
			   const struct kt_event *other);

/*
 * To make an event known in two steps, of which only the first can fail (NULL: no
 * memory): for who makes many known, or none.  Nobody sees it in between, so it may
 * still have a namesake.
 */
struct kt_entry *kt_entry_make(struct kt_event_set *set,
			       struct kt_event *event);
void kt_entry_publish(struct kt_entry *entry);
void kt_entry_cancel(struct kt_entry *entry);

/* As kt_events_register(), under kt_mutex, saying why an event was refused. */
int kt_event_add(struct kt_event_set *set, struct kt_event *event,
		 const char **why);
void kt_event_remove(struct kt_event *event);
/* Those linked by going.  However many they are, the probes are waited for once. */
void kt_entries_remove(struct list_head *going);

#endif /* KT_KERNEL_EVENT_REGISTRY_H */
