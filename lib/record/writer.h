/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Writing metadata: what include/ktrace/trace.h does not have. */
#ifndef KT_LIB_RECORD_WRITER_H
#define KT_LIB_RECORD_WRITER_H

#include <ktrace/writer.h>

struct sink;

/* As ktrace_writer_create(), to a sink that stays the caller's. */
int writer_create(struct sink *sink, const struct ktrace_writer_head *head,
		  struct ktrace_writer **writer);

/*
 * The names that fields of a type have, which was written without.  So a type need not
 * wait for them, nor packets for it.
 */
int writer_names(struct ktrace_writer *writer, const struct ktrace_type *type);

/* Of which user and CPU the programs are whose markers are in a stream. */
int writer_programs(struct ktrace_writer *writer, uint32_t stream,
		    uint32_t user, uint32_t cpu);

#endif /* KT_LIB_RECORD_WRITER_H */
