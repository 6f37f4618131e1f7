// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * tables [--every N] FILE... - compares the unwind tables of files with libdw
 *
 * Each place of each N-th function is left once by our walk and once by libdw, from registers
 * and on a stack whose words are all different.  Two results that are the same by chance are
 * therefore next to impossible.  The caller is given a rule that stands on rbp or rbx, so that
 * the walk shows the register by the address of the next caller.
 *
 * A caller that no rule can describe is counted, because it is said in the stack, too.  If it
 * is wrong, the test fails.
 */
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libdw.h"
#include "walked.h"
#include "symbol/unwind_file.h"

/* The file's text, the stack, and the text of all callers. */
#define TEXT  0x100000000000ull
#define STACK 0x200000000000ull
#define REST  0x200000000000ull
#define END   0x400000000000ull

static struct {
	unsigned long files, tables, rows, places, unknown, unchecked,
		unanswered, wrong;
	unsigned long bytes;
} count;

/* A word that no other place has, and that is above its own address. */
static uint64_t fake_word(uint64_t from)
{
	uint64_t hash = (from + 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;

	hash = (hash ^ hash >> 31) * 0x94d049bb133111ebull;
	return from + 0x100000 + (hash >> 24 & 0xfffffffff8);
}

bool env_stack_begin(u64 *limit)
{
	*limit = ~0ull;
	return true;
}

bool env_stack_word(u64 from, u64 *word)
{
	*word = fake_word(from);
	return true;
}

void env_stack_end(void)
{
}

u64 env_register(const void *registers, u32 number)
{
	return ((const u64 *)registers)[number];
}

/* A table with one rule, for all callers. */
struct callers {
	struct kt_unwind_table table;
	u64 rule;
	u32 buckets[2];
	u16 number;
	u8 offset;
};

static void callers_make(struct callers *callers, u64 rule)
{
	*callers = (struct callers){.rule = rule, .buckets = {0, 1}};
	callers->table = (struct kt_unwind_table){
		.nr_buckets = 1,
		.rules = &callers->rule,
		.buckets = callers->buckets,
		.numbers = &callers->number,
		.offsets = &callers->offset,
	};
}

struct file {
	const char *path;
	Elf *elf;
	Dwarf_CFI *cfi;
	struct kt_unwind_table table;
	struct callers by_rbp, by_rbx;
};

static struct kt_unwind_cache cache;

/* Nothing that is cached may be found for other mappings. */
static u64 salt_next(void)
{
	static u64 salt;

	return salt += 0x9e3779b97f4a7c15ull;
}

/*
 * The stack from @address up.  Once the caller is known, the table of callers is mapped where
 * the caller is.
 */
static void our_step(struct file *file, const struct libdw_world *world,
		     u64 address, struct callers *callers, struct walked *stack)
{
	struct kt_unwind_file files[] = {
		{&file->table, TEXT},
		{&callers->table, 0},
	};
	struct kt_unwind_map maps[] = {
		{TEXT, REST, TEXT, &files[0]},
		{REST, END, 0, &files[1]},
	};
	struct kt_unwind_space space = {maps, 2, salt_next()};
	struct kt_unwind_start start = {
		.ip = TEXT + address,
		.sp = world->registers[7],
		.bp = world->registers[6],
		.bx = world->registers[3],
		.registers = world->registers,
	};
	u64 caller;

	walked_take(&space, &cache, &start, 2, stack);
	if (stack->nr < 2)
		return;
	caller = stack->frames[1] - 1;
	maps[1].bias = files[1].label = caller;
	space.salt = salt_next();
	walked_take(&space, &cache, &start, 3, stack);
}

static void complain(struct file *file, u64 address, const char *what, u64 ours,
		     u64 theirs)
{
	if (count.wrong++ < 10)
		printf("# %s: %#llx: %s: %#llx, not %#llx\n", file->path,
		       (unsigned long long)address, what,
		       (unsigned long long)ours, (unsigned long long)theirs);
}

/* The next caller tells the register's value, which is its CFA. */
static void register_compare(struct file *file, const struct libdw_world *world,
			     u64 address, struct callers *callers, u64 expected,
			     const char *what)
{
	struct walked stack;

	our_step(file, world, address, callers, &stack);
	if (stack.nr == 3 && stack.frames[2] != fake_word(expected - 8))
		complain(file, address, what, stack.frames[2],
			 fake_word(expected - 8));
	/* It may be said to be lost, or be below the CFA. */
	count.unchecked += stack.nr < 3;
}

static void place_compare(struct file *file, Dwarf_Frame *frame, u64 address)
{
	struct libdw_caller caller;
	struct libdw_world world = {.word = fake_word};
	struct walked stack;

	for (int i = 0; i < LIBDW_REGISTERS; i++)
		world.registers[i] = STACK + 0x100000000ull * i;
	world.registers[7] = STACK;
	world.registers[16] = TEXT + address;
	libdw_step(frame, &world, &caller);
	our_step(file, &world, address, &file->by_rbp, &stack);
	count.places++;
	if (stack.end == KT_STACK_NO_RULE && stack.nr == 1) {
		count.unknown++;
		return;
	}
	if (caller.how == LIBDW_NONE) {
		if (stack.nr != 1 || stack.end != KT_STACK_COMPLETE)
			complain(file, address, "does not end", stack.end, 0);
		return;
	}
	/*
	 * After an expression, some assembly changes only the register of the
	 * CFA.  Then libgcc keeps the last offset, as we do; libdw has no
	 * answer.
	 */
	if (caller.how == LIBDW_UNKNOWN) {
		count.unanswered++;
		return;
	}
	if (stack.nr < 2 || stack.frames[1] != caller.ip) {
		complain(file, address, "caller",
			 stack.nr < 2 ? stack.end : stack.frames[1], caller.ip);
		return;
	}
	if (caller.rbp_known)
		register_compare(file, &world, address, &file->by_rbp,
				 caller.rbp, "rbp");
	if (caller.rbx_known)
		register_compare(file, &world, address, &file->by_rbx,
				 caller.rbx, "rbx");
}

/* All rows of a function: the first, the last and a middle byte of each. */
static void function_compare(struct file *file, u64 begin, u64 limit)
{
	Dwarf_Addr start, end;
	Dwarf_Frame *frame;
	bool signal;

	for (u64 at = begin; at < limit; at = end) {
		if (dwarf_cfi_addrframe(file->cfi, at, &frame))
			return;
		if (dwarf_frame_info(frame, &start, &end, &signal) < 0 ||
		    end <= at) {
			free(frame);
			return;
		}
		if (end > limit)
			end = limit;
		place_compare(file, frame, at);
		if (end - at > 1)
			place_compare(file, frame, end - 1);
		if (end - at > 2)
			place_compare(file, frame, at + (end - at) / 2);
		free(frame);
	}
}

/* The linker's own table of functions: their first bytes, in order. */
struct functions {
	const struct {
		int32_t begin, entry;
	} * pairs;
	u32 nr;
	u64 base;
};

static bool functions_find(Elf *elf, struct functions *functions)
{
	static const u8 head[] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4,
				  DW_EH_PE_udata4,
				  DW_EH_PE_datarel | DW_EH_PE_sdata4};
	GElf_Phdr segment;
	const Elf_Data *data;
	size_t nr;

	elf_getphdrnum(elf, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &segment) ||
		    segment.p_type != PT_GNU_EH_FRAME)
			continue;
		data = elf_getdata_rawchunk(elf, segment.p_offset,
					    segment.p_filesz, ELF_T_BYTE);
		if (!data || data->d_size < 12 ||
		    memcmp(data->d_buf, head, sizeof(head)))
			return false;
		memcpy(&functions->nr, (const char *)data->d_buf + 8, 4);
		functions->pairs = (void *)((const char *)data->d_buf + 12);
		functions->base = segment.p_vaddr;
		return functions->nr <= (data->d_size - 12) / 8;
	}
	return false;
}

static void functions_compare(struct file *file, unsigned int every)
{
	struct functions functions;

	if (!functions_find(file->elf, &functions))
		return;
	for (u32 i = 0; i < functions.nr; i += every) {
		u64 begin = functions.base + functions.pairs[i].begin;
		u64 limit = ~0ull;

		if (i + 1 < functions.nr)
			limit = functions.base + functions.pairs[i + 1].begin;
		function_compare(file, begin, limit);
	}
}

static void file_compare(const char *path, unsigned int every)
{
	struct file file = {.path = path};
	struct unwind_bytes bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;

	if (fd < 0) {
		printf("# %s: %s\n", path, strerror(errno));
		exit(1);
	}
	count.files++;
	err = unwind_make(fd, &bytes);
	if (err == -ENODATA || err == -ENOEXEC)
		goto out;
	if (err || kt_unwind_table_open(&file.table, bytes.bytes, bytes.size)) {
		complain(&file, 0, "no valid table", -err, 0);
		goto out;
	}
	count.tables++;
	count.bytes += bytes.size;
	count.rows += ((struct kt_unwind_header *)bytes.bytes)->nr_rows;
	callers_make(&file.by_rbp,
		     kt_unwind_rule(KT_UNWIND_RBP, 0, KT_UNWIND_SAME,
				    KT_UNWIND_SAME, 0));
	callers_make(&file.by_rbx,
		     kt_unwind_rule(KT_UNWIND_REGISTER, 0, KT_UNWIND_SAME,
				    KT_UNWIND_SAME, KT_UNWIND_REG_RBX));
	file.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	file.cfi = dwarf_getcfi_elf(file.elf);
	if (file.cfi)
		functions_compare(&file, every);
	dwarf_cfi_end(file.cfi);
	elf_end(file.elf);
	unwind_bytes_free(&bytes);
out:
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int every = 1;
	int i = 1;

	elf_version(EV_CURRENT);
	if (argc > 2 && !strcmp(argv[1], "--every")) {
		every = atoi(argv[2]);
		i = 3;
	}
	if (!every || i >= argc) {
		fprintf(stderr, "usage: tables [--every N] FILE...\n");
		return 2;
	}
	for (; i < argc; i++)
		file_compare(argv[i], every);
	printf("# %lu files, %lu tables of %lu bytes, %lu rows\n", count.files,
	       count.tables, count.bytes, count.rows);
	printf("# %lu places, %lu that no rule can say, %lu wrong; "
	       "%lu registers lost, %lu unanswered\n",
	       count.places, count.unknown, count.wrong, count.unchecked,
	       count.unanswered);
	/* Otherwise the test would prove little. */
	if (count.wrong || count.places < 1000 ||
	    count.unanswered > count.places / 1000) {
		printf("not ok 1 - tables\n1..1\n");
		return 1;
	}
	printf("ok 1 - tables\n1..1\n");
	return 0;
}
