// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Files of debugging information: beside the program, of the kernel and its modules, without any, and
 * damaged ones.
 */
#include "compiled.h"

TEST(debug_files_of_other_addresses)
{
	int debug = compile("gcc -O2 -g -no-pie -Wl,-Ttext-segment=0x900000",
			    "sample.c");
	int moved = compile("gcc -O2 -no-pie -Wl,-Ttext-segment=0xa00000",
			    "sample.c");
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(moved, ELF_C_READ, NULL);
	CHECK(elf);
	CHECK_EQ(debug_code_open(&code, debug, elf), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "other addresses"));
	elf_end(elf);
	elf = elf_begin(debug, ELF_C_READ, NULL);
	CHECK(elf);
	CHECK_EQ(debug_code_open(&code, debug, elf), 0);
	end();
	elf_end(elf);
	close(debug);
	close(moved);
}

/* Where the library keeps the address of a variable, by readelf. */
static uint64_t slot_of(const char *name)
{
	unsigned long long slot = 0;
	char command[256];
	FILE *output;
	int found;

	snprintf(command, sizeof(command),
		 "readelf -rW %s | grep 'GLOB_DAT.* %s '", program, name);
	output = popen(command, "r");
	CHECK(output);
	found = fscanf(output, "%llx", &slot);
	CHECK_EQ(found, 1);
	pclose(output);
	return slot;
}

TEST(a_program_may_have_a_copy_of_a_variable)
{
	struct debug_place place;
	char wanted[64];

	begin("gcc -O0 -g -shared -fPIC", "sample.c");
	places("node_walk:2", &place);
	at(&place);
	snprintf(wanted, sizeof(wanted), "ip %llu + @8 @4",
		 (unsigned long long)(slot_of("counter") - where.address));
	CHECK_STR(words("counter"), wanted);
	/* No other file knows it. */
	CHECK(!strstr(words("&nodes"), "@"));
	end();
}

TEST(no_copy_is_made_of_what_a_mark_begins)
{
	struct debug_place place;

	begin("gcc -O0 -g -shared -fPIC", "marked.c");
	CHECK(slot_of("mark"));
	places("marked:2", &place);
	at(&place);
	CHECK(strstr(words("own"), "ip "));
	CHECK(!strstr(words("own"), "@8"));
	CHECK(strstr(words("sink"), "+ @8 @8"));
	end();
}

TEST(what_has_no_debugging_information)
{
	int fd = compile("gcc -O2", "sample.c");

	CHECK_EQ(debug_code_open(&code, fd, NULL), -ENOENT);
	CHECK_STR(ktrace_last_error(), "it has no debugging information");
	close(fd);
	fd = compile("gcc -O2 -g -gsplit-dwarf", "sample.c");
	CHECK_EQ(debug_code_open(&code, fd, NULL), -ENOENT);
	CHECK(strstr(ktrace_last_error(), "in further files (.dwo)"));
	close(fd);
}

/* ---- what no compiler writes --------------------------------------------------- */

static int type_ask(const struct debug_variable *variable, void *data)
{
	const struct btf *btf = debug_type_btf(code);
	struct passing passing;
	unsigned int word, nr;
	struct text type = {0};

	type_write(&type, btf, variable->type);
	CHECK(type.s && !type.failed);
	text_free(&type);
	passing_begin(&passing, btf, variable->type);
	passing_next(&passing, btf, variable->type, &word, &nr);
	++*(unsigned int *)data;
	return 0;
}

static void all_ask(const char *text)
{
	struct expression e;
	struct text all = {0};
	const char *rest = text;
	uint32_t size;
	bool is_signed;

	if (!expression_parse(&e, debug_type_btf(code), &rest, name_begin,
			      type_named, NULL)) {
		expression_is_text(&e, &size);
		expression_number_size(&e, &is_signed);
		expression_struct(&e);
		expression_type(&e, &all);
		expression_push_wide(&e, 8, &all);
	}
	text_free(&all);
	expression_end(&e);
}

TEST(types_end)
{
	static const char *const behind[] = {"",      "->only", ".only",
					     "[1]",   ".first", ".within",
					     ".part", ".m",	".none"};
	static const char *const names[] = {
		"parameter",	"own_typedef",	 "own_const",
		"own_volatile", "own_array",	 "own_pointer",
		"own_restrict", "own_struct",	 "own_enumeration",
		"ring",		"struct_ring",	 "array_ring",
		"long_const",	"function_ring", "bitfield_ring",
		"long_pointer", "long_struct",	 "wide"};
	const struct btf_type *proto;
	struct debug_place place;
	unsigned int asked = 0;
	char text[64];

	begin("gcc -g0", "hostile.s");
	/* It would be forever. */
	alarm(200);
	CHECK_EQ(places("main", &place), 1);
	at(&place);
	debug_variables_each(code, &where, type_ask, &asked);
	CHECK_EQ(asked, sizeof(names) / sizeof(*names) + 2);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (size_t k = 0; k < sizeof(behind) / sizeof(*behind); k++) {
			snprintf(text, sizeof(text), "%s%s", names[i],
				 behind[k]);
			all_ask(text);
		}
	CHECK_EQ(debug_variable_proto(code, place.address, &proto), 0);
	debug_types_load(code, place.address, "((struct own_struct *)good)");
	/* What is sound beside it is as it was. */
	CHECK_STR(words("good"), "di @4");
	CHECK_STR(words("list.next->next->value"), "di @8 @8 8 + @4");
	CHECK_STR(words("struct_ring.first.second"), "di @4");
	alarm(0);
	end();
}

/* ---- damage ------------------------------------------------------------------- */

static int use_none(const struct debug_variable *variable, void *data)
{
	(void)variable;
	++*(unsigned int *)data;
	return 0;
}

static void everything_ask(unsigned int *asked)
{
	static const char *const texts[] = {"node_walk",  "inlined",
					    "pair_sum:2", "sample.c:100",
					    "main:5",	  "sample.cc:80",
					    "owner_take"};
	const struct btf_type *proto;
	struct debug_place *list;
	struct expression e;
	size_t nr;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (debug_places(code, texts[i], &list, &nr))
			continue;
		for (size_t k = 0; k < nr && k < 8; k++) {
			at(&list[k]);
			debug_variables_each(code, &where, use_none, asked);
			debug_variable_proto(code, where.address, &proto);
			if (!debug_variable_begin(code, &where, "counter", &e))
				++*asked;
			expression_end(&e);
		}
		free(list);
	}
}

/* The sections in which the damage is to be. */
static size_t debug_begin(const unsigned char *bytes, size_t size)
{
	Elf *elf = elf_memory((char *)bytes, size);
	Elf_Scn *section = NULL;
	size_t begin = size, names;
	GElf_Shdr header;

	CHECK(!elf_getshdrstrndx(elf, &names));
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		CHECK(gelf_getshdr(section, &header));
		name = elf_strptr(elf, names, header.sh_name);
		if (!strncmp(name, ".debug_", 7) && header.sh_offset < begin)
			begin = header.sh_offset;
	}
	elf_end(elf);
	return begin;
}

static void damage(const char *how, const char *source, unsigned int times)
{
	static unsigned char bytes[1 << 18], copy[1 << 18];
	unsigned int asked = 0, opened = 0;
	size_t size, from;
	int fd;

	begin(how, source);
	end();
	fd = open(program, O_RDONLY);
	size = read(fd, bytes, sizeof(bytes));
	close(fd);
	CHECK(size > 0 && size < sizeof(bytes));
	memcpy(copy, bytes, size);
	from = debug_begin(copy, size);
	for (unsigned int i = 0; i < times; i++) {
		memcpy(copy, bytes, size);
		for (unsigned int k = rnd(8); k < 8; k++)
			copy[from + rnd(size - from)] = rnd(256);
		fd = open(program, O_RDWR | O_TRUNC | O_CREAT, 0700);
		CHECK(write(fd, copy, size) == (ssize_t)size);
		if (!debug_code_open(&code, fd, NULL)) {
			opened++;
			everything_ask(&asked);
			end();
		}
		close(fd);
	}
	check_note("%u of %u could be opened, %u variables", opened, times,
		   asked);
}

#define TEXT_AT 0xffffffffc0001000
#define DATA_AT 0xffffffffc0005000

/* As /sys/module/NAME/sections: what a module needs only to begin is gone. */
static bool section_at(void *data, const char *name, uint64_t *address)
{
	unsigned int *asked = data;

	++*asked;
	*address = !strcmp(name, ".text") ? TEXT_AT : DATA_AT;
	return !strcmp(name, ".text") || !strcmp(name, ".data");
}

TEST(loaded_modules_have_the_addresses_of_memory)
{
	static const char how[] = "gcc -O2 -g -c -mcmodel=kernel -fno-pic";
	unsigned int asked = 0;
	const struct debug_sections sections = {section_at, &asked};
	struct debug_place place, linked;
	uint64_t behind;
	char wanted[64], command[256];
	int fd;

	/* Nobody says where it is. */
	begin(how, "sample.c");
	places("first_caller", &linked);
	CHECK_STR(linked.symbol, "first_caller");
	at(&linked);
	where.base = DEBUG_BASE_KNOWN;
	refused("counter", "nobody knows where the file is");
	CHECK(debug_code_address(code, "counter", &behind));
	end();

	/* As the linker does with modules. */
	close(compile(how, "sample.c"));
	snprintf(command, sizeof(command),
		 "objcopy --change-section-vma .data=0x120 %s", program);
	CHECK_EQ(system(command), 0);
	fd = open(program, O_RDONLY);
	CHECK(fd >= 0);
	CHECK_EQ(debug_code_open_loaded(&code, fd, &sections), 0);
	close(fd);
	CHECK(asked);
	CHECK_EQ(places("first_caller", &place), 1);
	CHECK(place.address > TEXT_AT && place.address < DATA_AT);
	CHECK_STR(place.symbol, "first_caller");
	CHECK_EQ(place.offset, 0);
	CHECK_STR(debug_code_section(code, place.address), ".text");
	CHECK_EQ(places("inlined", &linked), 2);
	CHECK(linked.address > TEXT_AT && linked.address < DATA_AT);
	at(&place);
	where.base = DEBUG_BASE_KNOWN;
	snprintf(wanted, sizeof(wanted), "ip 0 & %" PRIu64 " - @4",
		 -(DATA_AT + behind));
	CHECK_STR(words("counter"), wanted);
	/* It is in a section that is not there. */
	no_place("main", "left out");
	end();
}

TEST(symbols_are_found_by_address)
{
	struct debug_place place;
	const char *name;
	uint64_t address, offset;

	begin("gcc -O2 -g", "sample.c");
	CHECK_EQ(places("first_caller", &place), 1);
	CHECK(debug_code_address(code, "first_caller", &address));
	CHECK_EQ(address, place.address);
	CHECK(!debug_code_address(code, "no_such_symbol", &address));
	name = debug_code_symbol(code, place.address + 3, &offset);
	CHECK_STR(name, "first_caller");
	CHECK_EQ(offset, 3);
	CHECK(!debug_code_symbol(code, 0, &offset));
	CHECK(!debug_code_symbol(code, UINT64_MAX, &offset));
	end();
}

/* Which units have a name is told by their bytes, if there are many. */
TEST(names_are_found_in_many_units)
{
	unsigned int found = 0, others = 0;
	struct debug_place place;
	char command[600];
	bool *named;
	int fd;

	fd = compile("gcc -g", "sample.c");
	close(fd);
	snprintf(command, sizeof(command),
		 "cd %s && for i in $(seq 40); do echo \"int unit_$i(int a)"
		 "{return a + $i;} static int same(int b){return b * $i;}"
		 "int other_$i(int c){return same(c);}\" >u$i.c; done && "
		 "echo 'int main(void){return 0;}' >m.c && "
		 "gcc -g -O0 *.c -o program",
		 folder);
	CHECK_EQ(system(command), 0);
	fd = open(program, O_RDONLY);
	CHECK_EQ(debug_code_open(&code, fd, NULL), 0);
	close(fd);
	CHECK_EQ(places("unit_17", &place), 1);
	CHECK_STR(place.symbol, "unit_17");
	CHECK_EQ(places("same", &place), 40);
	CHECK_EQ(places("same:0", &place), 40);
	no_place("unit_41", "no function");
	named = debug_units_named(code, "other_17", strlen("other_17"));
	CHECK(named);
	for (size_t i = 0; i < code->nr_units; i++) {
		const char *unit = debug_name(&code->units[i]);

		found += named[i] && strstr(unit, "u17.c");
		others += named[i] && !strstr(unit, "u17.c");
	}
	free(named);
	CHECK_EQ(found, 1);
	/* Numbers may look like places of texts. */
	CHECK(others < 10);
	/* Two letters are too few to tell. */
	CHECK(!debug_units_named(code, "a", 1));
	end();
}

TEST(searches_end_however_large_sections_say_they_are)
{
	begin("gcc -g", "large.c");
	debug_search(code);
	CHECK(code->budget);
	CHECK(code->budget < 1 << 28);
	end();
}

TEST(damaged_files_do_no_harm)
{
	damage("gcc -O2 -g", "sample.c", 150);
	damage("gcc -O0 -g -gdwarf-4", "sample.c", 100);
	damage("g++ -O2 -g", "sample.cc", 100);
}

CHECK_MAIN
