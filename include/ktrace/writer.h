/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Writing the metadata of a trace.
 *
 * The recorder creates the directory and writes the streams (cpuN).  Each call
 * appends whole lines.  If a call fails, the file stays as it was before, so
 * that you can try again, or leave the trace as it is.
 */
#ifndef KTRACE_WRITER_H
#define KTRACE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_writer;

/* For DIRECTORY/metadata, which must not exist: its first line. */
struct ktrace_writer_head {
	size_t size; /* of this struct */
	uint64_t id;
	const char *version;
	const char *host; /* NULL for these three: ask the system */
	const char *kernel;
	const char *machine;
	char *const *command; /* ends with NULL */
	const char *mode;
	uint32_t nr_cpus;
	uint64_t start; /* CLOCK_REALTIME, ns */
};

KTRACE_API int ktrace_writer_create(const char *directory,
				    const struct ktrace_writer_head *head,
				    struct ktrace_writer **writer);
KTRACE_API void ktrace_writer_destroy(struct ktrace_writer *writer);

/*
 * The clock and a calibration point: at the begin, at the end, and any number
 * between. @name is "tsc" or "mono".  @trusted is false if the kernel has found
 * that the clocks of its CPUs differ; then readers are warned.
 */
KTRACE_API int ktrace_writer_clock(struct ktrace_writer *writer,
				   const char *name, uint64_t frequency,
				   const struct ktrace_sync *sync,
				   bool trusted);

/*
 * Writes all of @types that have an id and have not been written; variants with their type.
 * A variant alone is written each time, so its type must have been written before.
 */
KTRACE_API int ktrace_writer_types(struct ktrace_writer *writer,
				   const struct ktrace_types *types);
KTRACE_API int ktrace_writer_type(struct ktrace_writer *writer,
				  const struct ktrace_type *type);

struct ktrace_task {
	uint32_t tid;
	uint32_t tgid;
	uint32_t parent;
	const char *comm;
};

KTRACE_API int ktrace_writer_tasks(struct ktrace_writer *writer,
				   const struct ktrace_task *tasks,
				   size_t nr_tasks);
/* The same, from the text of the control tree's tasks file. */
KTRACE_API int ktrace_writer_tasks_text(struct ktrace_writer *writer,
					const char *text, size_t size);

/* Puts the names of the kernel's functions into the file "symbols". */
KTRACE_API int ktrace_writer_symbols(struct ktrace_writer *writer);

/* What was missed in all of the recording; before the end. */
KTRACE_API int ktrace_writer_misses(struct ktrace_writer *writer,
				    const struct ktrace_miss *misses,
				    size_t nr_misses);
/* The same of each probe.  -E2BIG: the trace would have those of more than KTRACE_PROBE_HITS_MAX. */
KTRACE_API int ktrace_writer_probe_hits(struct ktrace_writer *writer,
					const struct ktrace_probe_hits *hits,
					size_t nr_hits);

KTRACE_API int ktrace_writer_end(struct ktrace_writer *writer,
				 const struct ktrace_cpu *cpus, size_t nr_cpus,
				 const char *reason);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_WRITER_H */
