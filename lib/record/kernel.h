/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The consumer: copies packets from the buffers of a session to the streams of
 * a trace.
 */
#ifndef KT_LIB_RECORD_KERNEL_H
#define KT_LIB_RECORD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

struct consumer;

/* Maps all of the session's buffers; @session is its folder. */
int consumer_create(int session, struct consumer **consumer);
/* Events that wait in the buffers, once open packets are closed. */
uint64_t consumer_left(struct consumer *c);
/* Where the streams go: a folder, which stays the caller's. */
void consumer_direct(struct consumer *c, int directory);
/* Makes the files of all streams, not each with its first packet. */
int consumer_make_files(struct consumer *c);
/* Copies in the background, from now on. */
int consumer_start(struct consumer *c);
/*
 * Closes open packets, and returns when the background has copied them.  What a
 * writer that this interrupts is about to commit may follow only the next time.
 */
int consumer_sync(struct consumer *c);
/* Readable when copying has failed. */
int consumer_fd(const struct consumer *c);
/*
 * When nobody writes events any more: ends the background, closes open packets
 * and copies what is left.
 */
int consumer_finish(struct consumer *c);
void consumer_destroy(struct consumer *c);

struct consumer_count {
	uint32_t cpu;
	uint64_t written; /* events, bytes: in the stream */
	uint64_t bytes;
	uint64_t produced;  /* events in packets that could be read so far */
	uint64_t unwritten; /* events left in the buffer after finish */
	uint64_t waiting;   /* bytes in packets not given back */
	uint64_t lost[KTRACE_LOST_NR];
};

size_t consumer_nr_cpus(const struct consumer *c);
void consumer_count(const struct consumer *c, size_t index,
		    struct consumer_count *count);
/*
 * After finish: 0, or why the buffer of a CPU that was plugged in meanwhile could not be
 * opened; what it has is not in the trace, all others are.
 */
int consumer_missed(const struct consumer *c, const char **why);
/* 0, or why copying failed. */
int consumer_error(const struct consumer *c);

#endif /* KT_LIB_RECORD_KERNEL_H */
