// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See fault.h.  A fault elsewhere goes to the previous handler. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "fault.h"

#define AREAS_MAX 64

static struct {
	uintptr_t begin; /* 0: free */
	size_t size;
} areas[AREAS_MAX];
static struct sigaction before;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	int saved = errno;

	for (int i = 0; i < AREAS_MAX; i++) {
		uintptr_t begin =
			__atomic_load_n(&areas[i].begin, __ATOMIC_ACQUIRE);

		if (!begin || at < begin || at - begin >= areas[i].size)
			continue;
		/*
		 * Replaces all of it, because none of it can be relied upon any
		 * more.
		 */
		if (mmap((void *)begin, areas[i].size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED |
				 MAP_NORESERVE,
			 -1, 0) == MAP_FAILED)
			break;
		errno = saved;
		return;
	}
	/* Happens again as soon as this returns. */
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signal, info, context);
	else
		sigaction(signal, &before, NULL);
	errno = saved;
}

int fault_guard(void *memory, size_t size)
{
	struct sigaction action = {
		.sa_sigaction = on_fault,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	static int installed;
	int i, err = -ENOSPC;

	pthread_mutex_lock(&lock);
	if (!installed)
		installed = !sigaction(SIGBUS, &action, &before);
	for (i = 0; i < AREAS_MAX && installed && err; i++) {
		if (areas[i].begin)
			continue;
		areas[i].size = size;
		__atomic_store_n(&areas[i].begin, (uintptr_t)memory,
				 __ATOMIC_RELEASE);
		err = 0;
	}
	pthread_mutex_unlock(&lock);
	return err;
}

void fault_forget(void *memory)
{
	for (int i = 0; i < AREAS_MAX; i++)
		if (areas[i].begin == (uintptr_t)memory)
			__atomic_store_n(&areas[i].begin, 0, __ATOMIC_RELEASE);
}
