// SPDX-License-Identifier: GPL-2.0-only
/*
 * A small driver with markers: a device that takes requests and completes them later.  For
 * tests only; never installed.
 *
 * A write of N bytes to /dev/ktrace-queue is a request, which waits in one of four queues,
 * selected by its length.  A timer (in interrupt context) takes requests from the queues, a
 * tasklet (softirq) moves their bytes, a work item (task) completes them.  fsync() waits
 * until all are complete; read() returns how many bytes were moved.
 */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <ktrace/marker.h>

#include "../compat/timer.h"

#define QUEUES	    4
#define REQUEST_MAX (64 << 10)
#define DELAY_NS    (200 * NSEC_PER_USEC)

enum request_state { REQUEST_WAITS, REQUEST_MOVES, REQUEST_DONE };

struct request {
	struct list_head node;
	u64 number;
	ktime_t begun;
	size_t size;
	enum request_state state;
	u8 head[8];
};

static struct queue {
	const char *name;
	struct list_head waiting;
	unsigned int depth;
} queues[QUEUES] = {
	{.name = "tiny"},
	{.name = "small"},
	{.name = "medium"},
	{.name = "large"},
};

static DEFINE_SPINLOCK(lock); /* protects the data below, and the queues */
static LIST_HEAD(moving);
static LIST_HEAD(done);
static u64 last_number;
static u64 bytes_moved;
static unsigned int in_flight;
static struct hrtimer timer;
static DECLARE_WAIT_QUEUE_HEAD(idle);

static struct queue *queue_for(size_t size)
{
	return &queues[size < 64 ? 0 : size < 1024 ? 1 : size < 16384 ? 2 : 3];
}

static void end_work(struct work_struct *work)
{
	struct request *request, *next;
	LIST_HEAD(ended);

	spin_lock_irq(&lock);
	list_splice_init(&done, &ended);
	spin_unlock_irq(&lock);
	list_for_each_entry_safe(request, next, &ended, node) {
		KTRACE(done, "request %llu size %zu took %lld state %d",
		       request->number, request->size,
		       ktime_to_ns(ktime_sub(ktime_get(), request->begun)),
		       request->state);
		kfree(request);
		spin_lock_irq(&lock);
		in_flight--;
		spin_unlock_irq(&lock);
	}
	wake_up_all(&idle);
}

static DECLARE_WORK(work, end_work);

static void move_tasklet(struct tasklet_struct *tasklet)
{
	struct request *request;

	spin_lock_irq(&lock);
	list_for_each_entry(request, &moving, node) {
		request->state = REQUEST_DONE;
		bytes_moved += request->size;
		KTRACE(move, "request %llu head %8ph", request->number,
		       request->head);
	}
	list_splice_tail_init(&moving, &done);
	spin_unlock_irq(&lock);
	schedule_work(&work);
}

static DECLARE_TASKLET(tasklet, move_tasklet);

static enum hrtimer_restart take_timer(struct hrtimer *t)
{
	struct request *request;
	unsigned int i;

	spin_lock(&lock);
	for (i = 0; i < QUEUES; i++) {
		struct queue *queue = &queues[i];

		if (!queue->depth)
			continue;
		KTRACE(take, "queue %s depth %u", queue->name, queue->depth);
		list_for_each_entry(request, &queue->waiting, node)
			request->state = REQUEST_MOVES;
		list_splice_tail_init(&queue->waiting, &moving);
		queue->depth = 0;
	}
	spin_unlock(&lock);
	tasklet_schedule(&tasklet);
	return HRTIMER_NORESTART;
}

static ssize_t queue_write(struct file *file, const char __user *from,
			   size_t size, loff_t *pos)
{
	struct queue *queue = queue_for(size);
	struct request *request;
	u64 number;

	if (!size || size > REQUEST_MAX) {
		KTRACE(refuse, "size %zu", size);
		return -EINVAL;
	}
	request = kzalloc(sizeof(*request), GFP_KERNEL);
	if (!request)
		return -ENOMEM;
	if (copy_from_user(request->head, from,
			   min(size, sizeof(request->head)))) {
		kfree(request);
		return -EFAULT;
	}
	request->size = size;
	request->begun = ktime_get();

	spin_lock_irq(&lock);
	request->number = ++last_number;
	number = request->number;
	list_add_tail(&request->node, &queue->waiting);
	queue->depth++;
	in_flight++;
	KTRACE(submit, "queue %s depth %u request %llu size %zu", queue->name,
	       queue->depth, number, size);
	spin_unlock_irq(&lock);
	hrtimer_start(&timer, ns_to_ktime(DELAY_NS), HRTIMER_MODE_REL);
	return size;
}

static bool is_idle(void)
{
	bool idle_now;

	spin_lock_irq(&lock);
	idle_now = !in_flight;
	spin_unlock_irq(&lock);
	return idle_now;
}

static int queue_fsync(struct file *file, loff_t begin, loff_t end, int data)
{
	return wait_event_interruptible(idle, is_idle());
}

static ssize_t queue_read(struct file *file, char __user *to, size_t size,
			  loff_t *pos)
{
	char text[24];
	int length;

	spin_lock_irq(&lock);
	length = snprintf(text, sizeof(text), "%llu\n", bytes_moved);
	spin_unlock_irq(&lock);
	return simple_read_from_buffer(to, size, pos, text, length);
}

static const struct file_operations queue_fops = {
	.owner = THIS_MODULE,
	.write = queue_write,
	.read = queue_read,
	.fsync = queue_fsync,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ktrace-queue",
	.fops = &queue_fops,
};

static int __init queue_init(void)
{
	unsigned int i;

	for (i = 0; i < QUEUES; i++)
		INIT_LIST_HEAD(&queues[i].waiting);
	hrtimer_setup(&timer, take_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	return misc_register(&device);
}

/* Nobody has the device open, but requests may still be under way: wait for them. */
static void __exit queue_exit(void)
{
	misc_deregister(&device);
	wait_event(idle, is_idle());
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
	flush_work(&work);
}

module_init(queue_init);
module_exit(queue_exit);
MODULE_DESCRIPTION("A device with markers, for tests");
MODULE_LICENSE("GPL");
