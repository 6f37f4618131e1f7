/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Archives: a trace, and the files that its stacks mention, in one file.
 *
 * ktrace_open() reads an archive as it reads the trace.
 */
#ifndef KTRACE_ARCHIVE_H
#define KTRACE_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/debuginfod.h>
#include <ktrace/library.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_archive_options {
	size_t size;   /* of this struct */
	bool no_files; /* only the trace */
	/*
	 * Called often, with how many of all bytes were packed so far.  True: stop.  May be
	 * NULL.
	 */
	bool (*progress)(void *data, uint64_t done, uint64_t all);
	/* A file of programs is left out: why, in a few words.  May be NULL. */
	void (*left_out)(void *data, const char *path, const char *why);
	void *data; /* for both */
	/* Asks servers for debug files that are not here.  NULL: nobody is asked. */
	const struct ktrace_debuginfod *debuginfod;
};

struct ktrace_archive_result {
	uint64_t trace_bytes; /* before they were compressed */
	uint64_t file_bytes;
	uint64_t bytes;	   /* of the archive */
	uint64_t files;	   /* of programs */
	uint64_t left_out; /* files that are missing, or have changed */
	uint64_t
		named; /* frames that the trace had no names for, and the archive has */
};

/*
 * Writes an archive of the @trace, a directory, to @fd, which the caller keeps.  *@result has
 * @size bytes.  0 or -errno; -ECANCELED: progress() said so.
 */
KTRACE_API int ktrace_archive_write(
	const char *trace, int fd, const struct ktrace_archive_options *options,
	struct ktrace_archive_result *result, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_ARCHIVE_H */
