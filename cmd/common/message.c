// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Messages of all subcommands, on standard error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "value.h"

int verbosity;

/*
 * The text may contain untrusted names, of files or from a trace.  It is written at once: others may
 * write there, too, as the command that is recorded.
 */
static void message(const char *format, va_list ap)
{
	char *text = NULL, *whole = NULL, *next, *line;
	size_t size;
	FILE *f = open_memstream(&whole, &size);

	if (f && vasprintf(&text, format, ap) < 0)
		text = NULL;
	if (f)
		fputs("ktrace: ", f);
	for (next = text; (line = strsep(&next, "\n"));) {
		print_text(f, line);
		fputc('\n', f);
	}
	if (f && !fclose(f) && text)
		fwrite(whole, 1, size, stderr);
	else
		fputs("ktrace: out of memory\n", stderr);
	free(whole);
	free(text);
}

void say(const char *format, ...)
{
	va_list ap;

	if (verbosity < 0)
		return;
	va_start(ap, format);
	message(format, ap);
	va_end(ap);
}

int failed(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	return EXIT_FAILED;
}

int failed_in_library(void)
{
	return failed("%s", ktrace_last_error());
}

int misused(const struct command *command, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	message(format, ap);
	va_end(ap);
	if (command)
		fprintf(stderr, "Try `ktrace %s --help'.\n", command->name);
	else
		fputs("Try `ktrace --help'.\n", stderr);
	return EXIT_USAGE;
}

void note(void *data, const char *text)
{
	if (verbosity > 0)
		say("%s", text);
}

int output_finish(int status)
{
	if (!ferror(stdout) && !fflush(stdout))
		return status;
	/* The reader, like head or less, needs no more. */
	if (errno == EPIPE)
		return status;
	return failed("cannot write the output: %s", strerror(errno));
}
