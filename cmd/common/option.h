/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The options of a subcommand: a table in its file.
 *
 * Parser, --help and completion use this table: `ktrace complete-table' prints
 * all tables, and the files in completion/ read its output.  The manual pages
 * have longer texts; tests/cmd/options compares their lists with the table.
 *
 *	static const struct command_option options[] = {
 *		OPTION('s', "size", "SIZE", "of each CPU's buffer, like 16M"),
 *		OPTION('o', "output", "FILE", "where to", .kind = ARGUMENT_FILE),
 *		OPTION(0, "only", NULL, "only the command", .id = ONLY),
 *		OPTION_QUIET_ROW("only errors"),
 *		{0},
 *	};
 *
 * Each command also has --help, which is in no table.
 */
#ifndef KT_CMD_COMMON_OPTION_H
#define KT_CMD_COMMON_OPTION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct command;

/* The kind of an argument; completion depends on it. */
enum argument_kind {
	ARGUMENT_TEXT,	    /* one of @words, if there are any */
	ARGUMENT_EVENT,	    /* patterns of events */
	ARGUMENT_CALL,	    /* names of system calls and of their sets */
	ARGUMENT_FUNCTION,  /* patterns of the kernel's functions */
	ARGUMENT_PROBE,	    /* texts of probes; of the file of a -x before it */
	ARGUMENT_PID,	    /* processes */
	ARGUMENT_SET,	    /* a name for ktrace set, or a file */
	ARGUMENT_FILE,	    /* to be written */
	ARGUMENT_DIRECTORY, /* the directory of a trace, or an archive */
	ARGUMENT_FORMAT,    /* an output to a file */
	ARGUMENT_OUTPUT,    /* any output */
	ARGUMENT_COMMAND,   /* a command of ktrace */
	ARGUMENT_PROGRAM,   /* a command of the system, and its arguments */
};

struct command_option {
	char letter;	      /* 0: none */
	const char *name;     /* NULL: none, just a letter */
	const char *argument; /* its name; NULL: no argument */
	const char *help; /* NULL: an old spelling, accepted but not shown */
	enum argument_kind kind;
	const char *words; /* separated by spaces */
	int id;		   /* for the handler; 0: the letter is the id */
	bool optional;	   /* the argument may be missing; it follows a `=' */
};

enum option_id {
	OPTION_HELP = 0x100,
	OPTION_QUIET, /* options_parse() handles these */
	OPTION_VERBOSE,
	OPTION_NO_PAGER,
	OPTION_SHARED = 0x200, /* and above: rows of several tables */
	OPTION_OWN = 0x300, /* and above: rows of one command, without letter */
};

/* A row.  More members may follow: `.kind = ARGUMENT_PID'. */
#define OPTION(its_letter, its_name, its_argument, its_help, ...)         \
	{                                                                 \
		.letter = its_letter, .name = its_name,                   \
		.argument = its_argument, .help = its_help, ##__VA_ARGS__ \
	}
#define OPTION_QUIET_ROW(its_help) \
	OPTION('q', "quiet", NULL, its_help, .id = OPTION_QUIET)
#define OPTION_VERBOSE_ROW(its_help) \
	OPTION('v', "verbose", NULL, its_help, .id = OPTION_VERBOSE)

#define OPTION_SESSION_ROW                \
	OPTION('S', "session", "SESSION", \
	       "of that session, not of the default one")
/* Its old spelling, for commands that had it. */
#define OPTION_SESSION_OLD_ROW OPTION('s', NULL, "SESSION", NULL, .id = 'S')

/* Not an exit status: the arguments begin at argv[optind]. */
#define OPTIONS_TAKEN (-1)

/*
 * Parses the options of the command line.  For each, calls @handle with its id;
 * the argument is in optarg.  @handle returns an exit status; if it is not
 * EXIT_OK, parsing ends.  Returns an exit status, also after --help, or
 * OPTIONS_TAKEN.
 */
int options_parse(const struct command *command, int argc, char **argv,
		  int (*handle)(void *data, int option), void *data);

/* A handler for tables whose options are all handled by options_parse(). */
int option_none(void *data, int option);
/* The name of the option with this id, without dashes, for messages. */
const char *option_name(const struct command *command, int option);
/* For handlers: the table has an unknown row.  Returns EXIT_FAILED. */
int option_forgotten(const struct command *command, int option);

/* Parses the argument of --duration: not 0.  Returns an exit status. */
int option_duration(const struct command *command, const char *text,
		    uint64_t *ns);
/* Parses that of --@name, a size in bytes: not 0. */
int option_size(const struct command *command, const char *name,
		const char *text, uint64_t *bytes);
/* Parses the argument of a --pid with one process.  Returns an exit status. */
int option_pid(const struct command *command, const char *text, pid_t *pid);

/*
 * Prints a line for the command and one for each option, for the files in
 * completion/. Fields are separated by tabs; `-' is an empty field:
 *
 *	command NAME KIND WORDS WHAT
 *	option COMMAND -LETTER --NAME ARGUMENT KIND WORDS HELP
 *
 * KIND and WORDS of a command are those of its operands.  If it has both, the
 * first operand is one of WORDS, and the others are of this KIND.
 */
void options_table_print(const struct command *command);

#endif /* KT_CMD_COMMON_OPTION_H */
