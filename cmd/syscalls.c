// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace syscalls: like strace, for a command, for processes or for the
 * machine.
 *
 * It records to its own directory in its own session, so it does not disturb
 * other recorders, and it follows the recording.  Calls are shown some tenths
 * of a second after they happened.  Nobody waits for this, and others have
 * precedence on the CPUs: if they need all of them, calls are shown when they
 * rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/recording.h>
#include <ktrace/output.h>

#include "base/now.h"
#include "cmd.h"
#include "common/calls.h"
#include "common/select.h"
#include "common/trace.h"
#include "common/value.h"
#include "run/wait.h"

#define BUFFER	   (16ull << 20)
#define STRING_MAX 8192
#define ROUND_MS   100 /* between two reads of what was recorded */

struct syscalls {
	struct ktrace_output_calls show;
	struct selection selection;
	char **command;
	struct processes processes;
	uint64_t duration;
	bool no_signals;
	bool paths;
	const char *output; /* -o; NULL: standard error */
	const char *trace;  /* --trace: where the trace is kept */
	char *directory;

	struct ktrace_session *session;
	struct ktrace_recording *recording;
	struct ktrace *shown;
	struct ktrace_cursor *cursor;
	struct ktrace_output *view;
	int fd;		/* the output */
	int view_error; /* errno of a failed output */
	struct child child;
	struct signals signals;
	int terminated;
};

/* Which calls */

/* Parses "openat,%net", "trace=...", "!read". */
static int calls_parse(struct syscalls *s, const char *text)
{
	char *copy, *next, *word;
	bool exclude;
	int err = 0;

	if (!strncmp(text, "trace=", 6))
		text += 6;
	if (!strncmp(text, "signal=", 7)) {
		s->no_signals = !strcmp(text + 7, "none");
		return s->no_signals || !strcmp(text + 7, "all") ? 0 : -EINVAL;
	}
	exclude = *text == '!';
	next = copy = strdup(text + exclude);
	if (!copy)
		return -ENOMEM;
	while (!err && (word = strsep(&next, ","))) {
		if (!*word)
			err = -EINVAL;
		else
			err = calls_add(&s->selection, word, exclude);
	}
	free(copy);
	return err;
}

/* Preparing */

static int processes_choose(struct syscalls *s)
{
	pid_t *pids;
	size_t nr;
	int status;

	status = processes_pids(&s->processes, s->child.pid, &pids, &nr);
	if (status)
		return status;
	status = pids_write(s->session, pids, nr);
	free(pids);
	return status;
}

/* With sender and reason or, if that fails, with the kernel's own event. */
static void signals_enable(struct syscalls *s)
{
	static const char *const own[] = {"signal:signal_deliver"};

	if (!ktrace_session_signals(s->session) &&
	    !ktrace_session_enable(s->session, "signal", "signal_delivered",
				   true))
		return;
	say("signals will be shown without who sent them: %s",
	    ktrace_last_error());
	if (ktrace_session_prepare(s->session, own, 1) ||
	    ktrace_session_enable(s->session, "signal", "signal_deliver", true))
		say("signals will not be shown: %s", ktrace_last_error());
}

static bool call_wanted(const struct ktrace_known *known, void *data)
{
	struct syscalls *s = data;

	return selection_match(&s->selection, known->system, known->name);
}

static int captures_set(struct syscalls *s)
{
	if (selection_is_all(&s->selection))
		return ktrace_session_syscalls(s->session, s->show.string_max,
					       s->paths);
	return ktrace_session_syscalls_wanted(s->session, s->show.string_max,
					      s->paths, call_wanted, s);
}

static int events_enable(struct syscalls *s)
{
	static const char *const systems[] = {"syscalls", "compat_syscalls"};
	/* Other events have no such names, so no other module is loaded. */
	static const char *const patterns[] = {"syscalls:sys_e*_*",
					       "compat_syscalls:sys_e*_*"};
	struct ktrace_known *known;
	size_t nr, enabled = 0;
	int status = EXIT_OK;

	if (ktrace_session_prepare(s->session, patterns, 2) || captures_set(s))
		return failed_in_library();
	if (!s->no_signals && !s->show.summary)
		signals_enable(s);
	if (selection_is_all(&s->selection)) {
		for (size_t i = 0; i < 2; i++)
			if (ktrace_session_enable(s->session, systems[i], NULL,
						  true))
				return failed_in_library();
		return EXIT_OK;
	}
	if (ktrace_session_known(s->session, &known, &nr))
		return failed_in_library();
	for (size_t i = 0; !status && i < nr; i++) {
		if (strcmp(known[i].system, systems[0]) &&
		    strcmp(known[i].system, systems[1]))
			continue;
		if (!selection_match(&s->selection, known[i].system,
				     known[i].name))
			continue;
		enabled++;
		if (ktrace_session_enable(s->session, known[i].system,
					  known[i].name, true))
			status = failed_in_library();
	}
	free(known);
	if (!status && !enabled)
		status = failed("-e names no system call that there is: "
				"`ktrace list syscalls' shows them");
	return status;
}

/* Showing */

static int view_open(struct syscalls *s)
{
	struct ktrace_output_options options = {
		.size = sizeof(options),
		.calls = &s->show,
	};

	s->fd = STDERR_FILENO;
	if (s->output)
		s->fd = open(s->output,
			     O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (s->fd < 0)
		return failed("%s: %s", s->output, strerror(errno));
	s->show.colors = isatty(s->fd) && !getenv("NO_COLOR");
	/* A file needs the same columns in all lines. */
	s->show.pids = !s->command || s->output;
	if (ktrace_recording_follow(s->recording, !s->trace, &s->shown) ||
	    ktrace_cursor_create(s->shown, NULL, &s->cursor))
		return failed_in_library();
	options.fd = s->fd;
	if (ktrace_output_create(s->shown, "strace", &options, &s->view))
		return failed_in_library();
	return EXIT_OK;
}

/* Shows what was recorded until now.  False: it cannot be shown. */
static bool view_more(struct syscalls *s)
{
	if (s->view_error)
		return false;
	if (ktrace_recording_sync(s->recording, s->shown)) {
		s->view_error = -EIO;
		failed_in_library();
		return false;
	}
	s->view_error = ktrace_output_run(s->view, s->cursor, NULL, NULL);
	if (s->view_error && s->view_error != -EPIPE)
		failed_in_library();
	return !s->view_error;
}

static void view_close(struct syscalls *s)
{
	ktrace_output_destroy(s->view);
	ktrace_cursor_destroy(s->cursor);
	if (s->shown)
		trace_complain(s->shown);
	ktrace_close(s->shown);
	if (s->output && s->fd >= 0)
		close(s->fd);
}

/* Running */

static bool round_pass(void *data)
{
	return view_more(data);
}

static const char *events_wait(struct syscalls *s)
{
	struct wait wait = {
		.signals = &s->signals,
		.child = &s->child,
		.processes = &s->processes,
		.failed_fd = ktrace_recording_fd(s->recording),
		.began = now_ns(),
		.duration = s->duration,
		.round_ms = ROUND_MS,
		.round = round_pass,
		.data = s,
	};
	const char *reason = wait_for_end(&wait);

	s->terminated = wait.terminated;
	return reason;
}

/* With the lowest priority: the traced processes need the CPU more. */
static const char *events_follow(struct syscalls *s)
{
	static const struct sched_param param;
	int before = sched_getscheduler(0);
	const char *reason;

	/*
	 * A high nice value is not enough: waking up would still preempt
	 * others.
	 */
	if (before == SCHED_OTHER)
		sched_setscheduler(0, SCHED_IDLE, &param);
	reason = events_wait(s);
	if (before == SCHED_OTHER)
		sched_setscheduler(0, before, &param);
	return reason;
}

static int record(struct syscalls *s)
{
	struct ktrace_recording_options options = {
		.size = sizeof(options),
		.directory = s->directory,
		.version = "ktrace " KTRACE_VERSION,
		.command = s->command,
		.buffer = BUFFER,
		.follow = true,
		.unread = !s->trace,
	};
	const char *reason = "command";
	int status;

	status = events_enable(s);
	if (status)
		return status;
	if (s->command) {
		status = child_prepare(&s->child, s->command, &s->signals);
		if (status)
			return status;
	}
	status = processes_choose(s);
	if (status)
		goto err_cancel;
	if (ktrace_recording_create(s->session, &options, &s->recording) ||
	    ktrace_recording_start(s->recording)) {
		status = failed_in_library();
		goto err_cancel;
	}
	status = view_open(s);
	if (status)
		goto err_view;
	if (!s->command)
		say("recording: Ctrl-C ends it");
	if (s->command)
		status = child_go(&s->child, s->command);
	if (!status)
		reason = events_follow(s);
	if (ktrace_recording_stop(s->recording, reason) && !status)
		status = failed_in_library();
	view_more(s);
	view_close(s);
	if (!status && s->view_error && s->view_error != -EPIPE)
		status = EXIT_FAILED;
	return status;

err_view:
	view_close(s);

err_cancel:
	child_cancel(&s->child);
	return status;
}

/* Removes the session of a killed ktrace syscalls, which nobody else knows. */
static int session_clean(void *data, const char *name)
{
	struct syscalls *s = data;
	bool running;
	char more;
	int pid;

	if (sscanf(name, "syscalls-%d%c", &pid, &more) != 1 || pid <= 0 ||
	    !kill(pid, 0) || errno != ESRCH)
		return 0;
	if (ktrace_session_is_left(s->session, name, &running) &&
	    !ktrace_session_remove(s->session, name) && verbosity > 0)
		say("the session %s of a process that was killed is removed",
		    name);
	return 0;
}

static int session_run(struct syscalls *s)
{
	char name[64];
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.name = name,
		.note = note,
	};
	int status;

	snprintf(name, sizeof(name), "syscalls-%d", getpid());
	if (ktrace_session_open(&options, &s->session))
		return failed_in_library();
	ktrace_sessions_each(s->session, session_clean, s);
	if (ktrace_session_claim(s->session))
		status = failed_in_library();
	else
		status = record(s);
	ktrace_recording_destroy(s->recording);
	ktrace_session_reset(s->session);
	ktrace_session_close(s->session);
	return status;
}

static int directory_choose(struct syscalls *s, char *parent, size_t size)
{
	const char *tmp = getenv("TMPDIR");

	if (s->trace) {
		s->directory = strdup(s->trace);
		*parent = '\0';
		return s->directory ? EXIT_OK : failed("out of memory");
	}
	snprintf(parent, size, "%s/ktrace-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(parent))
		return failed("%s: %s", parent, strerror(errno));
	if (asprintf(&s->directory, "%s/trace", parent) < 0)
		return failed("out of memory");
	return EXIT_OK;
}

/* Options */

static int returns_choose(struct syscalls *s,
			  enum ktrace_output_returns returns)
{
	if (s->show.returns && s->show.returns != returns)
		return misused(&command_syscalls, "-z and -Z: one of them");
	s->show.returns = returns;
	return EXIT_OK;
}

enum {
	JSON = OPTION_OWN,
	TRACE,
};

static int option_handle(void *data, int option)
{
	struct syscalls *s = data;
	uint64_t number;

	switch (option) {
	case 'c':
		s->show.summary = true;
		return EXIT_OK;
	case 'd':
		return option_duration(&command_syscalls, optarg, &s->duration);
	case 'e':
		if (calls_parse(s, optarg))
			return misused(&command_syscalls,
				       "-e `%s': calls or sets are expected, "
				       "like openat,%%net; or signal=none",
				       optarg);
		return EXIT_OK;
	case 'f':
		return EXIT_OK; /* the default */
	case JSON:
		s->show.json = true;
		return EXIT_OK;
	case 'o':
		s->output = optarg;
		return EXIT_OK;
	case 'p':
		return processes_add(&s->processes, optarg, &command_syscalls);
	case TRACE:
		s->trace = optarg;
		return EXIT_OK;
	case 's':
		if (number_parse(optarg, &number) || number > STRING_MAX)
			return misused(&command_syscalls,
				       "-s `%s': 0 to %d is expected", optarg,
				       STRING_MAX);
		s->show.string_max = number;
		return EXIT_OK;
	case 't':
		if (s->show.times < KTRACE_TIMES_EPOCH)
			s->show.times++;
		return EXIT_OK;
	case 'T':
		s->show.durations = true;
		return EXIT_OK;
	case 'y':
		s->paths = true;
		return EXIT_OK;
	case 'z':
		return returns_choose(s, KTRACE_RETURNS_OK);
	case 'Z':
		return returns_choose(s, KTRACE_RETURNS_FAILED);
	default:
		return option_forgotten(&command_syscalls, option);
	}
}

static int run(struct syscalls *s)
{
	char parent[4096];
	int status, ended;

	if (s->command) {
		status = child_check(s->command);
		if (status)
			return status;
	}
	status = directory_choose(s, parent, sizeof(parent));
	if (status)
		return status;
	status = signals_prepare(&s->signals);
	if (status)
		return status;
	status = session_run(s);
	if (*parent) {
		ktrace_remove(s->directory);
		rmdir(parent);
	}
	ended = child_finish(&s->child, &s->signals);
	if (!status)
		status = ended;
	if (!status && s->terminated)
		status = 128 + s->terminated;
	return status;
}

static int syscalls_main(int argc, char **argv)
{
	struct syscalls s = {.show.string_max = 32};
	int status;

	status =
		options_parse(&command_syscalls, argc, argv, option_handle, &s);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		s.command = argv + optind;
	status = run(&s);
	selection_free(&s.selection);
	processes_free(&s.processes);
	free(s.directory);
	return status;
}

static const struct command_option options[] = {
	OPTION('e', "call", "CALL,...",
	       "only these; %file, %desc, %net, %process, %signal, %memory, %ipc are sets; "
	       "with a `!' in front: not those; signal=none: no signals",
	       .kind = ARGUMENT_CALL),
	OPTION('p', "pid", "PID,...", "of these processes and their children",
	       .kind = ARGUMENT_PID),
	OPTION('d', "duration", "TIME", "end after that, like 10s"),
	OPTION('s', "string", "BYTES", "of data that are shown (32)"),
	OPTION('y', "paths", NULL, "paths of what is behind file descriptors"),
	OPTION('T', "took", NULL, "how long each call took"),
	OPTION('t', "times", NULL,
	       "when it began: 14:03:59; -tt: with microseconds; -ttt: in seconds since "
	       "1970"),
	OPTION('z', "successful", NULL,
	       "only calls that returned without an error"),
	OPTION('Z', "failed", NULL, "only those that returned one"),
	OPTION('c', "summary", NULL,
	       "only how many, how long, how often failed"),
	OPTION(0, "json", NULL, "an object for each call", .id = JSON),
	OPTION('o', "output", "FILE", "show it there", .kind = ARGUMENT_FILE),
	OPTION(0, "trace", "DIRECTORY", "keep the trace",
	       .kind = ARGUMENT_DIRECTORY, .id = TRACE),
	OPTION('f', NULL, NULL, NULL), /* for strace's users */
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("say what is done"),
	{0},
};

const struct command command_syscalls = {
	.name = "syscalls",
	.what = "show system calls in words, as strace does",
	.usage = "[OPTION...] [-- COMMAND [ARG...]]",
	.about = "Of COMMAND and its children, of processes, or of the whole "
		 "machine until Ctrl-C;\n"
		 "shown on standard error, some tenths of a second after they "
		 "happen.\n",
	.options = options,
	.operand = ARGUMENT_PROGRAM,
	.examples = "    ktrace syscalls -e %file -- ls /\n"
		    "    ktrace syscalls -c -p 1234 -d 10s\n",
	.main = syscalls_main,
};
