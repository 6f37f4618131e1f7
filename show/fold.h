/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Events merged by who called: one fold for each path of functions below each program, with
 * what all of its events weigh.  The outputs of stacks show what is here.
 *
 *	dbench;entry_SYSCALL_64_after_hwframe;do_syscall_64;...;kmalloc_trace
 *
 * Two traces can be compared: then a fold has what it weighs in each of them.
 *
 * Memory depends on how many different stacks there are, not on how many events: each stack of
 * the trace is there once (fold_path.h), and what a program has of both kinds only refers to them.
 */
#ifndef KT_SHOW_FOLD_H
#define KT_SHOW_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/output.h>

#include "base/histogram.h"
#include "base/table.h"
#include "fold_path.h"
#include "kinds.h"
#include "off_cpu.h"
#include "output.h"

struct fold_sum {
	uint64_t events, weight;
};

struct fold {
	uint64_t events;
	uint64_t weight; /* of all of them; UINT64_MAX: it does not fit */
	struct fold_sum before;	  /* the same in the trace before, if any */
	struct histogram weights; /* if it was asked for */
	/* Its frames, outermost first: see fold_frame(). */
	uint32_t nr;
	uint32_t program;		       /* its name, by number */
	const struct fold_path *user, *kernel; /* NULL: it has none */
};

/* All zero: no folds yet. */
struct folds {
	struct ktrace *trace;
	struct ktrace_output_stacks options;
	unsigned int form; /* of frames (stack.h) */
	bool histograms;   /* wanted */
	uint64_t events;   /* that have weight */
	uint64_t weight;   /* of all of them */
	struct off_cpu off;

	bool compares; /* folds_turn() was called: the trace is the second one */
	struct fold_sum before;	 /* of all folds, in the trace before */
	uint64_t unknown_before; /* off.unknown of that */
	struct kinds kinds;

	/* The last type that an event had, and its field that has the weight. */
	const struct ktrace_field *type_fields;
	const struct ktrace_field *type_weight;
	bool field_found; /* in any type */
	bool any_stack;	  /* is there any event with a stack? */

	struct fold_paths paths;
	struct table stacks; /* of a program, by its hash */
	struct table folds;  /* by hash of their frames */
};

/* The number of the name; @i: less than fold->nr.  The program has called the kernel. */
static inline uint32_t fold_frame(const struct fold *fold, uint32_t i)
{
	uint32_t user = fold->user ? fold->user->nr : 0;

	if (!i)
		return fold->program;
	return i <= user ? fold->user->frames[i - 1]
			 : fold->kernel->frames[i - 1 - user];
}

static inline const char *fold_name(const struct folds *folds,
				    const struct fold *fold, uint32_t i)
{
	return folds->paths.name[fold_frame(fold, i)];
}

/* How many frames are the same, from the outermost one on. */
uint32_t folds_shared(const struct fold *x, const struct fold *y);

int folds_init(struct folds *folds, struct ktrace *trace,
	       const struct ktrace_output_stacks *options, unsigned int form);
/* @shown: it counts; if not, it may still end what others have begun.  0 or a negative errno. */
int folds_event(struct folds *folds, const struct ktrace_event *event,
		bool shown);
void folds_loss(struct folds *folds, const struct ktrace_loss *loss);
/*
 * What came is what @trace is compared with: its events follow.  Nothing of the trace before is
 * needed any more.  0 or a negative errno.
 */
int folds_turn(struct folds *folds, struct ktrace *trace);
/* All folds that have events, in one of the traces at least, in this order.  The caller frees the array.  NULL: out of memory. */
struct fold **folds_sorted(const struct folds *folds,
			   int (*compare)(const void *a, const void *b,
					  void *folds),
			   size_t *nr);
/* The heaviest first. */
int fold_compare_weight(const void *a, const void *b, void *folds);
/* By the names of their frames. */
int fold_compare_frames(const void *a, const void *b, void *folds);
/* "events", "ns" or the name of the field.  As it comes from the user: escape it. */
const char *folds_unit(const struct folds *folds);
/*
 * -ENOENT if no event with a stack had the field that was asked for; -ENODATA or -EINVAL if
 * the two traces cannot be compared.
 */
int folds_check(const struct folds *folds);
/* Forgets all events. */
void folds_clear(struct folds *folds);
void folds_free(struct folds *folds);

#endif /* KT_SHOW_FOLD_H */
