/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The code of files that were mapped while perf recorded. */
#ifndef KT_LIB_BRANCH_PERF_CODE_H
#define KT_LIB_BRANCH_PERF_CODE_H

#include "perf_side.h"

/*
 * The number of the file that a mapping is of; 0: it is none, or not the one that was mapped, which is counted.
 * 0 or -errno, with a message.
 */
int perf_code_find(struct perf_side *side, const struct perf_news *news,
		   uint32_t *number);
/* Copies up to @size bytes at @offset of the file, and returns how many. */
size_t perf_code_read(struct perf_side *side, uint32_t number, void *bytes,
		      size_t size, uint64_t offset);
void perf_codes_free(struct perf_side *side);

#endif /* KT_LIB_BRANCH_PERF_CODE_H */
