// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A flame graph: one HTML page that needs nothing else, neither files nor the network.
 *
 * The page (page.html) is written with the stacks in it, as JSON:
 *
 *	{"title":"ktrace: ...","unit":"events","unknown":0,"names":["make",…],
 *	"stacks":[[0,3,3,0,1,2],…]}
 *
 * If two traces are compared, there is a member "before", and behind the weight and the events
 * of a stack are those that it had in the trace before.
 *
 * Stacks are in the order of their frames, and each has only the frames that the one before it
 * has not.  So they are a tree already, and none is needed here.
 */
#include <errno.h>
#include <string.h>

#include "flame/page.h"
#include "merged.h"
#include "program.h"

#define DATA "@DATA@" /* where the stacks are in the page */
/* More than a name has (stack.c). */
#define TITLE_MAX 1024

struct flame {
	struct merged merged;
	struct output text; /* a string that is being escaped */
};

static int flame_open(struct ktrace_output *show)
{
	if (output_init(&((struct flame *)show)->text, NULL, NULL))
		return error_set(-ENOMEM, "out of memory");
	return merged_open(show);
}

/*
 * A string for JSON inside of HTML, where `<' could begin the end of the script.  No character
 * of more than one byte contains these.
 */
static void string_put(struct flame *f, const char *s)
{
	struct output *text = &f->text;

	text->p = text->buf;
	json_string(text, (const uint8_t *)s, strnlen(s, TITLE_MAX));
	for (const char *p = text->buf; p < text->p; p++) {
		if (*p == '<')
			output_puts(&f->merged.output, "\\u003c");
		else if (*p == '>')
			output_puts(&f->merged.output, "\\u003e");
		else if (*p == '&')
			output_puts(&f->merged.output, "\\u0026");
		else
			output_add(&f->merged.output, p, 1);
	}
}

static void number_put(struct output *output, uint64_t number)
{
	output_room(output, 64);
	output->p = put_u64(output->p, number);
}

static void head_put(struct flame *f)
{
	const struct ktrace_info *info = ktrace_get_info(f->merged.show.trace);
	const char *title = f->merged.show.merged.title;

	output_puts(&f->merged.output, "{\"title\":");
	string_put(f, title ?: info->command ?: "ktrace");
	output_puts(&f->merged.output, ",\"unit\":");
	string_put(f, folds_unit(&f->merged.folds));
	output_puts(&f->merged.output, ",\"unknown\":");
	number_put(&f->merged.output, f->merged.folds.off.unknown);
	if (!f->merged.folds.compares)
		return;
	output_puts(&f->merged.output, ",\"before\":{\"unknown\":");
	number_put(&f->merged.output, f->merged.folds.unknown_before);
	output_puts(&f->merged.output, "}");
}

static void names_put(struct flame *f)
{
	output_puts(&f->merged.output, ",\n\"names\":[");
	for (uint32_t i = 0; i < f->merged.folds.paths.nr_names; i++) {
		output_puts(&f->merged.output, i ? ",\n" : "\n");
		string_put(f, f->merged.folds.paths.name[i]);
	}
	output_puts(&f->merged.output, "]");
}

static void next_put(struct output *output, uint64_t number)
{
	output_puts(output, ",");
	number_put(output, number);
}

/* @last: the stack in front of it; NULL: it is the first one. */
static void stack_put(struct output *output, const struct fold *fold,
		      const struct fold *last, bool compares)
{
	uint32_t shared = last ? folds_shared(last, fold) : 0;

	output_puts(output, last ? ",\n[" : "\n[");
	number_put(output, shared);
	next_put(output, fold->weight);
	next_put(output, fold->events);
	if (compares) {
		next_put(output, fold->before.weight);
		next_put(output, fold->before.events);
	}
	for (uint32_t i = shared; i < fold->nr; i++)
		next_put(output, fold_frame(fold, i));
	output_puts(output, "]");
}

static void flame_put(struct merged *merged, struct fold *const *folds,
		      size_t nr)
{
	struct output *output = &merged->output;
	const char *data = strstr(flame_page, DATA);

	output_write(output, flame_page, data - flame_page);
	head_put((struct flame *)merged);
	names_put((struct flame *)merged);
	output_puts(output, ",\n\"stacks\":[");
	for (size_t i = 0; i < nr && !output->err; i++)
		stack_put(output, folds[i], i ? folds[i - 1] : NULL,
			  merged->folds.compares);
	output_puts(output, "]}");
	data += sizeof(DATA) - 1;
	output_write(output, data, strlen(data));
}

static int flame_finish(struct ktrace_output *show)
{
	return merged_finish(show, fold_compare_frames, flame_put);
}

static void flame_release(struct ktrace_output *show)
{
	output_destroy(&((struct flame *)show)->text);
	merged_release(show);
}

const struct show_ops show_flame = {
	.kind.name = "flame",
	.kind.what = "a flame graph of stacks, as one HTML page",
	.kind.hidden = true,
	.size = sizeof(struct flame),
	.open = flame_open,
	.event = merged_event,
	.loss = merged_loss,
	.hidden = merged_hidden,
	.hidden_loss = merged_loss,
	.finish = flame_finish,
	.pause = merged_pause,
	.compare = merged_compare,
	.release = flame_release,
};
