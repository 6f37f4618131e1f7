// SPDX-License-Identifier: GPL-2.0-only
/* Who wants the branches of a task: see client.h. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/wait_bit.h>

#include "client.h"
#include "env.h"
#include "stepper.h"

/* Clients come and go under it. */
static DEFINE_MUTEX(clients_mutex);

static void client_add(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	lockdep_assert_held(&clients_mutex);
	raw_spin_lock_irqsave(&stepper->lock, flags);
	list_add_tail(&client->node, &stepper->clients);
	client->wanting = client->producer == &branch_step;
	stepper->wanting += client->wanting;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

/* Under the stepper's lock. */
static void client_unwant(struct stepper *stepper, struct branch_client *client)
{
	stepper->wanting -= client->wanting;
	client->wanting = false;
}

static bool client_follows(const struct branch_client *client, bool thread)
{
	return thread ? client->threads : client->children;
}

static void client_miss(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&stepper->lock, flags);
	client->unfollowed++;
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

/* A new task asks its parent's clients. */
static void clients_inherit(struct stepper *stepper)
{
	struct stepper *parent = stepper->parent;
	struct branch_client *client, *born;

	lockdep_assert_held(&clients_mutex);
	if (!parent)
		return;
	list_for_each_entry(client, &parent->clients, node) {
		if (!client_follows(client, stepper->thread))
			continue;
		born = client->kind->follow(client);
		if (IS_ERR(born))
			client_miss(parent, client);
		if (IS_ERR_OR_NULL(born))
			continue;
		refcount_inc(&stepper->refs);
		born->stepper = stepper;
		client_add(stepper, born);
	}
	stepper->parent = NULL;
	stepper_put(parent);
}

static struct branch_client *client_unmet(struct stepper *stepper)
{
	struct branch_client *client;

	lockdep_assert_held(&clients_mutex);
	list_for_each_entry(client, &stepper->clients, node)
		if (!client->met)
			return client;
	return NULL;
}

/* What was found before this is not the client's. */
static void client_start(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	now = env_clock();
	branch_producers_turn(current, current);
	raw_spin_lock(&stepper->lock);
	client->begun = true;
	kt_branch_log_add(&client->log, KT_BRANCH_BEGINS, smp_processor_id(),
			  now);
	raw_spin_unlock(&stepper->lock);
	branch_producers_turn(current, current);
	local_irq_restore(flags);
}

/* The mutex is free meanwhile: memory may have to be waited for, also for what others do. */
static void client_begin(struct stepper *stepper, struct branch_client *client)
{
	struct kt_branch *entries = client->log.entries;
	u32 nr;

	if (!entries) {
		entries = client->kind->room(client, &nr);
		if (entries)
			kt_branch_log_open(&client->log, entries, nr);
	}
	if (entries) {
		client_start(stepper, client);
		client->kind->begins(client);
	}
}

/* For a client without a buffer, nobody is to be stopped. */
static void client_met(struct stepper *stepper, struct branch_client *client)
{
	unsigned long flags;

	lockdep_assert_held(&clients_mutex);
	raw_spin_lock_irqsave(&stepper->lock, flags);
	if (!client->begun) {
		client_unwant(stepper, client);
		client->unfollowed++;
	}
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	smp_store_release(&client->meeting, false);
	smp_mb(); /* before it looks for who waits */
	/* Who waits may free it from now on; the address is only a name. */
	wake_up_var(&client->meeting);
}

/* Each task on some CPUs asks, each time it comes: mostly nobody is there, and it need not wait. */
static bool is_alone(const struct stepper *stepper)
{
	return list_empty(&stepper->clients) && !READ_ONCE(stepper->parent);
}

void branch_clients_begin(struct stepper *stepper)
{
	struct branch_client *client;

	if (is_alone(stepper))
		return;
	mutex_lock(&clients_mutex);
	clients_inherit(stepper);
	while ((client = client_unmet(stepper))) {
		client->met = true;
		client->meeting = true;
		mutex_unlock(&clients_mutex);
		client_begin(stepper, client);
		mutex_lock(&clients_mutex);
		client_met(stepper, client);
	}
	mutex_unlock(&clients_mutex);
}

/* Behind begin_here(): what comes next is of the new program. */
void branch_clients_execute(struct stepper *stepper)
{
	struct branch_client *client;

	if (!stepper->executed)
		return;
	stepper->executed = false;
	if (is_alone(stepper))
		return;
	mutex_lock(&clients_mutex);
	list_for_each_entry(client, &stepper->clients, node)
		client->kind->executed(client);
	mutex_unlock(&clients_mutex);
}

void branch_clients_take(struct stepper *stepper,
			 const struct branch_producer *producer,
			 struct branch_found found)
{
	struct branch_client *client;

	lockdep_assert_held(&stepper->lock);
	list_for_each_entry(client, &stepper->clients, node) {
		if (client->producer != producer ||
		    !(client->modes & found.mode) ||
		    !branch_client_takes(client, found.kind))
			continue;
		kt_branch_log_add(&client->log, found.kind, found.from,
				  found.to);
		if (!kt_branch_is_stamp(found.kind))
			client->behind = client->log.head;
	}
}

void branch_clients_lose(struct stepper *stepper,
			 const struct branch_producer *producer,
			 unsigned int modes, u32 nr)
{
	struct branch_client *client;

	lockdep_assert_held(&stepper->lock);
	list_for_each_entry(client, &stepper->clients, node)
		if (client->producer == producer && client->begun &&
		    (client->modes & modes))
			client->lost += nr;
}

unsigned int branch_clients_modes(const struct stepper *stepper,
				  const struct branch_producer *producer)
{
	const struct branch_client *client;
	unsigned int modes = 0;

	lockdep_assert_held(&stepper->lock);
	list_for_each_entry(client, &stepper->clients, node)
		if (client->producer == producer && client->begun)
			modes |= client->modes;
	return modes;
}

void branch_clients_miss(struct stepper *stepper, bool thread)
{
	struct branch_client *client;
	unsigned long flags;

	raw_spin_lock_irqsave(&stepper->lock, flags);
	list_for_each_entry(client, &stepper->clients, node)
		client->unfollowed += client_follows(client, thread);
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
}

int branch_client_add(struct branch_client *client, struct task_struct *task)
{
	struct stepper *stepper;
	int err;

	/* The hook of a fork allocates memory where that kernel must not. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return -EOPNOTSUPP;
	stepper = stepper_get(task, GFP_KERNEL);
	if (!stepper)
		return -ENOMEM;
	err = steppers_hook();
	if (err) {
		stepper_put(stepper);
		return err;
	}
	client->stepper = stepper;
	mutex_lock(&clients_mutex);
	client_add(stepper, client);
	mutex_unlock(&clients_mutex);
	stepper_again(stepper);
	/* If it has ended before the client was there, nobody will say so. */
	if (READ_ONCE(task->flags) & PF_EXITING) {
		branch_client_remove(client);
		return -ESRCH;
	}
	return 0;
}

void branch_client_remove(struct branch_client *client)
{
	struct stepper *stepper;
	unsigned long flags;
	bool stopped = client->producer == &branch_step;

	mutex_lock(&clients_mutex);
	stepper = client->stepper;
	if (stepper) {
		raw_spin_lock_irqsave(&stepper->lock, flags);
		list_del_init(&client->node);
		client_unwant(stepper, client);
		raw_spin_unlock_irqrestore(&stepper->lock, flags);
		client->stepper = NULL;
	}
	mutex_unlock(&clients_mutex);
	if (!stepper)
		return;
	/* If its task gives it room at this moment. */
	wait_var_event(&client->meeting, !smp_load_acquire(&client->meeting));
	/* Others record nothing that nobody wants from the next switch on. */
	if (stopped)
		stepper_again(stepper);
	stepper_put(stepper);
}

/* If the task has left that CPU meanwhile, that was given then. */
void branch_client_flush(const struct branch_client *client)
{
	if (client->stepper)
		branch_producer_flush(client->producer,
				      task_cpu(client->stepper->task));
}

u64 branch_client_unread(const struct branch_client *client)
{
	return client->stepper ? READ_ONCE(client->stepper->step.unread) : 0;
}

bool branch_client_mappings(const struct branch_client *client, u32 *number,
			    struct branch_mapping *mapping)
{
	struct stepper *stepper = client->stepper;
	unsigned long flags;
	bool found;

	if (!stepper)
		return false;
	raw_spin_lock_irqsave(&stepper->lock, flags);
	found = branch_mappings_get(&client->mappings, number, mapping);
	raw_spin_unlock_irqrestore(&stepper->lock, flags);
	return found;
}
