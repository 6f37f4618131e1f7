// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "stream.h"
#include "trace.h"

int stream_init(struct stream *stream, struct ktrace *trace,
		const struct stream_source *source, bool discard,
		uint32_t window_size)
{
	*stream = (struct stream){
		.trace = trace,
		.source = source,
		.sizes = &source->sizes,
		.discard = discard,
		.cpu = source->cpu,
	};
	if (source->fd < 0)
		return 0;
	stream->window_size = window_size;
	stream->window = malloc(window_size);
	return stream->window ? 0 : -ENOMEM;
}

void stream_destroy(struct stream *stream)
{
	free(stream->window);
	stream->window = NULL;
}

/* Fills the window from @position on.  Returns the number of bytes in it. */
static int64_t window_fill(struct stream *stream)
{
	uint64_t left = stream->source->size > stream->position
				? stream->source->size - stream->position
				: 0;
	uint32_t used = 0, want = stream->window_size;

	if (want > left)
		want = left;
	while (used < want) {
		ssize_t n = pread(stream->source->fd, stream->window + used,
				  want - used, stream->position + used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		used += n;
	}
	stream->window_begin = stream->position;
	stream->window_used = used;
	return used;
}

/*
 * Sets *@bytes to the data at @position.  Returns the number of bytes there: at
 * least @need, unless the source ends before.
 */
static int64_t stream_bytes(struct stream *stream, uint32_t need,
			    const uint8_t **bytes)
{
	uint64_t inside, left;

	if (!stream->window) {
		left = stream->position < stream->source->size
			       ? stream->source->size - stream->position
			       : 0;
		*bytes = stream->source->data + stream->source->size - left;
		return left;
	}
	inside = stream->position - stream->window_begin;
	if (stream->position >= stream->window_begin &&
	    inside + need <= stream->window_used) {
		*bytes = stream->window + inside;
		return stream->window_used - inside;
	}
	/* All that there is, is in the window. */
	if (stream->position >= stream->window_begin &&
	    stream->position < stream->window_begin + stream->window_used &&
	    stream->window_begin + stream->window_used ==
		    stream->source->size) {
		*bytes = stream->window + inside;
		return stream->window_used - inside;
	}
	*bytes = stream->window;
	return window_fill(stream);
}

/* After damage: moves to the next bytes that may be the begin of a packet.  1, 0 or -errno. */
static int stream_search(struct stream *stream)
{
	for (;;) {
		const uint8_t *bytes;
		int64_t len, i;
		uint32_t magic;

		stream->position = (stream->position & ~7ull) + 8;
		len = stream_bytes(stream, sizeof(struct kt_packet), &bytes);
		if (len < (int64_t)sizeof(struct kt_packet))
			return len < 0 ? len : 0;
		for (i = 0; i + (int64_t)sizeof(struct kt_packet) <= len;
		     i += 8) {
			memcpy(&magic, bytes + i, sizeof(magic));
			if (magic == KT_PACKET_MAGIC)
				break;
		}
		stream->position += i;
		if (i + (int64_t)sizeof(struct kt_packet) <= len)
			return 1;
		stream->position -= 8;
	}
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Events that were counted as overwritten, minus those returned so far. */
static uint64_t overwritten_left(const struct stream *stream)
{
	return grown(stream->source->end->lost[KTRACE_LOST_OVERWRITTEN],
		     stream->overwritten);
}

/* @gap events are missing between two intact packets. */
static void count_gap(struct stream *stream, uint64_t gap)
{
	uint64_t overwritten = stream->discard ? 0 : gap;

	if (overwritten && stream->source->end)
		overwritten = least(gap, overwritten_left(stream));
	stream->overwritten += overwritten;
	stream->unwritten += gap - overwritten;
	stream->lost[KTRACE_LOST_OVERWRITTEN] = overwritten;
	stream->lost[KTRACE_LOST_UNWRITTEN] = gap - overwritten;
}

/* Counts the losses before a packet from its header. */
static void count_lost(struct stream *stream, bool damaged)
{
	const struct kt_packet *packet = &stream->walk.packet;
	const struct kt_packet *last = &stream->last;
	const struct ktrace_cpu *end = stream->source->end;
	uint64_t gap = grown(packet->events_before,
			     last->events_before + last->events);

	stream->lost[KTRACE_LOST_FULL] =
		grown(packet->lost_full, last->lost_full);
	stream->lost[KTRACE_LOST_NESTED] =
		grown(packet->lost_nested, last->lost_nested);
	stream->lost[KTRACE_LOST_LARGE] =
		grown(packet->lost_large, last->lost_large);
	stream->lost[KTRACE_LOST_TASK] =
		grown(packet->lost_task, last->lost_task);
	stream->lost[KTRACE_LOST_RECURSION] =
		grown(packet->lost_recursion, last->lost_recursion);

	if (damaged) {
		stream->lost[KTRACE_LOST_DAMAGED] = gap;
		stream->accounted += gap;
	} else if (stream->packets)
		count_gap(stream, gap);
	else if (!stream->discard)
		/*
		 * In discard mode another reader has consumed the packets
		 * before.
		 */
		count_gap(stream,
			  end ? least(gap, overwritten_left(stream)) : gap);
}

/* Counts the losses after the header of the last packet. */
static void count_tail(struct stream *stream)
{
	const struct ktrace_cpu *end = stream->source->end;
	const struct kt_packet *last = &stream->last;

	if (!end)
		return;
	stream->lost[KTRACE_LOST_FULL] =
		grown(end->lost[KTRACE_LOST_FULL], last->lost_full);
	stream->lost[KTRACE_LOST_NESTED] =
		grown(end->lost[KTRACE_LOST_NESTED], last->lost_nested);
	stream->lost[KTRACE_LOST_LARGE] =
		grown(end->lost[KTRACE_LOST_LARGE], last->lost_large);
	stream->lost[KTRACE_LOST_TASK] =
		grown(end->lost[KTRACE_LOST_TASK], last->lost_task);
	stream->lost[KTRACE_LOST_RECURSION] =
		grown(end->lost[KTRACE_LOST_RECURSION], last->lost_recursion);
	stream->lost[KTRACE_LOST_UNWRITTEN] =
		grown(end->lost[KTRACE_LOST_UNWRITTEN], stream->unwritten);
	stream->lost[KTRACE_LOST_CLOCK] = end->lost[KTRACE_LOST_CLOCK];
	/* Of packets behind which there is none that would tell of them. */
	stream->lost[KTRACE_LOST_DAMAGED] +=
		grown(end->events, stream->accounted);
}

const char *stream_kind(const struct stream *stream)
{
	return stream->source->programs ? "programs" : "cpu";
}

/*
 * Does the header follow the previous one? If only the number or the end of the previous
 * one says no, these are what is damaged.
 */
static bool header_follows(const struct stream *stream)
{
	const struct kt_packet *packet = &stream->walk.packet;
	uint64_t last = stream->last.seq;

	if (!stream->packets)
		return true;
	if (packet->seq == last + 1)
		return packet->begin >= stream->last_record;
	return packet->begin >= stream->last_end &&
	       (packet->seq > last ||
		(last != stream->before + 1 && packet->seq > stream->before));
}

/* Does the header belong to this stream, and can it follow the previous one? */
static bool header_fits(struct stream *stream)
{
	const struct kt_packet *packet = &stream->walk.packet;
	uint64_t id = stream->trace->info.id;

	if (packet->cpu != stream->cpu) {
		trace_warn(stream->trace,
			   "%s%u: packet at byte %" PRIu64 " is of CPU %u",
			   stream_kind(stream), stream->source->number,
			   stream->position, packet->cpu);
		return false;
	}
	if (id && packet->trace_id != id) {
		trace_warn(stream->trace,
			   "%s%u: packet at byte %" PRIu64
			   " belongs to another trace",
			   stream_kind(stream), stream->source->number,
			   stream->position);
		return false;
	}
	if (!header_follows(stream)) {
		trace_warn(stream->trace,
			   "%s%u: packet at byte %" PRIu64
			   " does not follow the one before it",
			   stream_kind(stream), stream->source->number,
			   stream->position);
		return false;
	}
	return true;
}

static bool packet_is_tentative(const struct stream *stream)
{
	return stream->source->open &&
	       stream->position + kt_packet_stored(&stream->walk.packet) >=
		       stream->source->size;
}

/*
 * Reads the header at the position.  1, or 0 if it cannot be used; *why says
 * why.
 */
static int packet_read(struct stream *stream, int *why)
{
	const uint8_t *bytes;
	struct kt_packet head;
	int64_t len;

	len = stream_bytes(stream, sizeof(head), &bytes);
	if (len >= (int64_t)sizeof(head)) {
		memcpy(&head, bytes, sizeof(head));
		if (head.used <= KT_PACKET_SIZE && head.used > len)
			len = stream_bytes(stream, head.used, &bytes);
	}
	if (len <= 0)
		return len;
	*why = kt_walk_begin(&stream->walk, bytes, len);
	if (*why || !header_fits(stream))
		return 0;
	return 1;
}

/*
 * The end of the stream may have changed in the file.  Then the window is not
 * valid.
 */
static void window_check(struct stream *stream)
{
	if (stream->seen == stream->source->grown)
		return;
	stream->seen = stream->source->grown;
	stream->window_used = 0;
}

/* Is the header there, but not yet all of its packet? */
static bool packet_waits(struct stream *stream)
{
	const uint8_t *bytes;
	struct kt_packet head;

	if (!stream->source->open ||
	    stream_bytes(stream, sizeof(head), &bytes) < (int64_t)sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	return head.magic == KT_PACKET_MAGIC && head.used <= KT_PACKET_SIZE &&
	       stream->position + head.used > stream->source->size;
}

/*
 * Continues a packet that was read to its written end.  1, or 0 if it has not
 * grown.
 */
static int packet_resume(struct stream *stream)
{
	const struct kt_walk old = stream->walk;
	uint32_t before = old.packet.used;
	int found, why;

	if (stream->trace->info.live && stream->seen == stream->source->grown)
		return 0;
	window_check(stream);
	if (packet_waits(stream))
		return 0;
	found = packet_read(stream, &why);
	if (found <= 0 || stream->walk.packet.used < before) {
		/* What was read of it before has been checked. */
		stream->walk = old;
		return found < 0 ? found : -EBADMSG;
	}
	stream->walk.next =
		stream->walk.end - (stream->walk.packet.used - before);
	stream->walk.time = old.time;
	stream->tentative = packet_is_tentative(stream);
	return 1;
}

/* Warns of the damaged bytes from @stream->damage on. */
static void damage_tell(struct stream *stream, bool found)
{
	const char *kind = stream_kind(stream);
	uint32_t number = stream->source->number;

	if (found)
		trace_warn(stream->trace,
			   "%s%u: damaged at byte %" PRIu64
			   ", goes on at byte %" PRIu64,
			   kind, number, stream->damage, stream->position);
	else if (stream->why == -EPROTONOSUPPORT)
		trace_warn(stream->trace,
			   "%s%u: from byte %" PRIu64
			   " on there are no packets of version %u, which this "
			   "ktrace reads",
			   kind, number, stream->damage, KT_ABI_VERSION);
	else if (stream->why == -ENODATA && stream->packets)
		trace_warn(stream->trace,
			   "%s%u: cut off after packet %" PRIu64
			   ", at byte %" PRIu64,
			   kind, number, (uint64_t)stream->last.seq,
			   stream->damage);
	else if (stream->why == -ENODATA)
		trace_warn(stream->trace, "%s%u: cut off in its first packet",
			   kind, number);
	else if (stream->why)
		trace_warn(stream->trace,
			   "%s%u: damaged from byte %" PRIu64 " on", kind,
			   number, stream->damage);
}

/* Looks for the next packet: 1, 0: there is none, or a negative errno. */
static int packet_open(struct stream *stream)
{
	int found, why = 0;
	bool damaged;

	found = packet_read(stream, &why);
	if (!found && !stream->searching) {
		stream->searching = true;
		stream->damage = stream->position;
		stream->why = why;
	}
	while (!found) {
		int more = stream_search(stream);

		if (more < 0)
			return more;
		if (!more || packet_waits(stream))
			break;
		found = packet_read(stream, &why);
	}
	if (found < 0 || (!found && stream->trace->info.live))
		return found;
	damaged = stream->searching;
	stream->searching = false;
	if (damaged)
		damage_tell(stream, found);
	if (!found)
		return 0;

	stream->tentative = packet_is_tentative(stream);
	count_lost(stream, damaged);
	/* One of the lost events may have been a context switch. */
	stream->uncertain = !stream->packets || damaged ||
			    stream->walk.packet.seq != stream->last.seq + 1 ||
			    stream->lost[KTRACE_LOST_TASK] ||
			    stream->lost[KTRACE_LOST_FULL] ||
			    stream->lost[KTRACE_LOST_NESTED];
	return 1;
}

/* The last record's event: is it that of somebody else? */
static bool event_is_known(const struct stream *stream)
{
	uint32_t id = stream->walk.id;

	return id < stream->trace->nr_fixed &&
	       stream->sizes->fixed[id] != KT_SIZE_UNKNOWN;
}

/* The packet has ended, or damage has ended it. */
static void packet_close(struct stream *stream, int walked)
{
	const struct kt_packet *packet = &stream->walk.packet;
	uint64_t missing = grown(packet->events, stream->records);

	/* The texts are the same each time, so that they are stored only once. */
	if (walked == -ENOENT && event_is_known(stream))
		trace_warn(stream->trace,
			   "%s%u: it has events that are none of this user's "
			   "programs': packets are read up to the first of "
			   "these",
			   stream_kind(stream), stream->source->number);
	else if (walked == -ENOENT)
		trace_warn(stream->trace,
			   "the metadata does not describe event %u: packets "
			   "are read up to the first of these",
			   stream->walk.id);
	else if (walked || packet->events != stream->records)
		trace_warn(stream->trace, "%s%u: packet %" PRIu64 " is damaged",
			   stream_kind(stream), stream->source->number,
			   (uint64_t)packet->seq);

	stream->lost[KTRACE_LOST_DAMAGED] = stream->damaged + missing;
	stream->accounted += stream->records > packet->events ? stream->records
							      : packet->events;
	stream->before = stream->packets ? stream->last.seq : 0;
	stream->last = *packet;
	stream->last_end = packet->end;
	stream->packets++;
	stream->position += kt_packet_stored(packet);
}

void stream_pass_by(struct stream *stream, const struct kt_packet *packet)
{
	stream->walk.packet = *packet;
	/* Losses are before the packet: nobody wants to know more than how many. */
	count_lost(stream, false);
	memset(stream->lost, 0, sizeof(stream->lost));
	stream->accounted += packet->events;
	stream->before = stream->packets ? stream->last.seq : 0;
	stream->last = *packet;
	stream->last_end = stream->last_record = packet->end;
	stream->clock = packet->end;
	stream->packets++;
	stream->position += kt_packet_stored(packet);
}

static bool loss_next(struct stream *stream)
{
	enum ktrace_lost cause;

	for (cause = 0; cause < KTRACE_LOST_NR; cause++) {
		if (!stream->lost[cause])
			continue;
		stream->cause = cause;
		stream->count = stream->lost[cause];
		stream->lost[cause] = 0;
		stream->item = STREAM_LOSS;
		return true;
	}
	return false;
}

/* Returns STREAM_RECORD, or 0 if the packet has ended. */
static int record_next(struct stream *stream, int walked)
{
	while (walked > 0 && stream->walk.time >= stream->clock &&
	       stream->walk.time <= stream->walk.packet.end) {
		stream->records += stream->walk.id >= KT_ID_FIRST;
		if (stream->walk.size >=
		    stream->sizes->least[stream->walk.id]) {
			stream->clock = stream->walk.time;
			return stream->item = STREAM_RECORD;
		}
		/* Too short for its type, but its end is known: skip it. */
		stream->damaged++;
		walked = kt_walk_next(&stream->walk, stream_size_of,
				      stream->sizes);
	}
	if (!walked && stream->tentative) {
		stream->state = STREAM_GROWING;
		return 0;
	}
	packet_close(stream, walked);
	return 0;
}

int stream_next_slow(struct stream *stream, int walked)
{
	int ret;

	for (;;) {
		if (stream->state != STREAM_INSIDE && loss_next(stream))
			return STREAM_LOSS;
		switch (stream->state) {
		case STREAM_INSIDE:
			if (record_next(stream, walked))
				return STREAM_RECORD;
			if (stream->state == STREAM_GROWING)
				break;
			stream->from = stream->walk.packet.begin;
			stream->last_record = stream->clock;
			stream->clock = stream->last_end;
			stream->state = STREAM_BETWEEN;
			break;
		case STREAM_BETWEEN:
			if (stream->trace->info.live &&
			    stream->position >= stream->source->size)
				return stream->item = STREAM_END;
			window_check(stream);
			if (packet_waits(stream))
				return stream->item = STREAM_END;
			ret = packet_open(stream);
			if (ret < 0)
				return ret;
			if (!ret && stream->trace->info.live)
				return stream->item = STREAM_END;
			/*
			 * This belongs to the previous packet: packet_open()
			 * has closed it.
			 */
			stream->from = stream->last_record;
			if (!ret) {
				count_tail(stream);
				stream->state = STREAM_ENDED;
				break;
			}
			stream->clock = stream->walk.packet.begin;
			if (!stream->packets)
				stream->from = stream->clock;
			stream->state = STREAM_OPENED;
			break;
		case STREAM_OPENED:
			stream->records = 0;
			stream->damaged = 0;
			stream->state = STREAM_INSIDE;
			return stream->item = STREAM_PACKET;
		case STREAM_GROWING:
			ret = packet_resume(stream);
			if (!ret && stream->trace->info.live)
				return stream->item = STREAM_END;
			if (ret < 0 && ret != -EBADMSG)
				return ret;
			/* On error the packet is damaged: it ends. */
			walked = ret > 0 ? kt_walk_next(&stream->walk,
							stream_size_of,
							stream->sizes)
					 : ret;
			stream->tentative &= ret > 0;
			stream->state = STREAM_INSIDE;
			break;
		case STREAM_ENDED:
			return stream->item = STREAM_END;
		}
	}
}
