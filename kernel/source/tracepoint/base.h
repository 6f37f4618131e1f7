/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every family begins with: types that trace headers expect from the file that
 * includes them, and functions that the probes call.
 */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_BASE_H
#define KT_KERNEL_SOURCE_TRACEPOINT_BASE_H

/* Prototypes and type checks of the tracepoints, without their code. */
#define NOTRACE

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>

#include "base/memory.h"
#include "family.h"
#include "narrow.h"

/* Shown for a NULL string; a few trace headers use it themselves. */
#ifndef EVENT_NULL_STR
#define EVENT_NULL_STR "(null)"
#endif

/*
 * Source and length of a string are determined only once.  So no more is copied than was
 * reserved, even if other CPUs change the string meanwhile.
 */
static __always_inline const char *kt_string(const char *s)
{
	return s ?: EVENT_NULL_STR;
}

/*
 * Limits a length that is too long for a record, so that sums cannot wrap.  The ring
 * refuses the record and counts the loss.
 */
static __always_inline u32 kt_data_length(size_t length)
{
	return min_t(size_t, length, KT_PACKET_SIZE);
}

/* Zeroes bytes @begin to @end, which are both constants. */
static __always_inline void kt_zero(void *entry, u32 begin, u32 end)
{
	if (begin < end)
		memset((u8 *)entry + begin, 0, end - begin);
}

/* Stores @length bytes in all: as much of @s as fits, and at least one NUL. */
static __always_inline void kt_string_store(char *to, u32 length, const char *s)
{
	if (!length)
		return;
	kt_string_copy(to, s, length - 1);
	to[length - 1] = '\0';
}

/*
 * Before 6.10 __assign_str() names the source a second time.  It is nearly always the same
 * string; if not, it may be shorter than what was reserved.
 */
static __always_inline void kt_string_store_again(char *to, u32 length,
						  const char *reserved,
						  const char *s)
{
	if (likely(s == reserved || kt_string(s) == reserved))
		kt_string_store(to, length, reserved);
	else if (length)
		strscpy_pad(to, kt_string(s), length);
}

/* The limit of ftrace for a formatted string (TRACE_EVENT_STR_MAX). */
#define KT_FORMATTED_MAX 512

static inline __printf(1, 0) u32
	kt_formatted_length(const char *format, va_list *args)
{
	va_list copy;
	int length;

	va_copy(copy, *args);
	length = vsnprintf(NULL, 0, format, copy) + 1;
	va_end(copy);
	return clamp(length, 1, KT_FORMATTED_MAX);
}

static inline __printf(3, 0) void kt_formatted_store(char *to, u32 length,
						     const char *format,
						     va_list *args)
{
	va_list copy;

	va_copy(copy, *args);
	vsnprintf(to, length, format, copy);
	va_end(copy);
}

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_BASE_H */
