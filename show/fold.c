// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fold.h"
#include "stack.h"

/* The stacks of an event as they are in the trace, with its program. */
struct stack_key {
	char comm[16];
	bool kernel, user; /* which there are */
	uint32_t kernel_id, user_id;
	struct fold *fold;
};

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory");
}

int folds_init(struct folds *folds, struct ktrace *trace,
	       const struct ktrace_output_stacks *options, unsigned int form)
{
	folds->trace = trace;
	folds->options = *options;
	folds->form = form | FRAME_NAME;
	return fold_paths_init(&folds->paths);
}

/* ---- folds ---------------------------------------------------------------- */

/* A space or a semicolon would end the name. */
static void comm_put(struct output *output, const char comm[16])
{
	for (int i = 0; i < 16 && comm[i]; i++) {
		char c = comm[i];
		uint8_t byte = c;

		if (byte <= ' ' || byte == ';' || byte >= 127)
			c = '_';
		output_add(output, &c, 1);
	}
}

/* What the fold of these stacks is, before it weighs anything. */
static int fold_make(struct folds *folds, const struct stack_key *key,
		     struct fold *fold)
{
	int err;

	*fold = (struct fold){.nr = 1};
	comm_put(&folds->paths.text, key->comm);
	err = fold_paths_name(&folds->paths, &fold->program);
	if (!err && key->user)
		err = fold_paths_stack(&folds->paths, folds->trace,
				       key->user_id, folds->form, &fold->user);
	if (!err && key->kernel)
		err = fold_paths_stack(&folds->paths, folds->trace,
				       key->kernel_id, folds->form,
				       &fold->kernel);
	fold->nr += fold->user ? fold->user->nr : 0;
	fold->nr += fold->kernel ? fold->kernel->nr : 0;
	return err;
}

static bool fold_same(const struct fold *x, const struct fold *y)
{
	if (x->program == y->program && x->user == y->user &&
	    x->kernel == y->kernel)
		return true;
	return x->nr == y->nr && folds_shared(x, y) == x->nr;
}

/* The fold with the same frames as @like; it is made if it is new.  NULL: out of memory. */
static struct fold *fold_keep(struct folds *folds, const struct fold *like)
{
	struct table_slot *slot = NULL;
	uint64_t hash = like->program;
	struct fold *fold;

	if (like->user)
		hash = fold_hash(hash, like->user);
	if (like->kernel)
		hash = fold_hash(hash, like->kernel);
	while ((slot = table_next(&folds->folds, hash, slot)))
		if (fold_same(slot->value, like))
			return slot->value;
	fold = malloc(sizeof(*fold));
	if (!fold || table_add(&folds->folds, hash, fold)) {
		free(fold);
		return NULL;
	}
	*fold = *like;
	return fold;
}

/* ---- stacks --------------------------------------------------------------- */

static uint64_t key_hash(const struct stack_key *key)
{
	return table_hash(key->comm, sizeof(key->comm)) ^
	       key->kernel_id * 0x9e3779b97f4a7c15ull ^
	       key->user_id * 0xc2b2ae3d27d4eb4full;
}

static struct stack_key *key_find(const struct folds *folds,
				  const struct stack_key *like)
{
	struct table_slot *slot = NULL;
	uint64_t hash = key_hash(like);

	while ((slot = table_next(&folds->stacks, hash, slot))) {
		struct stack_key *key = slot->value;

		if (key->kernel_id == like->kernel_id &&
		    key->user_id == like->user_id &&
		    key->kernel == like->kernel && key->user == like->user &&
		    !memcmp(key->comm, like->comm, sizeof(key->comm)))
			return key;
	}
	return NULL;
}

static int key_add(struct folds *folds, struct stack_key *like)
{
	struct stack_key *key;
	struct fold fold;
	int err = fold_make(folds, like, &fold);

	if (err)
		return err;
	like->fold = fold_keep(folds, &fold);
	key = malloc(sizeof(*key));
	if (!like->fold || !key ||
	    table_add(&folds->stacks, key_hash(like), key)) {
		free(key);
		return no_memory();
	}
	*key = *like;
	return 0;
}

/* Sets *@fold to that of the event; NULL: its type has no stacks. */
static int event_fold(struct folds *folds, const struct ktrace_event *event,
		      struct fold **fold)
{
	const struct stack_key *found;
	struct stack_key key = {0};
	struct ktrace_stack stack;
	int err = 0;

	*fold = NULL;
	key.kernel = ktrace_event_stack(folds->trace, event, &stack);
	if (key.kernel)
		key.kernel_id = stack.id;
	key.user = ktrace_event_user_stack(folds->trace, event, &stack);
	if (key.user)
		key.user_id = stack.id;
	if (!key.kernel && !key.user)
		return 0;
	memcpy(key.comm, event->comm, strnlen(event->comm, sizeof(key.comm)));
	found = key_find(folds, &key);
	if (!found)
		err = key_add(folds, &key);
	*fold = found ? found->fold : key.fold;
	folds->any_stack = true;
	return err;
}

/* ---- weights -------------------------------------------------------------- */

static void sum_add(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static int fold_add(struct folds *folds, struct fold *fold, uint64_t weight)
{
	fold->events++;
	folds->events++;
	sum_add(&fold->weight, weight);
	sum_add(&folds->weight, weight);
	if (folds->histograms && histogram_add(&fold->weights, weight))
		return no_memory();
	return 0;
}

/* NULL: events of this type do not have the field that weighs. */
static const struct ktrace_field *weight_field(struct folds *folds,
					       const struct ktrace_type *type)
{
	if (folds->type_fields != type->fields) {
		folds->type_fields = type->fields;
		folds->type_weight =
			ktrace_field_find(type, folds->options.field);
		if (folds->type_weight &&
		    folds->type_weight->kind > KTRACE_POINTER)
			folds->type_weight = NULL;
	}
	return folds->type_weight;
}

static int event_field(struct folds *folds, const struct ktrace_event *event,
		       struct fold *fold)
{
	const struct ktrace_field *field = weight_field(folds, event->type);
	int64_t value;

	if (!field)
		return 0;
	folds->field_found = true;
	if (kinds_count(&folds->kinds, event->type))
		return no_memory();
	value = ktrace_field_int(event, field);
	/* An error has no weight. */
	if (value < 0 && field->kind == KTRACE_INT)
		value = 0;
	return fold_add(folds, fold, value);
}

static int event_off_cpu(struct folds *folds, const struct ktrace_event *event,
			 struct fold *fold)
{
	struct off_cpu_time time;
	int err = 0;

	if (off_cpu_return(&folds->off, event, &time))
		err = fold_add(folds, time.data, time.ns);
	if (!err && fold && off_cpu_leave(&folds->off, event, fold))
		err = no_memory();
	return err;
}

int folds_event(struct folds *folds, const struct ktrace_event *event,
		bool shown)
{
	bool times = folds->options.weight == KTRACE_WEIGHT_OFF_CPU;
	struct fold *fold = NULL;
	int err = 0;

	if (times && !off_cpu_type(event->type))
		return 0;
	if (shown)
		err = event_fold(folds, event, &fold);
	if (err)
		return err;
	if (times)
		return event_off_cpu(folds, event, fold);
	if (!fold)
		return 0;
	if (folds->options.weight == KTRACE_WEIGHT_FIELD)
		return event_field(folds, event, fold);
	if (kinds_count(&folds->kinds, event->type))
		return no_memory();
	return fold_add(folds, fold, 1);
}

void folds_loss(struct folds *folds, const struct ktrace_loss *loss)
{
	off_cpu_loss(&folds->off, loss);
}

const char *folds_unit(const struct folds *folds)
{
	switch (folds->options.weight) {
	case KTRACE_WEIGHT_FIELD:
		return folds->options.field;
	case KTRACE_WEIGHT_OFF_CPU:
		return "ns";
	default:
		return "events";
	}
}

static int field_check(const struct folds *folds)
{
	if (folds->options.weight != KTRACE_WEIGHT_FIELD || !folds->any_stack ||
	    folds->field_found)
		return 0;
	return error_set(-ENOENT,
			 "no event with a stack has a field `%s' that is a "
			 "number",
			 folds->options.field);
}

/* Nothing has a share of nothing. */
static int weight_check(const struct folds *folds)
{
	if (folds->weight)
		return 0;
	return error_set(-ENODATA,
			 "there is nothing to compare: no event with a stack "
			 "has any weight");
}

int folds_check(const struct folds *folds)
{
	int err = field_check(folds);

	if (err || !folds->compares)
		return err;
	return weight_check(folds) ?: kinds_check(&folds->kinds, folds->trace);
}

/* ---- two traces ----------------------------------------------------------- */

/* Ids of stacks are those of one trace. */
static void stacks_clear(struct folds *folds)
{
	size_t at = 0;
	void *key;

	while ((key = table_each(&folds->stacks, &at)))
		free(key);
	table_free(&folds->stacks);
	fold_paths_turn(&folds->paths);
}

int folds_turn(struct folds *folds, struct ktrace *trace)
{
	struct fold *fold;
	size_t at = 0;
	int err = field_check(folds) ?: weight_check(folds);

	if (err)
		return err;
	if (kinds_turn(&folds->kinds, folds->trace))
		return no_memory();
	while ((fold = table_each(&folds->folds, &at))) {
		fold->before = (struct fold_sum){fold->events, fold->weight};
		fold->events = fold->weight = 0;
	}
	folds->before = (struct fold_sum){folds->events, folds->weight};
	folds->events = folds->weight = 0;
	folds->unknown_before = folds->off.unknown;
	/* Threads that are off the CPU do not come back in another trace. */
	off_cpu_free(&folds->off);
	folds->off.unknown = 0;
	stacks_clear(folds);
	folds->type_fields = folds->type_weight = NULL;
	folds->field_found = folds->any_stack = false;
	folds->trace = trace;
	folds->compares = true;
	return 0;
}

/* ---- order ---------------------------------------------------------------- */

uint32_t folds_shared(const struct fold *x, const struct fold *y)
{
	uint32_t i = 0;

	while (i < x->nr && i < y->nr && fold_frame(x, i) == fold_frame(y, i))
		i++;
	return i;
}

int fold_compare_frames(const void *a, const void *b, void *data)
{
	const struct fold *x = *(struct fold *const *)a;
	const struct fold *y = *(struct fold *const *)b;
	const struct folds *folds = data;
	uint32_t i = folds_shared(x, y);

	if (i < x->nr && i < y->nr)
		return strcmp(fold_name(folds, x, i), fold_name(folds, y, i));
	return (x->nr > y->nr) - (x->nr < y->nr);
}

int fold_compare_weight(const void *a, const void *b, void *data)
{
	const struct fold *x = *(struct fold *const *)a;
	const struct fold *y = *(struct fold *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->before.weight != y->before.weight)
		return x->before.weight > y->before.weight ? -1 : 1;
	return fold_compare_frames(a, b, data);
}

struct fold **folds_sorted(const struct folds *folds,
			   int (*compare)(const void *a, const void *b,
					  void *folds),
			   size_t *nr)
{
	struct fold **sorted = calloc(folds->folds.nr + 1, sizeof(*sorted));
	size_t at = 0;

	*nr = 0;
	if (!sorted) {
		no_memory();
		return NULL;
	}
	while ((sorted[*nr] = table_each(&folds->folds, &at)))
		*nr += sorted[*nr]->events || sorted[*nr]->before.events;
	qsort_r(sorted, *nr, sizeof(*sorted), compare, (void *)folds);
	return sorted;
}

void folds_clear(struct folds *folds)
{
	struct fold *fold;
	size_t at = 0;

	while ((fold = table_each(&folds->folds, &at))) {
		histogram_free(&fold->weights);
		free(fold);
	}
	stacks_clear(folds);
	table_free(&folds->folds);
	fold_paths_clear(&folds->paths);
	off_cpu_free(&folds->off);
	kinds_free(&folds->kinds);
	folds->events = folds->weight = 0;
	folds->compares = false;
}

void folds_free(struct folds *folds)
{
	folds_clear(folds);
	fold_paths_free(&folds->paths);
}
