/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Gives the kernel the unwind tables of the files that programs have mapped, and remembers
 * which files these were (kernel/tree/programs_file.c).
 */
#ifndef KT_LIB_SYMBOL_PROGRAM_TABLES_H
#define KT_LIB_SYMBOL_PROGRAM_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "debug_server.h"
#include "jit_names.h"
#include "program_file.h"
#include "unwind_cache.h"

/* In the place of a path: code that a process has made, which is in no file. */
#define PROGRAM_CODE "[jit]"

struct program_file {
	uint32_t number; /* in frames of stacks */
	pid_t pid;	 /* where it was first seen */
	char *path;
	bool code;		  /* made at run time: there is no file */
	struct jit_process maker; /* of code; pid 0: nothing is known of it */
	unsigned char id[KT_UNWIND_ID_MAX];
	size_t id_size; /* 0: it has no build id */
	int error;	/* why it has no table; 0: it has one */
	/*
	 * Open if the path leads elsewhere because the process has other mounts, as in a
	 * container: else nobody finds it again when its names are wanted.  0: not needed;
	 * negative: there were too many.
	 */
	int kept;
};

/* Has it this file's build id, or none as this file? */
bool program_file_same(const struct program_file *file, int fd);

/* So many are kept, but no more than an eighth of what a process may have open. */
#define PROGRAM_FILES_KEPT 256

struct program_tables {
	int control; /* the file `programs' of the tree */
	struct unwind_cache cache;
	struct program_file **files; /* by number; NULL: not told yet */
	size_t nr;		     /* the first number that was never told */
	size_t nr_kept;
	size_t nr_unkept; /* that had frames in the last program_names(), but there were too many */
	struct debug_server
		*servers; /* asked for debug files; NULL: nobody is */
	bool names_only; /* and soon; no stacks are walked, so files need no tables */
};

/*
 * @tree: the root of the control tree.  @cache: a directory; NULL: none.  0 or -errno;
 * -ENOENT: this kernel module has no stacks of programs.
 */
int program_tables_open(struct program_tables *tables, int tree,
			const char *cache);
/* Without the kernel: no file has a table, and all are told by program_tables_add(). */
void program_tables_begin(struct program_tables *tables);
/*
 * Adds what is found at a path, which is untrusted.  Its number; 0: there are too many; -ENOMEM.
 */
int program_tables_add(struct program_tables *tables, const char *path);
/* The build id of the vDSO, which each program of this kernel has.  Returns its size. */
size_t program_image_id(unsigned char id[KT_UNWIND_ID_MAX]);
/*
 * Gives the table of a file that a program will map, so that it is there before the first stack.  If
 * there is no such file, or it can have no table, nothing happens: that is told when it was mapped.
 */
void program_tables_foresee(struct program_tables *tables, const char *path);
/* The kernel drops the tables. */
void program_tables_close(struct program_tables *tables);

/*
 * Gives tables for all files that are new.  A file that cannot have one is no error: the
 * stacks say so.  0 or -errno.
 */
int program_tables_update(struct program_tables *tables);

#endif /* KT_LIB_SYMBOL_PROGRAM_TABLES_H */
