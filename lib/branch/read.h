/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What was read of branches, for the other files of this folder. */
#ifndef KT_LIB_BRANCH_READ_H
#define KT_LIB_BRANCH_READ_H

#include <ktrace/branches.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct program_tables;

/* The word of one end of an entry, as mapped_word() gives it. */
uint64_t branches_word(struct ktrace_branches *branches, size_t thread,
		       size_t entry, bool to);
/* The word where a thread was before the first entry; 0: not known. */
uint64_t branches_origin(struct ktrace_branches *branches, size_t thread);
struct program_tables *branches_tables(struct ktrace_branches *branches);

#endif /* KT_LIB_BRANCH_READ_H */
