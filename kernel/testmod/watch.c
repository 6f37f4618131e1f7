// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes on other modules' markers.  For tests only; never installed.
 *
 *	insmod ktrace-watch.ko pattern='ktrace_client*:hit'
 *
 * counts the hits of markers that match the pattern.  Its parameters:
 *
 *	hits	the count
 *	last	the last hit in a task: NAME KIND:SIZE=VALUE ...
 *	second	1 registers a second probe, 0 unregisters it
 *	seconds	the count of the second probe
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include <ktrace/marker_probe.h>

static char *pattern = "*";
module_param(pattern, charp, 0400);

static DEFINE_PER_CPU(u64, hits);
static DEFINE_PER_CPU(u64, seconds);
static DEFINE_MUTEX(lock); /* protects second_on */
static bool second_on;

#define LAST_SIZE 200
static char last[LAST_SIZE];

static void last_note(const struct ktrace_marker *marker, const u64 *values)
{
	const struct ktrace_argument *argument = marker->arguments;
	char text[LAST_SIZE] = "";
	int used = scnprintf(text, sizeof(text), "%s", marker->name);

	for (; argument->kind; argument++, values++) {
		used += scnprintf(text + used, sizeof(text) - used,
				  " %u:%u=", argument->kind, argument->size);
		if (argument->kind == KTRACE_ARG_STRING)
			used += scnprintf(text + used, sizeof(text) - used,
					  "%.20s",
					  (const char *)(uintptr_t)*values);
		else if (argument->kind == KTRACE_ARG_BYTES)
			used += scnprintf(text + used, sizeof(text) - used,
					  "%*phN", (int)argument->size,
					  (const void *)(uintptr_t)*values);
		else
			used += scnprintf(text + used, sizeof(text) - used,
					  "%lld", *values);
	}
	memcpy(last, text, sizeof(last));
}

static void first_hit(struct ktrace_marker_probe *probe,
		      const struct ktrace_marker *marker, const u64 *values)
{
	this_cpu_inc(hits);
	if (probe->data && in_task())
		last_note(marker, values);
}

static void second_hit(struct ktrace_marker_probe *probe,
		       const struct ktrace_marker *marker, const u64 *values)
{
	this_cpu_inc(seconds);
}

static struct ktrace_marker_probe first = {.hit = first_hit, .data = last};
static struct ktrace_marker_probe second = {.hit = second_hit};

static int second_set(const char *value, const struct kernel_param *param)
{
	bool on;
	int err = kstrtobool(value, &on);

	if (err)
		return err;
	mutex_lock(&lock);
	if (on && !second_on)
		err = ktrace_marker_probe_register(&second);
	else if (!on && second_on)
		ktrace_marker_probe_unregister(&second);
	if (!err)
		second_on = on;
	mutex_unlock(&lock);
	return err;
}

static const struct kernel_param_ops second_ops = {.set = second_set};
module_param_cb(second, &second_ops, NULL, 0200);

static int count_get(char *to, u64 __percpu *counts)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += *per_cpu_ptr(counts, cpu);
	return sysfs_emit(to, "%llu\n", sum);
}

static int hits_get(char *to, const struct kernel_param *param)
{
	return count_get(to, &hits);
}

static int seconds_get(char *to, const struct kernel_param *param)
{
	return count_get(to, &seconds);
}

static int last_get(char *to, const struct kernel_param *param)
{
	return sysfs_emit(to, "%s\n", last);
}

static const struct kernel_param_ops hits_ops = {.get = hits_get};
module_param_cb(hits, &hits_ops, NULL, 0400);
static const struct kernel_param_ops seconds_ops = {.get = seconds_get};
module_param_cb(seconds, &seconds_ops, NULL, 0400);
static const struct kernel_param_ops last_ops = {.get = last_get};
module_param_cb(last, &last_ops, NULL, 0400);

/* For the storm test, which does not read `last'. */
static bool quiet;
module_param(quiet, bool, 0400);

static int __init watch_init(void)
{
	int err;

	first.pattern = second.pattern = pattern;
	if (quiet)
		first.data = NULL;
	err = ktrace_marker_probe_register(&first);
	/* A mistake that a caller might make. */
	if (!err && ktrace_marker_probe_register(&first) != -EBUSY)
		pr_warn("ktrace-watch: a probe was registered twice\n");
	return err;
}

static void __exit watch_exit(void)
{
	ktrace_marker_probe_unregister(&first);
	if (second_on)
		ktrace_marker_probe_unregister(&second);
	/* Unregistering it twice must do no harm. */
	ktrace_marker_probe_unregister(&second);
}

module_init(watch_init);
module_exit(watch_exit);
MODULE_DESCRIPTION("Probes on markers, for tests");
MODULE_LICENSE("GPL");
