// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Merged stacks for pprof, as a message Profile of protocol buffers; the numbers of fields are
 * those of https://github.com/google/pprof/blob/main/proto/profile.proto. pprof reads it with and
 * without compression.
 *
 * A function has one location, whose address nobody needs: names are known already. A sample is a
 * stack, innermost frame first, with the number of events that had it, and, if something else was
 * asked for, what these weigh. As in the other outputs of stacks, the outermost frame is the program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merged.h"
#include "message.h"

/* Profile */
#define SAMPLE_TYPE	    1
#define SAMPLE		    2
#define LOCATION	    4
#define FUNCTION	    5
#define STRING_TABLE	    6
#define COMMENT		    13
#define DEFAULT_SAMPLE_TYPE 14
/* ValueType */
#define VALUE_TYPE 1
#define VALUE_UNIT 2
/* Sample */
#define SAMPLE_LOCATION 1
#define SAMPLE_VALUE	2
/* Location, Line, Function */
#define LOCATION_ID   1
#define LOCATION_LINE 4
#define LINE_FUNCTION 1
#define FUNCTION_ID   1
#define FUNCTION_NAME 2

/* Texts by their place in the table; those of functions follow. */
enum text {
	TEXT_NONE,
	TEXT_EVENTS,
	TEXT_COUNT,
	TEXT_WEIGHT,
	TEXT_UNIT,
	TEXT_COMMAND,
	TEXT_NAMES,
};

struct pprof {
	struct output *output;
	struct message message;
};

/* A file may be larger than what fits memory, so each field of the profile is written at once. */
static void field_write(struct pprof *p)
{
	if (p->message.failed)
		p->output->err = -ENOMEM;
	else
		output_add(p->output, (const char *)p->message.bytes,
			   p->message.size);
	p->message.size = 0;
}

static void text_put(struct pprof *p, const char *text)
{
	message_text(&p->message, STRING_TABLE, text, strlen(text));
	field_write(p);
}

static void type_put(struct pprof *p, enum text type, enum text unit)
{
	size_t begin = message_begin(&p->message, SAMPLE_TYPE);

	message_uint(&p->message, VALUE_TYPE, type);
	message_uint(&p->message, VALUE_UNIT, unit);
	message_end(&p->message, begin);
	field_write(p);
}

/* Numbers of locations and functions begin with 1. */
static void function_put(struct pprof *p, uint32_t name)
{
	struct message *m = &p->message;
	size_t begin = message_begin(m, FUNCTION), line;

	message_uint(m, FUNCTION_ID, name + 1);
	message_uint(m, FUNCTION_NAME, TEXT_NAMES + name);
	message_end(m, begin);
	begin = message_begin(m, LOCATION);
	message_uint(m, LOCATION_ID, name + 1);
	line = message_begin(m, LOCATION_LINE);
	message_uint(m, LINE_FUNCTION, name + 1);
	message_end(m, line);
	message_end(m, begin);
	field_write(p);
}

/* Values are signed. */
static uint64_t value_of(uint64_t value)
{
	return value < INT64_MAX ? value : INT64_MAX;
}

static void sample_put(struct pprof *p, const struct fold *fold, bool weighs)
{
	struct message *m = &p->message;
	size_t begin = message_begin(m, SAMPLE);

	for (uint32_t i = fold->nr; i--;)
		message_uint(m, SAMPLE_LOCATION, fold_frame(fold, i) + 1);
	message_uint(m, SAMPLE_VALUE, value_of(fold->events));
	if (weighs)
		message_uint(m, SAMPLE_VALUE, value_of(fold->weight));
	message_end(m, begin);
	field_write(p);
}

static void head_put(struct pprof *p, const struct merged *merged, bool weighs)
{
	const struct ktrace_info *info = ktrace_get_info(merged->show.trace);
	const char *weight = folds_unit(&merged->folds);

	text_put(p, "");
	text_put(p, "events");
	text_put(p, "count");
	text_put(p, strcmp(weight, "ns") != 0 ? weight : "time");
	text_put(p, strcmp(weight, "ns") != 0 ? "count" : "nanoseconds");
	text_put(p, info->command ?: "ktrace");
	type_put(p, TEXT_EVENTS, TEXT_COUNT);
	if (weighs)
		type_put(p, TEXT_WEIGHT, TEXT_UNIT);
	message_uint(&p->message, COMMENT, TEXT_COMMAND);
	message_uint(&p->message, DEFAULT_SAMPLE_TYPE,
		     weighs ? TEXT_WEIGHT : TEXT_EVENTS);
	field_write(p);
}

static void pprof_put(struct merged *merged, struct fold *const *folds,
		      size_t nr)
{
	const struct fold_paths *paths = &merged->folds.paths;
	struct pprof p = {.output = &merged->output};
	bool weighs = merged->show.merged.weight != KTRACE_WEIGHT_EVENTS;

	head_put(&p, merged, weighs);
	for (uint32_t i = 0; i < paths->nr_names && !p.output->err; i++) {
		text_put(&p, paths->name[i]);
		function_put(&p, i);
	}
	for (size_t i = 0; i < nr && !p.output->err; i++)
		sample_put(&p, folds[i], weighs);
	free(p.message.bytes);
}

static int pprof_finish(struct ktrace_output *show)
{
	return merged_finish(show, fold_compare_weight, pprof_put);
}

const struct show_ops show_pprof = {
	.kind.name = "pprof",
	.kind.what = "stacks, as folded has them, for pprof",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct merged),
	.open = merged_open,
	.event = merged_event,
	.loss = merged_loss,
	.hidden = merged_hidden,
	.hidden_loss = merged_loss,
	.finish = pprof_finish,
	.pause = merged_pause,
	.release = merged_release,
};
