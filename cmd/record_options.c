// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The options of ktrace record. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "cmd.h"
#include "common/calls.h"
#include "common/cpus.h"
#include "common/trace.h"
#include "common/value.h"
#include "record.h"
#include "run/threads.h"

#define BUFFER_MIN (256ull << 10)
#define BUFFER_MAX (16ull << 20)

#define SAMPLE	   "profile:sample"

bool record_samples_are_wanted(const struct record *r)
{
	return !selection_is_all(&r->selection) &&
	       selection_match(&r->selection, "profile", "sample");
}

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
	BRANCHES_BY,
	BRANCH_TRACE,
	STACK_SIZE,
	ENTERED,
	IN,
	PLAIN,
	READ,
	SET,
	DEBUGINFOD,
	VMLINUX,
	MAX_SIZE,
	ROTATE,
	MAX_PARTS,
	SNAPSHOT_ON,
	DECODE,
	STRING,
};

/* A size has a unit, as a time has, so that a mere number is neither. */
static int rotate_option(struct parts *parts, const char *text)
{
	bool unit = *text && strspn(text, "0123456789. ") != strlen(text);

	parts->bytes = parts->ns = 0;
	/* A size here, and a time for -d: whoever has -d in mind would get a large trace. */
	if (unit && text[strlen(text) - 1] == 'm')
		return misused(&command_record,
			       "--rotate `%s': is it a size (10M), or a time "
			       "(10min)?",
			       text);
	if (unit && !size_parse(text, &parts->bytes) && parts->bytes)
		return EXIT_OK;
	if (unit && !duration_parse(text, &parts->ns) && parts->ns)
		return EXIT_OK;
	return misused(&command_record,
		       "--rotate `%s': a size or a time is expected, like "
		       "100M or 10min",
		       text);
}

/* The kernel takes the text: here it is only looked at. */
static int cpus_check(struct record *r, const char *text)
{
	struct cpus cpus = {0};
	int status = cpus_option(&cpus, &command_record, text);

	cpus_free(&cpus);
	r->cpus = text;
	return status;
}

static int filter_option(struct record *r, const char *filter)
{
	int err = selection_filter(&r->selection, filter);

	if (err == -EEXIST)
		return misused(&command_record,
			       "the -e before `-f %s' has a filter: join them "
			       "with &&",
			       filter);
	if (err)
		return misused(&command_record,
			       "-f belongs to the -e before it, and there is "
			       "none that chooses events");
	return EXIT_OK;
}

static int decoded_option(struct decoded *decoded, int option)
{
	decoded->wanted = true;
	if (option == 'y')
		decoded->paths = decoded->paths ? KTRACE_PATHS_FILES
						: KTRACE_PATHS_NAMES;
	return option == STRING
		       ? calls_string_option(&command_record, "--string",
					     optarg, &decoded->string_max)
		       : EXIT_OK;
}

static int option_handle(void *data, int option)
{
	struct record *r = data;

	switch (option) {
	case 'a':
		return EXIT_OK; /* the default */
	case 'C':
		return cpus_check(r, optarg);
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
		return filter_option(r, optarg);
	case 'F':
		if (*optarg >= '0' && *optarg <= '9')
			return record_rate_option(r, optarg);
		return patterns_option(&r->functions, &command_record, "-F",
				       "function", optarg);
	case 'g':
		return stacks_option(&r->stacks, &command_record, optarg);
	case DECODE:
	case 'y':
	case STRING:
		return decoded_option(&r->decoded, option);
	case BRANCHES:
		return stacks_branches_option(&r->stacks, &command_record,
					      optarg);
	case BRANCHES_BY:
		return stacks_branches_by_option(&r->stacks, &command_record,
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
	case MAX_SIZE:
		return option_size(&command_record, "max-size", optarg,
				   &r->parts.all);
	case ROTATE:
		return rotate_option(&r->parts, optarg);
	case MAX_PARTS:
		return !number_parse(optarg, &r->parts.max) && r->parts.max
			       ? EXIT_OK
			       : misused(&command_record,
					 "--max-parts `%s' is no number from 1 "
					 "on",
					 optarg);
	case SNAPSHOT_ON:
		r->parts.event = optarg;
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

/* Is nothing recorded but functions, markers and probes? */
static bool events_are_missing(const struct record *r)
{
	return (r->markers.nr || r->functions.nr || r->probes.nr) &&
	       selection_is_all(&r->selection);
}

static int decoded_check_options(const struct record *r)
{
	if (r->decoded.wanted && events_are_missing(r))
		return misused(&command_record,
			       "--decode is about system calls: -e is missing, "
			       "like -e 'syscalls:*'");
	return EXIT_OK;
}

bool record_is_of_markers(const struct record *r)
{
	return r->markers.nr && !r->functions.nr && !r->probes.nr &&
	       selection_is_all(&r->selection);
}

/* What can be said of the options before anything is done. */
static int options_check(struct record *r)
{
	int status;

	/* Behind all -f, which are about an -e. */
	if (r->rate && selection_add(&r->selection, SAMPLE))
		return failed("out of memory");
	status = record_sets_take(r);
	if (status)
		return status;
	if (r->only && !r->command)
		return misused(
			&command_record,
			"--only is about the command, and there is none");
	status = user_check(&r->child.user, &command_record, r->command);
	status = status ?: record_parts_check(r);
	status = status ?: functions_check(r);
	status = status ?: record_stacks_check(r, record_is_of_markers(r));
	status = status ?: decoded_check_options(r);
	status = status ?: probes_are_said(&r->probes, &command_record);
	if (status)
		return status;
	r->stacks.functions = r->functions.nr;
	/* Who wants to know what runs wants to know of programs, too. */
	if (r->stacks.bare && record_samples_are_wanted(r) &&
	    stacks_want(&r->stacks, KTRACE_STACKS_USER, SAMPLE))
		return failed("out of memory");
	if (r->cpus && (r->keep || record_is_of_markers(r)))
		return misused(&command_record,
			       r->keep ? "--cpu and --keep: the buffers are "
					 "kept as they are"
				       : "--cpu is about events of the kernel, "
					 "not about -M");
	if (r->debuginfod.wanted && !r->branch_trace &&
	    !stacks_of_programs_are_wanted(&r->stacks))
		return misused(
			&command_record,
			"--debuginfod is about stacks of programs: -g=user is missing");
	return EXIT_OK;
}

int record_options(struct record *r, int argc, char **argv)
{
	int status;

	status = options_parse(&command_record, argc, argv, option_handle, r);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind < argc)
		r->command = argv + optind;
	status = options_check(r);
	if (!status && r->command)
		status = child_check(r->command);
	status = status ?: stream_prepare(r);
	if (status)
		return status;
	if (!r->buffer)
		r->buffer = buffer_default();
	return OPTIONS_TAKEN;
}

const struct command_option record_option_rows[] = {
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
	OPTION(0, "decode", NULL,
	       "with each system call what its arguments point to: paths, data, structs; with "
	       "each signal, who has sent it.  For report -F strace, all other outputs, and "
	       "filters: filename ~ \"/etc/*\"",
	       .id = DECODE),
	OPTION('y', "paths", NULL,
	       "--decode, and the paths of file descriptors; -yy: also numbers of devices, "
	       "addresses of sockets and processes of pidfds"),
	OPTION(0, "string", "BYTES",
	       "--decode, and so many bytes of data, up to 8192 (32)",
	       .words = "32 256 4096", .id = STRING),
	OPTION(0, "branches", "N",
	       "with each event, the last 1 to 32 branches that the program has taken: the "
	       "command and its children, or the processes of -p, run some hundred times slower; "
	       "without these, of all programs, by the processor's records",
	       .words = "4 8 16 32", .id = BRANCHES),
	OPTION(0, "branches-by", "WHO",
	       "what finds them: step, behind each instruction, on every machine; lbr, the "
	       "processor's last branch records, of all programs, at their speed",
	       .words = "step lbr", .id = BRANCHES_BY),
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
	OPTION('C', "cpu", "CPUS",
	       "events of the kernel only on these CPUs, like 0,2-3: the others get no buffer"),
	OPTION('o', "output", "DIRECTORY",
	       "where the trace goes (" TRACE_DEFAULT "); -: standard output, "
	       "for `ktrace report -'",
	       .kind = ARGUMENT_DIRECTORY),
	OPTION('m', "mode", "MODE",
	       "discard: when a buffer is full, newer events are lost; overwrite: older "
	       "ones are, and only what is in the buffers at the end is written (flight "
	       "recorder)",
	       .words = "discard overwrite"),
	OPTION(0, "snapshot-on", "EVENT",
	       "implies --mode overwrite; when EVENT, or \"EVENT if FILTER\", happens, what is "
	       "in the buffers becomes the trace DIRECTORY.1, .2, ..., and the recording "
	       "goes on; SIGUSR2 does the same",
	       .kind = ARGUMENT_EVENT, .id = SNAPSHOT_ON),
	OPTION(0, "rotate", "SIZE|TIME",
	       "when the trace is so large or so old, as 100M or 10min, it becomes "
	       "DIRECTORY.1, .2, ..., and the recording goes on in another one",
	       .words = "100M 1G 1min 1h", .id = ROTATE),
	OPTION(0, "max-parts", "NUMBER", "of these, keep only the newest ones",
	       .id = MAX_PARTS),
	OPTION(0, "max-size", "SIZE",
	       "end when the trace, or all its parts, have so many bytes",
	       .words = "100M 1G 10G", .id = MAX_SIZE),
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
