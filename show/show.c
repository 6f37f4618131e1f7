// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show.h"

/* Items between two calls of progress(): a few milliseconds. */
#define PROGRESS_EVERY 65536

static const struct show_ops *const outputs[] = {
	&show_text, &show_kernel, &show_json, &show_ctf, &show_syscalls,
};

static char message[512];

const char *show_error(void)
{
	return message;
}

int show_fail(int err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(message, sizeof(message), format, ap);
	va_end(ap);
	return err;
}

const struct show_ops *show_get(size_t index)
{
	return index < sizeof(outputs) / sizeof(outputs[0]) ? outputs[index]
							    : NULL;
}

const struct show_ops *show_find(const char *name)
{
	size_t i;

	for (i = 0; show_get(i); i++) {
		if (!strcmp(show_get(i)->name, name))
			return show_get(i);
	}
	return NULL;
}

int show_create(const struct show_ops *ops, struct ktrace *trace, int fd,
		const char *path, struct show **result)
{
	struct show *show = calloc(1, ops->size);
	int err;

	if (!show)
		return show_fail(-ENOMEM, "out of memory");
	show->ops = ops;
	show->trace = trace;
	show->fd = fd;
	show->path = path;
	err = ops->open(show);
	if (err) {
		show_destroy(show);
		return err;
	}
	*result = show;
	return 0;
}

int show_cursor(struct show *show, struct ktrace_cursor *cursor,
		bool (*progress)(void *data), void *data)
{
	const struct ktrace_event *event = ktrace_cursor_event(cursor);
	const struct ktrace_loss *loss = ktrace_cursor_loss(cursor);
	const struct show_ops *ops = show->ops;
	uint32_t left = PROGRESS_EVERY;
	int err = 0, item;

	while ((item = ktrace_cursor_next(cursor)) > 0) {
		if (item == KTRACE_EVENT) {
			err = ops->event(show, event);
			show->events++;
		} else {
			err = ops->loss(show, loss);
			if (loss->cause != KTRACE_LOST_TASK)
				show->losses += loss->count;
		}
		if (err)
			return err;
		if (!--left) {
			left = PROGRESS_EVERY;
			if (progress && progress(data))
				break;
		}
	}
	if (item < 0)
		show_fail(item, "%s", ktrace_last_error());
	/* Also after an error: what was read before it is complete. */
	err = ops->finish(show);
	return item < 0 ? item : err;
}

void show_destroy(struct show *show)
{
	if (!show)
		return;
	show->ops->release(show);
	free(show);
}
