// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See perf_side.h.
 *
 * The kernel tells what was mapped, and not what was unmapped: it stays until something else is there.  Packets
 * have a time only now and then.  So a place where nothing is mapped yet may be looked for in what comes soon.
 */
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "perf_code.h"
#include "perf_side.h"

/* ns: times of packets are not exact, but a packet with a time comes at each call of the kernel. */
#define SOON 100000000u
/* A process that others of so many generations have begun has a copy. */
#define DEPTH_MAX 32u
/* A process may have 65,530 mappings, most of them not of code. */
#define MAPS_MAX (16u << 10)
/* Of all processes and threads: what a damaged file asks for must not fill the memory. */
#define MOVES_MAX (1u << 20)
#define KEPT_MAX  (4u << 20)

static int no_memory(void)
{
	return error_set(-ENOMEM, "out of memory for branches");
}

static int too_much(void)
{
	return error_set(-E2BIG, "too many mappings of code");
}

/* ---- mapped code ---------------------------------------------------------- */

static int maps_put(struct code_maps *maps, const struct kt_branch_map *map)
{
	struct kt_branch_map *more, *old = maps->all, *to;

	if (maps->nr >= MAPS_MAX)
		return too_much();
	more = calloc(maps->nr + 2, sizeof(*more));
	if (!more)
		return no_memory();
	to = more;
	/* What is in front of it, with a part that it cuts off. */
	for (size_t i = 0; i < maps->nr && old[i].begin < map->begin; i++) {
		*to = old[i];
		if (to->end > map->begin)
			to->end = map->begin;
		to++;
	}
	*to++ = *map;
	for (size_t i = 0; i < maps->nr; i++) {
		if (old[i].end <= map->end)
			continue;
		*to = old[i];
		if (to->begin < map->end) {
			to->offset += map->end - to->begin;
			to->begin = map->end;
		}
		to++;
	}
	free(old);
	maps->all = more;
	maps->nr = to - more;
	return 0;
}

static int maps_move(struct code_maps *maps, const struct code_move *move)
{
	if (move->map.begin < move->map.end)
		return maps_put(maps, &move->map);
	maps->nr = 0;
	return 0;
}

static const struct kt_branch_map *maps_find(const struct code_maps *maps,
					     uint64_t address)
{
	size_t low = 0, high = maps->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (maps->all[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < maps->nr && maps->all[low].begin <= address
		       ? &maps->all[low]
		       : NULL;
}

/* ---- processes and threads ------------------------------------------------ */

static struct perf_process *process_get(struct perf_side *side, uint32_t pid)
{
	struct perf_process *process = table_find(&side->processes, pid);

	if (process)
		return process;
	process = arena_alloc(&side->arena, sizeof(*process));
	if (!process || table_add(&side->processes, pid, process))
		return NULL;
	process->pid = pid;
	return process;
}

struct perf_thread *perf_side_thread(const struct perf_side *side, uint32_t tid)
{
	return table_find(&side->threads, tid);
}

/* @pid: of its process.  NULL: no memory. */
static struct perf_thread *thread_get(struct perf_side *side, uint32_t tid,
				      uint32_t pid)
{
	struct perf_thread *thread = table_find(&side->threads, tid);

	if (!thread) {
		thread = arena_alloc(&side->arena, sizeof(*thread));
		if (!thread || table_add(&side->threads, tid, thread))
			return NULL;
		thread->tid = tid;
	}
	thread->process = process_get(side, pid);
	return thread->process ? thread : NULL;
}

static const struct code_move *move_at(const struct perf_process *process,
				       size_t i)
{
	while (i < process->inherited)
		process = process->origin;
	return &process->moves[i - process->inherited];
}

/* A shell begins many processes, each of which has what the shell has. */
static void inherit(struct perf_process *process,
		    const struct perf_process *parent)
{
	process->origin = parent;
	process->inherited = process->nr = parent->nr;
	process->depth = parent->depth + 1;
}

static int move_add(struct perf_side *side, struct perf_process *process,
		    const struct code_move *move)
{
	struct code_move *more =
		array_grow(process->moves, process->nr - process->inherited,
			   sizeof(*more));

	if (!more)
		return no_memory();
	process->moves = more;
	if (++side->nr_moves > MOVES_MAX)
		return too_much();
	more[process->nr++ - process->inherited] = *move;
	return 0;
}

/*
 * A new process has what that has which began it.  Its number may have been that of another one, which is not
 * there any more; when that began, is not known then.
 */
static int begin_take(struct perf_side *side, const struct perf_news *news)
{
	const struct code_move gone = {.time = news->time};
	bool again = perf_side_thread(side, news->tid);
	struct perf_thread *thread = thread_get(side, news->tid, news->pid);
	struct perf_process *parent =
		table_find(&side->processes, news->parent);
	int err = 0;

	if (!thread)
		return no_memory();
	if (!again)
		thread->begun = news->time;
	thread->ended = 0;
	if (!parent || news->parent == news->pid)
		return 0;
	/* What was there at first is told in any order. */
	if (thread->process->nr && !news->time)
		return 0;
	if (!thread->process->nr && parent->depth < DEPTH_MAX) {
		inherit(thread->process, parent);
		return 0;
	}
	if (thread->process->nr)
		err = move_add(side, thread->process, &gone);
	for (size_t i = 0, nr = parent->nr; !err && i < nr; i++) {
		struct code_move move = *move_at(parent, i);

		err = move_add(side, thread->process, &move);
	}
	return err;
}

static int map_take(struct perf_side *side, const struct perf_news *news)
{
	struct perf_thread *thread = thread_get(side, news->tid, news->pid);
	struct code_move move = {
		.time = news->time,
		.map =
			{
				.begin = news->map.begin,
				.end = news->map.end,
				.offset = news->map.offset,
			},
	};
	int err;

	if (!thread)
		return no_memory();
	err = perf_code_find(side, news, &move.map.file);
	return err ?: move_add(side, thread->process, &move);
}

static int news_take(struct perf_side *side, const struct perf_news *news)
{
	const struct code_move gone = {.time = news->time};
	struct perf_thread *thread;

	if (news->tid > PERF_TID_MAX || news->pid > PERF_TID_MAX)
		return 0;
	switch (news->kind) {
	case PERF_BEGINS:
		return begin_take(side, news);
	case PERF_MAPS:
		return map_take(side, news);
	default:
		thread = thread_get(side, news->tid, news->pid);
		if (!thread)
			return no_memory();
		if (news->kind == PERF_ENDS)
			thread->ended = news->time;
		else if (news->kind == PERF_EXECUTES)
			return move_add(side, thread->process, &gone);
		else
			memcpy(thread->comm, news->comm, sizeof(thread->comm));
		return 0;
	}
}

int perf_side_open(struct perf_side *side, struct perf_trace *trace,
		   struct program_tables *tables,
		   struct ktrace_branches_decoded *losses)
{
	int err = 0;

	*side = (struct perf_side){
		.trace = trace, .tables = tables, .losses = losses};
	for (size_t i = 0; !err && i < trace->nr_news; i++)
		err = news_take(side, &trace->news[i]);
	return err;
}

void perf_side_close(struct perf_side *side)
{
	perf_codes_free(side);
	for (size_t i = 0; i < side->processes.size; i++) {
		struct perf_process *process = side->processes.slots[i].value;

		if (!process)
			continue;
		free(process->moves);
		free(process->maps.all);
	}
	table_free(&side->processes);
	table_free(&side->threads);
	table_free(&side->files);
	arena_destroy(&side->arena);
}

/* ---- who runs ------------------------------------------------------------- */

/* How many are of CPUs before this one. */
static size_t turns_before(const struct perf_trace *trace, uint32_t cpu)
{
	size_t low = 0, high = trace->nr_turns;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (trace->turns[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Turns are sorted by CPU; first those that packets end. */
void perf_side_begin(struct perf_side *side, const struct perf_part *part)
{
	const struct perf_trace *trace = side->trace;
	size_t first = turns_before(trace, part->cpu), end;

	for (end = first; end < trace->nr_turns &&
			  trace->turns[end].cpu == part->cpu &&
			  trace->turns[end].end;)
		end++;
	side->part = part;
	side->turns = trace->turns + first;
	side->nr_packets = end - first;
	while (end < trace->nr_turns && trace->turns[end].cpu == part->cpu)
		end++;
	side->nr_told = end - first - side->nr_packets;
	side->hole = 0;
	side->now = NULL;
	side->run++;
}

/*
 * Who had the CPU last before @time; 0: not known.  PERF_LOST: and the records that could tell were lost, be they
 * of then or of later.
 */
static uint32_t told_at(const struct perf_side *side, uint64_t time)
{
	const struct perf_turn *told = side->turns + side->nr_packets;
	size_t low = 0, high = side->nr_told;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (told[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < side->nr_told && told[low].tid == PERF_LOST)
		return PERF_LOST;
	return low ? told[low - 1].tid : 0;
}

/* Whose packets these are. */
static const struct perf_turn *packets_at(const struct perf_side *side,
					  uint64_t offset)
{
	size_t low = 0, high = side->nr_packets;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (side->turns[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < side->nr_packets ? &side->turns[low] : NULL;
}

/* What could not be done for want of memory is missing: its code is not found. */
static void moves_do(struct perf_process *process, size_t until)
{
	while (process->done < until &&
	       !maps_move(&process->maps, move_at(process, process->done)))
		process->done++;
}

static void moves_do_until(struct perf_process *process, uint64_t time)
{
	size_t until = process->done;

	while (until < process->nr && move_at(process, until)->time <= time)
		until++;
	moves_do(process, until);
}

/* Of each run of packets, what is mapped is found from the beginning. */
static void process_begin(struct perf_process *process, uint64_t run)
{
	if (process->run == run)
		return;
	process->run = run;
	process->maps.nr = process->done = 0;
}

uint32_t perf_side_runs(void *data, uint64_t offset, uint64_t tsc,
			uint64_t *time)
{
	struct perf_side *side = data;
	const struct perf_turn *packets = packets_at(side, offset);
	uint32_t tid = side->part->tid;

	if (tsc && side->trace->clock.known)
		*time = perf_time(&side->trace->clock, tsc);
	else if (packets)
		*time = packets->time;
	if (side->part->cpu != PERF_NO_CPU) {
		tid = 0;
		if (tsc && side->trace->clock.known && side->trace->switches)
			tid = told_at(side, *time);
		if (!tid && packets)
			tid = packets->tid;
	}
	if (tid > PERF_TID_MAX)
		tid = 0;
	side->now = tid ? perf_side_thread(side, tid) : NULL;
	if (!side->now)
		return 0;
	side->now->seen = true;
	process_begin(side->now->process, side->run);
	if (*time < side->now->begun)
		*time = side->now->begun;
	moves_do_until(side->now->process, *time);
	return tid;
}

bool perf_side_missing(void *data, uint64_t offset)
{
	struct perf_side *side = data;
	const struct perf_trace *trace = side->trace;
	const struct perf_part *part = side->part;
	bool missing = false;

	for (; side->hole < trace->nr_holes; side->hole++) {
		const struct perf_hole *hole = &trace->holes[side->hole];

		if (hole->offset > offset)
			break;
		/* The packets of a thread come from wherever it ran. */
		missing |= part->cpu == PERF_NO_CPU ? hole->tid == part->tid
						    : hole->cpu == part->cpu;
	}
	return missing;
}

size_t perf_side_code(void *data, void *bytes, size_t size, uint64_t address,
		      uint64_t *time)
{
	struct perf_side *side = data;
	struct perf_process *process = side->now ? side->now->process : NULL;
	const struct kt_branch_map *map;
	size_t next;

	if (!process)
		return 0;
	map = maps_find(&process->maps, address);
	for (next = process->done; !map && next < process->nr; next++) {
		const struct code_move *move = move_at(process, next);

		if (*time && move->time > *time + SOON)
			break;
		if (address < move->map.begin || address >= move->map.end)
			continue;
		moves_do(process, next + 1);
		*time = move->time;
		map = maps_find(&process->maps, address);
	}
	if (!map)
		return 0;
	if (size > map->end - address)
		size = map->end - address;
	return perf_code_read(side, map->file, bytes, size,
			      map->offset + (address - map->begin));
}

/* ---- what was mapped ------------------------------------------------------ */

static int visit_add(struct cpus *cpus, const struct perf_thread *thread,
		     const struct code_maps *maps, uint64_t time,
		     uint32_t number)
{
	struct visit *more =
		array_grow(cpus->visits, cpus->nr_visits, sizeof(*more));
	struct kt_branch_map *copy = malloc((maps->nr + 1) * sizeof(*copy));

	if (more)
		cpus->visits = more;
	if (!more || !copy) {
		free(copy);
		return no_memory();
	}
	if (maps->nr)
		memcpy(copy, maps->all, maps->nr * sizeof(*copy));
	more += cpus->nr_visits++;
	*more = (struct visit){
		.tid = thread->tid,
		.change = {.number = number,
			   .since = time,
			   .maps = copy,
			   .nr = maps->nr},
	};
	memcpy(more->comm, thread->comm, sizeof(more->comm));
	return 0;
}

static int thread_visits(const struct perf_thread *thread, struct cpus *cpus,
			 size_t *kept)
{
	const struct perf_process *process = thread->process;
	struct code_maps maps = {0};
	uint32_t number = 0;
	int err = 0;

	for (size_t i = 0; !err && i < process->nr; i++) {
		uint64_t time = move_at(process, i)->time, next;

		err = maps_move(&maps, move_at(process, i));
		next = i + 1 < process->nr ? move_at(process, i + 1)->time
					   : UINT64_MAX;
		if (err || (i + 1 < process->nr &&
			    (next == time || next <= thread->begun)))
			continue;
		*kept += maps.nr;
		err = *kept > KEPT_MAX
			      ? too_much()
			      : visit_add(cpus, thread, &maps, time, number);
		/* Times are not exact: what is not there yet may be in the next one. */
		number += 2;
	}
	free(maps.all);
	return err;
}

int perf_side_visits(struct perf_side *side, struct cpus *cpus)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; !err && i < side->threads.size; i++) {
		const struct perf_thread *thread = side->threads.slots[i].value;

		if (thread && thread->seen)
			err = thread_visits(thread, cpus, &kept);
	}
	return err;
}
