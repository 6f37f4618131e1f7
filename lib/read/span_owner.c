// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "span_owner.h"

/* Nobody who makes a trace knows which ids have the same. */
static uint64_t owner_number(const struct ktrace_spans *spans,
			     enum ktrace_span_owner kind, const uint64_t *id)
{
	uint64_t number = (id[0] ^ kind) * spans->seed[0];

	number = ((number ^ number >> 32) + id[1]) * spans->seed[1];
	return number ^ number >> 29;
}

struct span_owner *owner_find(const struct ktrace_spans *spans,
			      enum ktrace_span_owner kind, const uint64_t *id)
{
	uint64_t number = owner_number(spans, kind, id);
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&spans->owners, number, slot))) {
		struct span_owner *owner = slot->value;

		if (owner->kind == kind && owner->id[0] == id[0] &&
		    owner->id[1] == id[1])
			return owner;
	}
	return NULL;
}

/* More than any CPU's number, so no thread of the kernel has it. */
static uint64_t user_key(uint32_t user)
{
	return 1ull << 32 | user;
}

void user_note(struct ktrace_spans *spans, uint32_t user)
{
	for (uint32_t i = 0; i < spans->nr_users; i++)
		if (spans->users[i] == user)
			return;
	if (spans->nr_users < SPAN_USERS)
		spans->users[spans->nr_users++] = user;
}

struct span_owner *owner_of_user(const struct ktrace_spans *spans, uint32_t tid,
				 uint32_t i)
{
	const uint64_t id[SPAN_KEYS] = {tid, user_key(spans->users[i])};

	return owner_find(spans, KTRACE_SPAN_OF_THREAD, id);
}

void owner_id_kernel(uint64_t id[SPAN_KEYS], enum ktrace_span_owner kind,
		     const struct ktrace_event *event)
{
	id[0] = kind == KTRACE_SPAN_OF_THREAD ? event->tid : event->cpu;
	/* Each CPU has its own idle thread, and all have the number 0. */
	id[1] = kind == KTRACE_SPAN_OF_THREAD && !event->tid ? event->cpu : 0;
}

void owner_id(uint64_t id[SPAN_KEYS], enum ktrace_span_owner kind,
	      const struct ktrace_event *event, const uint64_t keys[SPAN_KEYS])
{
	owner_id_kernel(id, kind, event);
	if (kind == KTRACE_SPAN_OF_THREAD && event->type->marker)
		id[1] = user_key(event->type->user);
	if (kind == KTRACE_SPAN_OF_REQUEST)
		memcpy(id, keys, SPAN_KEYS * sizeof(*id));
}

struct span_list *list_of(struct ktrace_spans *spans,
			  const struct span_owner *owner, enum owner_list list)
{
	return list == IN_PROGRAMS ? &spans->programs[owner->slot]
				   : &spans->lists[list];
}

void list_link(struct ktrace_spans *spans, struct span_owner *owner,
	       enum owner_list which)
{
	struct span_list *list = list_of(spans, owner, which);
	struct span_owner *newest = list->newest;

	owner->links[which].in = true;
	owner->links[which].older = newest;
	owner->links[which].newer = NULL;
	if (newest)
		newest->links[which].newer = owner;
	else
		list->oldest = owner;
	list->newest = owner;
	list->nr++;
}

void list_unlink(struct ktrace_spans *spans, struct span_owner *owner,
		 enum owner_list which)
{
	struct span_list *list = list_of(spans, owner, which);
	struct span_owner *older = owner->links[which].older;
	struct span_owner *newer = owner->links[which].newer;

	if (!owner->links[which].in)
		return;
	owner->links[which].in = false;
	if (older)
		older->links[which].newer = newer;
	else
		list->oldest = newer;
	if (newer)
		newer->links[which].older = older;
	else
		list->newest = older;
	list->nr--;
}

void owner_relist(struct ktrace_spans *spans, struct span_owner *owner,
		  enum owner_list list)
{
	bool holds =
		owner->held[list] || (list == IN_KERNEL && owner->ambiguous);

	if (holds && !owner->links[list].in)
		list_link(spans, owner, list);
	else if (!holds)
		list_unlink(spans, owner, list);
}

static uint32_t slot_of(const struct ktrace_spans *spans,
			const struct span_owner *owner)
{
	for (uint32_t i = 0;
	     owner->kind == KTRACE_SPAN_OF_THREAD && i < spans->nr_users; i++)
		if (owner->id[1] == user_key(spans->users[i]))
			return i + 1;
	return 0;
}

struct span_owner *owner_create(struct ktrace_spans *spans,
				enum ktrace_span_owner kind, const uint64_t *id)
{
	struct span_owner *owner = calloc(1, sizeof(*owner));

	if (!owner)
		return NULL;
	if (table_add(&spans->owners, owner_number(spans, kind, id), owner)) {
		free(owner);
		return NULL;
	}
	owner->kind = kind;
	memcpy(owner->id, id, sizeof(owner->id));
	owner->slot = slot_of(spans, owner);
	if (kind == KTRACE_SPAN_OF_REQUEST)
		list_link(spans, owner, IN_REQUESTS);
	return owner;
}

void owner_put(struct ktrace_spans *spans, struct span_owner *owner)
{
	if (owner->nr || owner->ambiguous)
		return;
	for (enum owner_list i = 0; i < LISTS_NR; i++)
		list_unlink(spans, owner, i);
	table_remove(&spans->owners,
		     owner_number(spans, owner->kind, owner->id), owner);
	free(owner->open);
	free(owner);
}

void open_add(struct ktrace_spans *spans, struct span_owner *owner)
{
	const struct open_span *open = &owner->open[owner->nr++];

	owner->held[open->place.programs]++;
	list_of(spans, owner, open->place.programs)->nr_open++;
	owner_relist(spans, owner, open->place.programs);
	spans->nr_open++;
	counts_of(spans, owner, owner->nr - 1)->open++;
}

static void open_remove(struct span_owner *owner, uint32_t i)
{
	memmove(&owner->open[i], &owner->open[i + 1],
		(--owner->nr - i) * sizeof(*owner->open));
}

struct open_span *owner_frame(const struct span_owner *owner, uint64_t serial)
{
	for (uint32_t i = owner ? owner->nr : 0; i-- > 0;) {
		struct open_span *open = &owner->open[i];

		if (open->serial < serial && !open->hidden &&
		    span_kind_is_frame(open->span.kind))
			return open;
	}
	return NULL;
}

/* It will not be paired, but what is inside it is inside the frame around it. */
static void inside_pass(struct span_owner *owner, uint32_t i)
{
	const struct open_span *open = &owner->open[i];
	struct open_span *around;

	if (!open->inside)
		return;
	around = owner_frame(owner, open->serial);
	if (around)
		around->inside += open->inside;
}

void open_drop(struct ktrace_spans *spans, struct span_owner *owner, uint32_t i,
	       uint64_t *count)
{
	enum owner_list list = owner->open[i].place.programs;

	if (spans->dropped && count != &counts_of(spans, owner, i)->ended)
		spans->dropped(spans->dropped_data, &owner->open[i], count);
	inside_pass(owner, i);
	++*count;
	counts_of(spans, owner, i)->open--;
	spans->nr_open--;
	list_of(spans, owner, list)->nr_open--;
	owner->held[list]--;
	open_remove(owner, i);
	owner_relist(spans, owner, list);
}

void interrupts_end(struct ktrace_spans *spans, uint32_t cpu)
{
	const uint64_t id[SPAN_KEYS] = {cpu};
	struct span_owner *owner;

	if (!spans->counts[KTRACE_SPAN_IRQ].open)
		return;
	owner = owner_find(spans, KTRACE_SPAN_OF_CPU, id);
	for (uint32_t i = owner ? owner->nr : 0; i-- > 0;)
		if (owner->open[i].span.kind == KTRACE_SPAN_IRQ)
			open_drop(spans, owner, i,
				  &counts_of(spans, owner, i)->unended);
	if (owner)
		owner_put(spans, owner);
}

void owners_init(struct ktrace_spans *spans)
{
	/* Without it, what is open is found all the same. */
	if (getrandom(spans->seed, sizeof(spans->seed), GRND_NONBLOCK) < 0)
		spans->seed[0] = (uintptr_t)spans;
	for (int i = 0; i < SPAN_KEYS; i++)
		spans->seed[i] |= 1;
}

void owners_destroy(struct ktrace_spans *spans)
{
	struct span_owner *owner;
	size_t at = 0;

	while ((owner = table_each(&spans->owners, &at))) {
		free(owner->open);
		free(owner);
	}
	table_free(&spans->owners);
}
