// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls of functions, each below its caller, with arguments, result and duration:
 *
 *	cat-812  [001] 12.000000400               | vfs_read(file=0x…, count=9) {
 *	cat-812  [001] 12.000000800      0.310 us |   rw_verify_area(count=9) = 0
 *	cat-812  [001] 12.000001200               |   (kmem:kmalloc: ptr=0x…)
 *	cat-812  [001] 12.000001400      1.050 us h   tick_sched_handle() = 0
 *	cat-812  [001] 12.000001600      6.070 us | } = -5 EIO
 *
 * Here the third line is another event, which is shown as a comment in C.  The fourth is a
 * call that an interrupt has made.
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
#include "stack.h"
#include "wanted.h"

struct graph {
	struct ktrace_output show;
	struct lines lines;
	struct programs calls, results, events;
	struct line_heads heads;
	struct ktrace_spans *spans;
	const struct ktrace_cursor *cursor; /* of the spans */
	struct wanted wanted;
};

/* ---- lines ---------------------------------------------------------------- */

/* What an event is to the graph. */
struct place {
	uint32_t depth;	  /* of open calls around it */
	struct took took; /* of what it ends, which began at @begin */
	uint64_t begin;
	/* Who does it: "|": the thread; "h": an interrupt; "s": a soft interrupt. */
	const char *bar;
};

/* Begins the line of an event: who, when, and as deep as its text belongs. */
static int line_begin(struct graph *g, const struct ktrace_event *event,
		      const struct place *place)
{
	struct output *text = &g->lines.text;
	int err;

	lines_begin(&g->lines);
	if (line_head(&g->heads, text, event))
		return error_set(-ENOMEM, "out of memory");
	err = lines_took(&g->lines, place->took);
	if (err)
		return err;
	output_puts(text, place->bar);
	output_add(text, " ", 1);
	for (uint32_t i = 0; i < place->depth; i++)
		output_add(text, "  ", 2);
	return 0;
}

/*
 * A call that was recorded when it returned has all fields: its arguments, then what was
 * returned, unless that is nothing, then how long it took, then stacks.  Arguments may have any name.
 */
static bool type_is_whole(const struct ktrace_type *type)
{
	return !strcmp(type->system, "call") && ktrace_type_own_fields(type);
}

static const struct ktrace_field *duration_of(const struct ktrace_type *type)
{
	return &type->fields[ktrace_type_own_fields(type) - 1];
}

/* NULL: nothing is returned. */
static const struct ktrace_field *result_of(const struct ktrace_type *type)
{
	const struct ktrace_field *duration, *field;

	if (!type_is_whole(type))
		return ktrace_field_find(type, "ret");
	duration = duration_of(type);
	field = duration > type->fields ? duration - 1 : NULL;
	return field && !strcmp(field->name, "ret") &&
			       field->offset ==
				       duration->offset + duration->size
		       ? field
		       : NULL;
}

/* " = 4096", " = -2 ENOENT"; nothing if the function returns nothing. */
static int result_put(struct graph *g, const struct ktrace_event *event)
{
	const struct ktrace_field *result = result_of(event->type);
	struct output *text = &g->lines.text;
	const char *name;
	int64_t value;
	int error;

	if (!result)
		return 0;
	output_add(text, " = ", 3);
	value = ktrace_field_int(event, result);
	error = ktrace_field_error(result, value);
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
		     const struct place *place)
{
	struct output *text = &g->lines.text;
	int err = line_begin(g, event, place);

	if (err)
		return err;
	if (programs_run(&g->calls, text, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(text, ")", 1);
	return lines_wait(&g->lines, event, place->depth);
}

/* The call that waits has called nothing. */
static int leaf_show(struct graph *g, struct waiting *waiting,
		     const struct ktrace_event *event, struct took took)
{
	lines_resume(&g->lines, waiting, took);
	return result_put(g, event) ?: lines_end(&g->lines);
}

/* A call that was recorded when it returned. */
static int whole_show(struct graph *g, const struct ktrace_event *event,
		      struct place *place)
{
	const struct ktrace_type *type = event->type;
	struct output *text = &g->lines.text;
	int err;

	if (type_is_whole(type) && !strcmp(duration_of(type)->name, "duration"))
		place->took.all = ktrace_field_int(event, duration_of(type));
	err = line_begin(g, event, place);
	if (err)
		return err;
	if (programs_run(&g->calls, text, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(text, ")", 1);
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
		       const struct place *place)
{
	struct output *text = &g->lines.text;
	int err = line_begin(g, event, place);

	if (err)
		return err;
	output_add(text, "}", 1);
	err = result_put(g, event);
	if (!err && place->took.all == NO_DURATION) {
		/* Its call is not in the trace. */
		output_add(text, " /* ", 4);
		name_put(text, event->type->name);
		output_add(text, " */", 3);
	}
	return err ?: lines_end(&g->lines);
}

static int comment_show(struct graph *g, const struct ktrace_event *event,
			const struct place *place)
{
	struct output *text = &g->lines.text;
	int err = line_begin(g, event, place);

	if (err)
		return err;
	output_add(text, "/* ", 3);
	if (programs_run(&g->events, text, event))
		return error_set(-ENOMEM, "out of memory");
	output_add(text, " */", 3);
	return lines_end(&g->lines);
}

/*
 * Who called, as a comment in front of the call.  The first frame is the function itself, which the
 * call's line names.
 */
static int callers_show(struct graph *g, const struct ktrace_event *event,
			const struct place *place)
{
	struct place own = *place;
	struct output *text = &g->lines.text;
	struct ktrace_stack stack;
	int err;

	if (!g->show.stacks ||
	    !ktrace_event_stack(g->show.trace, event, &stack))
		return 0;
	if (stack.nr) {
		stack.addresses++;
		stack.nr--;
		stack.exact = false;
	}
	own.took = (struct took){LINE_CALL, NO_DURATION, NO_DURATION};
	err = line_begin(g, event, &own);
	if (err)
		return err;
	output_add(text, "/*", 2);
	stack_in_line(text, g->show.trace, &stack, g->show.frames);
	output_add(text, " */", 3);
	return lines_end(&g->lines) ?: lines_room(&g->lines);
}

/* ---- the output ----------------------------------------------------------- */

static bool field_is_argument(const struct ktrace_type *type,
			      const struct ktrace_field *field)
{
	return !type_is_whole(type) ||
	       (field != duration_of(type) && field != result_of(type));
}

static bool field_is_result(const struct ktrace_type *type,
			    const struct ktrace_field *field)
{
	return field == result_of(type);
}

static int graph_open(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;
	uint32_t columns = show->graph.columns;

	programs_init(&g->calls, show->trace, PROGRAM_CALL);
	programs_init(&g->results, show->trace, PROGRAM_VALUES);
	programs_init(&g->events, show->trace, PROGRAM_TEXT);
	g->calls.wants = field_is_argument;
	g->results.wants = field_is_result;
	times_init(&g->heads.times, show->trace, show->time);
	g->heads.colors = show->colors;
	g->heads.no_task = !(columns & KTRACE_COLUMN_TASK);
	g->heads.no_cpu = !(columns & KTRACE_COLUMN_CPU);
	g->heads.no_time = !(columns & KTRACE_COLUMN_TIME);
	g->lines.durations = columns & KTRACE_COLUMN_DURATION;
	g->lines.selves = columns & KTRACE_COLUMN_SELF;
	return lines_init(&g->lines, show->write, show->data);
}

static int spans_prepare(struct graph *g)
{
	const struct ktrace_span_scope *scope = g->show.graph.scope;
	int err;

	if (likely(g->spans && g->cursor == g->show.cursor))
		return 0;
	ktrace_spans_destroy(g->spans);
	g->spans = NULL;
	g->cursor = g->show.cursor;
	err = ktrace_spans_create(g->cursor, &g->spans);
	if (err)
		return err;
	ktrace_spans_pauses(g->spans, g->show.graph.pauses);
	return scope ? ktrace_spans_scope(g->spans, scope) : 0;
}

enum part { PART_CALL, PART_RETURN, PART_WHOLE, PART_OTHER };

static enum part part_of(const struct ktrace_type *type)
{
	if (!type->variant_of)
		return PART_OTHER;
	if (!strcmp(type->system, "function"))
		return PART_CALL;
	if (!strcmp(type->system, "return"))
		return PART_RETURN;
	return strcmp(type->system, "call") ? PART_OTHER : PART_WHOLE;
}

/* Interrupts that are open on the event's CPU: hard and soft ones. */
struct interrupts {
	uint32_t hard, soft;
};

static struct interrupts interrupts_of(const struct graph *g,
				       const struct ktrace_event *event)
{
	return (struct interrupts){
		ktrace_spans_open(g->spans, event, KTRACE_SPAN_IRQ),
		ktrace_spans_open(g->spans, event, KTRACE_SPAN_SOFTIRQ),
	};
}

/* What the event is, by the interrupts that are open before and after it. */
static void place_interrupt(struct place *place, struct interrupts before,
			    struct interrupts after)
{
	uint32_t nr_before = before.hard + before.soft;
	uint32_t nr_after = after.hard + after.soft;
	/* The ends of an interrupt belong to what it interrupts. */
	const struct interrupts *in = nr_before < nr_after ? &before : &after;

	if (nr_before != nr_after)
		place->took.mark =
			nr_before < nr_after ? LINE_ENTERED : LINE_LEFT;
	/* The letters are those of the kernel's own tracers. */
	place->bar = in->hard ? "h" : in->soft ? "s" : "|";
}

static struct place place_of(const struct graph *g,
			     const struct ktrace_event *event, int step,
			     struct interrupts before)
{
	const struct ktrace_span *span = ktrace_spans_ended(g->spans);
	struct place place = {
		.depth = ktrace_spans_open(g->spans, event,
					   KTRACE_SPAN_FUNCTION),
		.took = {LINE_CALL, NO_DURATION, NO_DURATION},
	};

	place_interrupt(&place, before, interrupts_of(g, event));
	if (step & KTRACE_SPAN_ENDS && (span->kind == KTRACE_SPAN_FUNCTION ||
					place.took.mark == LINE_LEFT)) {
		place.took.all = span->took;
		place.took.self = span->self;
		place.begin = span->begin;
	}
	return place;
}

static int event_show(struct graph *g, const struct ktrace_event *event,
		      struct place *place)
{
	/* A program has no marker within a call of the kernel, whatever thread it says it is. */
	struct waiting *waiting =
		event->type->marker ? NULL : lines_waiting(&g->lines, event);
	enum part part = part_of(event->type);
	int err = 0;

	if (part == PART_RETURN && place->took.all != NO_DURATION && waiting &&
	    waiting->time == place->begin && waiting->depth == place->depth)
		return leaf_show(g, waiting, event, place->took);
	if (waiting)
		err = lines_open(&g->lines, waiting);
	/* If too many are open, the outermost was dropped for this one. */
	if (part == PART_CALL)
		place->depth -= !!place->depth;
	if (!err && (part == PART_CALL || part == PART_WHOLE))
		err = callers_show(g, event, place);
	if (err)
		return err;
	switch (part) {
	case PART_CALL:
		return call_show(g, event, place);
	case PART_RETURN:
		return return_show(g, event, place);
	case PART_WHOLE:
		return whole_show(g, event, place);
	default:
		return comment_show(g, event, place);
	}
}

/* Calls and returns of functions always are. */
static bool event_is_wanted(struct graph *g, const struct ktrace_type *type)
{
	const struct ktrace_output_graph *options = &g->show.graph;

	return part_of(type) != PART_OTHER ||
	       type_is_wanted(&g->wanted, type, options->want, options->data);
}

static int graph_hidden(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	struct graph *g = (struct graph *)show;
	int err = spans_prepare(g);

	if (err)
		return err;
	err = ktrace_spans_event(g->spans, event);
	return err < 0 ? err : 0;
}

static int graph_event(struct ktrace_output *show,
		       const struct ktrace_event *event)
{
	struct graph *g = (struct graph *)show;
	struct interrupts before;
	struct place place;
	int err, step;

	err = spans_prepare(g);
	if (err)
		return err;
	before = interrupts_of(g, event);
	step = ktrace_spans_event(g->spans, event);
	if (step < 0)
		return step;
	if (ktrace_spans_hidden(g->spans) || !event_is_wanted(g, event->type))
		return 0;
	place = place_of(g, event, step, before);
	err = lines_room(&g->lines);
	err = err ?: event_show(g, event, &place);
	return err ?: lines_put(&g->lines);
}

static int loss_take(struct graph *g, const struct ktrace_loss *loss)
{
	int err;

	err = spans_prepare(g);
	err = err ?: lines_open_all(&g->lines);
	if (err)
		return err;
	ktrace_spans_loss(g->spans, loss);
	return g->lines.output.err;
}

static int graph_loss(struct ktrace_output *show,
		      const struct ktrace_loss *loss)
{
	struct graph *g = (struct graph *)show;
	int err = loss_take(g, loss);

	if (err)
		return err;
	line_loss(&g->lines.output, loss, show->colors);
	return g->lines.output.err;
}

static int graph_hidden_loss(struct ktrace_output *show,
			     const struct ktrace_loss *loss)
{
	return loss_take((struct graph *)show, loss);
}

static int graph_finish(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	return lines_open_all(&g->lines) ?: output_flush(&g->lines.output);
}

static int graph_pause(struct ktrace_output *show)
{
	struct graph *g = (struct graph *)show;

	return lines_pause(&g->lines) ?: output_flush(&g->lines.output);
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
	wanted_destroy(&g->wanted);
}

const struct show_ops show_graph = {
	.kind.name = "graph",
	.kind.times = true,
	.kind.what =
		"calls of functions, each below its caller, with durations",
	.kind.hidden = true,
	.size = sizeof(struct graph),
	.open = graph_open,
	.event = graph_event,
	.hidden = graph_hidden,
	.hidden_loss = graph_hidden_loss,
	.loss = graph_loss,
	.finish = graph_finish,
	.pause = graph_pause,
	.release = graph_release,
};
