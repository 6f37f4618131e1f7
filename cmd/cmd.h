/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the subcommands share.
 *
 * Exit status: 0 done; 1 it failed, and standard error says what to do; 2 the
 * command line makes no sense; of `record -- COMMAND' that of the command.
 */
#ifndef KT_CMD_H
#define KT_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	const char *what;  /* in one line */
	const char *usage; /* after the name */
	/* In the help, lines before and behind the options; NULL: none. */
	const char *about;
	const char *examples;
	const struct command_option *options; /* NULL: only --help */
	/* What is not an option, for completion: see option.h. */
	enum argument_kind operand;
	const char *operand_words;
	int (*main)(int argc, char **argv);
};

extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_list;
extern const struct command command_load;
extern const struct command command_markers;
extern const struct command command_record;
extern const struct command command_report;
extern const struct command command_set;
extern const struct command command_stat;
extern const struct command command_syscalls;
extern const struct command command_tui;
extern const struct command command_unload;

/* Messages on standard error; say() is silent with -q. */
extern int verbosity; /* -1: -q, 0, 1 and more: -v */

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Returns EXIT_FAILED. */
int failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The library's reason. Returns EXIT_FAILED. */
int failed_why(void);
/* Returns EXIT_USAGE, and points to the help. */
int misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints the command's help. */
void command_explain(const struct command *command);
/* A note of the library's, with -v. */
void note(void *data, const char *text);

/* At the end of output: was all of it written? */
int output_finish(int status);

#endif /* KT_CMD_H */
