/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Traces PATH.NUMBER, beside the one that is written at PATH.
 *
 * Only what the recording has made is renamed or removed: others may rename files there, too, and
 * whoever runs the recorded command may own the folder.  So the folder is opened once, and each
 * trace is known by its device and inode.
 *
 * What returns an int returns an exit status.
 */
#ifndef KT_CMD_COMMON_SERIES_H
#define KT_CMD_COMMON_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "output.h"

/* The number of a part's name NAME.NUMBER; 0: it is no such name. */
uint64_t series_number(const char *entry, const char *name);

struct series {
	const char *path;
	struct output_place place;
	struct stat newest; /* the directory at PATH */
	uint64_t first;	    /* number of @parts[0] */
	struct stat *parts;
	size_t nr;
};

/* The numbers go on behind those that are there. */
int series_open(struct series *s, const char *path);
void series_close(struct series *s);

/* The trace at PATH is this open directory: call it at the begin, and after each series_go_on(). */
int series_begin(struct series *s, int directory);
/* Is this the directory of the last series_begin()? */
bool series_is_newest(const struct series *s, int directory);

/* The trace at PATH gets the next number.  Nothing is replaced. */
int series_go_on(struct series *s);
/* Takes it back. */
void series_go_back(struct series *s);
/* Removes one of them; @why not, otherwise. */
bool series_remove(struct series *s, size_t index, const char **why);

#endif /* KT_CMD_COMMON_SERIES_H */
