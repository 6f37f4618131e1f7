// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Calls as lines, and what is in front of each. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "color.h"
#include "stack.h"
#include "syscalls.h"

#define COLUMN 40 /* where results are aligned, as by strace */

static const char *const colors[] = {
	[0] = COLOR_END,
	[1] = COLOR_NAME,
	[2] = COLOR_ERROR,
	[3] = COLOR_MINOR,
};

static const char *color(const struct syscalls *s, int which)
{
	return s->show.calls.colors ? colors[which] : "";
}

const char *name_shown(const struct call_view *view,
		       const struct ktrace_type *type)
{
	const char *name;
	bool exit;

	if (view->call)
		return view->call->shown;
	name = ktrace_call_name(type, &exit);
	return name ? name : "?";
}

bool call_is_shown(struct syscalls *s, const struct call_view *view)
{
	const struct ktrace_output_calls *calls = &s->show.calls;

	return type_is_wanted(&s->wanted, view->enter.type, calls->want,
			      calls->data);
}

bool status_is_shown(const struct syscalls *s, const struct call_view *view,
		     uint32_t status)
{
	const char *const *paths = s->show.calls.touching;

	return s->statuses & status && (!paths || call_touches(view, paths));
}

/* The wall clock, as strace has it. */
static void put_time_of_day(struct syscalls *s, uint64_t time)
{
	int64_t ns = ktrace_wall_time(s->show.trace, time);
	unsigned int us = (uint64_t)ns % 1000000000 / 1000;

	if (s->show.calls.times == KTRACE_TIMES_EPOCH)
		line_printf(&s->line, "%" PRIu64, (uint64_t)ns / 1000000000);
	else
		line_puts(&s->line, times_second(&s->times, ns, false));
	if (s->show.calls.times != KTRACE_TIMES_SECONDS)
		line_printf(&s->line, ".%06u", us);
	line_puts(&s->line, " ");
}

/* Since the latest line before, as strace has it. */
static void put_relative(struct syscalls *s, uint64_t time)
{
	uint64_t us = times_since(&s->times, time) / 1000;
	bool beside = s->show.calls.times;

	line_printf(&s->line, "%s%6" PRIu64 ".%06u%s ", beside ? "(+" : "",
		    us / 1000000, (unsigned int)(us % 1000000),
		    beside ? ")" : "");
}

/* As other outputs have it. */
static void put_time_of(struct syscalls *s, uint64_t time)
{
	char text[TIMES_MAX + 1];

	*times_put(&s->times, text, time) = '\0';
	line_printf(&s->line, "%s ", text);
}

void line_begin(struct syscalls *s, const struct thread *thread, uint64_t time)
{
	struct line *line = &s->line;

	line->len = 0;
	s->writing = thread->tid;
	if (!s->show.calls.separate && (s->show.calls.pids || s->several)) {
		line_printf(line, "%s[pid %5u", color(s, 3), thread->tid);
		value_comm(line, thread->tid);
		line_printf(line, "]%s ", color(s, 0));
	}
	if (s->times.kind)
		put_time_of(s, time);
	if (s->show.calls.times)
		put_time_of_day(s, time);
	if (s->show.calls.relative)
		put_relative(s, time);
}

int line_end(struct syscalls *s)
{
	const struct ktrace_output_calls *calls = &s->show.calls;
	int err;

	line_puts(&s->line, "\n");
	if (calls->separate) {
		err = calls->separate(calls->data, s->writing, s->line.s,
				      s->line.len);
		return err ? error_set(err,
				       "cannot write the lines of thread %u: "
				       "%s",
				       s->writing, strerror(-err))
			   : 0;
	}
	output_write(&s->output, s->line.s, s->line.len);
	return s->output.err;
}

int below_write(void *data, const char *text, size_t size)
{
	struct syscalls *s = data;
	const struct ktrace_output_calls *calls = &s->show.calls;

	if (calls->separate)
		return calls->separate(calls->data, s->writing, text, size);
	output_write(&s->output, text, size);
	return s->output.err;
}

/* Who has made the call that was just shown, if that was recorded. */
static int stack_show(struct syscalls *s, const struct thread *thread)
{
	const struct call_side *side = &thread->view.enter;
	const struct ktrace_event event = {
		.time = thread->time,
		.tid = thread->tid,
		.tgid = thread->tgid,
		.type = side->type,
		.payload = side->payload,
		.size = side->size,
	};
	struct ktrace_stack stack;

	if (!s->show.stacks)
		return 0;
	if (ktrace_event_stack(s->show.trace, &event, &stack))
		stack_lines(&s->stacks, s->show.trace, &stack, s->show.frames);
	if (ktrace_event_user_stack(s->show.trace, &event, &stack))
		stack_lines(&s->stacks, s->show.trace, &stack, s->show.frames);
	return output_flush(&s->stacks);
}

static bool is_unknown(const struct call_side *side)
{
	return side->size >= 7 * sizeof(uint64_t) &&
	       !strcmp(side->type->name, "sys_enter_unknown");
}

/* Prints "name(". */
static void call_open(struct syscalls *s, const struct thread *thread)
{
	const struct call_side *side = &thread->view.enter;
	uint64_t number;

	line_puts(&s->line, color(s, 1));
	if (is_unknown(side)) {
		memcpy(&number, side->payload, sizeof(number));
		line_printf(&s->line, "syscall_%#" PRIx64, number);
	} else {
		line_text(&s->line, name_shown(&thread->view, side->type));
	}
	line_printf(&s->line, "%s(", color(s, 0));
}

/* For an unknown call: its number and the registers. */
static bool put_unknown(struct line *line, const struct call_view *view)
{
	const struct call_side *side = &view->enter;
	uint64_t words[7];

	if (!is_unknown(side))
		return false;
	memcpy(words, side->payload, sizeof(words));
	for (int i = 1; i < 7; i++)
		line_printf(line, "%s%#" PRIx64, i > 1 ? ", " : "", words[i]);
	return true;
}

/* Prints the remaining arguments; those that need the exit only if @exit. */
static void call_arguments(struct syscalls *s, struct thread *thread, bool exit)
{
	struct call_view *view = &thread->view;
	unsigned int nr = call_nr_arguments(view);
	struct line *line = &s->line;
	unsigned int i, first = thread->shown;

	if (!thread->shown &&
	    (put_unknown(line, view) || arguments_print(line, view))) {
		thread->shown = KTRACE_CALL_ARGUMENTS;
		return;
	}
	for (i = thread->shown; i < nr; i++) {
		size_t before = line->len;

		if (!exit && argument_needs_exit(view, i))
			break;
		if (i)
			line_puts(line, i != first ? ", " : "");
		if (!argument_print(line, view, i)) {
			line->len = before;
			i = KTRACE_CALL_ARGUMENTS;
			break;
		}
		/* This argument is not shown, although others follow. */
		if (line->len == before + (i != first) * strlen(", "))
			line->len = before;
	}
	thread->shown = i;
}

/* Begins the line of a call with what is known before it returns. */
static void put_begun(struct syscalls *s, struct thread *thread)
{
	call_open(s, thread);
	thread->shown = 0;
	call_arguments(s, thread, false);
	thread->begun = true;
	if (thread->shown && thread->shown < call_nr_arguments(&thread->view))
		line_puts(&s->line, ", ");
}

static void put_resumed(struct syscalls *s, const struct thread *thread,
			const struct ktrace_type *type)
{
	line_puts(&s->line, "<... ");
	line_text(&s->line, name_shown(&thread->view, type));
	line_puts(&s->line, " resumed>");
}

int open_suspend(struct syscalls *s)
{
	struct thread *thread = s->open;

	s->open = NULL;
	if (!thread || thread->begun || s->show.calls.summary ||
	    s->show.calls.json || s->filtered)
		return 0;
	line_begin(s, thread, thread->time);
	put_begun(s, thread);
	line_puts(&s->line, " <unfinished ...>");
	return line_end(s);
}

static void result_align(struct syscalls *s, size_t begin)
{
	size_t used = s->line.len - begin, column = s->show.calls.column;

	do
		line_puts(&s->line, " ");
	while (!s->show.calls.colors && ++used < (column ?: COLUMN));
	line_puts(&s->line, "= ");
}

int call_show(struct syscalls *s, struct thread *thread, uint64_t time)
{
	struct call_view *view = &thread->view;
	struct line *line = &s->line;
	size_t begin;
	bool failed = call_failed(view);

	line_begin(s, thread, thread->begun ? time : thread->time);
	begin = line->len;
	if (thread->begun) {
		put_resumed(s, thread, view->exit.type);
	} else {
		call_open(s, thread);
		thread->shown = 0;
	}
	call_arguments(s, thread, true);
	line_puts(line, ")");
	result_align(s, begin);
	line_puts(line, failed ? color(s, 2) : "");
	result_print(line, view);
	line_puts(line, failed ? color(s, 0) : "");
	if (s->show.calls.durations)
		line_printf(line, " <%" PRIu64 ".%06u>",
			    (time - thread->time) / 1000000000,
			    (unsigned int)((time - thread->time) % 1000000000 /
					   1000));
	return line_end(s) ?: stack_show(s, thread);
}

/* As strace has it for a call in which its thread was killed. */
static void put_no_result(struct syscalls *s, const struct thread *thread,
			  size_t begin)
{
	if (thread->shown < call_nr_arguments(&thread->view))
		line_puts(&s->line, " <unfinished ...>");
	line_puts(&s->line, ")");
	result_align(s, begin);
	line_puts(&s->line, "?");
}

int open_end(struct syscalls *s, struct thread *thread, uint32_t status)
{
	/* The first part of its line says that it did not return; only who made it is missing. */
	bool resumed = thread->begun;
	size_t begin;

	if (s->open == thread)
		s->open = NULL;
	if (!thread->inside || (resumed && !s->show.stacks) ||
	    s->show.calls.summary || s->show.calls.json ||
	    !status_is_shown(s, &thread->view, status))
		return 0;
	line_begin(s, thread, thread->time);
	begin = s->line.len;
	if (resumed)
		put_resumed(s, thread, thread->view.enter.type);
	else
		put_begun(s, thread);
	if (status == KTRACE_STATUS_UNFINISHED)
		put_no_result(s, thread, begin);
	else
		line_puts(&s->line, " <detached ...>");
	return line_end(s) ?: stack_show(s, thread);
}

int exited_show(struct syscalls *s, struct thread *thread, uint64_t time,
		int status)
{
	line_begin(s, thread, time);
	line_printf(&s->line, "+++ exited with %d +++", status);
	return line_end(s);
}

int call_show_last(struct syscalls *s, struct thread *thread)
{
	int err, status = call_argument(&thread->view, 0) & 0xff;
	size_t begin;

	if (!call_is_shown(s, &thread->view) ||
	    !status_is_shown(s, &thread->view, KTRACE_STATUS_UNFINISHED))
		return exited_show(s, thread, thread->time, status);
	line_begin(s, thread, thread->time);
	begin = s->line.len;
	call_open(s, thread);
	thread->shown = 0;
	call_arguments(s, thread, true);
	line_puts(&s->line, ")");
	result_align(s, begin);
	line_puts(&s->line, "?");
	err = line_end(s) ?: stack_show(s, thread);
	if (err)
		return err;
	return exited_show(s, thread, thread->time, status);
}
