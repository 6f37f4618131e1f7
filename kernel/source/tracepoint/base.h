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
	if (unlikely(!s)) {
		s = EVENT_NULL_STR;
		/* Else the compiler chooses without a jump, which costs all others more. */
		OPTIMIZER_HIDE_VAR(s);
	}
	return s;
}

/*
 * Limits a length that is too long for a record, so that sums cannot wrap.  The ring
 * refuses the record and counts the loss.
 */
static __always_inline size_t kt_data_length(size_t length)
{
	return min_t(size_t, length, KT_PACKET_SIZE);
}

/* Zeroes the units that have bytes @begin to @end, which are both constants. */
static __always_inline void kt_zero(void *entry, u32 begin, u32 end)
{
	u32 *unit;

	if (begin >= end)
		return;
	for (unit = entry + round_down(begin, KT_UNIT);
	     (void *)unit < entry + end; unit++)
		*unit = 0;
}

/* Stores @length bytes in all: as much of @s as fits, and at least one NUL. */
static __always_inline void kt_string_store(char *to, size_t length,
					    const char *s)
{
	if (!length)
		return;
	kt_string_copy(to, s, length - 1);
	to[length - 1] = '\0';
}

/*
 * Where data of varying size goes, and where it comes from.  @tail (of kt_string_measure()) is
 * there only if the data is a string that was measured.  So the size of a class's sources
 * tells at compile time whether it has nothing else.
 */
#define KT_SOURCE(has_tail)                                       \
	struct {                                                  \
		u32 at;	       /* in the payload */               \
		size_t length; /* with a tail: without the NUL */ \
		const char *source;                               \
		u64 tail[has_tail];                               \
	}
#define KT_HAS_TAIL(item) (sizeof(item) == sizeof(KT_SOURCE(1)))
#define KT_BYTES(item)	  ((item).length + KT_HAS_TAIL(item))
/* As tracefs describes it. */
#define KT_DATA_LOC(item) ((item).at | (u32)KT_BYTES(item) << 16)

/*
 * Before 6.10 __assign_str() names the source a second time (@s).  It is nearly always the
 * same string; if not, it may be shorter than what was reserved.  @lone: a constant.  The
 * string ends the payload and begins at a unit, so the rest of its last unit can be stored
 * with it.
 */
#define kt_string_store_again(entry, item, s, lone)                           \
	do {                                                                  \
		char *__to = (char *)(entry) + (item).at;                     \
		const char *__s = (s);                                        \
                                                                              \
		if (unlikely(__s != (item).source &&                          \
			     kt_string(__s) != (item).source))                \
			kt_string_store_other(__to, kt_string(__s),           \
					      KT_BYTES(item));                \
		else if (lone)                                                \
			kt_string_store_whole(__to, (item).source,            \
					      (item).length, (item).tail[0]); \
		else                                                          \
			kt_string_store(__to, KT_BYTES(item), (item).source); \
	} while (0)

static inline void kt_string_store_other(char *to, const char *s, size_t length)
{
	if (length)
		strscpy_pad(to, s, length);
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
