// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/now.h"
#include "wait.h"

/* Returns the reason to end, or NULL. */
static const char *signal_handle(struct wait *w)
{
	bool command = w->child->pid;
	bool by_program;
	int number = signals_take(w->signals, &by_program);

	if (!number)
		return NULL;
	if (number == SIGCHLD)
		return child_reap(w->child, false) && command ? "command"
							      : NULL;
	if (number == SIGUSR2)
		return w->signalled(w->data) ? NULL : w->reason ?: "error";
	if (number == SIGINT && command && w->interrupted &&
	    w->interrupted(w->data))
		return "stopped";
	/*
	 * The terminal sends it also to the command; another program only to
	 * us.
	 */
	if (command && by_program)
		kill(w->child->pid, number);
	if (number == SIGINT && command)
		return NULL;
	if (number != SIGINT)
		w->terminated = number;
	return "stopped";
}

/* The timeout for poll(), in ms; -1: none. */
static int timeout_of(const struct wait *w, uint64_t passed)
{
	uint64_t timeout = w->round_ms ?: INT_MAX, left;

	if (!w->duration)
		return w->round_ms ?: -1;
	left = (w->duration - passed) / 1000000 + 1;
	return left < timeout ? left : timeout;
}

const char *wait_for_end(struct wait *w)
{
	const struct processes *processes = w->processes;
	size_t nr = 3 + processes->nr;
	struct pollfd fds[nr];
	const char *reason;
	uint64_t passed;

	fds[0] = (struct pollfd){.fd = w->signals->fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = w->failed_fd, .events = POLLIN};
	fds[2] = (struct pollfd){.fd = w->input ? STDIN_FILENO : -1,
				 .events = POLLIN};
	for (;;) {
		passed = now_ns() - w->began;
		if (w->duration && passed >= w->duration)
			return "duration";
		for (size_t i = 0; i < processes->nr; i++)
			fds[3 + i] = (struct pollfd){
				.fd = processes->list[i].ended
					      ? -1
					      : processes->list[i].fd,
				.events = POLLIN,
			};
		if (poll(fds, nr, timeout_of(w, passed)) < 0 && errno != EINTR)
			return "stopped";
		if (fds[1].revents)
			return "error";
		if (fds[0].revents) {
			reason = signal_handle(w);
			if (reason)
				return reason;
		}
		/* The terminal is gone. */
		if (fds[2].revents & (POLLHUP | POLLERR | POLLNVAL)) {
			w->terminated = SIGHUP;
			return "stopped";
		}
		/* Ended processes would make poll() return at once. */
		if (processes_ended(w->processes) && !w->child->pid)
			return "process";
		if (!w->round(w->data))
			return w->reason ?: "error";
	}
}
