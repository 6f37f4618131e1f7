// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Converts the kernel's description of events to types, and reads them back from a trace. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

#include <ktrace/session.h>
#include <ktrace/writer.h>

#include "kernel/format.h"
#include "type/type.h"

#define NO_BTF "/nonexistent"

static struct ktrace_types *types;

static const struct ktrace_field *parse(const char *fields, const char *print,
					const char *name)
{
	const struct ktrace_type *type;
	char *text;
	int len;

	ktrace_types_destroy(types);
	types = NULL;
	len = asprintf(
		&text,
		"event sys:name id 17 enabled 1 module some_module\n"
		"size: 64\ndynamic: 1\nshort: 12\nformat:\n%s\nprint fmt: "
		"%s\n\n",
		fields, print);
	CHECK(len > 0);
	CHECK_EQ(ktrace_types_parse(text, strlen(text), NO_BTF, &types), 0);
	free(text);
	CHECK_EQ(ktrace_types_count(types), 1);
	type = ktrace_types_find(types, 17);
	CHECK(type);
	CHECK_STR(type->system, "sys");
	CHECK_STR(type->name, "name");
	CHECK_STR(type->module, "some_module");
	return ktrace_field_find(type, name);
}

#define FIELD(decl, offset, size, sign)                       \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size \
	";\tsigned:" #sign ";\n"

TEST(kinds_by_type)
{
	static const struct {
		const char *field;
		enum ktrace_kind kind;
		enum ktrace_place place;
		enum ktrace_base base;
		uint32_t elem;
	} want[] = {
		{FIELD("int f", 0, 4, 1), KTRACE_INT, 0, KTRACE_DEC, 0},
		{FIELD("u64 f", 0, 8, 0), KTRACE_UINT, 0, KTRACE_DEC, 0},
		{FIELD("char f[16]", 0, 16, 0), KTRACE_STRING, 0, 0, 0},
		{FIELD("const void * f", 0, 8, 0), KTRACE_POINTER, 0,
		 KTRACE_HEX, 0},
		{FIELD("const char *f", 0, 8, 0), KTRACE_POINTER, 0, KTRACE_HEX,
		 0},
		{FIELD("bool f", 0, 1, 0), KTRACE_UINT, 0, KTRACE_BOOL, 0},
		{FIELD("dev_t f", 0, 4, 0), KTRACE_UINT, 0, KTRACE_DEV, 0},
		{FIELD("unsigned long f[6]", 0, 48, 0), KTRACE_ARRAY, 0,
		 KTRACE_DEC, 8},
		{FIELD("struct thing f[2]", 0, 8, 0), KTRACE_ARRAY, 0,
		 KTRACE_DEC, 4},
		{FIELD("__u8 f[16]", 0, 16, 0), KTRACE_ARRAY, 0, KTRACE_HEX, 1},
		{FIELD("struct in6_addr f", 0, 16, 0), KTRACE_BYTES, 0, 0, 0},
		{FIELD("__data_loc char[] f", 0, 4, 0), KTRACE_STRING,
		 KTRACE_DATA_LOC, 0, 0},
		{FIELD("__rel_loc char[] f", 0, 4, 0), KTRACE_STRING,
		 KTRACE_REL_LOC, 0, 0},
		{FIELD("__data_loc u32[] f", 0, 4, 0), KTRACE_ARRAY,
		 KTRACE_DATA_LOC, 0, 4},
		{FIELD("__data_loc cpumask_t f", 0, 4, 0), KTRACE_BITMASK,
		 KTRACE_DATA_LOC, 0, 8},
	};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct ktrace_field *f =
			parse(want[i].field, "\"\"", "f");

		check_note("%.*s", (int)strcspn(want[i].field, ";") - 1,
			   want[i].field + 1);
		CHECK(f);
		CHECK_EQ(f->kind, want[i].kind);
		CHECK_EQ(f->place, want[i].place);
		CHECK_EQ(f->base, want[i].base);
		CHECK_EQ(f->elem, want[i].elem);
	}
}

TEST(flags_and_symbols)
{
	const struct ktrace_field *f;

	f = parse(
		FIELD("unsigned long f", 0, 8, 0),
		"\"%s\", __print_flags(REC->f, \"|\", { (1UL << 2), \"TWO\" },"
		" { (unsigned long)((( gfp_t)0x400u)|(( gfp_t)0x800u)), "
		"\"BOTH\" }, { UNKNOWN_NAME, \"LOST\" })",
		"f");
	CHECK(f->names);
	CHECK(f->names->flags);
	CHECK_STR(f->names->delim, "|");
	CHECK_EQ(f->names->count, 2);
	CHECK_EQ(f->names->names[0].value, 4);
	CHECK_STR(f->names->names[0].name, "TWO");
	CHECK_EQ(f->names->names[1].value, 0xc00);

	f = parse(FIELD("int f", 0, 4, 1),
		  "\"%s\", __print_symbolic(REC->f, { -1, \"MINUS\" }, "
		  "{ 3, \"THREE\" })",
		  "f");
	CHECK(f->names && !f->names->flags);
	CHECK_EQ(f->names->names[0].value, -1);
	CHECK_STR(f->names->names[1].name, "THREE");

	/* A value is truncated to the field's size. */
	f = parse(FIELD("u16 f", 0, 2, 0),
		  "\"%s\", __print_symbolic(REC->f, { -1, \"MINUS\" })", "f");
	CHECK_EQ(f->names->names[0].value, 0xffff);
}

TEST(sched_state)
{
	const struct ktrace_field *f;

	f = parse(FIELD("long f", 0, 8, 1),
		  "\"%s%s\", (REC->f & ((0x1 | 0x2) * 2 - 1)) ? "
		  "__print_flags(REC->f & 7, \"|\", { 0x1, \"S\" }, "
		  "{ 0x2, \"D\" }) : \"R\", REC->f & 0x100 ? \"+\" : \"\"",
		  "f");
	CHECK(f->names);
	CHECK_EQ(f->names->count, 4);
	CHECK_EQ(f->names->names[2].value, 0);
	CHECK_STR(f->names->names[2].name, "R");
	CHECK_EQ(f->names->names[3].value, 0x100);
}

TEST(bases_by_print_format)
{
	static const struct {
		const char *field;
		const char *print;
		enum ktrace_base base;
	} want[] = {
		{FIELD("u32 f", 0, 4, 0), "\"%08x\", REC->f", KTRACE_HEX},
		{FIELD("u64 g", 0, 8, 0) FIELD("void * f", 8, 8, 0),
		 "\"%d%% %pS\", REC->g, REC->f", KTRACE_SYMBOL},
		{FIELD("unsigned long f", 0, 8, 0), "\"%ps\", (void *)REC->f",
		 KTRACE_SYMBOL},
		{FIELD("u8 f[4]", 0, 4, 0), "\"%pI4\", REC->f", KTRACE_IP4},
		{FIELD("u8 f[6]", 0, 6, 0), "\"%pM\", REC->f", KTRACE_MAC},
		{FIELD("unsigned long f[2]", 0, 16, 0),
		 "\"%lx %lx\", REC->f[0], REC->f[1]", KTRACE_HEX},
	};
	size_t i;

	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct ktrace_field *f =
			parse(want[i].field, want[i].print, "f");

		CHECK(f);
		CHECK_EQ(f->base, want[i].base);
	}
}

TEST(nonsense_print_formats)
{
	static const char *const prints[] = {
		"",
		"\"",
		"\"%s\"",
		"\"%s\", ",
		"\"%d %d %d\", REC->f",
		"\"%s\", __print_flags(REC->f",
		"\"%s\", __print_symbolic()",
		"\"%*d\", REC->f",
		"REC->f",
		"\"%s\", REC->nope",
		"\"%\"",
		"\"%pS\", __get_str(nope)",
		"\"%d\", (((((REC->f",
	};
	size_t i;

	for (i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		const struct ktrace_field *f =
			parse(FIELD("u32 f", 0, 4, 0), prints[i], "f");

		CHECK(f);
	}
}

TEST(nonsense_descriptions)
{
	static const char *const texts[] = {
		"event",
		"event \n",
		"event a:b\n\tfield:;\n",
		"event a:b id 5\nsize: 4\n\tfield:int x;\toffset:2;\tsize:4;"
		"\tsigned:1;\n",
		"event a:b id 99999999\nsize: 4\n",
		"event a:b id 7\nsize: 99999999\n",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct ktrace_types *none = NULL;

		if (!ktrace_types_parse(texts[i], strlen(texts[i]), NO_BTF,
					&none))
			ktrace_types_destroy(none);
		else
			CHECK(*ktrace_last_error());
	}
}

static void types_equal(const struct ktrace_type *a,
			const struct ktrace_type *b)
{
	uint32_t i, k;

	CHECK_STR(b->print, a->print);
	CHECK_EQ(b->size, a->size);
	CHECK_EQ(b->short_size, a->short_size);
	CHECK_EQ(b->nr_fields, a->nr_fields);
	for (i = 0; i < a->nr_fields; i++) {
		const struct ktrace_field *f = &a->fields[i],
					  *g = &b->fields[i];

		CHECK_STR(g->name, f->name);
		CHECK_STR(g->ctype, f->ctype);
		CHECK_EQ(g->offset, f->offset);
		CHECK_EQ(g->size, f->size);
		CHECK_EQ(g->kind, f->kind);
		CHECK_EQ(g->place, f->place);
		CHECK_EQ(g->base, f->base);
		CHECK_EQ(g->elem, f->elem);
		CHECK_EQ(g->is_signed, f->is_signed);
		CHECK_EQ(!g->names, !f->names);
		for (k = 0; f->names && k < f->names->count; k++) {
			CHECK_EQ(g->names->names[k].value,
				 f->names->names[k].value);
			CHECK_STR(g->names->names[k].name,
				  f->names->names[k].name);
		}
	}
}

/* What the writer takes, the reader reads. */
TEST(hits_of_many_probes)
{
	struct ktrace_writer_head head = {.size = sizeof(head), .id = 1};
	char directory[] = "/tmp/ktrace-types-XXXXXX", path[64];
	struct ktrace_probe_hits *hits =
		calloc(KTRACE_PROBE_HITS_MAX, sizeof(*hits));
	struct ktrace_writer *writer;
	struct ktrace *trace;

	CHECK(hits && mkdtemp(directory));
	for (size_t i = 0; i < KTRACE_PROBE_HITS_MAX; i++)
		hits[i] = (struct ktrace_probe_hits){
			.system = "probe", .name = "one", .hits = i};
	CHECK_EQ(ktrace_writer_create(directory, &head, &writer), 0);
	CHECK_EQ(ktrace_writer_probe_hits(writer, hits, 1), 0);
	CHECK_EQ(ktrace_writer_probe_hits(writer, hits, KTRACE_PROBE_HITS_MAX),
		 -E2BIG);
	CHECK_EQ(ktrace_writer_probe_hits(writer, hits,
					  KTRACE_PROBE_HITS_MAX - 1),
		 0);
	CHECK_EQ(ktrace_writer_probe_hits(writer, hits, 1), -E2BIG);
	CHECK_EQ(ktrace_writer_end(writer, NULL, 0, "stopped"), 0);
	ktrace_writer_destroy(writer);
	free(hits);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	snprintf(path, sizeof(path), "%s/metadata", directory);
	unlink(path);
	rmdir(directory);
	CHECK_EQ(ktrace_get_info(trace)->nr_probe_hits, KTRACE_PROBE_HITS_MAX);
	ktrace_close(trace);
}

/* All of a type is in the metadata. */
TEST(through_the_metadata)
{
	struct ktrace_writer_head head = {.size = sizeof(head),
					  .id = 1,
					  .host = "quote \" back\\ \xff\n"};
	char directory[] = "/tmp/ktrace-types-XXXXXX", path[64];
	const struct ktrace_type *a, *b;
	struct ktrace_writer *writer;
	struct ktrace_sync sync = {1, 2, 3};
	struct ktrace *trace;
	uint32_t i, k;

	parse(FIELD("char comm[16]", 0, 16, 0) FIELD("u64 f", 16, 8, 0)
		      FIELD("__data_loc char[] s", 24, 4, 0)
			      FIELD("s16 list[4]", 28, 8, 1)
				      FIELD("int n", 36, 4, 1),
	      "\"%s %s %x\", __print_flags(REC->f, \"\", { 1, \"a\\\"b\" }), "
	      "__print_symbolic(REC->n, { -3, \"minus\" }), REC->f",
	      "f");
	CHECK(mkdtemp(directory));
	CHECK_EQ(ktrace_writer_create(directory, &head, &writer), 0);
	CHECK_EQ(ktrace_writer_clock(writer, "mono", 1000000000, &sync, true),
		 0);
	/* The kernel stopped trusting the clock: written once. */
	CHECK_EQ(ktrace_writer_clock(writer, "mono", 1000000000, &sync, false),
		 0);
	CHECK_EQ(ktrace_writer_clock(writer, "mono", 1000000000, &sync, false),
		 0);
	CHECK_EQ(ktrace_writer_types(writer, types), 0);
	/* Writing them twice changes nothing. */
	CHECK_EQ(ktrace_writer_types(writer, types), 0);
	CHECK_EQ(ktrace_writer_end(writer, NULL, 0, "stopped"), 0);
	ktrace_writer_destroy(writer);
	CHECK_EQ(ktrace_open(directory, &trace), 0);
	snprintf(path, sizeof(path), "%s/metadata", directory);
	unlink(path);
	rmdir(directory);

	CHECK_STR(ktrace_get_info(trace)->host,
		  "quote \" back\\ \xef\xbf\xbd\n");
	for (i = k = 0; ktrace_warning(trace, i); i++)
		k += strstr(ktrace_warning(trace, i), "do not agree") != NULL;
	CHECK_EQ(k, 1);
	CHECK_EQ(ktrace_types_count(ktrace_get_types(trace)), 1);
	a = ktrace_types_find(types, 17);
	b = ktrace_types_find(ktrace_get_types(trace), 17);
	CHECK(b);
	types_equal(a, b);
	ktrace_close(trace);
}

static void type_put(struct ktrace_types *to, uint32_t id, const char *name)
{
	struct ktrace_type *type = arena_alloc(&to->arena, sizeof(*type));

	CHECK(type);
	type->id = id;
	type->system = "sys";
	type->name = arena_strdup(&to->arena, name);
	CHECK_EQ(types_add(to, type), 0);
}

/* Of the type @id, for @index; its fields end at @size. */
static int variant_put(struct ktrace_types *to, uint32_t id, uint32_t index,
		       uint32_t size)
{
	struct ktrace_type *type = arena_alloc(&to->arena, sizeof(*type));
	struct ktrace_field *field = arena_alloc(&to->arena, sizeof(*field));

	CHECK(type && field);
	*field = (struct ktrace_field){
		.name = "last", .offset = size - 4, .size = 4};
	type->system = "sys";
	type->name = "variant";
	type->size = size;
	type->nr_fields = 1;
	type->fields = field;
	return types_add_variant(to, id, index, type);
}

static const struct ktrace_type *variant_of(const struct ktrace_types *set,
					    uint32_t index, uint32_t size)
{
	const struct ktrace_type *base = ktrace_types_find(set, 17);
	uint8_t payload[64];

	memcpy(payload, &index, sizeof(index));
	return types_variant(set, base, payload, size);
}

/* A payload has the type of its index if it is large enough for it. */
TEST(variants)
{
	struct ktrace_types *set = types_create();
	const struct ktrace_type *base, *variant;

	type_put(set, 16, "other");
	type_put(set, 17, "base");
	base = ktrace_types_find(set, 17);
	((struct ktrace_type *)base)->size = 4;
	CHECK_EQ(variant_put(set, 17, 3, 16), 0);
	CHECK_EQ(variant_put(set, 17, TYPE_INDEX_MAX - 1, 8), 0);

	variant = variant_of(set, 3, 16);
	CHECK(variant != base);
	CHECK_EQ(variant->index, 3);
	CHECK(variant->variant_of == base);
	CHECK_EQ(variant->id, 17);
	CHECK(variant_of(set, 3, 15) == base);
	CHECK(variant_of(set, 2, 16) == base);
	CHECK(variant_of(set, UINT32_MAX, 16) == base);
	CHECK(variant_of(set, 3, 3) == base);
	CHECK_EQ(variant_of(set, TYPE_INDEX_MAX - 1, 8)->number, 3);
	/* The id still means the type itself; another id has no variants. */
	CHECK(ktrace_types_find(set, 17) == base);
	CHECK(types_variant(set, ktrace_types_find(set, 16),
			    (const uint8_t[16]){3},
			    16) == ktrace_types_find(set, 16));

	CHECK_EQ(ktrace_types_count(set), 4);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_EQ(ktrace_types_get(set, i)->number, i);
	ktrace_types_destroy(set);
}

/* Adds the variant 5, and counts how often it is asked. */
static int variant_find(void *data, struct ktrace_types *set, uint32_t index)
{
	unsigned int *asked = data;

	++*asked;
	return index == 5 ? variant_put(set, 17, 5, 12) : 0;
}

/* Variants are asked for when a payload needs them, and only once. */
TEST(variants_asked)
{
	struct ktrace_types *set = types_create();
	const struct ktrace_type *base;
	unsigned int asked = 0;

	type_put(set, 16, "other");
	type_put(set, 17, "base");
	base = ktrace_types_find(set, 17);
	((struct ktrace_type *)base)->size = 4;
	CHECK_EQ(types_find_variants(set, 17, variant_find, &asked), 0);
	CHECK_EQ(variant_put(set, 17, 3, 16), 0);
	CHECK_EQ(variant_of(set, 3, 16)->index, 3);
	CHECK_EQ(asked, 0);
	CHECK_EQ(variant_of(set, 5, 16)->size, 12);
	CHECK_EQ(variant_of(set, 5, 16)->index, 5);
	CHECK(variant_of(set, 5, 8) == base);
	CHECK_EQ(asked, 1);
	CHECK(variant_of(set, 4000, 16) == base);
	CHECK(variant_of(set, 4000, 16) == base);
	CHECK_EQ(asked, 2);
	CHECK(variant_of(set, UINT32_MAX, 16) == base);
	CHECK_EQ(asked, 2);
	CHECK_EQ(types_find_variants(set, 17, NULL, NULL), 0);
	CHECK(variant_of(set, 6, 16) == base);
	CHECK_EQ(asked, 2);
	ktrace_types_destroy(set);
}

TEST(variants_that_are_refused)
{
	struct ktrace_types *set = types_create();

	type_put(set, 17, "too small for an index");
	CHECK_EQ(variant_put(set, 17, 0, 8), -EINVAL);
	((struct ktrace_type *)ktrace_types_find(set, 17))->size = 4;
	CHECK_EQ(variant_put(set, 18, 0, 8), -ENOENT);
	CHECK_EQ(variant_put(set, 17, TYPE_INDEX_MAX, 8), -EINVAL);
	/* The field would lie before the payload: its offset is huge. */
	CHECK_EQ(variant_put(set, 17, 0, 0), -EINVAL);
	CHECK_EQ(variant_put(set, 17, 0, 8), 0);
	CHECK_EQ(variant_put(set, 17, 0, 8), -EEXIST);
	for (uint32_t id = 100; id < 100 + TYPE_VARIANTS_MAX; id++) {
		int err;

		type_put(set, id, "many");
		((struct ktrace_type *)ktrace_types_find(set, id))->size = 4;
		err = variant_put(set, id, 0, 8);
		CHECK_EQ(err, id + 1 < 100 + TYPE_VARIANTS_MAX ? 0 : -EINVAL);
	}
	ktrace_types_destroy(set);
}

/* The short form takes an id of its own. */
TEST(short_forms)
{
	struct ktrace_types *set = types_create();
	struct ktrace_type type = {.id = 20,
				   .system = "sys",
				   .name = "call",
				   .size = 8,
				   .short_size = 4,
				   .dynamic = true};
	struct ktrace_type large = type;
	uint32_t size;
	bool dynamic;

	type_put(set, 19, "before");
	type_put(set, 22, "behind");
	CHECK_EQ(types_add(set, &type), 0);
	CHECK(ktrace_types_find(set, 20) == &type);
	CHECK(ktrace_types_find(set, 21) == &type);
	CHECK(types_size(set, 20, &size, &dynamic));
	CHECK(size == 8 && dynamic);
	CHECK(types_size(set, 21, &size, &dynamic));
	CHECK(size == 4 && !dynamic);
	large.id = 21;
	CHECK_EQ(types_add(set, &large), -EEXIST);
	large.id = 18;
	CHECK_EQ(types_add(set, &large), -EEXIST);
	CHECK(!ktrace_types_find(set, 18));
	large.id = TYPE_ID_MAX - 1;
	CHECK_EQ(types_add(set, &large), -EINVAL);
	/* It would have more bytes than the payload. */
	large.id = 30;
	large.short_size = 9;
	CHECK_EQ(types_add(set, &large), -EINVAL);
	ktrace_types_destroy(set);
}

static void layout_put(struct ktrace_types *to, const char *name, uint32_t size)
{
	const struct ktrace_layout layout = {
		.name = arena_strdup(&to->arena, name),
		.size = size,
	};

	CHECK_EQ(types_add_layout(to, &layout), 0);
}

/* Each holder of a set can use it until it drops its own reference. */
TEST(held_by_several)
{
	struct ktrace_types *set = types_create();

	type_put(set, 16, "one");
	CHECK(types_hold(set) == set);
	CHECK(types_hold(set) == set);
	ktrace_types_destroy(set);
	ktrace_types_destroy(set);
	CHECK_STR(ktrace_types_find(set, 16)->name, "one");
	type_put(set, 17, "two");
	CHECK_EQ(ktrace_types_count(set), 2);
	ktrace_types_destroy(set);
}

/* All types are moved, with their memory; the first one of a name or an id stays. */
TEST(moved_from_one_to_another)
{
	struct ktrace_types *to = types_create(), *from;
	const struct ktrace_type *first;
	char name[16];

	type_put(to, 16, "one");
	type_put(to, 0, "nobody's");
	layout_put(to, "pair", 8);
	first = ktrace_types_find(to, 16);
	for (uint32_t round = 0; round < 3; round++) {
		from = types_create();
		type_put(from, 16, "another");
		type_put(from, 0, "nobody's either");
		for (uint32_t i = 0; i < 1000; i++) {
			uint32_t id = 17 + round * 1000 + i;

			snprintf(name, sizeof(name), "event%u", id);
			type_put(from, id, name);
		}
		layout_put(from, "pair", 16);
		layout_put(from, round ? "triple" : "single", 4);
		CHECK_EQ(types_move(to, from), 0);
	}
	CHECK(ktrace_types_find(to, 16) == first);
	CHECK_STR(first->name, "one");
	/* The types without an id are unchanged. */
	CHECK_EQ(ktrace_types_count(to), 2 + 3 * 1001);
	for (uint32_t id = 17; id < 3017; id++) {
		snprintf(name, sizeof(name), "event%u", id);
		CHECK_STR(ktrace_types_find(to, id)->name, name);
	}
	CHECK(!ktrace_types_find(to, 3017));
	CHECK_EQ(ktrace_layout_find(to, "pair")->size, 8);
	CHECK(ktrace_layout_find(to, "single"));
	CHECK(ktrace_layout_find(to, "triple"));
	/* Into an empty set, and from an empty set. */
	from = to;
	to = types_create();
	CHECK_EQ(types_move(to, from), 0);
	CHECK_EQ(types_move(to, types_create()), 0);
	CHECK_EQ(ktrace_types_count(to), 2 + 3 * 1001);
	CHECK_STR(ktrace_types_find(to, 3016)->name, "event3016");
	ktrace_types_destroy(to);
}

/* Of system calls only the size is parsed, until somebody asks for more. */
TEST(late)
{
	static const char info[] =
		"event syscalls:sys_enter_openat id 20 enabled 1 module m\n"
		"size: 20\ndynamic: 1\nformat:\n"
		"\tfield:int dfd;\toffset:0;\tsize:4;\tsigned:1;\n"
		"\tfield:int flags;\toffset:12;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] v;\toffset:16;\tsize:4;\tsigned:0;\n"
		"print fmt: \"\"\n\n"
		"event sys:other id 17 enabled 1 module m\n"
		"size: 4\ndynamic: 0\nformat:\n"
		"\tfield:u32 a;\toffset:0;\tsize:4;\tsigned:0;\n"
		"print fmt: \"\"\n\n"
		"event compat_syscalls:sys_exit_stat id 21 enabled 1 module m\n"
		"size: 12\ndynamic: 1\nformat:\n"
		"\tfield:long ret;\toffset:0;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc struct rlimit[] v;\toffset:8;\tsize:4;"
		"\tsigned:0;\n"
		"print fmt: \"ret=%lld\", REC->ret\n\n"
		"event syscalls:sys_exit_odd id 22 enabled 1 module m\n"
		"size: 4\ndynamic: 0\nformat:\n"
		"\tfield:long ret;\toffset:0;\tsize:8;\tsigned:1;\n"
		"print fmt: \"\"\n\n";
	struct ktrace_types *eager, *late, *more = types_create();
	struct enums *enums = enums_open(NULL);
	size_t sound = strlen(info) -
		       strlen(strstr(info, "event syscalls:sys_exit_odd"));
	char *copy = strdup(info);
	uint32_t size = 0;
	bool dynamic;

	CHECK_EQ(types_parse(info, sound, enums, &eager), 0);
	CHECK_EQ(types_parse_late(copy, strlen(copy), enums, &late), 0);
	free(copy);
	CHECK_EQ(late->count, 1);
	CHECK_EQ(types_total(late), 4);
	CHECK(types_size(late, 20, &size, &dynamic));
	CHECK_EQ(size, 20);
	CHECK(dynamic);
	CHECK(!types_size(late, 19, &size, &dynamic));
	types_equal(ktrace_types_find(eager, 17), ktrace_types_find(late, 17));
	types_equal(ktrace_types_find(eager, 20), ktrace_types_find(late, 20));
	CHECK_EQ(late->count, 2);
	CHECK_EQ(types_total(late), 4);

	/* Some are already parsed, some are not. */
	CHECK_EQ(types_move(more, late), 0);
	CHECK_EQ(types_total(more), 4);
	CHECK(!ktrace_layout_find(more, "rlimit"));
	types_equal(ktrace_types_find(eager, 21), ktrace_types_find(more, 21));
	CHECK_EQ(ktrace_layout_find(more, "rlimit")->size,
		 ktrace_layout_find(eager, "rlimit")->size);
	CHECK(!ktrace_types_find(more, 22));
	CHECK_EQ(ktrace_types_count(more), 3);
	CHECK(!ktrace_types_find(more, 22));
	ktrace_types_destroy(eager);
	ktrace_types_destroy(more);
	enums_close(enums);
}

CHECK_MAIN
