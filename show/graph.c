// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of functions, each below its caller, with arguments, result and duration:
 *
 *	cat-812  [001] 12.000000400               | vfs_read(file=0x…, count=9) {
 *	cat-812  [001] 12.000000800      0.310 us |   rw_verify_area(count=9) = 0
 *	cat-812  [001] 12.000001200               |   (kmem:kmalloc: ptr=0x…)
 *	cat-812  [001] 12.000001600      6.070 us | } = -5 EIO
 *
 * Here the third line is another event, which is shown as a comment in C.
 *
 * Lines are in order of time.  Whether a call calls something is known later than its line
 * begins.  So its line waits, and all lines behind it wait with it: until the next event of
 * its thread, or until too much waits.  Then it is shown as a call that calls something.
 *
 * The depth comes from the spans (<ktrace/span.h>): so a gap in the trace ends the calls
 * that may have ended in it.
 */
#include <errno.h>
#include <stdlib.h>

#include <ktrace/span.h>

#include "base/escape.h"
#include "line.h"
#include "program.h"
#include "show.h"

#define LINES_MAX 1024 /* a power of two */
#define BYTES_MAX (1u << 20)
/* The text of a line that is larger is freed, not used again. */
#define KEPT_MAX 4096

/* The column of durations; fits 9999999 us. */
#define TOOK_WIDTH  16

#define NO_DURATION UINT64_MAX

struct graph_line {
	char *text;
	size_t size, room;
	size_t head; /* the duration goes behind so many bytes; 0: it has none */
	uint64_t ns; /* duration, or NO_DURATION */
};

/* A line whose call may prove to call nothing. */
struct waiting {
	uint64_t line;
	uint64_t time;
	uint32_t tid, cpu;
	uint32_t depth;
};

struct graph {
	struct ktrace_output show;
	struct output output;
	struct output scratch; /* writes to the newest line */
	struct programs calls, results, events;
	struct line_heads heads;
	struct ktrace_spans *spans;
	const struct ktrace_cursor *cursor; /* of the spans */
	struct graph_line lines[LINES_MAX]; /* [first, next), by number */
	uint64_t first, next;
	size_t bytes;			   /* of these lines */
	struct waiting waiting[LINES_MAX]; /* in order of lines */
	uint32_t nr_waiting;
};

static struct graph_line *line_get(struct graph *g, uint64_t number)
{
	return &g->lines[number % LINES_MAX];
}

static int line_append(struct graph *g, struct graph_line *line,
		       const char *text, size_t size)
{
	if (size > line->room - line->size) {
		size_t room = (line->size + size) * 2;
		char *more = realloc(line->text, room);

		if (!more)
			return error_set(-ENOMEM, "out of memory");
		line->text = more;
		line->room = room;
	}
	memcpy(line->text + line->size, text, size);
	line->size += size;
	g->bytes += size;
	return 0;
}

static int scratch_write(void *data, const char *text, size_t size)
{
	struct graph *g = data;

	return line_append(g, line_get(g, g->next - 1), text, size);
}

/* ---- writing -------------------------------------------------------------- */

/* As ftrace marks them: Documentation/trace/ftrace.rst of the kernel. */
static char duration_mark(uint64_t ns)
{
	static const struct {
		uint64_t ns;
		char mark;
	} marks[] = {
		{1000000000, '$'}, {100000000, '@'}, {10000000, '*'},
		{1000000, '#'},	   {100000, '!'},    {10000, '+'},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (ns > marks[i].ns)
			return marks[i].mark;
	}
	return ' ';
}

/* "+    12.345 us " or as many spaces. */
static void duration_put(struct output *output, uint64_t ns)
{
	char text[48], *p = text;
	size_t len, pad;

	if (ns == NO_DURATION) {
		memset(text, ' ', TOOK_WIDTH);
		output_add(output, text, TOOK_WIDTH);
		return;
	}
	p = put_u64(p, ns / 1000);
	*p++ = '.';
	*p++ = '0' + ns % 1000 / 100;
	*p++ = '0' + ns % 100 / 10;
	*p++ = '0' + ns % 10;
	memcpy(p, " us ", 4);
	len = p + 4 - text;
	pad = len + 1 < TOOK_WIDTH ? TOOK_WIDTH - 1 - len : 0;
	output_room(output, 64);
	*output->p++ = duration_mark(ns);
	memset(output->p, ' ', pad);
	memcpy(output->p + pad, text, len);
	output->p += pad + len;
}

static void line_put(struct graph *g, struct graph_line *line)
{
	output_write(&g->output, line->text, line->head);
	if (line->head)
		duration_put(&g->output, line->ns);
	output_write(&g->output, line->text + line->head,
		     line->size - line->head);
	g->bytes -= line->size;
	line->size = 0;
	if (line->room > KEPT_MAX) {
		free(line->text);
		line->text = NULL;
		line->room = 0;
	}
}

static void waiting_remove(struct graph *g, uint32_t i)
{
	memmove(&g->waiting[i], &g->waiting[i + 1],
		(--g->nr_waiting - i) * sizeof(*g->waiting));
}

/* The call calls something, or may do so. */
static int waiting_open(struct graph *g, uint32_t i)
{
	uint64_t number = g->waiting[i].line;

	waiting_remove(g, i);
	return line_append(g, line_get(g, number), " {\n", 3);
}

/* Writes the lines that wait for nothing. */
static int lines_put(struct graph *g)
{
	while (g->first != g->next &&
	       (!g->nr_waiting || g->waiting[0].line != g->first))
		line_put(g, line_get(g, g->first++));
	return g->output.err;
}

/* Makes room for one more line, if necessary at the cost of the oldest that wait. */
static int lines_room(struct graph *g)
{
	int err = 0;

	while (!err && g->nr_waiting &&
	       (g->next - g->first == LINES_MAX || g->bytes > BYTES_MAX)) {
		err = waiting_open(g, 0);
		err = err ?: lines_put(g);
	}
	return err;
}

/* ---- lines ---------------------------------------------------------------- */

static struct graph_line *line_new(struct graph *g)
{
	struct graph_line *line = line_get(g, g->next++);

	line->size = line->head = 0;
	line->ns = NO_DURATION;
	return line;
}

/* Begins the line of an event: who, when, and as deep as its text belongs. */
static int line_begin(struct graph *g, const struct ktrace_event *event,
		      uint64_t ns, uint32_t depth)
{
	struct graph_line *line = line_new(g);
	int err;

	if (line_head(&g->heads, &g->scratch, event))
		return error_set(-ENOMEM, "out of memory");
	err = output_flush(&g->scratch);
	if (err)
		return err;
	line->head = line->size;
	line->ns = ns;
	output_add(&g->scratch, "| ", 2);
	while (depth--)
		output_add(&g->scratch, "  ", 2);
	return 0;
}

static int line_end(struct graph *g)
{
	output_add(&g->scratch, "\n", 1);
	return output_flush(&g->scratch);
}

/* " = 4096", " = -2 ENOENT"; nothing if the function returns nothing. */
static int result_put(struct graph *g, const struct ktrace_event *event)
{
	const struct ktrace_type *type = event->type;
	const char *name;
	int64_t value;
	int error;

	if (!type->nr_fields)
		return 0;
	output_add(&g->scratch, " = ", 3);
	value = ktrace_field_int(event, &type->fields[0]);
	error = ktrace_field_error(&type->fields[0], value);
	name = error ? strerrorname_np(error) : NULL;
	if (!name)
		return programs_run(&g->results, &g->scratch, event)
			       ? error_set(-ENOMEM, "out of memory")
			       : 0;
	output_room(&g->scratch, 64);
	g->scratch.p = put_s64(g->scratch.p, value);
	output_add(&g->scratch, " ", 1);
	output_puts(&g->scratch, name);
	return 0;
}

/* The thread's call that waits; nr_waiting: there is none. */
static uint32_t waiting_find(const struct graph *g,
			     const struct ktrace_event *event)
{
	/* The newest first: it is the likeliest. */
	for (uint32_t i = g->nr_waiting; i-- > 0;) {
		const struct waiting *w = &g->waiting[i];

		/* All idle threads have the number 0. */
		if (w->tid == event->tid &&
		    (event->tid || w->cpu == event->cpu))
			return i;
	}
	return g->nr_waiting;
}

static int call_show(struct graph *g, const struct ktrace_event *event,
		     uint32_t depth)
{
	int err = line_begin(g, event, NO_DURATION, depth);

	if (err)
		return err;
	if (programs_run(&g->calls, &g->scratch, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(&g->scratch, ")", 1);
	g->waiting[g->nr_waiting++] = (struct waiting){
		.line = g->next - 1,
		.time = event->time,
		.tid = event->tid,
		.cpu = event->cpu,
		.depth = depth,
	};
	return output_flush(&g->scratch);
}

/* The call on line @i of those that wait has called nothing. */
static int leaf_show(struct graph *g, uint32_t i,
		     const struct ktrace_event *event, uint64_t ns)
{
	uint64_t number = g->waiting[i].line, newest = g->next;
	int err;

	line_get(g, number)->ns = ns;
	/* The result belongs to an older line than the newest. */
	g->next = number + 1;
	err = result_put(g, event);
	err = err ?: line_end(g);
	g->next = newest;
	waiting_remove(g, i);
	return err;
}

static void name_put(struct output *output, const char *name)
{
	const uint8_t *s = (const uint8_t *)name;
	size_t n = strlen(name), len;

	for (; n; s += len, n -= len) {
		output_room(output, ESCAPE_ROOM);
		output->p = escape_text_char(output->p, s, n, &len);
	}
}

static int return_show(struct graph *g, const struct ktrace_event *event,
		       const struct ktrace_span *span, uint32_t depth)
{
	int err = line_begin(
		g, event, span ? span->end - span->begin : NO_DURATION, depth);

	if (err)
		return err;
	output_add(&g->scratch, "}", 1);
	err = result_put(g, event);
	if (!err && !span) {
		/* Its call is not in the trace. */
		output_add(&g->scratch, " /* ", 4);
		name_put(&g->scratch, event->type->name);
		output_add(&g->scratch, " */", 3);
	}
	return err ?: line_end(g);
}

static int comment_show(struct graph *g, const struct ktrace_event *event,
			uint32_t depth)
{
	int err = line_begin(g, event, NO_DURATION, depth);

	if (err)
		return err;
	output_add(&g->scratch, "/* ", 3);
	if (programs_run(&g->events, &g->scratch, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(&g->scratch, " */", 3);
	return line_end(g);
}

/* ---- the output ----------------------------------------------------------- */

static int graph_open(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	programs_init(&g->calls, show->trace, PROGRAM_CALL);
	programs_init(&g->results, show->trace, PROGRAM_VALUES);
	programs_init(&g->events, show->trace, PROGRAM_TEXT);
	if (output_init(&g->output, show->write, show->data) ||
	    output_init(&g->scratch, scratch_write, g))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static int spans_prepare(struct graph *g)
{
	if (likely(g->spans && g->cursor == g->show.cursor))
		return 0;
	ktrace_spans_destroy(g->spans);
	g->spans = NULL;
	g->cursor = g->show.cursor;
	return ktrace_spans_create(g->cursor, &g->spans);
}

enum part { PART_CALL, PART_RETURN, PART_OTHER };

static enum part part_of(const struct ktrace_type *type)
{
	if (!type->variant_of)
		return PART_OTHER;
	if (!strcmp(type->system, "function"))
		return PART_CALL;
	return strcmp(type->system, "return") ? PART_OTHER : PART_RETURN;
}

static int event_show(struct graph *g, const struct ktrace_event *event,
		      int step)
{
	uint32_t depth =
		ktrace_spans_open(g->spans, event, KTRACE_SPAN_FUNCTION);
	const struct ktrace_span *span =
		step & KTRACE_SPAN_ENDS ? ktrace_spans_ended(g->spans) : NULL;
	uint32_t i = waiting_find(g, event);
	enum part part = part_of(event->type);
	bool waits = i != g->nr_waiting;
	int err = 0;

	if (part == PART_RETURN && span && waits &&
	    g->waiting[i].time == span->begin && g->waiting[i].depth == depth)
		return leaf_show(g, i, event, span->end - span->begin);
	if (waits)
		err = waiting_open(g, i);
	if (err)
		return err;
	switch (part) {
	case PART_CALL:
		/* If too many are open, the outermost was dropped for this one. */
		return call_show(g, event, depth ? depth - 1 : 0);
	case PART_RETURN:
		return return_show(g, event, span, depth);
	default:
		return comment_show(g, event, depth);
	}
}

static int graph_event(struct ktrace_output *show,
		       const struct ktrace_event *event)
{
	struct graph *g = (struct graph *)show;
	int err, step;

	err = spans_prepare(g);
	if (err)
		return err;
	step = ktrace_spans_event(g->spans, event);
	if (step < 0)
		return step;
	err = lines_room(g);
	err = err ?: event_show(g, event, step);
	return err ?: lines_put(g);
}

/* No line waits any more. */
static int all_open(struct graph *g)
{
	int err = 0;

	while (!err && g->nr_waiting)
		err = waiting_open(g, g->nr_waiting - 1);
	return err ?: lines_put(g);
}

static int graph_loss(struct ktrace_output *show,
		      const struct ktrace_loss *loss)
{
	struct graph *g = (struct graph *)show;
	int err;

	err = spans_prepare(g);
	err = err ?: all_open(g);
	if (err)
		return err;
	ktrace_spans_loss(g->spans, loss);
	line_loss(&g->output, loss);
	return g->output.err;
}

static int graph_finish(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;
	int err = all_open(g);

	return err ?: output_flush(&g->output);
}

static void graph_release(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	ktrace_spans_destroy(g->spans);
	line_heads_destroy(&g->heads);
	programs_destroy(&g->calls);
	programs_destroy(&g->results);
	programs_destroy(&g->events);
	output_destroy(&g->output);
	output_destroy(&g->scratch);
	for (size_t i = 0; i < LINES_MAX; i++)
		free(g->lines[i].text);
}

const struct show_ops show_graph = {
	.kind.name = "graph",
	.kind.what =
		"calls of functions, each below its caller, with durations",
	.size = sizeof(struct graph),
	.open = graph_open,
	.event = graph_event,
	.loss = graph_loss,
	.finish = graph_finish,
	.release = graph_release,
};
