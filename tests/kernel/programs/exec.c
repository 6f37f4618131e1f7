// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * exec - a thread that is not the first of its process executes a program
 *
 *   exec PROGRAM
 *
 * The kernel gives that thread the first one's number meanwhile.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *other(void *program)
{
	char *const argv[] = {program, NULL};

	execv(program, argv);
	perror(program);
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2 || pthread_create(&thread, NULL, other, argv[1]))
		return 2;
	pause();
	return 2;
}
