// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * System calls in the notation of strace:
 *
 *	openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3
 *
 * A call is two events of one thread, which the library pairs
 * (<ktrace/span.h>).  The data of the first is kept until the second is there.
 * If another thread's event comes between them, the call is shown in two lines,
 * as strace does: one with what is known and "<unfinished ...>", and later one
 * with "<... resumed>".
 *
 * Signals are shown between calls if their event was recorded.  Other events
 * are not shown.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ktrace/capture_names.h>
#include <ktrace/span.h>

#include "base/loss.h"
#include "call.h"
#include "counts.h"
#include "line.h"
#include "program.h"
#include "show.h"
#include "thread.h"

#define COLUMN 40 /* where results are aligned, as by strace */

struct syscalls {
	struct ktrace_output show;
	struct output output;
	struct line line;
	struct threads threads;
	struct ktrace_spans *spans;
	struct thread *open; /* its call was begun by the last event */
	uint64_t waited;     /* when the call began that was open last time */
	uint64_t shown;	     /* the time of the last line, for relative ones */
	uint32_t first;	     /* tid of the first thread */
	bool several;
	struct counts counts;
};

static const char *const colors[] = {
	[0] = "\33[0m",
	[1] = "\33[1m",
	[2] = "\33[31m",
	[3] = "\33[2m",
};

static const char *color(const struct syscalls *s, int which)
{
	return s->show.calls.colors ? colors[which] : "";
}

static struct thread *thread_get(struct syscalls *s, uint32_t tid)
{
	struct thread *thread = threads_get(&s->threads, tid);

	if (thread && s->first && s->first != tid)
		s->several = true;
	if (thread && !s->first)
		s->first = tid;
	return thread;
}

/* ---- lines ---------------------------------------------------------------- */

static const char *name_shown(const struct call_view *view,
			      const struct ktrace_type *type)
{
	const char *name;
	bool exit;

	if (view->call)
		return view->call->shown;
	name = ktrace_call_name(type, &exit);
	return name ? name : "?";
}

static bool is_compat(const struct ktrace_type *type)
{
	return !strcmp(type->system, "compat_syscalls");
}

static void put_time_of_day(struct syscalls *s, uint64_t time)
{
	int64_t ns = line_time_of_day(ktrace_get_info(s->show.trace), time);
	unsigned int us = (uint64_t)ns % 1000000000 / 1000;
	time_t seconds = (uint64_t)ns / 1000000000;
	char text[16] = "";
	struct tm tm;

	if (s->show.calls.times == KTRACE_TIMES_EPOCH)
		line_printf(&s->line, "%" PRId64, (int64_t)seconds);
	else if (localtime_r(&seconds, &tm) &&
		 strftime(text, sizeof(text), "%H:%M:%S", &tm))
		line_puts(&s->line, text);
	if (s->show.calls.times != KTRACE_TIMES_SECONDS)
		line_printf(&s->line, ".%06u", us);
	line_puts(&s->line, " ");
}

/* Since the latest line before. */
static void put_relative(struct syscalls *s, uint64_t time)
{
	uint64_t us =
		s->shown && time > s->shown ? (time - s->shown) / 1000 : 0;
	bool beside = s->show.calls.times;

	line_printf(&s->line, "%s%6" PRIu64 ".%06u%s ", beside ? "(+" : "",
		    us / 1000000, (unsigned int)(us % 1000000),
		    beside ? ")" : "");
	/* A call that is shown at its return has the time at which it began. */
	if (time > s->shown)
		s->shown = time;
}

static void line_begin(struct syscalls *s, const struct thread *thread,
		       uint64_t time)
{
	struct line *line = &s->line;

	line->len = 0;
	if (s->show.calls.pids || s->several)
		line_printf(line, "%s[pid %5u]%s ", color(s, 3), thread->tid,
			    color(s, 0));
	if (s->show.calls.times)
		put_time_of_day(s, time);
	if (s->show.calls.relative)
		put_relative(s, time);
}

static int line_write(struct syscalls *s)
{
	line_puts(&s->line, "\n");
	output_write(&s->output, s->line.s, s->line.len);
	return s->output.err;
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

/* Prints the open call as far as known, and @why the rest is missing. */
static int open_suspend(struct syscalls *s, const char *why)
{
	struct thread *thread = s->open;

	s->open = NULL;
	if (!thread || thread->begun || s->show.calls.summary ||
	    s->show.calls.json)
		return 0;
	/* Only its return decides whether it is shown. */
	if (s->show.calls.returns)
		return 0;
	line_begin(s, thread, thread->time);
	call_open(s, thread);
	thread->shown = 0;
	call_arguments(s, thread, false);
	thread->begun = true;
	if (thread->shown && thread->shown < call_nr_arguments(&thread->view))
		line_puts(&s->line, ", ");
	line_printf(&s->line, " <%s ...>", why);
	return line_write(s);
}

static void result_align(struct syscalls *s, size_t begin)
{
	size_t used = s->line.len - begin, column = s->show.calls.column;

	do
		line_puts(&s->line, " ");
	while (!s->show.calls.colors && ++used < (column ?: COLUMN));
	line_puts(&s->line, "= ");
}

static int call_show(struct syscalls *s, struct thread *thread, uint64_t time)
{
	struct call_view *view = &thread->view;
	struct line *line = &s->line;
	size_t begin;
	bool failed = call_failed(view);

	line_begin(s, thread, thread->begun ? time : thread->time);
	begin = line->len;
	if (thread->begun) {
		line_puts(line, "<... ");
		line_text(line, name_shown(view, view->exit.type));
		line_puts(line, " resumed>");
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
	return line_write(s);
}

/* Was it asked for?  Else it was recorded only because it ends a process. */
static bool call_is_shown(const struct syscalls *s,
			  const struct call_view *view)
{
	const struct ktrace_output_calls *calls = &s->show.calls;

	return !calls->want || calls->want(view->enter.type, calls->data);
}

static int exited_show(struct syscalls *s, struct thread *thread, uint64_t time,
		       int status)
{
	line_begin(s, thread, time);
	line_printf(&s->line, "+++ exited with %d +++", status);
	return line_write(s);
}

/* Prints a call that does not return. */
static int call_show_last(struct syscalls *s, struct thread *thread)
{
	int err, status = call_argument(&thread->view, 0) & 0xff;
	size_t begin;

	if (!call_is_shown(s, &thread->view))
		return exited_show(s, thread, thread->time, status);
	line_begin(s, thread, thread->time);
	begin = s->line.len;
	call_open(s, thread);
	thread->shown = 0;
	call_arguments(s, thread, true);
	line_puts(&s->line, ")");
	result_align(s, begin);
	line_puts(&s->line, "?");
	err = line_write(s);
	if (err)
		return err;
	return exited_show(s, thread, thread->time, status);
}

/* ---- JSON ----------------------------------------------------------------- */

static void json_path(struct syscalls *s, const struct call_view *view)
{
	struct path_list list = paths_of(view, KTRACE_CALL_ARGUMENTS);
	const char *path;
	size_t length;

	if (!path_take(&list, &path, &length) || !length)
		return;
	output_puts(&s->output, ",\"path\":");
	json_string(&s->output, (const uint8_t *)path, length);
}

static int json_write(struct syscalls *s, struct thread *thread, uint64_t time,
		      bool returned)
{
	struct call_view *view = &thread->view;
	const char *name = name_shown(view, view->enter.type);
	struct output *output = &s->output;
	unsigned int nr = call_nr_arguments(view);
	struct line *line = &s->line;
	bool first = true;

	line->len = 0;
	line_printf(line,
		    "{\"time\":%" PRIu64 ",\"tid\":%u,\"call\":", thread->time,
		    thread->tid);
	output_write(output, line->s, line->len);
	json_string(output, (const uint8_t *)name, strlen(name));
	line->len = 0;
	line_puts(line, "");
	if (is_compat(view->enter.type))
		line_puts(line, ",\"compat\":true");
	line_puts(line, ",\"args\":[");
	output_write(output, line->s, line->len);
	for (unsigned int i = 0; i < nr; i++) {
		if (thread->inside && argument_needs_exit(view, i))
			break;
		line->len = 0;
		line_puts(line, "");
		if (!argument_print(line, view, i))
			break;
		if (!line->len)
			continue;
		if (!first)
			output_puts(output, ",");
		first = false;
		json_string(output, (const uint8_t *)line->s, line->len);
	}
	line->len = 0;
	line_puts(line, "]");
	if (returned) {
		line_printf(line, ",\"result\":%" PRId64, view->result);
		if (call_failed(view) && strerrorname_np(-view->result))
			line_printf(line, ",\"error\":\"%s\"",
				    strerrorname_np(-view->result));
		line_printf(line, ",\"ns\":%" PRIu64, time - thread->time);
	}
	output_write(output, line->s, line->len);
	if (returned)
		json_path(s, view);
	output_puts(output, "}\n");
	return output->err;
}

static int json_signal(struct syscalls *s, const struct thread *thread,
		       uint64_t time, const struct signal_view *view)
{
	struct line *line = &s->line;
	struct constant names;

	line->len = 0;
	names = constant_begin(line);
	line_printf(line, "{\"time\":%" PRIu64 ",\"tid\":%u,\"signal\":\"",
		    time, thread->tid);
	value_signal(line, view->number);
	line_puts(line, "\",\"code\":\"");
	signal_code(line, view);
	line_puts(line, "\"");
	signal_members(line, view, true);
	line_printf(line, ",\"kills\":%s}\n",
		    signal_effect(view) == SIGNAL_KILLS ? "true" : "false");
	constant_end_plain(line, &names);
	output_write(&s->output, line->s, line->len);
	return s->output.err;
}

/* ---- events --------------------------------------------------------------- */

static bool never_returns(const struct call_view *view)
{
	return view->call && (!strcmp(view->call->name, "exit") ||
			      !strcmp(view->call->name, "exit_group"));
}

static bool is_exec(const char *name)
{
	return !strncmp(name, "execve", 6);
}

/* Another thread of the process that is in an exec. */
static struct thread *exec_beside(struct syscalls *s,
				  const struct ktrace_event *event)
{
	for (struct thread *t = NULL; (t = threads_next(&s->threads, t));) {
		const char *name = "";
		bool exit;

		if (t->inside && t->tgid == event->tgid && t->tid != event->tid)
			name = ktrace_call_name(t->view.enter.type, &exit);
		if (is_exec(name))
			return t;
	}
	return NULL;
}

/*
 * After an exec the calling thread @from continues under the tid of the process, which was
 * that of @thread.  The own call of @thread, if any, has no end.
 */
static int exec_become(struct syscalls *s, struct thread *thread,
		       struct thread *from, uint64_t time)
{
	struct call_view view = thread->view;

	thread->view = from->view;
	from->view = view;
	thread->time = from->time;
	thread->begun = from->begun;
	thread->shown = from->shown;
	thread->inside = true;
	thread->replaced = false;
	/* It had ended but continues: others must not free it. */
	thread->ended = false;
	from->inside = false;
	threads_ended(&s->threads, from);
	if (s->show.calls.summary || s->show.calls.json)
		return 0;
	line_begin(s, thread, time);
	line_printf(&s->line, "+++ superseded by execve in pid %u +++",
		    from->tid);
	return line_write(s);
}

/* A process that exits kills all its other threads. */
static bool exits_with_others(struct syscalls *s,
			      const struct ktrace_event *event, int *status)
{
	const struct thread *process = thread_get(s, event->tgid);

	if (!process || !process->exiting)
		return false;
	*status = process->status;
	return true;
}

/*
 * An exec kills the other threads of the process, which is a normal end.  For
 * the first thread this is known only later: when the exec returns, or when its
 * thread is killed, too.
 */
static int killed_show(struct syscalls *s, struct thread *thread,
		       const struct ktrace_event *event)
{
	bool first = event->tid == event->tgid;
	struct thread *process;
	int err = 0, status;

	if (exits_with_others(s, event, &status))
		return exited_show(s, thread, event->time, status);
	if (exec_beside(s, event)) {
		thread->replaced = first;
		return first ? 0 : exited_show(s, thread, event->time, 0);
	}
	process = thread_get(s, event->tgid);
	if (process && process->replaced && !first) {
		process->replaced = false;
		line_begin(s, process, event->time);
		line_puts(&s->line, "+++ killed by SIGKILL +++");
		err = line_write(s);
	}
	line_begin(s, thread, event->time);
	line_puts(&s->line, "+++ killed by SIGKILL +++");
	return err ? err : line_write(s);
}

/* The thread has ended, so its call does not return. */
static void thread_ends(struct syscalls *s, struct thread *thread)
{
	thread->inside = false;
	ktrace_spans_exit(s->spans, thread->tid);
	threads_ended(&s->threads, thread);
}

static int signal_event(struct syscalls *s, struct thread *thread,
			const struct ktrace_event *event,
			const struct signal_view *view)
{
	enum signal_effect effect = signal_effect(view);
	struct constant name;
	int err;

	if (effect == SIGNAL_KILLS)
		thread_ends(s, thread);
	if (s->show.calls.summary)
		return 0;
	if (s->show.calls.json)
		return json_signal(s, thread, event->time, view);
	if (view->number == SIGKILL)
		return killed_show(s, thread, event);
	line_begin(s, thread, event->time);
	signal_print(&s->line, view);
	err = line_write(s);
	if (err || effect == SIGNAL_NOTHING)
		return err;
	line_begin(s, thread, event->time);
	line_puts(&s->line, effect == SIGNAL_KILLS ? "+++ killed by "
						   : "--- stopped by ");
	name = constant_begin(&s->line);
	value_signal(&s->line, view->number);
	constant_end_plain(&s->line, &name);
	line_puts(&s->line, effect == SIGNAL_KILLS ? " +++" : " ---");
	return line_write(s);
}

/* exit_group() ends all threads, with its status. */
static int process_ends(struct syscalls *s, const struct ktrace_event *event,
			const struct call_view *view)
{
	struct thread *process;

	if (strcmp(view->call->name, "exit_group"))
		return 0;
	process = thread_get(s, event->tgid);
	if (!process)
		return error_set(-ENOMEM, "out of memory");
	process->exiting = true;
	process->status = call_argument(view, 0) & 0xff;
	return 0;
}

static int enter_event(struct syscalls *s, struct thread *thread,
		       const struct ktrace_event *event)
{
	struct call_view *view = &thread->view;
	int err = thread_side(&view->enter, event);

	if (!err && ktrace_spans_event(s->spans, event) < 0)
		err = -ENOMEM;
	if (err)
		return error_set(err, "out of memory");
	view->exit.type = NULL;
	view->types = ktrace_get_types(s->show.trace);
	view->call = ktrace_call_find(event->type);
	view->string_max = s->show.calls.string_max;
	view->result = 0;
	thread->tgid = event->tgid;
	thread->time = event->time;
	thread->begun = false;
	thread->inside = true;
	thread->ended = false;
	thread->exiting = false;
	thread->replaced = false;
	s->open = thread;
	if (!never_returns(view))
		return 0;
	s->open = NULL;
	thread_ends(s, thread);
	err = process_ends(s, event, view);
	if (err || s->show.calls.returns)
		return err;
	if (s->show.calls.json)
		return call_is_shown(s, view)
			       ? json_write(s, thread, event->time, false)
			       : 0;
	return s->show.calls.summary ? 0 : call_show_last(s, thread);
}

/* What the thread did when events were lost has returned since: how is not known. */
static int result_lost(struct syscalls *s, struct thread *thread)
{
	int err = 0;

	if (thread->inside && s->show.calls.json && !s->show.calls.summary &&
	    !s->show.calls.returns)
		err = json_write(s, thread, 0, false);
	thread->inside = false;
	return err;
}

static int exit_event(struct syscalls *s, struct thread *thread,
		      const struct ktrace_event *event)
{
	const struct ktrace_field *result =
		ktrace_field_find(event->type, "ret");
	struct call_view *view = &thread->view;
	uint32_t begun;
	int step, err = 0;

	if (!result)
		return 0;
	step = ktrace_spans_event(s->spans, event);
	if (step < 0)
		return error_set(step, "out of memory");
	/*
	 * It began before the trace, or this is the first return of a new
	 * thread.
	 */
	if (!(step & KTRACE_SPAN_ENDS))
		return result_lost(s, thread);
	begun = ktrace_spans_ended(s->spans)->tid;
	if (begun != thread->tid)
		err = exec_become(s, thread, threads_get(&s->threads, begun),
				  event->time);
	err = err ? err : thread_side(&view->exit, event);
	if (err)
		return error_set(err, "out of memory");
	view->result = ktrace_field_int(event, result);
	thread->inside = false;
	s->open = NULL;
	if (s->show.calls.returns &&
	    call_failed(view) !=
		    (s->show.calls.returns == KTRACE_RETURNS_FAILED))
		return 0;
	if (s->show.calls.summary || s->show.calls.counts)
		err = counts_add(&s->counts, name_shown(view, event->type),
				 event->time - thread->time, call_failed(view));
	if (err || s->show.calls.summary)
		return err;
	if (s->show.calls.json)
		return json_write(s, thread, event->time, true);
	return call_show(s, thread, event->time);
}

static int syscalls_event(struct ktrace_output *show,
			  const struct ktrace_event *event)
{
	struct syscalls *s = (struct syscalls *)show;
	struct signal_view signal;
	struct thread *thread;
	const char *name;
	bool exit = false;
	int err;

	name = ktrace_call_name(event->type, &exit);
	if (!name && !signal_read(event, &signal))
		return 0;
	thread = thread_get(s, event->tid);
	if (!thread)
		return error_set(-ENOMEM, "out of memory");
	/* An event of another thread, or a signal. */
	if (s->open && (s->open != thread || !exit)) {
		err = open_suspend(s, "unfinished");
		if (err)
			return err;
	}
	if (!name)
		return signal_event(s, thread, event, &signal);
	return exit ? exit_event(s, thread, event)
		    : enter_event(s, thread, event);
}

static int syscalls_open(struct ktrace_output *show)
{
	struct syscalls *s = (struct syscalls *)show;

	s->line.strings = show->calls.strings;
	s->line.constants = show->calls.constants;
	/* No cursor: the events shown here say who has ended. */
	if (output_init(&s->output, show->write, show->data) ||
	    ktrace_spans_create(NULL, &s->spans))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

static int syscalls_loss(struct ktrace_output *show,
			 const struct ktrace_loss *loss)
{
	struct syscalls *s = (struct syscalls *)show;

	/* A call that may have returned there is not paired with a later return. */
	if (!loss->programs && loss_is_event(loss->cause)) {
		ktrace_spans_loss(s->spans, loss);
		if (open_suspend(s, "unfinished"))
			return s->output.err;
	}
	s->line.len = 0;
	line_printf(&s->line, "*** cpu %u: %" PRIu64 " events lost (%s) ***",
		    loss->cpu, loss->count, loss_cause(loss->cause));
	return s->show.calls.json || s->show.calls.summary ? 0 : line_write(s);
}

/* Shows a call that was open at the last look: users may look for it. */
static int round_finish(struct syscalls *s)
{
	int err = 0;

	if (s->open && s->open->time == s->waited)
		err = open_suspend(s, "unfinished");
	s->waited = s->open ? s->open->time : 0;
	return err ? err : output_flush(&s->output);
}

static int begun_compare(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a;
	const struct thread *y = *(struct thread *const *)b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1)
				  : (x->tid < y->tid ? -1 : x->tid > y->tid);
}

/*
 * Calls that are still open have no result; one of them may be the one that hangs.
 */
static int json_open(struct syscalls *s)
{
	struct thread **open = calloc(s->threads.by_tid.nr + 1, sizeof(*open));
	size_t nr = 0;
	int err = 0;

	if (!open)
		return error_set(-ENOMEM, "out of memory");
	for (struct thread *t = NULL; (t = threads_next(&s->threads, t));) {
		if (t->inside)
			open[nr++] = t;
	}
	qsort(open, nr, sizeof(*open), begun_compare);
	for (size_t i = 0; !err && i < nr; i++)
		err = json_write(s, open[i], 0, false);
	free(open);
	return err;
}

static int syscalls_finish(struct ktrace_output *show)
{
	struct syscalls *s = (struct syscalls *)show;
	int err = 0;

	if (ktrace_get_info(show->trace)->live)
		return round_finish(s);
	if (s->show.calls.json && !s->show.calls.returns &&
	    !s->show.calls.summary)
		err = json_open(s);
	else
		err = open_suspend(s, "detached");
	if (s->show.calls.summary || s->show.calls.counts)
		counts_write(&s->counts, s->show.calls.sort, &s->output);
	return err ? err : output_flush(&s->output);
}

static void syscalls_release(struct ktrace_output *show)
{
	struct syscalls *s = (struct syscalls *)show;

	ktrace_spans_destroy(s->spans);
	threads_destroy(&s->threads);
	counts_destroy(&s->counts);
	free(s->line.s);
	output_destroy(&s->output);
}

const struct show_ops show_strace = {
	.kind.name = "strace",
	.kind.what = "system calls only, in the notation of strace",
	.size = sizeof(struct syscalls),
	.open = syscalls_open,
	.event = syscalls_event,
	.loss = syscalls_loss,
	.finish = syscalls_finish,
	.release = syscalls_release,
};
