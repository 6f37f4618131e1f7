/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What threads had mapped, and what the places in these files are called. */
#ifndef KT_LIB_READ_MAPPED_H
#define KT_LIB_READ_MAPPED_H

#include <ktrace/branch_list.h>
#include <ktrace_branch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

/* From an entry on, until the next change. */
struct mapped_change {
	uint32_t number; /* some in between may not be kept any more */
	uint64_t since;
	struct kt_branch_map *maps;
	uint32_t nr;
};

/* All zero: nothing is known. */
struct mapped {
	struct mapped_change *changes;
	size_t nr;
	size_t last; /* the change that was found last */
};

/*
 * The word of an address as stacks have it (KT_FRAME_FILE_SHIFT), when entry @number was made; 0: it
 * is not known what was there.
 */
uint64_t mapped_word(struct mapped *mapped, uint64_t number, uint64_t address);
void mapped_free(struct mapped *mapped);

/* Names by word.  All zero: none. */
struct mapped_names {
	struct table table;
	struct arena arena;
	uint64_t *words; /* in the order in which they were added */
	size_t nr, room;
};

/* A word whose name will be wanted; 0 is none.  0 or -ENOMEM. */
int mapped_names_want(struct mapped_names *names, uint64_t word);
/*
 * Takes the name of a word that is wanted from an entry KT_STACK_NAME, which is untrusted.  @data: the
 * struct mapped_names.  0 or -ENOMEM.
 */
int mapped_names_take(void *data, const void *bytes, size_t size);
/* NULL: it was not wanted, or its file is not known. */
const struct ktrace_branch_place *mapped_names_get(
	const struct mapped_names *names, uint64_t word);
void mapped_names_free(struct mapped_names *names);

#endif /* KT_LIB_READ_MAPPED_H */
