// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ktrace/session.h>
#include <ktrace/writer.h>

#include "maker.h"
#include "ring.h"

#define CLOCK_START	5000000000000ull
#define MONOTONIC_START 12000000000ull
#define REALTIME_START	1700000000000000000ull
#define FREQUENCY	2500000000ull

struct maker_cpu {
	struct kt_ring ring;
	struct kt_control control;
	int fd;
	bool programs;
	char line[128]; /* of the metadata; empty: none */
	bool stall;
	bool drop;
	u64 unwritten;
	u32 tid;
	u32 tgid;
	char comm[KT_COMM_LEN];
};

struct maker {
	struct ktrace_writer *writer;
	u32 nr_cpus;
	struct maker_cpu *cpus;
	const char *directory;
	uint32_t stacks; /* words of the file; 0: there is none */
};

static u64 now = CLOCK_START;
static const struct maker_cpu *current_cpu;

u64 env_clock(void)
{
	return now;
}

void env_current_task(u32 *tid, u32 *tgid, char *comm)
{
	*tid = current_cpu->tid;
	*tgid = current_cpu->tgid;
	memcpy(comm, current_cpu->comm, KT_COMM_LEN);
}

void env_wake(struct kt_ring *ring)
{
}

/* clang-format off */
#define FIELD(type, name, offset, size, sign)                             \
	"\tfield:" type " " name ";\toffset:" #offset ";\tsize:" #size \
	";\tsigned:" #sign ";\n"

static const char info[] =
	"event sched:sched_switch id 16 enabled 1 module vmlinux\n"
	"size: 56\ndynamic: 0\nformat:\n"
	FIELD("char", "prev_comm[16]", 0, 16, 0)
	FIELD("pid_t", "prev_pid", 16, 4, 1)
	FIELD("int", "prev_prio", 20, 4, 1)
	FIELD("long", "prev_state", 24, 8, 1)
	FIELD("char", "next_comm[16]", 32, 16, 0)
	FIELD("pid_t", "next_pid", 48, 4, 1)
	FIELD("int", "next_prio", 52, 4, 1)
	"\nprint fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s"
	" ==> next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, "
	"REC->prev_pid, REC->prev_prio, (REC->prev_state & (((0x1 | 0x2 | 0x4)"
	" + 1) * 2 - 1)) ? __print_flags(REC->prev_state & 0xff, \"|\", "
	"{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }) : \"R\", "
	"REC->prev_state & 0x100 ? \"+\" : \"\", REC->next_comm, "
	"REC->next_pid, REC->next_prio\n\n"

	"event sched:sched_wakeup id 17 enabled 1 module vmlinux\n"
	"size: 28\ndynamic: 0\nformat:\n"
	FIELD("char", "comm[16]", 0, 16, 0)
	FIELD("pid_t", "pid", 16, 4, 1)
	FIELD("int", "prio", 20, 4, 1)
	FIELD("int", "target_cpu", 24, 4, 1)
	"\nprint fmt: \"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "
	"REC->pid, REC->prio, REC->target_cpu\n\n"

	"event sched:sched_process_exec id 18 enabled 1 module vmlinux\n"
	"size: 12\ndynamic: 1\nformat:\n"
	FIELD("__data_loc char[]", "filename", 0, 4, 0)
	FIELD("pid_t", "pid", 4, 4, 1)
	FIELD("pid_t", "old_pid", 8, 4, 1)
	"\nprint fmt: \"filename=%s pid=%d old_pid=%d\", __get_str(filename), "
	"REC->pid, REC->old_pid\n\n"

	"event raw_syscalls:sys_enter id 19 enabled 1 module vmlinux\n"
	"size: 56\ndynamic: 0\nformat:\n"
	FIELD("long", "id", 0, 8, 1)
	FIELD("unsigned long", "args[6]", 8, 48, 0)
	"\nprint fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, "
	"REC->args[0], REC->args[1], REC->args[2], REC->args[3], "
	"REC->args[4], REC->args[5]\n\n"

	"event kmem:kmalloc id 20 enabled 1 module vmlinux\n"
	"size: 44\ndynamic: 0\nformat:\n"
	FIELD("unsigned long", "call_site", 0, 8, 0)
	FIELD("const void *", "ptr", 8, 8, 0)
	FIELD("size_t", "bytes_req", 16, 8, 0)
	FIELD("size_t", "bytes_alloc", 24, 8, 0)
	FIELD("unsigned long", "gfp_flags", 32, 8, 0)
	FIELD("int", "node", 40, 4, 1)
	"\nprint fmt: \"call_site=%pS ptr=%p bytes_req=%zu bytes_alloc=%zu "
	"gfp_flags=%s node=%d\", (void *)REC->call_site, REC->ptr, "
	"REC->bytes_req, REC->bytes_alloc, (REC->gfp_flags) ? "
	"__print_flags(REC->gfp_flags, \"|\", {(unsigned long)(0xc00u | 0xc0u),"
	" \"GFP_KERNEL\"}, {(unsigned long)0x800u, \"GFP_NOWAIT\"}, "
	"{(unsigned long)0x100u, \"__GFP_ZERO\"}) : \"none\", REC->node\n\n"

	"event timer:hrtimer_start id 21 enabled 1 module vmlinux\n"
	"size: 29\ndynamic: 0\nformat:\n"
	FIELD("void *", "hrtimer", 0, 8, 0)
	FIELD("void *", "function", 8, 8, 0)
	FIELD("s64", "expires", 16, 8, 1)
	FIELD("enum hrtimer_mode", "mode", 24, 4, 0)
	FIELD("bool", "was_armed", 28, 1, 0)
	"\nprint fmt: \"hrtimer=%p function=%ps expires=%llu mode=%s "
	"was_armed=%d\", REC->hrtimer, REC->function, (unsigned long long) "
	"REC->expires, __print_symbolic(REC->mode, { 0, \"ABS\" }, "
	"{ 1, \"REL\" }, { 2, \"ABS|PINNED\" }), REC->was_armed\n\n"

	"event block:block_rq_issue id 22 enabled 1 module vmlinux\n"
	"size: 48\ndynamic: 1\nformat:\n"
	FIELD("dev_t", "dev", 0, 4, 0)
	FIELD("sector_t", "sector", 8, 8, 0)
	FIELD("unsigned int", "nr_sector", 16, 4, 0)
	FIELD("char", "rwbs[8]", 20, 8, 0)
	FIELD("char", "comm[16]", 28, 16, 0)
	FIELD("__data_loc char[]", "cmd", 44, 4, 0)
	"\nprint fmt: \"%d,%d %s (%s) %llu + %u [%s]\", ((unsigned int) "
	"((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1)))"
	", REC->rwbs, __get_str(cmd), (unsigned long long)REC->sector, "
	"REC->nr_sector, REC->comm\n\n"

	"event net:packet id 23 enabled 1 module vmlinux\n"
	"size: 16\ndynamic: 1\nformat:\n"
	FIELD("u8", "mac[6]", 0, 6, 0)
	FIELD("__u8", "saddr[4]", 6, 4, 0)
	FIELD("u16", "port", 10, 2, 0)
	FIELD("__data_loc u32[]", "sizes", 12, 4, 0)
	"\nprint fmt: \"%pM %pI4 port=%u %s\", REC->mac, REC->saddr, "
	"REC->port, __print_array(__get_dynamic_array(sizes), "
	"__get_dynamic_array_len(sizes) / 4, 4)\n\n"

	"event ipi:ipi_send id 24 enabled 1 module vmlinux\n"
	"size: 16\ndynamic: 1\nformat:\n"
	FIELD("__data_loc cpumask_t", "mask", 0, 4, 0)
	FIELD("void *", "callback", 8, 8, 0)
	"\nprint fmt: \"cpumask=%s callback=%pS\", __get_cpumask(mask), "
	"REC->callback\n\n"

	"event power:cpu_idle id 25 enabled 1 module vmlinux\n"
	"size: 8\ndynamic: 0\nformat:\n"
	FIELD("u32", "state", 0, 4, 0)
	FIELD("u32", "cpu_id", 4, 4, 0)
	"\nprint fmt: \"state=%lu cpu_id=%lu\", (unsigned long)REC->state, "
	"(unsigned long)REC->cpu_id\n\n";
/* clang-format on */

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", what, strerror(errno),
		ktrace_last_error());
	return -1;
}

uint64_t maker_monotonic(uint64_t clock)
{
	return MONOTONIC_START + (clock - CLOCK_START) * 2 / 5;
}

void maker_sync(struct maker *maker)
{
	struct ktrace_sync sync = {
		.clock = now,
		.monotonic = maker_monotonic(now),
		.realtime = REALTIME_START + maker_monotonic(now),
	};

	if (ktrace_writer_clock(maker->writer, "tsc", FREQUENCY, &sync, true))
		fail("clock");
}

static int maker_metadata(struct maker *maker, const char *directory,
			  bool overwrite, uint64_t trace_id)
{
	char *command[] = {"make", "believe", NULL};
	struct ktrace_writer_head head = {
		.size = sizeof(head),
		.id = trace_id,
		.version = "ktrace 0.1.0",
		.host = "test",
		.kernel = "6.1.0",
		.machine = "x86_64",
		.command = command,
		.mode = overwrite ? "overwrite" : "discard",
		.nr_cpus = maker->nr_cpus,
		.start = REALTIME_START + MONOTONIC_START,
	};
	struct ktrace_types *types;

	if (ktrace_writer_create(directory, &head, &maker->writer) ||
	    ktrace_types_parse(info, strlen(info), "/nonexistent", &types))
		return fail(directory);
	maker_sync(maker);
	if (ktrace_writer_types(maker->writer, types))
		return fail(directory);
	ktrace_types_destroy(types);
	return 0;
}

struct maker *maker_create(const char *directory, uint32_t cpus,
			   uint32_t packets, bool overwrite, uint64_t trace_id)
{
	struct maker *maker = calloc(1, sizeof(*maker));
	char path[4096];
	u32 i;

	now = CLOCK_START;
	maker->nr_cpus = cpus;
	maker->directory = directory;
	maker->cpus = calloc(cpus, sizeof(*maker->cpus));
	if ((mkdir(directory, 0755) && errno != EEXIST) ||
	    maker_metadata(maker, directory, overwrite, trace_id)) {
		fail(directory);
		return NULL;
	}
	for (i = 0; i < cpus; i++) {
		struct maker_cpu *cpu = &maker->cpus[i];
		void *data = aligned_alloc(4096, packets * KT_PACKET_SIZE);
		u64 *marks = calloc(KT_RING_MARKS(packets), sizeof(*marks));

		strcpy(cpu->comm, "swapper");
		current_cpu = cpu;
		kt_ring_init(&cpu->ring, &cpu->control, data, marks, packets,
			     overwrite ? KT_MODE_OVERWRITE : KT_MODE_DISCARD, i,
			     trace_id);
		snprintf(path, sizeof(path), "%s/cpu%u", directory, i);
		cpu->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (cpu->fd < 0) {
			fail(path);
			return NULL;
		}
	}
	return maker;
}

void maker_time(struct maker *maker, uint64_t clock)
{
	if (clock > now)
		now = clock;
}

/* Writes complete packets, as the recorder does. */
static void maker_drain(struct maker_cpu *cpu)
{
	while (cpu->control.consumed < cpu->control.produced) {
		u64 seq = cpu->control.consumed;
		const struct kt_packet *packet =
			(void *)(cpu->ring.data +
				 (seq & (cpu->control.packets - 1)) *
					 KT_PACKET_SIZE);
		ssize_t n = (packet->used + 7) & ~7u;

		if (cpu->drop)
			cpu->unwritten += packet->events;
		else if (write(cpu->fd, packet, n) != n)
			fail("write");
		kt_ring_consume(&cpu->ring, seq);
	}
}

static bool maker_record(struct maker *maker, u32 c, u32 id,
			 const void *payload, u32 size, unsigned int flags)
{
	struct maker_cpu *cpu = &maker->cpus[c];
	struct kt_record record;
	void *p;

	current_cpu = cpu;
	p = kt_ring_reserve(&cpu->ring, &record, id, size, flags);
	if (!p)
		return false;
	memcpy(p, payload, size);
	kt_ring_commit(&cpu->ring, &record);
	if (!cpu->stall)
		maker_drain(cpu);
	return true;
}

bool maker_event(struct maker *maker, uint32_t cpu, enum maker_event id,
		 const void *payload, uint32_t size)
{
	bool dynamic = id == MAKER_EXEC || id == MAKER_BLOCK ||
		       id == MAKER_NET || id == MAKER_MASK;

	return maker_record(maker, cpu, id, payload, size,
			    dynamic ? KT_RECORD_DYNAMIC : 0);
}

bool maker_raw(struct maker *maker, uint32_t cpu, uint32_t id,
	       const void *payload, uint32_t size, bool dynamic)
{
	return maker_record(maker, cpu, id, payload, size,
			    dynamic ? KT_RECORD_DYNAMIC : 0);
}

void maker_programs(struct maker *maker, uint32_t cpu, uint32_t user,
		    uint32_t first_id, uint32_t nr_ids)
{
	struct maker_cpu *c = &maker->cpus[cpu];
	char from[4096], to[4096];
	int n;

	c->programs = true;
	snprintf(from, sizeof(from), "%s/cpu%u", maker->directory, cpu);
	snprintf(to, sizeof(to), "%s/programs%u", maker->directory, cpu);
	if (rename(from, to))
		fail(to);
	n = snprintf(c->line, sizeof(c->line),
		     "{\"type\":\"programs\",\"stream\":%u,\"user\":%u,"
		     "\"cpu\":%u",
		     cpu, user, cpu);
	if (nr_ids)
		n += snprintf(c->line + n, sizeof(c->line) - n,
			      ",\"first\":%u,\"events\":%u", first_id, nr_ids);
	snprintf(c->line + n, sizeof(c->line) - n, "}\n");
}

/* In plain text, not by the library: so the tests know the format. */
static int maker_lines(const struct maker *maker)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/metadata", maker->directory);
	f = fopen(path, "a");
	if (!f)
		return fail(path);
	for (u32 i = 0; i < maker->nr_cpus; i++)
		fputs(maker->cpus[i].line, f);
	return fclose(f) ? fail(path) : 0;
}

void maker_current(struct maker *maker, uint32_t cpu, uint32_t tid,
		   uint32_t tgid, const char *comm)
{
	struct maker_cpu *c = &maker->cpus[cpu];

	c->tid = tid;
	c->tgid = tgid;
	memset(c->comm, 0, sizeof(c->comm));
	memcpy(c->comm, comm, strnlen(comm, KT_COMM_LEN - 1));
}

bool maker_run(struct maker *maker, uint32_t cpu, uint32_t tid, uint32_t tgid,
	       const char *comm)
{
	struct kt_task_switch to = {.tid = tid};
	bool done = maker_record(maker, cpu, KT_ID_SWITCH, &to, sizeof(to),
				 KT_RECORD_TASK);

	maker_current(maker, cpu, tid, tgid, comm);
	return done;
}

static struct kt_task task_of(u32 tid, u32 tgid, u32 parent, const char *comm)
{
	struct kt_task task = {.tid = tid, .tgid = tgid, .parent = parent};

	memcpy(task.comm, comm, strnlen(comm, KT_COMM_LEN - 1));
	return task;
}

bool maker_task(struct maker *maker, uint32_t cpu, uint32_t tid, uint32_t tgid,
		uint32_t parent, const char *comm)
{
	struct kt_task task = task_of(tid, tgid, parent, comm);

	return maker_record(maker, cpu, KT_ID_TASK, &task, sizeof(task),
			    KT_RECORD_TASK);
}

bool maker_exit(struct maker *maker, uint32_t cpu, uint32_t tid)
{
	struct kt_task task = task_of(tid, tid, 0, "");

	return maker_record(maker, cpu, KT_ID_EXIT, &task, sizeof(task),
			    KT_RECORD_TASK);
}

bool maker_reserved(struct maker *maker, uint32_t cpu, uint32_t id,
		    const void *payload, uint32_t size)
{
	return maker_record(maker, cpu, id, payload, size,
			    KT_RECORD_TASK | KT_RECORD_DYNAMIC);
}

void maker_stall(struct maker *maker, uint32_t cpu, bool stall)
{
	maker->cpus[cpu].stall = stall;
	if (!stall)
		maker_drain(&maker->cpus[cpu]);
}

void maker_drop(struct maker *maker, uint32_t cpu, bool drop)
{
	maker->cpus[cpu].drop = drop;
}

uint64_t maker_lost(struct maker *maker, uint32_t cpu)
{
	const u64 *lost = maker->cpus[cpu].control.lost;

	return lost[KT_LOST_FULL] + lost[KT_LOST_OVERWRITTEN] +
	       lost[KT_LOST_NESTED] + lost[KT_LOST_LARGE] +
	       lost[KT_LOST_RECURSION];
}

void maker_refuse(struct maker *maker, uint32_t cpu, uint64_t events)
{
	maker->cpus[cpu].control.lost[KT_LOST_RECURSION] += events;
}

void maker_known(struct maker *maker, uint32_t tid, uint32_t tgid,
		 uint32_t parent, const char *comm)
{
	struct ktrace_task task = {tid, tgid, parent, comm};

	if (ktrace_writer_tasks(maker->writer, &task, 1))
		fail("tasks");
}

int maker_variant_of(struct maker *maker, enum maker_event id, uint32_t index,
		     const char *system, const char *name,
		     const struct ktrace_field *fields, uint32_t nr)
{
	static const struct ktrace_type base;
	struct ktrace_type variant = {
		.id = id,
		.index = index,
		.variant_of = &base,
		.system = system,
		.name = name,
		.nr_fields = nr,
		.fields = fields,
	};

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t end = fields[i].offset + fields[i].size;

		variant.size = end > variant.size ? end : variant.size;
	}
	return ktrace_writer_type(maker->writer, &variant);
}

int maker_type(struct maker *maker, const struct ktrace_type *type)
{
	return ktrace_writer_type(maker->writer, type);
}

uint32_t maker_stack_of(struct maker *maker, uint8_t kind,
			const uint64_t *words, uint16_t nr, uint8_t end)
{
	const struct kt_stacks begin = {KT_STACKS_MAGIC, KT_ABI_VERSION};
	const struct kt_stack stack = {.frames = nr, .end = end, .kind = kind};
	uint32_t id;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/stacks", maker->directory);
	f = fopen(path, maker->stacks ? "a" : "w");
	if (!f) {
		fail(path);
		return 0;
	}
	if (!maker->stacks)
		maker->stacks = fwrite(&begin, sizeof(begin), 1, f);
	id = maker->stacks;
	fwrite(&stack, sizeof(stack), 1, f);
	fwrite(words, sizeof(*words), nr, f);
	maker->stacks += sizeof(stack) / 8 + nr;
	return fclose(f) ? 0 : id;
}

uint32_t maker_stack(struct maker *maker, const uint64_t *addresses,
		     uint16_t nr, uint8_t end)
{
	return maker_stack_of(maker, KT_STACK_KERNEL, addresses, nr, end);
}

void maker_miss(struct maker *maker, const char *source, const char *reason,
		uint64_t count)
{
	const struct ktrace_miss miss = {source, reason, count, 0};

	if (ktrace_writer_misses(maker->writer, &miss, 1))
		fail("misses");
}

int maker_variant(struct maker *maker, enum maker_event id, uint32_t index,
		  const char *system, const char *name,
		  const struct ktrace_field *field)
{
	return maker_variant_of(maker, id, index, system, name, field, 1);
}

int maker_finish(struct maker *maker, bool cut)
{
	struct ktrace_cpu *ends = calloc(maker->nr_cpus, sizeof(*ends));
	int err = 0;
	u32 i, k;

	for (i = 0; i < maker->nr_cpus; i++) {
		struct maker_cpu *cpu = &maker->cpus[i];

		cpu->stall = false;
		maker_drain(cpu);
		current_cpu = cpu;
		kt_ring_flush(&cpu->ring);
		maker_drain(cpu);
		close(cpu->fd);
		ends[i].cpu = ends[i].stream = i;
		ends[i].programs = cpu->programs;
		ends[i].events = cpu->control.events;
		ends[i].recorded = cpu->control.events;
		for (k = 0; k < KT_LOST_NR; k++)
			ends[i].lost[k] = cpu->control.lost[k];
		ends[i].lost[KTRACE_LOST_UNWRITTEN] = cpu->unwritten;
		free(cpu->ring.data);
		free(cpu->ring.commits);
	}
	maker_sync(maker);
	if (!cut &&
	    ktrace_writer_end(maker->writer, ends, maker->nr_cpus, "stopped"))
		err = fail("end");
	ktrace_writer_destroy(maker->writer);
	err = maker_lines(maker) ?: err;
	free(ends);
	free(maker->cpus);
	free(maker);
	return err;
}
