// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "self.h"
#include "symbol/unwind_file.h"

#define MAPS_MAX   64
#define STACKS_MAX 8

struct kt_unwind_space self_space;
struct kt_unwind_cache self_cache;
static struct kt_unwind_map maps[MAPS_MAX];
static struct kt_unwind_table tables[MAPS_MAX];
static struct kt_unwind_file files[MAPS_MAX];
static struct unwind_bytes bytes[MAPS_MAX];
static u32 nr;

static struct {
	u64 begin, size;
} stacks[STACKS_MAX];
static unsigned int nr_stacks;

static void check(bool good)
{
	if (!good)
		abort();
}

static void object_read(const struct dl_phdr_info *object,
			struct unwind_bytes *table)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (object->dlpi_addr == (uintptr_t)vdso) {
		check(!unwind_make_image(vdso, sysconf(_SC_PAGESIZE) * 2,
					 table));
		return;
	}
	fd = open(*object->dlpi_name ? object->dlpi_name : "/proc/self/exe",
		  O_RDONLY | O_CLOEXEC);
	check(fd >= 0 && !unwind_make(fd, table));
	close(fd);
}

static int map_compare(const void *a, const void *b)
{
	const struct kt_unwind_map *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int object_add(struct dl_phdr_info *object, size_t size, void *data)
{
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		check(nr < MAPS_MAX);
		object_read(object, &bytes[nr]);
		check(!kt_unwind_table_open(&tables[nr], bytes[nr].bytes,
					    bytes[nr].size));
		maps[nr].begin = object->dlpi_addr + segment->p_vaddr;
		maps[nr].end = maps[nr].begin + segment->p_memsz;
		maps[nr].bias = object->dlpi_addr;
		files[nr].table = &tables[nr];
		files[nr].label = maps[nr].bias;
		maps[nr].file = &files[nr];
		nr++;
	}
	return 0;
}

void self_open(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *begin;

	dl_iterate_phdr(object_add, NULL);
	qsort(maps, nr, sizeof(*maps), map_compare);
	self_space = (struct kt_unwind_space){maps, nr, 0x5e1f5e1f5e1f5e1full};
	check(!pthread_getattr_np(pthread_self(), &attributes) &&
	      !pthread_attr_getstack(&attributes, &begin, &size));
	pthread_attr_destroy(&attributes);
	self_add_stack(begin, size);
}

void self_close(void)
{
	while (nr)
		unwind_bytes_free(&bytes[--nr]);
	nr_stacks = 0;
}

void self_add_stack(const void *begin, size_t size)
{
	check(nr_stacks < STACKS_MAX);
	stacks[nr_stacks].begin = (uintptr_t)begin;
	stacks[nr_stacks++].size = size;
}

bool env_stack_begin(u64 *limit)
{
	*limit = ~0ull;
	return true;
}

bool env_stack_word(u64 from, u64 *word)
{
	for (unsigned int i = 0; i < nr_stacks; i++) {
		if (from - stacks[i].begin > stacks[i].size - sizeof(*word))
			continue;
		memcpy(word, (const void *)from, sizeof(*word));
		return true;
	}
	return false;
}

void env_stack_end(void)
{
}

/* @registers: those of a context, in its order. */
u64 env_register(const void *registers, u32 number)
{
	static const int places[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15,
	};

	return ((const greg_t *)registers)[places[number]];
}

void self_walk(const ucontext_t *context, struct walked *stack)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const struct kt_unwind_start start = {
		.ip = registers[REG_RIP],
		.sp = registers[REG_RSP],
		.bp = registers[REG_RBP],
		.bx = registers[REG_RBX],
		.registers = registers,
	};

	walked_take(&self_space, &self_cache, &start, KT_STACK_MAX, stack);
}
