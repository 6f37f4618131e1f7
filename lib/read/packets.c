// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Headers of packets, and the times that they tell of a trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/sized.h"
#include "packets.h"
#include "trace.h"

void packets_init(struct packets *packets, const struct ktrace *trace,
		  const struct stream_source *source)
{
	*packets = (struct packets){.trace = trace, .source = source};
}

ssize_t source_read(const struct stream_source *source, uint64_t position,
		    void *bytes, size_t size)
{
	ssize_t n;

	if (source->fd < 0) {
		memcpy(bytes, source->data + position, size);
		return size;
	}
	do
		n = pread(source->fd, bytes, size, position);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* More than stream.c asks of it: if in doubt, all is read. */
static bool header_is_good(const struct packets *packets,
			   const struct kt_packet *packet)
{
	const struct kt_packet *last = &packets->packet;
	uint64_t id = packets->trace->info.id;

	return packet->cpu == packets->source->cpu &&
	       (!id || packet->trace_id == id) &&
	       (!packets->nr ||
		(packet->seq > last->seq && packet->begin >= last->end));
}

int packets_next(struct packets *packets)
{
	const struct stream_source *source = packets->source;
	uint64_t left =
		source->size > packets->next ? source->size - packets->next : 0;
	struct kt_packet header;
	struct kt_walk walk;
	ssize_t n;

	if (!left)
		return 0;
	if (left < sizeof(header))
		return -EBADMSG;
	n = source_read(source, packets->next, &header, sizeof(header));
	if (n < 0)
		return n;
	/* It looks at the header only, and asks whether there is room for the rest. */
	if (n < (ssize_t)sizeof(header) ||
	    kt_walk_begin(&walk, &header, left) ||
	    !header_is_good(packets, &walk.packet))
		return -EBADMSG;
	packets->packet = walk.packet;
	packets->position = packets->next;
	packets->next += kt_packet_stored(&walk.packet);
	packets->nr++;
	return 1;
}

/* ---- the first and the last time ------------------------------------------- */

struct range {
	bool found;
	uint64_t first, last; /* clock */
};

static void range_add(struct range *range, uint64_t begin, uint64_t end)
{
	if (!range->found || begin < range->first)
		range->first = begin;
	if (!range->found || end > range->last)
		range->last = end;
	range->found = true;
}

/* Of a stream that is damaged: all of it is read. */
static int range_read(struct ktrace *trace, const struct stream_source *source,
		      struct range *range)
{
	struct stream stream;
	int item = stream_init(&stream, trace, source, !trace->overwrite,
			       STREAM_WINDOW_MIN);

	while (!item && (item = stream_next(&stream)) > 0) {
		if (item == STREAM_RECORD)
			range_add(range, stream.clock, stream.clock);
		item = 0;
	}
	stream_destroy(&stream);
	return item;
}

static int range_of(struct ktrace *trace, const struct stream_source *source,
		    struct range *range)
{
	struct packets packets;
	struct range whole = *range;
	int found;

	if (source->fd < 0 && !source->data)
		return 0;
	packets_init(&packets, trace, source);
	if (source->fd >= 0)
		posix_fadvise(source->fd, 0, 0, POSIX_FADV_RANDOM);
	while ((found = packets_next(&packets)) > 0)
		range_add(&whole, packets.packet.begin, packets.packet.end);
	if (source->fd >= 0)
		posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	if (found == -EBADMSG)
		return range_read(trace, source, range);
	*range = whole;
	return found;
}

static int times_error(int err)
{
	return err == -ENOMEM ? error_set(err, "out of memory")
			      : error_set(err, "cannot read the trace: %s",
					  strerror(-err));
}

static int times_check(const struct ktrace *trace)
{
	return trace->frames || (trace->info.live && !trace->follow)
		       ? error_set(-EAGAIN,
				   "how long a stream is, is known at its end "
				   "only")
		       : 0;
}

int ktrace_time_range(struct ktrace *trace, uint64_t *first, uint64_t *last)
{
	struct range range = {0};
	int err = 0;

	if (trace->info.live || trace->frames)
		return error_set(-EAGAIN, "how long a stream is, is known at "
					  "its end only");
	for (size_t i = 0; !err && i < trace->nr_sources; i++)
		err = range_of(trace, &trace->sources[i], &range);
	if (err)
		return times_error(err);
	if (!range.found)
		return error_set(-ENODATA, "the trace has no events");
	*first = ktrace_clock_time(trace, range.first);
	*last = ktrace_clock_time(trace, range.last);
	return 0;
}

/* ---- the last events --------------------------------------------------------- */

struct tail_packet {
	uint64_t begin; /* clock */
	uint32_t events;
};

struct tail {
	struct tail_packet *packets;
	size_t nr;
};

static bool is_wanted(const struct ktrace_cursor_options *options, uint32_t cpu)
{
	for (size_t i = 0; i < options->nr_cpus; i++)
		if (options->cpus[i] == cpu)
			return true;
	return !options->nr_cpus;
}

/* The headers of one stream.  -EBADMSG: one of them is damaged. */
static int tail_add(struct tail *tail, const struct ktrace *trace,
		    const struct stream_source *source)
{
	struct packets packets;
	int found;

	packets_init(&packets, trace, source);
	while ((found = packets_next(&packets)) > 0) {
		struct tail_packet *more =
			array_grow(tail->packets, tail->nr, sizeof(*more));

		if (!more)
			return -ENOMEM;
		tail->packets = more;
		more[tail->nr++] = (struct tail_packet){
			.begin = packets.packet.begin,
			.events = packets.packet.events,
		};
	}
	return found;
}

static int tail_compare(const void *a, const void *b)
{
	const struct tail_packet *x = a, *y = b;

	return (x->begin < y->begin) - (x->begin > y->begin);
}

/* The begin of the packet that has the last one of the events, counted from the end. */
static uint64_t tail_begin(const struct tail *tail, const struct ktrace *trace,
			   uint64_t to, uint64_t events)
{
	uint64_t sum = 0, begin;

	if (tail->nr)
		qsort(tail->packets, tail->nr, sizeof(*tail->packets),
		      tail_compare);
	for (size_t i = 0; i < tail->nr; i++) {
		begin = ktrace_clock_time(trace, tail->packets[i].begin);
		if (to && begin > to)
			continue;
		sum += tail->packets[i].events;
		if (sum >= events && i + 1 < tail->nr)
			return begin;
	}
	return 0;
}

int ktrace_time_tail(struct ktrace *trace,
		     const struct ktrace_cursor_options *wishes,
		     uint64_t events, uint64_t *from)
{
	struct ktrace_cursor_options options;
	struct tail tail = {0};
	int err = sized_copy(&options, sizeof(options), wishes);

	err = err ?: times_check(trace);
	if (err)
		return err;
	for (size_t i = 0; !err && i < trace->nr_sources; i++)
		if (is_wanted(&options, trace->sources[i].cpu))
			err = tail_add(&tail, trace, &trace->sources[i]);
	if (!err)
		*from = tail_begin(&tail, trace, options.to, events);
	else if (err == -EBADMSG)
		*from = 0;
	free(tail.packets);
	return err && err != -EBADMSG ? times_error(err) : 0;
}
