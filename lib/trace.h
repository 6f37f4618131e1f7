/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An open trace: what its metadata says, and where its streams are. */
#ifndef KT_LIB_TRACE_H
#define KT_LIB_TRACE_H

#include <ktrace/trace.h>

#include "clock.h"
#include "stream.h"
#include "text.h"
#include "type.h"

/* A damaged trace could fill the memory with complaints. */
#define WARNINGS_MAX 64

struct symbol_table {
	char *text;
	struct symbol_entry *entries; /* by address */
	size_t count;
};

struct ktrace {
	struct ktrace_info info;
	struct ktrace_types *types;
	struct arena arena; /* strings of info */

	/* As the metadata has them: */
	bool have_head;
	bool overwrite;
	struct ktrace_sync *sync;
	size_t nr_sync;
	struct ktrace_task *tasks;
	size_t nr_tasks;
	struct ktrace_cpu *ends;
	size_t nr_ends;

	struct clock clock;
	struct stream_source *sources; /* by CPU */
	struct ktrace_cpu *cpus;
	size_t nr_sources;

	/* By id, for walking packets. */
	uint32_t *fixed;
	uint32_t *least;
	struct stream_sizes sizes;

	int directory; /* -1: in memory */
	bool symbols_read;
	struct symbol_table symbols;

	char *warnings[WARNINGS_MAX];
	size_t nr_warnings;
};

void trace_warn(struct ktrace *trace, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reads the metadata into @trace.  -EBADMSG: it is none. */
int metadata_read(struct ktrace *trace, const char *data, size_t size);

/* The text symbols of the kernel that was traced. */
void symbols_read(struct symbol_table *symbols, int directory);
const char *symbols_find(const struct symbol_table *symbols, uint64_t address,
			 uint64_t *offset);
void symbols_free(struct symbol_table *symbols);

#endif /* KT_LIB_TRACE_H */
