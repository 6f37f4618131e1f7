/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Runs the kernel's print formats with libtraceevent.
 *
 * The formats come from the trace, and the library runs them without checks: a
 * division by zero, or an address or index in them, ends the process.  So this
 * runs in a jail: it gets events, and sends back the text of each, in the same
 * order.
 */
#ifndef KT_SHOW_KERNEL_KERNEL_PRINT_H
#define KT_SHOW_KERNEL_KERNEL_PRINT_H

#include <stdint.h>

/* An event; its payload follows. */
struct kernel_request {
	uint64_t time;
	uint32_t type; /* its number */
	uint32_t cpu;
	uint32_t tid;
	uint32_t size;
};

#define KERNEL_PAYLOAD_MAX 65536

/* The size of the text that follows; or the format cannot be parsed. */
#define KERNEL_UNKNOWN	UINT32_MAX
#define KERNEL_TEXT_MAX (1u << 20)

/* What the child does; its data is a struct ktrace. */
void kernel_print(int fd, volatile uint64_t *steps, void *trace);

#endif /* KT_SHOW_KERNEL_KERNEL_PRINT_H */
