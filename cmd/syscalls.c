// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ktrace syscalls: like strace, for a command, for processes or for the
 * machine.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "common/color.h"
#include "common/calls.h"
#include "common/select.h"
#include "common/value.h"
#include "run/decoded.h"
#include "run/live.h"
#include "run/thread_files.h"
#include "syscalls.h"

#define COLUMN_MAX     4096
#define SORT_WORDS     "time calls errors name none"
#define CONSTANT_WORDS "raw abbrev verbose"
#define FILE_WORDS     "path socket dev pidfd all none"

struct syscalls {
	struct live live;
	struct ktrace_output_calls show;
	struct selection selection;
	bool no_signals;
	bool no_calls;
	unsigned int decoded; /* of enum ktrace_output_files */
	bool paths;	      /* -y */
	bool decodes;	      /* --decode-fds */
	bool stacks;
	bool sorted;	     /* -S was given */
	unsigned int follow; /* how often -f was given */
	struct thread_files files;
	char **touching; /* paths, and NULL behind them */
	size_t nr_touching;
};

/* Which calls */

/* Without any, they are not recorded, so what they do to processes is not shown either. */
static int signals_choose(struct syscalls *s, const char *text)
{
	uint64_t shown;
	int err = signals_parse(text, &shown);

	if (err)
		return err;
	s->no_signals = !shown;
	s->show.signals_hidden = ~shown;
	return 0;
}

/* Parses "openat,%net", "!read". */
static int calls_parse(struct syscalls *s, const char *text)
{
	char *copy, *next, *word;
	bool exclude;
	int err = 0;

	/* A name that no call has. */
	if (!strcmp(text, "none")) {
		s->no_calls = true;
		return calls_add(&s->selection, text, false);
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

/* What our own event does not tell is told by the kernel's. */
static int signals_enable_kernels(struct ktrace_session *session, bool kills)
{
	static const char *const kernels[] = {"signal:signal_deliver"};
	int err = ktrace_session_prepare(session, kernels, 1);

	if (!err && kills)
		err = ktrace_session_filter(session, "signal", "signal_deliver",
					    "sig != 9");
	return err
		       ?: ktrace_session_enable(session, "signal",
						"signal_deliver", true);
}

static void signals_enable(struct syscalls *s)
{
	struct ktrace_session *session = s->live.session;
	enum decoded_signals signals = decoded_signals(session);
	bool ours = signals != DECODED_SIGNALS_NONE;

	if (ours && ktrace_session_enable(session, "signal", "signal_delivered",
					  true)) {
		ours = false;
		say("signals will be shown without who sent them: %s",
		    ktrace_last_error());
	}
	if (ours && signals == DECODED_SIGNALS_ALL)
		return;
	if (signals_enable_kernels(session, ours))
		say("signals will not be shown: %s", ktrace_last_error());
}

static bool call_wanted(const struct ktrace_known *known, void *data)
{
	struct syscalls *s = data;

	return selection_match(&s->selection, known->system, known->name);
}

static bool end_is_shown(const struct ktrace_type *type, void *data)
{
	struct syscalls *s = data;

	return selection_match(&s->selection, type->system, type->name);
}

static int captures_set(struct syscalls *s)
{
	struct decoded decoded = {.string_max = s->show.string_max,
				  .unabbreviated = s->show.unabbreviated};

	if (s->decoded & ~KTRACE_FILES_PATHS)
		decoded.paths = KTRACE_PATHS_FILES;
	else if (s->decoded || s->touching)
		decoded.paths = KTRACE_PATHS_NAMES;
	return decoded_calls(s->live.session, &decoded, &s->selection);
}

/* Where a program has called the kernel is the same at both ends of the call. */
static bool stack_wanted(const struct ktrace_known *known, void *data)
{
	static const char begin[] = "sys_enter_";

	return (!strcmp(known->system, "syscalls") ||
		!strcmp(known->system, "compat_syscalls")) &&
	       !strncmp(known->name, begin, strlen(begin)) &&
	       call_wanted(known, data);
}

/* That a process or a thread has exited is shown, whatever is selected. */
static bool ends_process(const char *name)
{
	return !strcmp(name, "sys_enter_exit_group") ||
	       !strcmp(name, "sys_enter_exit");
}

static int events_enable(void *data)
{
	struct syscalls *s = data;
	struct ktrace_session *session = s->live.session;
	static const char *const systems[] = {"syscalls", "compat_syscalls"};
	/* Other events have no such names, so no other module is loaded. */
	static const char *const patterns[] = {"syscalls:sys_e*_*",
					       "compat_syscalls:sys_e*_*"};
	struct ktrace_known *known;
	size_t nr, enabled = 0;
	int status = EXIT_OK;

	if (ktrace_session_prepare(session, patterns, 2))
		return failed_in_library();
	status = captures_set(s);
	if (status)
		return status;
	if (s->stacks && ktrace_session_stacks(session, KTRACE_STACKS_USER,
					       NULL, stack_wanted, s))
		return failed_in_library();
	if (!s->no_signals && !s->show.summary)
		signals_enable(s);
	if (selection_is_all(&s->selection)) {
		for (size_t i = 0; i < 2; i++)
			if (ktrace_session_enable(session, systems[i], NULL,
						  true))
				return failed_in_library();
		return EXIT_OK;
	}
	if (ktrace_session_known(session, &known, &nr))
		return failed_in_library();
	for (size_t i = 0; !status && i < nr; i++) {
		bool chosen = selection_match(&s->selection, known[i].system,
					      known[i].name);

		if (strcmp(known[i].system, systems[0]) &&
		    strcmp(known[i].system, systems[1]))
			continue;
		if (!chosen && !ends_process(known[i].name))
			continue;
		enabled += chosen;
		if (ktrace_session_enable(session, known[i].system,
					  known[i].name, true))
			status = failed_in_library();
	}
	free(known);
	if (!status && !enabled && !s->no_calls)
		status = failed("-e names no system call that there is: "
				"`ktrace list syscalls' shows them");
	return status;
}

/* What was lost belongs to no thread. */
static int line_separate(void *data, uint32_t tid, const char *text,
			 size_t size)
{
	struct syscalls *s = data;

	if (tid)
		return thread_files_write(&s->files, tid, text, size);
	/* Also with -q: nobody would know otherwise that calls are missing in the files. */
	failed("%.*s", (int)size - 1, text);
	return 0;
}

static void view_options(void *data, struct ktrace_output_options *options)
{
	struct syscalls *s = data;

	/* With -ff, lines go to files, and only what was lost goes to @fd. */
	s->show.colors =
		!s->files.path && color_is_wanted(COLOR_AUTO, options->fd);
	/* A file needs the same columns in all lines. */
	s->show.pids = !s->live.argv || s->live.output;
	if (!selection_is_all(&s->selection)) {
		s->show.want = end_is_shown;
		s->show.data = s;
	}
	s->show.files_hidden = KTRACE_FILES_ALL & ~s->decoded;
	s->show.touching = (const char *const *)s->touching;
	if (s->files.path) {
		s->show.separate = line_separate;
		s->show.data = s;
	}
	options->calls = &s->show;
	options->stacks = s->stacks;
}

/* Options */

static int path_add(struct syscalls *s, char *path)
{
	char **more = path ? reallocarray(s->touching, s->nr_touching + 2,
					  sizeof(*more))
			   : NULL;

	if (!more) {
		free(path);
		return failed("out of memory");
	}
	s->touching = more;
	s->touching[s->nr_touching++] = path;
	s->touching[s->nr_touching] = NULL;
	return EXIT_OK;
}

/* Programs may use the path as it is given; descriptors have that of the file itself. */
static int path_choose(struct syscalls *s, const char *path)
{
	char *real = realpath(path, NULL);
	int status;

	if (!*path)
		return misused(&command_syscalls, "-P: a path is expected");
	status = path_add(s, strdup(path));
	if (!status && real && strcmp(real, path) != 0)
		return path_add(s, real);
	free(real);
	return status;
}

static int returns_choose(struct syscalls *s,
			  enum ktrace_output_returns returns)
{
	if (s->show.returns && s->show.returns != returns)
		return misused(&command_syscalls, "-z and -Z: one of them");
	s->show.returns = returns;
	return EXIT_OK;
}

/* By the words that strace has, too. */
static int sort_parse(struct syscalls *s, const char *text)
{
	static const struct {
		const char *word;
		enum ktrace_output_sort sort;
	} words[] = {
		{"time", KTRACE_SORT_TIME},
		{"time-total", KTRACE_SORT_TIME},
		{"time-percent", KTRACE_SORT_TIME},
		{"total-time", KTRACE_SORT_TIME},
		{"total_time", KTRACE_SORT_TIME},
		{"calls", KTRACE_SORT_CALLS},
		{"count", KTRACE_SORT_CALLS},
		{"errors", KTRACE_SORT_ERRORS},
		{"error", KTRACE_SORT_ERRORS},
		{"name", KTRACE_SORT_NAME},
		{"syscall", KTRACE_SORT_NAME},
		{"syscall-name", KTRACE_SORT_NAME},
		{"syscall_name", KTRACE_SORT_NAME},
		{"none", KTRACE_SORT_NONE},
		{"nothing", KTRACE_SORT_NONE},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(text, words[i].word) != 0)
			continue;
		s->show.sort = words[i].sort;
		s->sorted = true;
		return EXIT_OK;
	}
	return misused(&command_syscalls, "-S `%s': it is one of %s", text,
		       SORT_WORDS);
}

static int constants_parse(struct syscalls *s, const char *text)
{
	static const struct {
		const char *word;
		enum ktrace_output_constants constants;
	} words[] = {
		{"raw", KTRACE_CONSTANTS_NUMBERS},
		{"abbrev", KTRACE_CONSTANTS_NAMES},
		{"verbose", KTRACE_CONSTANTS_BOTH},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(text, words[i].word) != 0)
			continue;
		s->show.constants = words[i].constants;
		return EXIT_OK;
	}
	return misused(&command_syscalls, "-X `%s': it is one of %s", text,
		       CONSTANT_WORDS);
}

/* What numbers of processes are shown with. */
static int pids_parse(struct syscalls *s, const char *text)
{
	s->show.comms = !strcmp(text, "comm");
	if (s->show.comms || !strcmp(text, "none"))
		return EXIT_OK;
	if (!strcmp(text, "pidns"))
		return misused(
			&command_syscalls,
			"--decode-pids=pidns: a trace does not say which "
			"numbers processes have in other namespaces; "
			"comm shows their names");
	return misused(&command_syscalls,
		       "--decode-pids `%s': comm or none is expected", text);
}

/* Parses "path,dev". */
static int files_parse(struct syscalls *s, const char *text)
{
	static const struct {
		const char *word;
		unsigned int files;
	} words[] = {
		{"none", 0},
		{"all", KTRACE_FILES_ALL},
		{"path", KTRACE_FILES_PATHS},
		{"socket", KTRACE_FILES_SOCKETS},
		{"dev", KTRACE_FILES_DEVICES},
		{"pidfd", KTRACE_FILES_PIDFDS},
	};
	size_t length, i;

	s->decoded = 0;
	s->decodes = true;
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if (strlen(words[i].word) == length &&
			    !memcmp(text, words[i].word, length))
				break;
		}
		if (i == sizeof(words) / sizeof(*words))
			return misused(
				&command_syscalls,
				"--decode-fds `%.*s': it is one of " FILE_WORDS
				", or several with commas",
				(int)length, text);
		s->decoded |= words[i].files;
		if (!text[length])
			return EXIT_OK;
	}
}

/* What does not go together. */
static int options_check(const struct syscalls *s)
{
	const struct ktrace_output_calls *show = &s->show;

	if (show->counts && show->summary)
		return misused(&command_syscalls, "-c and -C: one of them");
	if (s->paths && s->decodes)
		return misused(&command_syscalls,
			       "-y and --decode-fds: one of them");
	if (show->counts && show->json)
		return misused(&command_syscalls,
			       "-C shows lines, and --json objects: one of "
			       "them");
	if (s->sorted && !show->counts && !show->summary)
		return misused(&command_syscalls,
			       "-S sorts what -c or -C counts");
	if (s->stacks && (show->json || show->summary))
		return misused(&command_syscalls,
			       "-k shows stacks below lines, and --json and -c "
			       "show none: one of them");
	if (show->statuses && show->returns)
		return misused(&command_syscalls,
			       "-e status=... and -z or -Z: one of them");
	if (s->live.append && !s->live.output)
		return misused(&command_syscalls,
			       "-A: to which file? -o names it");
	if (s->follow < 2)
		return EXIT_OK;
	if (show->counts || show->summary)
		return misused(&command_syscalls,
			       "-ff makes a file for each thread, and -c and "
			       "-C count those of all: one of them");
	if (show->json)
		return misused(&command_syscalls,
			       "-ff separates lines, not the objects of "
			       "--json: one of them");
	return EXIT_OK;
}

/* As with strace, -ff needs -o, and is -f without it. */
static int files_choose(struct syscalls *s)
{
	if (s->follow < 2 || !s->live.output)
		return EXIT_OK;
	s->files.path = s->live.output;
	s->files.append = s->live.append;
	s->live.output = NULL;
	s->live.append = false;
	return thread_files_check(&s->files);
}

static int signals_option(struct syscalls *s, const char *text)
{
	return signals_choose(s, text)
		       ? misused(&command_syscalls,
				 "--signal `%s': signals are expected, like "
				 "usr1,term, or !chld, all, none",
				 text)
		       : EXIT_OK;
}

static int statuses_option(struct syscalls *s, const char *text)
{
	return statuses_parse(text, &s->show.statuses)
		       ? misused(&command_syscalls,
				 "--status `%s': successful, failed, "
				 "unfinished, unavailable, detached, all or "
				 "none is expected, or several with commas",
				 text)
		       : EXIT_OK;
}

static bool is_about(const char *text, const char *name, const char **value)
{
	size_t length = strlen(name);

	*value = text + length;
	return !strncmp(text, name, length);
}

/* Of strace's names in front of the `=', some have a short form. */
static int expression_choose(struct syscalls *s, const char *text)
{
	const char *why, *value;

	if (!strcmp(text, "abbrev=none") || !strcmp(text, "a=none")) {
		s->show.unabbreviated = true;
		return EXIT_OK;
	}
	why = expression_refused(text);
	if (why)
		return misused(&command_syscalls, "-e %s: %s", text, why);
	if (is_about(text, "signal=", &value) ||
	    is_about(text, "signals=", &value) || is_about(text, "s=", &value))
		return signals_option(s, value);
	if (is_about(text, "status=", &value))
		return statuses_option(s, value);
	if (is_about(text, "decode-pids=", &value))
		return pids_parse(s, value);
	if (is_about(text, "decode-fds=", &value) ||
	    is_about(text, "decode-fd=", &value))
		return files_parse(s, value);
	if (!is_about(text, "trace=", &value) && !is_about(text, "t=", &value))
		value = text;
	return calls_parse(s, value)
		       ? misused(&command_syscalls,
				 "-e `%s': calls or sets are expected, like "
				 "openat,%%net; or signal=... or status=...",
				 text)
		       : EXIT_OK;
}

enum {
	JSON = OPTION_OWN,
	SIGNAL,
	STATUS,
	REFUSED,
	SEPARATELY,
	FILES,
	PIDS,
	TRACE,
	UNABBREVIATED,
};

static int option_handle(void *data, int option)
{
	struct syscalls *s = data;
	uint64_t number;

	switch (option) {
	case 'a':
		if (number_parse(optarg, &number) || number > COLUMN_MAX)
			return misused(&command_syscalls,
				       "-a `%s': 0 to %d is expected", optarg,
				       COLUMN_MAX);
		s->show.column = number ?: 1;
		return EXIT_OK;
	case 'A':
		s->live.append = true;
		return EXIT_OK;
	case 'c':
		s->show.summary = true;
		return EXIT_OK;
	case 'C':
		s->show.counts = true;
		return EXIT_OK;
	case 'd':
		return option_duration(&command_syscalls, optarg,
				       &s->live.duration);
	case 'e':
		return expression_choose(s, optarg);
	case SIGNAL:
		return signals_option(s, optarg);
	case STATUS:
		return statuses_option(s, optarg);
	case REFUSED:
		return misused(&command_syscalls, "%s",
			       expression_refused("inject="));
	case 'P':
		return path_choose(s, optarg);
	case 'f':
		s->follow++;
		return EXIT_OK;
	case SEPARATELY:
		s->follow = 2;
		return EXIT_OK;
	case 'w':
		return EXIT_OK; /* the default */
	case 'k':
		s->stacks = true;
		return EXIT_OK;
	case JSON:
		s->show.json = true;
		return EXIT_OK;
	case 'o':
		s->live.output = optarg;
		return EXIT_OK;
	case 'p':
		return processes_add(&s->live.processes, optarg,
				     &command_syscalls);
	case TRACE:
		s->live.trace = optarg;
		return EXIT_OK;
	case 'r':
		s->show.relative = true;
		return EXIT_OK;
	case 'S':
		return sort_parse(s, optarg);
	case 's':
		return calls_string_option(&command_syscalls, "-s", optarg,
					   &s->show.string_max);
	case 't':
		if (s->show.times < KTRACE_TIMES_EPOCH)
			s->show.times++;
		return EXIT_OK;
	case 'T':
		s->show.durations = true;
		return EXIT_OK;
	case 'X':
		return constants_parse(s, optarg);
	case 'x':
		if (s->show.strings < KTRACE_STRINGS_HEX)
			s->show.strings++;
		return EXIT_OK;
	case 'u':
		return user_option(&s->live.child.user, optarg);
	case UNABBREVIATED:
		s->show.unabbreviated = true;
		return EXIT_OK;
	case 'Y':
		s->show.comms = true;
		return EXIT_OK;
	case PIDS:
		return pids_parse(s, optarg);
	case 'y':
		s->decoded = s->paths ? KTRACE_FILES_ALL : KTRACE_FILES_PATHS;
		s->paths = true;
		return EXIT_OK;
	case FILES:
		return files_parse(s, optarg);
	case 'z':
		return returns_choose(s, KTRACE_RETURNS_OK);
	case 'Z':
		return returns_choose(s, KTRACE_RETURNS_FAILED);
	default:
		return option_forgotten(&command_syscalls, option);
	}
}

static int syscalls_main(int argc, char **argv)
{
	struct syscalls s = {
		.show.string_max = CALLS_STRING,
		.live =
			{
				.name = "syscalls",
				.kind = "strace",
				.fd = STDERR_FILENO,
				.enable = events_enable,
				.options = view_options,
				.data = &s,
			},
	};
	int status;

	status =
		options_parse(&command_syscalls, argc, argv, option_handle, &s);
	if (status != OPTIONS_TAKEN)
		return status;
	status = options_check(&s);
	if (status)
		return status;
	if (optind < argc)
		s.live.argv = argv + optind;
	status = user_check(&s.live.child.user, &command_syscalls, s.live.argv);
	status = status ?: files_choose(&s);
	if (!status)
		status = live_run(&s.live);
	thread_files_free(&s.files);
	selection_free(&s.selection);
	for (size_t i = 0; i < s.nr_touching; i++)
		free(s.touching[i]);
	free(s.touching);
	live_free(&s.live);
	return status;
}

static const struct command_option options[] = {
	OPTION('e', "call", "CALL,...",
	       "only these; %file, %desc, %net, %process, %signal, %memory, %ipc are sets; "
	       "with a `!' in front: not those; signal=... and status=...: as below",
	       .kind = ARGUMENT_CALL),
	OPTION(0, "signal", "SIGNAL,...",
	       "lines of these signals only, like usr1,term; !chld: of the others; none",
	       .id = SIGNAL),
	OPTION(0, "status", "STATUS,...",
	       "only calls that end so: successful, failed, unfinished, unavailable, "
	       "detached; with a `!' in front: not so",
	       .id = STATUS,
	       .words = "successful failed unfinished unavailable detached"),
	OPTION('P', "trace-path", "PATH",
	       "only calls that have this path as an argument, or its descriptor",
	       .kind = ARGUMENT_FILE),
	OPTION('p', "pid", "PID,...", "of these processes and their children",
	       .kind = ARGUMENT_PID),
	OPTION_USER_ROW,
	OPTION('d', "duration", "TIME", "end after that, like 10s"),
	OPTION('s', "string", "BYTES", "of data that are shown (32)"),
	OPTION('x', "hex", NULL,
	       "strings with bytes that are no text in hexadecimal; -xx: all "
	       "strings"),
	OPTION('X', "const-print-style", "STYLE",
	       "how constants and flags are shown: raw (numbers), abbrev (names, the "
	       "default) or verbose (both)",
	       .words = CONSTANT_WORDS),
	OPTION(0, "no-abbrev", NULL,
	       "all members of structs, and all elements of arrays that were recorded",
	       .id = UNABBREVIATED),
	OPTION('y', "paths", NULL,
	       "paths of what is behind file descriptors; -yy: also numbers of devices, "
	       "addresses of sockets and processes of pidfds"),
	OPTION(0, "decode-fds", "WHAT,...",
	       "only these of them: path, socket, dev, pidfd; all: -yy; none",
	       .words = FILE_WORDS, .id = FILES),
	OPTION('Y', "comms", NULL,
	       "names of threads and processes beside their numbers: [pid 7<cat>]"),
	OPTION(0, "decode-pids", "WHAT", "comm: the same as -Y; none: no names",
	       .words = "comm none", .id = PIDS),
	OPTION('a', "columns", "COLUMN", "where results are aligned (40)"),
	OPTION('k', "stack-traces", NULL,
	       "which functions of the program have made each call"),
	OPTION('T', "took", NULL, "how long each call took"),
	OPTION('t', "times", NULL,
	       "when it began: 14:03:59; -tt: with microseconds; -ttt: in seconds since "
	       "1970"),
	OPTION('r', "relative", NULL, "how long after the line before"),
	OPTION('z', "successful", NULL,
	       "only calls that returned without an error"),
	OPTION('Z', "failed", NULL, "only those that returned one"),
	OPTION('c', "summary", NULL,
	       "only how many, how long, how often failed"),
	OPTION('C', "counts", NULL, "the same below the calls"),
	OPTION('S', "sort", "COLUMN",
	       "which of these come first: time (the default), calls, errors, "
	       "name, or none",
	       .words = SORT_WORDS),
	OPTION(0, "json", NULL, "an object for each call", .id = JSON),
	OPTION('o', "output", "FILE", "show it there", .kind = ARGUMENT_FILE),
	OPTION('A', "append", NULL, "to what that file has"),
	OPTION(0, "trace", "DIRECTORY", "keep the trace",
	       .kind = ARGUMENT_DIRECTORY, .id = TRACE),
	OPTION('f', "follow-forks", NULL,
	       "new processes and threads too, as always; -ff with -o: each to "
	       "FILE.TID"),
	OPTION(0, "output-separately", NULL, "the same as -ff",
	       .id = SEPARATELY),
	OPTION(0, "inject", "X", NULL, .id = REFUSED), /* strace's: why not */
	OPTION(0, "fault", "X", NULL, .id = REFUSED),
	OPTION('w', NULL, NULL, NULL), /* times are always those of a clock */
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
