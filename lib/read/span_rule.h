/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which events begin and end a span, and what pairs them: a table.  Whoever wants a
 * new kind of span adds a line there.
 */
#ifndef KT_LIB_READ_SPAN_RULE_H
#define KT_LIB_READ_SPAN_RULE_H

#include <ktrace/span.h>

/* An owner's spans of one lane nest in each other; those of two need not. */
enum span_lane {
	LANE_CALL,
	LANE_RAW_CALL,
	LANE_INTERRUPT,
	LANE_RUN,
	LANE_REQUEST,
	LANE_MARKER,
};

#define SPAN_KEYS 2

struct span_rule {
	enum ktrace_span_kind kind;
	enum ktrace_span_owner owner;
	enum span_lane lane;
	bool single;	    /* at most one is open in the lane */
	bool voids;	    /* the end says that it was in vain */
	const char *system; /* "*": any */
	/* NULL: none.  A `*' stands for some text, which must be the same in both. */
	const char *begin;
	const char *end;
	/* Fields of both events whose values must be the same. */
	const char *begin_keys[SPAN_KEYS];
	const char *end_keys[SPAN_KEYS];
	const char *name; /* a field of the begin; NULL: the text of the `*' */
};

/* A type of events, and what it is for spans.  Zero: not looked at. */
struct span_role {
	const struct ktrace_type *type;
	const struct span_rule *begin; /* NULL: it begins none */
	const struct span_rule *end;
	bool exits;	  /* the thread ends with it */
	const char *text; /* that a `*' stands for, @text_size bytes; or NULL */
	uint32_t text_size;
	const struct ktrace_field *begin_keys[SPAN_KEYS];
	const struct ktrace_field *end_keys[SPAN_KEYS];
	const struct ktrace_field *name;
};

/* Looks the type up in the table. */
void span_role_find(struct span_role *role, const struct ktrace_type *type);

/* Do the texts of a begin and an end belong to one span? */
bool span_text_same(enum span_lane lane, const struct span_role *begin,
		    const struct span_role *end);
/* One of the calls that replace a process's program? */
bool span_role_is_exec(const struct span_role *role);

#endif /* KT_LIB_READ_SPAN_RULE_H */
