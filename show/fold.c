// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fold.h"
#include "stack.h"

/* The program, both stacks, and a word on how each ends. */
#define FRAMES_MAX \
	(1 + KT_STACK_MAX * (KTRACE_INLINED_MAX + 1) + 1 + KT_STACK_MAX + 1)

/* The stacks of an event as they are in the trace, with its program. */
struct stack_key {
	char comm[16];
	bool kernel, user; /* which there are */
	uint32_t kernel_id, user_id;
	struct fold *fold;
};

struct name {
	uint32_t number;
	char text[];
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
	return output_init(&folds->text, NULL, NULL) ? no_memory() : 0;
}

/* ---- names ---------------------------------------------------------------- */

static int name_add(struct folds *folds, const char *text, size_t length,
		    uint64_t hash)
{
	struct name *name = malloc(sizeof(*name) + length + 1);

	if (folds->nr_names == folds->room_names) {
		uint32_t room = folds->room_names ? folds->room_names * 2 : 256;
		const char **more =
			realloc(folds->name, room * sizeof(*folds->name));

		if (more) {
			folds->name = more;
			folds->room_names = room;
		}
	}
	if (!name || folds->nr_names == folds->room_names ||
	    table_add(&folds->names, hash, name)) {
		free(name);
		return -1;
	}
	memcpy(name->text, text, length);
	name->text[length] = '\0';
	name->number = folds->nr_names++;
	folds->name[name->number] = name->text;
	return name->number;
}

/* The number of the name in folds->text, which is emptied.  -1: out of memory. */
static int name_take(struct folds *folds)
{
	struct table_slot *slot = NULL;
	struct output *text = &folds->text;
	size_t length = text->p - text->buf;
	uint64_t hash = table_hash(text->buf, length);

	text->p = text->buf;
	while ((slot = table_next(&folds->names, hash, slot))) {
		const struct name *name = slot->value;

		if (!strncmp(name->text, text->buf, length) &&
		    !name->text[length])
			return name->number;
	}
	return name_add(folds, text->buf, length, hash);
}

/* ---- frames --------------------------------------------------------------- */

/* Frames of a fold that is being made. */
struct path {
	uint32_t nr;
	uint32_t frames[FRAMES_MAX];
};

static int path_take(struct folds *folds, struct path *path)
{
	int number = name_take(folds);

	if (number < 0)
		return no_memory();
	if (path->nr < FRAMES_MAX)
		path->frames[path->nr++] = number;
	return 0;
}

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

/* From there on, outermost first: so paths of the same callers begin alike. */
static void path_reverse(struct path *path, uint32_t begin)
{
	uint32_t *low = path->frames + begin, *high = path->frames + path->nr;

	while (low < high) {
		uint32_t number = *low;

		*low++ = *--high;
		*high = number;
	}
}

static int path_stack(struct folds *folds, uint32_t id, struct path *path)
{
	struct stack_part part = {0};
	struct ktrace_stack stack;
	uint32_t begin = path->nr;
	const char *end;
	int err = 0;

	ktrace_stack_find(folds->trace, id, &stack);
	while (!err &&
	       stack_part_next(folds->trace, &stack, folds->form, &part)) {
		stack_part_put(&folds->text, folds->trace, &stack, &part,
			       folds->form);
		err = path_take(folds, path);
	}
	end = stack_end_name(stack.end);
	if (!err && end) {
		output_puts(&folds->text, end);
		err = path_take(folds, path);
	}
	path_reverse(path, begin);
	return err;
}

/* The program has called the kernel. */
static int path_make(struct folds *folds, const struct stack_key *key,
		     struct path *path)
{
	int err;

	path->nr = 0;
	comm_put(&folds->text, key->comm);
	err = path_take(folds, path);
	if (!err && key->user)
		err = path_stack(folds, key->user_id, path);
	if (!err && key->kernel)
		err = path_stack(folds, key->kernel_id, path);
	return err;
}

/* The fold with these frames; it is made if it is new.  NULL: out of memory. */
static struct fold *path_fold(struct folds *folds, const struct path *path)
{
	size_t size = path->nr * sizeof(path->frames[0]);
	uint64_t hash = table_hash((const char *)path->frames, size);
	struct table_slot *slot = NULL;
	struct fold *fold;

	while ((slot = table_next(&folds->paths, hash, slot))) {
		fold = slot->value;
		if (fold->nr == path->nr &&
		    !memcmp(fold->frames, path->frames, size))
			return fold;
	}
	fold = calloc(1, sizeof(*fold) + size);
	if (!fold || table_add(&folds->paths, hash, fold)) {
		free(fold);
		return NULL;
	}
	fold->nr = path->nr;
	memcpy(fold->frames, path->frames, size);
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
	struct path path;
	int err = path_make(folds, like, &path);

	if (err)
		return err;
	like->fold = path_fold(folds, &path);
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
	folds->stacks = (struct table){0};
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
	while ((fold = table_each(&folds->paths, &at))) {
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

int fold_compare_frames(const void *a, const void *b, void *data)
{
	const struct fold *x = *(struct fold *const *)a;
	const struct fold *y = *(struct fold *const *)b;
	const struct folds *folds = data;
	uint32_t i = 0;

	while (i < x->nr && i < y->nr && x->frames[i] == y->frames[i])
		i++;
	if (i < x->nr && i < y->nr)
		return strcmp(folds->name[x->frames[i]],
			      folds->name[y->frames[i]]);
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
	struct fold **sorted = calloc(folds->paths.nr + 1, sizeof(*sorted));
	size_t at = 0;

	*nr = 0;
	if (!sorted) {
		no_memory();
		return NULL;
	}
	while ((sorted[*nr] = table_each(&folds->paths, &at)))
		*nr += sorted[*nr]->events || sorted[*nr]->before.events;
	qsort_r(sorted, *nr, sizeof(*sorted), compare, (void *)folds);
	return sorted;
}

void folds_clear(struct folds *folds)
{
	struct fold *fold;
	size_t at = 0;
	void *value;

	while ((fold = table_each(&folds->paths, &at))) {
		histogram_free(&fold->weights);
		free(fold);
	}
	stacks_clear(folds);
	for (at = 0; (value = table_each(&folds->names, &at));)
		free(value);
	table_free(&folds->paths);
	table_free(&folds->names);
	off_cpu_free(&folds->off);
	kinds_free(&folds->kinds);
	free(folds->name);
	folds->name = NULL;
	folds->nr_names = folds->room_names = 0;
	folds->events = folds->weight = 0;
	folds->compares = false;
}

void folds_free(struct folds *folds)
{
	folds_clear(folds);
	output_destroy(&folds->text);
}
