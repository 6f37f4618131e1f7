/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Calls of functions that no kernel made, and what the output "graph" makes of them. */
#ifndef KT_TESTS_TRACE_CALLS_H
#define KT_TESTS_TRACE_CALLS_H

#include <ktrace/output.h>

#include "maker.h"
#include "scratch.h"
#include "shown.h"

#define US 2500 /* clock ticks */
/* What stands for function:entry and function:exit: records of any size. */
#define ENTRY MAKER_EXEC
#define EXIT  MAKER_NET
#define IRQ   MAKER_BLOCK

enum { OUTER, LEAF, POINTER, NAMED };

static struct maker *maker;
static uint64_t clock_now;

static inline void functions_define(void)
{
	static const char *const names[] = {"outer", "leaf", "pointer",
					    "strange\x1b[1m"};
	const struct ktrace_field argument = {
		.name = "count",
		.ctype = "size_t",
		.offset = 8,
		.size = 8,
		.kind = KTRACE_UINT,
	};
	struct ktrace_field result = {
		.name = "ret",
		.ctype = "long",
		.offset = 4,
		.size = 8,
		.kind = KTRACE_INT,
	};

	for (uint32_t i = 0; i < 4; i++) {
		CHECK_EQ(maker_variant(maker, ENTRY, i, "function", names[i],
				       &argument),
			 0);
		result.kind = i == POINTER ? KTRACE_POINTER : KTRACE_INT;
		result.base = i == POINTER ? KTRACE_HEX : KTRACE_DEC;
		CHECK_EQ(maker_variant(maker, EXIT, i, "return", names[i],
				       &result),
			 0);
	}
}

static inline void begin(uint32_t cpus)
{
	scratch_make();
	maker = maker_create(directory, cpus, 4, false, 9);
	CHECK(maker);
	clock_now = 5000000000000ull;
	functions_define();
}

static inline bool call(uint32_t cpu, uint32_t function, uint64_t count)
{
	const struct {
		uint32_t index, pad;
		uint64_t count;
	} payload = {.index = function, .count = count};

	maker_time(maker, clock_now += US);
	return maker_event(maker, cpu, ENTRY, &payload, sizeof(payload));
}

static inline bool back(uint32_t cpu, uint32_t function, int64_t result)
{
	struct {
		uint32_t index;
		int64_t result;
		uint8_t more[16];
	} __attribute__((packed)) payload = {function, result, {0}};

	maker_time(maker, clock_now += US);
	return maker_event(maker, cpu, EXIT, &payload, sizeof(payload));
}

/* Events of interrupts, as the kernel has them. */
enum irq { HARD_ENTRY, HARD_EXIT, SOFT_ENTRY, SOFT_EXIT };

static inline void interrupts_define(void)
{
	static const char *const names[] = {"irq_handler_entry",
					    "irq_handler_exit", "softirq_entry",
					    "softirq_exit"};
	struct ktrace_field key = {
		.ctype = "int",
		.offset = 4,
		.size = 4,
		.kind = KTRACE_INT,
	};

	for (uint32_t i = 0; i < 4; i++) {
		key.name = i < SOFT_ENTRY ? "irq" : "vec";
		CHECK_EQ(maker_variant(maker, IRQ, i, "irq", names[i], &key),
			 0);
	}
}

static inline bool interrupt(uint32_t cpu, enum irq what)
{
	const uint32_t payload[32] = {what, what < SOFT_ENTRY ? 24 : 3};

	maker_time(maker, clock_now += US);
	return maker_event(maker, cpu, IRQ, payload, sizeof(payload));
}

/* With these options (NULL: none); the caller frees it. */
static inline char *shown_as(const struct ktrace_output_graph *graph)
{
	struct ktrace_output_options options = {.graph = graph};
	struct ktrace *trace;
	char *text;

	CHECK_EQ(maker_finish(maker, false), 0);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	text = shown_with(trace, "graph", options, NULL);
	CHECK_STR(ktrace_warning(trace, 0) ?: "", "");
	ktrace_close(trace);
	return text;
}

#endif /* KT_TESTS_TRACE_CALLS_H */
