// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The page (page/) is written with six parts of data in it, each compressed and as base64:
 *
 *	head	JSON: what the trace is, how many events there are at which time, and how large the
 *		columns are
 *	names	JSON: words, threads, tracks and shapes
 *	tape	the columns of the tape, one after another (tape.h)
 *	fields	the columns of the shapes (shape.h)
 *	stacks	those of frames and calls (callers.h)
 *	texts	JSON: texts that are values of fields, and names of frames
 *
 * What is drawn first is in the first three.
 */
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "html/html.h"
#include "html/page.h"

#define DATA "@DATA@" /* where the data is in the page */

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

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

/* Bytes and values of each. */
static void columns_put(struct html *h, const char *name,
			const struct column *columns, int nr)
{
	put(h, name);
	for (int i = 0; i < nr; i++) {
		put(h, i ? ",[" : "[");
		number_put(h, columns[i].size);
		put(h, ",");
		number_put(h, columns[i].nr);
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
		 (int64_t)html_time(h, time), wall);
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

/* Who wakes is known only if no interrupt goes unseen, as for ktrace why --chain. */
static bool wakers_known(const struct html *h)
{
	static const char *const events[] = {
		"irq:irq_handler_entry",
		"irq:softirq_entry",
		"irq_vectors:*_entry",
	};
	const struct ktrace_types *types =
		ktrace_get_types(h->viewer.show.trace);
	unsigned int known = 0;
	char name[256];

	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		snprintf(name, sizeof(name), "%s:%s", type->system, type->name);
		for (int k = 0; k < 3 && !type->marker; k++)
			known |= !fnmatch(events[k], name, 0) << k;
	}
	return known == 7;
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
	member_number(h, "follows", wakers_known(h));
	member_number(h, "part", h->part);
	cpus_put(h);
	density_put(h);
	columns_put(h, ",\"columns\":[", h->tape.columns, COLUMNS_NR);
	columns_put(h, ",\"stacks\":[", h->callers.columns, CALLERS_NR);
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

static void bytes_put(struct html *h, const struct column *columns, int nr)
{
	for (int i = 0; i < nr; i++)
		output_write(&h->json, (const char *)columns[i].bytes,
			     columns[i].size);
}

static void tape_bytes_put(struct html *h)
{
	bytes_put(h, h->tape.columns, COLUMNS_NR);
}

static void stacks_put(struct html *h)
{
	bytes_put(h, h->callers.columns, CALLERS_NR);
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

int html_embed(void *data, const char *text, size_t size)
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

int html_write(struct html *h)
{
	struct output *output = &h->viewer.output;
	const char *data = strstr(html_page, DATA);
	const char *rest = data + sizeof(DATA) - 1;
	int err;

	output_write(output, html_page, data - html_page);
	err = part_put(h, "head", head_put);
	err = err ?: part_put(h, "names", names_put);
	err = err ?: part_put(h, "tape", tape_bytes_put);
	err = err ?: part_put(h, "fields", fields_put);
	err = err ?: part_put(h, "stacks", stacks_put);
	err = err ?: part_put(h, "texts", texts_put);
	output_write(output, rest, strlen(rest));
	return err ?: output->err;
}
