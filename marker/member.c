// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Does a recorder want this process?  This is asked once for each recorder,
 * when a marker is hit.  So it may be in any context: nothing allocates or
 * waits.
 */
#include "hub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A deeper tree means damage, because a process cannot be its own parent. */
#define DEPTH_MAX 4096

struct origin {
	u32 parent;
	u64 begun; /* in ticks */
};

static int origin_read(u32 pid, struct origin *origin)
{
	char path[32], text[512], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	/* "pid (any name) state parent ...": the 22nd is when it began. */
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4)
		return -EINVAL;
	origin->parent = strtoul(at + 4, &at, 10);
	for (int i = 5; i <= 22; i++)
		origin->begun = strtoull(at, &at, 10);
	return 0;
}

static bool is_listed(const struct recorder *recorder, u32 nr, u32 pid)
{
	for (u32 i = 0; i < nr; i++)
		if (READ_ONCE(recorder->pids[i]) == pid)
			return true;
	return false;
}

bool process_meant(const struct recorder *recorder)
{
	u32 nr = READ_ONCE(recorder->nr_pids), pid = getpid();
	struct origin origin;

	if (nr > RECORDER_PIDS)
		nr = RECORDER_PIDS;
	for (int i = 0; nr && i < DEPTH_MAX; i++) {
		if (is_listed(recorder, nr, pid))
			return true;
		/*
		 * A process that started before the recorder is wanted only if
		 * it is listed.
		 */
		if (!pid || origin_read(pid, &origin) ||
		    origin.begun < READ_ONCE(recorder->begun))
			return false;
		pid = origin.parent;
	}
	return !nr;
}
