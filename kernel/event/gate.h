/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conditions: which hits of an event a session records.
 *
 *	filter		an expression over the event's fields (core/filter.h)
 *	pids		processes, for all events of a session; children that
 *			they fork are added
 *
 * An event without any has no gate, and its probe writes straight into the ring.
 */
#ifndef KT_KERNEL_EVENT_GATE_H
#define KT_KERNEL_EVENT_GATE_H

#include "event.h"

struct kt_session;
struct seq_file;

/*
 * Gives the event the gate that its session's pids ask for, besides the filter
 * that it has.
 */
int kt_gate_init(struct kt_enabled *enabled);
/* The event is not attached any more. */
void kt_gate_drop(struct kt_enabled *enabled);

/* For who does not write by way of kt_write_begin(): does the payload pass? */
bool kt_gate_judges(const struct kt_gate *gate, const void *payload, u32 size,
		    unsigned int cpu);

/* The files filter and pids, all under kt_mutex. */
void kt_filter_show(struct seq_file *m, const struct kt_enabled *enabled);
int kt_filter_write(struct kt_session *session, struct kt_entry *entry,
		    const char *text);
void kt_pids_show(struct seq_file *m, const struct kt_session *session);
int kt_pids_write(struct kt_session *session, char *text);
void kt_pids_clear(struct kt_session *session);

#endif /* KT_KERNEL_EVENT_GATE_H */
