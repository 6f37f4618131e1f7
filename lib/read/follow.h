/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How the recorder of a trace on disk and those who read it meanwhile find each other: by locks (of open
 * file descriptions) on bytes of the file `metadata'.  The kernel takes them back whenever and however the
 * process ends, and nobody can block anybody with them: no one waits for a lock.
 */
#ifndef KT_LIB_READ_FOLLOW_H
#define KT_LIB_READ_FOLLOW_H

#include <fcntl.h>
#include <stdbool.h>
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

#endif /* KT_LIB_READ_FOLLOW_H */
