// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Capture programs for arguments whose meaning depends on the command
 * (commands.tab) of ioctl, prctl, keyctl and bpf.
 *
 * An argument has several fields, one for each kind of data that any command
 * uses.  They are empty for the other commands:
 *
 *	__NAME_val		a number, or a name that is returned
 *	__NAME_val_STRUCT	a struct, or an array of structs
 *	__NAME_val_str		a string
 *	__NAME_val_in, _out	bytes; an argument or the result is their number
 *	__NAME_val_vec, _iov, _cpus
 *				an array; an argument is the number of its elements
 *	__NAME_val_name		a name that is set
 *	__NAME_val_MEMBER	a string to which a member of a union points
 *
 * In the exit event, a field that is a second try has "_again" in its name,
 * because a command may return data in a field of the same name.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "syscall/call.h"
#include "commands.h"

#define STRUCT_MAX 1024
#define ARRAY_ROOM 1024
#define INFO_SIZE  48 /* of a siginfo, what the kernel may store */

const struct ktrace_word *command_word(const struct maker *m,
				       const struct call_command *command)
{
	unsigned int nth = m->index - m->call->command - 1;

	return nth < command->nr_words ? &command->words[nth] : NULL;
}

static void begin(struct maker *m, const char *type, const char *suffix)
{
	char text[KTRACE_WORD_MAX + 16];

	snprintf(text, sizeof(text), "%s%s", suffix,
		 m->again ? KTRACE_CAPTURED_AGAIN : "");
	field_begin(m, type, text);
}

void member_begin(struct maker *m, const char *type, const char *member)
{
	const char *dot = strrchr(member, '.');
	char suffix[KTRACE_WORD_MAX + 2];

	snprintf(suffix, sizeof(suffix), "_%s", dot ? dot + 1 : member);
	if (m->call->command >= 0)
		begin(m, type, suffix);
	else
		field_begin(m, type, suffix);
}

/* Calls with more commands than these are frequent. */
#define COMMANDS_FEW 16

static bool has_few(const struct maker *m)
{
	return m->nr_commands <= COMMANDS_FEW;
}

/*
 * Pushes 1 if the call has this command, else 0.  A program may have left anything in the
 * upper half of the register; this is looked at where it costs little.
 */
static void command_push(const struct maker *m, struct text *text,
			 const struct call_command *command)
{
	unsigned int shift = call_command_shift(m->call);
	bool half = command->command >> 31 || shift || has_few(m);

	text_words(text, "a%d %s", m->call->command,
		   half ? "4294967295 & " : "");
	if (shift)
		text_words(text, "%u >> ", shift);
	text_words(text, "%u == ", command->command);
}

/* ---- data of fixed size ------------------------------------------------- */

/* V, A: an argument says how large it is, or how many there are. */
static bool is_struct(const struct ktrace_word *word)
{
	return word_is(word, "S") || word_is(word, "V") || word_is(word, "A");
}

/* Do programs of 32 bits have it in another layout, which nobody shows? */
static bool is_wide(const struct ktrace_word *word)
{
	return word_is(word, "X") || word_is(word, "info") ||
	       !strcmp(word->set, "iovec") || !strcmp(word->set, "sock_fprog");
}

/* 0: in this event the word has no data of fixed size; for V it is the size that is known. */
static uint32_t size_of(const struct maker *m, const struct ktrace_word *word)
{
	if (m->compat && is_wide(word))
		return 0;
	if (m->exit ? !word->out : !word->in || word->out)
		return 0;
	if (is_struct(word))
		return enums_struct_size(m->enums, word->set);
	if (word_is(word, "name"))
		return m->exit ? 16 : 0; /* 0: it is a string */
	if (word_is(word, "X") || word_is(word, "set"))
		return 8;
	if (word_is(word, "info"))
		return m->exit ? INFO_SIZE : sizeof(siginfo_t);
	return word_is(word, "D") || word_is(word, "sigs") ? 4 : 0;
}

/*
 * A field for the struct @set or, if @set is NULL, for all that is not a
 * struct.  Its size depends on the command: it is computed as a sum over all
 * commands, of which only one is not zero.
 */
static void sized_field(struct maker *m, const char *set)
{
	char suffix[80] = "", type[80] = "u8";
	uint32_t size, max = 0;

	if (set) {
		snprintf(suffix, sizeof(suffix), "_%s", set);
		snprintf(type, sizeof(type), "struct %s", set);
	}
	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		if (!word || is_struct(word) != !!set ||
		    (set && strcmp(word->set, set)))
			continue;
		size = size_of(m, word);
		if (!size || size > STRUCT_MAX)
			continue;
		if (!max) {
			begin(m, type, suffix);
			condition(m);
			text_words(m->text, "a%u 0 ", m->index);
		}
		command_push(m, m->text, &m->commands[i]);
		if (word_is(word, "V")) {
			size += VERSION_ROOM;
			text_words(m->text, "a%d 4294967295 & * + ",
				   word->from);
		} else if (word_is(word, "A")) {
			text_words(m->text, "a%d 4294967295 & %u * * + ",
				   word->from, size);
			size = ARRAY_ROOM;
		} else {
			text_words(m->text, "%u * + ", size);
		}
		max = size > max ? size : max;
	}
	if (max)
		text_words(m->text, "bytes %u end", max);
}

static void sized_fields(struct maker *m)
{
	sized_field(m, NULL);
	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);
		bool before = false;

		if (!word || !is_struct(word))
			continue;
		for (size_t j = 0; j < i; j++) {
			const struct ktrace_word *other =
				command_word(m, &m->commands[j]);

			before |= other && !strcmp(other->set, word->set);
		}
		if (!before)
			sized_field(m, word->set);
	}
}

/* ---- strings, and data ------------------------------------------------------------- */

/*
 * Words that push 1 if the call's command uses the argument in this way, and it
 * is not NULL.  False: there is no such command, or no memory.
 */
static bool commands_words(const struct maker *m, const char *name,
			   struct text *words)
{
	bool any = false;

	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		if (!word || word->out || !word_is(word, name))
			continue;
		command_push(m, words, &m->commands[i]);
		text_puts(words, any ? "+ " : "");
		any = true;
	}
	if (any)
		text_words(words, "a%u *", m->index);
	return any && !words->failed;
}

static void string_field(struct maker *m, const char *name, unsigned int max)
{
	char suffix[KTRACE_WORD_MAX + 2];
	struct text words = {0};

	if (commands_words(m, name, &words)) {
		snprintf(suffix, sizeof(suffix), "_%s", name);
		begin(m, "char", suffix);
		condition_words(m, words.s);
		text_words(m->text, "a%u string %u end", m->index, max);
	}
	text_free(&words);
}

static void data_field(struct maker *m, const char *name)
{
	char suffix[KTRACE_WORD_MAX + 2];
	bool any = false;

	snprintf(suffix, sizeof(suffix), "_%s", name);
	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		if (!word || !word_is(word, name))
			continue;
		if (!any) {
			begin(m, "u8", suffix);
			condition(m);
			text_words(m->text, "a%u 0 ", m->index);
		}
		any = true;
		command_push(m, m->text, &m->commands[i]);
		text_words(m->text, "a%d 4294967295 & * + ", word->from);
	}
	if (any)
		text_words(m->text, "bytes %u end", m->string_max);
}

/* An array of numbers or addresses; @size: of an element, in bytes. */
static void array_field(struct maker *m, const char *name, unsigned int size)
{
	char suffix[KTRACE_WORD_MAX + 2];
	bool any = false;

	snprintf(suffix, sizeof(suffix), "_%s", name);
	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		if (!word || !word_is(word, name))
			continue;
		if (!any) {
			begin(m, "u8", suffix);
			condition(m);
			text_words(m->text, "a%u 0 ", m->index);
		}
		any = true;
		command_push(m, m->text, &m->commands[i]);
		text_words(m->text, "a%d 4294967295 & %u * * + ", word->from,
			   size);
	}
	if (any)
		text_words(m->text, "bytes %u end", ARRAY_ROOM);
}

/* As much of a struct as an argument says that there is room for. */
static void part_field(struct maker *m)
{
	bool any = false;
	uint32_t max = 0;

	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);
		uint32_t size;

		if (!word || !word_is(word, "part"))
			continue;
		if (!any) {
			begin(m, "u8", "_part");
			condition(m);
			text_words(m->text, "a%u 0 ", m->index);
		}
		any = true;
		size = enums_struct_size(m->enums, word->set);
		max = size > max ? size : max;
		command_push(m, m->text, &m->commands[i]);
		text_words(m->text, "a%d 4294967295 & * + ", word->from);
	}
	if (any)
		text_words(m->text, "bytes %u end", max);
}

/* ---- a union ----------------------------------------------------------------------- */

/* The words of structs.tab for the part of the union that the command uses. */
static const char *part_words(const struct maker *m,
			      const struct call_command *command)
{
	const struct ktrace_word *word = command_word(m, command);

	return word && word_is(word, "S") ? ktrace_struct_words(word->set)
					  : NULL;
}

/* A string to which a member points; only some commands have it. */
static void member_field(struct maker *m, const char *set, const char *member,
			 size_t length)
{
	char name[KTRACE_WORD_MAX];
	uint32_t offset;
	struct text text = {0};
	bool any = false;

	snprintf(name, sizeof(name), "%.*s", (int)length, member);
	if (!enums_member(m->enums, set, name, &offset))
		return;
	for (size_t i = 0; i < m->nr_commands; i++) {
		const char *words = part_words(m, &m->commands[i]);

		words = words ? strstr(words, name) : NULL;
		if (!words || strncmp(words + length, ":path", 5))
			continue;
		command_push(m, &text, &m->commands[i]);
		text_puts(&text, any ? "+ " : "");
		any = true;
	}
	text_words(&text, "a%u *", m->index);
	if (any && !text.failed) {
		member_begin(m, "char", name);
		condition_words(m, text.s);
		text_words(m->text, "a%u %u + @8 string %u end", m->index,
			   offset, PATH_ROOM);
	}
	text_free(&text);
}

/* Does one of the first @nr commands have this member? */
static bool member_was(const struct maker *m, const char *member, size_t length,
		       size_t nr)
{
	char wanted[KTRACE_WORD_MAX + 8];
	const char *words;

	snprintf(wanted, sizeof(wanted), "%.*s:path", (int)length, member);
	for (size_t i = 0; i < nr; i++) {
		words = part_words(m, &m->commands[i]);
		if (words && strstr(words, wanted))
			return true;
	}
	return false;
}

static void member_fields(struct maker *m, const char *set)
{
	for (size_t i = 0; i < m->nr_commands; i++) {
		const char *at = part_words(m, &m->commands[i]);

		while (at && *at) {
			size_t length = strcspn(at, ": ");

			if (!strncmp(at + length, ":path", 5) &&
			    !member_was(m, at, length, i))
				member_field(m, set, at, length);
			at += strcspn(at, " ");
			at += strspn(at, " ");
		}
	}
}

/* The whole union; the next argument is its size. */
static void union_make(struct maker *m, const char *set)
{
	uint32_t size = enums_struct_size(m->enums, set);
	char suffix[KTRACE_WORD_MAX + 2], type[KTRACE_WORD_MAX + 8];

	if (m->exit || !size || size > STRUCT_MAX)
		return;
	snprintf(suffix, sizeof(suffix), "_%s", set);
	snprintf(type, sizeof(type), "struct %s", set);
	begin(m, type, suffix);
	condition(m);
	text_words(m->text, "a%u a%u 4294967295 & bytes %u end", m->index,
		   m->index + 1, size);
	member_fields(m, set);
}

/* The most that any command's string may need. */
static unsigned int commands_string_room(const struct maker *m)
{
	unsigned int most = 0, room;

	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		room = word && word_is(word, "str") ? string_room(m, word) : 0;
		most = room > most ? room : most;
	}
	return most;
}

void command_paths(struct maker *m)
{
	struct text words = {0};
	bool any = false;

	m->commands = call_commands(m->call->name, &m->nr_commands);
	for (size_t i = 0; i < m->nr_commands; i++) {
		const struct ktrace_word *word =
			command_word(m, &m->commands[i]);

		if (!word || (!word_is(word, "fd") && !word_is(word, "atfd")))
			continue;
		command_push(m, &words, &m->commands[i]);
		text_puts(&words, any ? "+ " : "");
		any = true;
	}
	if (any && !words.failed) {
		paths_begin(m, m->name);
		text_words(m->text, "%s if a%u %s %d end", words.s, m->index,
			   paths_word(m), PATH_ROOM);
	}
	text_free(&words);
}

/* by:UNION, or by:WORD: how it is shown if the command says nothing of it. */
static bool is_union(const char *set)
{
	static const char *const words[] = {"", "x", "d", "i", "p", "pid", "-"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(set, words[i]))
			return false;
	}
	return true;
}

void command_make(struct maker *m, const struct ktrace_word *word)
{
	m->commands = call_commands(m->call->name, &m->nr_commands);
	if (is_union(word->set)) {
		union_make(m, word->set);
		return;
	}
	sized_fields(m);
	if (m->exit) {
		data_field(m, "out");
		part_field(m);
		return;
	}
	string_field(m, "name", 16);
	string_field(m, "str", commands_string_room(m));
	string_field(m, "path", PATH_READ);
	data_field(m, "in");
	array_field(m, "vec", 4);
	array_field(m, "iov", m->compat ? 8 : 16);
	array_field(m, "cpus", 1);
}
