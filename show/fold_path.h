/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The names of functions in stacks: a path for each stack of a trace, outermost function first.
 * Stacks of the same functions have the same path.
 *
 * A frame is a name and nothing more, so that frames of any kind may follow each other.  If a
 * stack does not end where it should, or is not there, a frame in brackets says so in the
 * place of what is not known.
 */
#ifndef KT_SHOW_FOLD_PATH_H
#define KT_SHOW_FOLD_PATH_H

#include <stdint.h>

#include <ktrace/trace.h>

#include "base/table.h"
#include "output.h"

struct fold_path {
	/* See fold_hash(). */
	uint64_t hash, power;
	uint32_t nr;
	uint32_t frames[]; /* their names, by number */
};

/* All zero, then fold_paths_init(). */
struct fold_paths {
	struct table names; /* by hash */
	const char **name;  /* by number */
	uint32_t nr_names, room_names;
	struct table paths;  /* by hash */
	uint64_t nr_frames;  /* of all of them */
	uint64_t factor;     /* of hashes */
	struct table stacks; /* paths, by the stack's id */
	struct output text;  /* where a name is put together */
};

/* 0 or -ENOMEM, as all of them. */
int fold_paths_init(struct fold_paths *paths);
/* The number of the name in @text, which is emptied. */
int fold_paths_name(struct fold_paths *paths, uint32_t *number);
/* @form: of the frames (stack.h). */
int fold_paths_stack(struct fold_paths *paths, const struct ktrace *trace,
		     uint32_t id, unsigned int form,
		     const struct fold_path **path);
/* Another trace follows, whose ids mean other stacks. */
void fold_paths_turn(struct fold_paths *paths);
/* Forgets all names and paths. */
void fold_paths_clear(struct fold_paths *paths);
void fold_paths_free(struct fold_paths *paths);

/*
 * The hash of some frames and then a path: a polynomial, so it does not matter where the one ends
 * and the other begins.
 */
static inline uint64_t fold_hash(uint64_t hash, const struct fold_path *path)
{
	return hash * path->power + path->hash;
}

#endif /* KT_SHOW_FOLD_PATH_H */
