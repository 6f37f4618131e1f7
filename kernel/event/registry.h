/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be recorded: systems and their events.
 *
 *	kt_point	what an event is attached to and what exists now: a
 *			tracepoint (tracepoints.h), an address, an offset in a
 *			file.  Whoever keeps a table of such things embeds one in
 *			each.
 *	kt_point_kind	such a table.  Sources name it, and the registry asks it.
 *	kt_entry	an event that a source registered.  The control tree
 *			shows it while it has a point.
 *	kt_system	a name for a group of events; shown if one of them is
 *
 * All is protected by kt_mutex.  Entries and systems have reference counts, so that inodes
 * of the tree can hold them.  A user of an entry checks whether it is gone or hidden.
 * Cookies grow and are never used twice: they are keys, and positions in directories.
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
	struct hlist_node node; /* by name */
	char name[KT_NAME_MAX + 1];
	unsigned long cookie;
	struct xarray entries; /* by cookie */
	unsigned int nr_visible;
};

struct kt_point {
	struct module *module;	 /* that it is in; NULL: vmlinux */
	unsigned int nr_entries; /* of events that say what happens there */
};

struct kt_point_kind {
	/* The one that the event is for; NULL: it is not there now. */
	struct kt_point *(*find)(const struct kt_event *event);
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

/* What the registry calls in the layer above it. */
struct kt_registry_ops {
	/*
	 * The entries on @entries (linked by going) are about to lose their point or, if
	 * @forget, to be removed.  When this returns, none of their probes runs any more.
	 */
	void (*drop)(struct list_head *entries, bool forget);
};

void kt_registry_init(const struct kt_registry_ops *ops);

struct kt_system *kt_system_find(const char *name, size_t length);
struct kt_entry *kt_entry_find(struct kt_system *system, const char *name,
			       size_t length);
/* Of "SYSTEM/EVENT".  NULL: there is none. */
struct kt_entry *kt_entry_named(const char *name);
/* There are new points: entries without a point may get one. */
void kt_points_came(const struct kt_point_kind *kind);
/*
 * The points of @module (NULL: vmlinux) are about to go.  When this returns, no entry has
 * one of them.  When they are gone, other points may fit these entries: kt_points_came().
 */
void kt_points_going(const struct kt_point_kind *kind,
		     const struct module *module);

const char *kt_point_module(const struct kt_point *point);
/* The module that the event is from; the entry must be visible. */
const char *kt_entry_module(const struct kt_entry *entry);

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

/* The kernel's isalnum() accepts Latin-1 letters too. */
static inline bool kt_name_char(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

/* What is wrong with the event alone; NULL: nothing. */
const char *kt_event_complaint(const struct kt_event *event);
/* The registered event of the same name, and why both cannot exist. */
struct kt_event *kt_event_namesake(const struct kt_event *event);
const char *kt_event_clash(const struct kt_event *event,
			   const struct kt_event *other);

/*
 * Registers an event in two steps: make, then publish or cancel.  Only making can fail
 * (NULL: no memory), so a caller can register many events or none.  Nobody sees an entry
 * before it is published, so an event of the same name may still be registered.
 */
struct kt_entry *kt_entry_make(struct kt_event_set *set,
			       struct kt_event *event);
void kt_entry_publish(struct kt_entry *entry);
void kt_entry_cancel(struct kt_entry *entry);

/* As kt_events_register(), but under kt_mutex; sets *@why if the event is refused. */
int kt_event_add(struct kt_event_set *set, struct kt_event *event,
		 const char **why);
void kt_event_remove(struct kt_event *event);
/* Removes all entries linked by going.  Waits for their probes only once. */
void kt_entries_remove(struct list_head *going);

#endif /* KT_KERNEL_EVENT_REGISTRY_H */
