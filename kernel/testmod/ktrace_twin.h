/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the module ktrace-twin.  One has the same name as one of ktrace-test's,
 * but other arguments; one may refuse its probes.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ktrace_twin

#if !defined(KT_TEST_TWIN_H) || defined(TRACE_HEADER_MULTI_READ)
#define KT_TEST_TWIN_H

#include <linux/tracepoint.h>

#ifndef KT_KERNEL_TESTMOD_KTRACE_TWIN_H
#define KT_KERNEL_TESTMOD_KTRACE_TWIN_H
int kt_twin_begin(void);
void kt_twin_end(void);
#endif

TRACE_EVENT(test_hit, TP_PROTO(const char *text), TP_ARGS(text),
	    TP_STRUCT__entry(__field(u64, length)),
	    TP_fast_assign(__entry->length = strlen(text);),
	    TP_printk("length=%llu", __entry->length));

TRACE_EVENT_FN(test_choosy, TP_PROTO(u64 number), TP_ARGS(number),
	       TP_STRUCT__entry(__field(u64, number)),
	       TP_fast_assign(__entry->number = number;),
	       TP_printk("number=%llu", __entry->number), kt_twin_begin,
	       kt_twin_end);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ktrace_twin
#include <trace/define_trace.h>
