// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "pager.h"

static bool refused;
static pid_t pager;

void pager_refuse(void)
{
	refused = true;
}

/* The user's choice; NULL: he has none. */
static const char *pager_choice(void)
{
	const char *choice = getenv("KTRACE_PAGER");

	return choice ?: getenv("PAGER");
}

/* There, less asks for a key before it shows anything. */
static bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

/* Its signals are those that this process had from the beginning. */
static int pager_start(int input)
{
	static char *less[] = {"less", "-FRSX", NULL};
	const char *choice = pager_choice();
	char *shell[] = {"sh", "-c", (char *)choice, NULL};
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	/* Whoever may run ktrace as root may not run everything from there. */
	if (!geteuid() && getenv("SUDO_UID"))
		setenv("LESSSECURE", "1", true);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	err = choice ? posix_spawn(&pager, "/bin/sh", &actions, NULL, shell,
				   environ)
		     : posix_spawnp(&pager, less[0], &actions, NULL, less,
				    environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* Messages that were not flushed come in front of what the terminal shows next. */
static void pager_wait(void)
{
	fflush(stdout);
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		continue;
}

void pager_open(void)
{
	const char *choice = pager_choice();
	int ends[2];

	if (refused || !isatty(STDOUT_FILENO) ||
	    (choice ? !*choice || !strcmp(choice, "cat") : terminal_is_dumb()))
		return;
	if (pipe2(ends, O_CLOEXEC))
		return;
	/* Without it, the text goes to the terminal as it is. */
	if (!pager_start(ends[0])) {
		/* Both are the user's keys: Ctrl-C ends a search in the pager, for example. */
		signal(SIGINT, SIG_IGN);
		signal(SIGPIPE, SIG_IGN);
		dup2(ends[1], STDOUT_FILENO);
		/* Else messages would be written over its screen. */
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		atexit(pager_wait);
	}
	close(ends[0]);
	close(ends[1]);
}
