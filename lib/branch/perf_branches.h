/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What perf has recorded by Intel's PT becomes branches, be it in a file or now. */
#ifndef KT_LIB_BRANCH_PERF_BRANCHES_H
#define KT_LIB_BRANCH_PERF_BRANCHES_H

#include "contexts.h"
#include "perf_trace.h"

/* Looks for libipt, and makes contexts without any.  0 or -errno, with a message. */
int perf_contexts_open(const struct ktrace_branches_options *options,
		       struct contexts **contexts);
/* Decodes all of it; @bytes: of a buffer.  0 or -errno, with a message. */
int perf_branches_make(struct contexts *contexts, struct perf_trace *trace,
		       uint32_t bytes);

#endif /* KT_LIB_BRANCH_PERF_BRANCHES_H */
