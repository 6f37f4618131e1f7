/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A child process for work that may go wrong on what strangers wrote: it may
 * crash, hang or be taken over, and this process only sees that it is gone.
 *
 * The child keeps one socket, to this process, and of the system calls those for
 * memory and for the socket.  It sees this process's memory as it was when it
 * began; what it needs of files must have been read before.
 */
#ifndef KT_SHOW_KERNEL_JAIL_H
#define KT_SHOW_KERNEL_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Zero: no child runs. */
struct jail {
	pid_t pid;
	int fd; /* a stream, to the child and back */
};

/*
 * @work(@fd, @data) is the child's life.  It must add to *@steps now and then:
 * after a second or two of CPU time without a step it is killed.  0 or -errno.
 *
 * It must not sleep but for requests, and to send answers.
 */
int jail_start(struct jail *jail,
	       void (*work)(int fd, volatile uint64_t *steps, void *data),
	       void *data);
void jail_stop(struct jail *jail);

/* All of it; false: the other side is gone. */
bool jail_write(int fd, const void *data, size_t n);
bool jail_read(int fd, void *data, size_t n);
/* At most @n; 0 or less: the other side is gone. */
ssize_t jail_read_some(int fd, void *data, size_t n);

/*
 * The same for this process, while the child has work: where that has slept for ten
 * seconds on end it counts as gone.  A machine that is slow does no harm.
 */
bool jail_send(const struct jail *jail, const void *data, size_t n);
ssize_t jail_receive(const struct jail *jail, void *data, size_t n);

#endif /* KT_SHOW_KERNEL_JAIL_H */
