/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Makes traces as a machine would: one ring of the core for each CPU, whose packets are
 * written to files, and metadata by the library.  Only the clock is not real: the caller
 * sets the time of each event, so that a test knows the whole content of the trace.
 */
#ifndef KT_TESTS_MAKER_H
#define KT_TESTS_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include <ktrace/trace.h>
#include <ktrace/types.h>

/* The events that can be made; the description is in maker.c. */
enum maker_event {
	MAKER_SWITCH = 16, /* sched:sched_switch */
	MAKER_WAKEUP,	   /* sched:sched_wakeup */
	MAKER_EXEC,	   /* sched:sched_process_exec: a string */
	MAKER_SYSCALL,	   /* raw_syscalls:sys_enter: an array */
	MAKER_KMALLOC,	   /* kmem:kmalloc: flags, an address */
	MAKER_TIMER,	   /* timer:hrtimer_start: names, a bool */
	MAKER_BLOCK,	   /* block:block_rq_issue: a device, strings */
	MAKER_NET,	   /* net:packet: addresses, a sequence of integers */
	MAKER_MASK,	   /* ipi:ipi_send: a bitmask */
	MAKER_PLAIN,	   /* power:cpu_idle */
	MAKER_END,
};

struct maker_switch {
	char prev_comm[16];
	int32_t prev_pid;
	int32_t prev_prio;
	int64_t prev_state;
	char next_comm[16];
	int32_t next_pid;
	int32_t next_prio;
};

struct maker_wakeup {
	char comm[16];
	int32_t pid;
	int32_t prio;
	int32_t target_cpu;
};

/* With __data_loc words: u16 offset, u16 length. */
struct maker_exec {
	uint32_t filename;
	int32_t pid;
	int32_t old_pid;
	char data[];
};

struct maker_syscall {
	int64_t id;
	uint64_t args[6];
};

struct maker_kmalloc {
	uint64_t call_site;
	uint64_t ptr;
	uint64_t bytes_req;
	uint64_t bytes_alloc;
	uint64_t gfp_flags;
	int32_t node;
} __attribute__((packed));

struct maker_timer {
	uint64_t hrtimer;
	uint64_t function;
	int64_t expires;
	uint32_t mode;
	uint8_t was_armed;
} __attribute__((packed));

struct maker_block {
	uint32_t dev;
	uint32_t pad;
	uint64_t sector;
	uint32_t nr_sector;
	char rwbs[8];
	char comm[16];
	uint32_t cmd;
	char data[];
};

struct maker_net {
	uint8_t mac[6];
	uint8_t saddr[4];
	uint16_t port;
	uint32_t sizes;
	uint32_t data[];
};

struct maker_mask {
	uint32_t mask;
	uint32_t pad;
	uint64_t callback;
	uint64_t data[];
};

struct maker_plain {
	uint32_t state;
	uint32_t cpu_id;
};

struct maker;

/* @packets: of each ring.  NULL: an error, which was printed to stderr. */
struct maker *maker_create(const char *directory, uint32_t cpus,
			   uint32_t packets, bool overwrite, uint64_t trace_id);
/* Sets the clock, which must not go back; the trace has 2.5 ticks per ns. */
void maker_time(struct maker *maker, uint64_t clock);
uint64_t maker_monotonic(uint64_t clock);
void maker_sync(struct maker *maker);

/* Writes a record; false: it is lost, and counted. */
bool maker_event(struct maker *maker, uint32_t cpu, enum maker_event id,
		 const void *payload, uint32_t size);
/* An event of a type that the maker does not know. */
bool maker_raw(struct maker *maker, uint32_t cpu, uint32_t id,
	       const void *payload, uint32_t size, bool dynamic);
/* Task records.  maker_run() also sets the task in packet headers. */
bool maker_run(struct maker *maker, uint32_t cpu, uint32_t tid, uint32_t tgid,
	       const char *comm);
bool maker_task(struct maker *maker, uint32_t cpu, uint32_t tid, uint32_t tgid,
		uint32_t parent, const char *comm);
bool maker_exit(struct maker *maker, uint32_t cpu, uint32_t tid);
/* A record of a future kind: KT_ID_EXIT < @id < KT_ID_FIRST. */
bool maker_reserved(struct maker *maker, uint32_t cpu, uint32_t id,
		    const void *payload, uint32_t size);
/*
 * From now on the CPU's stream is that of programs of @user on it.  @nr_ids: of his markers, from
 * @first_id on; 0: the metadata does not say which.  To be called before its first record.
 */
void maker_programs(struct maker *maker, uint32_t cpu, uint32_t user,
		    uint32_t first_id, uint32_t nr_ids);
/* Sets who runs, without a record. */
void maker_current(struct maker *maker, uint32_t cpu, uint32_t tid,
		   uint32_t tgid, const char *comm);

/* A reader that is too slow: packets stay in the ring until it continues. */
void maker_stall(struct maker *maker, uint32_t cpu, bool stall);
/* A full disk: what is read meanwhile is lost, and counted. */
void maker_drop(struct maker *maker, uint32_t cpu, bool drop);
uint64_t maker_lost(struct maker *maker, uint32_t cpu);
/* Counts a loss as a probe does that does not call the ring. */
void maker_refuse(struct maker *maker, uint32_t cpu, uint64_t events);

/* A variant of the event, for payloads that begin with @index: it has one field. */
int maker_variant(struct maker *maker, enum maker_event id, uint32_t index,
		  const char *system, const char *name,
		  const struct ktrace_field *field);
/* With any number of fields. */
int maker_variant_of(struct maker *maker, enum maker_event id, uint32_t index,
		     const char *system, const char *name,
		     const struct ktrace_field *fields, uint32_t nr);

/* A type that the maker does not know; its records are made by maker_raw(). */
int maker_type(struct maker *maker, const struct ktrace_type *type);
/*
 * Adds a stack to the trace's file `stacks'; @end: enum kt_stack_end.  Returns its id; 0: an
 * error.  Addresses are innermost first.
 */
uint32_t maker_stack(struct maker *maker, const uint64_t *addresses,
		     uint16_t nr, uint8_t end);
/* The same of a kind of enum kt_stack_kind; or another entry of these words. */
uint32_t maker_stack_of(struct maker *maker, uint8_t kind,
			const uint64_t *words, uint16_t nr, uint8_t end);

/* Adds a task to the task table at the start. */
void maker_known(struct maker *maker, uint32_t tid, uint32_t tgid,
		 uint32_t parent, const char *comm);
/* What the recorder says that a source has missed.  @reason NULL: none. */
void maker_miss(struct maker *maker, const char *source, const char *reason,
		uint64_t count);
/* Flushes, and ends the metadata unless @cut. */
int maker_finish(struct maker *maker, bool cut);

#endif /* KT_TESTS_MAKER_H */
