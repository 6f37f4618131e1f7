// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Checks that what was read is an exact account of what was written; see load.h. */
#include "load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

u32 load_sum(const struct load_event *event, const u8 *data, u32 size)
{
	u64 sum = event->number * 0x9e3779b97f4a7c15ull + event->level;
	u32 i, stride = load_stride(size);

	sum = (sum ^ event->before) * 0xff51afd7ed558ccdull;
	sum = (sum ^ event->after) * 0xc4ceb9fe1a85ec53ull;
	for (i = 0; i < size; i += stride)
		sum = sum * 31 + data[i];
	return (u32)(sum ^ sum >> 32);
}

__attribute__((format(printf, 2, 3))) static bool verify_fail(
	struct verify *v, const char *format, ...)
{
	va_list args;

	if (v->why[0])
		return false;
	va_start(args, format);
	vsnprintf(v->why, sizeof(v->why), format, args);
	va_end(args);
	return false;
}

static u32 verify_size_of(const void *arg, u32 id)
{
	if (id >= LOAD_ID_FIXED && id < LOAD_ID_FIXED + LOAD_LEVELS)
		return sizeof(struct load_event);
	if (id >= LOAD_ID_DYNAMIC && id < LOAD_ID_DYNAMIC + LOAD_LEVELS)
		return KT_SIZE_DYNAMIC;
	if (id >= LOAD_ID_WIDE && id < LOAD_ID_WIDE + LOAD_LEVELS)
		return sizeof(struct load_event);
	return kt_task_size(id);
}

static bool verify_event(struct verify *v, const struct kt_walk *walk)
{
	struct load_event event;
	u32 level = (walk->id - (walk->id >= LOAD_ID_WIDE ? LOAD_ID_WIDE
							  : LOAD_ID_FIXED)) %
		    LOAD_LEVELS;

	if (walk->size < sizeof(event))
		return verify_fail(v, "event of %u bytes", walk->size);
	memcpy(&event, walk->payload, sizeof(event));
	if (event.sum != load_sum(&event, walk->payload + sizeof(event),
				  walk->size - sizeof(event)))
		return verify_fail(v, "event %llu is damaged", event.number);
	if (event.level != level)
		return verify_fail(v, "level %u in id %u", event.level,
				   walk->id);
	if (walk->time < event.before || walk->time > event.after)
		return verify_fail(
			v, "event %llu: time %#llx not in %#llx .. %#llx",
			event.number, walk->time, event.before, event.after);
	if (event.number < v->next_number[level])
		return verify_fail(v, "level %u: event %llu after %llu", level,
				   event.number, v->next_number[level] - 1);
	v->skipped += event.number - v->next_number[level];
	v->next_number[level] = event.number + 1;
	return true;
}

static bool verify_records(struct verify *v, struct kt_walk *walk)
{
	u32 events = 0;
	int err;

	while ((err = kt_walk_next(walk, verify_size_of, NULL)) > 0) {
		if (walk->time < v->time)
			return verify_fail(v, "time %#llx after %#llx",
					   walk->time, v->time);
		v->time = walk->time;
		if (walk->id < KT_ID_FIRST) {
			v->tasks++;
			continue;
		}
		events++;
		v->wide += walk->id >= LOAD_ID_WIDE;
		if (!verify_event(v, walk))
			return false;
	}
	if (err)
		return verify_fail(v, "walk failed: %d", err);
	if (events != walk->packet.events)
		return verify_fail(v, "%u events in packet, header says %u",
				   events, walk->packet.events);
	if (v->time > walk->packet.end)
		return verify_fail(v,
				   "last time %#llx after packet's end %#llx",
				   v->time, walk->packet.end);
	v->events += events;
	return true;
}

static bool verify_lost(struct verify *v, enum kt_lost cause, u64 lost)
{
	if (lost < v->lost[cause])
		return verify_fail(v, "lost[%d] went from %llu to %llu", cause,
				   v->lost[cause], lost);
	v->lost[cause] = lost;
	return true;
}

bool verify_packet(struct verify *v, const void *bytes, size_t len)
{
	struct kt_walk walk;
	const struct kt_packet *packet = &walk.packet;
	int err = kt_walk_begin(&walk, bytes, len);

	if (err)
		return verify_fail(v, "packet after %llu: %d", v->next_seq,
				   err);
	if (v->started && packet->seq != v->next_seq &&
	    (!v->overwrite || packet->seq < v->next_seq))
		return verify_fail(v, "packet %llu, not %llu", packet->seq,
				   v->next_seq);
	if (packet->events_before < v->next_events ||
	    (packet->events_before != v->next_events &&
	     (!v->overwrite || (v->started && packet->seq == v->next_seq))))
		return verify_fail(v,
				   "packet %llu: %llu events before, not %llu",
				   packet->seq, packet->events_before,
				   v->next_events);
	v->lost[KT_LOST_OVERWRITTEN] += packet->events_before - v->next_events;
	if (packet->begin < v->time)
		return verify_fail(v,
				   "packet %llu begins at %#llx, before %#llx",
				   packet->seq, packet->begin, v->time);
	v->time = packet->begin;
	if (!verify_lost(v, KT_LOST_FULL, packet->lost_full) ||
	    !verify_lost(v, KT_LOST_NESTED, packet->lost_nested) ||
	    !verify_lost(v, KT_LOST_LARGE, packet->lost_large) ||
	    !verify_lost(v, KT_LOST_TASK, packet->lost_task) ||
	    !verify_lost(v, KT_LOST_RECURSION, packet->lost_recursion) ||
	    !verify_records(v, &walk))
		return false;
	v->started = true;
	v->packets++;
	v->next_seq = packet->seq + 1;
	v->next_events = packet->events_before + packet->events;
	return true;
}

bool verify_end(struct verify *v, const struct kt_ring *ring,
		const struct load *loads)
{
	const struct kt_control *control = ring->control;
	u64 attempts = 0, written = 0, tasks = 0, lost = 0;
	int i;

	for (i = 0; i < LOAD_LEVELS; i++) {
		attempts += loads[i].attempts;
		written += loads[i].written;
		tasks += loads[i].tasks;
		v->skipped += loads[i].attempts - v->next_number[i];
	}
	if (control->consumed != control->produced)
		return verify_fail(v, "%llu packets were not consumed",
				   control->produced - control->consumed);
	/* What was overwritten after the last packet that was read. */
	v->lost[KT_LOST_OVERWRITTEN] += control->events - v->next_events;
	for (i = 0; i < KT_LOST_NR; i++) {
		if (i != KT_LOST_TASK)
			lost += control->lost[i];
		if (i != KT_LOST_OVERWRITTEN && v->lost[i] > control->lost[i])
			return verify_fail(
				v, "lost[%d]: packets say %llu, ring %llu", i,
				v->lost[i], control->lost[i]);
	}
	if (v->lost[KT_LOST_OVERWRITTEN] != control->lost[KT_LOST_OVERWRITTEN])
		return verify_fail(v, "%llu events overwritten, ring says %llu",
				   v->lost[KT_LOST_OVERWRITTEN],
				   control->lost[KT_LOST_OVERWRITTEN]);
	if (!v->overwrite && control->lost[KT_LOST_OVERWRITTEN])
		return verify_fail(v, "overwritten in discard mode");
	if (v->overwrite && control->lost[KT_LOST_FULL])
		return verify_fail(v, "full in overwrite mode");
	if (control->events != written)
		return verify_fail(v, "%llu events, %llu were written",
				   control->events, written);
	if (attempts != v->events + lost)
		return verify_fail(v, "%llu attempts, %llu read + %llu lost",
				   attempts, v->events, lost);
	if (v->skipped != lost)
		return verify_fail(v, "%llu numbers missing, %llu lost",
				   v->skipped, lost);
	if (!v->overwrite && tasks != v->tasks + control->lost[KT_LOST_TASK])
		return verify_fail(v,
				   "%llu task records, %llu read + %llu lost",
				   tasks, v->tasks,
				   control->lost[KT_LOST_TASK]);
	return true;
}

bool verify_drain(struct verify *v, struct kt_ring *ring)
{
	const struct kt_control *control = ring->control;

	while (control->consumed != control->produced) {
		u64 seq = control->consumed;
		u32 slot = seq & (control->packets - 1);

		if (!verify_packet(
			    v, ring->data + ((size_t)slot << KT_PACKET_SHIFT),
			    KT_PACKET_SIZE))
			return false;
		if (v->next_seq != seq + 1)
			return verify_fail(v, "packet %llu holds %llu", seq,
					   v->next_seq - 1);
		if (kt_ring_consume(ring, seq))
			return verify_fail(v, "cannot consume packet %llu",
					   seq);
	}
	return true;
}
