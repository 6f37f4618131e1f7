// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The process exists before the recording starts, so that the recording can be
 * limited to its pid, and only the exec of its start is in the trace.  It waits
 * at a pipe, as the user of -u by then.  A second pipe reports a failed exec, or a negative
 * errno if it could not become that user; a successful exec closes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <paths.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "cmd.h"

static int exec_failed(const char *name, int err)
{
	failed("cannot run `%s': %s", name,
	       err == ENOENT ? "there is no such command" : strerror(err));
	return err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

static int file_check(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return access(path, X_OK) ? errno : 0;
}

int child_check(char *const *argv)
{
	const char *path = getenv("PATH"), *name = argv[0];
	char file[PATH_MAX];
	int best = ENOENT;

	if (strchr(name, '/') || !*name) {
		best = file_check(name);
		return best ? exec_failed(name, best) : EXIT_OK;
	}
	if (!path)
		path = _PATH_STDPATH;
	while (true) {
		size_t len = strcspn(path, ":");
		int err;

		snprintf(file, sizeof(file), "%.*s/%s", len ? (int)len : 1,
			 len ? path : ".", name);
		err = file_check(file);
		if (!err)
			return EXIT_OK;
		if (err == EACCES)
			best = err;
		if (!path[len])
			break;
		path += len + 1;
	}
	return exec_failed(name, best);
}

/* In the child. */
static _Noreturn void command_run(const struct user *user, char *const *argv,
				  int go, int error)
{
	int err = -user_become(user);
	char word;

	if (read(go, &word, 1) != 1)
		_exit(EXIT_FAILED);
	if (!err) {
		execvp(argv[0], argv);
		err = errno;
	}
	if (write(error, &err, sizeof(err)) != sizeof(err))
		err = EIO;
	_exit(err == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

int child_prepare(struct child *c, char *const *argv,
		  const struct signals *signals)
{
	int go[2], error[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		return failed("pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		return failed("cannot make a process: %s", strerror(errno));
	}
	if (!c->pid) {
		close(go[1]);
		close(error[0]);
		signals_restore(signals);
		command_run(&c->user, argv, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	c->go = go[1];
	c->error = error[0];
	return EXIT_OK;
}

int child_go(struct child *c, char *const *argv)
{
	ssize_t n;
	int err;

	n = write(c->go, "!", 1);
	close(c->go);
	if (n == 1) {
		do
			n = read(c->error, &err, sizeof(err));
		while (n < 0 && errno == EINTR);
		if (n == sizeof(err)) {
			close(c->error);
			child_reap(c, true);
			if (err >= 0)
				return exec_failed(argv[0], err);
			failed("-u %s: cannot become this user: %s",
			       c->user.name, strerror(-err));
			return EXIT_NOT_EXECUTABLE;
		}
	}
	close(c->error);
	return EXIT_OK;
}

bool child_reap(struct child *c, bool wait)
{
	int status;
	pid_t pid;

	if (!c->pid || c->ended)
		return true;
	do
		pid = waitpid(c->pid, &status, wait ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (!pid)
		return false;
	c->ended = true;
	if (pid < 0)
		c->status = EXIT_FAILED;
	else if (WIFEXITED(status))
		c->status = WEXITSTATUS(status);
	else
		c->status = 128 + WTERMSIG(status);
	return true;
}

int child_finish(struct child *c, const struct signals *signals)
{
	user_free(&c->user);
	if (!c->pid)
		return EXIT_OK;
	/* Who asks for a snapshot now is late, and must not end us before the command. */
	signals_ignore(signals, SIGUSR2);
	signals_restore(signals);
	child_reap(c, true);
	return c->status;
}

void child_cancel(struct child *c)
{
	if (!c->pid || c->ended)
		return;
	close(c->go);
	close(c->error);
	child_reap(c, true);
}
