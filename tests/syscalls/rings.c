// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program to trace that hands buffers, files and processors over to a ring of io_uring, and
 * operations to io_submit.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/aio_abi.h>
#include <linux/io_uring.h>

#define FILES 40 /* more than are shown */

static char first[4096], second[8192];

static void ring_register(int ring, unsigned int what, const void *data,
			  unsigned int nr)
{
	syscall(SYS_io_uring_register, ring, what, data, nr);
}

#define MOVES(fd, nr, what)                                               \
	{                                                                 \
		.aio_data = nr, .aio_lio_opcode = what, .aio_fildes = fd, \
		.aio_buf = (uintptr_t)first, .aio_nbytes = 100 * nr,      \
		.aio_offset = 4096 * nr                                   \
	}

static void operations_submit(void)
{
	int fd = open("operations", O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct iocb reads = MOVES(fd, 1, IOCB_CMD_PREAD),
		    urgent = MOVES(fd, 2, IOCB_CMD_PREAD),
		    syncs = MOVES(fd, 3, IOCB_CMD_FSYNC),
		    polls = MOVES(fd, 4, IOCB_CMD_POLL),
		    unknown = MOVES(-1, 5, 77);
	struct iocb *list[40] = {&reads,   &urgent, &syncs,	&polls,
				 &unknown, NULL,    (void *)16, &reads};
	aio_context_t context = 0;

	urgent.aio_reqprio = 3;
	urgent.aio_flags = IOCB_FLAG_RESFD;
	urgent.aio_resfd = fd;
	polls.aio_buf = POLLIN | POLLPRI;
	unknown.aio_rw_flags = 2;
	for (int i = 8; i < 40; i++)
		list[i] = &reads;
	syscall(SYS_io_setup, 64, &context);
	syscall(SYS_io_submit, context, 2L, list);
	syscall(SYS_io_submit, context, 5L, list);
	syscall(SYS_io_submit, context, 2L, list + 5);
	syscall(SYS_io_submit, context, 1L, list + 6);
	syscall(SYS_io_submit, context, 32L, list + 8);
	syscall(SYS_io_submit, context, 0L, list);
	syscall(SYS_io_submit, context, -1L, list);
	syscall(SYS_io_submit, context, 2L, (void *)16);
	syscall(SYS_io_submit, context, 2L, NULL);
	syscall(SYS_io_destroy, context);
	close(fd);
}

int main(void)
{
	struct io_uring_params params = {0};
	struct iovec buffers[] = {
		{first, sizeof(first)},
		{second, sizeof(second)},
		{NULL, 0},
	};
	struct io_uring_rsrc_update rings[] = {
		{.offset = 1, .data = 0},
		{.offset = -1U, .data = 1},
	};
	int ring = syscall(SYS_io_uring_setup, 4, &params);
	int event = eventfd(0, 0), files[FILES];
	uint64_t processors[2] = {1, 0};
	unsigned int workers[] = {2, 3};

	for (int i = 0; i < FILES; i++)
		files[i] = i % 3 ? -1 : event;
	ring_register(ring, IORING_REGISTER_BUFFERS, buffers, 2);
	ring_register(ring, IORING_UNREGISTER_BUFFERS, NULL, 0);
	ring_register(ring, IORING_REGISTER_BUFFERS, buffers, 3);
	ring_register(ring, IORING_REGISTER_BUFFERS, buffers, 0);
	ring_register(ring, IORING_REGISTER_FILES, files, 3);
	ring_register(ring, IORING_UNREGISTER_FILES, NULL, 0);
	ring_register(ring, IORING_REGISTER_FILES, files, FILES);
	ring_register(ring, IORING_UNREGISTER_FILES, NULL, 0);
	ring_register(ring, IORING_REGISTER_FILES, NULL, 2);
	ring_register(ring, IORING_REGISTER_FILES, (void *)16, 2);
	ring_register(ring, IORING_REGISTER_EVENTFD, &event, 1);
	ring_register(ring, IORING_UNREGISTER_EVENTFD, NULL, 0);
	ring_register(ring, IORING_REGISTER_EVENTFD_ASYNC, &event, 1);
	ring_register(ring, IORING_UNREGISTER_EVENTFD, NULL, 0);
	ring_register(ring, IORING_REGISTER_IOWQ_AFF, processors,
		      sizeof(processors));
	ring_register(ring, IORING_UNREGISTER_IOWQ_AFF, NULL, 0);
	ring_register(ring, IORING_REGISTER_RING_FDS, rings, 2);
	ring_register(-1, IORING_REGISTER_IOWQ_MAX_WORKERS, workers, 2);
	close(event);
	close(ring);
	operations_submit();
	return 0;
}
