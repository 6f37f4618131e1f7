/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which files of programs the stacks of a trace mention, and which frames have no names. */
#ifndef KT_LIB_ARCHIVE_MENTION_H
#define KT_LIB_ARCHIVE_MENTION_H

#include <ktrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mentions {
	uint64_t *named; /* frames that have names, sorted */
	size_t nr_named;
	size_t whole; /* where the last whole entry ends: a killed recorder may leave a part */
	bool files[KT_FRAME_FILE_MAX + 1]; /* by number: some frame is in it */
	bool nameless[KT_FRAME_FILE_MAX + 1]; /* some frame in it has no name */
};

/* @stacks: the bytes of the file.  -ENOMEM. */
int mentions_find(struct mentions *mentions, const uint8_t *stacks,
		  size_t size);
bool mentions_name(const struct mentions *mentions, uint64_t frame);
void mentions_free(struct mentions *mentions);

#endif /* KT_LIB_ARCHIVE_MENTION_H */
