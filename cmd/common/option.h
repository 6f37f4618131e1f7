/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The options of a subcommand: a table in its file.
 *
 * From the table follow the parser, the list in --help, and completion: `ktrace
 * complete-table' prints all tables, and the files in completion/ read that.  The
 * manual pages have longer texts of their own; tests/cmd/options compares their lists
 * with the table.
 *
 *	static const struct command_option options[] = {
 *		OPTION('s', "size", "SIZE", "of each CPU's buffer, like 16M"),
 *		OPTION('o', "output", "FILE", "where to", .kind = ARGUMENT_FILE),
 *		OPTION(0, "only", NULL, "only the command", .id = ONLY),
 *		OPTION_QUIET_ROW("only errors"),
 *		{0},
 *	};
 *
 * Each command has --help, which is in no table.
 */
#ifndef KT_CMD_COMMON_OPTION_H
#define KT_CMD_COMMON_OPTION_H

#include <stdint.h>
#include <sys/types.h>

struct command;

/* What an argument is, and so what completion offers for it. */
enum argument_kind {
	ARGUMENT_TEXT,	    /* one of @words; nothing is offered without them */
	ARGUMENT_EVENT,	    /* patterns of events */
	ARGUMENT_CALL,	    /* names of system calls; their sets are offered */
	ARGUMENT_PID,	    /* processes */
	ARGUMENT_SET,	    /* of ktrace set, or a file */
	ARGUMENT_FILE,	    /* to be written */
	ARGUMENT_DIRECTORY, /* a trace */
	ARGUMENT_FORMAT,    /* an output that is text */
	ARGUMENT_OUTPUT,    /* any output */
	ARGUMENT_COMMAND,   /* of ktrace */
	ARGUMENT_PROGRAM, /* a command of the system, then its own arguments */
};

struct command_option {
	char letter;	      /* 0: it has none */
	const char *name;     /* NULL: it has only a letter */
	const char *argument; /* its name; NULL: the option takes none */
	const char *help; /* NULL: an old spelling, taken but shown nowhere */
	enum argument_kind kind;
	const char *words; /* with spaces between them */
	int id;		   /* what the handler gets; 0: the letter */
};

enum option_id {
	OPTION_HELP = 0x100,
	OPTION_QUIET, /* options_parse() does what these two ask for */
	OPTION_VERBOSE,
	OPTION_SHARED = 0x200, /* and more: rows that several tables have */
	OPTION_OWN = 0x300, /* and more: rows of one command without a letter */
};

/* A row; what else it has may follow: `.kind = ARGUMENT_PID'. */
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
/* Beside it, in commands that took it before. */
#define OPTION_SESSION_OLD_ROW OPTION('s', NULL, "SESSION", NULL, .id = 'S')

/* Not an exit status: go on with argv[optind]. */
#define OPTIONS_TAKEN (-1)

/*
 * Parses the options of the command line.  @handle gets the id of each, and its
 * argument in optarg; it returns an exit status, and one that is not EXIT_OK ends the
 * parsing.  Returns an exit status, also if only help was asked for, or OPTIONS_TAKEN.
 */
int options_parse(const struct command *command, int argc, char **argv,
		  int (*handle)(void *data, int option), void *data);

/* Takes all that the table has and needs none of it. */
int option_none(void *data, int option);
/* For a handler: the table has a row that it does not know.  Returns EXIT_FAILED. */
int option_forgotten(const struct command *command, int option);

/* The argument of --duration: a time that is not 0.  Returns an exit status. */
int option_duration(const struct command *command, const char *text,
		    uint64_t *ns);
/* The argument of a --pid that names one process.  Returns an exit status. */
int option_pid(const struct command *command, const char *text, pid_t *pid);

/*
 * A line for the command and one for each option, for the files in completion/.  Fields
 * are separated by tabs, and `-' is an empty one:
 *
 *	command NAME KIND WORDS WHAT
 *	option COMMAND -LETTER --NAME ARGUMENT KIND WORDS HELP
 *
 * KIND and WORDS of a command are those of its operands; if there are both, the first
 * operand is one of the words and the others are of this kind.
 */
void options_table_print(const struct command *command);

#endif /* KT_CMD_COMMON_OPTION_H */
