// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See branch_stream.h. */
#include <errno.h>
#include <ktrace.h>
#include <ktrace_branch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/stack_entry.h"
#include "branch_stream.h"

/* Of what a part has but entries. */
#define PART_MAX (16u << 20)

struct reader {
	int fd;
	uint64_t at, size;
	struct kt_branch_part part;
};

/* False: they are not there. */
static bool bytes_read(const struct reader *r, uint64_t at, void *to,
		       size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n =
			pread(r->fd, (char *)to + done, size - done, at + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += n;
	}
	return true;
}

static bool stream_begin(struct reader *r, int fd)
{
	struct kt_branch_stream head;
	struct stat st;

	*r = (struct reader){.fd = fd};
	if (fstat(fd, &st))
		return false;
	r->size = st.st_size;
	if (!bytes_read(r, 0, &head, sizeof(head)) ||
	    head.magic != KT_BRANCH_STREAM_MAGIC ||
	    head.version != KT_ABI_VERSION)
		return false;
	r->at = sizeof(head);
	return true;
}

/* What a part has is at r->at.  False: no whole one follows. */
static bool part_begin(struct reader *r)
{
	if (r->size - r->at < sizeof(r->part) ||
	    !bytes_read(r, r->at, &r->part, sizeof(r->part)) ||
	    r->part.size > r->size - r->at - sizeof(r->part) ||
	    r->part.size % 8)
		return false;
	r->at += sizeof(r->part);
	return true;
}

/* Each part costs time. */
#define PART_COST 64

static bool room_take(uint64_t *room, uint64_t size)
{
	if (*room < size)
		return false;
	*room -= size;
	return true;
}

/* ---- threads -------------------------------------------------------------- */

/* What parts say: 1, 0: it is damaged, or -ENOMEM. */

static int thread_take(const struct reader *r, struct ktrace_branches *branches)
{
	struct kt_branch_thread head;
	struct branch_thread *thread;

	if (r->part.size < sizeof(head) ||
	    !bytes_read(r, r->at, &head, sizeof(head)))
		return 0;
	thread = branches_add(branches);
	if (!thread)
		return -ENOMEM;
	thread->first = head.first;
	thread->origin = head.before;
	thread->shown = (struct ktrace_branch_thread){
		.tid = head.tid,
		.ended = head.ended,
		.lost = head.lost,
		.unread = head.unread,
		.unfollowed = head.unfollowed,
	};
	return 1;
}

static int mappings_take(const struct reader *r, struct branch_thread *thread)
{
	struct mapped_change *more = array_grow(
		thread->mapped.changes, thread->mapped.nr, sizeof(*more));
	struct kt_branch_mappings head;
	uint64_t size = r->part.size - sizeof(head);
	struct kt_branch_map *maps;

	if (!more)
		return -ENOMEM;
	thread->mapped.changes = more;
	if (r->part.size < sizeof(head) || size % sizeof(*maps) ||
	    size > PART_MAX || !bytes_read(r, r->at, &head, sizeof(head)))
		return 0;
	maps = malloc(size ? size : 1);
	if (!maps)
		return -ENOMEM;
	more[thread->mapped.nr++] = (struct mapped_change){
		.number = head.number,
		.since = head.since,
		.maps = maps,
		.nr = size / sizeof(*maps),
	};
	return bytes_read(r, r->at + sizeof(head), maps, size);
}

static int entries_take(const struct reader *r, struct branch_thread *thread)
{
	size_t nr = thread->shown.nr,
	       more = r->part.size / sizeof(struct kt_branch);
	struct kt_branch *entries;

	if (r->part.size % sizeof(*entries))
		return 0;
	entries =
		reallocarray(thread->entries, nr + more + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	thread->entries = entries;
	if (!bytes_read(r, r->at, entries + nr, r->part.size))
		return 0;
	thread->shown.nr += more;
	return 1;
}

static int part_take(const struct reader *r, struct ktrace_branches *branches)
{
	struct branch_thread *thread =
		branches->nr ? &branches->threads[branches->nr - 1] : NULL;

	switch (r->part.kind) {
	case KT_BRANCH_PART_THREAD:
		return thread_take(r, branches);
	case KT_BRANCH_PART_MAPPINGS:
		return thread ? mappings_take(r, thread) : 0;
	case KT_BRANCH_PART_ENTRIES:
		return thread ? entries_take(r, thread) : 0;
	default:
		return 1;
	}
}

static bool part_fits(const struct reader *r, struct branch_room *room)
{
	uint64_t size = r->part.size;

	if (r->part.kind == KT_BRANCH_PART_ENTRIES)
		return room_take(&room->others, PART_COST) &&
		       room_take(&room->entries, size);
	/* Those are read by their own. */
	if (r->part.kind == KT_BRANCH_PART_NAMES)
		size = 0;
	return room_take(&room->others, PART_COST + size);
}

int branch_stream_threads(struct ktrace_branches *branches, int fd,
			  struct branch_room *room, uint64_t *end)
{
	struct reader r;
	int taken = stream_begin(&r, fd);

	*end = r.at;
	while (taken > 0 && !room->used_up && part_begin(&r)) {
		if (!part_fits(&r, room)) {
			room->used_up = true;
			break;
		}
		taken = part_take(&r, branches);
		if (taken > 0)
			*end = r.at += r.part.size;
	}
	return taken < 0 ? taken : 0;
}

/* ---- names ---------------------------------------------------------------- */

static int names_take(const struct reader *r, uint8_t *bytes,
		      int (*take)(void *data, const void *bytes, size_t size),
		      void *data)
{
	size_t size = r->part.size, at = 0, begin = 0;
	struct stack_entry entry;
	int err = 0;

	if (!bytes_read(r, r->at, bytes, size))
		return 0;
	for (; !err && stack_entry_next(bytes, size, &at, &entry); begin = at)
		if (entry.head.kind == KT_STACK_NAME)
			err = take(data, bytes + begin, at - begin);
	return err;
}

int branch_stream_names(int fd,
			int (*take)(void *data, const void *bytes, size_t size),
			void *data)
{
	uint64_t room = BRANCH_ROOM.others;
	struct reader r;
	bool begun = stream_begin(&r, fd);
	uint8_t *bytes;
	int err = 0;

	for (; !err && begun && part_begin(&r); r.at += r.part.size) {
		bool named = r.part.kind == KT_BRANCH_PART_NAMES &&
			     r.part.size <= PART_MAX;

		if (!room_take(&room, PART_COST + (named ? r.part.size : 0)))
			break;
		if (!named)
			continue;
		bytes = malloc(r.part.size + 1);
		err = bytes ? names_take(&r, bytes, take, data) : -ENOMEM;
		free(bytes);
	}
	return err;
}
