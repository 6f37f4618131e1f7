// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A flame graph: one HTML page that needs nothing else, neither files nor the network.
 *
 * The page (page.html) is written with the stacks in it, as JSON:
 *
 *	{"title":"ktrace: ...","unit":"events","unknown":0,"names":["make",…],
 *	"stacks":[[0,3,3,0,1,2],…]}
 *
 * Stacks are in the order of their frames, and each has only the frames that the one before it
 * has not.  So they are a tree already, and none is needed here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flame/page.h"
#include "fold.h"
#include "program.h"
#include "show.h"

#define DATA "@DATA@" /* where the stacks are in the page */
/* More than a name has (stack.c). */
#define TITLE_MAX 1024

struct flame {
	struct ktrace_output show;
	struct output output;
	struct output text; /* a string that is being escaped */
	struct folds folds;
};

static int flame_open(struct ktrace_output *show)
{
	struct flame *f = (struct flame *)show;

	if (output_init(&f->output, show->write, show->data) ||
	    output_init(&f->text, NULL, NULL))
		return error_set(-ENOMEM, "out of memory");
	return folds_init(&f->folds, show->trace, &show->merged);
}

static int flame_event(struct ktrace_output *show,
		       const struct ktrace_event *event)
{
	return folds_event(&((struct flame *)show)->folds, event, true);
}

static int flame_hidden(struct ktrace_output *show,
			const struct ktrace_event *event)
{
	return folds_event(&((struct flame *)show)->folds, event, false);
}

static int flame_loss(struct ktrace_output *show,
		      const struct ktrace_loss *loss)
{
	folds_loss(&((struct flame *)show)->folds, loss);
	return 0;
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
			output_puts(&f->output, "\\u003c");
		else if (*p == '>')
			output_puts(&f->output, "\\u003e");
		else if (*p == '&')
			output_puts(&f->output, "\\u0026");
		else
			output_add(&f->output, p, 1);
	}
}

static void number_put(struct output *output, uint64_t number)
{
	output_room(output, 64);
	output->p = put_u64(output->p, number);
}

static void head_put(struct flame *f)
{
	const struct ktrace_info *info = ktrace_get_info(f->show.trace);
	const char *title = f->show.merged.title;

	output_puts(&f->output, "{\"title\":");
	string_put(f, title ?: info->command ?: "ktrace");
	output_puts(&f->output, ",\"unit\":");
	string_put(f, folds_unit(&f->folds));
	output_puts(&f->output, ",\"unknown\":");
	number_put(&f->output, f->folds.off.unknown);
}

static void names_put(struct flame *f)
{
	output_puts(&f->output, ",\n\"names\":[");
	for (uint32_t i = 0; i < f->folds.nr_names; i++) {
		output_puts(&f->output, i ? ",\n" : "\n");
		string_put(f, f->folds.name[i]);
	}
	output_puts(&f->output, "]");
}

/* Frames that both begin with. */
static uint32_t shared_nr(const struct fold *x, const struct fold *y)
{
	uint32_t nr = 0;

	while (nr < x->nr && nr < y->nr && x->frames[nr] == y->frames[nr])
		nr++;
	return nr;
}

static void stack_put(struct output *output, const struct fold *fold,
		      const struct fold *before)
{
	uint32_t shared = before ? shared_nr(before, fold) : 0;

	output_puts(output, before ? ",\n[" : "\n[");
	number_put(output, shared);
	output_puts(output, ",");
	number_put(output, fold->weight);
	output_puts(output, ",");
	number_put(output, fold->events);
	for (uint32_t i = shared; i < fold->nr; i++) {
		output_puts(output, ",");
		number_put(output, fold->frames[i]);
	}
	output_puts(output, "]");
}

static int flame_finish(struct ktrace_output *show)
{
	struct flame *f = (struct flame *)show;
	const char *data = strstr(flame_page, DATA);
	struct fold **sorted;
	size_t nr;
	int err = folds_check(&f->folds);

	if (err)
		return err;
	sorted = folds_sorted(&f->folds, fold_compare_frames, &nr);
	if (!sorted)
		return -ENOMEM;
	output_write(&f->output, flame_page, data - flame_page);
	head_put(f);
	names_put(f);
	output_puts(&f->output, ",\n\"stacks\":[");
	for (size_t i = 0; i < nr && !f->output.err; i++)
		stack_put(&f->output, sorted[i], i ? sorted[i - 1] : NULL);
	output_puts(&f->output, "]}");
	data += sizeof(DATA) - 1;
	output_write(&f->output, data, strlen(data));
	free(sorted);
	folds_clear(&f->folds);
	return output_flush(&f->output);
}

/* There is one page, of all events. */
static int flame_pause(struct ktrace_output *show)
{
	return 0;
}

static void flame_release(struct ktrace_output *show)
{
	struct flame *f = (struct flame *)show;

	folds_free(&f->folds);
	output_destroy(&f->text);
	output_destroy(&f->output);
}

const struct show_ops show_flame = {
	.kind.name = "flame",
	.kind.what = "a flame graph of stacks, as one HTML page",
	.size = sizeof(struct flame),
	.open = flame_open,
	.event = flame_event,
	.loss = flame_loss,
	.hidden = flame_hidden,
	.finish = flame_finish,
	.pause = flame_pause,
	.release = flame_release,
};
