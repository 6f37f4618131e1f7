// SPDX-License-Identifier: GPL-2.0-only
/* Follows what processes map: see follow.h. */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "base/lock.h"
#include "base/symbol.h"
#include "base/work.h"
#include "compat/program.h"
#include "file.h"
#include "follow.h"
#include "space.h"
#include "stack.h"

#define SWEEP_INTERVAL HZ

static unsigned int followers; /* under kt_mutex */
static bool following;
/* Who reads mappings. */
DEFINE_STATIC_SRCU(reading);

/*
 * Who holds the lock of a process's mappings may be made to wait by that process, for as long
 * as it likes.  So nobody waits for this lock within the read side, for which stop() waits,
 * and a signal ends the wait.
 */
static bool mappings_read(struct mm_struct *mm, pid_t pid)
{
	bool read = false, retires = false;
	int index;

	if (mmap_read_lock_killable(mm))
		return false;
	index = srcu_read_lock(&reading);
	if (READ_ONCE(following))
		read = kt_space_read(mm, pid, &retires);
	srcu_read_unlock(&reading, index);
	mmap_read_unlock(mm);
	if (retires)
		kt_spaces_settle();
	return read;
}

/* ---- by the process itself ------------------------------------------------ */

struct work {
	struct callback_head head;
	const struct mm_struct *mm; /* what is to be read; may be gone */
};

static void work_run(struct callback_head *head)
{
	struct work *work = container_of(head, struct work, head);

	/* What is mapped from here on may be too late for what is read. */
	kt_space_release(work->mm, current);
	/* An ending process has no mappings any more. */
	if (current->mm)
		mappings_read(current->mm, current->tgid);
	kfree(work);
	kt_work_done(THIS_MODULE);
}

/* Without memory, stacks are told by the mappings of before. */
static void work_add(struct task_struct *task, const struct mm_struct *mm)
{
	struct work *work = kmalloc(sizeof(*work), GFP_ATOMIC | __GFP_NOWARN);

	if (work) {
		work->mm = mm;
		if (kt_work_add(task, &work->head, work_run, THIS_MODULE))
			return;
	}
	kfree(work);
	kt_space_release(mm, task);
}

/*
 * Some just-in-time compilers take away the permission to run the memory whenever they write to
 * it: then it is as known as before.
 */
static bool concerns(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC && vma->vm_mm == current->mm &&
	       !(current->flags & KT_PF_NO_PROGRAM) &&
	       (vma->vm_file ||
		(kt_space_is_made(vma) &&
		 !kt_space_has_code(vma->vm_mm, vma->vm_start, vma->vm_end)));
}

static int mapped(struct kprobe *probe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const void *)regs->di;

	/* One call of mprotect() may change as many mappings as a process can have. */
	if (concerns(vma) &&
	    kt_space_changed(vma->vm_mm, vma->vm_start, vma->vm_end, current))
		work_add(current, vma->vm_mm);
	return 0;
}
NOKPROBE_SYMBOL(mapped);

static struct kprobe mapping_probe = {
	.symbol_name = "perf_event_mmap",
	.pre_handler = mapped,
};

static void forked(void *data, struct task_struct *parent,
		   struct task_struct *child)
{
	if (!child->mm || child->mm == current->mm || !current->mm ||
	    child->flags & KT_PF_NO_PROGRAM)
		return;
	if (kt_space_fork(current->mm, child->mm))
		work_add(child, child->mm);
}

static struct tracepoint *fork_point;

/* ---- at first ------------------------------------------------------------- */

#define BATCH 64

/* A process's memory, if its mappings are not known; with a reference. */
static struct mm_struct *unknown_of(struct task_struct *process)
{
	struct mm_struct *found = NULL;
	struct task_struct *thread;

	kt_for_each_thread(process, thread) {
		task_lock(thread);
		if (thread->mm && !(thread->flags & KT_PF_NO_PROGRAM)) {
			preempt_disable();
			if (!kt_space_maps(thread->mm) &&
			    mmget_not_zero(thread->mm))
				found = thread->mm;
			preempt_enable();
			task_unlock(thread);
			break;
		}
		task_unlock(thread);
	}
	return found;
}

/* Reads the mappings of some processes.  Returns of how many: without memory, of none. */
static unsigned int some_read(void)
{
	struct mm_struct *found[BATCH];
	pid_t pids[BATCH];
	struct task_struct *process;
	unsigned int nr = 0, done = 0, i;

	rcu_read_lock();
	for_each_process(process) {
		found[nr] = unknown_of(process);
		if (!found[nr])
			continue;
		pids[nr++] = process->tgid;
		if (nr == BATCH)
			break;
	}
	rcu_read_unlock();
	for (i = 0; i < nr; i++) {
		done += mappings_read(found[i], pids[i]);
		mmput(found[i]);
	}
	return done;
}

/* ---- on and off ----------------------------------------------------------- */

static void sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, sweep);

static void sweep(struct work_struct *work)
{
	kt_spaces_sweep();
	schedule_delayed_work(&sweep_work, SWEEP_INTERVAL);
}

static void stop(void)
{
	WRITE_ONCE(following, false);
	unregister_kprobe(&mapping_probe);
	/* Or it could not be registered again. */
	mapping_probe.addr = NULL;
	mapping_probe.flags = 0;
	tracepoint_probe_unregister(fork_point, forked, NULL);
	tracepoint_synchronize_unregister();
	synchronize_srcu(&reading);
	cancel_delayed_work_sync(&sweep_work);
	kt_spaces_forget();
	kt_files_forget();
	kt_program_stacks_end();
}

static int start(void)
{
	unsigned int round;
	int err = kt_program_stacks_begin();

	if (err)
		return err;
	fork_point = (void *)kt_symbol("__tracepoint_sched_process_fork");
	if (!fork_point || IS_ENABLED(CONFIG_PREEMPT_RT)) {
		err = -EOPNOTSUPP;
		goto err_stacks;
	}
	kt_files_begin();
	WRITE_ONCE(following, true);
	err = tracepoint_probe_register(fork_point, forked, NULL);
	if (err)
		goto err_files;
	err = register_kprobe(&mapping_probe);
	if (err)
		goto err_fork;
	/* From here on changes are told, so who was read once stays known. */
	for (round = 0; round < PID_MAX_LIMIT / BATCH; round++) {
		if (fatal_signal_pending(current) || !some_read())
			break;
		cond_resched();
	}
	schedule_delayed_work(&sweep_work, SWEEP_INTERVAL);
	return 0;

err_fork:
	mapping_probe.addr = NULL;
	mapping_probe.flags = 0;
	tracepoint_probe_unregister(fork_point, forked, NULL);
	tracepoint_synchronize_unregister();
err_files:
	WRITE_ONCE(following, false);
	synchronize_srcu(&reading);
	kt_spaces_forget();
	kt_files_forget();
	/* Without kprobes, or without perf_event_mmap(). */
	if (err == -ENOENT || err == -ENOSYS)
		err = -EOPNOTSUPP;
err_stacks:
	kt_program_stacks_end();
	return err;
}

int kt_programs_follow(void)
{
	int err = 0;

	lockdep_assert_held(&kt_mutex);
	if (!followers)
		err = start();
	followers += !err;
	return err;
}
EXPORT_SYMBOL_GPL(kt_programs_follow);

void kt_programs_unfollow(void)
{
	lockdep_assert_held(&kt_mutex);
	if (!--followers)
		stop();
}
EXPORT_SYMBOL_GPL(kt_programs_unfollow);
