// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/loss.h"
#include "color.h"
#include "line.h"
#include "show.h"

/* Nearly all names and numbers fit. */
#define TASK_WIDTH 22
#define COMM_MAX   16
#define PID_WIDTH  8

/* "dbench-812     " */
static char *task_put(char *p, const struct ktrace_event *event)
{
	const uint8_t *s = (const uint8_t *)event->comm;
	size_t n = strnlen(event->comm, COMM_MAX), length;
	char *begin = p;

	for (; n; s += length, n -= length)
		p = escape_text_char(p, s, n, &length);

	*p++ = '-';
	p = put_u64(p, event->tid);
	do
		*p++ = ' ';
	while (p - begin < TASK_WIDTH);
	return p;
}

/* "[001] " */
static char *cpu_put(char *p, const struct ktrace_event *event)
{
	*p++ = '[';
	if (event->cpu < 100)
		*p++ = '0';
	if (event->cpu < 10)
		*p++ = '0';
	p = put_u64(p, event->cpu);
	*p++ = ']';
	*p++ = ' ';
	return p;
}

/* "812    " */
static char *pid_put(char *p, const struct ktrace_event *event)
{
	char *begin = p;

	p = put_u64(p, event->tgid);
	do
		*p++ = ' ';
	while (p - begin < PID_WIDTH);
	return p;
}

static char *color_put(const struct line_heads *heads, char *p,
		       const char *color)
{
	return heads->colors ? stpcpy(p, color) : p;
}

static void head_make(const struct line_heads *heads, struct line_head *head,
		      const struct ktrace_event *event)
{
	char *p = head->text;

	p = color_put(heads, p, COLOR_TASK);
	if (!heads->no_task)
		p = task_put(p, event);
	if (heads->pid)
		p = pid_put(p, event);
	p = color_put(heads, p, COLOR_END COLOR_MINOR);
	if (!heads->no_cpu)
		p = cpu_put(p, event);
	p = color_put(heads, p, COLOR_END);
	head->len = p - head->text;
	head->task = event->task;
	head->made = true;
}

static int heads_grow(struct line_heads *heads, uint32_t cpu)
{
	uint32_t nr = cpu + 16;
	struct line_head *by_cpu = realloc(heads->by_cpu, nr * sizeof(*by_cpu));

	if (!by_cpu)
		return -ENOMEM;
	memset(by_cpu + heads->nr_cpus, 0,
	       (nr - heads->nr_cpus) * sizeof(*by_cpu));
	heads->by_cpu = by_cpu;
	heads->nr_cpus = nr;
	return 0;
}

int line_head(struct line_heads *heads, struct output *output,
	      const struct ktrace_event *event)
{
	struct line_head *head;
	char *p;

	if (unlikely(event->cpu >= heads->nr_cpus) &&
	    heads_grow(heads, event->cpu))
		return -ENOMEM;
	head = &heads->by_cpu[event->cpu];
	if (unlikely(head->task != event->task || !head->made))
		head_make(heads, head, event);

	output_room(output,
		    LINE_HEAD_MAX + TIMES_MAX + sizeof(COLOR_TIME COLOR_END));
	p = output->p;
	memcpy(p, head->text, 32);
	if (unlikely(head->len > 32))
		memcpy(p + 32, head->text + 32, LINE_HEAD_MAX - 32);
	p += head->len;
	if (!heads->no_time) {
		p = color_put(heads, p, COLOR_TIME);
		p = likely(!heads->times.kind)
			    ? put_time(p, event->time)
			    : times_put(&heads->times, p, event->time);
		p = color_put(heads, p, COLOR_END);
		*p++ = ' ';
	}
	output->p = p;
	return 0;
}

void line_duration(struct output *output, const struct ktrace_span *span)
{
	output_room(output, 64);
	output_add(output, " <", 2);
	output->p = put_time(output->p, span->took);
	output_add(output, ">", 1);
}

void line_loss(struct output *output, const struct ktrace_loss *loss,
	       bool colors)
{
	output_room(output, 256);
	if (colors)
		output_puts(output, COLOR_LOSS);
	output_puts(output, "*** cpu ");
	output->p = put_u64(output->p, loss->cpu);
	output_puts(output, ": ");
	output->p = put_u64(output->p, loss->count);
	output_puts(output, loss->cause == KTRACE_LOST_TASK
				    ? " task records lost ("
				    : " events lost (");
	output_puts(output, loss_cause(loss->cause));
	output_puts(output, ") ***");
	output_puts(output, colors ? COLOR_END "\n" : "\n");
}

void line_heads_destroy(struct line_heads *heads)
{
	free(heads->by_cpu);
	heads->by_cpu = NULL;
}
