// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The functions of <ktrace/output.h>, over the list of outputs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/sized.h"
#include "show.h"
#include "stack.h"

/* Events and losses between two calls of progress(): some milliseconds. */
#define PROGRESS_EVERY 65536

#define STRING_MAX     32 /* of "strace", as strace itself has it */

static const struct show_ops *const outputs[] = {
#define OUTPUT(name) &show_##name,
	OUTPUTS
#undef OUTPUT
};

const struct ktrace_output_kind *ktrace_output_kind(size_t index)
{
	if (index >= sizeof(outputs) / sizeof(outputs[0]))
		return NULL;
	return &outputs[index]->kind;
}

static const struct show_ops *ops_find(const char *name)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(outputs[0]); i++) {
		if (!strcmp(outputs[i]->kind.name, name))
			return outputs[i];
	}
	return NULL;
}

const struct ktrace_output_kind *ktrace_output_find(const char *name)
{
	const struct show_ops *ops = ops_find(name);

	return ops ? &ops->kind : NULL;
}

static int fd_write(void *data, const char *text, size_t size)
{
	const struct ktrace_output *show = data;

	return file_write(show->fd, text, size);
}

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static bool any_set(const uint64_t *reserved, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (reserved[i])
			return true;
	}
	return false;
}

/* Of a newer version of the structs than this one? */
static bool reserved_used(const struct ktrace_output_options *options)
{
	return options->time > KTRACE_TIME_DELTA ||
	       options->columns & ~(uint32_t)KTRACE_COLUMN_TEXT ||
	       (options->calls &&
		(any_set(options->calls->reserved,
			 NR(options->calls->reserved)) ||
		 options->calls->strings > KTRACE_STRINGS_HEX ||
		 options->calls->sort > KTRACE_SORT_NONE ||
		 options->calls->constants > KTRACE_CONSTANTS_BOTH ||
		 options->calls->statuses & ~(uint32_t)KTRACE_STATUS_ALL ||
		 options->calls->files_hidden & ~(uint64_t)KTRACE_FILES_ALL)) ||
	       (options->graph &&
		(any_set(options->graph->reserved,
			 NR(options->graph->reserved)) ||
		 options->graph->columns &
			 ~(KTRACE_COLUMN_ALL | KTRACE_COLUMN_SELF) ||
		 options->graph->pauses & ~(uint64_t)(KTRACE_PAUSE_INTERRUPTS |
						      KTRACE_PAUSE_SLEEP))) ||
	       (options->merged &&
		(any_set(options->merged->reserved,
			 NR(options->merged->reserved)) ||
		 options->merged->weight > KTRACE_WEIGHT_OFF_CPU));
}

int ktrace_output_create(struct ktrace *trace, const char *kind,
			 const struct ktrace_output_options *given,
			 struct ktrace_output **output)
{
	const struct show_ops *ops = ops_find(kind);
	struct ktrace_output_options options;
	struct ktrace_output *show;
	int err;

	if (!ops)
		return error_set(-ENOENT, "there is no output `%s'", kind);
	err = sized_copy(&options, sizeof(options), given);
	if (err)
		return err;
	if (reserved_used(&options))
		return error_set(-E2BIG,
				 "this libktrace is older than the program, "
				 "and cannot show events as it asks");
	if (options.time && !ops->kind.times)
		return error_set(-EINVAL,
				 "the output `%s' has times of its own", kind);
	if ((options.columns || options.fields) && ops != &show_text)
		return error_set(-EINVAL, "the output `%s' has no such columns",
				 kind);
	show = calloc(1, ops->size);
	if (!show)
		return error_set(-ENOMEM, "out of memory");
	show->ops = ops;
	show->trace = trace;
	show->write = options.write ?: fd_write;
	show->data = options.write ? options.data : show;
	show->fd = options.fd;
	show->path = options.path;
	show->cursor = options.cursor;
	show->calls.string_max = STRING_MAX;
	if (options.calls)
		show->calls = *options.calls;
	show->time = options.time;
	show->columns = options.columns;
	show->fields = options.fields;
	show->colors = options.colors;
	show->stacks = options.stacks;
	show->stacks_in_line = options.stacks_in_line;
	if (options.mangled)
		show->frames |= FRAME_MANGLED;
	if (options.whole_frames)
		show->frames |= FRAME_WHOLE;
	if (options.merged)
		show->merged = *options.merged;
	show->graph.columns = KTRACE_COLUMN_ALL;
	if (options.graph)
		show->graph = *options.graph;
	err = ops->open(show);
	if (err) {
		ktrace_output_destroy(show);
		return err;
	}
	*output = show;
	return 0;
}

int ktrace_output_event(struct ktrace_output *show,
			const struct ktrace_event *event,
			const struct ktrace_span *ended)
{
	show->ended = ended;
	show->events++;
	return show->ops->event(show, event);
}

int ktrace_output_hidden(struct ktrace_output *show,
			 const struct ktrace_event *event)
{
	return show->ops->hidden ? show->ops->hidden(show, event) : 0;
}

int ktrace_output_loss(struct ktrace_output *show,
		       const struct ktrace_loss *loss)
{
	/* Lost task records are not events. */
	if (loss->cause != KTRACE_LOST_TASK)
		show->losses += loss->count;
	return show->ops->loss(show, loss);
}

int ktrace_output_hidden_loss(struct ktrace_output *show,
			      const struct ktrace_loss *loss)
{
	return show->ops->hidden_loss ? show->ops->hidden_loss(show, loss) : 0;
}

int ktrace_output_finish(struct ktrace_output *show)
{
	return show->ops->finish(show);
}

int ktrace_output_pause(struct ktrace_output *show)
{
	return show->ops->pause ? show->ops->pause(show)
				: show->ops->finish(show);
}

int ktrace_output_compare(struct ktrace_output *show, struct ktrace *trace)
{
	int err;

	if (!show->ops->compare)
		return error_set(-EINVAL, "the output `%s' compares nothing",
				 show->ops->kind.name);
	err = show->ops->compare(show, trace);
	if (err)
		return err;
	show->trace = trace;
	show->cursor = NULL;
	show->events = show->losses = show->counted = show->left_out = 0;
	return 0;
}

int ktrace_output_run(struct ktrace_output *show, struct ktrace_cursor *cursor,
		      bool (*progress)(void *data), void *data)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	uint32_t left = PROGRESS_EVERY;
	int err, item, ended;
	char why[512];

	show->cursor = cursor;
	while ((item = ktrace_cursor_next(cursor)) > 0) {
		err = item == KTRACE_EVENT
			      ? ktrace_output_event(show, event, NULL)
			      : ktrace_output_loss(show, loss);
		if (err)
			return err;
		if (!--left) {
			left = PROGRESS_EVERY;
			if (progress && progress(data))
				break;
		}
	}
	ended = item < 0 ? item : 0;
	if (ended)
		snprintf(why, sizeof(why), "%s", ktrace_last_error());
	/* What was read until then is whole. */
	err = !item && ktrace_get_info(show->trace)->live
		      ? ktrace_output_pause(show)
		      : ktrace_output_finish(show);
	return ended ? error_set(ended, "%s", why) : err;
}

uint64_t ktrace_output_events(const struct ktrace_output *show)
{
	return show->events;
}

uint64_t ktrace_output_losses(const struct ktrace_output *show)
{
	return show->losses;
}

uint64_t ktrace_output_left_out(const struct ktrace_output *show)
{
	return show->left_out;
}

uint64_t ktrace_output_merged(const struct ktrace_output *show)
{
	return show->counted;
}

void ktrace_output_destroy(struct ktrace_output *show)
{
	if (!show)
		return;
	show->ops->release(show);
	free(show);
}
