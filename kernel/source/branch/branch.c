// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file `branches' of the control tree: branch traces of programs, as
 * include/uapi/ktrace_branch.h describes them.
 *
 * Who opens it must be allowed to look into any process (CAP_SYS_PTRACE): branches tell what a
 * program does with its secrets.
 */
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include <ktrace_branch.h>

#include "context.h"
#include "producer.h"
#include "recent.h"
#include "session/access.h"
#include "session/node.h"
#include "session/session.h"
#include "session/sources.h"
#include "stepper.h"
#include "stops.h"
#include "store.h"

#define LINE_MAX 255

/* An open file. */
struct asked {
	struct mutex lock;
	bool unlimited; /* in locked memory */
	bool whole;	/* all programs of a CPU may be asked for */
	struct branch_context *context; /* NULL: nothing was asked yet */
};

/* ---- the line ------------------------------------------------------------- */

static int number_of(struct kt_session *session, char **text, const char *what,
		     unsigned long *number)
{
	char *word = strsep(text, " ");

	if (word && *word && !kstrtoul(word, 0, number))
		return 0;
	return kt_refuse(session, -EINVAL,
			 "a number is wanted behind \"%s\", not \"%s\"", what,
			 word ?: "");
}

static int size_of_wish(struct kt_session *session, char **text, u32 *size)
{
	unsigned long number;
	int err = number_of(session, text, "size", &number);

	if (err)
		return err;
	if (number < KT_BRANCH_SIZE_MIN || number > KT_BRANCH_SIZE_MAX)
		return kt_refuse(session, -EINVAL,
				 "a buffer has %u to %u bytes, not %lu",
				 KT_BRANCH_SIZE_MIN, KT_BRANCH_SIZE_MAX,
				 number);
	*size = roundup_pow_of_two(number);
	return 0;
}

static int cpus_once(struct kt_session *session, bool *cpus)
{
	if (*cpus)
		return kt_refuse(session, -EINVAL,
				 "one cpu, or all: open the file again for "
				 "another one");
	*cpus = true;
	return 0;
}

static int cpu_of_wish(struct kt_session *session, char **text, bool *cpus,
		       struct branch_wish *wish)
{
	unsigned long number;
	int err = number_of(session, text, "cpu", &number);

	if (err)
		return err;
	wish->cpu = min(number, (unsigned long)UINT_MAX);
	return cpus_once(session, cpus);
}

static int wish_of_cpus(struct kt_session *session,
			const struct branch_wish *wish, bool of_thread)
{
	if (of_thread)
		return kt_refuse(session, -EINVAL,
				 "pid PID, cpu NUMBER or all: one of these");
	if (wish->threads || wish->children ||
	    (wish->events && !wish->all_cpus))
		return kt_refuse(
			session, -EINVAL,
			"threads and children need pid PID, and events "
			"that or all");
	return 0;
}

/* ---- who serves ----------------------------------------------------------- */

static const char *lacks(const struct branch_producer *producer)
{
	return producer->lacks ? producer->lacks() : NULL;
}

static int producer_of_wish(struct kt_session *session, char **text,
			    struct branch_wish *wish)
{
	const char *word = strsep(text, " ") ?: "";
	const struct branch_producer *producer;
	unsigned int i;

	for (i = 0; (producer = branch_producer_nth(i)); i++) {
		if (strcmp(word, producer->name))
			continue;
		wish->producer = producer;
		return 0;
	}
	return kt_refuse(session, -EINVAL,
			 "by step, by bts, or by lbr, not by \"%*pE\"",
			 (int)min_t(size_t, strlen(word), 60), word);
}

static bool can_serve(const struct branch_producer *producer,
		      const struct branch_wish *wish)
{
	if (wish->modes & ~producer->modes)
		return false;
	if (producer->for_events || (wish->events && wish->all_cpus))
		return producer->for_events && wish->events && wish->all_cpus &&
		       !wish->mappings && !wish->size;
	return producer->at_once || (!wish->events && !wish->mappings);
}

/* Nobody was asked for by name, or the one that was cannot. */
static int producer_choose(struct kt_session *session, struct branch_wish *wish)
{
	const struct branch_producer *producer = wish->producer;
	const char *why;
	unsigned int i;

	for (i = 0; !producer; i++) {
		producer = branch_producer_nth(i);
		if (!producer)
			return kt_refuse(session, -EINVAL,
					 "events and mappings are for branches "
					 "of programs: leave out \"kernel\", "
					 "and of all events mappings and size");
		if (!can_serve(producer, wish))
			producer = NULL;
	}
	wish->producer = producer;
	if (wish->modes & ~producer->modes)
		return kt_refuse(session, -EINVAL,
				 "branches of the kernel are not found by %s: "
				 "by bts, or leave out \"kernel\"",
				 producer->name);
	if (!can_serve(producer, wish) &&
	    (producer->for_events || (wish->events && wish->all_cpus)))
		return kt_refuse(session, -EINVAL,
				 "the last branches of all programs are known "
				 "by lbr, for events alone: all events by lbr");
	if (!can_serve(producer, wish))
		return kt_refuse(session, -EINVAL,
				 "events and mappings are not known by %s: by "
				 "step, or leave them out",
				 producer->name);
	why = lacks(producer);
	if (why && producer->for_events)
		return kt_refuse(session, -EOPNOTSUPP,
				 "%s; those of a thread are found by "
				 "single-stepping (pid PID events)",
				 why);
	if (why)
		return kt_refuse(session, -EOPNOTSUPP,
				 "%s; user branches are traced by "
				 "single-stepping (by step)",
				 why);
	return 0;
}

/* ---- what is wanted ------------------------------------------------------- */

/* @whole: who asks may have all programs. */
static int wish_parse(struct kt_session *session, struct branch_wish *wish,
		      char *text, bool whole)
{
	unsigned long pid = 0;
	bool cpus = false, of_thread = false;
	char *word;
	int err = 0;

	*wish = (struct branch_wish){};
	while (!err && (word = strsep(&text, " "))) {
		if (!*word)
			continue;
		if (!strcmp(word, "pid")) {
			err = number_of(session, &text, word, &pid);
			of_thread = true;
		} else if (!strcmp(word, "size"))
			err = size_of_wish(session, &text, &wish->size);
		else if (!strcmp(word, "cpu"))
			err = cpu_of_wish(session, &text, &cpus, wish);
		else if (!strcmp(word, "all")) {
			wish->all_cpus = true;
			err = cpus_once(session, &cpus);
		} else if (!strcmp(word, "threads"))
			wish->threads = true;
		else if (!strcmp(word, "children"))
			wish->children = true;
		else if (!strcmp(word, "mappings"))
			wish->mappings = true;
		else if (!strcmp(word, "events"))
			wish->events = true;
		else if (!strcmp(word, "user"))
			wish->modes |= BRANCH_USER;
		else if (!strcmp(word, "kernel"))
			wish->modes |= BRANCH_KERNEL;
		else if (!strcmp(word, "by"))
			err = producer_of_wish(session, &text, wish);
		else
			err = kt_refuse(session, -EINVAL,
					"pid, cpu, all, size, threads, "
					"children, mappings, events, user, "
					"kernel or by is wanted, not "
					"\"%*pE\"",
					(int)min_t(size_t, strlen(word), 60),
					word);
	}
	if (err)
		return err;
	if (cpus && !whole)
		return kt_refuse(session, -EPERM,
				 "branches of all programs are for root "
				 "(CAP_SYS_ADMIN)");
	wish->modes = wish->modes ?: BRANCH_USER;
	if ((wish->modes & BRANCH_KERNEL) && !whole)
		return kt_refuse(session, -EPERM,
				 "branches of the kernel are for root "
				 "(CAP_SYS_ADMIN)");
	if (cpus) {
		err = wish_of_cpus(session, wish, of_thread);
		return err ?: producer_choose(session, wish);
	}
	if (!pid || pid > INT_MAX)
		return kt_refuse(session, pid ? -ESRCH : -EINVAL,
				 pid ? "there is no thread %lu"
				     : "of whom? pid PID, cpu NUMBER or all is "
				       "missing",
				 pid);
	wish->pid = pid;
	return producer_choose(session, wish);
}

/* Only what perf owns may be refused. */
static int refuse_hardware(struct kt_session *session,
			   const struct branch_wish *wish, int err)
{
	bool records = wish->producer->for_events;
	const char *what =
		records ? "last branch records" : "branch trace store";
	const char *instead =
		records ? "the last branches of a thread are found by "
			  "single-stepping (pid PID events)"
			: "user branches are traced by single-stepping (by "
			  "step)";

	if (err == -ENOMEM)
		return kt_refuse(session, err, "no memory");
	if (records && err == -ENOSYS)
		return kt_refuse(session, err,
				 "this kernel cannot be asked to tell of tasks "
				 "(tracepoints)");
	if (err != -EBUSY)
		return kt_refuse(session, err,
				 "perf does not give the %s: error %d; %s",
				 what, err, instead);
	return kt_refuse(
		session, err,
		"perf does not give the %s: is a perf event "
		"with Intel PT or branches open%s? Otherwise, %s",
		what,
		records ? ", or are all counters taken by pinned ones"
			: ", or ftrace off (sysctl kernel.ftrace_enabled)",
		instead);
}

static int refuse_wish(struct kt_session *session,
		       const struct branch_wish *wish, int err)
{
	switch (err) {
	case -ESRCH:
		return kt_refuse(session, err, "there is no thread %d",
				 wish->pid);
	case -ENODEV:
		return kt_refuse(session, err, "there is no cpu %u", wish->cpu);
	case -E2BIG:
		return kt_refuse(session, err,
				 "all buffers together have at most 1 GiB: ask "
				 "for a smaller size");
	case -EINVAL:
		return kt_refuse(
			session, err,
			"thread %d is the kernel's and runs no program",
			wish->pid);
	case -EDQUOT:
		return kt_refuse(session, err,
				 "%u bytes more of locked memory are not "
				 "allowed (ulimit -l): ask for a smaller size",
				 wish->size);
	case -ENOMEM:
		return kt_refuse(session, err, "no memory");
	case -ENOSYS:
		return kt_refuse(session, err,
				 "what programs map cannot be followed on this "
				 "kernel: leave out \"mappings\"");
	case -EOPNOTSUPP:
		return kt_refuse(session, err,
				 "programs cannot be followed on a kernel that "
				 "is PREEMPT_RT");
	default:
		return kt_refuse(session, err,
				 "this kernel cannot be asked to tell of tasks "
				 "(tracepoints and kprobes): error %d",
				 err);
	}
}

/* ---- the file ------------------------------------------------------------- */

static int fop_open(struct inode *inode, struct file *file)
{
	struct asked *asked;
	int err = kt_access_open();

	if (err)
		return err;
	if (!file_ns_capable(file, &init_user_ns, CAP_SYS_PTRACE))
		return -EPERM;
	asked = kzalloc(sizeof(*asked), GFP_KERNEL_ACCOUNT);
	if (!asked)
		return -ENOMEM;
	mutex_init(&asked->lock);
	asked->unlimited = file_ns_capable(file, &init_user_ns, CAP_IPC_LOCK);
	asked->whole = file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
	file->private_data = asked;
	return 0;
}

static int fop_release(struct inode *inode, struct file *file)
{
	struct asked *asked = file->private_data;

	if (asked->context)
		branch_context_close(asked->context);
	kfree(asked);
	return 0;
}

static int ask(struct file *file, char *text)
{
	struct kt_session *session = kt_node_of(file_inode(file))->session;
	struct asked *asked = file->private_data;
	struct branch_context *context;
	struct branch_wish wish;
	bool refused;
	int err;

	mutex_lock(&kt_mutex);
	err = asked->context ? kt_refuse(session, -EBUSY,
					 "an open file is one context: open "
					 "the file again")
			     : wish_parse(session, &wish, text, asked->whole);
	if (err)
		kt_session_blame(session, file);
	mutex_unlock(&kt_mutex);
	if (err)
		return err;
	wish.unlimited = asked->unlimited;
	wish.size = wish.size ?: KT_BRANCH_SIZE_DEFAULT;
	context = branch_context_open(&wish, &refused);
	if (!IS_ERR(context)) {
		asked->context = context;
		return 0;
	}
	mutex_lock(&kt_mutex);
	err = PTR_ERR(context);
	err = refused ? refuse_hardware(session, &wish, err)
		      : refuse_wish(session, &wish, err);
	kt_session_blame(session, file);
	mutex_unlock(&kt_mutex);
	return err;
}

static ssize_t fop_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	struct asked *asked = file->private_data;
	char text[LINE_MAX + 1];
	int err;

	if (size > LINE_MAX)
		return -E2BIG;
	/* Who asks pays, with memory that he has. */
	if (!current->mm)
		return -EINVAL;
	if (copy_from_user(text, from, size))
		return -EFAULT;
	text[size] = '\0';
	mutex_lock(&asked->lock);
	err = ask(file, strim(text));
	mutex_unlock(&asked->lock);
	return err ?: size;
}

/* ---- reading -------------------------------------------------------------- */

static int producers_print(char *text, size_t size)
{
	const struct branch_producer *producer;
	unsigned int i;
	int length = 0;

	for (i = 0; (producer = branch_producer_nth(i)); i++) {
		const char *why = lacks(producer);

		length += scnprintf(
			text + length, size - length, "%s:%s%s%s%s\n",
			producer->name, why ? " no: " : "", why ?: "",
			!why && (producer->modes & BRANCH_USER) ? " user" : "",
			!why && (producer->modes & BRANCH_KERNEL) ? " kernel"
								  : "");
	}
	return length;
}

static ssize_t fop_read(struct file *file, char __user *to, size_t size,
			loff_t *pos)
{
	struct asked *asked = file->private_data;
	const struct branch_context *context;
	char text[768];
	int length = 0;

	mutex_lock(&asked->lock);
	context = asked->context;
	mutex_unlock(&asked->lock);
	if (context)
		length = scnprintf(text, sizeof(text), "by %s\n",
				   branch_context_producer(context)->name);
	length += producers_print(text + length, sizeof(text) - length);
	return simple_read_from_buffer(to, size, pos, text, length);
}

static int branches_read(struct branch_context *context, void __user *place)
{
	struct kt_branches branches;
	int err;

	if (copy_from_user(&branches, place, sizeof(branches)))
		return -EFAULT;
	err = branch_context_read(context, &branches);
	if (!err && copy_to_user(place, &branches, sizeof(branches)))
		err = -EFAULT;
	return err;
}

static int mappings_read(struct branch_context *context, void __user *place)
{
	struct kt_branch_maps maps;
	int err;

	if (copy_from_user(&maps, place, sizeof(maps)))
		return -EFAULT;
	err = branch_context_mappings(context, &maps);
	if (!err && copy_to_user(place, &maps, sizeof(maps)))
		err = -EFAULT;
	return err;
}

static long fop_ioctl(struct file *file, unsigned int command,
		      unsigned long argument)
{
	void __user *place = (void __user *)argument;
	struct asked *asked = file->private_data;
	struct branch_context *context;

	if (command != KT_READ_BRANCHES && command != KT_READ_MAPPINGS)
		return -ENOTTY;
	mutex_lock(&asked->lock);
	context = asked->context;
	mutex_unlock(&asked->lock);
	if (!context)
		return -ENODATA;
	return command == KT_READ_BRANCHES ? branches_read(context, place)
					   : mappings_read(context, place);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = fop_open,
	.release = fop_release,
	.read = fop_read,
	.write = fop_write,
	.unlocked_ioctl = fop_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---- what there is -------------------------------------------------------- */

static const struct kt_kind branches_file = {
	.name = "branches",
	.mode = S_IFREG | 0600,
	.fops = &fops,
};

static const struct kt_kind *const root_files[] = {&branches_file, NULL};

/* It has no events, so nothing is ever attached. */
static struct kt_source source = {
	.name = "branch",
	.owner = THIS_MODULE,
	.root_files = root_files,
};

static int __init branch_init(void)
{
	int err = branch_recent_init();

	if (err)
		return err;
	branch_stops_init();
	kt_source_register(&source);
	return 0;
}

static void __exit branch_exit(void)
{
	kt_source_unregister(&source);
	branch_recent_exit();
	steppers_exit();
	branch_store_exit();
}

module_init(branch_init);
module_exit(branch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ktrace: which branches programs take");
