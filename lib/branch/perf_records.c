// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kernel's records for perf: see perf_trace.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "perf_trace.h"

/* What is left of a record. */
struct rest {
	const uint8_t *at;
	size_t size;
};

/* False: there is not so much; then *@to is zero. */
static bool take(struct rest *rest, void *to, size_t size)
{
	if (rest->size < size) {
		memset(to, 0, size);
		rest->size = 0;
		return false;
	}
	memcpy(to, rest->at, size);
	rest->at += size;
	rest->size -= size;
	return true;
}

static uint32_t take_u32(struct rest *rest)
{
	uint32_t value;

	take(rest, &value, sizeof(value));
	return value;
}

static uint64_t take_u64(struct rest *rest)
{
	uint64_t value;

	take(rest, &value, sizeof(value));
	return value;
}

/* The last text; its end is that of the record, filled with NULs. */
static const char *take_text(struct perf_trace *trace, struct rest *rest)
{
	size_t length = strnlen((const char *)rest->at, rest->size);
	char *text = arena_alloc(&trace->texts, length + 1);

	if (!text)
		return NULL;
	memcpy(text, rest->at, length);
	text[length] = '\0';
	return text;
}

/* What stands behind each record, which is cut off from @rest. */
static struct perf_who who_take(const struct perf_event_attr *layout,
				struct rest *rest)
{
	struct perf_who who = {.cpu = PERF_NO_CPU};
	uint64_t type = layout->sample_id_all ? layout->sample_type : 0;
	size_t size =
		8 * __builtin_popcountll(
			    type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				    PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				    PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER));
	struct rest end;

	if (size > rest->size)
		return who;
	rest->size -= size;
	end = (struct rest){rest->at + rest->size, size};
	if (type & PERF_SAMPLE_TID) {
		who.pid = take_u32(&end);
		who.tid = take_u32(&end);
	}
	if (type & PERF_SAMPLE_TIME)
		who.time = take_u64(&end);
	if (type & PERF_SAMPLE_ID)
		take_u64(&end);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_u64(&end);
	if (type & PERF_SAMPLE_CPU)
		who.cpu = take_u32(&end);
	return who;
}

/* ---- what is kept --------------------------------------------------------- */

int perf_news_add(struct perf_trace *trace, struct perf_news news)
{
	struct perf_news *more =
		array_grow(trace->news, trace->nr_news, sizeof(*more));

	if (!more)
		return -ENOMEM;
	trace->news = more;
	news.order = trace->nr_news;
	more[trace->nr_news++] = news;
	return 0;
}

static int turn_add(struct perf_trace *trace, struct perf_turn turn)
{
	struct perf_turn *more =
		array_grow(trace->turns, trace->nr_turns, sizeof(*more));

	if (!more)
		return -ENOMEM;
	trace->turns = more;
	more[trace->nr_turns++] = turn;
	return 0;
}

static int hole_add(struct perf_trace *trace, struct perf_hole hole)
{
	struct perf_hole *more =
		array_grow(trace->holes, trace->nr_holes, sizeof(*more));

	if (!more)
		return -ENOMEM;
	trace->holes = more;
	more[trace->nr_holes++] = hole;
	return 0;
}

/* A record of the newer kind has the build id, or in its place what file it is. */
static int id_take(struct perf_trace *trace, struct perf_news *news,
		   struct rest *rest, const struct perf_event_header *head)
{
	uint8_t id[24];
	unsigned char *kept;

	if (!take(rest, id, sizeof(id)) ||
	    !(head->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) || !id[0] ||
	    id[0] > 20)
		return 0;
	kept = arena_alloc(&trace->texts, id[0]);
	if (!kept)
		return -ENOMEM;
	memcpy(kept, id + 4, id[0]);
	news->map.id = kept;
	news->map.id_size = id[0];
	return 0;
}

static int mapping_take(struct perf_trace *trace, const struct perf_who *who,
			struct rest *rest, const struct perf_event_header *head)
{
	struct perf_news news = {.kind = PERF_MAPS, .time = who->time};
	uint32_t protection = PROT_EXEC;
	uint64_t size;
	int err = 0;

	news.pid = take_u32(rest);
	news.tid = take_u32(rest);
	news.map.begin = take_u64(rest);
	size = take_u64(rest);
	news.map.offset = take_u64(rest);
	if (head->type == PERF_RECORD_MMAP2) {
		err = id_take(trace, &news, rest, head);
		protection = take_u32(rest);
		take_u32(rest);
	}
	if (!(protection & PROT_EXEC) || !size ||
	    head->misc & PERF_RECORD_MISC_MMAP_DATA ||
	    (head->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
		    PERF_RECORD_MISC_USER ||
	    __builtin_add_overflow(news.map.begin, size, &news.map.end))
		return err;
	news.map.path = take_text(trace, rest);
	if (!news.map.path)
		return -ENOMEM;
	return err ?: perf_news_add(trace, news);
}

static int name_take(struct perf_trace *trace, const struct perf_who *who,
		     struct rest *rest, const struct perf_event_header *head)
{
	struct perf_news news = {.kind = PERF_IS_CALLED, .time = who->time};
	size_t length;
	int err;

	news.pid = take_u32(rest);
	news.tid = take_u32(rest);
	length = strnlen((const char *)rest->at, rest->size);
	if (length >= sizeof(news.comm))
		length = sizeof(news.comm) - 1;
	memcpy(news.comm, rest->at, length);
	err = perf_news_add(trace, news);
	if (head->misc & PERF_RECORD_MISC_COMM_EXEC)
		err = err
			      ?: perf_news_add(trace,
					       (struct perf_news){
						       .kind = PERF_EXECUTES,
						       .pid = news.pid,
						       .tid = news.tid,
						       .time = who->time,
					       });
	return err;
}

static int life_take(struct perf_trace *trace, enum perf_news_kind kind,
		     struct rest *rest)
{
	struct perf_news news = {.kind = kind};

	news.pid = take_u32(rest);
	news.parent = take_u32(rest);
	news.tid = take_u32(rest);
	take_u32(rest);
	news.time = take_u64(rest);
	return perf_news_add(trace, news);
}

static int packets_take(struct perf_trace *trace, const struct perf_who *who,
			struct rest *rest)
{
	uint64_t offset = take_u64(rest), size = take_u64(rest);
	uint64_t flags = take_u64(rest), end;
	bool holed = flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	int err = 0;

	trace->gaps += holed;
	if (__builtin_add_overflow(offset, size, &end))
		return 0;
	/* Offsets in an area that is overwritten are not those of a stream. */
	if (holed && !(flags & PERF_AUX_FLAG_OVERWRITE))
		err = hole_add(trace, (struct perf_hole){.cpu = who->cpu,
							 .tid = who->tid,
							 .offset = end});
	if (err || flags & PERF_AUX_FLAG_OVERWRITE || !size ||
	    who->cpu == PERF_NO_CPU)
		return err;
	return turn_add(trace, (struct perf_turn){.cpu = who->cpu,
						  .tid = who->tid,
						  .time = who->time,
						  .end = end});
}

static int turn_take(struct perf_trace *trace, const struct perf_who *who,
		     uint32_t tid)
{
	if (who->cpu == PERF_NO_CPU || !who->time)
		return 0;
	return turn_add(trace, (struct perf_turn){
				       .cpu = who->cpu,
				       .tid = tid,
				       .time = who->time,
			       });
}

int perf_record_take(struct perf_trace *trace,
		     const struct perf_event_attr *layout, const void *record,
		     size_t size)
{
	struct perf_event_header head;
	struct rest rest = {record, size};
	struct perf_who who;
	uint32_t tid;

	if (!take(&rest, &head, sizeof(head)) || head.size > size ||
	    head.size < sizeof(head))
		return 0;
	rest.size = head.size - sizeof(head);
	who = who_take(layout, &rest);
	switch (head.type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return mapping_take(trace, &who, &rest, &head);
	case PERF_RECORD_COMM:
		return name_take(trace, &who, &rest, &head);
	case PERF_RECORD_FORK:
		return life_take(trace, PERF_BEGINS, &rest);
	case PERF_RECORD_EXIT:
		return life_take(trace, PERF_ENDS, &rest);
	case PERF_RECORD_AUX:
		return packets_take(trace, &who, &rest);
	case PERF_RECORD_ITRACE_START:
		take_u32(&rest);
		tid = take_u32(&rest);
		return turn_take(trace, &who, tid);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		trace->switches = true;
		return head.misc & PERF_RECORD_MISC_SWITCH_OUT
			       ? 0
			       : turn_take(trace, &who, who.tid);
	case PERF_RECORD_LOST:
		take_u64(&rest);
		trace->untold += take_u64(&rest);
		return turn_take(trace, &who, PERF_LOST);
	}
	return 0;
}

/* ---- order ---------------------------------------------------------------- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int news_compare(const void *a, const void *b)
{
	const struct perf_news *x = a, *y = b;

	return COMPARE(x->time, y->time) ?: COMPARE(x->order, y->order);
}

static int turn_compare(const void *a, const void *b)
{
	const struct perf_turn *x = a, *y = b;

	/* Each CPU has its own; those of the scheduler and those of packets are two lists. */
	return COMPARE(x->cpu, y->cpu) ?: COMPARE(!x->end, !y->end)
				       ?: COMPARE(x->end, y->end)
				       ?: COMPARE(x->time, y->time);
}

static int hole_compare(const void *a, const void *b)
{
	const struct perf_hole *x = a, *y = b;

	return COMPARE(x->offset, y->offset);
}

static int part_compare(const void *a, const void *b)
{
	const struct perf_part *x = a, *y = b;

	return COMPARE(x->buffer, y->buffer) ?: COMPARE(x->tid, y->tid)
					     ?: COMPARE(x->cpu, y->cpu)
					     ?: COMPARE(x->offset, y->offset)
					     ?: COMPARE(x->at, y->at);
}

/*
 * perf fills pieces up to 8 bytes, and snapshots may tell again what the one before has told: then that ends
 * where the next one begins.
 */
static void parts_part(struct perf_trace *trace)
{
	struct perf_part *parts = trace->parts;
	size_t kept = 0;

	for (size_t i = 0; i < trace->nr_parts; i++) {
		struct perf_part *last = kept ? &parts[kept - 1] : NULL;

		if (last && perf_part_is_beside(last, &parts[i]) &&
		    parts[i].offset - last->offset < last->size) {
			if (parts[i].size + PERF_PADDING_MAX <
			    last->size - (parts[i].offset - last->offset))
				continue;
			last->size = parts[i].offset - last->offset;
		}
		parts[kept++] = parts[i];
	}
	trace->nr_parts = kept;
}

void perf_records_sort(struct perf_trace *trace)
{
	if (trace->nr_news)
		qsort(trace->news, trace->nr_news, sizeof(*trace->news),
		      news_compare);
	if (trace->nr_turns)
		qsort(trace->turns, trace->nr_turns, sizeof(*trace->turns),
		      turn_compare);
	if (trace->nr_holes)
		qsort(trace->holes, trace->nr_holes, sizeof(*trace->holes),
		      hole_compare);
	if (trace->nr_parts)
		qsort(trace->parts, trace->nr_parts, sizeof(*trace->parts),
		      part_compare);
	parts_part(trace);
}

uint64_t perf_time(const struct perf_conversion *clock, uint64_t tsc)
{
	uint64_t whole = tsc >> clock->shift;
	uint64_t part = tsc & ((1ull << clock->shift) - 1);

	/* As the comment at time_zero in <linux/perf_event.h> says. */
	return clock->zero + whole * clock->mult +
	       (part * clock->mult >> clock->shift);
}
