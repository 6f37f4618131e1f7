/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What was captured of the memory to which an argument of a function or system call points, or of
 * its file descriptor, shown behind the argument:
 *
 *	file=0xffff888004e0c100 "hostname"
 *	inode=0xffff888003b1d2c8 {ino=1203 dev=8:1}
 *	fd=3 "/etc/passwd"
 *
 * It is in fields of its own (<ktrace/capture_names.h>): __file_val, or __inode_val_ino and
 * __inode_val_dev.  When a system call returns, its arguments are in another record.  Then the field
 * is shown by its own name, if it has anything.
 */
#ifndef KT_SHOW_POINTEE_H
#define KT_SHOW_POINTEE_H

#include <ktrace/trace.h>

#include "output.h"

struct pointee {
	const struct ktrace_field *argument;
	const struct ktrace_field *fields; /* they follow each other */
	uint32_t nr;
	/* Masks of what is cut and what could not be read; NULL: there are none. */
	const struct ktrace_field *cut, *unread;
	uint32_t bit; /* of the first field */
	bool part; /* of no argument: its value is written without its name */
};

/* False: the field is no argument that has any. */
bool pointee_find(const struct ktrace_type *type,
		  const struct ktrace_field *argument, struct pointee *pointee);
/* False: it is shown with an argument, or in any case. */
bool pointee_alone(const struct ktrace_type *type,
		   const struct ktrace_field *field, struct pointee *pointee);
/* Is the field shown so, or a mask for such fields alone? */
bool pointee_owns(const struct ktrace_type *type,
		  const struct ktrace_field *field);
/* Was it captured of a call, but of no argument in the same record? */
bool pointee_is_alone(const struct ktrace_type *type,
		      const struct ktrace_field *field);

void pointee_put(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct pointee *pointee);

#endif /* KT_SHOW_POINTEE_H */
