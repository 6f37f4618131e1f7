// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Expressions over structs: the words that they become, run over objects whose layout the
 * compiler has chosen.
 */
#include <errno.h>
#include <stddef.h>

#include <ktrace/library.h>

#include "check.h"
#include "memory.h"
#include "session/expression.h"

/* As the type information below describes them; pointers are addresses in the memory. */
struct name {
	uint32_t hash, length;
	uint64_t text;
};

struct entry {
	uint64_t flags;
	struct name name;
	uint64_t parent;
	char own[24];
};

struct file {
	uint32_t mode;
	union {
		struct {
			int32_t number;
			uint32_t low : 5, middle : 7;
		};
		uint64_t both;
	};
	uint64_t entry;
	int16_t small;
	struct {
		int64_t value;
	} wrapped;
};

static struct btf *btf;
static int file_pointer, wrong_pointer;

/* The offset of a member in bits. */
#define AT(type, member) (8 * (int)offsetof(struct type, member))

static void types_make(void)
{
	int int_type, long_type, short_type, unsigned_type, word_type, chars,
		text, entry, entry_pointer, inner, both, wrapped, name, index;

	btf = btf__new_empty();
	short_type = btf__add_int(btf, "short int", 2, BTF_INT_SIGNED);
	int_type = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	long_type = btf__add_int(btf, "long int", 8, BTF_INT_SIGNED);
	unsigned_type = btf__add_int(btf, "unsigned int", 4, 0);
	word_type = btf__add_int(btf, "long unsigned int", 8, 0);
	index = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	text = btf__add_ptr(btf, btf__add_const(btf, index));
	chars = btf__add_array(btf, int_type, index, 24);

	name = btf__add_struct(btf, "name", sizeof(struct name));
	btf__add_field(btf, "hash", unsigned_type, AT(name, hash), 0);
	btf__add_field(btf, "length", unsigned_type, AT(name, length), 0);
	btf__add_field(btf, "text", text, AT(name, text), 0);
	/* A struct that points to itself. */
	entry = btf__add_struct(btf, "entry", sizeof(struct entry));
	entry_pointer = entry + 1;
	btf__add_field(btf, "flags", word_type, AT(entry, flags), 0);
	btf__add_field(btf, "name", name, AT(entry, name), 0);
	btf__add_field(btf, "parent", entry_pointer, AT(entry, parent), 0);
	btf__add_field(btf, "own", chars, AT(entry, own), 0);
	CHECK_EQ(btf__add_ptr(btf, entry), entry_pointer);

	inner = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "number", int_type, 0, 0);
	btf__add_field(btf, "low", unsigned_type, 32, 5);
	btf__add_field(btf, "middle", unsigned_type, 37, 7);
	both = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, NULL, inner, 0, 0);
	btf__add_field(btf, "both", word_type, 0, 0);
	wrapped = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "value", long_type, 0, 0);
	file_pointer = btf__add_struct(btf, "file", sizeof(struct file));
	btf__add_field(btf, "mode", unsigned_type, AT(file, mode), 0);
	btf__add_field(btf, NULL, both, AT(file, number), 0);
	btf__add_field(btf, "entry", entry_pointer, AT(file, entry), 0);
	btf__add_field(btf, "small", short_type, AT(file, small), 0);
	btf__add_field(btf, "wrapped", wrapped, AT(file, wrapped), 0);
	file_pointer = btf__add_ptr(btf, btf__add_const(btf, file_pointer));
	wrong_pointer = btf__add_ptr(btf, 0);
	CHECK(wrong_pointer > 0);
}

#define KERNEL(offset) (MEMORY_BASE + MEMORY_KERNEL + (offset))

static void objects_make(void)
{
	const struct entry parent = {
		.flags = 7,
		.name = {.text = KERNEL(1024)},
		.own = "own text",
	};
	const struct entry entry = {
		.name = {.hash = 5, .length = 6, .text = KERNEL(1100)},
		.parent = KERNEL(512),
	};
	const struct file file = {
		.mode = 0644,
		.number = -3,
		.low = 21,
		.middle = 100,
		.entry = KERNEL(256),
		.small = -2,
		.wrapped = {-4},
	};

	memset(memory_bytes, 0, sizeof(memory_bytes));
	memcpy(memory_bytes, &file, sizeof(file));
	memcpy(memory_bytes + 256, &entry, sizeof(entry));
	memcpy(memory_bytes + 512, &parent, sizeof(parent));
	strcpy((char *)memory_bytes + 1024, "the parent");
	strcpy((char *)memory_bytes + 1100, "the name");
}

/* Runs "TYPE x: WORDS"; the field's bytes. */
static const void *run(const struct text *words, u32 *length)
{
	static u8 payload[8192];
	static struct kt_capture capture;
	struct kt_capture_field fields[KT_CAPTURE_FIELDS_MAX];
	const u64 arguments[KT_CAPTURE_ARGUMENTS] = {0, KERNEL(0)};
	struct kt_capture_error error;
	u32 where;

	CHECK(!words->failed);
	if (kt_capture_parse(&capture, words->s, fields, &error))
		check_fail("%s refused: %s", words->s, error.what);
	kt_capture_run(&capture, arguments, payload, 0);
	CHECK_EQ(kt_capture_unread(payload, 0), 0);
	memcpy(&where, payload + 4, sizeof(where));
	*length = where >> 16;
	return payload + (where & 0xffff);
}

static void begin(struct expression *e, const char *path)
{
	if (!btf)
		types_make();
	objects_make();
	CHECK_EQ(expression_begin(e, btf, file_pointer, "a1"), 0);
	if (expression_member(e, path))
		check_fail("%s: %s", path, ktrace_last_error());
}

/* The number that the expression is, which ends here. */
static int64_t number_run(struct expression *e, uint32_t size)
{
	struct text words = {0};
	int64_t value = 0;
	bool is_signed;
	u32 length;

	CHECK_EQ(expression_number_size(e, &is_signed), size);
	text_puts(&words, "u64 x: kernel ");
	expression_push_number(e, &words);
	text_printf(&words, " put %u", size);
	memcpy(&value, run(&words, &length), size);
	CHECK_EQ(length, size);
	if (is_signed)
		value = (int64_t)((uint64_t)value << (64 - 8 * size)) >>
			(64 - 8 * size);
	text_free(&words);
	expression_end(e);
	return value;
}

static int64_t number(const char *path, uint32_t size, bool is_signed)
{
	struct expression e;
	bool has_sign;

	begin(&e, path);
	expression_number_size(&e, &has_sign);
	CHECK_EQ(has_sign, is_signed);
	return number_run(&e, size);
}

static const char *string(const char *path, uint32_t room)
{
	static char result[64];
	struct text words = {0};
	struct expression e;
	uint32_t size;
	u32 length;

	begin(&e, path);
	CHECK(expression_is_text(&e, &size));
	CHECK_EQ(size, room);
	text_puts(&words, "char x: kernel ");
	if (size)
		expression_push_address(&e, &words);
	else
		expression_push_number(&e, &words);
	text_puts(&words, " string 60");
	strcpy(result, run(&words, &length));
	text_free(&words);
	expression_end(&e);
	return result;
}

TEST(numbers)
{
	CHECK_EQ(number("mode", 4, false), 0644);
	CHECK_EQ(number("small", 2, true), -2);
	CHECK_EQ(number("entry->flags", 8, false), 0);
	CHECK_EQ(number("entry->name.length", 4, false), 6);
	CHECK_EQ(number("entry->parent->flags", 8, false), 7);
	CHECK_EQ(number("entry", 8, false), KERNEL(256));
}

TEST(members_of_structs_without_a_name)
{
	CHECK_EQ(number("number", 4, true), -3);
	CHECK_EQ(number("both", 8, false) & 0xffffffff, 0xfffffffd);
}

TEST(bitfields)
{
	CHECK_EQ(number("low", 4, false), 21);
	CHECK_EQ(number("middle", 4, false), 100);
}

TEST(a_struct_of_one_number_is_that_number)
{
	CHECK_EQ(number("wrapped", 8, true), -4);
	CHECK_EQ(number("wrapped.value", 8, true), -4);
}

TEST(texts)
{
	CHECK_STR(string("entry->name.text", 0), "the name");
	CHECK_STR(string("entry->parent->name.text", 0), "the parent");
	CHECK_STR(string("entry->parent->own", 24), "own text");
}

static void refused(const char *path, const char *why)
{
	struct expression e;

	if (!btf)
		types_make();
	CHECK_EQ(expression_begin(&e, btf, file_pointer, "a1"), 0);
	CHECK_EQ(expression_member(&e, path), -EINVAL);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", path, ktrace_last_error(),
			   why);
	expression_end(&e);
}

TEST(what_is_wrong)
{
	struct expression e;

	refused("", "a member is missing");
	refused("mode.", "a member is missing");
	refused("->mode", "a member is missing");
	refused("mode-mode", "a dot or an arrow is missing");
	refused("nothing", "struct file has no member `nothing'");
	refused("entry->name.nothing", "struct name has no member `nothing'");
	refused("entry.flags", "a pointer's members are behind an arrow");
	refused("mode.flags", "`flags': it is no struct");
	refused("mode->flags", "mode is no pointer");
	refused("low.x", "it is no struct");
	CHECK_EQ(expression_begin(&e, btf, 1, "a1"), -EINVAL);
	expression_end(&e);
	CHECK_EQ(expression_begin(&e, btf, wrong_pointer, "a1"), 0);
	CHECK_EQ(expression_member(&e, "x"), -EINVAL);
	expression_end(&e);
}

TEST(structs_in_pieces)
{
	static const struct expression_piece pieces[] = {
		{0, 8, true, "a1"}, {8, 8, false, NULL}, {0}};
	struct expression e;
	__s32 type;
	bool is_signed;

	if (!btf)
		types_make();
	type = btf__find_by_name_kind(btf, "name", BTF_KIND_STRUCT);
	expression_begin_pieces(&e, btf, type, pieces);
	CHECK_EQ(expression_number_size(&e, &is_signed), 0);
	CHECK(!expression_struct(&e));
	CHECK_EQ(expression_follow(&e, "it"), -EINVAL);
	CHECK_EQ(expression_enter(&e, "length"), 0);
	CHECK_EQ(number_run(&e, 4), KERNEL(0) >> 32);
	expression_begin_pieces(&e, btf, type, pieces);
	CHECK_EQ(expression_enter(&e, "text"), -EINVAL);
	CHECK(strstr(ktrace_last_error(), "optimised out"));
	expression_end(&e);
}

/* ---- as text ---------------------------------------------------------------- */

/* `file' is the pointer in a1; `$di' is a word. */
static int name_begin(void *data, const char *name, struct expression *e)
{
	__s32 word =
		btf__find_by_name_kind(btf, "long unsigned int", BTF_KIND_INT);

	if (!strcmp(name, "file"))
		expression_begin_value(e, btf, file_pointer, 0, "a1");
	else if (!strcmp(name, "$di"))
		expression_begin_value(e, btf, word, 0, "a1");
	else if (!strcmp(name, "small"))
		expression_begin_value(e, btf, word, 0, "515");
	else
		return -ENOENT;
	return 0;
}

/* The number that a text is, and what is behind the expression. */
static int64_t parsed(const char *text, uint32_t size, const char *behind)
{
	struct expression e;

	if (!btf)
		types_make();
	objects_make();
	if (expression_parse(&e, btf, &text, name_begin, NULL, NULL))
		check_fail("%s: %s", text, ktrace_last_error());
	CHECK_STR(text, behind);
	return number_run(&e, size);
}

TEST(parameters_and_members)
{
	CHECK_EQ(parsed("file", 8, ""), KERNEL(0));
	CHECK_EQ(parsed("file->mode", 4, ""), 0644);
	CHECK_EQ(parsed("file->entry->parent->flags:x64 $di", 8, ":x64 $di"),
		 7);
	CHECK_EQ(parsed("(*file).small", 2, ""), -2);
	CHECK_EQ(parsed("*&file->mode next", 4, " next"), 0644);
	CHECK_EQ(parsed("&file->entry->name.length", 8, ""),
		 KERNEL(256 + offsetof(struct entry, name.length)));
	CHECK_EQ(parsed("file->middle", 4, ""), 100);
	CHECK_EQ(parsed("( file -> entry )->name.hash", 4, ""), 5);
}

TEST(elements)
{
	CHECK_EQ(parsed("file->entry->parent->own[0]", 1, ""), 'o');
	CHECK_EQ(parsed("file->entry->parent->own[ 4 ]", 1, ""), 't');
	CHECK_EQ(parsed("*file->entry->parent->own", 1, ""), 'o');
	CHECK_EQ(parsed("file->entry->name.text[2]", 1, ""), 'e');
	CHECK_EQ(parsed("file[0].mode", 4, ""), 0644);
	CHECK_EQ(parsed("&file[1]", 8, ""), KERNEL(sizeof(struct file)));
}

TEST(casts)
{
	CHECK_EQ(parsed("((struct file *)$di)->mode", 4, ""), 0644);
	CHECK_EQ(parsed("*(unsigned int *)$di", 4, ""), 0644);
	CHECK_EQ(parsed("(struct file*)$di", 8, ""), KERNEL(0));
	CHECK_EQ(parsed("(short)small", 2, ""), 515);
	CHECK_EQ(parsed("(const char)small", 1, ""), 3);
	CHECK_EQ(parsed("((struct entry *)file->entry)->name.length", 4, ""),
		 6);
	CHECK_EQ(parsed("*(long int *)&file->wrapped", 8, ""), -4);
	/* What is above the bytes of a value does not count, but its sign does. */
	CHECK_EQ(parsed("(long)file->number", 8, ""), -3);
	CHECK_EQ(parsed("(unsigned long)file->small", 8, ""), -2);
	CHECK_EQ(parsed("(long)(unsigned int)file->number", 8, ""), 4294967293);
	CHECK_EQ(parsed("(unsigned long)(char)small", 8, ""), 3);
	CHECK_EQ(parsed("((unsigned long **)$di)[1]", 8, ""),
		 ((const uint64_t *)memory_bytes)[1]);
}

static void misread(const char *text, const char *why)
{
	const char *at = text;
	struct expression e;

	if (!btf)
		types_make();
	CHECK_EQ(expression_parse(&e, btf, &at, name_begin, NULL, NULL),
		 -EINVAL);
	if (!strstr(ktrace_last_error(), why))
		check_fail("%s: '%s', not '%s'", text, ktrace_last_error(),
			   why);
	expression_end(&e);
}

TEST(what_cannot_be_read)
{
	char deep[200] = "";

	misread("", "a name is missing");
	misread("file->", "a member is missing");
	misread("file->mode.x", "it is no struct");
	misread("file.mode", "behind an arrow");
	misread("file->entry->own[24]", "the array has 24 elements");
	misread("file->entry->own[-1]", "an element's number is wanted");
	misread("file->entry->own[1", "`]' is missing");
	misread("(file", "`)' is missing");
	misread("(struct nothing *)$di", "has no type `struct nothing'");
	misread("(struct file)$di", "to numbers and pointers alone");
	misread("(unsigned int)*file", "only a number or an address");
	misread("&file", "it is not in memory");
	misread("&file->low", "it is not in memory");
	misread("*small", "is no pointer");
	misread("small[1]", "is no pointer");
	for (int i = 0; i < 100; i++)
		strcat(deep, "*");
	misread(deep, "too many brackets");
}

CHECK_MAIN
