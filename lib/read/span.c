// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Spans: pairs the begins and ends that the table (span_rule.c) defines.
 *
 * Each span has an owner: a thread, a CPU, the thread that has a CPU, or a
 * request.  An owner exists while it has open spans.  They are a stack, the
 * innermost last.  An end belongs to the innermost span of its lane that it
 * matches.  The spans of that lane inside it are dropped, because their ends
 * are missing.
 *
 *	owner	thread 812	| read | work | inner |
 *				  call   marker marker
 *
 * Here an end of `work' drops `inner', which has no end.
 *
 * After a loss only those spans are kept that cannot have ended in the gap:
 * those of threads that have run on another CPU all the time, and interrupts of
 * other CPUs.  A cursor delivers a loss at the end of the gap.  So if a pair is
 * complete before that, it is checked when it ends (span_is_certain).
 *
 * A trace may be made to cost time.  So the cost of an event does not depend on the
 * number of open spans: the hash of the owners cannot be predicted, a loss looks
 * only at the owners that it concerns and at one for each stream, and all that is
 * searched is limited.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "span_owner.h"

/* Per owner; more than programs nest.  Then the outermost is dropped. */
#define DEPTH_MAX 256
/* Completions of requests may be missing, so the oldest is dropped. */
#define REQUESTS_MAX 65536
/* The same for owners in the middle of an exec, and for all owners with open spans. */
#define EXECS_MAX 256
#define OPEN_MAX  (1u << 20)

/* ---- what has gone -------------------------------------------------------- */

static void owner_die(struct ktrace_spans *spans, struct span_owner *owner)
{
	while (owner->nr)
		open_drop(spans, owner, owner->nr - 1,
			  &counts_of(spans, owner, owner->nr - 1)->died);
	owner_put(spans, owner);
}

void ktrace_spans_exit(struct ktrace_spans *spans, uint32_t tid)
{
	const uint64_t id[SPAN_KEYS] = {tid};
	struct span_owner *owner = owner_find(spans, KTRACE_SPAN_OF_THREAD, id);

	if (owner)
		owner_die(spans, owner);
	for (uint32_t i = 0; i < spans->nr_users; i++) {
		owner = owner_of_user(spans, tid, i);
		if (owner)
			owner_die(spans, owner);
	}
}

/* If more threads have ended than the ring holds: checks all owners. */
static void threads_sweep(struct ktrace_spans *spans, const struct tasks *tasks)
{
	struct span_owner *owner, *next;

	for (uint32_t i = 0; i <= SPAN_USERS + 1; i++) {
		enum owner_list which = i ? IN_PROGRAMS : IN_KERNEL;

		owner = i ? spans->programs[i - 1].oldest
			  : spans->lists[IN_KERNEL].oldest;
		for (; owner; owner = next) {
			next = owner->links[which].newer;
			if (owner->kind == KTRACE_SPAN_OF_THREAD &&
			    tasks_is_dead(tasks, owner->id[0]))
				owner_die(spans, owner);
		}
	}
}

/* Handles the threads that have ended since the last event. */
static void threads_end(struct ktrace_spans *spans)
{
	const struct tasks *tasks = cursor_tasks(spans->cursor);

	if (tasks->deaths - spans->deaths > TASKS_DEAD) {
		threads_sweep(spans, tasks);
		spans->deaths = tasks->deaths;
	}
	for (; spans->deaths != tasks->deaths; spans->deaths++)
		ktrace_spans_exit(spans,
				  tasks->dead[spans->deaths % TASKS_DEAD]);
}

/* ---- names ---------------------------------------------------------------- */

static void name_copy(char *name, const void *text, size_t size)
{
	if (size >= NAME_ROOM)
		size = NAME_ROOM - 1;
	memcpy(name, text, size);
	name[size] = '\0';
}

static void name_of_value(char *name, const struct ktrace_field *field,
			  uint64_t value)
{
	for (uint32_t i = 0; field->names && i < field->names->count; i++) {
		const struct ktrace_name *known = &field->names->names[i];

		if (known->value == value) {
			name_copy(name, known->name, strlen(known->name));
			return;
		}
	}
	snprintf(name, NAME_ROOM, "%s %" PRIu64, field->name, value);
}

static void name_make(struct open_span *open, const struct span_role *role,
		      const struct ktrace_event *event)
{
	const struct ktrace_field *field = role->name;
	const uint8_t *text;
	size_t size;

	if (open->lane == LANE_RUN)
		strcpy(open->name, open->keys[0] ? "on CPU" : "idle");
	else if (open->lane == LANE_RAW_CALL)
		snprintf(open->name, NAME_ROOM, "syscall_%#" PRIx64,
			 open->keys[0]);
	else if (!field)
		name_copy(open->name, role->text ? role->text : "",
			  role->text_size);
	else if (field->kind <= KTRACE_POINTER)
		name_of_value(open->name, field,
			      ktrace_field_int(event, field));
	else {
		text = ktrace_field_bytes(event, field, &size);
		/* A char array may have a NUL, but its type is not a string. */
		size = strnlen((const char *)text, size);
		name_copy(open->name, text, size);
	}
}

/* ---- begins --------------------------------------------------------------- */

static void keys_read(uint64_t keys[SPAN_KEYS],
		      const struct ktrace_field *const fields[SPAN_KEYS],
		      const struct ktrace_event *event)
{
	for (int i = 0; i < SPAN_KEYS; i++)
		keys[i] = fields[i] ? ktrace_field_int(event, fields[i]) : 0;
}

/*
 * The owner of the event's spans, or NULL.  If the tid now belongs to a thread
 * of another process, the old thread's spans have ended with it.
 */
static struct span_owner *owner_of(struct ktrace_spans *spans,
				   enum ktrace_span_owner kind,
				   const uint64_t id[SPAN_KEYS],
				   const struct ktrace_event *event)
{
	struct span_owner *owner = owner_find(spans, kind, id);

	if (!owner || kind != KTRACE_SPAN_OF_THREAD || !owner->tgid ||
	    !event->tgid || owner->tgid == event->tgid)
		return owner;
	owner_die(spans, owner);
	return NULL;
}

/*
 * Drops what cannot be open any more when a span of @role begins: the previous
 * call of the thread, or the same interrupt, which cannot interrupt itself, and
 * all inside it.
 */
static void owner_make_way(struct ktrace_spans *spans, struct span_owner *owner,
			   const struct span_role *role,
			   const uint64_t keys[SPAN_KEYS])
{
	const struct span_rule *rule = role->begin;
	uint32_t first = owner->nr, i;

	for (i = 0; i < owner->nr && first == owner->nr; i++) {
		const struct open_span *open = &owner->open[i];

		if (open->lane != rule->lane)
			continue;
		if (rule->single || (rule->owner == KTRACE_SPAN_OF_CPU &&
				     open->type == role->type->number &&
				     open->keys[0] == keys[0]))
			first = i;
	}
	for (i = owner->nr; i-- > first;) {
		if (owner->open[i].lane == rule->lane)
			open_drop(spans, owner, i,
				  &counts_of(spans, owner, i)->unended);
	}
}

/*
 * There is a second request with the same key, so completions cannot be
 * assigned.
 */
static void request_make_ambiguous(struct ktrace_spans *spans,
				   struct span_owner *owner)
{
	while (owner->nr) {
		open_drop(spans, owner, owner->nr - 1,
			  &spans->counts[KTRACE_SPAN_BLOCK].unended);
		owner->ambiguous++;
	}
	spans->counts[KTRACE_SPAN_BLOCK].unended++;
	owner->ambiguous++;
	owner_relist(spans, owner, IN_KERNEL);
}

static void owner_give_up(struct ktrace_spans *spans, struct span_owner *owner)
{
	while (owner->nr)
		open_drop(spans, owner, owner->nr - 1,
			  &counts_of(spans, owner, owner->nr - 1)->unended);
	owner->ambiguous = 0;
	owner_put(spans, owner);
}

/* Of whom there are most: so nobody can use up the room for the spans of others. */
static void oldest_give_up(struct ktrace_spans *spans)
{
	const struct span_list *most = &spans->lists[IN_KERNEL];

	for (uint32_t i = 0; i <= spans->nr_users; i++)
		if (spans->programs[i].nr_open > most->nr_open)
			most = &spans->programs[i];
	owner_give_up(spans, most->oldest);
}

/* After an exec the owner may continue with another thread number: see exec_find(). */
static void exec_note(struct ktrace_spans *spans, struct span_owner *owner,
		      const struct span_role *role,
		      const struct ktrace_event *event)
{
	if (role->begin->lane != LANE_CALL || !span_role_is_exec(role) ||
	    event->tid == event->tgid)
		return;
	list_unlink(spans, owner, IN_EXECS);
	if (spans->lists[IN_EXECS].nr == EXECS_MAX)
		list_unlink(spans, spans->lists[IN_EXECS].oldest, IN_EXECS);
	list_link(spans, owner, IN_EXECS);
}

/* Room for one more span.  NULL: out of memory. */
static struct open_span *owner_push(struct ktrace_spans *spans,
				    struct span_owner *owner)
{
	struct open_span *more;

	if (owner->nr == DEPTH_MAX)
		open_drop(spans, owner, 0,
			  &counts_of(spans, owner, 0)->unended);
	if (owner->nr == owner->room) {
		uint32_t room = owner->room ? owner->room * 2 : 1;

		more = realloc(owner->open, room * sizeof(*more));
		if (!more)
			return NULL;
		owner->open = more;
		owner->room = room;
	}
	more = &owner->open[owner->nr];
	memset(more, 0, sizeof(*more));
	return more;
}

/* Of a new span. */
static uint32_t depth_of(const struct ktrace_spans *spans,
			 const struct span_owner *owner)
{
	uint32_t depth = owner->nr;

	for (uint32_t i = 0; spans->hidden_counts.open && i < owner->nr; i++)
		depth -= owner->open[i].hidden;
	return depth;
}

static void open_fill(struct ktrace_spans *spans, struct span_owner *owner,
		      struct open_span *open, const struct span_role *role,
		      const struct ktrace_event *event,
		      const uint64_t keys[SPAN_KEYS])
{
	open->span = (struct ktrace_span){
		.kind = role->begin->kind,
		.owner = role->begin->owner,
		.begin = event->time,
		.begin_cpu = event->cpu,
		.tid = event->tid,
		.tgid = event->tgid,
		.depth = depth_of(spans, owner),
		.type = event->type,
	};
	open->type = role->type->number;
	open->lane = role->begin->lane;
	open->serial = ++spans->serial;
	pauses_begin(spans, owner, open, event);
	memcpy(open->keys, keys, sizeof(open->keys));
	if (spans->cursor)
		open->place = cursor_place(spans->cursor);
	name_make(open, role, event);
	snprintf(open->comm, sizeof(open->comm), "%s", event->comm);
}

static bool begins_again(const struct span_owner *owner,
			 const struct span_role *role,
			 const uint64_t keys[SPAN_KEYS])
{
	for (uint32_t i = owner->nr; i-- > 0;) {
		const struct open_span *open = &owner->open[i];

		if (open->type == role->type->number &&
		    !memcmp(open->keys, keys, sizeof(open->keys)))
			return true;
	}
	return false;
}

static int span_begin(struct ktrace_spans *spans, const struct span_role *role,
		      const struct ktrace_event *event)
{
	const struct span_rule *rule = role->begin;
	uint64_t keys[SPAN_KEYS], id[SPAN_KEYS];
	struct span_owner *owner;
	struct open_span *open;

	if (spans->nr_open >= OPEN_MAX)
		oldest_give_up(spans);
	keys_read(keys, role->begin_keys, event);
	owner_id(id, rule->owner, event, keys);
	owner = owner_of(spans, rule->owner, id, event);
	if (owner && rule->again && begins_again(owner, role, keys))
		return 0;
	if (owner && rule->owner == KTRACE_SPAN_OF_REQUEST) {
		request_make_ambiguous(spans, owner);
		return 0;
	}
	if (!owner && rule->owner == KTRACE_SPAN_OF_REQUEST &&
	    spans->lists[IN_REQUESTS].nr == REQUESTS_MAX)
		owner_give_up(spans, spans->lists[IN_REQUESTS].oldest);
	if (!owner)
		owner = owner_create(spans, rule->owner, id);
	if (!owner)
		return error_set(-ENOMEM, "out of memory");
	owner_make_way(spans, owner, role, keys);
	open = owner_push(spans, owner);
	if (!open) {
		owner_put(spans, owner);
		return error_set(-ENOMEM, "out of memory");
	}
	open_fill(spans, owner, open, role, event, keys);
	scope_enter(spans, owner, open, role, event);
	open_add(spans, owner);
	owner->tgid = event->tgid ? event->tgid : owner->tgid;
	if (open->hidden)
		return 0;
	spans->begun = open;
	if (span_kind_is_frame(rule->kind))
		spans->caller = frame_around(spans, event, open);
	exec_note(spans, owner, role, event);
	return KTRACE_SPAN_BEGINS;
}

/* ---- ends ----------------------------------------------------------------- */

static bool open_fits(const struct ktrace_spans *spans,
		      const struct open_span *open,
		      const struct span_role *role,
		      const uint64_t keys[SPAN_KEYS])
{
	return open->lane == role->end->lane &&
	       span_text_same(open->lane, &spans->roles[open->type], role) &&
	       !memcmp(open->keys, keys, sizeof(open->keys));
}

/* The innermost span that the end matches; owner->nr: none. */
static uint32_t open_find(const struct ktrace_spans *spans,
			  const struct span_owner *owner,
			  const struct span_role *role,
			  const uint64_t keys[SPAN_KEYS])
{
	for (uint32_t i = owner->nr; i-- > 0;) {
		if (open_fits(spans, &owner->open[i], role, keys))
			return i;
	}
	return owner->nr;
}

/*
 * Is it certain that no other end was lost since the begin?  A gap that is
 * still open counts, because its content is not known.
 */
static bool span_is_certain(const struct ktrace_spans *spans,
			    const struct open_span *open)
{
	switch (open->span.owner) {
	case KTRACE_SPAN_OF_CPU:
	case KTRACE_SPAN_OF_RUN:
		return true;
	case KTRACE_SPAN_OF_THREAD:
		if (!spans->cursor ||
		    cursor_runs_on(spans->cursor, &open->place))
			return true;
		break;
	default:
		if (!spans->cursor)
			return true;
	}
	return !cursor_is_losing(spans->cursor, &open->place);
}

/*
 * After an exec a thread has the tid of its process, whoever had that tid
 * before.
 */
static struct span_owner *exec_find(const struct ktrace_spans *spans,
				    const struct span_role *role,
				    const struct ktrace_event *event)
{
	static const uint64_t keys[SPAN_KEYS];

	if (role->end->lane != LANE_CALL || !span_role_is_exec(role) ||
	    event->tid != event->tgid)
		return NULL;
	for (struct span_owner *owner = spans->lists[IN_EXECS].oldest; owner;
	     owner = owner->links[IN_EXECS].newer) {
		if (owner->tgid == event->tgid &&
		    open_find(spans, owner, role, keys) != owner->nr)
			return owner;
	}
	return NULL;
}

/*
 * Ends a span: it is returned unless @voids or a loss prevents it.  Spans of
 * the lane inside it have no end: they are dropped.
 */
static int owner_end(struct ktrace_spans *spans, struct span_owner *owner,
		     uint32_t i, const struct span_role *role,
		     const struct ktrace_event *event)
{
	bool voids = role->end->voids;
	struct open_span *open = &owner->open[i];
	struct ktrace_span_counts *counts = counts_of(spans, owner, i);
	int err = 0;

	for (uint32_t inner = owner->nr; --inner > i;) {
		if (owner->open[inner].lane == open->lane)
			open_drop(spans, owner, inner,
				  &counts_of(spans, owner, inner)->unended);
	}
	spans->hidden = open->hidden;
	if (open->hidden) {
		open_drop(spans, owner, i, &counts->ended);
		return 0;
	}
	if (voids || !span_is_certain(spans, open)) {
		open_drop(spans, owner, i,
			  voids ? &counts->unended : &counts->lost);
		return 0;
	}
	open->span.end = event->time;
	open->span.end_cpu = event->cpu;
	pauses_end(spans, owner, open, event);
	if (span_kind_is_frame(open->span.kind))
		err = frame_end(spans, open, role, event);
	if (err)
		return err;
	spans->ended = *open;
	open_drop(spans, owner, i, &counts->ended);
	open = &spans->ended;
	if (open->lane == LANE_RUN) {
		/*
		 * The span's thread is the one that leaves the CPU, not the one
		 * of the begin event.
		 */
		open->span.tid = event->tid;
		open->span.tgid = event->tgid;
		snprintf(open->comm, sizeof(open->comm), "%s", event->comm);
	}
	open->span.name = open->name;
	open->span.comm = open->comm;
	return KTRACE_SPAN_ENDS;
}

/* The event tells all of a span. */
static int span_whole(struct ktrace_spans *spans, const struct span_role *role,
		      const struct ktrace_event *event)
{
	const struct span_rule *rule = role->end;
	uint64_t keys[SPAN_KEYS] = {0}, id[SPAN_KEYS], took;
	struct open_span *ended = &spans->ended;
	const struct span_owner *owner;
	int err;

	owner_id(id, rule->owner, event, keys);
	owner = owner_of(spans, rule->owner, id, event);
	took = ktrace_field_int(event, role->took);
	*ended = (struct open_span){.type = role->type->number,
				    .lane = rule->lane};
	ended->span = (struct ktrace_span){
		.kind = rule->kind,
		.owner = rule->owner,
		.begin = took < event->time ? event->time - took : 0,
		.end = event->time,
		.begin_cpu = event->cpu,
		.end_cpu = event->cpu,
		.tid = event->tid,
		.tgid = event->tgid,
		.depth = owner ? depth_of(spans, owner) : 0,
		.type = event->type,
	};
	ended->span.took = ended->span.end - ended->span.begin;
	ended->serial = ++spans->serial;
	scope_enter(spans, owner, ended, role, event);
	if (ended->hidden)
		return 0;
	err = frame_whole(spans, ended, role, event);
	if (err)
		return err;
	name_make(ended, role, event);
	snprintf(ended->comm, sizeof(ended->comm), "%s", event->comm);
	ended->span.name = ended->name;
	ended->span.comm = ended->comm;
	spans->counts[rule->kind].ended++;
	return KTRACE_SPAN_ENDS;
}

static int span_end(struct ktrace_spans *spans, const struct span_role *role,
		    const struct ktrace_event *event)
{
	const struct span_rule *rule = role->end;
	uint64_t keys[SPAN_KEYS], id[SPAN_KEYS];
	struct span_owner *owner, *other;
	uint32_t i = 0;
	int step = 0;

	keys_read(keys, role->end_keys, event);
	owner_id(id, rule->owner, event, keys);
	owner = owner_of(spans, rule->owner, id, event);
	if (owner && owner->ambiguous) {
		owner->ambiguous--;
		owner_put(spans, owner);
		return 0;
	}
	if (owner)
		i = open_find(spans, owner, role, keys);
	if (!owner || i == owner->nr) {
		other = exec_find(spans, role, event);
		if (!other) {
			spans->counts[rule->kind].unbegun += !rule->voids;
			/* What was around it is not known. */
			spans->hidden = spans->scope.part &&
					rule->kind == KTRACE_SPAN_FUNCTION;
			return 0;
		}
		if (owner)
			owner_die(spans, owner);
		owner = other;
		i = open_find(spans, owner, role, keys);
	}
	step = owner_end(spans, owner, i, role, event);
	owner_put(spans, owner);
	return step;
}

/* ---- events --------------------------------------------------------------- */

static bool role_has_part(const struct ktrace_spans *spans,
			  const struct span_role *role)
{
	const struct span_rule *rule = role->begin ?: role->end;

	return spans->scope.part && rule &&
	       (rule->kind == KTRACE_SPAN_FUNCTION ||
		(rule->kind == KTRACE_SPAN_SYSCALL && spans->scope.within));
}

/* NULL: out of memory. */
static const struct span_role *role_get(struct ktrace_spans *spans,
					const struct ktrace_type *type)
{
	struct span_role *role;

	if (type->number >= spans->nr_roles) {
		size_t nr = type->number + 256;
		struct span_role *roles =
			realloc(spans->roles, nr * sizeof(*roles));

		if (!roles)
			return NULL;
		memset(roles + spans->nr_roles, 0,
		       (nr - spans->nr_roles) * sizeof(*roles));
		spans->roles = roles;
		spans->nr_roles = nr;
	}
	role = &spans->roles[type->number];
	if (role->type == type)
		return role;
	span_role_find(role, type);
	if (type->marker)
		user_note(spans, type->user);
	if (role_has_part(spans, role))
		role->part = spans->scope.part(type, spans->scope.data);
	return role;
}

int ktrace_spans_event(struct ktrace_spans *spans,
		       const struct ktrace_event *event)
{
	const struct span_role *role = role_get(spans, event->type);
	int step = 0, begun = 0;

	if (!role)
		return error_set(-ENOMEM, "out of memory");
	spans->begun = spans->caller = NULL;
	spans->hidden = false;
	if (spans->cursor &&
	    spans->deaths != cursor_tasks(spans->cursor)->deaths)
		threads_end(spans);
	if (!role->begin && !role->end && !role->exits)
		return 0;
	if (role->exits)
		ktrace_spans_exit(spans, event->tid);
	if (role->took)
		step = span_whole(spans, role, event);
	else if (role->end)
		step = span_end(spans, role, event);
	if (role->begin)
		begun = span_begin(spans, role, event);
	return begun < 0 ? begun : step | begun;
}

const struct ktrace_span *ktrace_spans_ended(const struct ktrace_spans *spans)
{
	return &spans->ended.span;
}

static const struct ktrace_span *open_show(struct open_span *open)
{
	if (!open)
		return NULL;
	open->span.name = open->name;
	open->span.comm = open->comm;
	return &open->span;
}

const struct ktrace_span *ktrace_spans_begun(const struct ktrace_spans *spans)
{
	return open_show(spans->begun);
}

const struct ktrace_span *ktrace_spans_caller(const struct ktrace_spans *spans)
{
	return open_show(spans->caller);
}

void ktrace_spans_keep(struct ktrace_spans *spans, void *data)
{
	if (spans->begun)
		spans->begun->span.data = data;
}

/* @owner: NULL: there is none. */
static uint32_t owner_open(const struct span_owner *owner,
			   const struct ktrace_event *event,
			   enum ktrace_span_kind kind)
{
	uint32_t nr = 0;

	/* A thread of another process had this number: see owner_of(). */
	if (!owner || (owner->kind == KTRACE_SPAN_OF_THREAD && owner->tgid &&
		       event->tgid && owner->tgid != event->tgid))
		return 0;
	for (uint32_t i = 0; i < owner->nr; i++)
		nr += owner->open[i].span.kind == kind &&
		      !owner->open[i].hidden;
	return nr;
}

uint32_t ktrace_spans_open(const struct ktrace_spans *spans,
			   const struct ktrace_event *event,
			   enum ktrace_span_kind kind)
{
	bool interrupt = kind == KTRACE_SPAN_IRQ || kind == KTRACE_SPAN_SOFTIRQ;
	enum ktrace_span_owner of =
		interrupt ? KTRACE_SPAN_OF_CPU : KTRACE_SPAN_OF_THREAD;
	uint64_t id[SPAN_KEYS];
	uint32_t nr;

	owner_id_kernel(id, of, event);
	nr = owner_open(owner_find(spans, of, id), event, kind);
	/* A marker's are those of its own user. */
	for (uint32_t i = 0; kind == KTRACE_SPAN_MARKER && i < spans->nr_users;
	     i++)
		if (!event->type->marker ||
		    spans->users[i] == event->type->user)
			nr += owner_open(owner_of_user(spans, event->tid, i),
					 event, kind);
	return nr;
}

const struct ktrace_span_counts *ktrace_spans_counts(
	const struct ktrace_spans *spans, enum ktrace_span_kind kind)
{
	return &spans->counts[kind];
}

int ktrace_spans_create(const struct ktrace_cursor *cursor,
			struct ktrace_spans **result)
{
	struct ktrace_spans *spans = calloc(1, sizeof(*spans));

	if (!spans)
		return error_set(-ENOMEM, "out of memory");
	spans->cursor = cursor;
	if (cursor)
		spans->deaths = cursor_tasks(cursor)->deaths;
	owners_init(spans);
	*result = spans;
	return 0;
}

void ktrace_spans_destroy(struct ktrace_spans *spans)
{
	if (!spans)
		return;
	owners_destroy(spans);
	frames_destroy(spans);
	free(spans->roles);
	free(spans);
}

const char *ktrace_span_kind_name(unsigned int kind)
{
	static const char *const names[KTRACE_SPAN_NR] = {
		[KTRACE_SPAN_SYSCALL] = "syscall",
		[KTRACE_SPAN_IRQ] = "irq",
		[KTRACE_SPAN_SOFTIRQ] = "softirq",
		[KTRACE_SPAN_CPU] = "cpu",
		[KTRACE_SPAN_BLOCK] = "block",
		[KTRACE_SPAN_MARKER] = "marker",
		[KTRACE_SPAN_FUNCTION] = "function",
	};

	return kind < KTRACE_SPAN_NR ? names[kind] : NULL;
}
