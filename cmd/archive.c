// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace archive: packs a trace and the files that its stacks mention into one file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/archive.h>

#include "cmd.h"
#include "common/debuginfod.h"
#include "common/half_file.h"
#include "common/output.h"
#include "common/trace.h"
#include "common/value.h"

enum { FORCE = OPTION_OWN, NO_FILES, DEBUGINFOD };

/* How many files are named that are left out; the others are counted. */
#define NAMED_MAX 3

struct archive {
	const char *trace;
	const char *output; /* "-": standard output */
	bool force;
	struct ktrace_archive_options options;
	struct debuginfod debuginfod;

	char *name; /* the default, if @output is not given */
	char *half; /* the file, until it has its name; NULL: none */
	int fd;
	bool progress;
	unsigned int percent;
	unsigned int left_out;
};

static bool progress_show(void *data, uint64_t done, uint64_t all)
{
	struct archive *a = data;
	unsigned int percent = all && done < all ? done * 100 / all : 100;

	if (a->progress && percent != a->percent) {
		a->percent = percent;
		fprintf(stderr, "\r\033[K%u %%", percent);
	}
	return false;
}

static void left_out_say(void *data, const char *path, const char *why)
{
	struct archive *a = data;

	if (a->left_out++ < NAMED_MAX)
		say("%s is left out: %s", path, why);
}

/* ---- the file ---------------------------------------------------------------- */

/* Default name: TRACE.tar.zst, beside the trace. */
static int output_name(struct archive *a)
{
	int len = strlen(a->trace);

	if (a->output)
		return EXIT_OK;
	while (len > 1 && a->trace[len - 1] == '/')
		len--;
	if (asprintf(&a->name, "%.*s.tar.zst", len, a->trace) < 0)
		return failed("out of memory");
	a->output = a->name;
	return EXIT_OK;
}

static int taken(const struct archive *a)
{
	return failed(
		"%s: File exists: --force replaces it, -o chooses another",
		a->output);
}

/* Only a file, or a link, is replaced: not a device. */
static int place_check(const struct archive *a)
{
	struct stat st;

	if (lstat(a->output, &st))
		return EXIT_OK;
	if (!a->force)
		return taken(a);
	return S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)
		       ? EXIT_OK
		       : failed("%s is no file: choose another name with -o",
				a->output);
}

/*
 * What the trace has is private.  It is written beside the place that it shall have: whatever ends
 * this process, nothing that is not whole has the name of an archive, and what is to be replaced
 * stays until then.  Never through a link, which somebody else may have made.
 */
static int file_open(struct archive *a)
{
	int status = place_check(a);
	char *path;

	if (status)
		return status;
	if (asprintf(&path, "%s.XXXXXX", a->output) < 0)
		return failed("out of memory");
	half_file_begin();
	a->fd = mkostemp(path, O_CLOEXEC);
	if (a->fd < 0)
		status = failed("%s: %s", a->output, strerror(errno));
	half_file_made(status ? NULL : path);
	if (status)
		free(path);
	else
		a->half = path;
	return status;
}

static int output_open(struct archive *a)
{
	if (strcmp(a->output, "-"))
		return file_open(a);
	if (isatty(STDOUT_FILENO))
		return failed("-: standard output is a terminal: an archive is "
			      "for a file or a pipe");
	a->fd = STDOUT_FILENO;
	return EXIT_OK;
}

/* 0 or -1 with errno.  Some file systems cannot rename without replacing, but link. */
static int rename_new(const char *from, const char *to)
{
	if (!renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	return link(from, to) ? -1 : unlink(from);
}

static int file_name(const struct archive *a)
{
	int err = a->force ? rename(a->half, a->output)
			   : rename_new(a->half, a->output);

	if (!err)
		return EXIT_OK;
	return errno == EEXIST && !a->force
		       ? taken(a)
		       : failed("%s: %s", a->output, strerror(errno));
}

/* Gives it its name, or removes it. */
static int output_close(struct archive *a, int status)
{
	if (!a->half)
		return status;
	if (!status)
		output_file_hand_over(a->fd);
	if (close(a->fd) && !status)
		status = failed("%s: %s", a->output, strerror(errno));
	if (!status)
		status = file_name(a);
	if (status)
		unlink(a->half);
	half_file_end();
	free(a->half);
	return status;
}

/* ---- packing ----------------------------------------------------------------- */

static void packed_say(const struct archive *a,
		       const struct ktrace_archive_result *r)
{
	if (a->left_out > NAMED_MAX)
		say("%u files of programs are left out in all", a->left_out);
	if (r->named)
		say("the trace had no names for %s places in programs: now it has what "
		    "their files tell",
		    count_text(r->named).s);
	say("packed the trace (%s) and %s file%s of programs (%s with debug files): %s, in %s",
	    bytes_text(r->trace_bytes).s, count_text(r->files).s,
	    r->files == 1 ? "" : "s", bytes_text(r->file_bytes).s,
	    bytes_text(r->bytes).s,
	    strcmp(a->output, "-") ? a->output : "standard output");
}

static int pack(struct archive *a, struct ktrace_archive_result *result)
{
	int err;

	a->options.size = sizeof(a->options);
	a->options.progress = progress_show;
	a->options.left_out = left_out_say;
	a->options.data = a;
	a->options.debuginfod = debuginfod_options(&a->debuginfod);
	debuginfod_patience(&a->debuginfod);
	err = ktrace_archive_write(a->trace, a->fd, &a->options, result,
				   sizeof(*result));
	if (a->progress)
		fputs("\r\033[K", stderr);
	half_file_progress(false);
	if (!err)
		return EXIT_OK;
	/* The reader of a pipe needs no more. */
	return err == -EPIPE ? EXIT_FAILED : failed_in_library();
}

static int archive_run(struct archive *a)
{
	struct ktrace_archive_result result;
	int status;

	if (is_stream(a->trace))
		return failed(
			"a stream cannot be packed: record into a directory");
	if (access(a->trace, F_OK))
		return failed("%s: %s", a->trace, strerror(errno));
	half_file_watch();
	status = output_name(a);
	if (!status)
		status = output_open(a);
	if (status)
		return status;
	a->progress = isatty(STDERR_FILENO) && verbosity >= 0;
	a->percent = 100;
	half_file_progress(a->progress);
	status = output_close(a, pack(a, &result));
	if (!status)
		packed_say(a, &result);
	return status;
}

static int option_handle(void *data, int option)
{
	struct archive *a = data;

	switch (option) {
	case 'o':
		a->output = optarg;
		return EXIT_OK;
	case FORCE:
		a->force = true;
		return EXIT_OK;
	case NO_FILES:
		a->options.no_files = true;
		return EXIT_OK;
	case DEBUGINFOD:
		return debuginfod_option(&a->debuginfod);
	default:
		return option_forgotten(&command_archive, option);
	}
}

static int archive_main(int argc, char **argv)
{
	struct archive a = {.trace = TRACE_DEFAULT, .fd = -1};
	int status;

	status = options_parse(&command_archive, argc, argv, option_handle, &a);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind + 1 < argc)
		return misused(&command_archive, "one trace at a time");
	if (optind < argc)
		a.trace = argv[optind];
	status = archive_run(&a);
	free(a.name);
	return status;
}

static const struct command_option options[] = {
	OPTION('o', "output", "FILE",
	       "where to (DIR.tar.zst); - is standard output",
	       .kind = ARGUMENT_FILE),
	OPTION(0, "force", NULL, "replace a file of this name", .id = FORCE),
	OPTION(0, "no-files", NULL, "only the trace, no files of programs",
	       .id = NO_FILES),
	OPTION_DEBUGINFOD_ROW(DEBUGINFOD),
	OPTION_QUIET_ROW("only errors"),
	{0},
};

const struct command command_archive = {
	.name = "archive",
	.what = "pack a trace with all that its symbols need",
	.usage = "[OPTION...] [DIR]",
	.about = "DIR is a trace (" TRACE_DEFAULT
		 ").  What reads a trace reads the archive\n"
		 "as well, on any machine; tar unpacks it.\n",
	.options = options,
	.operand = ARGUMENT_DIRECTORY,
	.examples = "    ktrace archive && scp " TRACE_DEFAULT
		    ".tar.zst elsewhere:\n"
		    "    ktrace report -g " TRACE_DEFAULT ".tar.zst\n",
	.main = archive_main,
};
