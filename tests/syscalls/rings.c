// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A program to trace that hands buffers, files and processors over to a ring of io_uring. */
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/io_uring.h>

#define FILES 40 /* more than are shown */

static char first[4096], second[8192];

static void ring_register(int ring, unsigned int what, const void *data,
			  unsigned int nr)
{
	syscall(SYS_io_uring_register, ring, what, data, nr);
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
	return 0;
}
