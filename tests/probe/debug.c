// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Debugging information: places, variables and types of programs that are compiled here, what is
 * said when there is none, and damaged files.  Whether values are right is judged by `run'.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include <ktrace/library.h>

#include "check.h"
#include "kernel/btf.h"
#include "probe/debug_line.h"
#include "probe/debug_named.h"
#include "probe/debug_type.h"
#include "probe/debug_variable.h"
#include "rnd.h"
#include "session/btf_type.h"
#include "session/passing.h"

static char folder[] = "/tmp/ktrace-debug-XXXXXX";
static char program[128];
static struct debug_code *code;

static void folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		printf("# %s is left\n", folder);
}

/* Compiles a source of this folder, and reads what it becomes. */
static int compile(const char *how, const char *source)
{
	static bool made;
	char command[512];
	int fd;

	if (!made) {
		CHECK(mkdtemp(folder));
		atexit(folder_remove);
	}
	made = true;
	snprintf(program, sizeof(program), "%s/program", folder);
	snprintf(command, sizeof(command), "cd '%s' && %s -w %s -o %s", SOURCES,
		 how, source, program);
	CHECK_EQ(system(command), 0);
	fd = open(program, O_RDONLY);
	CHECK(fd >= 0);
	return fd;
}

static void begin(const char *how, const char *source)
{
	int fd = compile(how, source);

	if (debug_code_open(&code, fd, NULL))
		check_fail("%s", ktrace_last_error());
	close(fd);
}

static void end(void)
{
	debug_code_close(code);
	code = NULL;
}

/* The line of the source that begins with this, behind blanks. */
static unsigned int line_of(const char *source, const char *text)
{
	char path[256], line[256];
	unsigned int nr = 0, found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", SOURCES, source);
	file = fopen(path, "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		nr++;
		if (!found &&
		    !strncmp(line + strspn(line, "\t"), text, strlen(text)))
			found = nr;
	}
	fclose(file);
	CHECK(found);
	return found;
}

static size_t places(const char *text, struct debug_place *first)
{
	struct debug_place *list;
	size_t nr;

	if (debug_places(code, text, &list, &nr))
		check_fail("%s: %s", text, ktrace_last_error());
	*first = *list;
	free(list);
	return nr;
}

static size_t at_line(const char *source, const char *text,
		      struct debug_place *first)
{
	char name[64];

	snprintf(name, sizeof(name), "%s:%u", source, line_of(source, text));
	return places(name, first);
}

static void no_place(const char *text, const char *why)
{
	struct debug_place *list;
	size_t nr;

	CHECK_EQ(debug_places(code, text, &list, &nr), -ENOENT);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", text, ktrace_last_error(),
			   why);
}

static struct debug_where where;

static int name_begin(void *data, const char *name, struct expression *e)
{
	(void)data;
	return debug_variable_begin(code, &where, name, e);
}

static int type_named(void *data, const char *tag, const char *name)
{
	(void)data;
	return debug_named_find(code, tag, name);
}

static void at(const struct debug_place *place)
{
	where = (struct debug_where){
		.address = place->address,
		.owner = place->owner,
		.base = DEBUG_BASE_IP,
	};
}

static void refused(const char *text, const char *why)
{
	struct expression e;
	const char *rest = text;

	CHECK(expression_parse(&e, debug_type_btf(code), &rest, name_begin,
			       type_named, NULL) < 0);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", text, ktrace_last_error(),
			   why);
	expression_end(&e);
}

/* The words of a number, or of a text's address. */
static const char *words(const char *text)
{
	static char result[256];
	struct text all = {0};
	struct expression e;
	const char *rest = text;
	uint32_t size;

	if (expression_parse(&e, debug_type_btf(code), &rest, name_begin,
			     type_named, NULL))
		check_fail("%s: %s", text, ktrace_last_error());
	if (expression_is_text(&e, &size) && size)
		expression_push_address(&e, &all);
	else
		expression_push_number(&e, &all);
	snprintf(result, sizeof(result), "%s", all.s);
	text_free(&all);
	expression_end(&e);
	return result;
}

TEST(functions_are_found_wherever_they_were_put)
{
	struct debug_place place;

	begin("gcc -O2 -g", "sample.c");
	CHECK_EQ(places("inlined", &place), 2);
	CHECK_STR(place.inlined, "inlined");
	CHECK(!strncmp(place.symbol, "first_caller", 12));
	CHECK_EQ(at_line("sample.c", "long part = sum ^ i;", &place), 2);
	CHECK_STR(place.inlined, "inlined");
	CHECK_EQ(places("inlined:7", &place), 2);
	CHECK_EQ(place.line, line_of("sample.c", "sink = part;"));
	CHECK_EQ(places("first_caller", &place), 1);
	CHECK(!place.inlined);
	CHECK_EQ(place.offset, 0);
	end();
}

TEST(lines_of_functions_count_from_their_first_one)
{
	struct debug_place place, same;

	begin("gcc -O0 -g", "sample.c");
	CHECK_EQ(places("lost:3", &place), 1);
	CHECK_EQ(at_line("sample.c", "int result = used + 1;", &same), 1);
	CHECK_EQ(place.address, same.address);
	CHECK_STR(place.symbol, "lost");
	CHECK_EQ(places("lost:0", &place), 1);
	CHECK_EQ(place.offset, 0);
	end();
}

TEST(what_has_no_code)
{
	unsigned int line = line_of("sample.c", "int never = unused * 5;");
	char text[64], why[64];

	begin("gcc -O0 -g", "sample.c");
	snprintf(text, sizeof(text), "sample.c:%u", line + 2);
	snprintf(why, sizeof(why), "line %u has no code: %u and %u have",
		 line + 2, line + 1, line + 3);
	no_place(text, why);
	no_place("lost:4", "line 4 has no code: 3 and 5 have");
	no_place("lost:4000", "line 4000 has no code: 9 has");
	no_place("sample.h:3", "no file `sample.h', but sample.c");
	no_place("nowhere/sample.c:90", "no file `nowhere/sample.c'");
	no_place("nothing_at_all", "no function `nothing_at_all'");
	end();
}

TEST(variables_that_are_not_there)
{
	struct debug_place place;

	begin("gcc -O2 -g", "sample.c");
	places("node_walk", &place);
	at(&place);
	refused("byte", "`byte': it is optimised out here; it is there from "
			"node_walk");
	refused("nothing", "there is no variable `nothing' here, but ");
	refused("nothing", "hash");
	refused("own_of_thread", "each thread has one of its own");
	end();
}

TEST(callers_are_not_around_what_was_put_into_them)
{
	static const char cause[] = "there is no variable `value' here, but ";
	struct debug_place place;

	begin("gcc -O2 -g", "sample.c");
	places("inlined", &place);
	at(&place);
	CHECK(*words("times"));
	CHECK(*words("counter"));
	/* The caller has it, and could have one that is called `counter'. */
	refused("value", cause);
	refused("value", "times");
	CHECK(!strstr(ktrace_last_error(), "result"));
	at_line("sample.c", "long part = sum ^ i;", &place);
	at(&place);
	refused("value", cause);
	places("first_caller", &place);
	at(&place);
	CHECK_STR(words("value"), "di");
	/* The same, if only the address and the function's name are known. */
	where.owner = NULL;
	where.standing = true;
	CHECK_STR(words("value"), "di");
	refused("times", "there is no variable");
	end();
}

TEST(blocks_within_blocks)
{
	struct debug_place place;

	begin("gcc -O0 -g", "deep.c");
	CHECK_EQ(at_line("deep.c", "sink = innermost;", &place), 1);
	at(&place);
	CHECK(*words("innermost"));
	CHECK(*words("outermost"));
	places("endless:4", &place);
	at(&place);
	refused("innermost", "more than 256 blocks and functions");
	end();
}

TEST(variables_that_have_one_address)
{
	struct debug_place place;

	begin("gcc -O2 -g -no-pie", "sample.c");
	places("node_walk", &place);
	at(&place);
	CHECK(!strncmp(words("counter"), "ip ", 3));
	/* Nobody writes there, so it is gone. */
	refused("letters", "optimised out in all of its scope");
	where.base = DEBUG_BASE_KNOWN;
	where.slide = 0x1000;
	CHECK(!strncmp(words("counter"), "ip 0 & ", 7));
	CHECK(strstr(words("&nodes[1].name"), "ip 0 & "));
	where.base = DEBUG_BASE_NONE;
	refused("counter", "nobody knows where the file is in memory");
	end();
}

TEST(parameters_are_where_a_call_passes_them)
{
	const struct btf_type *proto;
	struct passing passing;
	struct debug_place place;
	unsigned int word, nr;
	struct text type = {0};

	begin("gcc -O0 -g", "sample.c");
	places("many", &place);
	at(&place);
	CHECK_STR(words("a"), "di");
	CHECK_STR(words("f"), "r9");
	CHECK_STR(words("g"), "sp 8 + @4");
	CHECK_STR(words("h"), "sp 16 + @2");
	CHECK_EQ(debug_variable_proto(code, place.address, &proto), 0);
	CHECK_EQ(btf_vlen(proto), 9);
	passing_begin(&passing, debug_type_btf(code), proto->type);
	for (int i = 0; i < 9; i++)
		CHECK(passing_next(&passing, debug_type_btf(code),
				   btf_params(proto)[i].type, &word, &nr));
	CHECK_EQ(word, PASSING_REGISTERS + 2);
	type_write(&type, debug_type_btf(code), btf_params(proto)[8].type);
	CHECK_STR(type.s, "unsigned char");
	text_free(&type);
	/* Between there and the body they are on their way. */
	where.address++;
	refused("a", "not yet where the function keeps it: it is there from "
		     "many+0x");
	places("pair_sum", &place);
	at(&place);
	CHECK_STR(words("pair.second"), "si");
	CHECK_STR(words("scale"), "dx");
	refused("*pair", "name a member");
	refused("&pair", "it is not in memory");
	places("floats", &place);
	at(&place);
	CHECK_STR(words("behind"), "si");
	refused("x", "floating point");
	end();
	begin("gcc -O2 -g", "sample.c");
	places("counted_down", &place);
	at(&place);
	CHECK_STR(words("number"), "di");
	end();
}

static void behind_is(const char *function, const char *where_it_is)
{
	struct debug_place place;

	places(function, &place);
	at(&place);
	if (where_it_is)
		CHECK_STR(words("behind"), where_it_is);
	else
		refused("behind", "nobody knows where it is passed");
}

TEST(parameters_behind_others)
{
	begin("g++ -O0 -g", "passed.cc");
	behind_is("no_bytes", "di");
	behind_is("member", "si");
	behind_is("method", "dx");
	behind_is("wide_complex", NULL);
	behind_is("narrow_complex", NULL);
	behind_is("whole_complex", NULL);
	behind_is("long_double", NULL);
	behind_is("large", NULL);
	end();
}

TEST(types)
{
	struct debug_place place;
	const struct btf_type *t;
	const struct btf *btf;
	__s32 id;

	begin("gcc -O0 -g -gdwarf-4", "sample.c");
	places("nodes_compare:2", &place);
	at(&place);
	CHECK(strstr(words("a->flags.three"), "16 + @4 1 >> 7 &"));
	CHECK(strstr(words("a->flags.far"), "&"));
	CHECK(strstr(words("a->table[1][2]"), "42 + @2"));
	CHECK(strstr(words("a->bytes[3]"), "47 + @1"));
	CHECK(strstr(words("a->name"), "24 +"));
	CHECK(strstr(words("b->next->next->colour"), "@8 @8 12 + @4"));
	refused("a->none", "struct node has no member `none'");
	btf = debug_type_btf(code);
	id = btf__find_by_name_kind(btf, "colour", BTF_KIND_ENUM);
	CHECK(id > 0);
	t = btf__type_by_id(btf, id);
	CHECK_EQ(btf_vlen(t), 3);
	CHECK(enum_is_signed(t));
	CHECK_EQ(btf_enum(t)[0].val, -1);
	CHECK_EQ(btf_enum(t)[2].val, 200);
	CHECK(btf__find_by_name_kind(btf, "pair", BTF_KIND_STRUCT) < 0);
	CHECK_EQ(debug_types_load(code, place.address, "((struct pair *)a)"),
		 0);
	CHECK(strstr(words("((struct pair *)a)->second"), "8 + @8"));
	end();
}

/* Does a number have a sign?  It is that of its type in the unit. */
static bool has_sign(const char *text)
{
	struct expression e;
	bool is_signed = false;

	if (expression_parse(&e, debug_type_btf(code), &text, name_begin,
			     type_named, NULL))
		check_fail("%s: %s", text, ktrace_last_error());
	CHECK(expression_number_size(&e, &is_signed));
	expression_end(&e);
	return is_signed;
}

static void signs(const char *how, bool of_char)
{
	struct debug_place place;

	begin(how, "sample.c");
	CHECK_EQ(at_line("sample.c", "sink = edge;", &place), 1);
	at(&place);
	debug_types_load(code, where.address, "((char)n)");
	CHECK_EQ(has_sign("edge"), of_char);
	CHECK_EQ(has_sign("((char)n)"), of_char);
	CHECK(has_sign("tiny"));
	CHECK(!has_sign("truth"));
	places("node_walk:2", &place);
	at(&place);
	CHECK(!has_sign("byte"));
	CHECK(has_sign("node->flags.negative"));
	CHECK(!has_sign("node->flags.three"));
	CHECK_EQ(has_sign("node->name[0]"), of_char);
	CHECK(strstr(words("node->name"), "+"));
	end();
}

TEST(signs_are_those_of_the_unit)
{
	signs("gcc -O0 -g", true);
	signs("gcc -O0 -g -funsigned-char", false);
}

TEST(structs_of_the_same_name)
{
	static const char cast[] = "((struct same *)any)->here";
	struct debug_place place;

	begin("g++ -O0 -g namesakes_other.cc", "namesakes.cc");
	places("here_use:2", &place);
	at(&place);
	CHECK(strstr(words("list->one->value"), " @8 @8 8 + @4"));
	CHECK(strstr(words("list->two->value"), " @8 8 + @8 16 + @4"));
	CHECK(strstr(words("list->three->within->value"),
		     " @8 16 + @8 @8 24 + @4"));
	CHECK(strstr(words("list->five->here"), " @8 32 + @8 4 + @4"));
	CHECK(strstr(words("list->six->mine"), " @8 40 + @8 2 + @2"));
	refused("list->four->value", "it is no struct");
	/* A cast means that of its unit. */
	debug_types_load(code, where.address, cast);
	CHECK(strstr(words(cast), " 4 + @4"));
	places("there_use:4", &place);
	at(&place);
	debug_types_load(code, where.address, cast);
	CHECK(strstr(words(cast), " 24 + @8"));
	CHECK(strstr(words("own->here"), " 24 + @8"));
	end();
}

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

TEST(damaged_files_do_no_harm)
{
	damage("gcc -O2 -g", "sample.c", 150);
	damage("gcc -O0 -g -gdwarf-4", "sample.c", 100);
	damage("g++ -O2 -g", "sample.cc", 100);
}

CHECK_MAIN
