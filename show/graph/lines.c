// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lines.h"

#define BYTES_MAX (1u << 20)
/* The text of a line that is larger is freed, not used again. */
#define KEPT_MAX 4096

/* The column of durations; fits 9999999 us. */
#define TOOK_WIDTH 16
/* That of what is a call's own. */
#define SELF_WIDTH 14

static struct line *line_get(struct lines *lines, uint64_t number)
{
	return &lines->ring[number % LINES_MAX];
}

static int line_append(struct lines *lines, struct line *line, const char *text,
		       size_t size)
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
	lines->bytes += size;
	return 0;
}

static int text_write(void *data, const char *text, size_t size)
{
	struct lines *lines = data;

	return line_append(lines, line_get(lines, lines->written), text, size);
}

int lines_init(struct lines *lines,
	       int (*write)(void *data, const char *text, size_t size),
	       void *data)
{
	if (output_init(&lines->output, write, data) ||
	    output_init(&lines->text, text_write, lines))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

void lines_destroy(struct lines *lines)
{
	output_destroy(&lines->output);
	output_destroy(&lines->text);
	for (size_t i = 0; i < LINES_MAX; i++)
		free(lines->ring[i].text);
}

/* ---- durations ------------------------------------------------------------ */

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

/* "12.345 us "; returns its end. */
static char *duration_text(char *p, uint64_t ns)
{
	p = put_u64(p, ns / 1000);
	*p++ = '.';
	*p++ = '0' + ns % 1000 / 100;
	*p++ = '0' + ns % 100 / 10;
	*p++ = '0' + ns % 10;
	memcpy(p, " us ", 4);
	return p + 4;
}

/* Right in a column of @width, or as many spaces. */
static void ns_put(struct output *output, uint64_t ns, size_t width)
{
	char text[48];
	size_t length = 0, pad;

	if (ns != NO_DURATION)
		length = duration_text(text, ns) - text;
	pad = length < width ? width - length : 0;
	memset(output->p, ' ', pad);
	memcpy(output->p + pad, text, length);
	output->p += pad + length;
}

/* "+    12.345 us ", "=>              ", "<=   12.345 us ", or as many spaces. */
static void duration_put(struct output *output, const struct took *took)
{
	size_t width = TOOK_WIDTH - 2;

	output_room(output, 64);
	switch (took->mark) {
	case LINE_ENTERED:
		output_add(output, "=>", 2);
		break;
	case LINE_LEFT:
		output_add(output, "<=", 2);
		break;
	default:
		*output->p++ = took->all == NO_DURATION
				       ? ' '
				       : duration_mark(took->all);
		width = TOOK_WIDTH - 1;
	}
	ns_put(output, took->all, width);
}

/* ---- writing -------------------------------------------------------------- */

static void line_put(struct lines *lines, struct line *line)
{
	output_write(&lines->output, line->text, line->head);
	if (lines->durations)
		duration_put(&lines->output, &line->took);
	if (lines->selves) {
		output_room(&lines->output, 64);
		ns_put(&lines->output, line->took.self, SELF_WIDTH);
	}
	output_write(&lines->output, line->text + line->head,
		     line->size - line->head);
	lines->bytes -= line->size;
	line->size = 0;
	if (line->room > KEPT_MAX) {
		free(line->text);
		line->text = NULL;
		line->room = 0;
	}
}

int lines_put(struct lines *lines)
{
	while (lines->first != lines->next &&
	       (!lines->nr_waiting || lines->waiting[0].line != lines->first))
		line_put(lines, line_get(lines, lines->first++));
	return lines->output.err;
}

int lines_room(struct lines *lines)
{
	int err = 0;

	while (!err && lines->nr_waiting &&
	       (lines->next - lines->first == LINES_MAX ||
		lines->bytes > BYTES_MAX)) {
		err = lines_open(lines, &lines->waiting[0]);
		err = err ?: lines_put(lines);
	}
	return err;
}

void lines_begin(struct lines *lines)
{
	struct line *line;

	lines->written = lines->next++;
	line = line_get(lines, lines->written);
	line->size = line->head = 0;
	line->took = (struct took){LINE_CALL, NO_DURATION, NO_DURATION};
}

int lines_took(struct lines *lines, struct took took)
{
	struct line *line = line_get(lines, lines->written);
	int err = output_flush(&lines->text);

	line->head = line->size;
	line->took = took;
	return err;
}

int lines_end(struct lines *lines)
{
	output_add(&lines->text, "\n", 1);
	return output_flush(&lines->text);
}

/* ---- waiting -------------------------------------------------------------- */

int lines_wait(struct lines *lines, const struct ktrace_event *event,
	       uint32_t depth)
{
	lines->waiting[lines->nr_waiting++] = (struct waiting){
		.line = lines->written,
		.time = event->time,
		.tid = event->tid,
		.cpu = event->cpu,
		.depth = depth,
	};
	return output_flush(&lines->text);
}

struct waiting *lines_waiting(struct lines *lines,
			      const struct ktrace_event *event)
{
	/* The newest first: it is the likeliest. */
	for (uint32_t i = lines->nr_waiting; i-- > 0;) {
		struct waiting *w = &lines->waiting[i];

		/* All idle threads have the number 0. */
		if (w->tid == event->tid &&
		    (event->tid || w->cpu == event->cpu))
			return w;
	}
	return NULL;
}

static void waiting_remove(struct lines *lines, struct waiting *waiting)
{
	struct waiting *end = &lines->waiting[lines->nr_waiting--];

	memmove(waiting, waiting + 1, (end - waiting - 1) * sizeof(*waiting));
}

int lines_open(struct lines *lines, struct waiting *waiting)
{
	uint64_t number = waiting->line;

	waiting_remove(lines, waiting);
	return line_append(lines, line_get(lines, number), " {\n", 3);
}

void lines_resume(struct lines *lines, struct waiting *waiting,
		  struct took took)
{
	struct line *line;

	lines->written = waiting->line;
	line = line_get(lines, lines->written);
	line->took.all = took.all;
	line->took.self = took.self;
	waiting_remove(lines, waiting);
}

int lines_pause(struct lines *lines)
{
	int err = 0;

	for (uint32_t i = lines->nr_waiting; !err && i-- > 0;) {
		struct waiting *w = &lines->waiting[i];

		if (w->paused)
			err = lines_open(lines, w);
		else
			w->paused = true;
	}
	return err ?: lines_put(lines);
}

int lines_open_all(struct lines *lines)
{
	int err = 0;

	while (!err && lines->nr_waiting)
		err = lines_open(lines, &lines->waiting[lines->nr_waiting - 1]);
	return err ?: lines_put(lines);
}
