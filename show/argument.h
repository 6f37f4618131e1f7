/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The fields of an event one by one, each with its value as text: for outputs that have a name and
 * a value where others have a line.  Values are decoded as in lines; those of system calls as
 * strace shows them.
 */
#ifndef KT_SHOW_ARGUMENT_H
#define KT_SHOW_ARGUMENT_H

#include <ktrace/trace.h>

#include "program.h"

struct argument {
	const char *name; /* of the field: untrusted */
	const char *text; /* escaped for people; no NUL at its end */
	size_t size;
	bool is_number; /* then it is @number, and nothing else */
	int64_t number;
};

/* All zero, then arguments_init(). */
struct arguments {
	struct ktrace *trace;
	struct programs programs;
	struct output output; /* of the programs */
	char *text;
	size_t size, room;
	struct argument *list;
	uint32_t nr, room_nr;
};

/* 0 or -ENOMEM, as all of them. */
int arguments_init(struct arguments *arguments, struct ktrace *trace);
void arguments_destroy(struct arguments *arguments);

/* Takes the event's fields, and who called if it was recorded with that. */
int arguments_event(struct arguments *arguments,
		    const struct ktrace_event *event);

struct call_view;

/*
 * Those of a system call that are known when it begins.  *@call is what its end needs; NULL: the
 * event is none of a call, so its fields are taken.
 */
int arguments_begin(struct arguments *arguments,
		    const struct ktrace_event *event, struct call_view **call);
/* The other ones, and its result.  @call: NULL: the event's fields. */
int arguments_end(struct arguments *arguments, const struct ktrace_event *event,
		  struct call_view *call);
void arguments_call_free(struct call_view *call);

#endif /* KT_SHOW_ARGUMENT_H */
