// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's optimizer of kprobes: optimizer.h.
 *
 * In 6.1 and 6.12 it is a delayed work, which each new kprobe queues unless it is queued: so it is put
 * off if it is queued for a later time.  Whoever waits for it has it run at once.
 *
 * In 7.3 it is a thread, which sleeps while a word says that nobody has called.  Who calls sets the
 * word, and wakes the thread only if it was not set before.  So a thread that sleeps is put off if the
 * word is set without waking it.  One that is awake is not: it clears the word and makes a pass, then
 * finds the word set again, and makes the next pass.  So its pass is waited for first, which keeps the
 * lock of kprobes anyway.  Nobody else's call wakes the thread meanwhile, so it is let go now and then.
 * Whoever waits for it sets another word, and wakes it.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/static_call.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "base/symbol.h"
#include "optimizer.h"

/* Longer than one kprobe takes; it is put off anew while a batch goes on. */
#define HOLD_JIFFIES (10 * HZ)
/* A pass takes a second at most unless the machine is slow. */
#define PASS_JIFFIES (5 * HZ)
/* As the kernel has it. */
#define DELAY_JIFFIES 5

DEFINE_STATIC_CALL_NULL(optimizer_wait, wait_for_kprobe_optimizer);

static struct delayed_work *work; /* NULL: there is none */
static bool held;
static unsigned long held_at; /* jiffies */

/* The kernel's words. */
enum {
	IDLE,
	CALLED,
};

static atomic_t *word; /* NULL: there is no thread */
static wait_queue_head_t *sleeper;

void optimizer_init(void)
{
	unsigned long address = kt_symbol("wait_for_kprobe_optimizer");

	if (address)
		static_call_update(optimizer_wait, (void *)address);
	work = (struct delayed_work *)kt_symbol("optimizing_work");
	sleeper = (wait_queue_head_t *)kt_symbol("kprobe_optimizer_wait");
	if (sleeper)
		word = (atomic_t *)kt_symbol("optimizer_state");
}

/* Somebody else may queue it in between: then it runs a pass too early, which is only slower. */
static void work_queue(unsigned long delay)
{
	cancel_delayed_work(work);
	schedule_delayed_work(work, delay);
}

static void work_hold(void)
{
	if (held && time_before(jiffies, held_at + HOLD_JIFFIES / 2))
		return;
	work_queue(HOLD_JIFFIES);
	held_at = jiffies;
}

/* While nobody has called, it is in its queue, unless it is awake for a pass. */
static bool thread_makes_pass(void)
{
	return atomic_read(word) == IDLE && !waitqueue_active(sleeper);
}

static void thread_hold(void)
{
	unsigned long end = jiffies + PASS_JIFFIES;

	if (!held)
		held_at = jiffies;
	if (time_after(jiffies, held_at + HOLD_JIFFIES)) {
		held_at = jiffies;
		wake_up(sleeper);
		return;
	}
	while (thread_makes_pass() && time_before(jiffies, end))
		schedule_timeout_uninterruptible(1);
	/* Each time: it may have made a pass. */
	atomic_cmpxchg(word, IDLE, CALLED);
}

void optimizer_hold(void)
{
	if (!word && !work)
		return;
	if (word)
		thread_hold();
	else
		work_hold();
	held = true;
}

void optimizer_release(void)
{
	if (!held)
		return;
	if (word)
		wake_up(sleeper);
	if (work)
		work_queue(DELAY_JIFFIES);
	held = false;
}

void optimizer_settle(void)
{
	static_call_cond(optimizer_wait)();
}
