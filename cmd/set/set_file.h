/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A set of enabled items: a text file that people read, edit and share.
 *
 *	# a comment
 *	event sched:sched_switch
 *	event block:*,!block:block_touch_buffer
 *	event raw_syscalls:sys_enter if id == 59
 *	syscall openat
 *	syscall %net
 *	marker myprogram:*
 *	marker !myprogram:noise
 *
 * Each line is one item.  Patterns are those of -e and -M; the filter after
 * "if" is that of -f.  A `!' in front excludes, in all three kinds.
 */
#ifndef KT_CMD_SET_SET_FILE_H
#define KT_CMD_SET_SET_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/select.h"

struct set {
	struct selection selection; /* events and system calls */
	const char **markers;	    /* patterns */
	size_t nr_markers;
	char **texts; /* strings used above */
	size_t nr_texts;
	unsigned int nr_events; /* lines of this kind */
	unsigned int nr_calls;
};

void set_free(struct set *set);
bool set_is_empty(const struct set *set);

/*
 * Adds an item, a line of a file.  0, or -EINVAL: *why says what is wrong with
 * it.  Empty lines and comments are allowed.
 */
int set_add(struct set *set, const char *line, const char **why);
/* Adds the items of the set @name.  Returns an exit status, after a message. */
int set_read(struct set *set, const char *name);

/*
 * The path of the set: in the folder of sets or, if the name has a slash, the
 * name itself. -EINVAL: it is not a valid name.
 */
int set_path(const char *name, char *path, size_t size);
/* The folder of sets.  @make: creates it. */
int set_folder(char *path, size_t size, bool make);

/*
 * Writes a set's text to its file, completely or not at all.  Replaces an
 * existing file only if @replace.  Returns an exit status.
 */
int set_write(const char *name, const char *text, size_t size, bool replace);

#endif /* KT_CMD_SET_SET_FILE_H */
