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
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/loss.h"
#include "syscalls.h"

static struct thread *thread_get(struct syscalls *s, uint32_t tid)
{
	struct thread *thread = threads_get(&s->threads, tid);

	if (thread && s->first && s->first != tid)
		s->several = true;
	if (thread && !s->first)
		s->first = tid;
	return thread;
}

static bool never_returns(const struct call_view *view)
{
	return view->call && (!strcmp(view->call->name, "exit") ||
			      !strcmp(view->call->name, "exit_group"));
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
	return line_end(s);
}

static bool signal_is_hidden(const struct syscalls *s, int number)
{
	return number > 0 && number <= 64 &&
	       s->show.calls.signals_hidden >> (number - 1) & 1;
}

/* The signal that matters: by SIGKILL the kernel ends threads for other reasons, too.  0: none. */
static int number_of(const struct signal_view *view)
{
	if (view->number != SIGKILL)
		return view->number;
	return WIFSIGNALED(view->exit_code) ? WTERMSIG(view->exit_code) : 0;
}

/* "+++ killed by SIGTERM +++": @mark is around it. */
static int signal_line(struct syscalls *s, struct thread *thread, uint64_t time,
		       const char *mark, const char *what, int number)
{
	struct constant name;

	line_begin(s, thread, time);
	line_printf(&s->line, "%s %s by ", mark, what);
	name = constant_begin(&s->line);
	value_signal(&s->line, number);
	constant_end_plain(&s->line, &name);
	line_printf(&s->line, " %s", mark);
	return line_end(s);
}

static int killed_line(struct syscalls *s, struct thread *thread, uint64_t time,
		       int number)
{
	return signal_line(s, thread, time, "+++", "killed", number);
}

/*
 * By SIGKILL the kernel ends threads: those of a process that exits, or that a signal kills, and
 * the others of a process when one executes a program.  If this is the first thread, the one that
 * executes takes its place.
 */
static int ended_show(struct syscalls *s, struct thread *thread,
		      const struct ktrace_event *event, int code)
{
	bool first = event->tid == event->tgid;
	struct thread *process;
	int err = 0;

	if (thread->told) {
		thread->told = false;
		return 0;
	}
	if (code == PROCESS_GOES_ON) {
		thread->replaced = first;
		return first ? 0 : exited_show(s, thread, event->time, 0);
	}
	if (!WIFSIGNALED(code))
		return exited_show(s, thread, event->time, WEXITSTATUS(code));
	process = thread_get(s, event->tgid);
	if (process && process->replaced && !first) {
		process->replaced = false;
		process->told = true;
		err = killed_line(s, process, event->time, WTERMSIG(code));
	}
	return err ?: killed_line(s, thread, event->time, WTERMSIG(code));
}

/* The thread has ended, so its call does not return. */
static void thread_ends(struct syscalls *s, struct thread *thread)
{
	thread->inside = false;
	ktrace_spans_exit(s->spans, thread->tid);
	threads_ended(&s->threads, thread);
}

/*
 * The thread was killed in its call.  Without a filter, the first part of the call's line was shown
 * when the signal came; only who made it is missing.
 */
static int call_killed(struct syscalls *s, struct thread *thread)
{
	if (!s->show.calls.json)
		return s->filtered || s->show.stacks
			       ? open_end(s, thread, KTRACE_STATUS_UNFINISHED)
			       : 0;
	if (!thread->inside || s->show.calls.summary ||
	    !status_is_shown(s, &thread->view, KTRACE_STATUS_UNFINISHED))
		return 0;
	return json_write(s, thread, 0, false);
}

static int signal_event(struct syscalls *s, struct thread *thread,
			const struct ktrace_event *event,
			const struct signal_view *view)
{
	enum signal_effect effect = signal_effect(view);
	bool hidden = signal_is_hidden(s, number_of(view));
	int err;

	err = effect == SIGNAL_KILLS ? call_killed(s, thread) : 0;
	if (effect == SIGNAL_KILLS)
		thread_ends(s, thread);
	if (err || s->show.calls.summary)
		return err;
	if (s->show.calls.json)
		return hidden ? 0 : json_signal(s, thread, event->time, view);
	if (hidden)
		return 0;
	if (view->number == SIGKILL)
		return ended_show(s, thread, event, view->exit_code);
	line_begin(s, thread, event->time);
	signal_print(&s->line, view);
	err = line_end(s);
	if (err || effect == SIGNAL_NOTHING)
		return err;
	if (effect == SIGNAL_KILLS)
		return killed_line(s, thread, event->time, view->number);
	return signal_line(s, thread, event->time, "---", "stopped",
			   view->number);
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
	view->unabbreviated = s->show.calls.unabbreviated;
	view->result = 0;
	thread->tgid = event->tgid;
	thread->time = event->time;
	thread->begun = false;
	thread->inside = true;
	thread->ended = false;
	thread->replaced = false;
	thread->told = false;
	s->open = thread;
	if (!never_returns(view))
		return 0;
	s->open = NULL;
	thread_ends(s, thread);
	if (s->show.calls.json)
		return call_is_shown(s, view) &&
				       status_is_shown(s, view,
						       KTRACE_STATUS_UNFINISHED)
			       ? json_write(s, thread, event->time, false)
			       : 0;
	return s->show.calls.summary ? 0 : call_show_last(s, thread);
}

/* What the thread did when events were lost has returned since: how is not known. */
static int result_lost(struct syscalls *s, struct thread *thread)
{
	int err = 0;

	if (thread->inside && s->show.calls.json && !s->show.calls.summary &&
	    !s->filtered)
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
	if (!status_is_shown(s, view,
			     call_failed(view) ? KTRACE_STATUS_FAILED
					       : KTRACE_STATUS_OK))
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

/* Threads that have lines of their own are not in each other's way. */
static void open_choose(struct syscalls *s, struct thread *thread)
{
	if (s->show.calls.separate)
		s->open = thread->inside && !thread->begun ? thread : NULL;
}

static int all_suspend(struct syscalls *s)
{
	int err = 0;

	if (!s->show.calls.separate)
		return open_suspend(s);
	for (struct thread *t = NULL;
	     !err && (t = threads_next(&s->threads, t));) {
		open_choose(s, t);
		err = open_suspend(s);
	}
	return err;
}

/* A new process or thread has the name of who has made it, also before it does anything. */
static int child_name(struct syscalls *s, const struct thread *thread,
		      const struct ktrace_event *event, const char *call)
{
	const struct ktrace_field *result =
		ktrace_field_find(event->type, "ret");
	int64_t tid = result ? ktrace_field_int(event, result) : 0;
	struct thread *child;

	if (tid <= 0 || tid > INT32_MAX ||
	    (strncmp(call, "clone", 5) != 0 && strcmp(call, "fork") != 0 &&
	     strcmp(call, "vfork") != 0))
		return 0;
	child = threads_get(&s->threads, tid);
	if (!child)
		return -ENOMEM;
	/*
	 * A number that was another one's is in use again.  But a child may have ended before this
	 * return, as that of vfork() does if it has called another program: it keeps its name.
	 */
	if (!*child->comm || (child->ended && child->time < thread->time)) {
		memcpy(child->comm, thread->comm, sizeof(child->comm));
		child->task = UINT64_MAX;
	}
	return 0;
}

/*
 * At the return of an exec the thread has another name, but the call was made with the one before.
 */
static int names_follow(struct syscalls *s, struct thread *thread,
			const struct ktrace_event *event, const char *call,
			bool exit)
{
	if (!s->show.calls.comms)
		return 0;
	if (!exit || thread->begun || !thread->inside)
		thread_name(thread, event);
	return exit && call ? child_name(s, thread, event, call) : 0;
}

/* An event of another thread, or what is no return, interrupts the line of the open call. */
static int open_leave(struct syscalls *s, struct thread *thread, bool returns)
{
	open_choose(s, thread);
	return s->open && (s->open != thread || !returns) ? open_suspend(s) : 0;
}

static int signal_pass(struct syscalls *s, const struct ktrace_event *event,
		       const struct signal_view *view)
{
	struct thread *thread = thread_get(s, event->tid);

	if (!thread)
		return error_set(-ENOMEM, "out of memory");
	return open_leave(s, thread, false)
		       ?: signal_event(s, thread, event, view);
}

static int held_pass(struct syscalls *s, const struct signal_held *held)
{
	struct thread *thread = thread_get(s, held->event.tid);

	if (thread && !held->late)
		thread->signal = (struct signal_last){0};
	return signal_pass(s, &held->event, &held->view);
}

/* What was held back is shown before what @event is; NULL: all of it. */
static int signals_pass(struct syscalls *s, const struct ktrace_event *event,
			const struct signal_view *view)
{
	struct signal_held held;
	int err = 0;

	while (!err && signal_pairs_next(&s->signals, event, view, &held))
		err = held_pass(s, &held);
	return err;
}

static int syscalls_event(struct ktrace_output *show,
			  const struct ktrace_event *event)
{
	struct syscalls *s = (struct syscalls *)show;
	struct signal_view signal;
	struct thread *thread;
	bool exit = false, is_signal;
	const char *name;
	int err;

	name = ktrace_call_name(event->type, &exit);
	is_signal = !name && signal_read(event, &signal);
	err = signals_pass(s, event, is_signal ? &signal : NULL);
	if (err || (!name && !is_signal))
		return err;
	thread = thread_get(s, event->tid);
	if (!thread || names_follow(s, thread, event, name, exit))
		return error_set(-ENOMEM, "out of memory");
	if (is_signal)
		return signal_pairs_take(&s->signals, &thread->signal,
					 ktrace_get_types(show->trace), event,
					 &signal)
			       ? signal_pass(s, event, &signal)
			       : 0;
	thread->signal = (struct signal_last){0};
	err = open_leave(s, thread, exit);
	if (err)
		return err;
	return exit ? exit_event(s, thread, event)
		    : enter_event(s, thread, event);
}

static int syscalls_open(struct ktrace_output *show)
{
	struct syscalls *s = (struct syscalls *)show;

	s->line.strings = show->calls.strings;
	s->line.constants = show->calls.constants;
	if (show->calls.separate && show->calls.json)
		return error_set(-EINVAL, "objects are not separated");
	if (show->time && show->calls.json)
		return error_set(-EINVAL, "objects have times of their own");
	times_init(&s->times, show->trace, show->time);
	s->line.files_hidden = show->calls.paths_hidden
				       ? UINT32_MAX
				       : show->calls.files_hidden;
	s->statuses = show->calls.statuses ?: KTRACE_STATUS_ALL;
	if (!show->calls.statuses && show->calls.returns == KTRACE_RETURNS_OK)
		s->statuses = KTRACE_STATUS_OK;
	if (!show->calls.statuses &&
	    show->calls.returns == KTRACE_RETURNS_FAILED)
		s->statuses = KTRACE_STATUS_FAILED;
	s->filtered = s->statuses != KTRACE_STATUS_ALL || show->calls.touching;
	if (show->calls.comms) {
		s->line.comm = threads_comm;
		s->line.data = &s->threads;
	}
	if (show->stacks && output_init(&s->stacks, below_write, s))
		return error_set(-ENOMEM, "out of memory");
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
	struct signal_held held;
	int err = 0;

	while (!err && signal_pairs_lost(&s->signals, loss->cpu, &held))
		err = held_pass(s, &held);
	if (err)
		return err;
	/* A call that may have returned there is not paired with a later return. */
	if (!loss->programs && loss_is_event(loss->cause)) {
		ktrace_spans_loss(s->spans, loss);
		err = all_suspend(s);
		if (err)
			return err;
	}
	s->line.len = 0;
	s->writing = 0;
	line_printf(&s->line, "*** cpu %u: %" PRIu64 " events lost (%s) ***",
		    loss->cpu, loss->count, loss_cause(loss->cause));
	return s->show.calls.json || s->show.calls.summary ? 0 : line_end(s);
}

/* Shows a call that was open at the last look: users may look for it. */
static int round_finish(struct syscalls *s)
{
	struct signal_held held;
	int err = 0;

	while (!err && signal_pairs_waited(&s->signals, &held))
		err = held_pass(s, &held);
	if (err)
		return err;
	signal_pairs_round(&s->signals);
	if (s->show.calls.separate)
		return output_flush(&s->output);
	if (s->open && s->open->time == s->waited)
		err = open_suspend(s);
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
 * Calls that are still open have no result; one of them may be the one that hangs.  They are shown
 * in the order in which they began.
 */
static int open_all(struct syscalls *s,
		    int (*show)(struct syscalls *s, struct thread *thread))
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
		err = show(s, open[i]);
	free(open);
	return err;
}

static int call_detach(struct syscalls *s, struct thread *thread)
{
	if (!s->show.calls.json)
		return open_end(s, thread, KTRACE_STATUS_DETACHED);
	return status_is_shown(s, &thread->view, KTRACE_STATUS_DETACHED)
		       ? json_write(s, thread, 0, false)
		       : 0;
}

static int syscalls_finish(struct ktrace_output *show)
{
	struct syscalls *s = (struct syscalls *)show;
	int err;

	if (ktrace_get_info(show->trace)->live)
		return round_finish(s);
	err = signals_pass(s, NULL, NULL);
	if (!err && !s->show.calls.summary)
		err = open_all(s, call_detach);
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
	wanted_destroy(&s->wanted);
	output_destroy(&s->stacks);
	output_destroy(&s->output);
}

const struct show_ops show_strace = {
	.kind.name = "strace",
	.kind.what = "system calls only, in the notation of strace",
	.kind.times = true,
	.size = sizeof(struct syscalls),
	.open = syscalls_open,
	.event = syscalls_event,
	.loss = syscalls_loss,
	.finish = syscalls_finish,
	.release = syscalls_release,
};
