// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace: finds the subcommand and runs it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "cmd.h"
#include "common/near.h"
#include "common/value.h"
#include "complete.h"

static int help_main(int argc, char **argv);
static int version_main(int argc, char **argv);

const struct command command_help = {
	.name = "help",
	.what = "explain a command",
	.usage = "[COMMAND]",
	.operand = ARGUMENT_COMMAND,
	.main = help_main,
};

const struct command command_version = {
	.name = "version",
	.what = "print the version",
	.usage = "",
	.main = version_main,
};

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
	COMMANDS
#undef COMMAND
};

#define NR_COMMANDS (sizeof(commands) / sizeof(*commands))

/* help and version */

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int command_unknown(const char *name)
{
	struct near near;

	near_init(&near, name);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		near_add(&near, commands[i]->name);
	if (near.nr)
		return misused(NULL, "there is no command `%s'; is it `%s'?",
			       name, near.names[0]);
	return misused(NULL, "there is no command `%s'", name);
}

static int overview(void)
{
	fputs("Usage: ktrace COMMAND [OPTION...] [ARGUMENT...]\n\n"
	      "Shows what a Linux machine really did.\n\n",
	      stdout);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		printf("    %-10s %s\n", commands[i]->name, commands[i]->what);
	fputs("\n"
	      "    ktrace doctor                     does it work here?\n"
	      "    sudo ktrace record -- COMMAND     record everything "
	      "meanwhile\n"
	      "    ktrace report                     what happened\n"
	      "    sudo ktrace tui                   all of it, to browse\n"
	      "    ktrace COMMAND --help             explains a command\n"
	      "    man ktrace                        the manual\n",
	      stdout);
	return output_finish(EXIT_OK);
}

static int help_main(int argc, char **argv)
{
	const struct command *command;
	int status;

	status = options_parse(&command_help, argc, argv, option_none, NULL);
	if (status != OPTIONS_TAKEN)
		return status;
	if (optind == argc)
		return overview();
	command = command_find(argv[optind]);
	if (!command)
		return command_unknown(argv[optind]);
	command_explain(command);
	return output_finish(EXIT_OK);
}

static int version_print(void)
{
	puts("ktrace " KTRACE_VERSION);
	return output_finish(EXIT_OK);
}

static int version_main(int argc, char **argv)
{
	int status;

	status = options_parse(&command_version, argc, argv, option_none, NULL);
	return status == OPTIONS_TAKEN ? version_print() : status;
}

/* For the files in completion/. */
static int complete_table_main(void)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		options_table_print(commands[i]);
	return output_finish(EXIT_OK);
}

int main(int argc, char **argv)
{
	const struct command *command;
	const char *name = argc > 1 ? argv[1] : "";

	if (argc < 2) {
		fputs("ktrace: which command? Try `ktrace --help'.\n", stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		return overview();
	if (!strcmp(name, "-V") || !strcmp(name, "--version"))
		return version_print();
	if (*name == '-')
		return misused(NULL,
			       "the command comes first, then its options: "
			       "ktrace COMMAND %s",
			       name);
	if (!strcmp(name, "complete-table"))
		return complete_table_main();
	if (!strcmp(name, "complete-functions") && argc == 3)
		return complete_functions(argv[2]);
	if (!strcmp(name, "complete-probe") && argc == 4)
		return complete_probe(argv[2], argv[3]);
	command = command_find(name);
	if (!command)
		return command_unknown(name);
	return command->main(argc - 1, argv + 1);
}
