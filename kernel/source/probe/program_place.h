/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a probe in a program or library is:
 *
 *	/PATH:0xOFFSET[(0xCOUNTER)][{INODE:SIZE:SECONDS.NANOSECONDS}][/TEXT][%return]
 *
 * PATH is the file's, as whoever writes the line sees it; \NNN in it is the character with this
 * octal number, three digits, such as \040 for a blank and \072 for a colon.  OFFSET is in the
 * file.  COUNTER is the offset of a number
 * of two bytes that says how many want the place to be hit: a semaphore of a USDT probe.  TEXT says
 * to people what is there.  What stands in braces is what stat(2) says of the file that was looked
 * into, with the time of its last change: if the path leads to another one by now, the line is
 * refused.
 *
 * Nothing is known here of functions and instructions: whoever writes a place must know that an
 * instruction begins there, or the program breaks.  So a file that has been written to since is
 * refused when the probe is armed.
 */
#ifndef KT_KERNEL_SOURCE_PROGRAM_PLACE_H
#define KT_KERNEL_SOURCE_PROGRAM_PLACE_H

#include <linux/path.h>
#include <linux/time64.h>
#include <linux/types.h>

struct inode;
struct kt_session;

struct program_place {
	struct path path; /* held */
	loff_t offset;
	loff_t counter;		   /* 0: none */
	loff_t size;		   /* of the file, when the line was written */
	struct timespec64 written; /* when the file was, by then */
	bool returns;
};

static inline bool place_is_program(const char *text)
{
	return *text == '/';
}

/*
 * Refuses, with the reason, what is no place; the text is not changed.  Its file must have been found
 * (program_file.h).
 */
int program_place_find(struct program_place *place, struct kt_session *session,
		       const char *text);
/* Of one that was found, or is all zero. */
void program_place_put(struct program_place *place);
/* Is the file as it was?  Refuses, with the reason. */
int program_place_check(const struct program_place *place,
			struct kt_session *session, const char *text);
struct inode *program_place_inode(const struct program_place *place);
/* What messages show of a place's text. */
const char *program_place_label(const char *text);

#endif /* KT_KERNEL_SOURCE_PROGRAM_PLACE_H */
