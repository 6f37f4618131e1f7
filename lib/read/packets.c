// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Headers of packets, and the times that they tell of a trace. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
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
		return error_set(err, "cannot read the trace: %s",
				 strerror(-err));
	if (!range.found)
		return error_set(-ENODATA, "the trace has no events");
	*first = ktrace_clock_time(trace, range.first);
	*last = ktrace_clock_time(trace, range.last);
	return 0;
}
