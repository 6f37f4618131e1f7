/* SPDX-License-Identifier: GPL-2.0-only */
/* Who wants the branches of one task, and the buffer that they come to. */
#ifndef KT_KERNEL_SOURCE_BRANCH_CLIENT_H
#define KT_KERNEL_SOURCE_BRANCH_CLIENT_H

#include <linux/list.h>
#include <linux/types.h>

#include "branch_log.h"
#include "mappings.h"
#include "producer.h"

struct branch_client;
struct stepper;
struct task_struct;

struct branch_client_kind {
	/*
	 * The running task is a child of the client's, and does not run its program yet: a client for
	 * it, NULL if it is not wanted any more, or an error, which is counted.  May sleep.
	 */
	struct branch_client *(*follow)(struct branch_client *parent);
	/*
	 * Makes the buffer, in the context of its task; may sleep.  NULL: not possible; then the client
	 * gets nothing.
	 */
	struct kt_branch *(*room)(struct branch_client *client, u32 *nr);
	/* Its buffer is filled from now on, by the running task.  May sleep. */
	void (*begins)(struct branch_client *client);
	/*
	 * The running task has executed a program, and may have another thread number.  The newest
	 * entries are the way there, and stamps.  May sleep.
	 */
	void (*executed)(struct branch_client *client);
};

struct branch_client {
	const struct branch_client_kind *kind;
	const struct branch_producer *producer;
	unsigned int
		modes; /* what it wants of that: bits of enum branch_mode */
	struct kt_branch_log
		log; /* if it is open already, the client is not asked for room */
	bool threads,
		children; /* those that the task begins are to be followed, too */
	bool ended;	  /* the task has */
	bool branches_only; /* what else comes with each sleep would push branches out */
	struct branch_mappings mappings;
	u64 behind; /* the number behind the last entry that is no stamp */
	/* It and those that it has begun, if there was no memory for them. */
	u32 unfollowed;
	u32 lost; /* branches for which the producer had no room */

	/* For client.c and stops.c. */
	struct list_head node;
	struct stepper *stepper;
	bool met;     /* by its task */
	bool meeting; /* at this moment */
	bool begun;   /* its log may be written */
	bool wanting; /* stops */
};

/* Does an entry of this kind come into its log? */
static inline bool branch_client_takes(const struct branch_client *client,
				       enum kt_branch_kind kind)
{
	if (!client->begun)
		return false;
	return !client->branches_only ||
	       (kind != KT_BRANCH_SYSCALL && kind != KT_BRANCH_TIME &&
		kind != KT_BRANCH_ARRIVES && kind != KT_BRANCH_LEAVES);
}

/*
 * 0, -ENOMEM, -ESRCH: it ends; -EOPNOTSUPP: this kernel is PREEMPT_RT; or why nothing can be hooked.
 * May sleep.
 */
int branch_client_add(struct branch_client *client, struct task_struct *task);
/* The client and its buffer are not used any more.  May sleep. */
void branch_client_remove(struct branch_client *client);
/* What its task has done until now is in its buffer.  May sleep. */
void branch_client_flush(const struct branch_client *client);
/* Instructions of its task whose bytes could not be read. */
u64 branch_client_unread(const struct branch_client *client);
/* branch_mappings_get() of a client's. */
bool branch_client_mappings(const struct branch_client *client, u32 *number,
			    struct branch_mapping *mapping);

/* Of the running task, for stops.c. */

/* Clients that it has not met get their buffers, and those of its parent may want it, too.  May sleep. */
void branch_clients_begin(struct stepper *stepper);
/* Behind its first step: what comes next is of the new program, if there is one.  May sleep. */
void branch_clients_execute(struct stepper *stepper);
/* Under the stepper's lock: its clients that have @producer get this, if they want it. */
void branch_clients_take(struct stepper *stepper,
			 const struct branch_producer *producer,
			 struct branch_found found);
/* The same of @nr branches that are lost; @modes: whose they may be. */
void branch_clients_lose(struct stepper *stepper,
			 const struct branch_producer *producer,
			 unsigned int modes, u32 nr);
/* What they want, all together. */
unsigned int branch_clients_modes(const struct stepper *stepper,
				  const struct branch_producer *producer);
/* There is no stepper for a child. */
void branch_clients_miss(struct stepper *stepper, bool thread);

#endif /* KT_KERNEL_SOURCE_BRANCH_CLIENT_H */
