/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The rules of spans, as a table: which events begin and end a span, and what
 * must be equal to pair them.  A new kind of span is a new row in the table.
 */
#ifndef KT_LIB_READ_SPAN_RULE_H
#define KT_LIB_READ_SPAN_RULE_H

#include <ktrace/span.h>

/* Spans of an owner nest within a lane; those of two lanes may overlap. */
enum span_lane {
	LANE_CALL,
	LANE_RAW_CALL,
	LANE_INTERRUPT,
	LANE_RUN,
	LANE_REQUEST,
	LANE_MARKER,
	LANE_FUNCTION,
};

#define SPAN_KEYS 2

struct span_rule {
	enum ktrace_span_kind kind;
	enum ktrace_span_owner owner;
	enum span_lane lane;
	bool single; /* at most one is open in the lane */
	bool voids;  /* the end cancels the span */
	bool again; /* a begin within a span with the same keys says nothing new */
	bool variants; /* only variants of a type, and no other row for them */
	const char *system;	/* "*": any system */
	const char *end_system; /* NULL: the same */
	/* NULL: none.  `*' stands for any text, the same in both names. */
	const char *begin;
	const char *end;
	/* Fields that must have the same values in both events. */
	const char *begin_keys[SPAN_KEYS];
	const char *end_keys[SPAN_KEYS];
	const char *name; /* a field of the begin; NULL: the text of `*' */
	/* Not NULL: the end tells the begin, too; a field with the nanoseconds between. */
	const char *took;
};

/* What the events of a type are for spans.  All zero: not looked up yet. */
struct span_role {
	const struct ktrace_type *type;
	const struct span_rule *begin; /* NULL: it begins no span */
	const struct span_rule *end;
	bool exits;	  /* the thread ends with this event */
	const char *text; /* what `*' stands for, @text_size bytes; or NULL */
	uint32_t text_size;
	const struct ktrace_field *begin_keys[SPAN_KEYS];
	const struct ktrace_field *end_keys[SPAN_KEYS];
	const struct ktrace_field *name;
	const struct ktrace_field *took;
	const struct ktrace_field *result; /* of a frame's end; NULL: none */
	uint8_t part; /* of calls, if there is a scope: enum ktrace_span_part */
};

/* Are they frames (<ktrace/span.h>)? */
static inline bool span_kind_is_frame(enum ktrace_span_kind kind)
{
	return kind == KTRACE_SPAN_SYSCALL || kind == KTRACE_SPAN_IRQ ||
	       kind == KTRACE_SPAN_SOFTIRQ || kind == KTRACE_SPAN_FUNCTION;
}

/* Looks the type up in the table of rules. */
void span_role_find(struct span_role *role, const struct ktrace_type *type);

/* Can a begin and an end with these texts belong to one span? */
bool span_text_same(enum span_lane lane, const struct span_role *begin,
		    const struct span_role *end);
/* Is it one of the calls that replace a process's program? */
bool span_role_is_exec(const struct span_role *role);

#endif /* KT_LIB_READ_SPAN_RULE_H */
