// SPDX-License-Identifier: GPL-2.0-only
/* Contexts of branch traces: see context.h. */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "base/lock.h"
#include "client.h"
#include "compat/program.h"
#include "context.h"
#include "cpus.h"
#include "env.h"
#include "producer.h"
#include "program/file.h"
#include "program/follow.h"
#include "program/space.h"
#include "recent.h"
#include "visitors.h"

struct branch_context {
	struct branch_wish wish;
	/* Who pays. */
	struct mm_struct *mm;
	struct task_struct *payer;

	/* Of the list.  What is in it stays until the context ends. */
	struct mutex lock;
	struct list_head threads;
	u32 nr_threads;
	bool closed;
	bool producer_begun, producer_refused;

	struct branch_cpus cpus; /* without a thread */
	bool cpus_begun;

	bool following;	    /* what programs map */
	atomic_long_t room; /* for maps that are kept */
};

/* Of one context, whatever its owner may have: dead threads keep their buffers. */
#define THREADS_MAX 4096u
#define BYTES_MAX   (1ull << 30)

struct thread {
	struct branch_client client;
	struct branch_context *context;
	struct list_head node;
	struct pid *pid;
	struct branch_recent recent; /* if events want it */
};

static const struct branch_client_kind thread_kind;

static struct thread *thread_of(struct branch_client *client)
{
	return container_of(client, struct thread, client);
}

static struct thread *thread_make(struct branch_context *context,
				  struct task_struct *task)
{
	struct thread *thread = kzalloc(sizeof(*thread), GFP_KERNEL);

	if (!thread)
		return NULL;
	thread->client.kind = &thread_kind;
	thread->client.producer = context->wish.producer;
	thread->client.modes = context->wish.modes;
	thread->client.threads = context->wish.threads;
	thread->client.children = context->wish.children;
	thread->client.branches_only = context->wish.events;
	if (context->following)
		thread->client.mappings.room = &context->room;
	thread->context = context;
	thread->pid = get_task_pid(task, PIDTYPE_PID);
	return thread;
}

/* ---- memory --------------------------------------------------------------- */

static int charge(struct branch_context *context, bool more)
{
	unsigned long pages = PAGE_ALIGN(context->wish.size) >> PAGE_SHIFT;
	int err;

	mmap_write_lock(context->mm);
	err = __account_locked_vm(context->mm, pages, more, context->payer,
				  context->wish.unlimited);
	mmap_write_unlock(context->mm);
	return err;
}

static struct kt_branch *room_make(struct branch_context *context, int *err)
{
	struct kt_branch *entries;

	*err = charge(context, true) ? -EDQUOT : 0;
	if (*err)
		return NULL;
	/* Not of the task that is traced, whose group of processes may have little. */
	entries = __vmalloc(context->wish.size, GFP_KERNEL | __GFP_ZERO |
							__GFP_NOWARN |
							__GFP_RETRY_MAYFAIL);
	if (entries)
		return entries;
	charge(context, false);
	*err = -ENOMEM;
	return NULL;
}

static void thread_free(struct thread *thread)
{
	if (thread->client.log.entries) {
		vfree(thread->client.log.entries);
		charge(thread->context, false);
	}
	branch_mappings_free(&thread->client.mappings);
	branch_recent_free(&thread->recent);
	put_pid(thread->pid);
	kfree(thread);
}

/* ---- as a client ---------------------------------------------------------- */

static bool is_full(const struct branch_context *context)
{
	return context->nr_threads >= THREADS_MAX ||
	       (context->nr_threads + 1ull) * context->wish.size > BYTES_MAX;
}

static struct branch_client *thread_follow(struct branch_client *parent)
{
	struct branch_context *context = thread_of(parent)->context;
	struct thread *thread = NULL;
	bool closed;

	mutex_lock(&context->lock);
	closed = context->closed;
	if (!closed && !is_full(context))
		thread = thread_make(context, current);
	if (thread) {
		list_add_tail(&thread->node, &context->threads);
		context->nr_threads++;
	}
	mutex_unlock(&context->lock);
	if (closed)
		return NULL;
	return thread ? &thread->client : ERR_PTR(-ENOMEM);
}

static struct kt_branch *thread_room(struct branch_client *client, u32 *nr)
{
	struct branch_context *context = thread_of(client)->context;
	int err;

	*nr = context->wish.size / sizeof(struct kt_branch);
	return room_make(context, &err);
}

static void thread_begins(struct branch_client *client)
{
	struct thread *thread = thread_of(client);

	if (thread->context->wish.events)
		branch_recent_begin(&thread->recent, &client->log);
}

static void thread_executed(struct branch_client *client)
{
	struct thread *thread = thread_of(client);
	struct pid *pid = get_task_pid(current, PIDTYPE_PID);

	mutex_lock(&thread->context->lock);
	swap(thread->pid, pid);
	mutex_unlock(&thread->context->lock);
	put_pid(pid);
	branch_recent_executed(&thread->recent);
}

static const struct branch_client_kind thread_kind = {
	.follow = thread_follow,
	.room = thread_room,
	.begins = thread_begins,
	.executed = thread_executed,
};

/* ---- contexts ------------------------------------------------------------- */

static int mappings_follow(struct branch_context *context)
{
	int err;

	if (!context->wish.mappings)
		return 0;
	mutex_lock(&kt_mutex);
	err = kt_programs_follow();
	mutex_unlock(&kt_mutex);
	context->following = !err;
	/* -EOPNOTSUPP says that of stops. */
	return err == -EOPNOTSUPP ? -ENOSYS : err;
}

static int producer_begin(struct branch_context *context)
{
	const struct branch_producer *producer = context->wish.producer;
	int err = producer->begin ? producer->begin() : 0;

	context->producer_begun = !err;
	context->producer_refused = err;
	return err;
}

static void producer_end(struct branch_context *context)
{
	if (context->producer_begun && context->wish.producer->end)
		context->wish.producer->end();
}

/* Files lose their numbers, so nobody may have maps any more. */
static void mappings_unfollow(struct branch_context *context)
{
	if (!context->following)
		return;
	mutex_lock(&kt_mutex);
	kt_programs_unfollow();
	mutex_unlock(&kt_mutex);
}

/* Those of CPUs, too: how many there are is known. */
static int cpus_open(struct branch_context *context)
{
	struct branch_cpus *cpus = &context->cpus;
	struct kt_branch *entries;
	unsigned int cpu;
	int err;

	if (!zalloc_cpumask_var(&cpus->mask, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&cpus->begun, GFP_KERNEL))
		return -ENOMEM;
	if (context->wish.all_cpus)
		cpumask_copy(cpus->mask, cpu_present_mask);
	else if (context->wish.cpu < nr_cpu_ids &&
		 cpu_present(context->wish.cpu))
		cpumask_set_cpu(context->wish.cpu, cpus->mask);
	if (cpumask_empty(cpus->mask))
		return -ENODEV;
	cpus->logs = kvcalloc(nr_cpu_ids, sizeof(*cpus->logs), GFP_KERNEL);
	if (!cpus->logs)
		return -ENOMEM;
	if ((u64)cpumask_weight(cpus->mask) * context->wish.size > BYTES_MAX)
		return -E2BIG;
	for_each_cpu(cpu, cpus->mask) {
		entries = room_make(context, &err);
		if (!entries)
			return err;
		kt_branch_log_open(&cpus->logs[cpu], entries,
				   context->wish.size / sizeof(*entries));
	}
	return 0;
}

static void cpus_free(struct branch_context *context)
{
	struct branch_cpus *cpus = &context->cpus;
	unsigned int cpu;

	for (cpu = 0; cpus->logs && cpu < nr_cpu_ids; cpu++) {
		if (!cpus->logs[cpu].entries)
			continue;
		vfree(cpus->logs[cpu].entries);
		charge(context, false);
	}
	put_pid(cpus->asker);
	kvfree(cpus->logs);
	free_cpumask_var(cpus->begun);
	free_cpumask_var(cpus->mask);
}

static int cpus_begin(struct branch_context *context)
{
	int err;

	context->cpus.asker = get_pid(task_tgid(current));
	context->cpus.producer = context->wish.producer;
	context->cpus.modes = context->wish.modes;
	err = cpus_open(context);
	err = err ?: mappings_follow(context);
	err = err ?: producer_begin(context);
	if (err)
		return err;
	if (context->following)
		branch_visitors_begin();
	err = branch_cpus_begin(&context->cpus);
	context->cpus_begun = !err;
	return err;
}

static void cpus_end(struct branch_context *context)
{
	if (context->cpus_begun)
		branch_cpus_end(&context->cpus);
	if (context->wish.pid)
		return;
	if (context->following)
		branch_visitors_end();
	cpus_free(context);
}

/* The first buffer is made here, so that its failure is told. */
static int context_begin(struct branch_context *context)
{
	struct pid *pid = find_get_pid(context->wish.pid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct thread *thread;
	struct kt_branch *entries;
	int err = -ENOMEM;

	put_pid(pid);
	if (!task)
		return -ESRCH;
	if (task->flags & KT_PF_NO_PROGRAM) {
		err = -EINVAL;
		goto out;
	}
	err = mappings_follow(context);
	err = err ?: producer_begin(context);
	if (err)
		goto out;
	err = -ENOMEM;
	thread = thread_make(context, task);
	if (!thread)
		goto out;
	list_add_tail(&thread->node, &context->threads);
	context->nr_threads++;
	entries = room_make(context, &err);
	if (!entries)
		goto out;
	kt_branch_log_open(&thread->client.log, entries,
			   context->wish.size / sizeof(*entries));
	err = branch_client_add(&thread->client, task);
out:
	put_task_struct(task);
	return err;
}

struct branch_context *branch_context_open(const struct branch_wish *wish,
					   bool *refused)
{
	struct branch_context *context =
		kzalloc(sizeof(*context), GFP_KERNEL_ACCOUNT);
	int err;

	*refused = false;
	if (!context)
		return ERR_PTR(-ENOMEM);
	context->wish = *wish;
	context->mm = current->mm;
	mmgrab(context->mm);
	context->payer = get_task_struct(current->group_leader);
	mutex_init(&context->lock);
	INIT_LIST_HEAD(&context->threads);
	atomic_long_set(&context->room, BRANCH_MAPPINGS_ROOM);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		err = -EOPNOTSUPP;
	else if (wish->producer->for_events)
		err = producer_begin(context);
	else
		err = wish->pid ? context_begin(context) : cpus_begin(context);
	if (!err)
		return context;
	*refused = context->producer_refused;
	branch_context_close(context);
	return ERR_PTR(err);
}

void branch_context_close(struct branch_context *context)
{
	struct thread *thread, *next;
	bool told = false;

	/* A child that is being added is in the list, or will not be. */
	mutex_lock(&context->lock);
	context->closed = true;
	mutex_unlock(&context->lock);
	list_for_each_entry(thread, &context->threads, node) {
		branch_client_remove(&thread->client);
		told |= branch_recent_end(&thread->recent);
	}
	/* An event may be reading a buffer.  A process of a thousand threads has as many contexts. */
	if (told)
		synchronize_rcu_expedited();
	list_for_each_entry_safe(thread, next, &context->threads, node)
		thread_free(thread);
	cpus_end(context);
	producer_end(context);
	mappings_unfollow(context);
	mmdrop(context->mm);
	put_task_struct(context->payer);
	kfree(context);
}

const struct branch_producer *branch_context_producer(
	const struct branch_context *context)
{
	return context->wish.producer;
}

static struct thread *thread_at(struct branch_context *context, u32 number)
{
	struct thread *thread;

	list_for_each_entry(thread, &context->threads, node)
		if (!number--)
			return thread;
	return NULL;
}

/* The entries are in one or two pieces. */
static int entries_copy(const struct kt_branch_log *log, u64 first, u32 nr,
			struct kt_branch __user *to)
{
	u32 begin = first & log->mask, part = min(nr, log->mask + 1 - begin);

	if (copy_to_user(to, log->entries + begin, part * sizeof(*to)) ||
	    copy_to_user(to + part, log->entries, (nr - part) * sizeof(*to)))
		return -EFAULT;
	return 0;
}

static const struct kt_branch_log *thread_read(struct branch_context *context,
					       struct kt_branches *branches)
{
	struct thread *thread;

	mutex_lock(&context->lock);
	thread = thread_at(context, branches->thread);
	branches->tid = thread ? pid_vnr(thread->pid) : 0;
	mutex_unlock(&context->lock);
	if (!thread)
		return NULL;
	branch_client_flush(&thread->client);
	branches->ended = READ_ONCE(thread->client.ended);
	branches->unread = branch_client_unread(&thread->client);
	branches->unfollowed = READ_ONCE(thread->client.unfollowed);
	branches->lost = READ_ONCE(thread->client.lost);
	return &thread->client.log;
}

static const struct kt_branch_log *cpu_read(const struct branch_cpus *cpus,
					    struct kt_branches *branches)
{
	unsigned int cpu = branch_cpus_nth(cpus, branches->thread);

	if (cpu >= nr_cpu_ids)
		return NULL;
	branch_producer_flush(cpus->producer, cpu);
	branches->tid = cpu;
	branches->ended = 0;
	branches->unread = atomic64_read(&cpus->unread);
	branches->unfollowed = atomic_read(&cpus->missed);
	branches->lost = atomic_read(&cpus->lost);
	return &cpus->logs[cpu];
}

int branch_context_read(struct branch_context *context,
			struct kt_branches *branches)
{
	const struct kt_branch_log *log;
	u64 overwritten;
	int err;

	if (context->wish.producer->for_events)
		return -ENOENT;
	/* Before that is asked for what it has found. */
	branches->time = env_clock();
	log = context->wish.pid ? thread_read(context, branches)
				: cpu_read(&context->cpus, branches);
	if (!log)
		return -ENOENT;
	branches->first = branches->nr = branches->skip = 0;
	if (!smp_load_acquire(&log->entries))
		return 0;
	branches->first =
		kt_branch_log_range(log, branches->max, &branches->nr);
	err = entries_copy(log, branches->first, branches->nr,
			   u64_to_user_ptr(branches->entries));
	if (err)
		return err;
	overwritten = kt_branch_log_overwritten(log, branches->first);
	branches->skip = min_t(u64, overwritten, branches->nr);
	return 0;
}

static int mapping_copy(const struct branch_mapping *mapping,
			struct kt_branch_maps *maps)
{
	const struct kt_maps *from = mapping->maps;
	struct kt_branch_map *to;
	size_t size;
	int err = 0;
	u32 i;

	maps->since = mapping->since;
	maps->nr = from ? from->nr : 0;
	if (!maps->nr || maps->nr > maps->max)
		return 0;
	size = array_size(from->nr, sizeof(*to));
	to = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!to)
		return -ENOMEM;
	for (i = 0; i < from->nr; i++) {
		const struct kt_unwind_map *map = &from->maps[i];

		to[i] = (struct kt_branch_map){
			.begin = map->begin,
			.end = map->end,
			.offset = map->begin - map->bias,
			.file = container_of(map->file, struct kt_program_file,
					     unwind)
					->number,
		};
	}
	if (copy_to_user(u64_to_user_ptr(maps->maps), to, size))
		err = -EFAULT;
	kvfree(to);
	return err;
}

static bool thread_mapping(struct branch_context *context,
			   struct kt_branch_maps *maps,
			   struct branch_mapping *mapping)
{
	struct thread *thread;

	mutex_lock(&context->lock);
	thread = thread_at(context, maps->thread);
	mutex_unlock(&context->lock);
	maps->tid = 0;
	memset(maps->comm, 0, sizeof(maps->comm));
	return thread &&
	       branch_client_mappings(&thread->client, &maps->change, mapping);
}

int branch_context_mappings(struct branch_context *context,
			    struct kt_branch_maps *maps)
{
	struct branch_mapping mapping;
	int err;

	if (!context->wish.mappings)
		return -ENODATA;
	if (context->wish.pid ? !thread_mapping(context, maps, &mapping)
			      : !branch_visitors_get(maps, &mapping))
		return -ENOENT;
	err = mapping_copy(&mapping, maps);
	if (mapping.maps)
		kt_maps_put(mapping.maps);
	return err;
}
