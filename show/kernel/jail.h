/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A child process for work on untrusted data: it may crash, hang or be taken
 * over, and this process only sees that it is gone.
 *
 * The child has just one socket, to this process, and only the system calls for
 * memory and for the socket.  It has a copy of this process's memory at its
 * start.  If it needs data from files, they must be read before.
 */
#ifndef KT_SHOW_KERNEL_JAIL_H
#define KT_SHOW_KERNEL_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* All zero: no child runs. */
struct jail {
	pid_t pid;
	int fd; /* a stream socket between both */
};

/*
 * Starts the child, which runs @work(@fd, @data).  It must increment *@steps
 * now and then: it is killed after one or two seconds of CPU time without an
 * increment.  0 or -errno.
 *
 * The child may sleep only to wait for requests and to send answers.
 */
int jail_start(struct jail *jail,
	       void (*work)(int fd, volatile uint64_t *steps, void *data),
	       void *data);
void jail_stop(struct jail *jail);

/* Transfer all @n bytes.  False: the other side is gone. */
bool jail_write(int fd, const void *data, size_t n);
bool jail_read(int fd, void *data, size_t n);
/* Reads at most @n bytes.  0 or less: the other side is gone. */
ssize_t jail_read_some(int fd, void *data, size_t n);

/*
 * The same for this process, while the child has work.  If the child sleeps for
 * ten seconds without a break, it counts as gone.  A slow machine is no
 * problem.
 */
bool jail_send(const struct jail *jail, const void *data, size_t n);
ssize_t jail_receive(const struct jail *jail, void *data, size_t n);

#endif /* KT_SHOW_KERNEL_JAIL_H */
