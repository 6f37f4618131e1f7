// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Plays a processor with Intel's PT, and perf: makes a file as `perf record -e intel_pt//u' does.
 *
 *	packets FILE PROGRAM STEPS THREADS [cpus | noswitch | overflow | truncated |
 *	        vdso | events | ids | endless | lost | other | again | later | files | kernel | vdso32 | forks | overlap]
 *
 * STEPS is the output of `branches step PROGRAM' (tests/kernel/programs): where PROGRAM was at each stop.
 * THREADS processes, 1001 and so on, have all taken that way.  The packets are made by libipt's encoder.
 * cpus: they share two CPUs, and move at system calls; otherwise each has a buffer of its own.
 * noswitch: the same, but nobody tells who runs, except for who began the trace.
 * truncated: the first one's packets are lost for a while, because there is no room.
 * vdso: not the program, but our vDSO is what ran: its getcpu, again and again.
 * events: there are two kinds of events, with different things behind their records; ids: one has too many numbers.
 * endless: PROGRAM is bytes of a loop that needs no packets, at ENDLESS.
 * lost: as cpus, but nobody tells of the last thread; and the kernel loses forty of its records.
 * other: the build id in the file is that of another program.
 * again: as cpus, and an hour later, another process has the first one's number; later: then only, the first
 * one's program is mapped.
 * files: 200 other files are mapped, in the folder files.
 * kernel: it was asked for, too.
 * vdso32: as vdso, but where 32-bit programs have it.
 * forks: a shell has the program, and many other mappings; it has begun all threads, and 18,000 others.
 * overlap: each piece of packets begins with what the one before has, too.
 * overflow: in the midst of the first one, the processor loses packets; prints the step at which they go on.
 */
#include <dlfcn.h>
#include <elf.h>
#include <intel-pt.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "instruction.h"

#define PT_TYPE	       8 /* number of the kind of events */
#define FIRST_TID      1001u
#define STREAM_SIZE    (64u << 20)
#define SYNC_EVERY     4096u /* bytes */
#define TICK	       1000u /* of the processor's time, between two moments */
#define PIECE_MAX      6563u /* bytes: no multiple of 8 */
#define ENDLESS	       0x400000u
#define HOUR	       3600000000000ull /* ns */
#define SHELL	       500u		/* its number */
#define OVERFLOW_AT    3000u		/* steps */
#define OVERFLOW_STEPS 500u

enum { AUXTRACE_INFO = 70, AUXTRACE = 71 };
/* What a file tells besides, in perf's header.h. */
enum { BUILD_ID = 2, HOSTNAME = 3, OSRELEASE = 4, AUX_INDEX = 18 };

/* ---- the program ---------------------------------------------------------- */

static struct {
	const char *path;
	uint8_t *bytes;
	size_t size;
	Elf64_Phdr code;
} program;

struct step {
	uint64_t ip;
	bool signal; /* by a signal */
};

static struct step *steps;
static size_t nr_steps;

static void fail(const char *what)
{
	fprintf(stderr, "packets: %s\n", what);
	exit(2);
}

static void program_read(const char *path)
{
	FILE *f = fopen(path, "re");
	Elf64_Ehdr *head;

	program.path = realpath(path, NULL);
	program.bytes = malloc(64 << 20);
	program.size = f ? fread(program.bytes, 1, 64 << 20, f) : 0;
	if (!program.path || program.size < sizeof(*head))
		fail(path);
	fclose(f);
	head = (Elf64_Ehdr *)program.bytes;
	for (int i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr *part =
			(Elf64_Phdr *)(program.bytes + head->e_phoff) + i;

		if (part->p_type == PT_LOAD && part->p_flags & PF_X)
			program.code = *part;
	}
}

static void steps_read(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long ip;
	char line[80], word[20];

	steps = malloc(sizeof(*steps) * 4000000);
	while (f && fgets(line, sizeof(line), f) && nr_steps < 4000000) {
		int words = sscanf(line, "%llx %19s", &ip, word);

		if (words > 0)
			steps[nr_steps++] = (struct step){ip, words == 2};
	}
	if (nr_steps < 2)
		fail(path);
	fclose(f);
}

static struct kt_instruction instruction_at(uint64_t ip);

/* As it is in memory, so it may be far from the addresses of programs. */
static void vdso_walk(bool is_32bit)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	uint64_t begin = vdso ? (uint64_t)dlsym(vdso, "__vdso_getcpu") : 0;

	program.path = "[vdso]";
	program.bytes = (uint8_t *)getauxval(AT_SYSINFO_EHDR);
	program.code = (Elf64_Phdr){
		.p_vaddr = is_32bit ? 0xf7f00000 : (uint64_t)program.bytes,
		.p_filesz = 8192,
		.p_memsz = 8192,
	};
	steps = malloc(sizeof(*steps) * 10000);
	if (!begin)
		fail("no vDSO");
	begin += program.code.p_vaddr - (uint64_t)program.bytes;
	for (uint64_t ip = begin; nr_steps < 5000;) {
		struct kt_instruction instruction = instruction_at(ip);

		steps[nr_steps++] = (struct step){ip, false};
		ip = instruction.kind == KT_BRANCH_RETURN
			     ? begin
			     : ip + instruction.length;
	}
}

static struct kt_instruction instruction_at(uint64_t ip)
{
	struct kt_instruction instruction;
	uint64_t offset = ip - program.code.p_vaddr;

	if (offset >= program.code.p_filesz ||
	    !kt_instruction_decode(&instruction,
				   program.bytes + program.code.p_offset +
					   offset,
				   program.code.p_filesz - offset, false))
		fail("an instruction is not in the program");
	return instruction;
}

/* ---- packets -------------------------------------------------------------- */

struct stream {
	uint8_t *bytes;
	struct pt_encoder *encoder;
	uint64_t synced; /* where the last PSB is */
	uint64_t bits;	 /* of conditional branches, the oldest one first */
	int nr_bits;
	uint64_t told; /* up to here, records tell of the packets */
};

static uint64_t now = 1000000; /* the processor's time */

static void packet(struct stream *s, struct pt_packet p)
{
	if (pt_enc_next(s->encoder, &p) < 0)
		fail("a packet cannot be made");
}

static uint64_t size_of(const struct stream *s)
{
	uint64_t offset;

	pt_enc_get_offset(s->encoder, &offset);
	return offset;
}

static void bits_flush(struct stream *s)
{
	if (s->nr_bits)
		packet(s,
		       (struct pt_packet){
			       .type = s->nr_bits > 6 ? ppt_tnt_64 : ppt_tnt_8,
			       .payload.tnt = {s->nr_bits, s->bits}});
	s->nr_bits = 0;
	s->bits = 0;
}

static void bit(struct stream *s, bool taken)
{
	s->bits = s->bits << 1 | taken;
	/* Both forms are met. */
	if (++s->nr_bits >= (size_of(s) & 64 ? 6 : 47))
		bits_flush(s);
}

static void place(struct stream *s, enum pt_packet_type type, uint64_t ip)
{
	bits_flush(s);
	packet(s, (struct pt_packet){.type = type,
				     .payload.ip = {ip ? pt_ipc_sext_48
						       : pt_ipc_suppressed,
						    ip & 0xffffffffffffull}});
}

static void plain(struct stream *s, enum pt_packet_type type)
{
	bits_flush(s);
	packet(s, (struct pt_packet){.type = type});
}

static void time_put(struct stream *s)
{
	bits_flush(s);
	packet(s, (struct pt_packet){.type = ppt_tsc, .payload.tsc = {now}});
}

static void mode(struct stream *s)
{
	struct pt_packet p = {.type = ppt_mode};

	p.payload.mode.leaf = pt_mol_exec;
	p.payload.mode.bits.exec = pt_set_exec_mode(ptem_64bit);
	packet(s, p);
}

/* Decoding can begin here.  @ip: 0: nothing is traced just now. */
static void sync_put(struct stream *s, uint64_t ip)
{
	bits_flush(s);
	s->synced = size_of(s);
	plain(s, ppt_psb);
	time_put(s);
	if (ip) {
		mode(s);
		place(s, ppt_fup, ip);
	}
	plain(s, ppt_psbend);
}

static void stream_open(struct stream *s)
{
	struct pt_config config;

	pt_config_init(&config);
	s->bytes = malloc(STREAM_SIZE);
	config.begin = s->bytes;
	config.end = s->bytes + STREAM_SIZE;
	s->encoder = pt_alloc_encoder(&config);
	if (!s->encoder)
		fail("no encoder");
	sync_put(s, 0);
}

static void go_on(struct stream *s, uint64_t ip)
{
	now += TICK;
	time_put(s);
	mode(s);
	place(s, ppt_tip_pge, ip);
}

/* From one step to the next.  True: the program was in the kernel in between. */
static bool step_encode(struct stream *s, size_t number)
{
	const struct step *step = &steps[number], *next = step + 1;
	struct kt_instruction instruction = instruction_at(step->ip);
	uint64_t behind = step->ip + instruction.length;

	if (next->signal && instruction.kind != KT_BRANCH_SYSCALL) {
		place(s, ppt_fup, step->ip);
		place(s, ppt_tip_pgd, 0);
		return true;
	}
	switch (instruction.kind) {
	case KT_BRANCH_CONDITIONAL:
		bit(s, next->ip != behind);
		break;
	case KT_BRANCH_INDIRECT:
	case KT_BRANCH_INDIRECT_CALL:
	case KT_BRANCH_RETURN:
		place(s, ppt_tip, next->ip);
		break;
	case KT_BRANCH_SYSCALL:
		place(s, ppt_tip_pgd, 0);
		return true;
	case KT_BRANCH_NONE:
		/* The debugger does not stop behind some instructions. */
		if (next->ip != behind && next->ip != step->ip &&
		    next->ip != behind + instruction_at(behind).length)
			fail("a step leads elsewhere");
		break;
	}
	return false;
}

/* ---- the file ------------------------------------------------------------- */

static FILE *file;

static void put(const void *bytes, size_t size)
{
	if (fwrite(bytes, 1, size, file) != size)
		fail("the file cannot be written");
}

#define SAMPLE_TYPE                                            \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

struct who {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, pad;
	uint64_t id;
};

static void record(uint32_t type, uint16_t misc, const void *body, size_t size,
		   uint32_t tid, uint32_t cpu, uint64_t time)
{
	struct perf_event_header head = {
		.type = type,
		.misc = misc,
		.size = sizeof(head) + size + sizeof(struct who),
	};
	/* What perf tells of the beginning has no event. */
	struct who who = {tid, tid, time, cpu, 0, time ? 1 : 0};

	put(&head, sizeof(head));
	put(body, size);
	put(&who, sizeof(who));
}

static void map_tell(uint32_t tid, uint64_t time, const char *path,
		     uint64_t begin, uint64_t size, uint64_t offset)
{
	struct {
		uint32_t pid, tid;
		uint64_t begin, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char path[256];
	} map = {
		.pid = tid,
		.tid = tid,
		.begin = begin,
		.size = size,
		.offset = offset,
		.protection = 5,
		.flags = 2,
	};

	snprintf(map.path, sizeof(map.path), "%s", path);
	record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &map,
	       offsetof(typeof(map), path) + (strlen(map.path) / 8 + 1) * 8,
	       tid, 0, time);
}

static void process_tell(uint32_t tid, uint64_t time)
{
	struct {
		uint32_t pid, tid;
		char comm[16];
	} comm = {tid, tid, "branched"};

	record(PERF_RECORD_COMM, 0, &comm, sizeof(comm), tid, 0, time);
	map_tell(tid, time, program.path, program.code.p_vaddr,
		 (program.code.p_memsz + 4095) & ~4095ull,
		 program.code.p_offset);
}

/* Files 0 and so on, in this folder. */
static void files_tell(uint32_t nr)
{
	char folder[200], path[256];

	if (!getcwd(folder, sizeof(folder)))
		fail("no folder");
	for (uint32_t i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s/files/%u", folder, i);
		map_tell(FIRST_TID, 0, path, 0x7f0000000000 + i * 0x10000ull,
			 0x1000, 0);
	}
}

static void begin_tell(uint32_t tid, uint32_t parent, uint64_t time)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} body = {tid, parent, tid, parent, time};

	record(PERF_RECORD_FORK, 0, &body, sizeof(body), tid, 0, body.time);
}

static void forks_tell(uint32_t threads)
{
	process_tell(SHELL, 0);
	for (uint64_t i = 0; i < 60; i++)
		map_tell(SHELL, 0, program.path, 0x7f0000000000 + i * 0x10000,
			 0x1000, 0);
	for (uint32_t i = 0; i < threads; i++)
		begin_tell(FIRST_TID + i, SHELL, 1);
	for (uint32_t i = 0; i < 18000; i++)
		begin_tell(10000 + i, SHELL, 1 + i);
}

static void turn_tell(uint32_t tid, uint32_t cpu)
{
	record(PERF_RECORD_SWITCH, 0, "", 0, tid, cpu, now);
}

static void start_tell(uint32_t tid, uint32_t cpu)
{
	uint32_t body[2] = {tid, tid};

	record(PERF_RECORD_ITRACE_START, 0, body, sizeof(body), tid, cpu, now);
}

/* On both CPUs. */
static void lost_tell(uint64_t nr)
{
	const uint64_t body[2] = {1, nr};

	for (uint32_t cpu = 0; cpu < 2; cpu++)
		record(PERF_RECORD_LOST, 0, body, sizeof(body), 0, cpu, now);
}

static void packets_tell(struct stream *s, uint32_t tid, uint32_t cpu,
			 uint64_t flags)
{
	uint64_t aux[3] = {s->told, size_of(s) - s->told, flags};

	record(PERF_RECORD_AUX, 0, aux, sizeof(aux), tid, cpu, now);
	s->told += aux[1];
}

static void exit_tell(uint32_t tid, uint32_t cpu)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} body = {tid, 1, tid, 1, now};

	record(PERF_RECORD_EXIT, 0, &body, sizeof(body), tid, cpu, now);
}

/* Bytes that two pieces both have. */
static uint64_t overlap;

/* The packets, in pieces that follow each other. */
static void stream_put(const struct stream *s, uint32_t number, uint32_t tid,
		       uint32_t cpu)
{
	struct {
		struct perf_event_header head;
		uint64_t size, offset, reference;
		uint32_t idx, tid, cpu, pad;
	} part = {
		.head = {AUXTRACE, 0, sizeof(part)},
		.idx = number,
		.tid = tid,
		.cpu = cpu,
	};
	uint64_t size = size_of(s);

	while (part.offset < size) {
		uint64_t piece = size - part.offset;

		if (piece > PIECE_MAX)
			piece = PIECE_MAX;
		/* perf fills them up to 8 bytes, and counts on without these. */
		part.size = (piece + 7) & ~7ull;
		put(&part, sizeof(part));
		put(s->bytes + part.offset, piece);
		put("\0\0\0\0\0\0\0", part.size - piece);
		part.offset += piece;
		if (part.offset < size)
			part.offset -= overlap;
	}
}

static struct {
	char magic[8];
	uint64_t size, attr_size, attrs, attrs_size, data, data_size, types,
		types_size, features[4];
} header = {.magic = "PERFILE2", .size = sizeof(header)};

static void file_begin(const char *path, bool cpus, bool events, uint64_t ids,
		       bool kernel)
{
	struct {
		struct perf_event_attr attr;
		uint64_t ids, ids_size;
	} event[2] = {{
		.attr =
			{
				.type = PT_TYPE,
				.size = sizeof(event->attr),
				.config =
					0xc00, /* times, and no short returns */
				.sample_period = 1,
				.sample_type = SAMPLE_TYPE,
				.disabled = 1,
				.exclude_kernel = !kernel,
				.exclude_hv = 1,
				.sample_id_all = 1,
				.context_switch = 1,
			},
		.ids = sizeof(header),
		.ids_size = 8,
	}};
	const uint64_t id[2] = {1, 2};
	struct {
		struct perf_event_header head;
		uint32_t type, pad;
		uint64_t words[17];
	} info = {
		.head = {AUXTRACE_INFO, 0, sizeof(info)},
		.type = 1,
		/* Times: 1 unit is 1 ns; bits of times and of short returns. */
		.words = {PT_TYPE, 0, 1, 0, 1, 0x400, 0x800, cpus ? 2 : 0, 0,
			  cpus},
	};

	file = fopen(path, "we");
	if (!file)
		fail(path);
	event[1] = event[0];
	event[1].attr.type = PERF_TYPE_SOFTWARE;
	event[1].attr.sample_type &= ~PERF_SAMPLE_CPU;
	event[1].ids = sizeof(header) + 8;
	event[1].ids_size = ids * 8;
	header.attr_size = sizeof(*event);
	header.attrs_size = (1 + events) * sizeof(*event);
	header.attrs = sizeof(header) + sizeof(id);
	header.data = header.attrs + header.attrs_size;
	put(&header, sizeof(header));
	put(id, sizeof(id));
	put(event, header.attrs_size);
	put(&info, sizeof(info));
}

static void file_end(bool other)
{
	struct {
		struct {
			uint64_t offset, size;
		} sections[4];
		struct {
			struct perf_event_header head;
			uint32_t pid;
			uint8_t id[20], size, pad[3];
			char path[256];
		} build_id;
		struct {
			uint32_t size;
			char text[128];
		} host, release;
		uint64_t index;
	} told = {.build_id = {.head = {67, PERF_RECORD_MISC_USER | 1 << 15,
					sizeof(told.build_id)},
			       .id = {1, 2, 3},
			       .size = other ? 20 : 0},
		  .host = {128, "host"},
		  .release = {128, ""}};
	struct utsname name;

	uname(&name);
	snprintf(told.release.text, sizeof(told.release.text), "%s",
		 name.release);
	header.data_size = ftell(file) - header.data;
	snprintf(told.build_id.path, sizeof(told.build_id.path), "%s",
		 program.path);
	for (int i = 0; i < 4; i++) {
		static const size_t at[] = {offsetof(typeof(told), build_id),
					    offsetof(typeof(told), host),
					    offsetof(typeof(told), release),
					    offsetof(typeof(told), index),
					    sizeof(told)};

		told.sections[i].offset =
			header.data + header.data_size + at[i];
		told.sections[i].size = at[i + 1] - at[i];
	}
	/* perf looks whether there is an index of packets, which may be empty. */
	header.features[0] =
		1 << BUILD_ID | 1 << HOSTNAME | 1 << OSRELEASE | 1 << AUX_INDEX;
	put(&told, sizeof(told));
	rewind(file);
	put(&header, sizeof(header));
	if (fclose(file))
		fail("the file cannot be written");
}

/* ---- who runs ------------------------------------------------------------- */

/* The program, until it comes back from the kernel.  False: it has ended. */
static bool run(struct stream *s, size_t *at, bool overflows)
{
	go_on(s, steps[*at].ip);
	while (*at + 1 < nr_steps) {
		if (size_of(s) - s->synced > SYNC_EVERY)
			sync_put(s, steps[*at].ip);
		if (overflows && *at == OVERFLOW_AT) {
			*at += OVERFLOW_STEPS;
			plain(s, ppt_ovf);
			place(s, ppt_fup, steps[*at].ip);
			printf("%zu\n", *at);
		}
		if (step_encode(s, (*at)++))
			return true;
	}
	place(s, ppt_fup, steps[*at].ip);
	place(s, ppt_tip_pgd, 0);
	return false;
}

/* There is no room for the packets of ten of its turns. */
static void turns_lose(struct stream *s, size_t *at)
{
	struct stream lost = {0};

	packets_tell(s, FIRST_TID, ~0u, PERF_AUX_FLAG_TRUNCATED);
	stream_open(&lost);
	for (int i = 0; i < 10; i++)
		run(&lost, at, false);
	free(lost.bytes);
	pt_free_encoder(lost.encoder);
}

static void loop_alone(uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct stream s = {0};

		stream_open(&s);
		process_tell(FIRST_TID + i, 0);
		sync_put(&s, ENDLESS);
		stream_put(&s, i, FIRST_TID + i, ~0u);
		free(s.bytes);
		pt_free_encoder(s.encoder);
	}
}

static void run_alone(uint32_t threads, bool overflow, bool truncated,
		      bool forks)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct stream s = {0};
		size_t at = 0;

		stream_open(&s);
		if (!forks)
			process_tell(FIRST_TID + i, 0);
		for (int turn = 0; run(&s, &at, overflow && !i); turn++)
			if (truncated && !i && turn == 20)
				turns_lose(&s, &at);
		packets_tell(&s, FIRST_TID + i, ~0u, 0);
		exit_tell(FIRST_TID + i, ~0u);
		stream_put(&s, i, FIRST_TID + i, ~0u);
		free(s.bytes);
		pt_free_encoder(s.encoder);
	}
}

static void run_together(uint32_t threads, bool switches, bool lost, bool late)
{
	struct stream streams[2] = {0};
	size_t at[threads];
	bool over[threads];
	uint32_t left = threads;
	bool untold;

	for (int i = 0; i < 2; i++)
		stream_open(&streams[i]);
	for (uint32_t i = 0; i < threads; i++) {
		if (!lost || i + 1 < threads)
			process_tell(FIRST_TID + i, late && !i ? HOUR : 0);
		at[i] = over[i] = 0;
	}
	for (uint32_t turn = 0; left; turn++) {
		uint32_t i = turn % threads, cpu = turn / 3 % 2;
		struct stream *s = &streams[cpu];

		if (over[i])
			continue;
		now += TICK;
		untold = lost && turn >= 20 && turn < 40;
		if (lost && turn == 40)
			lost_tell(20);
		if (switches && !untold)
			turn_tell(FIRST_TID + i, cpu);
		else if (turn == 0 || turn == 3)
			start_tell(FIRST_TID + i, cpu);
		over[i] = !run(s, &at[i], false);
		now += TICK;
		if (!untold)
			packets_tell(s, FIRST_TID + i, cpu, 0);
		if (over[i] && (!lost || i + 1 < threads)) {
			exit_tell(FIRST_TID + i, cpu);
		}
		left -= over[i];
	}
	for (uint32_t i = 0; i < 2; i++)
		stream_put(&streams[i], i, ~0u, i);
}

int main(int argc, char **argv)
{
	const char *how = argc > 5 ? argv[5] : "";
	bool endless = !strcmp(how, "endless");
	bool late = !strcmp(how, "later"), again = !strcmp(how, "again");
	bool forks = !strcmp(how, "forks");
	bool lost = !strcmp(how, "lost"), many;
	bool switches = lost || late || again || !strcmp(how, "cpus");
	bool cpus = switches || !strcmp(how, "noswitch");

	if (argc < 5)
		return 2;
	if (endless) {
		program.path = realpath(argv[2], NULL);
		program.code.p_vaddr = ENDLESS;
		program.code.p_memsz = 4096;
	} else if (!strncmp(how, "vdso", 4)) {
		vdso_walk(!strcmp(how, "vdso32"));
	} else {
		program_read(argv[2]);
		steps_read(argv[3]);
	}
	many = !strcmp(how, "ids");
	file_begin(argv[1], cpus, many || !strcmp(how, "events"),
		   many ? 2 << 20 : 1, !strcmp(how, "kernel"));
	if (!strcmp(how, "files"))
		files_tell(200);
	if (!strcmp(how, "overlap"))
		overlap = 1001;
	if (forks)
		forks_tell(atoi(argv[4]));
	if (endless)
		loop_alone(atoi(argv[4]));
	else if (cpus)
		run_together(atoi(argv[4]), switches, lost, late);
	else
		run_alone(atoi(argv[4]), !strcmp(how, "overflow"),
			  !strcmp(how, "truncated"), forks);
	if (again)
		begin_tell(FIRST_TID, 1, now + HOUR);
	file_end(!strcmp(how, "other"));
	return 0;
}
