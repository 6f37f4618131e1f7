/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One CPU's ring in the kernel, and the stream that its packets go to.
 *
 * Discard mode: a packet stays until it is given back, so many are written in
 * one call.  Overwrite mode: the writer may take a packet while we copy it, so it goes
 * to memory of ours first.  If giving it back then fails (ESTALE), the copy is dropped:
 * its events are counted as overwritten already.
 *
 * A recording may go on in another trace (rotation.c).  Headers of packets have running totals, so
 * those in the later traces get them less what earlier traces have: each is a trace of its own.
 */
#ifndef KT_LIB_RECORD_BUFFER_H
#define KT_LIB_RECORD_BUFFER_H

#include <ktrace.h>

#include "sink.h"
#include "totals.h"

#define BATCH	    16 /* packets that the sink gets at once */

#define load(p)	    __atomic_load_n((p), __ATOMIC_RELAXED)
#define store(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

/* A CPU's buffer and its stream.  The counters have one writer: its thread. */
struct buffer {
	uint32_t cpu;
	int fd;
	struct sink *sink;
	struct sink_stream *out; /* NULL: nothing was written yet */
	const struct kt_control *control;
	const uint8_t *packets;
	size_t size;   /* of the mapping */
	uint64_t next; /* packet to copy */
	uint64_t sync; /* up to here it is waited for: see kernel.c */
	uint64_t events;
	uint64_t unwritten;
	uint64_t overwritten; /* between the packets of this trace */
	struct totals last;   /* of the last packet in a trace */
	struct totals base;   /* what earlier traces have */
	uint8_t *copy; /* of packets that may vanish, or whose totals change */
	bool served;   /* by a worker */
};

/* @session is its folder.  Explains errors. */
int buffer_open(struct buffer *b, int session, uint32_t cpu, struct sink *sink);
void buffer_close(struct buffer *b);

static inline const struct kt_packet *buffer_packet(const struct buffer *b,
						    uint64_t seq)
{
	uint64_t slot = seq & (b->control->packets - 1);

	return (const void *)(b->packets + slot * KT_PACKET_SIZE);
}

/* Opens the stream, if it is not yet open. */
int buffer_out_open(struct buffer *b);
/* Copies the next packets, at most @most, which are there; returns how many. */
int buffer_copy(struct buffer *b, uint64_t most);
/* Copies all that there is now, however fast more comes; returns how many packets. */
int buffer_drain(struct buffer *b);
/* Gets the memory for buffer_turn().  0 or -ENOMEM. */
int buffer_turn_prepare(struct buffer *b);
/* What is copied from now on goes to a stream of @sink, in another trace. */
void buffer_turn(struct buffer *b, struct sink *sink);
/* Takes what is left out of the buffer, so that the open packet counts too. */
void buffer_count_unwritten(struct buffer *b);

#endif /* KT_LIB_RECORD_BUFFER_H */
