// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace branch: which way a program went, up to now or up to its end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "base/now.h"
#include "branch_show.h"
#include "cmd.h"
#include "common/cpus.h"
#include "common/debuginfod.h"
#include "common/trace.h"
#include "common/value.h"
#include "run/child.h"
#include "run/process.h"
#include "run/signals.h"
#include "run/threads.h"
#include "run/wait.h"

#define ROUND_MS 100 /* between two looks at what was mapped */

/* Lines that ran long ago count, too: 262,144 branches of each thread. */
#define COVERAGE_BYTES (4u << 20)

struct branch {
	/* What the command line says: */
	char **argv; /* NULL: no command */
	struct processes processes;
	struct cpus cpus; /* whatever runs there */
	bool all_cpus;
	uint64_t duration; /* ns; 0: no limit */
	uint64_t bytes;	   /* of a buffer; 0: as usual */
	uint64_t last;	   /* entries of each thread that are shown; 0: all */
	bool alone;	   /* not what it begins */
	bool flat, calls, json, kernel;
	const char *by;	   /* what finds them; NULL: single steps */
	bool pt;	   /* Intel's PT does */
	const char *range; /* only code there */
	const char *input; /* a trace; NULL: what happens now */
	bool of_perf;	   /* it is a file of perf record */
	const char *output;
	bool coverage; /* the output is the lines that have run */
	struct debuginfod debuginfod;

	FILE *file;
	struct ktrace_session *session;
	struct ktrace_branches *branches;
	struct child child;
	struct signals signals;
	int terminated;	  /* the signal that ended it */
	bool interrupted; /* Ctrl-C came, and the command runs */
};

/* ---- tracing -------------------------------------------------------------- */

static bool is_of_cpus(const struct branch *b)
{
	return b->all_cpus || b->cpus.nr;
}

static int branches_open(struct branch *b)
{
	struct ktrace_branches_options options = {
		.size = sizeof(options),
		.bytes = b->bytes
				 ?: b->coverage && !b->pt ? COVERAGE_BYTES
							  : 0,
		.pt = b->pt,
		.range = b->range,
		.debuginfod = debuginfod_options(&b->debuginfod),
		.cpus = b->cpus.list,
		.nr_cpus = b->cpus.nr,
		.all_cpus = b->all_cpus,
	};
	struct threads threads = {0};
	int status = EXIT_OK;

	if (!is_of_cpus(b)) {
		options.threads = options.children = !b->alone;
		options.executes = b->child.pid;
		status = threads_find(&threads, b->child.pid, &b->processes);
		options.tids = threads.list;
		options.nr_tids = threads.nr;
	}
	if (!status && ktrace_branches_open(b->session, &options, &b->branches))
		status = failed_in_library();
	threads_free(&threads);
	return status;
}

/* False: it cannot be followed any more. */
static bool files_follow(void *data)
{
	struct branch *b = data;

	return !ktrace_branches_follow(b->branches);
}

/* The first Ctrl-C is for the command, the second one ends the tracing. */
static bool command_interrupted(void *data)
{
	struct branch *b = data;

	if (b->interrupted)
		return true;
	say("waiting for the command to end; Ctrl-C again ends the tracing");
	b->interrupted = true;
	return false;
}

/* A signal ends the asking for debug files. */
static bool asking_interrupted(void *data)
{
	struct branch *b = data;
	int number;

	do
		number = signals_take(&b->signals, NULL);
	while (number == SIGCHLD);
	if (number && number != SIGINT)
		b->terminated = number;
	return number;
}

static int trace(struct branch *b)
{
	struct wait wait = {
		.signals = &b->signals,
		.child = &b->child,
		.processes = &b->processes,
		.failed_fd = -1,
		.began = now_ns(),
		.duration = b->duration,
		.round_ms = ROUND_MS,
		.round = files_follow,
		.interrupted = command_interrupted,
		.data = b,
	};
	const char *reason;
	int status = EXIT_OK;

	if (b->argv)
		status = child_go(&b->child, b->argv);
	else
		say("tracing: Ctrl-C ends it");
	if (status)
		return status;
	reason = wait_for_end(&wait);
	b->terminated = wait.terminated;
	return strcmp(reason, "error") ? EXIT_OK : failed_in_library();
}

static int branches_show(const struct branch *b, const struct branch_show *show)
{
	const struct ktrace_branches_cpus *cpus =
		ktrace_branches_of_cpus(show->branches);
	uint64_t unfollowed = cpus ? cpus->unfollowed : 0;
	const struct ktrace_branch_thread *thread;
	int status = EXIT_OK;

	if (b->coverage)
		status = branch_show_coverage(show, b->output);
	else if (b->json)
		branch_show_json(show);
	else if (b->flat)
		status = branch_show_flat(show);
	else if (b->calls)
		status = branch_show_calls(show);
	else
		branch_show_text(show);
	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++)
		unfollowed += thread->unfollowed;
	branch_decoded_tell(show);
	if (unfollowed)
		say("%s threads or processes were not traced: there was no "
		    "memory for %s%s",
		    count_text(unfollowed).s, cpus ? "them" : "their buffers",
		    b->input || cpus ? "" : " (--size)");
	return status;
}

static int show(struct branch *b)
{
	struct branch_show show = {
		.file = b->file,
		.branches = b->branches,
		.last = b->last,
	};

	debuginfod_patience(&b->debuginfod);
	if (ktrace_branches_read(b->branches) ||
	    (b->session && ktrace_session_clock(b->session, &show.clock)))
		return failed_in_library();
	/* Times of perf are ns. */
	if (!b->session)
		show.clock.frequency = 1000000000;
	/* What is printed may be long; for lines, a server may be asked before. */
	if (!b->coverage)
		signals_unblock(&b->signals);
	return branches_show(b, &show);
}

static int session_run(struct branch *b)
{
	struct ktrace_session_options options = {
		.size = sizeof(options),
		.note = note,
	};
	int status;

	/* The kernel's own perf finds them, so no module is needed. */
	if (!b->pt && ktrace_session_open(&options, &b->session))
		return failed_in_library();
	status = b->argv ? child_prepare(&b->child, b->argv, &b->signals)
			 : EXIT_OK;
	if (!status) {
		status = branches_open(b);
		if (status)
			child_cancel(&b->child);
	}
	status = status ?: trace(b);
	status = status ?: show(b);
	ktrace_branches_close(b->branches);
	ktrace_session_close(b->session);
	return status;
}

/* ---- of a trace ----------------------------------------------------------- */

/* Branches come behind all events of a stream. */
static int stream_drain(struct ktrace *trace)
{
	struct ktrace_cursor *cursor;
	int item = ktrace_cursor_create(trace, NULL, &cursor);

	if (item)
		return item;
	do
		item = ktrace_cursor_next(cursor);
	while (item > 0);
	ktrace_cursor_destroy(cursor);
	return item;
}

static int trace_show(struct branch *b, struct ktrace *trace)
{
	struct branch_show show = {
		.file = b->file,
		.trace = trace,
		.last = b->last,
	};

	if (is_stream(b->input) && stream_drain(trace))
		return failed_in_library();
	if (ktrace_trace_branches(trace, &show.branches))
		return failed_in_library();
	if (!show.branches)
		return failed("%s: it has no branches: ktrace record "
			      "--branch-trace",
			      b->input);
	if (!ktrace_branches_thread(show.branches, 0))
		return failed(ktrace_get_info(trace)->reason
				      ? "%s: no branches of it can be read"
				      : "%s: its branches were not written: "
					"the recording was cut off",
			      b->input);
	return branches_show(b, &show);
}

static int trace_run(struct branch *b)
{
	struct ktrace *trace;
	int status = trace_open(b->input, &trace);

	if (status)
		return status;
	status = trace_show(b, trace);
	trace_complain(trace);
	ktrace_close(trace);
	return status;
}

/* ---- of a file of perf ---------------------------------------------------- */

/* By how it begins, also if it is of a machine with the other order of bytes. */
static bool is_of_perf(const char *path)
{
	char magic[8] = "";
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    read(fd, magic, sizeof(magic)) != sizeof(magic))
		*magic = '\0';
	close(fd);
	return !memcmp(magic, "PERFILE2", sizeof(magic)) ||
	       !memcmp(magic, "2ELIFREP", sizeof(magic));
}

static bool has_branches(const struct ktrace_branches *branches)
{
	const struct ktrace_branch_thread *thread;
	struct ktrace_branch branch;

	for (size_t i = 0; (thread = ktrace_branches_thread(branches, i)); i++)
		for (size_t n = 0; n < thread->nr; n++) {
			branch = ktrace_branches_get(branches, i, n);
			if (!ktrace_branch_is_stamp(&branch))
				return true;
		}
	return false;
}

static int recorded_run(struct branch *b)
{
	struct ktrace_branches_options options = {
		.size = sizeof(options),
		.bytes = b->bytes,
		.debuginfod = debuginfod_options(&b->debuginfod),
	};
	struct branch_show show = {
		.file = b->file,
		.last = b->last,
		/* Its times are ns. */
		.clock = {.frequency = 1000000000},
	};
	int status;

	debuginfod_patience(&b->debuginfod);
	if (ktrace_branches_open_recorded(b->input, &options, &b->branches))
		return failed_in_library();
	show.branches = b->branches;
	if (!has_branches(show.branches))
		status = failed("%s: no branch of it can be decoded%s",
				b->input, branch_decoded_reason(&show));
	else
		status = branches_show(b, &show);
	ktrace_branches_close(b->branches);
	return status;
}

/* ---- output --------------------------------------------------------------- */

static int output_open(struct branch *b)
{
	b->file = b->output ? fopen(b->output, "we") : stdout;
	return b->file ? EXIT_OK : failed("%s: %s", b->output, strerror(errno));
}

static int output_close(struct branch *b, int status)
{
	bool bad = ferror(b->file);

	if (!b->output)
		return output_finish(status);
	if ((fclose(b->file) || bad) && !status)
		return failed(
			"%s: %s", b->output,
			bad ? "not all of it could be written: is there no space left?"
			    : strerror(errno));
	return status;
}

static int run(struct branch *b)
{
	int status, ended;

	status = b->argv ? child_check(b->argv) : EXIT_OK;
	status = status ?: output_open(b);
	if (status)
		return status;
	if (b->input)
		return output_close(b, b->of_perf ? recorded_run(b)
						  : trace_run(b));
	status = signals_prepare(&b->signals) ?: session_run(b);
	status = output_close(b, status);
	ended = child_finish(&b->child, &b->signals);
	status = status ?: ended;
	return !status && b->terminated ? 128 + b->terminated : status;
}

/* ---- options -------------------------------------------------------------- */

enum {
	ALONE = OPTION_OWN,
	BY,
	CALLS,
	COVERAGE,
	DEBUGINFOD,
	FLAT,
	KERNEL,
	RANGE,
	USER,
};

static int last_take(struct branch *b, const char *text)
{
	return !number_parse(text, &b->last) && b->last
		       ? EXIT_OK
		       : misused(&command_branch,
				 "--last `%s' is not a number of branches",
				 text);
}

static int format_take(struct branch *b, const char *text)
{
	b->json = !strcmp(text, "json");
	return b->json || !strcmp(text, "text")
		       ? EXIT_OK
		       : misused(&command_branch,
				 "--format `%s': text or json is expected",
				 text);
}

static int by_take(struct branch *b, const char *text)
{
	b->by = text;
	b->pt = !strcmp(text, "pt");
	return b->pt || !strcmp(text, "step")
		       ? EXIT_OK
		       : misused(&command_branch,
				 "--by `%s': step or pt is expected", text);
}

static int option_handle(void *data, int option)
{
	struct branch *b = data;

	switch (option) {
	case ALONE:
		b->alone = true;
		return EXIT_OK;
	case BY:
		return by_take(b, optarg);
	case CALLS:
		b->calls = true;
		return EXIT_OK;
	case COVERAGE:
		b->coverage = true;
		b->output = optarg;
		return *optarg ? EXIT_OK
			       : misused(&command_branch,
					 "--coverage needs the name of a file");
	case DEBUGINFOD:
		return debuginfod_option(&b->debuginfod);
	case FLAT:
		b->flat = true;
		return EXIT_OK;
	case KERNEL:
		b->kernel = true;
		return EXIT_OK;
	case RANGE:
		b->range = optarg;
		return EXIT_OK;
	case USER:
		return EXIT_OK;
	case 'u':
		return user_option(&b->child.user, optarg);
	case 'c':
		if (strcmp(optarg, "all") != 0)
			return cpus_option(&b->cpus, &command_branch, optarg);
		b->all_cpus = true;
		return EXIT_OK;
	case 'd':
		return option_duration(&command_branch, optarg, &b->duration);
	case 'F':
		return format_take(b, optarg);
	case 'i':
		b->input = optarg;
		b->of_perf = is_of_perf(optarg);
		return *optarg ? EXIT_OK
			       : misused(&command_branch, "-i needs a trace");
	case 'n':
		return last_take(b, optarg);
	case 'o':
		b->output = optarg;
		return EXIT_OK;
	case 'p':
		return processes_add(&b->processes, optarg, &command_branch);
	case 's':
		return threads_size_option(&command_branch, "size", &b->bytes);
	default:
		return option_forgotten(&command_branch, option);
	}
}

static int options_check(const struct branch *b)
{
	if (b->kernel)
		return failed("branches of the kernel can only be had from a "
			      "processor that records them, and ktrace cannot "
			      "ask it yet: those of programs are found by "
			      "stopping them behind each instruction (--user)");
	if (b->input && (b->argv || b->processes.nr || is_of_cpus(b)))
		return misused(&command_branch,
			       "-i shows a trace; it traces nothing");
	if (b->of_perf && (b->duration || b->alone))
		return misused(
			&command_branch,
			"-i shows what perf has recorded: --duration and "
			"--alone are for what happens now");
	if (b->input && !b->of_perf &&
	    (b->bytes || b->duration || b->alone || b->coverage ||
	     b->debuginfod.wanted))
		return misused(&command_branch,
			       "-i shows a trace: --size, --duration, --alone, "
			       "--coverage and --debuginfod are for what "
			       "happens now");
	if (b->input && b->by)
		return misused(&command_branch,
			       "-i shows what was recorded: --by is for what "
			       "happens now");
	if (b->range && !b->pt)
		return misused(&command_branch,
			       "--range is what Intel's PT can do: --by pt");
	if (b->pt && is_of_cpus(b))
		return misused(
			&command_branch,
			"--by pt traces a command or processes, not CPUs");
	if (b->argv && b->processes.nr)
		return misused(&command_branch,
			       "a command and -p: one of them");
	if (is_of_cpus(b) && (b->processes.nr || b->alone))
		return misused(&command_branch,
			       "--cpu is about all programs that run there: "
			       "not with -p or --alone");
	if (!b->argv && !b->processes.nr && !b->input && !is_of_cpus(b))
		return misused(&command_branch,
			       "whose branches?  Name a command, or processes "
			       "with -p, or CPUs with -c, or a trace with -i");
	if (b->flat && b->calls)
		return misused(&command_branch,
			       "--calls and --flat: one of them");
	if (b->coverage && (b->flat || b->calls || b->json || b->last))
		return misused(&command_branch,
			       "--coverage is about all branches, and writes a "
			       "file of its own: not with --flat, --calls, -n "
			       "or -F");
	if ((b->flat || b->calls) && b->json)
		return misused(
			&command_branch,
			"--calls and --flat are text; with --format json "
			"each branch is a line");
	return EXIT_OK;
}

static int branch_main(int argc, char **argv)
{
	struct branch b = {
		.debuginfod = {.interrupted = asking_interrupted, .data = &b},
	};
	int status;

	status = options_parse(&command_branch, argc, argv, option_handle, &b);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		b.argv = argv + optind;
	status = user_check(&b.child.user, &command_branch, b.argv);
	status = status ?: options_check(&b) ?: run(&b);
	processes_free(&b.processes);
	cpus_free(&b.cpus);
	return status;
}

static const struct command_option options[] = {
	OPTION('s', "size", "SIZE",
	       "of the buffer of each thread, or CPU, which keeps the newest branches: 4K to 64M (64K; by "
	       "pt 1M); a branch takes 16 bytes, by pt about one"),
	OPTION('p', "pid", "PID,...",
	       "these processes, and those that they begin; until Ctrl-C, or until they end",
	       .kind = ARGUMENT_PID),
	OPTION('c', "cpu", "CPUS",
	       "whatever programs run on these CPUs, like 0,2-3, or on all; until Ctrl-C, or until "
	       "COMMAND ends",
	       .words = "all"),
	OPTION('u', "run-as", "USER",
	       "COMMAND runs as this user, by name or number, with his "
	       "groups and his HOME; needs root"),
	OPTION('d', "duration", "TIME", "end after that, like 10s"),
	OPTION('i', "input", "DIRECTORY",
	       "show the branches that a trace has (man ktrace-record), or a file of `perf record "
	       "-e intel_pt//u'; -: a trace from standard input",
	       .kind = ARGUMENT_DIRECTORY),
	OPTION('n', "last", "NUMBER", "show only the last ones of each thread"),
	OPTION(0, "alone", NULL,
	       "no threads and no processes that it begins, only what there is at first",
	       .id = ALONE),
	OPTION(0, "by", "HOW",
	       "what finds them: step, on every machine (this is the default), or pt, Intel's "
	       "Processor Trace, which makes the program hardly slower",
	       .id = BY, .words = "step pt"),
	OPTION(0, "range", "RANGE",
	       "with --by pt, only code in this part of a file: OFFSET/SIZE@FILE, in bytes",
	       .id = RANGE),
	OPTION(0, "user", NULL, "branches of the program (this is the default)",
	       .id = USER),
	OPTION(0, "kernel", NULL, "branches of the kernel (not possible yet)",
	       .id = KERNEL),
	OPTION(0, "calls", NULL, "the calls, each below its caller",
	       .id = CALLS),
	OPTION(0, "flat", NULL,
	       "how often each branch was taken, most often first", .id = FLAT),
	OPTION(0, "coverage", "FILE",
	       "which lines of the source have run, into a file for genhtml (lcov); buffers of 4M "
	       "keep what ran long ago, too",
	       .kind = ARGUMENT_FILE, .id = COVERAGE),
	OPTION('F', "format", "FORMAT", "text, or json: a line for each branch",
	       .words = "text json"),
	OPTION('o', "output", "FILE", "show it there, not on standard output",
	       .kind = ARGUMENT_FILE),
	OPTION_DEBUGINFOD_ROW(DEBUGINFOD),
	OPTION_QUIET_ROW("only errors"),
	OPTION_VERBOSE_ROW("whole paths; say what is done"),
	{0},
};

const struct command command_branch = {
	.name = "branch",
	.what = "show which way a program went: its last branches",
	.usage =
		"[OPTION...] {-p PID | -c CPUS | -i DIR | -- COMMAND [ARG...]}",
	.about = "Shows the branches that were taken, when COMMAND has ended, "
		 "or at Ctrl-C.\n"
		 "The program is stopped behind each instruction, so it "
		 "runs some thousand times\n"
		 "slower than alone, unless the processor tells what it does "
		 "(--by pt).\n",
	.options = options,
	.operand = ARGUMENT_PROGRAM,
	.examples = "    ktrace branch -- ./crash\n"
		    "    ktrace branch -s 1M -n 200 -- ./crash\n"
		    "    ktrace branch -p 812 -d 1s --flat\n"
		    "    ktrace branch -c 1 -d 100ms --calls\n"
		    "    ktrace branch --by pt -- ./crash\n"
		    "    ktrace branch -i ktrace.data --calls\n"
		    "    ktrace branch -i perf.data --coverage lines.info\n",
	.main = branch_main,
};
