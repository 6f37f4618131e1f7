/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the processor records of branches, which perf owns.
 *
 * It is used while a context wants it, on each CPU that is online.  All that is said to the processor goes
 * through its driver: perf's, or that of a test which plays the processor, because emulators have none of it.
 */
#ifndef KT_KERNEL_SOURCE_BRANCH_HARDWARE_H
#define KT_KERNEL_SOURCE_BRANCH_HARDWARE_H

#include <linux/cpuhotplug.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct module;
struct perf_event;
struct perf_event_attr;

/* What each driver begins with. */
struct branch_driver {
	struct module *owner;
	/* Why there is none; NULL: there is.  May sleep. */
	const char *(*lacks)(void);
	/* Around all begin() and end(); may sleep.  Both may be NULL. */
	int (*open)(void);
	void (*close)(void);
	/* Called on this CPU, one that is online; may sleep.  At first nothing is recorded. */
	int (*begin)(unsigned int cpu);
	void (*end)(unsigned int cpu);
};

struct branch_hardware {
	/* Set once. */
	const char *name; /* "ktrace/NAME:online" */
	const struct branch_driver *perf;
	/* As of cpuhp_setup_state(). */
	int (*cpu_begins)(unsigned int cpu);
	int (*cpu_ends)(unsigned int cpu);
	/* What else it needs, before the CPUs begin and when they have ended. */
	int (*attach)(void);
	void (*detach)(void);

	/* hardware.c */
	struct mutex mutex; /* begin and end */
	unsigned int users;
	bool is_on; /* all CPUs have begun, and none has been told to end */
	/* Changed under both while there are no users; the second one is the innermost. */
	const struct branch_driver *driver;
	struct mutex driver_mutex;
	enum cpuhp_state state;
	int begin_error; /* of a CPU */
};

#define BRANCH_HARDWARE_INIT(var, perfs)           \
	.perf = (perfs), .driver = (perfs),        \
	.mutex = __MUTEX_INITIALIZER((var).mutex), \
	.driver_mutex = __MUTEX_INITIALIZER((var).driver_mutex)

/* As lacks(), begin() and end() of a producer (producer.h). */
const char *branch_hardware_lacks(struct branch_hardware *hardware);
int branch_hardware_begin(struct branch_hardware *hardware);
void branch_hardware_end(struct branch_hardware *hardware);

/* In cpu_begins(): this CPU does without.  Who begins is refused with the error. */
void branch_hardware_fails(struct branch_hardware *hardware, unsigned int cpu,
			   int err);

/* NULL: perf's driver again.  -EBUSY: it is used.  May sleep. */
int branch_hardware_play(struct branch_hardware *hardware,
			 const struct branch_driver *driver);

/*
 * Of perf's drivers: @event, which was made with .pinned and .disabled, begins on the CPU on which it is.
 * -EBUSY: another pinned one has what it wants.
 */
int branch_event_enable(struct perf_event *event);

#endif /* KT_KERNEL_SOURCE_BRANCH_HARDWARE_H */
