// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace record: records a trace.
 *
 * In all cases the session has no event enabled afterwards, and our exit status
 * is that of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <ktrace/branches.h>
#include <ktrace/recording.h>

#include "base/now.h"
#include "cmd.h"
#include "common/output.h"
#include "common/select.h"
#include "common/trace.h"
#include "common/value.h"
#include "run/events.h"
#include "run/functions.h"
#include "run/wait.h"
#include "record.h"
#include "run/threads.h"

#define BUFFER_MIN (256ull << 10)
#define BUFFER_MAX (16ull << 20)

/* How often a stream gets a sync. */
#define STREAM_MS 100

#define SAMPLE	  "profile:sample"

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

static bool samples_are_wanted(const struct record *r)
{
	return !selection_is_all(&r->selection) &&
	       selection_match(&r->selection, "profile", "sample");
}

/* The session may have a rate that an earlier recorder has chosen. */
static int rate_choose(struct record *r)
{
	char text[16];

	if (!samples_are_wanted(r))
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
				       &r->nr_events);
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
	if (r->keep && left)
		return EXIT_OK;
	r->keep = false;
	return ktrace_session_reset(r->session) ? failed_in_library() : EXIT_OK;
}

/* During the recording */

/* False: the recording cannot continue. */
static bool stream_sync(struct record *r)
{
	uint64_t now = now_ns();

	if (!r->stream || now - r->synced < STREAM_MS * 1000000ull)
		return true;
	r->synced = now;
	if (!ktrace_recording_sync(r->recording, NULL))
		return true;
	failed_in_library();
	r->stream_failed = true;
	return false;
}

static bool round_pass(void *data)
{
	struct record *r = data;

	if (now_ns() - r->shown >= 450000000)
		record_progress_show(r);
	return stream_sync(r);
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
		.round_ms = r->stream	  ? STREAM_MS
			    : r->progress ? 500
					  : 0,
		.round = round_pass,
		.interrupted = command_interrupted,
		.data = r,
	};
	const char *reason = wait_for_end(&wait);

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
	while (number == SIGCHLD);
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
	if (!r->command && r->session)
		say("recording %zu events%s", r->nr_events,
		    r->duration ? "" : ": Ctrl-C ends it");
	else if (!r->command)
		say("recording markers%s",
		    r->duration ? "" : ": Ctrl-C ends it");
	reason = "command";
	if (r->command)
		status = child_go(&r->child, r->command);
	if (!status)
		reason = events_wait(r);
	r->ended = now_ns();
	if (branches_end(r) && !status)
		status = EXIT_FAILED;
	if (r->stream_failed)
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

/* Options */

/* Large enough for a burst, but a small part of the memory. */
static uint64_t buffer_default(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct sysinfo info;
	uint64_t size;

	if (sysinfo(&info) || cpus < 1)
		return BUFFER_MIN;
	size = (uint64_t)info.totalram * info.mem_unit / 32 / cpus;
	if (size > BUFFER_MAX)
		return BUFFER_MAX;
	return size < BUFFER_MIN ? BUFFER_MIN : size;
}

/*
 * The trace goes to standard output, so all other output goes to standard
 * error.
 */
static int stream_prepare(struct record *r)
{
	r->stream = is_stream(r->output);
	if (!r->stream)
		return EXIT_OK;
	if (isatty(STDOUT_FILENO))
		return failed(
			"-o -: standard output is a terminal, and a trace "
			"is no text: lead it to a file, or to `ktrace "
			"report -'");
	r->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (r->out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return failed("-o -: standard output: %s", strerror(errno));
	return EXIT_OK;
}

enum {
	ONLY = OPTION_OWN,
	BRANCHES,
	BRANCH_TRACE,
	STACK_SIZE,
	ENTERED,
	IN,
	PLAIN,
	READ,
	SET,
	DEBUGINFOD,
	VMLINUX,
};

static int option_handle(void *data, int option)
{
	struct record *r = data;

	switch (option) {
	case 'a':
		return EXIT_OK; /* the default */
	case 'd':
		return option_duration(&command_record, optarg, &r->duration);
	case 'e':
		return record_event_option(r, optarg);
	case 'f':
		if (r->probe_last) {
			probes_filter(&r->probes, optarg);
			return EXIT_OK;
		}
		if (r->filterless)
			return misused(
				&command_record,
				"-f is about events, and the -e before it "
				"means a function: see --entered");
		if (selection_filter(&r->selection, optarg))
			return misused(&command_record,
				       "-f belongs to the -e before it, and "
				       "there is none");
		return EXIT_OK;
	case 'F':
		if (*optarg >= '0' && *optarg <= '9')
			return record_rate_option(r, optarg);
		return patterns_option(&r->functions, &command_record, "-F",
				       "function", optarg);
	case 'g':
		return stacks_option(&r->stacks, &command_record, optarg);
	case BRANCHES:
		return stacks_branches_option(&r->stacks, &command_record,
					      optarg);
	case BRANCH_TRACE:
		r->branch_trace = true;
		return optarg ? threads_size_option(&command_record,
						    "branch-trace",
						    &r->branch_bytes)
			      : EXIT_OK;
	case STACK_SIZE:
		return option_size(&command_record, "stack-size", optarg,
				   &r->stacks.size);
	case 'k':
		r->keep = true;
		return EXIT_OK;
	case 'M':
		return patterns_option(&r->markers, &command_record, "-M",
				       "marker", optarg);
	case 'm':
		r->overwrite = !strcmp(optarg, "overwrite");
		if (!r->overwrite && strcmp(optarg, "discard"))
			return misused(
				&command_record,
				"--mode `%s': it is overwrite or discard",
				optarg);
		return EXIT_OK;
	case READ:
		return patterns_option(&r->reads, &command_record, "--read",
				       "member", optarg);
	case ENTERED:
		r->entered = optarg;
		return *optarg ? EXIT_OK
			       : misused(&command_record,
					 "--entered needs a condition, like "
					 "'count > 65536'");
	case IN:
		return patterns_option(&r->around, &command_record, "--in",
				       "function", optarg);
	case PLAIN:
		r->plain = true;
		return EXIT_OK;
	case ONLY:
		r->only = true;
		return EXIT_OK;
	case VMLINUX:
		return probes_debug_file(&r->probes, optarg);
	case DEBUGINFOD:
		return debuginfod_option(&r->debuginfod);
	case 'o':
		if (!*optarg)
			return misused(&command_record, "-o needs a name");
		for (char *end = optarg + strlen(optarg) - 1;
		     end > optarg && *end == '/'; end--)
			*end = '\0';
		r->output = optarg;
		return EXIT_OK;
	case 'P':
		r->probe_last = true;
		return probes_option(&r->probes, &command_record, optarg);
	case 'p':
		return processes_add(&r->processes, optarg, &command_record);
	case 'u':
		return user_option(&r->child.user, optarg);
	case 'x':
		return probes_file(&r->probes, &command_record, optarg);
	case SET:
		if (set_read(&r->set, optarg))
			return EXIT_FAILED;
		return set_is_empty(&r->set)
			       ? failed("the set `%s' has nothing in it",
					optarg)
			       : EXIT_OK;
	case 'S':
		r->name = optarg;
		return EXIT_OK;
	case 's':
		return option_size(&command_record, "size", optarg, &r->buffer);
	default:
		return option_forgotten(&command_record, option);
	}
}

/* Options that are about functions alone. */
static int functions_check(const struct record *r)
{
	const char *option = r->plain	    ? "plain"
			     : r->reads.nr  ? "read"
			     : r->entered   ? "entered"
			     : r->around.nr ? "in"
					    : NULL;

	if (!option || r->functions.nr)
		return EXIT_OK;
	return misused(&command_record,
		       "--%s is about functions: -F is missing", option);
}

static bool only_markers(const struct record *r)
{
	return r->markers.nr && !r->functions.nr && !r->probes.nr &&
	       selection_is_all(&r->selection);
}

static int record_main(int argc, char **argv)
{
	struct record r = {
		.output = TRACE_DEFAULT,
		.debuginfod = {.interrupted = asking_interrupted, .data = &r},
	};
	int status;

	status = options_parse(&command_record, argc, argv, option_handle, &r);
	if (status != OPTIONS_TAKEN)
		return status;
	/* Behind all -f, which are about an -e. */
	if (r.rate && selection_add(&r.selection, SAMPLE))
		return failed("out of memory");
	status = record_sets_take(&r);
	if (status)
		return status;
	if (optind < argc)
		r.command = argv + optind;
	if (r.only && !r.command)
		return misused(
			&command_record,
			"--only is about the command, and there is none");
	status = user_check(&r.child.user, &command_record, r.command);
	if (status)
		return status;
	status = functions_check(&r);
	if (status)
		return status;
	status = record_stacks_check(&r, only_markers(&r));
	if (status)
		return status;
	status = probes_are_said(&r.probes, &command_record);
	if (status)
		return status;
	r.stacks.functions = r.functions.nr;
	/* Who wants to know what runs wants to know of programs, too. */
	if (r.stacks.bare && samples_are_wanted(&r) &&
	    stacks_want(&r.stacks, KTRACE_STACKS_USER, SAMPLE))
		return failed("out of memory");
	if (r.debuginfod.wanted && !r.branch_trace &&
	    !stacks_of_programs_are_wanted(&r.stacks))
		return misused(
			&command_record,
			"--debuginfod is about stacks of programs: -g=user is missing");
	if (r.command) {
		status = child_check(r.command);
		if (status)
			return status;
	}
	status = stream_prepare(&r);
	if (status)
		return status;
	if (!r.buffer)
		r.buffer = buffer_default();
	/*
	 * The line of progress would destroy the output of a command on the
	 * terminal.
	 */
	r.progress = isatty(2) && verbosity >= 0 && !r.stream &&
		     (!r.command || !isatty(1) || verbosity > 0);
	status = signals_prepare(&r.signals);
	if (status)
		return status;

	if (only_markers(&r) && !record_markers_in_kernel(&r))
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
	return status;
}

static const struct command_option options[] = {
	OPTION('e', "event", "PATTERN,...",
	       "which events: SYSTEM:EVENT with wildcards, or a word; with a `!' in front: "
	       "not those; default: every event",
	       .kind = ARGUMENT_EVENT),
	OPTION('f', "filter", "FILTER",
	       "only if this holds; belongs to the -e or -P before it"),
	OPTION('F', "function", "PATTERN,...",
	       "calls of functions of the kernel, and their returns: NAME or MODULE:NAME, "
	       "with wildcards; without -e nothing else.  A number, like 99: so many "
	       "samples of what runs, per second and CPU (profile:sample)",
	       .kind = ARGUMENT_FUNCTION),
	OPTION(0, "entered", "CONDITION",
	       "only calls of -F with such arguments, like 'count > 65536'",
	       .id = ENTERED),
	OPTION(0, "in", "PATTERN,...",
	       "only calls of -F while one of these runs, which are not recorded: functions, "
	       "or syscalls:NAME",
	       .kind = ARGUMENT_FUNCTION, .id = IN),
	OPTION(0, "plain", NULL,
	       "arguments of functions as they are: does not read what they point to",
	       .id = PLAIN),
	OPTION(0, "read", "EXPRESSION",
	       "reads this, too, of functions with such an argument: file->f_mode, "
	       "dentry->d_parent->d_name.name",
	       .id = READ),
	OPTION('g', "stacks", "WHOSE",
	       "with each event of -e, and each call of -F, who called: the functions of the kernel; WHOSE is "
	       "kernel (the default; both for samples), user (of the program), or both, and "
	       "user:PATTERN,... means only the events that fit; \"user:PATTERN,... if FILTER\" only those that pass it",
	       .words = "kernel user both", .optional = true),
	OPTION(0, "branches", "N",
	       "with each event, the last 1 to 32 branches that the program has taken: the "
	       "command and its children, or the processes of -p, run some hundred times slower",
	       .words = "4 8 16 32", .id = BRANCHES),
	OPTION(0, "branch-trace", "SIZE",
	       "beside the events, all branches of the command and its children, or of the "
	       "processes of -p, which run some thousand times slower; of each thread the newest "
	       "SIZE: 4K to 64M (64K)",
	       .words = "64K 1M 16M 64M", .optional = true, .id = BRANCH_TRACE),
	OPTION(0, "stack-size", "SIZE",
	       "room for all different stacks and branches: 4K to 1G; default: 4M, and 32M with "
	       "--branches",
	       .words = "4M 16M 64M 256M", .id = STACK_SIZE),
	OPTION_DEBUGINFOD_ROW(DEBUGINFOD),
	OPTION('M', "markers", "PATTERN,...",
	       "markers of programs: NAME, PROGRAM:NAME, FILE or FILE:FUNCTION, with "
	       "wildcards; without -e nothing else"),
	OPTION('P', "probe", "PROBE",
	       "an event at this place of the kernel's code, with these values: `[NAME=]PLACE "
	       "[VALUE...]', like 'vfs_read count' (`ktrace help probe'); without -e nothing else",
	       .kind = ARGUMENT_PROBE),
	OPTION('x', "exec", "FILE",
	       "the -P that follow are in this program or library, in all processes that run it "
	       "or in those of -p; `kernel': in the kernel again",
	       .kind = ARGUMENT_PROGRAM),
	OPTION_VMLINUX_ROW(VMLINUX),
	OPTION('p', "pid", "PID,...",
	       "only what these processes and their children do",
	       .kind = ARGUMENT_PID),
	OPTION(0, "only", NULL, "only what the command and its children do",
	       .id = ONLY),
	OPTION('a', "all", NULL, "the whole machine (the default)"),
	OPTION('o', "output", "DIRECTORY",
	       "where the trace goes (" TRACE_DEFAULT "); -: standard output, "
	       "for `ktrace report -'",
	       .kind = ARGUMENT_DIRECTORY),
	OPTION('m', "mode", "MODE",
	       "discard: when a buffer is full, newer events are lost; overwrite: older "
	       "ones are, and only what is in the buffers at the end is written (flight "
	       "recorder)",
	       .words = "discard overwrite"),
	OPTION(0, "set", "NAME",
	       "what this set has: see `ktrace help set'; beside -e, -M",
	       .kind = ARGUMENT_SET, .id = SET),
	OPTION('s', "size", "SIZE", "of each CPU's buffer, like 16M",
	       .words = "1M 4M 16M 64M 256M"),
	OPTION('d', "duration", "TIME",
	       "end after that, like 10s, 500ms, 2min"),
	OPTION('k', "keep", NULL,
	       "begin with what a killed recorder left in the buffers"),
	OPTION('S', "session", "SESSION",
	       "in a session of that name, beside other recorders"),
	OPTION_USER_ROW,
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

const struct command command_record = {
	.name = "record",
	.what = "record events of the whole machine",
	.usage = "[OPTION...] [-- COMMAND [ARG...]]",
	.about = "Records until COMMAND ends, for a time, or until Ctrl-C.\n",
	.options = options,
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
