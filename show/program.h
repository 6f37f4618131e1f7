/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How the fields of an event become text.
 *
 * The description of a type is compiled once, into a program: an array of small
 * steps, one per field, each with the text that goes in front of the value.
 * Running it is one switch per field.  There are these styles:
 *
 *	PROGRAM_TEXT	sched:sched_switch: prev_comm=dbench prev_pid=812
 *	PROGRAM_JSON	"event":"sched:sched_switch","fields":{"prev_comm":"dbench",…
 *	PROGRAM_CALL	vfs_read(file=0xffff888000000000, count=4096
 *	PROGRAM_VALUES	0xffff888000000000, 4096
 *	PROGRAM_PARTS	the same, with the character 1 in front of each value, for programs
 *
 * Fixed fields are read without a check, because the reader has checked that a
 * payload is at least as large as its type's fixed part, and that the fields
 * lie in it.
 */
#ifndef KT_SHOW_PROGRAM_H
#define KT_SHOW_PROGRAM_H

#include <ktrace/trace.h>

#include "output.h"

struct program;

enum program_style {
	PROGRAM_TEXT,
	PROGRAM_JSON,
	PROGRAM_CALL,
	PROGRAM_VALUES,
	PROGRAM_PARTS,
};

struct programs {
	struct ktrace *trace;
	enum program_style style;
	/* Which fields are written; set before the first event.  NULL: all. */
	bool (*wants)(const struct ktrace_type *type,
		      const struct ktrace_field *field);
	/* Of text, likewise: without the name of the event, without fields, with these only. */
	bool no_name, no_fields;
	bool colors;		 /* of text: around the name of the event */
	const char *const *only; /* NULL: all fields */
	struct program **by_number;
	uint32_t nr;
};

void programs_init(struct programs *programs, struct ktrace *trace,
		   enum program_style style);
void programs_destroy(struct programs *programs);

/* Does PROGRAM_PARTS write a part for the field? */
bool program_has_part(const struct ktrace_type *type,
		      const struct ktrace_field *field);

/* Does programs_run() write anything for events of this type?  Returns 1, 0, or -ENOMEM. */
int programs_write(struct programs *programs, const struct ktrace_type *type);
/* Writes the event in the programs' style.  The caller closes what the style opens. */
int programs_run(struct programs *programs, struct output *output,
		 const struct ktrace_event *event);

/* For text: adds quotes if the end would not be clear without them. */
/* Always with quotes. */
void text_quoted(struct output *output, const uint8_t *s, size_t n);
void text_string(struct output *output, const uint8_t *s, size_t n);
/* For JSON: a string with its quotes. */
void json_string(struct output *output, const uint8_t *s, size_t n);

#endif /* KT_SHOW_PROGRAM_H */
