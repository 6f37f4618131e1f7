// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace record: records a trace.
 *
 * In all cases the session has no event enabled afterwards, and our exit status
 * is that of the command.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/branches.h>
#include <ktrace/recording.h>

#include "base/now.h"
#include "cmd.h"
#include "common/calls.h"
#include "common/output.h"
#include "common/select.h"
#include "common/trace.h"
#include "common/value.h"
#include "run/events.h"
#include "run/functions.h"
#include "run/wait.h"
#include "record.h"
#include "run/threads.h"

/* How often those who follow get a sync, and sizes are looked at. */
#define ROUND_MS 100
/* How often it is looked whether somebody follows a trace on disk. */
#define LOOK_MS 500

/* Events */

static int functions_choose(struct record *r, bool alone)
{
	struct ktrace_functions functions = {
		.size = sizeof(functions),
		.roots = r->functions.list,
		.nr_roots = r->functions.nr,
		.plain = r->plain,
		.reads = r->reads.list,
		.nr_reads = r->reads.nr,
		.entry_filter = r->entered,
		.around = r->around.list,
		.nr_around = r->around.nr,
	};

	if (!r->functions.nr)
		return EXIT_OK;
	if (stacks_of_functions(&r->stacks, alone, &functions.stacks))
		return EXIT_FAILED;
	r->nr_events += 2; /* function:entry, function:exit */
	return functions_enable(r->session, &functions);
}

/* The session may have a rate that an earlier recorder has chosen. */
static int rate_choose(struct record *r)
{
	char text[16];

	if (!record_samples_are_wanted(r))
		return EXIT_OK;
	snprintf(text, sizeof(text), "%u",
		 r->rate ?: KTRACE_SAMPLE_RATE_DEFAULT);
	if (!ktrace_session_write(r->session, "profile_rate", text))
		return EXIT_OK;
	/* A pattern fits the event, but its module is not loaded: nobody has asked for it. */
	return r->rate ? failed_in_library() : EXIT_OK;
}

static int events_choose(struct record *r)
{
	bool only;
	int status = probes_make(&r->probes, r->session, &r->selection,
				 r->processes.nr ? r->processes.list->pid : 0);

	if (status)
		return status;
	/* With -M or -F but no -e and no -P, records only these. */
	only = (r->markers.nr || r->functions.nr) &&
	       selection_is_all(&r->selection);
	/* First: what has a stack must not be enabled, and -e may mean function:entry, too. */
	status = functions_choose(r, only);
	if (!only && !status)
		status = events_enable(r->session, &r->selection, &r->stacks,
				       &r->decoded, &r->nr_events);
	return status ?: rate_choose(r) ?: record_markers_enable(r);
}

/* What an earlier recorder left */

static int leftovers_handle(struct record *r)
{
	uint64_t left = 0;
	bool running;
	char *text;

	if (ktrace_session_read(r->session, "enabled", &text, NULL))
		return failed_in_library();
	running = *text == '1';
	free(text);
	if (running && ktrace_session_write(r->session, "enabled", "0"))
		return failed_in_library();
	if (ktrace_session_left(r->session, &left))
		return failed_in_library();
	r->left = left;
	if (left && r->keep)
		say("the recorder before this one did not come to its end: the "
		    "%s events that it left in the buffers begin this trace",
		    count_text(left).s);
	else if (left || running)
		say("the recorder before this one did not come to its end: the "
		    "%s events that it left in the buffers are dropped (--keep "
		    "takes them)",
		    count_text(left).s);
	r->keep = r->keep && left;
	return (r->keep ? ktrace_session_clear(r->session)
			: ktrace_session_reset(r->session))
		       ? failed_in_library()
		       : EXIT_OK;
}

/* During the recording */

/* Packets of programs that are being filled come into the next part as a whole: nobody may see them before. */
static bool may_follow(const struct record *r)
{
	return !(r->parts.possible && r->markers.nr) && !r->overwrite &&
	       !r->untold;
}

static int round_ms(const struct record *r)
{
	if (r->stream || r->followed || r->parts.bytes || r->parts.ns ||
	    r->parts.all || r->parts.event)
		return ROUND_MS;
	return r->progress || may_follow(r) ? LOOK_MS : 0;
}

/* False: the recording cannot continue. */
static bool readers_sync(struct record *r)
{
	uint64_t now = now_ns();

	if (!r->stream && !may_follow(r))
		return true;
	r->followed = ktrace_recording_is_followed(r->recording);
	r->wait->round_ms = round_ms(r);
	if ((!r->stream && !r->followed) ||
	    now - r->synced < ROUND_MS * 1000000ull)
		return true;
	r->synced = now;
	if (!ktrace_recording_sync(r->recording, NULL))
		return true;
	if (r->stream) {
		failed_in_library();
		r->stream_failed = true;
		return false;
	}
	/* What a feed cannot write ends the recording, and not by this. */
	record_progress_clear(r);
	failed("%s: the recording goes on, but who follows it sees no more "
	       "before its end",
	       ktrace_last_error());
	r->untold = true;
	r->followed = false;
	r->wait->round_ms = round_ms(r);
	return true;
}

static bool round_pass(void *data)
{
	struct record *r = data;

	if (now_ns() - r->shown >= 450000000)
		record_progress_show(r);
	return readers_sync(r) && record_parts_round(r, &r->wait->reason);
}

static bool signalled(void *data)
{
	return record_parts_signalled(data);
}

/* The first Ctrl-C is for the command, the second one ends the recording. */
static bool command_interrupted(void *data)
{
	struct record *r = data;

	if (r->interrupted)
		return true;
	record_progress_clear(r);
	say("waiting for the command to end; Ctrl-C again ends the recording");
	r->interrupted = true;
	return false;
}

/* Returns why it ended. */
static const char *events_wait(struct record *r)
{
	struct wait wait = {
		.signals = &r->signals,
		.child = &r->child,
		.processes = &r->processes,
		.failed_fd = ktrace_recording_fd(r->recording),
		.began = r->began,
		.duration = r->duration,
		.round_ms = round_ms(r),
		.round = round_pass,
		.signalled = signalled,
		.interrupted = command_interrupted,
		.data = r,
	};
	const char *reason;

	r->wait = &wait;
	reason = wait_for_end(&wait);
	r->terminated = wait.terminated;
	return reason;
}

static void warn(void *data, const char *text)
{
	say("%s", text);
}

/*
 * While debug files are asked for, at the end: a signal ends the asking, and the command, which
 * may run longer than the recording.
 */
static bool asking_interrupted(void *data)
{
	struct record *r = data;
	bool by_program;
	int number;

	do
		number = signals_take(&r->signals, &by_program);
	while (number == SIGCHLD || number == SIGUSR2);
	/* The terminal sends it also to the command. */
	if (number && by_program && r->child.pid &&
	    !child_reap(&r->child, false))
		kill(r->child.pid, number);
	if (number && number != SIGINT)
		r->terminated = number;
	return number;
}

/* Programs run at their speed again, and none of their events is recorded without branches. */
static int branches_end(struct record *r)
{
	int status = EXIT_OK;

	if (r->branches && ktrace_session_write(r->session, "enabled", "0"))
		status = failed_in_library();
	ktrace_branches_close(r->branches);
	r->branches = NULL;
	return status;
}

static int record_run(struct record *r)
{
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.directory = r->stream ? NULL : r->output,
		.output = r->out,
		.version = "ktrace " KTRACE_VERSION,
		.command = r->command,
		.overwrite = r->overwrite,
		.cpus = r->cpus,
		.buffer = r->buffer,
		.keep = r->keep,
		.programs = r->markers.nr ? r->markers.list : NULL,
		.nr_programs = r->markers.nr,
		.warn = warn,
		.debuginfod = debuginfod_options(&r->debuginfod),
	};
	const char *reason;
	int status = EXIT_OK;

	if (r->session)
		status = record_stacks_prepare(r) ?: events_choose(r);
	status = status ?: record_trigger_open(r) ?: record_parts_prepare(r);
	if (status)
		return status;
	if (r->command) {
		status = child_prepare(&r->child, r->command, &r->signals);
		if (status)
			return status;
	}
	status = record_branches_begin(r);
	options.branches = r->way;
	if (status)
		goto err_cancel;
	/* The command has its own environment by now. */
	debuginfod_patience(&r->debuginfod);
	status = processes_pids(&r->processes, r->only ? r->child.pid : 0,
				&r->pids, &r->nr_pids);
	if (!status && r->session)
		status = pids_write(r->session, r->pids, r->nr_pids);
	if (!status && r->trigger.session)
		status = pids_write(r->trigger.session, r->pids, r->nr_pids);
	options.pids = r->pids;
	options.nr_pids = r->nr_pids;
	if (!status && !r->stream)
		status = output_prepare(r->output);
	if (status)
		goto err_cancel;
	if (ktrace_recording_create(r->session, &options, &r->recording)) {
		status = failed_in_library();
		goto err_cancel;
	}
	/* The reader must see the end of the stream when the recording ends. */
	if (r->stream)
		close(r->out);
	r->began = now_ns();
	r->shown = r->began;
	if (ktrace_recording_start(r->recording)) {
		status = failed_in_library();
		goto err_cancel;
	}
	status = record_parts_begin(r) ?: record_trigger_arm(r);
	if (status)
		child_cancel(&r->child);
	if (!r->command && r->session)
		say("recording %zu events%s", r->nr_events,
		    r->duration ? "" : ": Ctrl-C ends it");
	else if (!r->command)
		say("recording markers%s",
		    r->duration ? "" : ": Ctrl-C ends it");
	reason = "command";
	if (!status && r->command)
		status = child_go(&r->child, r->command);
	if (!status)
		reason = events_wait(r);
	r->ended = now_ns();
	if (branches_end(r) && !status)
		status = EXIT_FAILED;
	if (r->stream_failed || r->parts.failed)
		status = EXIT_FAILED;
	record_progress_clear(r);
	if (r->session && probes_tell(r->session) && !status)
		status = EXIT_FAILED;
	if (ktrace_recording_stop(r->recording, reason)) {
		failed_in_library();
		if (!status)
			status = EXIT_FAILED;
	} else {
		r->written = true;
	}
	ktrace_recording_status(r->recording, &r->status);
	return status;

err_cancel:
	child_cancel(&r->child);
	return status;
}

static void record_finish(struct record *r, int *status)
{
	if (r->recording && r->ended) {
		if (!r->stream)
			output_hand_over(r->output);
		if (record_summarize(r) && !*status)
			*status = EXIT_FAILED;
	}
	ktrace_recording_destroy(r->recording);
	ktrace_branches_close(r->way);
}

/* Without the kernel: needs no module and no rights. */
static int record_markers(struct record *r)
{
	int status = record_run(r);

	record_finish(r, &status);
	return status;
}

static int record_session(struct record *r)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = r->name,
		.note = note,
	};
	int status;

	if (ktrace_session_open(&options, &r->session))
		return failed_in_library();
	if (ktrace_session_claim(r->session)) {
		status = failed_in_library();
		goto out;
	}
	status = leftovers_handle(r);
	if (status)
		goto out;
	status = record_run(r);
	record_trigger_close(r);
	branches_end(r);
	/* Switches off before the summary takes time. */
	if (ktrace_session_reset(r->session))
		status = status ?: failed_in_library();
	else
		status = record_stacks_end(r) ?: status;
	free(r->stack_size);
	record_finish(r, &status);
out:
	ktrace_session_close(r->session);
	return status;
}

static int record_main(int argc, char **argv)
{
	struct record r = {
		.output = TRACE_DEFAULT,
		.decoded.string_max = CALLS_STRING,
		.debuginfod = {.interrupted = asking_interrupted, .data = &r},
	};
	int status;

	status = record_options(&r, argc, argv);
	if (status != OPTIONS_TAKEN)
		return status;
	/*
	 * The line of progress would destroy the output of a command on the
	 * terminal.
	 */
	r.progress = isatty(2) && verbosity >= 0 && !r.stream &&
		     (!r.command || !isatty(1) || verbosity > 0);
	status = signals_prepare(&r.signals);
	/* Whoever sends it to a recording that takes no snapshots does not end it. */
	status = status ?: signals_add(&r.signals, SIGUSR2);
	if (status)
		return status;

	if (record_is_of_markers(&r) && !record_markers_in_kernel(&r))
		status = record_markers(&r);
	else
		status = record_session(&r);

	status = child_finish(&r.child, &r.signals) ?: status;
	if (r.terminated && !status)
		status = 128 + r.terminated;
	selection_free(&r.selection);
	stacks_wanted_free(&r.stacks);
	set_free(&r.set);
	patterns_free(&r.markers);
	patterns_free(&r.functions);
	probes_free(&r.probes);
	patterns_free(&r.around);
	patterns_free(&r.reads);
	processes_free(&r.processes);
	free(r.pids);
	record_parts_end(&r);
	return status;
}

const struct command command_record = {
	.name = "record",
	.what = "record events of the whole machine",
	.usage = "[OPTION...] [-- COMMAND [ARG...]]",
	.about = "Records until COMMAND ends, for a time, or until Ctrl-C.\n",
	.options = record_option_rows,
	.operand = ARGUMENT_PROGRAM,
	.examples =
		"    ktrace record -- make\n"
		"    ktrace record -e 'sched:*' -e sys_enter -f 'id == 59' "
		"--duration 10s\n"
		"    ktrace record -F kfree -g=both -- make\n"
		"    ktrace record -P 'tcp_sendmsg sk->__sk_common.skc_dport size' "
		"-d 10s\n",
	.main = record_main,
};
