// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A time line as one HTML page, which needs nothing else: neither files nor the network.
 *
 * The page (page/) is written with five parts of data in it, each compressed and as base64:
 *
 *	head	JSON: what the trace is, how many events there are at which time, and how large the
 *		columns are
 *	names	JSON: words, threads, tracks and shapes
 *	tape	the columns of the tape, one after another (tape.h)
 *	fields	the columns of the shapes (shape.h)
 *	texts	JSON: texts that are values of fields
 *
 * What is drawn first is in the first three.  All of it is in memory until the end, and a browser
 * has it in memory, too.  So only so many events are told; of those that follow, the page has how
 * many they were at which time, and says that they are not in it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/loss.h"
#include "html/density.h"
#include "html/embed.h"
#include "html/page.h"
#include "html/shape.h"
#include "html/tape.h"
#include "viewer.h"

#define DATA "@DATA@" /* where the data is in the page */

/* A page with that many has about 16 MB, and browsers need some seconds and 1 GB for it. */
#define EVENTS_MAX 4000000

/*
 * Steps of the tape: so many as that many switches make.  In a part of a trace events that are not shown
 * make some, too.
 */
#define STEPS_MAX (2 * EVENTS_MAX)

/* What the page has of the trace, before it is compressed, and the browser in memory: 256 MB. */
#define BYTES_MAX (256ull << 20)

/* Names that a thread had: those after these replace the last one. */
#define NAMES_MAX 8

/* What the data of the time line's things is. */
enum owner {
	OWNER_THREAD,
	OWNER_TRACK,
	OWNER_SLICE,
};

struct lane {
	enum owner owner;
	uint32_t number;
	uint32_t tid, tgid, cpu;
	uint32_t names[NAMES_MAX]; /* words */
	uint32_t nr_names;
	uint64_t end;  /* of its last state */
	uint64_t wake; /* the last one of it; 0: none */
	/* A state that is not known, which those that follow may continue; begin == end: none. */
	struct unknown {
		uint64_t begin, end;
		uint32_t cpu;
		bool open;
	} unknown;
};

struct strip {
	enum owner owner;
	uint32_t number;
	enum ktrace_timeline_kind kind;
	uint32_t of;	   /* the track's number */
	struct lane *lane; /* NULL: of no thread */
};

/* An open slice. */
struct pending {
	enum owner owner;
	struct call_view *call;
	struct row row;
	const char *category;
	uint32_t cpu;
	char name[64]; /* no span has a longer one */
};

struct html {
	struct viewer viewer;
	struct tape tape;
	struct shapes shapes;
	struct row row;
	struct density density;
	struct lane **lanes;
	struct strip **strips;
	uint32_t nr_lanes, nr_strips;
	struct output json; /* into @embed */
	struct embed embed;
};

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

/* Times of the tape; those before the begin are negative, modulo 2^64. */
static uint64_t since_begin(const struct html *h, uint64_t time)
{
	return time - h->viewer.begin;
}

/* What a step has returned. */
static int step_end(const struct html *h, int err)
{
	return err || h->tape.failed ? no_memory() : 0;
}

/* ---- threads and tracks --------------------------------------------------- */

static int lane_rename(struct html *h, struct lane *lane, const char *comm)
{
	uint32_t word;

	if (words_get(&h->shapes.words, comm, strlen(comm), &word))
		return -ENOMEM;
	if (lane->nr_names && lane->names[lane->nr_names - 1] == word)
		return 0;
	if (lane->nr_names < NAMES_MAX)
		lane->nr_names++;
	lane->names[lane->nr_names - 1] = word;
	return 0;
}

static struct lane *lane_make(struct html *h,
			      const struct ktrace_timeline_thread *thread)
{
	struct lane **lanes =
		array_grow(h->lanes, h->nr_lanes, sizeof(*h->lanes));
	struct lane *lane = calloc(1, sizeof(*lane));

	if (lanes)
		h->lanes = lanes;
	if (!lanes || !lane) {
		free(lane);
		return NULL;
	}
	lane->owner = OWNER_THREAD;
	lane->number = h->nr_lanes;
	lane->tid = thread->tid;
	lane->cpu = thread->cpu;
	h->lanes[h->nr_lanes++] = lane;
	return lane;
}

/* NULL: out of memory, as the next one. */
static struct lane *lane_of(struct html *h,
			    struct ktrace_timeline_thread *thread)
{
	struct lane *lane = thread->data ?: lane_make(h, thread);

	if (!lane)
		return NULL;
	thread->data = lane;
	/* It may become known later. */
	lane->tgid = thread->tgid;
	return lane_rename(h, lane, thread->comm) ? NULL : lane;
}

static struct strip *strip_of(struct html *h,
			      struct ktrace_timeline_track *track)
{
	struct strip **strips, *strip = track->data;

	if (strip)
		return strip;
	strips = array_grow(h->strips, h->nr_strips, sizeof(*h->strips));
	if (!strips)
		return NULL;
	h->strips = strips;
	strip = calloc(1, sizeof(*strip));
	if (!strip)
		return NULL;
	strip->owner = OWNER_TRACK;
	strip->number = h->nr_strips;
	strip->kind = track->kind;
	strip->of = track->number;
	h->strips[h->nr_strips++] = strip;
	track->data = strip;
	if (track->thread)
		strip->lane = lane_of(h, track->thread);
	return track->thread && !strip->lane ? NULL : strip;
}

/* ---- what the time line tells --------------------------------------------- */

static void state_put(struct html *h, struct lane *lane, uint64_t bits,
		      uint64_t begin, uint64_t end)
{
	tape_step(&h->tape, TAPE_STATE, end);
	tape_put(&h->tape, COLUMN_STATE_THREAD, lane->number);
	tape_put(&h->tape, COLUMN_STATE, bits);
	tape_put(&h->tape, COLUMN_STATE_BEGIN,
		 lane->end == begin && begin ? 0 : end - begin + 1);
	lane->end = end;
}

static void unknown_put(struct html *h, struct lane *lane)
{
	const struct unknown *u = &lane->unknown;

	if (u->begin != u->end)
		state_put(h, lane,
			  tape_state_bits(KTRACE_STATE_UNKNOWN, u->open, false,
					  u->cpu),
			  u->begin, u->end);
	lane->unknown = (struct unknown){0};
}

/* Each event that is not shown may make one: those that touch are one. */
static void unknown_add(struct html *h, struct lane *lane,
			const struct ktrace_timeline_state *state)
{
	uint64_t begin = since_begin(h, state->begin);
	struct unknown *u = &lane->unknown;

	if (u->begin == u->end || u->end != begin) {
		unknown_put(h, lane);
		u->begin = begin;
	}
	u->end = since_begin(h, state->end);
	u->cpu = state->cpu;
	u->open = state->open;
}

static int state_tell(void *data, const struct ktrace_timeline_state *state)
{
	struct html *h = data;
	struct lane *lane = lane_of(h, state->thread);
	bool woken;

	if (!lane)
		return no_memory();
	if (state->state == KTRACE_STATE_UNKNOWN) {
		unknown_add(h, lane, state);
		return step_end(h, 0);
	}
	unknown_put(h, lane);
	woken = state->state == KTRACE_STATE_RUNNING && state->wake &&
		state->wake == lane->wake;
	state_put(h, lane,
		  tape_state_bits(state->state, state->open, woken, state->cpu),
		  since_begin(h, state->begin), since_begin(h, state->end));
	return step_end(h, 0);
}

static int begin_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct html *h = data;
	struct pending *p = calloc(1, sizeof(*p));

	if (!p)
		return no_memory();
	p->owner = OWNER_SLICE;
	p->category = viewer_category(slice->span);
	p->cpu = event->cpu;
	snprintf(p->name, sizeof(p->name), "%s", slice->span->name);
	slice->data = p;
	if (arguments_begin(&h->viewer.arguments, event, &p->call))
		return no_memory();
	return step_end(h, row_add(&h->shapes, &p->row, &h->viewer.arguments));
}

static int slice_put(struct html *h, struct ktrace_timeline_slice *slice,
		     const char *name, const char *category, uint32_t cpu)
{
	struct strip *strip = strip_of(h, slice->track);
	uint64_t end = since_begin(h, slice->end);
	uint32_t shape;

	if (!strip || shapes_put(&h->shapes, SHAPE_SLICE, name, category,
				 &h->row, &shape))
		return no_memory();
	tape_step(&h->tape, TAPE_SLICE, end);
	tape_put(&h->tape, COLUMN_SLICE_TRACK, strip->number);
	tape_put(&h->tape, COLUMN_SLICE_SHAPE, shape);
	tape_put_split(&h->tape, COLUMN_SLICE_LENGTH,
		       slice->end > slice->begin ? slice->end - slice->begin
						 : 0);
	tape_put(&h->tape, COLUMN_SLICE_END, slice->how);
	tape_put(&h->tape, COLUMN_SLICE_CPU, cpu);
	return step_end(h, 0);
}

static int end_tell(void *data, struct ktrace_timeline_slice *slice,
		    const struct ktrace_event *event)
{
	const char *why = viewer_end_text(slice->how);
	struct html *h = data;
	struct pending *p = slice->data;
	int err;

	h->row.nr = 0;
	err = row_join(&h->row, &p->row);
	if (event && !err)
		err = arguments_end(&h->viewer.arguments, event, p->call)
			      ?: row_add(&h->shapes, &h->row,
					 &h->viewer.arguments);
	if (why && !err)
		err = row_add_text(&h->shapes, &h->row, "end", why);
	return step_end(h, err)
		       ?: slice_put(h, slice, p->name, p->category, p->cpu);
}

static int whole_tell(void *data, struct ktrace_timeline_slice *slice,
		      const struct ktrace_event *event)
{
	struct html *h = data;
	int err;

	h->row.nr = 0;
	err = arguments_event(&h->viewer.arguments, event)
		      ?: row_add(&h->shapes, &h->row, &h->viewer.arguments);
	return step_end(h, err)
		       ?: slice_put(h, slice, slice->span->name,
				    viewer_category(slice->span),
				    slice->span->begin_cpu);
}

/* The columns of TAPE_WAKE begin like those of TAPE_POINT. */
static int event_put(struct html *h, enum tape_step step,
		     enum tape_column columns,
		     struct ktrace_timeline_track *track,
		     const struct ktrace_event *event)
{
	enum shape_of of = step == TAPE_WAKE ? SHAPE_WAKE : SHAPE_POINT;
	struct strip *strip = strip_of(h, track);
	uint32_t shape;
	int err;

	if (!strip)
		return no_memory();
	h->row.nr = 0;
	err = arguments_event(&h->viewer.arguments, event)
		      ?: row_add(&h->shapes, &h->row, &h->viewer.arguments);
	err = err
		      ?: shapes_put(&h->shapes, of, event->type->name,
				    event->type->system, &h->row, &shape);
	if (err)
		return no_memory();
	tape_step(&h->tape, step, since_begin(h, event->time));
	tape_put(&h->tape, columns, strip->number);
	tape_put(&h->tape, columns + 1, shape);
	tape_put(&h->tape, columns + 2, event->cpu);
	return step_end(h, 0);
}

static int point_tell(void *data, struct ktrace_timeline_track *track,
		      const struct ktrace_event *event)
{
	return event_put(data, TAPE_POINT, COLUMN_POINT_TRACK, track, event);
}

static int wake_tell(void *data, const struct ktrace_timeline_wake *wake,
		     const struct ktrace_event *event)
{
	struct html *h = data;
	struct lane *lane = lane_of(h, wake->thread);
	int err;

	if (!lane)
		return no_memory();
	lane->wake = wake->id;
	err = event_put(h, TAPE_WAKE, COLUMN_WAKE_TRACK, wake->track, event);
	tape_put(&h->tape, COLUMN_WAKE_THREAD, lane->number);
	return err ?: step_end(h, 0);
}

static int loss_tell(void *data, const struct ktrace_loss *loss)
{
	const char *cause = loss_cause(loss->cause);
	struct html *h = data;
	uint32_t word;

	if (words_get(&h->shapes.words, cause, strlen(cause), &word))
		return no_memory();
	tape_step(&h->tape, TAPE_LOSS, since_begin(h, loss->time));
	tape_put(&h->tape, COLUMN_LOSS_CPU, loss->cpu);
	tape_put(&h->tape, COLUMN_LOSS_LENGTH,
		 loss->time > loss->from ? loss->time - loss->from : 0);
	tape_put(&h->tape, COLUMN_LOSS_COUNT,
		 loss_is_event(loss->cause) ? loss->count : 0);
	tape_put(&h->tape, COLUMN_LOSS_CAUSE, word);
	return step_end(h, 0);
}

/* The lanes and strips are needed until the end. */
static void data_free(void *data, void *theirs)
{
	struct pending *p = theirs;

	if (p->owner != OWNER_SLICE)
		return;
	arguments_call_free(p->call);
	row_free(&p->row);
	free(p);
}

/* ---- the page ------------------------------------------------------------- */

static void put(struct html *h, const char *text)
{
	output_puts(&h->json, text);
}

static void number_put(struct html *h, uint64_t number)
{
	output_room(&h->json, 64);
	h->json.p = put_u64(h->json.p, number);
}

static void text_put(struct html *h, const char *text, size_t size)
{
	json_string(&h->json, (const uint8_t *)text, size);
}

static void member_number(struct html *h, const char *name, uint64_t number)
{
	put(h, ",\"");
	put(h, name);
	put(h, "\":");
	number_put(h, number);
}

static void member_text(struct html *h, const char *name, const char *text)
{
	put(h, ",\"");
	put(h, name);
	put(h, "\":");
	text_put(h, text ?: "", strlen(text ?: ""));
}

/* A number that JavaScript has not got exactly. */
static void member_long(struct html *h, const char *name, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, number);
	member_text(h, name, text);
}

static void density_put(struct html *h)
{
	const struct density *d = &h->density;

	member_number(h, "bucket", d->width);
	put(h, ",\"density\":[");
	for (uint32_t i = 0; i < d->nr; i++) {
		put(h, i ? "," : "");
		number_put(h, d->counts[i]);
	}
	put(h, "]");
}

static void columns_put(struct html *h)
{
	put(h, ",\"columns\":[");
	for (int i = 0; i < COLUMNS_NR; i++) {
		put(h, i ? ",[" : "[");
		number_put(h, h->tape.columns[i].size);
		put(h, ",");
		number_put(h, h->tape.columns[i].nr);
		put(h, "]");
	}
	put(h, "]");
}

static void cpus_put(struct html *h)
{
	const struct ktrace_info *info = ktrace_get_info(h->viewer.show.trace);

	put(h, ",\"cpus\":[");
	for (uint32_t i = 0; i < info->nr_cpus; i++) {
		put(h, i ? "," : "");
		number_put(h, info->cpus[i].cpu);
	}
	put(h, "]");
}

/* [time, that of the wall clock then], in ns, as text: the clock may be set, and a machine may sleep. */
static void clock_put(struct html *h, uint64_t time, int64_t wall)
{
	char text[64];

	snprintf(text, sizeof(text), "[\"%" PRId64 "\",\"%" PRId64 "\"]",
		 (int64_t)since_begin(h, time), wall);
	put(h, text);
}

static void clocks_put(struct html *h, const struct ktrace_info *info)
{
	uint64_t begin = h->viewer.begin;

	put(h, ",\"clocks\":[");
	clock_put(h, begin,
		  begin ? ktrace_wall_time(h->viewer.show.trace, begin) : 0);
	for (uint32_t i = 1; i < info->nr_sync; i++) {
		if (info->sync[i].monotonic <= begin)
			continue;
		put(h, ",");
		clock_put(h, info->sync[i].monotonic, info->sync[i].realtime);
	}
	put(h, "]");
}

static void head_put(struct html *h)
{
	const struct viewer *v = &h->viewer;
	const struct ktrace_info *info = ktrace_get_info(v->show.trace);

	put(h, "{\"format\":1");
	member_text(h, "command", info->command);
	member_text(h, "host", info->host);
	member_text(h, "kernel", info->kernel);
	member_text(h, "version", info->version);
	member_long(h, "begin", (int64_t)v->begin);
	clocks_put(h, info);
	member_number(h, "span", v->end - v->begin);
	member_number(h, "events", v->show.events);
	member_number(h, "leftOut", v->show.left_out);
	member_number(h, "leftOutLost", v->left_out_lost);
	cpus_put(h);
	density_put(h);
	columns_put(h);
	put(h, "}");
}

static void words_put(struct html *h, const struct words *words)
{
	put(h, "[");
	for (uint32_t i = 0; i < words->nr; i++) {
		put(h, i ? ",\n" : "\n");
		text_put(h, words->list[i]->text, words->list[i]->size);
	}
	put(h, "]");
}

/* [tid, tgid, cpu, name, name ...] */
static void lane_put(struct html *h, const struct lane *lane)
{
	number_put(h, lane->tid);
	put(h, ",");
	number_put(h, lane->tgid);
	put(h, ",");
	number_put(h, lane->cpu);
	for (uint32_t i = 0; i < lane->nr_names; i++) {
		put(h, ",");
		number_put(h, lane->names[i]);
	}
}

/* [kind, number, thread + 1] */
static void strip_put(struct html *h, const struct strip *strip)
{
	number_put(h, strip->kind);
	put(h, ",");
	number_put(h, strip->of);
	put(h, ",");
	number_put(h, strip->lane ? strip->lane->number + 1 : 0);
}

/* [of, name, category, rows, field, size of its column, ...] */
static void shape_put(struct html *h, const struct shape *shape)
{
	number_put(h, shape->of);
	put(h, ",");
	number_put(h, shape->name);
	put(h, ",");
	number_put(h, shape->category);
	put(h, ",");
	number_put(h, shape->rows);
	for (uint32_t i = 0; i < shape->nr; i++) {
		put(h, ",");
		number_put(h, shape->names[i]);
		put(h, ",");
		number_put(h, shape->columns[i].column.size);
	}
}

static void names_put(struct html *h)
{
	put(h, "{\"words\":");
	words_put(h, &h->shapes.words);
	put(h, ",\"threads\":[");
	for (uint32_t i = 0; i < h->nr_lanes; i++) {
		put(h, i ? "],\n[" : "\n[");
		lane_put(h, h->lanes[i]);
	}
	put(h, h->nr_lanes ? "]],\"tracks\":[" : "],\"tracks\":[");
	for (uint32_t i = 0; i < h->nr_strips; i++) {
		put(h, i ? "],\n[" : "\n[");
		strip_put(h, h->strips[i]);
	}
	put(h, h->nr_strips ? "]],\"shapes\":[" : "],\"shapes\":[");
	for (uint32_t i = 0; i < h->shapes.nr; i++) {
		put(h, i ? "],\n[" : "\n[");
		shape_put(h, h->shapes.list[i]);
	}
	put(h, h->shapes.nr ? "]]}" : "]}");
}

static void texts_put(struct html *h)
{
	words_put(h, &h->shapes.texts);
}

static void tape_bytes_put(struct html *h)
{
	for (int i = 0; i < COLUMNS_NR; i++)
		output_write(&h->json, (const char *)h->tape.columns[i].bytes,
			     h->tape.columns[i].size);
}

static void fields_put(struct html *h)
{
	for (uint32_t i = 0; i < h->shapes.nr; i++) {
		const struct shape *shape = h->shapes.list[i];

		for (uint32_t k = 0; k < shape->nr; k++) {
			const struct column *c = &shape->columns[k].column;

			output_write(&h->json, (const char *)c->bytes, c->size);
		}
	}
}

static int json_write(void *data, const char *text, size_t size)
{
	struct html *h = data;

	return embed_add(&h->embed, text, size);
}

/* A part of the data; @write writes it to h->json. */
static int part_put(struct html *h, const char *id,
		    void (*write)(struct html *h))
{
	struct output *output = &h->viewer.output;
	int err;

	if (embed_begin(&h->embed, output))
		return no_memory();
	output_puts(output, "<script type=\"text/plain\" id=\"");
	output_puts(output, id);
	output_puts(output, "\">");
	write(h);
	err = output_flush(&h->json);
	err = embed_end(&h->embed) ?: err;
	output_puts(output, "</script>\n");
	return err ?: output->err;
}

static int html_end(struct viewer *viewer)
{
	struct html *h = (struct html *)viewer;
	struct output *output = &viewer->output;
	const char *data = strstr(html_page, DATA);
	const char *rest = data + sizeof(DATA) - 1;
	int err;

	for (uint32_t i = 0; i < h->nr_lanes; i++)
		unknown_put(h, h->lanes[i]);
	err = step_end(h, 0);
	if (err)
		return err;
	output_write(output, html_page, data - html_page);
	err = part_put(h, "head", head_put);
	err = err ?: part_put(h, "names", names_put);
	err = err ?: part_put(h, "tape", tape_bytes_put);
	err = err ?: part_put(h, "fields", fields_put);
	err = err ?: part_put(h, "texts", texts_put);
	output_write(output, rest, strlen(rest));
	return err ?: output->err;
}

/* Also if there is much text, or much that is not shown. */
static bool html_full(const struct viewer *viewer)
{
	const struct html *h = (const struct html *)viewer;
	uint64_t bytes = tape_size(&h->tape) + h->shapes.size +
			 h->shapes.words.size + h->shapes.texts.size +
			 h->nr_lanes * sizeof(struct lane) +
			 h->nr_strips * sizeof(struct strip);

	return viewer->told >= EVENTS_MAX ||
	       h->tape.columns[COLUMN_STEP].nr >= STEPS_MAX ||
	       bytes >= BYTES_MAX;
}

/* ---- the output ----------------------------------------------------------- */

static const struct viewer_ops html_ops = {
	.calls.state = state_tell,
	.calls.begin = begin_tell,
	.calls.end = end_tell,
	.calls.whole = whole_tell,
	.calls.wake = wake_tell,
	.calls.point = point_tell,
	.calls.loss = loss_tell,
	.calls.gone = data_free,
	.end = html_end,
	.full = html_full,
};

static int html_open(struct ktrace_output *show)
{
	struct html *h = (struct html *)show;

	if (output_init(&h->json, json_write, h))
		return no_memory();
	return viewer_open(show, &html_ops);
}

static int html_event(struct ktrace_output *show,
		      const struct ktrace_event *event)
{
	struct html *h = (struct html *)show;
	int err = viewer_event(show, event);
	uint64_t begin = h->viewer.begin;

	density_add(&h->density, event->time > begin ? event->time - begin : 0);
	return err;
}

static void html_release(struct ktrace_output *show)
{
	struct html *h = (struct html *)show;

	/* First, because it tells what is gone. */
	viewer_close(&h->viewer);
	for (uint32_t i = 0; i < h->nr_lanes; i++)
		free(h->lanes[i]);
	for (uint32_t i = 0; i < h->nr_strips; i++)
		free(h->strips[i]);
	free(h->lanes);
	free(h->strips);
	row_free(&h->row);
	shapes_free(&h->shapes);
	tape_free(&h->tape);
	output_destroy(&h->json);
}

const struct show_ops show_html = {
	.kind.name = "html",
	.kind.what = "a time line, as one HTML page for any browser",
	.kind.file = true,
	.kind.hidden = true,
	.size = sizeof(struct html),
	.open = html_open,
	.event = html_event,
	.hidden = viewer_hidden,
	.hidden_loss = viewer_hidden_loss,
	.loss = viewer_loss,
	.finish = viewer_finish,
	.pause = viewer_pause,
	.release = html_release,
};
