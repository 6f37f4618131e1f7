// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * getopt_long() parses: it handles abbreviations, groups of letters and the
 * positions of options.  Messages about what it refuses are made here.
 */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/output.h>

#include "calls.h"
#include "cmd.h"
#include "near.h"
#include "option.h"
#include "pager.h"
#include "value.h"

#define ROWS_MAX 64
#define INDENT	 4
#define WIDTH	 80

static const struct command_option help_row =
	OPTION('h', "help", NULL, "this help", .id = OPTION_HELP);

/* Row @index: the command's rows, then that of --help.  NULL: no more. */
static const struct command_option *row_get(const struct command *command,
					    size_t index)
{
	static const struct command_option none[] = {{0}};
	const struct command_option *row = command->options ?: none;

	while (index && (row->letter || row->name)) {
		row++;
		index--;
	}
	if (row->letter || row->name)
		return row;
	return index ? NULL : &help_row;
}

static int row_id(const struct command_option *row)
{
	return row->id ?: row->letter;
}

/* The row for a result of getopt_long(): a letter, or the id of a name. */
static const struct command_option *row_find(const struct command *command,
					     int option)
{
	const struct command_option *row;

	for (size_t i = 0; (row = row_get(command, i)); i++)
		if (option && (row->letter == option || row_id(row) == option))
			return row;
	return NULL;
}

/* Parsing */

struct getopt_tables {
	struct option names[ROWS_MAX + 1];
	char letters[3 * ROWS_MAX + 3];
};

static void tables_make(const struct command *command,
			struct getopt_tables *tables)
{
	struct option *name = tables->names;
	const struct command_option *row;
	char *letter = tables->letters;

	memset(tables, 0, sizeof(*tables));
	/* After the operand come options of another program. */
	if (command->operand == ARGUMENT_PROGRAM)
		*letter++ = '+';
	/* So that a missing argument differs from an unknown option. */
	*letter++ = ':';
	for (size_t i = 0; i < ROWS_MAX && (row = row_get(command, i)); i++) {
		if (row->name)
			*name++ = (struct option){
				.name = row->name,
				.has_arg = !row->argument  ? no_argument
					   : row->optional ? optional_argument
							   : required_argument,
				.val = row_id(row),
			};
		if (row->letter) {
			*letter++ = row->letter;
			if (row->argument)
				*letter++ = ':';
			if (row->optional)
				*letter++ = ':';
		}
	}
}

/* There is no row with the name @word, which begins with two dashes. */
static int name_refuse(const struct command *command, const char *word)
{
	const struct command_option *row;
	char name[64], candidates[256];
	size_t used = 0, nr = 0;
	struct near near;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	near_init(&near, name);
	for (size_t i = 0; (row = row_get(command, i)); i++) {
		if (!row->name)
			continue;
		near_add(&near, row->name);
		if (strncmp(row->name, name, strlen(name)) ||
		    used >= sizeof(candidates))
			continue;
		used += snprintf(candidates + used, sizeof(candidates) - used,
				 "%s--%s", nr++ ? ", " : "", row->name);
	}
	if (nr > 1)
		return misused(command, "`--%s' is ambiguous: it may be %s",
			       name, candidates);
	if (near.nr)
		return misused(command,
			       "unrecognized option `--%s'; is it `--%s'?",
			       name, near.names[0]);
	return misused(command, "unrecognized option `--%s'", name);
}

/* Prints why getopt_long() refused @word with @result. */
static int option_refuse(const struct command *command, const char *word,
			 int result)
{
	const struct command_option *row = row_find(command, optopt);

	if (!row && optopt)
		return misused(command, "unrecognized option `-%c'", optopt);
	if (!row)
		return name_refuse(command, word);
	if (result == '?')
		return misused(command, "`--%s' takes no argument", row->name);
	/* The row that explains an old spelling. */
	if (!row->help)
		row = row_find(command, row_id(row));
	return misused(command, "--%s wants %s: %s", row->name, row->argument,
		       row->help);
}

int options_parse(const struct command *command, int argc, char **argv,
		  int (*handle)(void *data, int option), void *data)
{
	const struct command_option *row;
	struct getopt_tables tables;
	int option, status;

	tables_make(command, &tables);
	opterr = 0;
	while ((option = getopt_long(argc, argv, tables.letters, tables.names,
				     NULL)) >= 0) {
		row = row_find(command, option);
		if (!row)
			return option_refuse(command, argv[optind - 1], option);
		switch (row_id(row)) {
		case OPTION_HELP:
			command_explain(command);
			return output_finish(EXIT_OK);
		case OPTION_QUIET:
			verbosity = -1;
			break;
		case OPTION_VERBOSE:
			verbosity++;
			break;
		case OPTION_NO_PAGER:
			pager_refuse();
			break;
		default:
			status = handle(data, row_id(row));
			if (status)
				return status;
		}
	}
	return OPTIONS_TAKEN;
}

int option_none(void *data, int option)
{
	return EXIT_OK;
}

const char *option_name(const struct command *command, int option)
{
	return row_find(command, option)->name;
}

int option_forgotten(const struct command *command, int option)
{
	return failed(
		"--%s is in the table of %s, but nothing handles it: this is a "
		"fault of ktrace's; please report it",
		option_name(command, option), command->name);
}

int option_duration(const struct command *command, const char *text,
		    uint64_t *ns)
{
	if (!duration_parse(text, ns) && *ns)
		return EXIT_OK;
	return misused(command,
		       "--duration `%s': a number and s, ms, min or h is "
		       "expected, like 10s",
		       text);
}

int option_size(const struct command *command, const char *name,
		const char *text, uint64_t *bytes)
{
	if (!size_parse(text, bytes) && *bytes)
		return EXIT_OK;
	return misused(command,
		       "--%s `%s': a number and K, M or G is expected, like "
		       "16M",
		       name, text);
}

int option_pid(const struct command *command, const char *text, pid_t *pid)
{
	uint64_t number;

	if (number_parse(text, &number) || !number || number > INT_MAX)
		return misused(command, "-p `%s' is no process", text);
	*pid = number;
	return EXIT_OK;
}

static bool output_fits(const struct ktrace_output_kind *kind,
			enum argument_kind argument)
{
	return (!kind->directory && !kind->file) || argument == ARGUMENT_OUTPUT;
}

/* Help */

/* Writes the option for --help, "-s, --size SIZE".  Returns its length. */
static int row_spell(const struct command_option *row, char *text, size_t size)
{
	char letter[] = {'-', row->letter, ',', ' ', '\0'};

	return snprintf(text, size, "%s--%s%s%s%s",
			row->letter ? letter : "    ", row->name,
			row->optional	? "[="
			: row->argument ? " "
					: "",
			row->argument ?: "", row->optional ? "]" : "");
}

/* Prints from the current @column on, in lines that fit the screen. */
static void text_wrap(const char *text, int column)
{
	int at = column;

	while (*text) {
		int length = strcspn(text, " ");

		if (at > column && at + 1 + length > WIDTH) {
			printf("\n%*s", column, "");
			at = column;
		}
		at += printf("%s%.*s", at > column ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void options_explain(const struct command *command)
{
	const struct command_option *row;
	int widest = 0, length;
	char text[80];

	for (size_t i = 0; (row = row_get(command, i)); i++) {
		if (!row->help)
			continue;
		length = row_spell(row, text, sizeof(text));
		if (length > widest)
			widest = length;
	}
	for (size_t i = 0; (row = row_get(command, i)); i++) {
		if (!row->help)
			continue;
		row_spell(row, text, sizeof(text));
		printf("%*s%-*s", INDENT, "", widest + 2, text);
		text_wrap(row->help, INDENT + widest + 2);
	}
}

/* The outputs that an option takes, if it takes one. */
static void outputs_explain(const struct command *command)
{
	const struct ktrace_output_kind *kind;
	const struct command_option *row;

	for (size_t i = 0; (row = row_get(command, i)); i++) {
		if (row->kind != ARGUMENT_FORMAT &&
		    row->kind != ARGUMENT_OUTPUT)
			continue;
		printf("\n%s is one of\n", row->argument);
		for (size_t k = 0; (kind = ktrace_output_kind(k)); k++)
			if (output_fits(kind, row->kind))
				printf("    %-11s %s\n", kind->name,
				       kind->what);
	}
}

/* Completion */

static void outputs_print(enum argument_kind argument)
{
	const char *between = "words\t";
	const struct ktrace_output_kind *kind;

	for (size_t i = 0; (kind = ktrace_output_kind(i)); i++) {
		if (!output_fits(kind, argument))
			continue;
		printf("%s%s", between, kind->name);
		between = " ";
	}
}

static void calls_print(void)
{
	const char *name;

	for (size_t i = 0; (name = calls_set_name(i)); i++)
		printf("%s%s", i ? " " : "words\t", name);
}

static void kind_print(enum argument_kind kind, const char *words)
{
	static const char *const names[] = {
		[ARGUMENT_EVENT] = "event",
		[ARGUMENT_FUNCTION] = "function",
		[ARGUMENT_PROBE] = "probe",
		[ARGUMENT_PID] = "pid",
		[ARGUMENT_SET] = "set",
		[ARGUMENT_FILE] = "file",
		[ARGUMENT_DIRECTORY] = "directory",
		[ARGUMENT_COMMAND] = "command",
		[ARGUMENT_PROGRAM] = "program",
	};

	switch (kind) {
	case ARGUMENT_TEXT:
		printf("%s\t%s", words ? "words" : "text", words ?: "-");
		break;
	case ARGUMENT_CALL:
		calls_print();
		break;
	case ARGUMENT_FORMAT:
	case ARGUMENT_OUTPUT:
		outputs_print(kind);
		break;
	default:
		printf("%s\t%s", names[kind], words ?: "-");
	}
}

void options_table_print(const struct command *command)
{
	const struct command_option *row;

	printf("command\t%s\t", command->name);
	kind_print(command->operand, command->operand_words);
	printf("\t%s\n", command->what);
	for (size_t i = 0; (row = row_get(command, i)); i++) {
		if (!row->help)
			continue;
		printf("option\t%s\t-", command->name);
		if (row->letter)
			putchar(row->letter);
		printf("\t--%s\t%s\t", row->name,
		       row->argument && !row->optional ? row->argument : "-");
		kind_print(row->kind, row->words);
		printf("\t%s\n", row->help);
	}
}

void command_explain(const struct command *command)
{
	/* help and version are described in ktrace(1). */
	bool manual = command->about || command->options;

	printf("Usage: ktrace %s%s%s\n\n%c%s.\n", command->name,
	       *command->usage ? " " : "", command->usage,
	       command->what[0] & ~0x20, command->what + 1);
	if (command->about)
		printf("\n%s", command->about);
	putchar('\n');
	options_explain(command);
	outputs_explain(command);
	if (command->examples)
		printf("\n%s", command->examples);
	printf("\nThe manual: man ktrace%s%s\n", manual ? "-" : "",
	       manual ? command->name : "");
}
