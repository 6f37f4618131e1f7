/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that programs have mapped, to run what is in them, and their unwind tables
 * (core/unwind_table.h).
 *
 * A file gets a number when it is first seen.  Frames of stacks have it, and readers learn
 * from the control tree which file it is.  All files are forgotten when nobody follows programs any
 * more (follow.h).
 *
 * The vDSO counts as a file.  So does what a process has made to run at run time, as just-in-time
 * compilers do: a file for each process, in which an offset is an address.
 *
 * Tables come from user space, through a holder: an open file of the control tree.  When the
 * last holder of a table is closed, the table goes.
 */
#ifndef KT_KERNEL_PROGRAM_FILE_H
#define KT_KERNEL_PROGRAM_FILE_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "unwind.h"

struct file;
struct mm_struct;

/* All tables together. */
#define KT_TABLES_MAX (256u << 20)

struct kt_program_file {
	struct kt_unwind_file unwind; /* probes read it */
	u32 number;
	u32 holders; /* of the table */

	struct hlist_node node; /* by its key */
	struct kt_file_key {
		u64 inode;
		dev_t dev; /* 0: it is no file */
		u32 generation;
	} key;
	bool code; /* made at run time */

	/* Where it was first seen. */
	pid_t pid;
	u64 begin, end;
	char *path;
};

/* The first mapping that a process has of a file. */
struct kt_seen {
	pid_t pid;
	u64 begin, end;
};

/*
 * Finds the file, or makes it known.  @file: NULL: the vDSO.  @seen: NULL: nowhere.  NULL: no
 * memory or no number is left, so its frames are told by their addresses.
 */
struct kt_program_file *kt_program_file(struct file *file,
					const struct kt_seen *seen);

/* The same for code that was made at run time, in the memory that @mm describes. */
struct kt_program_file *kt_program_code(const struct mm_struct *mm,
					const struct kt_seen *seen);

/* Changes whenever a table comes or goes; to be added to the salt of walks. */
extern u64 kt_tables_salt;

struct kt_holder {
	struct xarray files; /* whose tables it holds, by number */
	u64 era;
	u32 shown; /* numbers up to this one were told */
};

void kt_holder_init(struct kt_holder *holder);
void kt_holder_exit(struct kt_holder *holder);
/*
 * Gives a file a table, unless it has one already.  Takes over @bytes, which kvfree() frees.
 * @file: NULL: the vDSO.  0 or an error of kt_unwind_table_open(); -ENXIO: no event has stacks
 * of programs; -ENOSPC: too many tables.
 */
int kt_holder_add(struct kt_holder *holder, struct file *file, void *bytes,
		  size_t size);
/*
 * Writes lines of files that the holder was not told yet, as many as fit; returns their
 * length.
 */
size_t kt_holder_tell(struct kt_holder *holder, char *to, size_t size);
bool kt_holder_has_news(const struct kt_holder *holder);

extern struct wait_queue_head kt_files_news;

/* Under kt_mutex.  kt_files_forget(): no walk is going on, and none begins. */
void kt_files_begin(void);
void kt_files_forget(void);

#endif /* KT_KERNEL_PROGRAM_FILE_H */
