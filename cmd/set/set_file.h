/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A set of what is enabled, as a text file that people read, edit and share:
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
 * One item on a line.  Patterns are those of -e and -M, the filter behind "if" is
 * that of -f.  With a `!' in front, in all three: not those.
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
	char **texts; /* what the above points into */
	size_t nr_texts;
	unsigned int nr_events; /* lines of each kind */
	unsigned int nr_calls;
};

void set_free(struct set *set);
bool set_is_empty(const struct set *set);

/*
 * Adds one item, a line of a file: 0, or -EINVAL, and @why says in words what is
 * wrong with it.  Nothing and comments are fine.
 */
int set_add(struct set *set, const char *line, const char **why);
/* Adds what the file of @name has.  Returns an exit status; complains. */
int set_read(struct set *set, const char *name);

/*
 * Where the set of this name is: in the folder of sets, or if there is a slash in it,
 * there.  -EINVAL: it cannot be a name.
 */
int set_path(const char *name, char *path, size_t size);
/* The folder of sets; made if @make. */
int set_folder(char *path, size_t size, bool make);

/*
 * Writes a set's text to its file, whole or not at all; an older one only if
 * @replace.  Returns an exit status.
 */
int set_write(const char *name, const char *text, size_t size, bool replace);

#endif /* KT_CMD_SET_SET_FILE_H */
