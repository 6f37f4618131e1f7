// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd.h"
#include "signals.h"

static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) &&
	       action.sa_handler == SIG_IGN;
}

int signals_prepare(struct signals *signals)
{
	static const int ending[] = {SIGTERM, SIGHUP, SIGQUIT};
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	const struct sigaction usual = {.sa_handler = SIG_DFL};
	sigset_t *set = &signals->taken;

	/* Failed writes return an error instead. */
	sigaction(SIGPIPE, &ignore, &signals->pipe);
	sigaction(SIGXFSZ, &ignore, &signals->size);
	/* Otherwise the command's exit status would be lost. */
	sigaction(SIGCHLD, &usual, &signals->child);
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	/* Shells ignore SIGINT for background jobs, but kill -INT must work. */
	sigaddset(set, SIGINT);
	/* As with nohup: signals that the caller ignores stay ignored. */
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (!is_ignored(ending[i]))
			sigaddset(set, ending[i]);
	sigprocmask(SIG_BLOCK, set, &signals->mask);
	signals->fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
	return signals->fd < 0 ? failed("signalfd: %s", strerror(errno))
			       : EXIT_OK;
}

int signals_add(struct signals *signals, int number)
{
	if (is_ignored(number))
		return EXIT_OK;
	sigaddset(&signals->taken, number);
	sigprocmask(SIG_BLOCK, &signals->taken, NULL);
	return signalfd(signals->fd, &signals->taken, 0) < 0
		       ? failed("signalfd: %s", strerror(errno))
		       : EXIT_OK;
}

int signals_take(const struct signals *signals, bool *by_program)
{
	struct signalfd_siginfo info;

	if (read(signals->fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (by_program)
		*by_program = info.ssi_code <= 0;
	return info.ssi_signo;
}

void signals_unblock(const struct signals *signals)
{
	while (signals_take(signals, NULL))
		;
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

void signals_ignore(const struct signals *signals, int number)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	if (sigismember(&signals->taken, number) == 1)
		sigaction(number, &ignore, NULL);
}

void signals_restore(const struct signals *signals)
{
	sigaction(SIGPIPE, &signals->pipe, NULL);
	sigaction(SIGXFSZ, &signals->size, NULL);
	sigaction(SIGCHLD, &signals->child, NULL);
	sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}
