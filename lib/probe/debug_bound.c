// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Bounds of types: debug_bound.h.
 *
 * A struct may lead to itself by a pointer.  So there are two ways on which no type may come back:
 * one goes over pointers and ends at structs, as a type's name is written; the other one goes into
 * structs and ends at pointers, as sizes are computed.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "debug_bound.h"

/* Each step of a way may be a call. */
#define DEPTH_MAX 512
/* Members of members and so on, each as often as it is there.  No program has a struct of as many. */
#define PARTS_MAX (1 << 18)

enum way {
	BY_NAME,
	BY_CONTENT,
};

/* Of one type. */
struct debug_bound {
	uint16_t depths[2]; /* of each way */
	uint32_t parts;
};

/* The number of the @index-th type to which this way leads from @t.  NULL: there are no more. */
static __u32 *way_next(struct btf_type *t, __u32 index, enum way way)
{
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		return way == BY_NAME && !index ? &t->type : NULL;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
		return index ? NULL : &t->type;
	case BTF_KIND_ARRAY:
		return index ? NULL : &btf_array(t)->type;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return way == BY_CONTENT && index < btf_vlen(t)
			       ? &btf_members(t)[index].type
			       : NULL;
	default:
		return NULL;
	}
}

/* @t has this one, too.  False: that is too much. */
static bool bound_add(struct debug_bound *t, const struct debug_bound *has,
		      enum way way)
{
	if (has->depths[way] >= DEPTH_MAX)
		return false;
	if (way == BY_CONTENT && t->parts + has->parts + 1 > PARTS_MAX)
		return false;
	if (way == BY_CONTENT)
		t->parts += has->parts + 1;
	if (t->depths[way] <= has->depths[way])
		t->depths[way] = has->depths[way] + 1;
	return true;
}

struct step {
	__u32 type;
	__u32 index; /* of the type that is next */
};

enum state {
	NEW,
	OPEN, /* it is on the way */
	DONE,
};

struct walk {
	struct debug_code *code;
	__u32 first, end; /* the types that are new */
	struct step *steps;
	size_t nr;
	uint8_t *states; /* enum state, of each new one */
};

static void step_push(struct walk *w, __u32 type)
{
	w->states[type - w->first] = OPEN;
	w->steps[w->nr++] = (struct step){.type = type};
}

/* One more step from the last type on the way. */
static void step_take(struct walk *w, enum way way)
{
	struct step *last = &w->steps[w->nr - 1];
	const struct btf_type *t = btf__type_by_id(w->code->btf, last->type);
	struct debug_bound *bounds = w->code->bounds;
	__u32 *to = way_next((struct btf_type *)t, last->index, way);

	if (!to) {
		w->states[last->type - w->first] = DONE;
		w->nr--;
		return;
	}
	if (*to >= w->first && *to < w->end &&
	    w->states[*to - w->first] == NEW) {
		step_push(w, *to);
		return;
	}
	last->index++;
	if (*to >= w->end ||
	    (*to >= w->first && w->states[*to - w->first] == OPEN) ||
	    (*to && !bound_add(&bounds[last->type], &bounds[*to], way)))
		*to = 0;
}

static void way_walk(struct walk *w, enum way way)
{
	for (__u32 i = 0; i < w->end - w->first; i++)
		w->states[i] = NEW;
	for (__u32 id = w->first; id < w->end; id++) {
		if (w->states[id - w->first] == NEW)
			step_push(w, id);
		while (w->nr)
			step_take(w, way);
	}
}

int debug_types_bound(struct debug_code *code)
{
	struct walk w = {
		.code = code,
		.first = code->nr_bounds,
		.end = btf__type_cnt(code->btf),
	};
	struct debug_bound *more;
	size_t nr = w.end - w.first;

	if (!nr)
		return 0;
	w.steps = calloc(nr, sizeof(*w.steps));
	w.states = calloc(nr, 1);
	for (; w.steps && w.states && code->nr_bounds < w.end;
	     code->nr_bounds++) {
		more = array_grow(code->bounds, code->nr_bounds, sizeof(*more));
		if (!more)
			break;
		code->bounds = more;
		more[code->nr_bounds] = (struct debug_bound){0};
	}
	if (code->nr_bounds == w.end) {
		way_walk(&w, BY_NAME);
		way_walk(&w, BY_CONTENT);
	} else {
		code->nr_bounds = w.first;
	}
	free(w.steps);
	free(w.states);
	return code->nr_bounds == w.end ? 0 : -ENOMEM;
}
