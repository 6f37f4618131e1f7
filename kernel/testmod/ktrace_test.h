/* SPDX-License-Identifier: GPL-2.0-only */
/* The test module's tracepoints. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_test

#if !defined(KT_TEST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define KT_TEST_TRACE_H

#include <linux/tracepoint.h>

#include "compat/trace.h"

#ifndef KT_KERNEL_TESTMOD_KTRACE_TEST_H
#define KT_KERNEL_TESTMOD_KTRACE_TEST_H
enum kt_test_context {
	KT_TEST_TASK,
	KT_TEST_SOFTIRQ,
	KT_TEST_IRQ,
	KT_TEST_NMI,
	KT_TEST_CONTEXT_NR,
};
#endif

TRACE_DEFINE_ENUM(KT_TEST_TASK);
TRACE_DEFINE_ENUM(KT_TEST_SOFTIRQ);
TRACE_DEFINE_ENUM(KT_TEST_IRQ);
TRACE_DEFINE_ENUM(KT_TEST_NMI);

/* Numbered for each CPU and context, with a check of the other fields. */
TRACE_EVENT(test_hit,
	TP_PROTO(u32 context, u64 number),
	TP_ARGS(context, number),
	TP_STRUCT__entry(
		__field(u32, context)
		__field(u32, check)
		__field(u64, number)
	),
	TP_fast_assign(
		__entry->context = context;
		__entry->check = ~(context ^ (u32)number);
		__entry->number = number;
	),
	TP_printk("context=%s check=%#x number=%llu",
		  __print_symbolic(__entry->context,
				   { KT_TEST_TASK, "task" },
				   { KT_TEST_SOFTIRQ, "softirq" },
				   { KT_TEST_IRQ, "irq" },
				   { KT_TEST_NMI, "nmi" }),
		  __entry->check, __entry->number)
);

/* A string of any length, another string after it, and an array. */
TRACE_EVENT(test_string,
	TP_PROTO(u64 number, const char *text, const u16 *array, u32 length),
	TP_ARGS(number, text, array, length),
	TP_STRUCT__entry(
		__field(u64, number)
		__string(text, text)
		__string(tail, "tail")
		__dynamic_array(u16, array, length)
		__array(char, fixed, 8)
	),
	TP_fast_assign(
		__entry->number = number;
		kt_assign_str(text, text);
		kt_assign_str(tail, "tail");
		memcpy(__get_dynamic_array(array), array,
		       __get_dynamic_array_len(array));
		memcpy(__entry->fixed, "fixed\0\0", 8);
	),
	TP_printk("number=%llu text=%s tail=%s array=%s fixed=%s",
		  __entry->number, __get_str(text), __get_str(tail),
		  __print_array(__get_dynamic_array(array),
				__get_dynamic_array_len(array) / 2, 2),
		  __entry->fixed)
);

/* A gap between fields, and a string that nothing follows. */
TRACE_EVENT(test_name,
	TP_PROTO(u32 number, const char *text),
	TP_ARGS(number, text),
	TP_STRUCT__entry(
		__field(u32, number)
		__field(u8, kind)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->number = number;
		__entry->kind = 7;
		kt_assign_str(text, text);
	),
	TP_printk("number=%u kind=%u text=%s", __entry->number, __entry->kind,
		  __get_str(text))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_test
#include <trace/define_trace.h>
