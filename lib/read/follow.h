/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How the recorder of a trace on disk and those who read it meanwhile find each other: by locks (of open
 * file descriptions) on bytes of the file `metadata'.  The kernel takes them back whenever and however the
 * process ends, and nobody can block anybody with them: no one waits for a lock.
 *
 * The recorder then tells by the line `point' up to which clock the streams are complete.  It writes this line
 * again and again in the same place, so the metadata does not grow.
 */
#ifndef KT_LIB_READ_FOLLOW_H
#define KT_LIB_READ_FOLLOW_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* The byte that somebody has locked. */
enum follow_who {
	FOLLOW_RECORDER, /* there is a recorder; it has written with @metadata open */
	FOLLOW_READER, /* there are readers, any number */
};

static inline struct flock follow_lock(enum follow_who who)
{
	return (struct flock){
		.l_type = who == FOLLOW_RECORDER ? F_WRLCK : F_RDLCK,
		.l_whence = SEEK_SET,
		.l_start = who,
		.l_len = 1,
	};
}

/* False, with errno: the file system has no locks, or another recorder has that one. */
static inline bool follow_hold(int metadata, enum follow_who who)
{
	struct flock lock = follow_lock(who);

	return !fcntl(metadata, F_OFD_SETLK, &lock);
}

/* Is somebody else there? */
static inline bool follow_is_held(int metadata, enum follow_who who)
{
	struct flock lock = follow_lock(who);

	lock.l_type = F_WRLCK;
	return !fcntl(metadata, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

/* Numbers have the room of the largest one. */
#define POINT_FORMAT \
	"{\"type\":\"point\",\"clock\":%20" PRIu64 ",\"check\":%20" PRIu64 "}\n"
#define POINT_SIZE 75

/* Any odd number; its bits are of the golden ratio. */
static inline uint64_t point_check(uint64_t clock)
{
	return clock * 0x9e3779b97f4a7c15ull;
}

static inline void point_print(char line[POINT_SIZE + 1], uint64_t clock)
{
	snprintf(line, POINT_SIZE + 1, POINT_FORMAT, clock, point_check(clock));
}

/* False: it is another line, or was read while it was written. */
static inline bool point_parse(const char line[POINT_SIZE + 1], uint64_t *clock)
{
	uint64_t check;

	return sscanf(line, POINT_FORMAT, clock, &check) == 2 &&
	       check == point_check(*clock);
}

/* Has the file system such locks? */
static inline bool follow_is_possible(int metadata)
{
	struct flock lock = follow_lock(FOLLOW_READER);

	return !fcntl(metadata, F_OFD_GETLK, &lock);
}

#endif /* KT_LIB_READ_FOLLOW_H */
