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
 * Lines are in order of time.  That of a call waits until it is known whether it calls
 * something (lines.h).
 *
 * The depth comes from the spans (<ktrace/span.h>): so a gap in the trace ends the calls
 * that may have ended in it.
 */
#include <errno.h>
#include <stdlib.h>

#include <ktrace/span.h>

#include "base/escape.h"
#include "line.h"
#include "lines.h"
#include "program.h"
#include "show.h"

struct graph {
	struct ktrace_output show;
	struct lines lines;
	struct programs calls, results, events;
	struct line_heads heads;
	struct ktrace_spans *spans;
	const struct ktrace_cursor *cursor; /* of the spans */
};

/* ---- lines ---------------------------------------------------------------- */

/* Begins the line of an event: who, when, and as deep as its text belongs. */
static int line_begin(struct graph *g, const struct ktrace_event *event,
		      uint64_t ns, uint32_t depth)
{
	struct output *text = &g->lines.text;
	int err;

	lines_begin(&g->lines);
	if (line_head(&g->heads, text, event))
		return error_set(-ENOMEM, "out of memory");
	err = lines_took(&g->lines, ns, LINE_CALL);
	if (err)
		return err;
	output_add(text, "| ", 2);
	while (depth--)
		output_add(text, "  ", 2);
	return 0;
}

/* " = 4096", " = -2 ENOENT"; nothing if the function returns nothing. */
static int result_put(struct graph *g, const struct ktrace_event *event)
{
	const struct ktrace_type *type = event->type;
	struct output *text = &g->lines.text;
	const char *name;
	int64_t value;
	int error;

	if (!type->nr_fields)
		return 0;
	output_add(text, " = ", 3);
	value = ktrace_field_int(event, &type->fields[0]);
	error = ktrace_field_error(&type->fields[0], value);
	name = error ? strerrorname_np(error) : NULL;
	if (!name)
		return programs_run(&g->results, text, event)
			       ? error_set(-ENOMEM, "out of memory")
			       : 0;
	output_room(text, 64);
	text->p = put_s64(text->p, value);
	output_add(text, " ", 1);
	output_puts(text, name);
	return 0;
}

static int call_show(struct graph *g, const struct ktrace_event *event,
		     uint32_t depth)
{
	int err = line_begin(g, event, NO_DURATION, depth);
	struct output *text = &g->lines.text;

	if (err)
		return err;
	if (programs_run(&g->calls, text, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(text, ")", 1);
	return lines_wait(&g->lines, event, depth);
}

/* The call that waits has called nothing. */
static int leaf_show(struct graph *g, struct waiting *waiting,
		     const struct ktrace_event *event, uint64_t ns)
{
	lines_resume(&g->lines, waiting, ns);
	return result_put(g, event) ?: lines_end(&g->lines);
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
	uint64_t ns = span ? span->end - span->begin : NO_DURATION;
	int err = line_begin(g, event, ns, depth);
	struct output *text = &g->lines.text;

	if (err)
		return err;
	output_add(text, "}", 1);
	err = result_put(g, event);
	if (!err && !span) {
		/* Its call is not in the trace. */
		output_add(text, " /* ", 4);
		name_put(text, event->type->name);
		output_add(text, " */", 3);
	}
	return err ?: lines_end(&g->lines);
}

static int comment_show(struct graph *g, const struct ktrace_event *event,
			uint32_t depth)
{
	int err = line_begin(g, event, NO_DURATION, depth);
	struct output *text = &g->lines.text;

	if (err)
		return err;
	output_add(text, "/* ", 3);
	if (programs_run(&g->events, text, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(text, " */", 3);
	return lines_end(&g->lines);
}

/* ---- the output ----------------------------------------------------------- */

static int graph_open(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	programs_init(&g->calls, show->trace, PROGRAM_CALL);
	programs_init(&g->results, show->trace, PROGRAM_VALUES);
	programs_init(&g->events, show->trace, PROGRAM_TEXT);
	g->lines.durations = true;
	return lines_init(&g->lines, show->write, show->data);
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
	struct waiting *waiting = lines_waiting(&g->lines, event);
	enum part part = part_of(event->type);
	int err = 0;

	if (part == PART_RETURN && span && waiting &&
	    waiting->time == span->begin && waiting->depth == depth)
		return leaf_show(g, waiting, event, span->end - span->begin);
	if (waiting)
		err = lines_open(&g->lines, waiting);
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
	err = lines_room(&g->lines);
	err = err ?: event_show(g, event, step);
	return err ?: lines_put(&g->lines);
}

static int graph_loss(struct ktrace_output *show,
		      const struct ktrace_loss *loss)
{
	struct graph *g = (struct graph *)show;
	int err;

	err = spans_prepare(g);
	err = err ?: lines_open_all(&g->lines);
	if (err)
		return err;
	ktrace_spans_loss(g->spans, loss);
	line_loss(&g->lines.output, loss);
	return g->lines.output.err;
}

static int graph_finish(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	return lines_open_all(&g->lines) ?: output_flush(&g->lines.output);
}

static void graph_release(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	ktrace_spans_destroy(g->spans);
	line_heads_destroy(&g->heads);
	programs_destroy(&g->calls);
	programs_destroy(&g->results);
	programs_destroy(&g->events);
	lines_destroy(&g->lines);
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
