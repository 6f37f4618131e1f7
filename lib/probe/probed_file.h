/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Places of probes in programs and libraries. */
#ifndef KT_LIB_PROBE_PROBED_FILE_H
#define KT_LIB_PROBE_PROBED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"

/* So many places a text may mean. */
#define PROBED_PLACES_MAX 10000

/* A file that was opened, of a list that has each once. */
struct probed_file;

/* The file of this path; it is opened if it is not in *@list.  0; -ENOENT, -EINVAL, -EMFILE or
 * -EACCES, with a message. */
int probed_file_open(struct probed_file **list, const char *path,
		     struct probed_file **file);
void probed_files_close(struct probed_file *list);

/*
 * Calls @use with each place that @wanted means, which was parsed and has no wildcards, or some:
 * what is left of a place is set.  0; -ENOENT, -EINVAL: none, or not one, with a message; or what
 * @use has returned.
 */
int probed_file_places(struct probed_file *file, const struct place *wanted,
		       int (*use)(const struct place *place, void *data),
		       void *data);

/*
 * What debugging information tells of a place in the line of a probe, "0xOFFSET..." behind the path;
 * *@address: its own.  NULL: there is none, or the file is another one than that which was probed.
 */
struct debug_code *probed_file_code(struct probed_file *file, const char *place,
				    uint64_t *address);

/* What is known of the file. */
struct program_functions;
const struct program_functions *probed_file_functions(
	const struct probed_file *file);

#endif /* KT_LIB_PROBE_PROBED_FILE_H */
