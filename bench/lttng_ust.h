/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events of lttng_ust.c.  LTTng includes this file several times. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ktrace_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_ust.h"

#if !defined(KT_BENCH_LTTNG_UST_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KT_BENCH_LTTNG_UST_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
	ktrace_bench, off, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
				    lttng_ust_field_integer(uint64_t, b, b)))
LTTNG_UST_TRACEPOINT_EVENT(ktrace_bench, one, LTTNG_UST_TP_ARGS(uint64_t, a),
			   LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t,
								       a, a)))
LTTNG_UST_TRACEPOINT_EVENT(
	ktrace_bench, two, LTTNG_UST_TP_ARGS(uint64_t, a, uint64_t, b),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, a, a)
				    lttng_ust_field_integer(uint64_t, b, b)))
LTTNG_UST_TRACEPOINT_EVENT(
	ktrace_bench, string,
	LTTNG_UST_TP_ARGS(uint64_t, number, const char *, name),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, number, number)
				    lttng_ust_field_string(name, name)))

#endif

#include <lttng/tracepoint-event.h>
