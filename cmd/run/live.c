// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "cmd.h"
#include "common/misses.h"
#include "common/trace.h"
#include "live.h"
#include "own_session.h"
#include "wait.h"

#define BUFFER	 (4ull << 20)
#define ROUND_MS 100 /* between two reads of what was recorded */

/* Showing */

static int output_open(struct live *live)
{
	struct ktrace_output_options options = {.size = sizeof(options)};

	options.fd = live->fd;
	live->options(live->data, &options);
	if (ktrace_output_create(live->shown, live->kind, &options,
				 &live->view))
		return failed_in_library();
	return EXIT_OK;
}

static int view_open(struct live *live)
{
	if (ktrace_recording_follow(live->recording, !live->trace,
				    &live->shown) ||
	    ktrace_cursor_create(live->shown, NULL, &live->cursor))
		return failed_in_library();
	return live->calls ? live->calls->begin(live->data) : output_open(live);
}

/* False: what was recorded cannot be shown. */
static bool view_sync(struct live *live)
{
	uint64_t now = now_ns();

	if (live->view_error)
		return false;
	if (ktrace_recording_sync(live->recording, live->shown)) {
		live->view_error = -EIO;
		failed_in_library();
		return false;
	}
	/* See ktrace_recording_follow(). */
	live->complete = live->synced;
	live->synced = now;
	return true;
}

/* Shows what was recorded until now.  False: it cannot be shown, or need not. */
static bool view_more(void *data)
{
	struct live *live = data;

	if (!view_sync(live))
		return false;
	if (live->calls) {
		live->left = !live->calls->more(live->data);
		return !live->left;
	}
	live->view_error =
		ktrace_output_run(live->view, live->cursor, NULL, NULL);
	if (live->view_error && live->view_error != -EPIPE)
		failed_in_library();
	return !live->view_error;
}

/* After the recording was stopped. */
static int view_end(struct live *live)
{
	int status = EXIT_OK;

	if (live->calls) {
		if (view_sync(live))
			live->complete = live->synced;
		status = live->calls->end(live->data);
	} else {
		view_more(live);
	}
	if (!status && live->view_error && live->view_error != -EPIPE)
		status = EXIT_FAILED;
	return status;
}

static void view_close(struct live *live)
{
	ktrace_output_destroy(live->view);
	ktrace_cursor_destroy(live->cursor);
	if (live->shown)
		trace_complain(live->shown);
	ktrace_close(live->shown);
}

/* Running */

static const char *events_wait(struct live *live)
{
	struct wait wait = {
		.signals = &live->signals,
		.child = &live->child,
		.processes = &live->processes,
		.failed_fd = ktrace_recording_fd(live->recording),
		.began = now_ns(),
		.duration = live->duration,
		.round_ms = live->calls ? live->calls->round_ms : ROUND_MS,
		.input = live->calls && live->calls->input,
		.round = view_more,
		.data = live,
	};
	const char *reason = wait_for_end(&wait);

	live->terminated = wait.terminated;
	return live->left ? "stopped" : reason;
}

/*
 * With the lowest priority: the traced processes need the CPU more.  Who looks at a screen waits for
 * it.
 */
static const char *events_follow(struct live *live)
{
	static const struct sched_param param;
	int before = sched_getscheduler(0);
	const char *reason;

	/*
	 * A high nice value is not enough: waking up would still preempt
	 * others.
	 */
	if (before == SCHED_OTHER && !live->calls)
		sched_setscheduler(0, SCHED_IDLE, &param);
	reason = events_wait(live);
	if (before == SCHED_OTHER && !live->calls)
		sched_setscheduler(0, before, &param);
	return reason;
}

static int processes_choose(struct live *live)
{
	pid_t *pids;
	size_t nr;
	int status;

	status = processes_pids(&live->processes, live->child.pid, &pids, &nr);
	if (status)
		return status;
	status = pids_write(live->session, pids, nr);
	free(pids);
	return status;
}

/* Makes everything ready, so that the program may start. */
static int record_start(struct live *live)
{
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.directory = live->directory,
		.version = "ktrace " KTRACE_VERSION,
		.command = live->argv,
		.buffer = BUFFER,
		.follow = true,
		.unread = !live->trace,
	};
	int status;

	status = live->machine ? EXIT_OK : processes_choose(live);
	if (status)
		return status;
	if (ktrace_recording_create(live->session, &options,
				    &live->recording) ||
	    ktrace_recording_start(live->recording))
		return failed_in_library();
	return view_open(live);
}

/* What the kernel could not record is in no event. */
static void misses_tell(const struct live *live)
{
	const struct ktrace_miss *misses;
	size_t nr = ktrace_recording_misses(live->recording, &misses);

	misses_say(misses, nr);
}

static int record(struct live *live)
{
	const char *reason = "command";
	int status, ended;

	status = live->enable(live->data);
	if (status)
		return status;
	if (live->argv) {
		status =
			child_prepare(&live->child, live->argv, &live->signals);
		if (status)
			return status;
	}
	status = record_start(live);
	if (status) {
		child_cancel(&live->child);
		goto out;
	}
	if (live->argv)
		status = child_go(&live->child, live->argv);
	else if (!live->calls)
		say("recording: Ctrl-C ends it");
	if (!status)
		reason = events_follow(live);
	if (ktrace_recording_stop(live->recording, reason) && !status)
		status = failed_in_library();
	ended = view_end(live);
	status = status ?: ended;
	misses_tell(live);
out:
	view_close(live);
	return status;
}

static int session_run(struct live *live)
{
	int status = own_session_open(live->name, &live->session);

	status = status ?: record(live);
	ktrace_recording_destroy(live->recording);
	own_session_close(live->session);
	return status;
}

static int directory_choose(struct live *live)
{
	const char *tmp = getenv("TMPDIR");

	if (live->trace) {
		live->directory = strdup(live->trace);
		return live->directory ? EXIT_OK : failed("out of memory");
	}
	snprintf(live->parent, sizeof(live->parent), "%s/ktrace-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(live->parent)) {
		failed("%s: %s", live->parent, strerror(errno));
		*live->parent = '\0';
		return EXIT_FAILED;
	}
	if (asprintf(&live->directory, "%s/trace", live->parent) < 0) {
		live->directory = NULL;
		return failed("out of memory");
	}
	return EXIT_OK;
}

static void directory_leave(struct live *live)
{
	if (!*live->parent)
		return;
	if (live->directory)
		ktrace_remove(live->directory);
	rmdir(live->parent);
}

int live_run(struct live *live)
{
	int status, ended;

	if (live->argv) {
		status = child_check(live->argv);
		if (status)
			return status;
	}
	if (live->output)
		live->fd = open(live->output,
				O_WRONLY | O_CREAT | O_CLOEXEC |
					(live->append ? O_APPEND : O_TRUNC),
				0666);
	if (live->fd < 0)
		return failed("%s: %s", live->output, strerror(errno));
	status = directory_choose(live);
	if (!status)
		status = signals_prepare(&live->signals);
	if (!status)
		status = session_run(live);
	directory_leave(live);
	if (live->output)
		close(live->fd);
	ended = child_finish(&live->child, &live->signals);
	if (!status)
		status = ended;
	if (!status && live->terminated)
		status = 128 + live->terminated;
	return status;
}

void live_free(struct live *live)
{
	processes_free(&live->processes);
	free(live->directory);
}
