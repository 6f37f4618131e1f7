/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shared by the subcommands.
 *
 * Exit status: 0: success; 1: failure, standard error says what to do; 2:
 * invalid command line.  For `record -- COMMAND' it is that of the command.
 */
#ifndef KT_CMD_H
#define KT_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "commands.h"
#include "common/option.h"

#define TRACE_DEFAULT "ktrace.data"

enum exit_status {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

struct command {
	const char *name;
	const char *what;  /* one line of description */
	const char *usage; /* after the name */
	/* Lines of the help before and after the options; NULL: none. */
	const char *about;
	const char *examples;
	const struct command_option *options; /* NULL: only --help */
	/* The arguments that are not options, for completion: see option.h. */
	enum argument_kind operand;
	const char *operand_words;
	int (*main)(int argc, char **argv);
};

/* One for each name in the list of commands, which is in cmd/meson.build. */
#define COMMAND(name) extern const struct command command_##name;
COMMANDS
#undef COMMAND

/* Messages on standard error; -q silences say(). */
extern int verbosity; /* -1: -q; 0; 1 and more: -v */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns EXIT_FAILED. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A function of the library failed: prints its error.  Returns EXIT_FAILED. */
int failed_in_library(void);
/* Also refers to the help.  Returns EXIT_USAGE. */
int misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints the command's help. */
void command_explain(const struct command *command);
/* A note of the library, printed with -v. */
void note(void *data, const char *text);

/* At the end of the output: fails if it could not be written. */
int output_finish(int status);

#endif /* KT_CMD_H */
