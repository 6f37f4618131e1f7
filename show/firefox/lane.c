// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lane.h"
#include "program.h"

/* What a thread takes at least in the file: the names of its tables. */
#define LANE_TEXT 1000

/* A text of a thread, or a frame below a stack. */
struct known {
	const uint32_t *of; /* which: lane->texts or lane->stacks */
	uint32_t number;
	uint32_t prefix;
	size_t size;
	char text[];
};

/* ---- columns -------------------------------------------------------------- */

static void column_add(struct lanes *lanes, struct column *c, const char *text,
		       size_t size)
{
	if (c->room - c->size < size) {
		size_t room = c->size * 2 + size + 32;
		char *more = realloc(c->text, room);

		if (!more) {
			lanes->failed = true;
			return;
		}
		c->text = more;
		c->room = room;
	}
	memcpy(c->text + c->size, text, size);
	c->size += size;
}

void lane_add(struct lanes *lanes, struct lane *lane, enum lane_column column,
	      const char *text, size_t size)
{
	struct column *c = &lane->columns[column];

	if (c->nr++)
		column_add(lanes, c, ",", 1);
	column_add(lanes, c, text, size);
	lanes->size += size + 1;
}

void lane_print(struct lanes *lanes, struct lane *lane, enum lane_column column,
		const char *format, ...)
{
	char text[64];
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	lane_add(lanes, lane, column, text, n);
}

void lane_time(struct lanes *lanes, struct lane *lane, enum lane_column column,
	       uint64_t ns)
{
	lane_print(lanes, lane, column, "%" PRIu64 ".%06u", ns / 1000000,
		   (unsigned int)(ns % 1000000));
}

void lanes_samples_clear(struct lanes *lanes)
{
	static const enum lane_column columns[] = {SAMPLE_STACK, SAMPLE_TIME,
						   SAMPLE_WEIGHT, SAMPLE_CPU};

	for (struct lane *lane = lanes->first; lane; lane = lane->next) {
		lane->last = 0;
		for (size_t i = 0; i < sizeof(columns) / sizeof(*columns);
		     i++) {
			struct column *column = &lane->columns[columns[i]];

			lanes->size -= column->size;
			free(column->text);
			*column = (struct column){0};
		}
	}
}

void lanes_text_add(struct lanes *lanes, const char *text, size_t size)
{
	column_add(lanes, &lanes->text, text, size);
}

static int scratch_write(void *data, const char *text, size_t size)
{
	struct lanes *lanes = data;

	lanes_text_add(lanes, text, size);
	return lanes->failed ? -ENOMEM : 0;
}

/* ---- what is known by a number -------------------------------------------- */

static const struct known *known_find(const struct lanes *lanes,
				      const uint32_t *of, uint64_t hash,
				      const char *text, size_t size,
				      uint32_t prefix)
{
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&lanes->known, hash, slot))) {
		const struct known *known = slot->value;

		if (known->of == of && known->prefix == prefix &&
		    known->size == size && !memcmp(known->text, text, size))
			return known;
	}
	return NULL;
}

/* *@fresh: it was not known; its number is the next one. */
static uint32_t known_get(struct lanes *lanes, uint32_t *of, const char *text,
			  size_t size, uint32_t prefix, bool *fresh)
{
	uint64_t hash = table_mix(table_hash_secret(text, size, lanes->factor),
				  prefix ^ (uintptr_t)of, lanes->factor);
	const struct known *old =
		known_find(lanes, of, hash, text, size, prefix);
	struct known *known;

	*fresh = !old;
	if (old)
		return old->number;
	known = malloc(sizeof(*known) + size);
	if (!known || table_add(&lanes->known, hash, known)) {
		free(known);
		lanes->failed = true;
		return 0;
	}
	known->of = of;
	known->number = (*of)++;
	known->prefix = prefix;
	known->size = size;
	memcpy(known->text, text, size);
	lanes->size += sizeof(*known) + size;
	return known->number;
}

uint32_t lane_text(struct lanes *lanes, struct lane *lane, const char *text,
		   size_t size)
{
	bool fresh;
	uint32_t number = known_get(lanes, &lane->texts, text, size, 0, &fresh);

	if (!fresh || lanes->failed)
		return number;
	output_flush(&lanes->scratch);
	lanes->text.size = 0;
	json_string(&lanes->scratch, (const uint8_t *)text, size);
	output_flush(&lanes->scratch);
	lane_add(lanes, lane, TEXTS, lanes->text.text, lanes->text.size);
	return number;
}

uint32_t lane_stack(struct lanes *lanes, struct lane *lane, uint32_t prefix,
		    const char *name, size_t size)
{
	bool fresh;
	uint32_t number =
		known_get(lanes, &lane->stacks, name, size, prefix, &fresh);
	uint32_t text;

	if (!fresh || lanes->failed)
		return number;
	text = lane_text(lanes, lane, name, size);
	lane_print(lanes, lane, FUNCTION_NAME, "%u", text);
	lane_print(lanes, lane, STACK_FRAME, "%u", number);
	if (prefix == LANE_NO_STACK)
		lane_add(lanes, lane, STACK_PREFIX, "null", 4);
	else
		lane_print(lanes, lane, STACK_PREFIX, "%u", prefix);
	return number;
}

/* ---- threads -------------------------------------------------------------- */

static struct lane *lane_create(struct lanes *lanes, uint32_t tid,
				uint32_t tgid, const char *name)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane) {
		lanes->failed = true;
		return NULL;
	}
	lane->tid = tid;
	lane->tgid = tgid;
	snprintf(lane->comm, sizeof(lane->comm), "%s", name);
	if (lanes->last)
		lanes->last->next = lane;
	else
		lanes->first = lane;
	lanes->last = lane;
	lanes->size += sizeof(*lane) + LANE_TEXT;
	return lane;
}

struct lane *lane_of_thread(struct lanes *lanes,
			    struct ktrace_timeline_thread *thread)
{
	struct lane *lane = table_find(&lanes->threads, thread->id);

	if (lane)
		return lane;
	lane = lane_create(lanes, thread->tid, thread->tgid ?: thread->tid,
			   thread->comm);
	if (lane && table_add(&lanes->threads, thread->id, lane))
		lanes->failed = true;
	return lane;
}

struct lane *lane_of_cpus(struct lanes *lanes)
{
	if (!lanes->cpus)
		lanes->cpus = lane_create(lanes, 0, 0, "CPUs");
	return lanes->cpus;
}

int lanes_init(struct lanes *lanes)
{
	lanes->factor = table_factor();
	return output_init(&lanes->scratch, scratch_write, lanes);
}

void lanes_free(struct lanes *lanes)
{
	struct lane *lane;
	size_t at = 0;
	void *known;

	while ((lane = lanes->first)) {
		lanes->first = lane->next;
		for (int i = 0; i < COLUMNS_NR; i++)
			free(lane->columns[i].text);
		free(lane);
	}
	while ((known = table_each(&lanes->known, &at)))
		free(known);
	table_free(&lanes->known);
	table_free(&lanes->threads);
	output_destroy(&lanes->scratch);
	free(lanes->text.text);
}

/* ---- as JSON -------------------------------------------------------------- */

static void number_put(struct output *output, uint64_t number)
{
	output_room(output, 64);
	output->p = put_u64(output->p, number);
}

/* "name":[...] */
static void column_put(struct output *output, const char *name,
		       const struct column *column)
{
	output_puts(output, "\"");
	output_puts(output, name);
	output_puts(output, "\":[");
	output_write(output, column->text, column->size);
	output_puts(output, "],");
}

/* A column of the same value, so often. */
static void constant_put(struct output *output, const char *name,
			 const char *value, uint32_t nr)
{
	output_puts(output, "\"");
	output_puts(output, name);
	output_puts(output, "\":[");
	for (uint32_t i = 0; i < nr; i++) {
		output_puts(output, i ? "," : "");
		output_puts(output, value);
	}
	output_puts(output, "],");
}

static void length_put(struct output *output, uint32_t nr)
{
	output_puts(output, "\"length\":");
	number_put(output, nr);
	output_puts(output, "}");
}

static void samples_put(struct output *output, const struct column *columns,
			const char *weights)
{
	output_puts(output, ",\n\"samples\":{\"weightType\":\"");
	output_puts(output, weights);
	output_puts(output, "\",");
	column_put(output, "stack", &columns[SAMPLE_STACK]);
	column_put(output, "time", &columns[SAMPLE_TIME]);
	column_put(output, "weight", &columns[SAMPLE_WEIGHT]);
	/* It may be missing, but not be shorter. */
	if (columns[SAMPLE_CPU].nr == columns[SAMPLE_TIME].nr)
		column_put(output, "threadCPUDelta", &columns[SAMPLE_CPU]);
	length_put(output, columns[SAMPLE_TIME].nr);
}

static void markers_put(struct output *output, const struct column *columns)
{
	output_puts(output, ",\n\"markers\":{");
	column_put(output, "name", &columns[MARKER_NAME]);
	column_put(output, "startTime", &columns[MARKER_BEGIN]);
	column_put(output, "endTime", &columns[MARKER_END]);
	column_put(output, "phase", &columns[MARKER_PHASE]);
	column_put(output, "category", &columns[MARKER_CATEGORY]);
	column_put(output, "data", &columns[MARKER_DATA]);
	length_put(output, columns[MARKER_NAME].nr);
}

/* Each stack has a frame and a function of its own, with its number. */
static void stacks_put(struct output *output, const struct column *columns)
{
	uint32_t nr = columns[STACK_FRAME].nr;

	output_puts(output, ",\n\"stackTable\":{");
	column_put(output, "frame", &columns[STACK_FRAME]);
	column_put(output, "prefix", &columns[STACK_PREFIX]);
	constant_put(output, "category", "0", nr);
	constant_put(output, "subcategory", "0", nr);
	length_put(output, nr);
	output_puts(output, ",\n\"frameTable\":{");
	column_put(output, "func", &columns[STACK_FRAME]);
	constant_put(output, "address", "-1", nr);
	constant_put(output, "inlineDepth", "0", nr);
	constant_put(output, "category", "0", nr);
	constant_put(output, "subcategory", "0", nr);
	constant_put(output, "nativeSymbol", "null", nr);
	constant_put(output, "innerWindowID", "null", nr);
	constant_put(output, "implementation", "null", nr);
	constant_put(output, "line", "null", nr);
	constant_put(output, "column", "null", nr);
	length_put(output, nr);
	output_puts(output, ",\n\"funcTable\":{");
	column_put(output, "name", &columns[FUNCTION_NAME]);
	constant_put(output, "isJS", "false", nr);
	constant_put(output, "relevantForJS", "false", nr);
	constant_put(output, "resource", "-1", nr);
	constant_put(output, "fileName", "null", nr);
	constant_put(output, "lineNumber", "null", nr);
	constant_put(output, "columnNumber", "null", nr);
	length_put(output, nr);
}

static void text_put(struct output *output, const char *text)
{
	json_string(output, (const uint8_t *)text, strlen(text));
}

void lane_put(struct output *output, const struct lane *lane,
	      const char *weights)
{
	output_puts(output,
		    "{\"processType\":\"default\",\"processStartupTime\":0,"
		    "\"processShutdownTime\":null,\"registerTime\":0,"
		    "\"unregisterTime\":null,\"pausedRanges\":[],"
		    "\"showMarkersInTimeline\":true,\"isMainThread\":");
	output_puts(output, lane->tid == lane->tgid ? "true" : "false");
	output_puts(output, ",\"name\":");
	text_put(output, lane->comm);
	output_puts(output, ",\"processName\":");
	text_put(output, lane->comm);
	output_puts(output, ",\"pid\":\"");
	number_put(output, lane->tgid);
	output_puts(output, "\",\"tid\":");
	number_put(output, lane->tid);
	samples_put(output, lane->columns, weights);
	markers_put(output, lane->columns);
	stacks_put(output, lane->columns);
	output_puts(
		output,
		",\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],"
		"\"type\":[],\"length\":0},\"nativeSymbols\":{\"libIndex\":[],"
		"\"address\":[],\"name\":[],\"functionSize\":[],\"length\":0},"
		"\n\"stringArray\":[");
	output_write(output, lane->columns[TEXTS].text,
		     lane->columns[TEXTS].size);
	output_puts(output, "]}");
}
