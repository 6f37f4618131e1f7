// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of frames in this program itself. */
#include <fcntl.h>
#include <gelf.h>
#include <ktrace.h>
#include <unistd.h>

#include "check.h"
#include "symbol/program_names.h"
#include "symbol/unwind_file.h"

#define NUMBER 1

static struct program_file self = {.number = NUMBER, .path = "/proc/self/exe"};
static struct program_file *files[] = {NULL, &self};
static const struct program_tables tables = {.files = files, .nr = 2};

static char name[256];
static uint64_t behind;
static int entries;

int names_one(void);
int names_two(void);

noinline int names_one(void)
{
	return entries;
}

noinline int names_two(void)
{
	return entries + 1;
}

static int put(void *data, const void *bytes, size_t size)
{
	const uint64_t *words = bytes;

	(void)data;
	(void)size;
	entries++;
	behind = words[2];
	snprintf(name, sizeof(name), "%s", (const char *)(words + 3));
	return 0;
}

/* Where the function lies in this program's file. */
static uint64_t offset_of(const char *function)
{
	int fd = open(self.path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header, text;
	uint64_t found = 0;
	GElf_Sym symbol;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	self.id_size = unwind_build_id(fd, self.id);
	while (elf && (section = elf_nextscn(elf, section))) {
		gelf_getshdr(section, &header);
		if (header.sh_type != SHT_SYMTAB)
			continue;
		for (size_t i = 0; i < header.sh_size / header.sh_entsize;
		     i++) {
			gelf_getsym(elf_getdata(section, NULL), i, &symbol);
			if (strcmp(elf_strptr(elf, header.sh_link,
					      symbol.st_name),
				   function))
				continue;
			gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &text);
			found = symbol.st_value - text.sh_addr + text.sh_offset;
		}
	}
	elf_end(elf);
	close(fd);
	CHECK(found);
	return found;
}

/* Names one stack of a program. */
static void stack_name(const uint64_t *frames, unsigned int nr)
{
	struct {
		struct kt_stacks file;
		struct kt_stack head;
		uint64_t frames[4];
	} stacks = {
		.head = {.frames = nr, .kind = KT_STACK_USER},
	};

	for (unsigned int i = 0; i < nr; i++)
		stacks.frames[i] =
			(uint64_t)NUMBER << KT_FRAME_FILE_SHIFT | frames[i];
	entries = 0;
	CHECK_EQ(program_names(&tables, &stacks,
			       sizeof(stacks.file) + sizeof(stacks.head) +
				       nr * sizeof(*frames),
			       put, NULL),
		 0);
}

/* A page fault, or an interrupt, may come at a function's first instruction. */
TEST(a_stack_begins_at_an_instruction)
{
	const uint64_t at[] = {offset_of("names_one"), offset_of("names_two")};

	for (int i = 0; i < 2; i++) {
		stack_name(&at[i], 1);
		CHECK_EQ(entries, 1);
		CHECK(!strcmp(name, i ? "names_two" : "names_one"));
		CHECK_EQ(behind, 0);
	}
}

/* What never returns may be called by the last instruction of a function. */
TEST(other_frames_are_behind_a_call)
{
	const uint64_t at = offset_of("names_two");
	uint64_t frames[] = {offset_of("main"), at};

	stack_name(frames, 2);
	CHECK_EQ(entries, 2);
	frames[0] = at + 1;
	stack_name(frames, 2);
	/* The last entry is the highest address. */
	CHECK(!strcmp(name, "names_two"));
	CHECK_EQ(behind, 1);
	frames[0] = at - 1;
	stack_name(frames, 2);
	CHECK(strcmp(name, "names_two"));
	/* Both: the one behind the call. */
	frames[0] = at;
	stack_name(frames, 2);
	CHECK_EQ(entries, 1);
	CHECK(strcmp(name, "names_two"));
}

CHECK_MAIN
