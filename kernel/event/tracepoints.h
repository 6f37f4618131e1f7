/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's tracepoints, as points that events are attached to (registry.h): those of
 * vmlinux and of modules that are loaded.  Modules know nothing of each other's names, so
 * two may have one of the same name, with other arguments.
 *
 * All is protected by kt_mutex.
 */
#ifndef KT_KERNEL_EVENT_TRACEPOINTS_H
#define KT_KERNEL_EVENT_TRACEPOINTS_H

#include <linux/container_of.h>

#include "registry.h"

struct kt_tracepoint {
	struct kt_point point;
	struct hlist_node node;
	struct tracepoint *tp;
};

/* What a source of such events names as its points. */
extern const struct kt_point_kind kt_tracepoints;

int kt_tracepoints_init(void);
void kt_tracepoints_exit(void);

/* The kernel's own of this name, not a module's.  NULL: there is none. */
struct tracepoint *kt_tracepoint_find(const char *name);
/* One of this name in @module (NULL: in any); @nr: how many there are. */
struct kt_tracepoint *kt_tracepoint_search(const char *name, const char *module,
					   unsigned int *nr);
/* Calls @visit for each until it returns false. */
void kt_tracepoints_each(bool (*visit)(const struct kt_tracepoint *tracepoint,
				       void *data),
			 void *data);
/* How many a probe may read; more would be whatever lies on the stack, or behind it. */
unsigned int kt_tracepoint_arguments(const struct kt_tracepoint *tracepoint);

/* A probe of ktrace's own, at a tracepoint of the kernel itself. */
struct kt_own_probe {
	const char *name;
	void *probe;
	int priority;	       /* the greatest one is called first */
	struct tracepoint *tp; /* kt_own_probes_attach(); it stays */
};

/*
 * Attaches all of them with @data, or none.  0; -ENOENT: the kernel has not all of them; or the kernel's
 * reason.
 */
int kt_own_probes_attach(struct kt_own_probe *probes, unsigned int nr,
			 void *data);
/* The caller then synchronizes. */
void kt_own_probes_detach(const struct kt_own_probe *probes, unsigned int nr,
			  void *data);

/* Waits until no probe runs any more that was detached from a tracepoint. */
void kt_tracepoints_synchronize(void);

/* Of a visible entry whose source has tracepoints. */
static inline struct tracepoint *kt_entry_tracepoint(
	const struct kt_entry *entry)
{
	return container_of(entry->point, struct kt_tracepoint, point)->tp;
}

/* Is it for the tracepoint of this name, of whatever module? */
bool kt_event_at_tracepoint(const struct kt_event *event, const char *name);

#endif /* KT_KERNEL_EVENT_TRACEPOINTS_H */
