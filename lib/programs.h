/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The part of a recording that programs write: from their rings to streams. */
#ifndef KT_LIB_PROGRAMS_H
#define KT_LIB_PROGRAMS_H

#include <ktrace/session.h>

#include "markers.h"

struct programs;

/* @writer and @directory stay the caller's. */
int programs_create(const struct markers_options *options,
		    struct ktrace_writer *writer, int directory,
		    struct programs **programs);
/*
 * Markers are on from here on.  The writer is used in the background, until
 * programs_finish().
 */
int programs_start(struct programs *programs);
/* Markers are off; writes what is left. */
int programs_finish(struct programs *programs);
void programs_destroy(struct programs *programs);
/* Takes the files away again. */
void programs_remove(struct programs *programs);

/* The clock of programs, where there is no session to ask. */
void programs_clock(struct ktrace_clock *clock);

/* 0, or why writing ended. */
int programs_error(const struct programs *programs);
size_t programs_nr(const struct programs *programs);
/* False: nothing was written there, and nothing lost. */
bool programs_count(const struct programs *programs, size_t index,
		    struct ktrace_cpu *cpu, uint64_t *bytes);

#endif /* KT_LIB_PROGRAMS_H */
