// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "half_file.h"

/* The file that is written; NULL: none. */
static const char *volatile half;
static volatile sig_atomic_t progress_shown;
static sigset_t before;

static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
#define NR_STOPS (sizeof(stops) / sizeof(*stops))

/*
 * Ends the process at once, whatever it does: to look for names in large files takes long, and
 * libraries do it that nobody can ask to stop.
 */
static void stop(int number)
{
	if (half)
		unlink(half);
	if (progress_shown && write(STDERR_FILENO, "\r\033[K", 4) < 0)
		progress_shown = 0;
	raise(number);
}

void half_file_watch_signal(int number)
{
	const struct sigaction action = {
		.sa_handler = stop,
		.sa_flags = SA_RESETHAND | SA_NODEFER,
	};

	sigaction(number, &action, NULL);
}

void half_file_watch(void)
{
	struct sigaction old;

	for (size_t i = 0; i < NR_STOPS; i++)
		if (!sigaction(stops[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			half_file_watch_signal(stops[i]);
	signal(SIGXFSZ, SIG_IGN);
}

void half_file_begin(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < NR_STOPS; i++)
		sigaddset(&set, stops[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
}

void half_file_made(const char *path)
{
	half = path;
	sigprocmask(SIG_SETMASK, &before, NULL);
}

void half_file_end(void)
{
	half = NULL;
}

void half_file_progress(bool shown)
{
	progress_shown = shown;
}
