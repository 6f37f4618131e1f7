// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The cost of a stack, natively: this program walks its own.  In a "cached" walk, all places are
 * in the cache; in a "searched" one, none is.  The "floor" follows frame pointers, which the
 * functions here have for the purpose: it is the least that a walk must read.
 *
 * The three run in turn, in short batches, and the fastest batch of each is used, because other
 * load makes a batch slower, never faster.
 */
#include <getopt.h>
#include <link.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* In the kernel, reads of the stack are inlined, too. */
#define env_stack_begin env_stack_begin_far
#define env_stack_word	env_stack_word_far
#define env_stack_end	env_stack_end_far
#define env_register	env_register_far
#include "env.h"
#undef env_stack_begin
#undef env_stack_word
#undef env_stack_end
#undef env_register

static __always_inline bool env_stack_begin(u64 *limit)
{
	*limit = 0x7ffffffffff8;
	return true;
}

static __always_inline bool env_stack_word(u64 from, u64 *word)
{
	*word = *(volatile u64 *)from;
	return true;
}

static __always_inline void env_stack_end(void)
{
}

static __always_inline u64 env_register(const void *registers, u32 number)
{
	(void)registers;
	(void)number;
	return 0;
}

#include "../core/unwind.c"
#include "symbol/unwind_file.h"

#define MAPS_MAX 32
#define BATCH	 1000

static struct kt_unwind_map maps[MAPS_MAX];
static struct kt_unwind_table tables[MAPS_MAX];
static struct kt_unwind_file files[MAPS_MAX];
static struct kt_unwind_space space = {.maps = maps, .salt = 1};
static struct kt_unwind_cache cache;
static struct kt_unwind_start start;
static u64 frames[KT_STACK_MAX];
static struct kt_unwind_ended ended;
static unsigned int rounds = 200;

enum way { CACHED, SEARCHED, FLOOR, WAYS };

static int object_add(struct dl_phdr_info *object, size_t size, void *data)
{
	const char *path =
		*object->dlpi_name ? object->dlpi_name : "/proc/self/exe";

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		struct kt_unwind_map *map = &maps[space.nr];
		struct unwind_bytes bytes;
		int fd;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    space.nr == MAPS_MAX)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0) /* the vDSO, where no stack of this program is */
			continue;
		if (unwind_make(fd, &bytes) ||
		    kt_unwind_table_open(&tables[space.nr], bytes.bytes,
					 bytes.size))
			abort();
		close(fd);
		map->begin = object->dlpi_addr + segment->p_vaddr;
		map->end = map->begin + segment->p_memsz;
		map->bias = object->dlpi_addr;
		files[space.nr].table = &tables[space.nr];
		map->file = &files[space.nr++];
	}
	return 0;
}

static int map_compare(const void *a, const void *b)
{
	const struct kt_unwind_map *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* As many frames as the other walks have; the last ones have no frame pointer. */
static noinline void floor_walk(u32 nr)
{
	u64 frame = start.bp, next = 0;

	for (u32 i = 0; i < nr; i++) {
		env_stack_word(frame + 8, &frames[i]);
		env_stack_word(frame, &next);
		if (next > frame && next - frame < 1 << 20)
			frame = next;
	}
}

static u32 nr_frames;

static noinline void batch(enum way way, u32 nr)
{
	for (int i = 0; i < BATCH; i++) {
		if (way == FLOOR) {
			floor_walk(nr);
			continue;
		}
		if (way == SEARCHED)
			space.salt += 0x9e3779b97f4a7c15ull;
		nr_frames = kt_unwind_program(&space, &cache, &start,
					      KT_STACK_MAX, frames, &ended);
	}
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

struct result {
	u32 frames;
	double ns[WAYS]; /* a stack */
};

static noinline void measure(struct result *result)
{
	ucontext_t context;

	getcontext(&context);
	start.ip = context.uc_mcontext.gregs[REG_RIP];
	start.sp = context.uc_mcontext.gregs[REG_RSP];
	start.bp = context.uc_mcontext.gregs[REG_RBP];
	batch(CACHED, 0);
	result->frames = nr_frames;
	if (ended.end != KT_STACK_COMPLETE) {
		fprintf(stderr, "the stack is not complete: %u\n", ended.end);
		exit(1);
	}
	for (unsigned int i = 0; i < rounds; i++) {
		for (int way = 0; way < WAYS; way++) {
			double begin = seconds(), taken;

			batch(way, result->frames);
			taken = (seconds() - begin) / BATCH * 1e9;
			if (!result->ns[way] || taken < result->ns[way])
				result->ns[way] = taken;
		}
	}
}

static noinline void deeper(unsigned int levels, struct result *result)
{
	if (levels)
		deeper(levels - 1, result);
	else
		measure(result);
	asm volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"json", no_argument, NULL, 'j'},
		{"rounds", required_argument, NULL, 'r'},
		{0},
	};
	static const unsigned int levels[] = {5, 25};
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, "jr:", options, NULL)) >= 0) {
		if (option == 'j')
			json = true;
		else
			rounds = option == 'r' ? atoi(optarg) : 0;
	}
	if (!rounds || optind < argc) {
		fprintf(stderr, "usage: %s [--json] [--rounds N]\n", argv[0]);
		return 2;
	}
	dl_iterate_phdr(object_add, NULL);
	qsort(maps, space.nr, sizeof(*maps), map_compare);
	if (!json)
		printf("%-7s %7s %9s %7s   (ns a frame)\n", "frames", "cached",
		       "searched", "floor");
	for (int i = 0; i < 2; i++) {
		struct result result = {0};
		double *ns = result.ns;

		deeper(levels[i], &result);
		printf(json ? "%s{\"name\":\"unwind\",\"frames\":%u,"
			      "\"cached_ns\":%.2f,\"searched_ns\":%.2f,"
			      "\"floor_ns\":%.2f}"
			    : "%.0s%-7u %7.2f %9.2f %7.2f\n",
		       i ? ",\n " : "[\n ", result.frames,
		       ns[CACHED] / result.frames, ns[SEARCHED] / result.frames,
		       ns[FLOOR] / result.frames);
	}
	if (json)
		printf("\n]\n");
	return 0;
}
