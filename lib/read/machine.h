/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Who runs: the tasks of the traced machine, and which of them each stream runs.
 *
 * Packets' headers and task records tell it.  The kernel is believed.  A program is believed
 * only about the events of its own user: what it tells of tasks is kept for that user, and is
 * used for these events if the kernel does not know better.
 */
#ifndef KT_LIB_READ_MACHINE_H
#define KT_LIB_READ_MACHINE_H

#include "seek.h"
#include "stream.h"
#include "task.h"

/* Of more users than a recorder takes, the last ones share what their programs tell. */
#define MACHINE_USERS 32

struct machine {
	struct ktrace *trace;
	struct tasks tasks; /* of which the kernel and the metadata tell */
	struct tasks *told[MACHINE_USERS]; /* of which programs tell */
	uint32_t users[MACHINE_USERS];
	size_t nr_users;
	bool kernel; /* it tells of tasks all the time: there are streams of it */
	bool counts_sleep;
	struct seek *seek;  /* NULL: all was read from the begin of the trace */
	size_t line;	    /* the clock's hint */
	uint32_t switch_id; /* of sched:sched_switch; 0: none */
	uint32_t switch_offset; /* of its next_pid */
};

/* What one stream runs. */
struct current {
	struct task *task; /* NULL: not known yet */
	uint64_t runs;	   /* how often another task began to run */
	bool switching;	   /* to @next, after the current item */
	uint32_t next;
	/* What programs of the stream's user tell; NULL: a stream of the kernel. */
	struct tasks *told;
	bool woven;	  /* streams of the kernel know who has the CPU */
	struct task idle; /* the idle task of its CPU */
};

/* Adds the tasks that the metadata names.  -ENOMEM. */
int machine_init(struct machine *machine, struct ktrace *trace);
void machine_destroy(struct machine *machine);
/* Looks for sched:sched_switch; to be called again if there are more types. */
void machine_find_switch(struct machine *machine);

/* @current: all zero.  -ENOMEM. */
int current_init(struct machine *machine, struct current *current,
		 const struct stream_source *source);
int current_switch(struct machine *machine, struct current *current,
		   const struct stream *stream, uint32_t tid);
/* The stream's last item is a packet, or a record that is no event. */
int current_packet(struct machine *machine, struct current *current,
		   const struct stream *stream);
int current_record(struct machine *machine, struct current *current,
		   const struct stream *stream);

/* Makes sure of process and name of a task that runs at @clock. */
int machine_make_sure(struct machine *machine, struct task *task,
		      uint64_t clock);

/* sched_switch is the old task's last event, and as good as a record. */
static inline void current_event(const struct machine *machine,
				 struct current *current,
				 const struct kt_walk *walk)
{
	if (likely(walk->id != machine->switch_id) ||
	    walk->size < machine->switch_offset + sizeof(current->next))
		return;
	memcpy(&current->next,
	       (const char *)walk->payload + machine->switch_offset,
	       sizeof(current->next));
	current->switching = true;
}

#endif /* KT_LIB_READ_MACHINE_H */
