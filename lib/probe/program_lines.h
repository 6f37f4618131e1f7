/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The lines of a program or library where probes can be. */
#ifndef KT_LIB_PROBE_PROGRAM_LINES_H
#define KT_LIB_PROBE_PROGRAM_LINES_H

#include <stdbool.h>

#include <ktrace/probes.h>

struct debug_code;

/* Is it "FUNCTION:LINE" or "FILE:LINE"?  LINE may have wildcards. */
bool is_lines(const char *pattern);

/*
 * Calls @use with each place that such a pattern means.  Errors are as of
 * debug_places().
 */
int program_lines(struct debug_code *code, const char *pattern,
		  int (*use)(const struct ktrace_program_place *place,
			     void *data),
		  void *data);

#endif /* KT_LIB_PROBE_PROGRAM_LINES_H */
