// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See woven.h. */
#include <errno.h>
#include <inttypes.h>
#include <ktrace.h>
#include <ktrace_branch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ktrace/branch_list.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text.h"
#include "branch_stream.h"
#include "side.h"
#include "trace.h"
#include "woven.h"

/* The payload of an event. */
struct record {
	uint64_t from,
		to; /* addresses; of KT_BRANCH_LAST, `to' is the signal */
	/* As an entry KT_STACK_BRANCHES of one branch has it. */
	uint64_t frames[2];
	uint64_t kinds;
};

/* ---- types ---------------------------------------------------------------- */

/* Stamps are no events: those of the scheduler say more. */
static bool has_event(unsigned int kind)
{
	return kind && kind < KT_BRANCH_KINDS && !kt_branch_is_stamp(kind);
}

static void field_put(struct text *text, const char *name, size_t offset,
		      bool address)
{
	text_printf(text,
		    "{\"name\":\"%s\",\"ctype\":\"%s\",\"offset\":%zu,"
		    "\"size\":8,\"kind\":\"%s\",\"base\":\"%s\"}",
		    name, address ? "void *" : "u64", offset,
		    address ? "pointer" : "uint", address ? "hex" : "dec");
}

static void type_put(struct text *text, uint32_t id, unsigned int kind)
{
	text_printf(text,
		    "{\"type\":\"event\",\"id\":%u,\"system\":\"branch\","
		    "\"name\":\"%s\",\"size\":%zu,\"fields\":[",
		    id, ktrace_branch_kind_name(kind), sizeof(struct record));
	field_put(text, "from", offsetof(struct record, from), true);
	text_puts(text, ",");
	if (kind == KT_BRANCH_LAST)
		field_put(text, "signal", offsetof(struct record, to), false);
	else
		field_put(text, "to", offsetof(struct record, to), true);
	text_puts(text, "]}\n");
}

static bool has_branches(const struct ktrace *trace)
{
	return trace->nr_sides && !trace->pump && !trace->info.live;
}

/* Behind those that are in use. */
static uint32_t first_id(const struct ktrace_types *types)
{
	uint32_t first = KT_ID_FIRST;

	for (size_t i = 0; i < types->count; i++) {
		const struct ktrace_type *type = types->types[i];
		uint32_t behind = type->id + 1 + !!type->short_size;

		if (behind > first)
			first = behind;
	}
	return first;
}

int woven_types(struct ktrace *trace)
{
	struct text text = {0};
	uint32_t first;
	int err;

	if (!has_branches(trace))
		return 0;
	first = first_id(trace->types);
	if (first >= TYPE_ID_MAX - KT_BRANCH_KINDS) {
		trace_warn(trace, "branches are not shown among the events: "
				  "no number of an event is left for them "
				  "(ktrace branch -i shows them)");
		return 0;
	}
	for (unsigned int kind = 0; kind < KT_BRANCH_KINDS; kind++)
		if (has_event(kind))
			type_put(&text, first + kind, kind);
	err = text.failed ? error_set(-ENOMEM, "out of memory")
			  : metadata_read(trace, text.s, text.len);
	text_free(&text);
	if (err)
		return err;
	for (unsigned int kind = 0; kind < KT_BRANCH_KINDS; kind++) {
		struct ktrace_type *type =
			(struct ktrace_type *)ktrace_types_find(trace->types,
								first + kind);

		if (!type)
			continue;
		type->branch = true;
		trace->woven.first_id = first;
	}
	return 0;
}

/* ---- what was traced ------------------------------------------------------ */

static int stream_read(struct ktrace *trace, const struct side_stream *side)
{
	struct stat st = {0};
	uint64_t end;
	int err;

	err = branch_stream_threads(trace->woven.branches, side->fd,
				    &trace->woven.room, &end);
	if (err)
		return err;
	/* The recorder was killed before it had written any. */
	if (fstat(side->fd, &st) || (!st.st_size && !trace->info.reason))
		return 0;
	if (trace->woven.room.used_up)
		trace_warn(trace,
			   "stream%u: from byte %" PRIu64
			   " on its branches are not shown: there are more "
			   "than are read",
			   side->number, end);
	else if (end != (uint64_t)st.st_size)
		trace_warn(trace,
			   "stream%u: damaged, or cut off, at byte %" PRIu64
			   ": the branches behind it are not shown",
			   side->number, end);
	return 0;
}

/* What could not be read once is not there in part the next time. */
static int branches_read(struct ktrace *trace)
{
	struct woven *woven = &trace->woven;
	int err = 0;

	if (woven->branches)
		return woven->unread;
	woven->branches = calloc(1, sizeof(*woven->branches));
	if (!woven->branches)
		return -ENOMEM;
	woven->room = BRANCH_ROOM;
	for (size_t i = 0; !err && i < trace->nr_sides; i++)
		err = stream_read(trace, &trace->sides[i]);
	return woven->unread = err;
}

static int branches_name(struct ktrace *trace)
{
	struct woven *woven = &trace->woven;
	int err;

	if (woven->named)
		return woven->unnamed;
	woven->named = true;
	err = branches_want(woven->branches);
	for (size_t i = 0; !err && i < trace->nr_sides; i++)
		err = branch_stream_names(trace->sides[i].fd, mapped_names_take,
					  &woven->branches->names);
	return woven->unnamed = err;
}

int ktrace_trace_branches(struct ktrace *trace, struct ktrace_branches **result)
{
	int err;

	*result = NULL;
	/* More may come. */
	if (!trace->nr_sides || trace->info.live)
		return 0;
	err = branches_read(trace);
	err = err ?: branches_name(trace);
	if (err)
		return branches_out_of_memory();
	*result = trace->woven.branches;
	return 0;
}

/* ---- their times ---------------------------------------------------------- */

/* Entries of a thread between two stamps. */
struct stretch {
	uint64_t time;
	uint32_t cpu;
	uint32_t thread;
	size_t begin, end;
};

struct stretches {
	struct stretch *all;
	size_t nr;
	uint64_t timeless; /* branches without a stamp before them */
};

static int stretch_compare(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int stretch_add(struct stretches *s, const struct stretch *stretch,
		       size_t end)
{
	struct stretch *more;

	if (stretch->begin == end)
		return 0;
	if (stretch->cpu >= CPUS_MAX) {
		s->timeless += end - stretch->begin;
		return 0;
	}
	more = array_grow(s->all, s->nr, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->all = more;
	more[s->nr] = *stretch;
	more[s->nr++].end = end;
	return 0;
}

/* What happened in the kernel has the time of the stamp behind it: what the kernel did comes before it. */
static bool is_of_kernel(const struct ktrace_branches *branches,
			 uint32_t thread, size_t entry)
{
	struct ktrace_branch branch =
		ktrace_branches_get(branches, thread, entry);

	return branch.kind == KTRACE_BRANCH_LAST ||
	       branch.kind == KTRACE_BRANCH_SYSCALL ||
	       branch.kind == KTRACE_BRANCH_SENT;
}

/* What is before the first stamp happened some time before it. */
static int thread_stretch(struct stretches *s,
			  const struct ktrace_branches *branches,
			  uint32_t thread)
{
	size_t nr = branches->threads[thread].shown.nr;
	struct stretch now = {.thread = thread};
	bool timed = false, last;
	int err = 0;

	for (size_t i = 0; !err && i < nr; i++) {
		struct ktrace_branch stamp =
			ktrace_branches_get(branches, thread, i);

		if (!ktrace_branch_is_stamp(&stamp))
			continue;
		last = i > now.begin && is_of_kernel(branches, thread, i - 1);
		if (timed)
			err = stretch_add(s, &now, i - last);
		else
			s->timeless += i - last;
		timed = true;
		now.time = stamp.to;
		now.cpu = stamp.from;
		now.begin = i - last;
		err = err ?: stretch_add(s, &now, i);
		now.begin = i + 1;
	}
	if (timed)
		return err ?: stretch_add(s, &now, nr);
	s->timeless += nr;
	return err;
}

static int stretches_find(struct stretches *s,
			  const struct ktrace_branches *branches)
{
	int err = 0;

	for (size_t i = 0; !err && i < branches->nr; i++)
		err = thread_stretch(s, branches, i);
	if (!err && s->nr)
		qsort(s->all, s->nr, sizeof(*s->all), stretch_compare);
	return err;
}

/* ---- streams of packets --------------------------------------------------- */

/* A record that says which thread runs, with a short header: it follows the packet's. */
#define SWITCH_SIZE (KT_HEADER_COMPACT + sizeof(struct kt_task_switch))
#define EVENT_SIZE  (KT_HEADER_EXTENDED + sizeof(struct record))

_Static_assert(SWITCH_SIZE % 8 == 0 && EVENT_SIZE % 8 == 0,
	       "frames of a record are aligned");

struct packets {
	uint8_t *bytes;
	size_t size, room;
	size_t open; /* the packet that is being filled begins here */
	struct kt_packet head;
	uint32_t first_id;
	uint64_t max; /* of the size */
};

/* All that is made for one trace. */
#define WOVEN_MAX (2ull << 30)

/* -ENOSPC: there are too many. */
static int room_make(struct packets *p)
{
	uint8_t *more;

	if (p->size > p->max)
		return -ENOSPC;
	if (p->room - p->size >= KT_PACKET_SIZE)
		return 0;
	more = realloc(p->bytes, p->room * 2 + KT_PACKET_SIZE);
	if (!more)
		return -ENOMEM;
	p->bytes = more;
	p->room = p->room * 2 + KT_PACKET_SIZE;
	return 0;
}

static void packet_end(struct packets *p)
{
	if (!p->head.events)
		return;
	p->head.used = p->size - p->open;
	memcpy(p->bytes + p->open, &p->head, sizeof(p->head));
	p->head.seq++;
	p->head.events_before += p->head.events;
	p->head.events = 0;
}

static int packet_begin(struct packets *p, const struct stretch *stretch,
			uint32_t tid)
{
	uint32_t word = KT_ID_SWITCH | (uint32_t)stretch->time << KT_ID_BITS;
	int err = room_make(p);

	if (err)
		return err;
	p->open = p->size;
	p->head.begin = stretch->time;
	p->head.tid = tid;
	p->size += sizeof(p->head);
	memcpy(p->bytes + p->size, &word, sizeof(word));
	memcpy(p->bytes + p->size + sizeof(word), &tid, sizeof(tid));
	p->size += SWITCH_SIZE;
	return 0;
}

static void event_put(struct packets *p, unsigned int kind, uint64_t time,
		      const struct record *record)
{
	uint8_t *at = p->bytes + p->size;
	uint32_t words[] = {KT_ID_EXTENDED, p->first_id + kind};

	memcpy(at, words, sizeof(words));
	memcpy(at + sizeof(words), &time, sizeof(time));
	memcpy(at + KT_HEADER_EXTENDED, record, sizeof(*record));
	p->size += EVENT_SIZE;
	p->head.events++;
	p->head.end = time;
}

/* As frames of stacks are; an address, if it is not known what was mapped there. */
static uint64_t frame_of(struct ktrace_branches *branches,
			 const struct stretch *stretch, size_t entry, bool to)
{
	struct ktrace_branch branch =
		ktrace_branches_get(branches, stretch->thread, entry);
	uint64_t word = branches_word(branches, stretch->thread, entry, to);

	return word ?: (to ? branch.to : branch.from) & KT_FRAME_PLACE_MASK;
}

static int stretch_put(struct packets *p, struct ktrace_branches *branches,
		       const struct stretch *stretch)
{
	uint32_t tid = branches->threads[stretch->thread].shown.tid;
	int err;

	for (size_t i = stretch->begin; i < stretch->end; i++) {
		struct ktrace_branch branch =
			ktrace_branches_get(branches, stretch->thread, i);
		struct record record = {
			.from = branch.from,
			.to = branch.to,
			.frames[0] = frame_of(branches, stretch, i, false),
			.kinds = branch.kind,
		};

		if (!has_event(branch.kind))
			continue;
		if (branch.kind != KTRACE_BRANCH_LAST)
			record.frames[1] = frame_of(branches, stretch, i, true);
		if (!p->head.events || p->head.tid != tid ||
		    p->size - p->open + EVENT_SIZE > KT_PACKET_SIZE) {
			packet_end(p);
			err = packet_begin(p, stretch, tid);
			if (err)
				return err;
		}
		event_put(p, branch.kind, stretch->time, &record);
	}
	return 0;
}

/* Takes over the bytes. */
static int source_add(struct ktrace *trace, uint32_t cpu,
		      const struct packets *p)
{
	struct woven *woven = &trace->woven;
	struct stream_source *more =
		array_grow(woven->sources, woven->nr_sources, sizeof(*more));

	if (!more)
		return -ENOMEM;
	woven->sources = more;
	more += woven->nr_sources++;
	*more = (struct stream_source){
		.number = cpu,
		.cpu = cpu,
		.fd = -1,
		.data = p->bytes,
		.size = p->size,
		.woven = true,
		.sizes = {.fixed = trace->fixed,
			  .least = trace->least,
			  .nr_ids = trace->nr_fixed},
	};
	return 0;
}

/* All stretches of one CPU: *@at moves behind them. */
static int cpu_weave(struct ktrace *trace, const struct stretches *s,
		     size_t *at, uint64_t *room)
{
	uint32_t cpu = s->all[*at].cpu;
	struct packets p = {
		.first_id = trace->woven.first_id,
		.max = *room,
		.head =
			{
				.magic = KT_PACKET_MAGIC,
				.version = KT_ABI_VERSION,
				.header_size = sizeof(p.head),
				.packet_size = KT_PACKET_SIZE,
				.cpu = cpu,
				.trace_id = trace->info.id,
			},
	};
	int err = 0;

	for (; *at < s->nr && s->all[*at].cpu == cpu && !err; ++*at)
		err = stretch_put(&p, trace->woven.branches, &s->all[*at]);
	packet_end(&p);
	*room -= p.size < *room ? p.size : *room;
	if (p.size && (!err || err == -ENOSPC)) {
		int added = source_add(trace, cpu, &p);

		if (!added)
			return err;
		err = added;
	}
	free(p.bytes);
	return err;
}

static int streams_make(struct ktrace *trace)
{
	struct stretches s = {0};
	int err = stretches_find(&s, trace->woven.branches);
	uint64_t room = WOVEN_MAX;
	size_t at = 0;

	while (!err && at < s.nr)
		err = cpu_weave(trace, &s, &at, &room);
	if (err == -ENOSPC) {
		trace_warn(trace, "there are more branches than are shown "
				  "among the events: ktrace branch -i shows "
				  "all");
		err = 0;
	}
	if (s.timeless)
		trace_warn(trace,
			   "of branches, %" PRIu64
			   " are not shown among the events: nothing tells "
			   "when the first ones of a buffer were taken (ktrace "
			   "branch -i shows them)",
			   s.timeless);
	free(s.all);
	return err;
}

/* ---- their names ---------------------------------------------------------- */

static int name_take(void *data, const void *bytes, size_t size)
{
	int err = stacks_add(data, bytes, size);

	/* Then there are no more names. */
	return err == -EFBIG ? 0 : err;
}

/* As in a file `stacks', but a place is an instruction here, and never what is behind a call. */
static int names_take(struct ktrace *trace)
{
	static const struct kt_stacks head = {KT_STACKS_MAGIC, KT_ABI_VERSION};
	int err = stacks_add(&trace->woven_names, &head, sizeof(head));

	for (size_t i = 0; !err && i < trace->nr_sides; i++)
		err = branch_stream_names(trace->sides[i].fd, name_take,
					  &trace->woven_names);
	return err;
}

int woven_make(struct ktrace *trace)
{
	struct woven *woven = &trace->woven;

	if (woven->made || !woven->first_id)
		return woven->error;
	woven->made = true;
	woven->error = branches_read(trace);
	if (!woven->error)
		woven->error = streams_make(trace);
	if (!woven->error)
		woven->error = names_take(trace);
	return woven->error ? branches_out_of_memory() : 0;
}

/* ---- events --------------------------------------------------------------- */

/* Another stream may have such an event, too, of the same size, and anywhere. */
static void branch_of(struct ktrace *trace, const struct ktrace_event *event,
		      struct ktrace_stack *places)
{
	struct record record;

	memcpy(&record, event->payload, sizeof(record));
	memcpy(trace->woven.words, record.frames, sizeof(record.frames));
	trace->woven.words[2] = record.kinds;
	*places = (struct ktrace_stack){
		.branches = true,
		.user = true,
		.exact = true,
		.nr = 2,
		.end = KTRACE_STACK_COMPLETE,
		.addresses = trace->woven.words,
	};
}

bool ktrace_event_branches(const struct ktrace *trace,
			   const struct ktrace_event *event,
			   struct ktrace_stack *places)
{
	const struct ktrace_field *field;
	uint32_t id;

	if (event->type->branch) {
		branch_of((struct ktrace *)trace, event, places);
		return true;
	}
	field = type_stack_field(event->type, KT_BRANCHES_FIELD);
	id = field ? ktrace_field_int(event, field) : KT_STACK_UNASKED;
	if (id == KT_STACK_UNASKED)
		return false;
	trace_stack(trace, id, true, places);
	return true;
}

void woven_free(struct ktrace *trace)
{
	struct woven *woven = &trace->woven;

	for (size_t i = 0; i < woven->nr_sources; i++)
		free((void *)woven->sources[i].data);
	free(woven->sources);
	if (woven->branches)
		branches_free(woven->branches);
	free(woven->branches);
}
