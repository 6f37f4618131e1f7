// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Debugging information: places, variables and types of programs that are compiled here.  Whether
 * values are right is judged by `run'.
 */
#include "compiled.h"

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
	no_file("sample.h:3", "no file `sample.h', but sample.c");
	no_file("nowhere/sample.c:90", "no file `nowhere/sample.c'");
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

/* Where the linker has put what the name means. */
static void means(const char *name, const char *symbol)
{
	uint64_t address;
	char wanted[64];

	CHECK(debug_code_address(code, symbol, &address));
	CHECK(address > where.address);
	snprintf(wanted, sizeof(wanted), "ip %" PRIu64 " + @4",
		 address - where.address);
	if (strcmp(words(name), wanted))
		check_fail("`%s' is not %s: '%s', not '%s'", name, symbol,
			   words(name), wanted);
}

static void hidden(const char *how)
{
	struct debug_place place;

	begin(how, "hidden.c");
	CHECK_EQ(at_line("hidden.c", "sink = 1;", &place), 2);
	at(&place);
	means("hits", "hits");
	CHECK_EQ(at_line("hidden.c", "sink = 2;", &place), 2);
	at(&place);
	means("hits", "hits.0");
	CHECK_EQ(at_line("hidden.c", "sink = 3;", &place), 2);
	at(&place);
	means("hits", "hits");
	end();
}

TEST(blocks_hide_variables_only_within_themselves)
{
	hidden("gcc -O0 -g");
	hidden("gcc -O2 -g");
	hidden("gcc -O2 -g -gdwarf-4");
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

/* The number that the file has at the place of a variable. */
static int begins_as(const char *name)
{
	unsigned long long distance;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t address;
	int number, read;

	read = sscanf(words(name), "ip %llu +", &distance);
	CHECK_EQ(read, 1);
	address = where.address + distance;
	while ((section = elf_nextscn(code->elf, section))) {
		CHECK(gelf_getshdr(section, &header));
		if (!(header.sh_flags & SHF_ALLOC) ||
		    header.sh_type == SHT_NOBITS || address < header.sh_addr ||
		    address - header.sh_addr >= header.sh_size)
			continue;
		memcpy(&number,
		       (char *)elf_rawdata(section, NULL)->d_buf +
			       (address - header.sh_addr),
		       sizeof(number));
		return number;
	}
	check_fail("%s: `%s' is nowhere", name, words(name));
}

static void stand_in(const char *function)
{
	struct debug_place place;

	places(function, &place);
	at(&place);
}

static void cast_is(const char *name, const char *wanted)
{
	char text[64];

	snprintf(text, sizeof(text), "((struct %s *)any)->value", name);
	CHECK_EQ(debug_types_load(code, where.address, text), 0);
	CHECK_STR(words(text), wanted);
}

static void spaces(const char *how)
{
	begin(how, "spaces.cc");
	stand_in("inner_use");
	CHECK_EQ(begins_as("count"), 2);
	stand_in("outer_use");
	CHECK_EQ(begins_as("count"), 1);
	stand_in("keep");
	CHECK_EQ(begins_as("count"), 3);
	refused("each", "`each': it is a member here: write this->each");
	CHECK(*words("this->each"));
	stand_in("node_keep");
	cast_is("node", "si @4");
	stand_in("free_use");
	cast_is("node", "di 8 + @4");
	cast_is("rare", "di 16 + @4");
	debug_types_load(code, where.address, "((struct common *)any)");
	refused("((struct common *)any)->value",
		"`struct common': several types have this name");
	CHECK(strstr(ktrace_last_error(), "away::common"));
	CHECK(strstr(ktrace_last_error(), "further::common"));
	CHECK_EQ(begins_as("count"), 9);
	CHECK_EQ(begins_as("each"), 8);
	CHECK_EQ(begins_as("hidden"), 4);
	/* There is no other one. */
	CHECK_EQ(begins_as("only"), 5);
	refused("twice", "`twice': several have this name");
	CHECK(strstr(ktrace_last_error(), "away::twice"));
	CHECK(strstr(ktrace_last_error(), "further::twice"));
	end();
}

TEST(names_are_looked_up_in_spaces_from_the_inside_out)
{
	spaces("g++ -O0 -g");
	spaces("g++ -O2 -g");
	spaces("g++ -O2 -g -gdwarf-4");
	spaces("g++ -O2 -g -flto");
}

static void linked(const char *how)
{
	static const char cast[] = "((struct record *)&state)->value";

	begin(how, "linked.c");
	stand_in("own_use");
	CHECK_EQ(begins_as("state"), 11);
	CHECK(strstr(words("state"), "@4"));
	CHECK_EQ(debug_types_load(code, where.address, cast), 0);
	CHECK(strstr(words(cast), " 24 + @4"));
	stand_in("other_use");
	CHECK_EQ(debug_types_load(code, where.address, cast), 0);
	CHECK(!strstr(words(cast), " 24 + @4"));
	CHECK_EQ(begins_as("state"), 22);
	CHECK(strstr(words("state"), "@8"));
	CHECK(*words("sink"));
	end();
}

TEST(each_file_of_a_whole_program_has_variables_of_its_own)
{
	linked("gcc -O2 -g linked_other.c");
	linked("gcc -O2 -g -flto linked_other.c");
	linked("gcc -O0 -g -flto linked_other.c");
	linked("gcc -O2 -g -flto=auto -flto-partition=max linked_other.c");
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

/* The number that the enumerator has in the type of @text. */
static int64_t enumerator_of(const char *text, const char *name)
{
	const struct btf *btf = debug_type_btf(code);
	const struct btf_type *t;
	struct expression e;
	int64_t value = 0;
	bool found = false;

	if (expression_parse(&e, btf, &text, name_begin, type_named, NULL))
		check_fail("%s: %s", text, ktrace_last_error());
	t = type_resolve(btf, e.type);
	for (__u32 i = 0; i < btf_vlen(t) && !found; i++) {
		bool wide = btf_is_enum64(t);
		__u32 own = wide ? btf_enum64(t)[i].name_off
				 : btf_enum(t)[i].name_off;

		found = !strcmp(btf__name_by_offset(btf, own), name);
		value = wide ? (int64_t)btf_enum64_value(&btf_enum64(t)[i])
			     : btf_enum(t)[i].val;
	}
	CHECK(found);
	expression_end(&e);
	return value;
}

static void enumerations(const char *how)
{
	struct debug_place place;

	begin(how, "signs.c");
	at_line("signs.c", "sink = every", &place);
	at(&place);
	CHECK(!has_sign("every->b"));
	CHECK(has_sign("every->e"));
	CHECK(!has_sign("every->p"));
	CHECK_EQ(enumerator_of("every->b", "HIGHEST"), 0x80000000);
	CHECK_EQ(enumerator_of("every->e", "BELOW"), -1);
	CHECK(strstr(words("every->b"), " @4"));
	end();
}

TEST(enumerations_have_the_sign_of_their_type)
{
	struct debug_place place;

	enumerations("gcc -O0 -g");
	enumerations("gcc -O0 -g -gdwarf-4");
	/* No type is told. */
	enumerations("gcc -O0 -g -gdwarf-2 -gstrict-dwarf");
	begin("g++ -O0 -g", "signs.cc");
	at_line("signs.cc", "sink = every", &place);
	at(&place);
	CHECK(has_sign("every->a"));
	CHECK(!has_sign("every->b"));
	CHECK(has_sign("every->c"));
	CHECK(!has_sign("every->d"));
	CHECK(has_sign("every->e"));
	CHECK_EQ(enumerator_of("every->b", "HIGHEST"), 0x80000000);
	CHECK_EQ(enumerator_of("every->c", "SOME"), 100);
	CHECK_EQ(enumerator_of("every->d", "SHORT_HIGHEST"), 0xffff);
	end();
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

CHECK_MAIN
