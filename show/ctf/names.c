// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of events and fields as the tracer LTTng has them (lttng-modules 2.9 and later).
 *
 * Viewers know events by these names.  Trace Compass takes the events of an unknown tracer for
 * those of LTTng 2.5 and older, whose sys_exit was an entry; so the environment of a trace says
 * lttng-modules, too.  What must be an integer for it is one: it cannot read an enumeration there.
 *
 * Sources: the headers of lttng-modules (include/instrumentation/events), and of Trace Compass the
 * classes Lttng27EventLayout to Lttng29EventLayout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf.h"

#define ENTRY	  "_entry"
#define EXIT	  "_exit"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const struct prefix {
	const char *system;
	const char *from; /* a prefix of the kernel's name */
	const char *to;	  /* what is there instead */
} prefixes[] = {
	{"syscalls", "sys_enter_", "syscall_entry_"},
	{"syscalls", "sys_exit_", "syscall_exit_"},
	{"compat_syscalls", "sys_enter_", "compat_syscall_entry_"},
	{"compat_syscalls", "sys_exit_", "compat_syscall_exit_"},
	{"irq", "softirq_", "irq_softirq_"},
	{"irq", "tasklet_", "irq_tasklet_"},
	{"irq_vectors", "x86_platform_ipi_", "x86_irq_vectors_ipi_"},
	{"irq_vectors", "", "x86_irq_vectors_"},
	{"exceptions", "page_fault_", "x86_exceptions_page_fault_"},
	{"timer", "hrtimer_", "timer_hrtimer_"},
	{"timer", "itimer_", "timer_itimer_"},
	{"kmem", "kmalloc", "kmem_kmalloc"},
	{"kmem", "kfree", "kmem_kfree"},
	{"kmem", "mm_page_", "kmem_mm_page_"},
	{"power", "cpu_", "power_cpu_"},
	{"printk", "console", "printk_console"},
};

/* Viewers calculate with these. */
static const struct integer {
	const char *system;
	const char *field;
} integers[] = {
	{"irq", "vec"},
	{"irq", "irq"},
	{"irq_vectors", "vector"},
	{"sched", "prev_state"},
};

char *ctf_event_name(const struct ktrace_type *type)
{
	char *name;

	for (size_t i = 0; !type->marker && i < NR(prefixes); i++) {
		const struct prefix *p = &prefixes[i];
		size_t n = strlen(p->from);

		if (strcmp(type->system, p->system) ||
		    strncmp(type->name, p->from, n))
			continue;
		return asprintf(&name, "%s%s", p->to, type->name + n) < 0
			       ? NULL
			       : name;
	}
	return strdup(type->name);
}

bool ctf_is_integer(const struct ktrace_type *type,
		    const struct ktrace_field *field)
{
	for (size_t i = 0; !type->marker && i < NR(integers); i++)
		if (!strcmp(type->system, integers[i].system) &&
		    !strcmp(field->name, integers[i].field))
			return true;
	return false;
}

/* The end of an interrupt, whose begin has the same name but for the last word. */
bool ctf_ends_interrupt(const struct ktrace_type *type)
{
	size_t n = strlen(type->name), end = strlen(EXIT);

	return !type->marker &&
	       (!strcmp(type->system, "irq") ||
		!strcmp(type->system, "irq_vectors")) &&
	       n > end && !strcmp(type->name + n - end, EXIT);
}

/* Is the name of the length @n and a last word behind it? */
static bool is_name(const struct ktrace_type *type, const char *name, size_t n,
		    const char *last)
{
	return !strncmp(type->name, name, n) && !strcmp(type->name + n, last);
}

const struct ktrace_type *ctf_interrupt_end(const struct ktrace_types *types,
					    const struct ktrace_type *type)
{
	size_t n = strlen(type->name);

	if (ctf_ends_interrupt(type))
		n -= strlen(EXIT);
	else if (n > strlen(ENTRY) &&
		 is_name(type, type->name, n - strlen(ENTRY), ENTRY))
		n -= strlen(ENTRY);
	else
		return NULL;
	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *other = ktrace_types_get(types, i);

		if (ctf_ends_interrupt(other) &&
		    !strcmp(other->system, type->system) &&
		    is_name(other, type->name, n, EXIT))
			return other;
	}
	return NULL;
}
