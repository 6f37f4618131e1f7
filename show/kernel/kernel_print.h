/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel's print formats, run by libtraceevent.
 *
 * They come from the trace, and that library runs them as they are: a division by
 * zero, an address or an index of theirs ends the process.  So this runs in a jail:
 * it is sent events and sends back what it made of each, in the same order.
 */
#ifndef KT_SHOW_KERNEL_KERNEL_PRINT_H
#define KT_SHOW_KERNEL_KERNEL_PRINT_H

#include <stdint.h>

/* An event, with its payload behind it. */
struct kernel_request {
	uint64_t time;
	uint32_t type;
	uint32_t cpu;
	uint32_t tid;
	uint32_t size;
};

#define KERNEL_PAYLOAD_MAX 65536

/* Text of so many bytes follows; or the format is not understood. */
#define KERNEL_UNKNOWN	UINT32_MAX
#define KERNEL_TEXT_MAX (1u << 20)

/* The life of a child, whose data is its struct ktrace. */
void kernel_print(int fd, volatile uint64_t *steps, void *trace);

#endif /* KT_SHOW_KERNEL_KERNEL_PRINT_H */
