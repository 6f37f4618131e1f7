// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Capture programs for what members of a struct stand for (structs.tab): the files of descriptors,
 * and the instructions to which a pointer points.
 *
 * Of a struct that depends on a command, each command may use other members.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "syscall/call.h"
#include "commands.h"

#define MEMBERS_MAX 16
#define INSN_SIZE   8
#define INSNS_ROOM  8192

/* Members at one place. */
struct place {
	uint32_t offset;
	uint64_t
		commands; /* a bit for each command that has one there; ALWAYS: no command */
};

#define ALWAYS UINT64_MAX

struct places {
	struct maker *m;
	const char *kind; /* the word of the members */
	unsigned int nr;
	struct place list[MEMBERS_MAX]; /* by offset */
};

/* Parses "[CONDITION?][+]MEMBER[=SHOWN]:WORD".  False: it is no member. */
static bool member_read(const char *text, char name[KTRACE_WORD_MAX],
			char room[KTRACE_WORD_MAX], struct ktrace_word *word)
{
	size_t length = strcspn(text, " ");
	const char *colon = memchr(text, ':', length), *ask;

	if (!colon ||
	    ktrace_word_parse(colon + 1, text + length - colon - 1, room, word))
		return false;
	ask = memchr(text, '?', colon - text);
	if (ask)
		text = ask + 1;
	text += *text == '+';
	snprintf(name, KTRACE_WORD_MAX, "%.*s", (int)strcspn(text, "=:"), text);
	return true;
}

static void place_add(struct places *places, uint32_t offset, uint64_t commands)
{
	unsigned int at = 0;

	while (at < places->nr && places->list[at].offset < offset)
		at++;
	if (at < places->nr && places->list[at].offset == offset) {
		places->list[at].commands |= commands;
		return;
	}
	if (places->nr == MEMBERS_MAX)
		return;
	memmove(&places->list[at + 1], &places->list[at],
		(places->nr++ - at) * sizeof(places->list[0]));
	places->list[at] = (struct place){offset, commands};
}

/* The struct of "STRUCT.PART". */
static void struct_name(char own[KTRACE_WORD_MAX], const char *set)
{
	snprintf(own, KTRACE_WORD_MAX, "%.*s", (int)strcspn(set, "."), set);
}

static const char *next_word(const char *words)
{
	words += strcspn(words, " ");
	return words + strspn(words, " ");
}

static void members_add(struct places *places, const struct ktrace_word *word,
			uint64_t commands)
{
	char name[KTRACE_WORD_MAX], room[KTRACE_WORD_MAX], own[KTRACE_WORD_MAX];
	const char *words = ktrace_struct_words(word->set);
	struct ktrace_word member;
	uint32_t offset;

	struct_name(own, word->set);
	for (; words && *words; words = next_word(words)) {
		if (member_read(words, name, room, &member) &&
		    word_is(&member, places->kind) &&
		    enums_member(places->m->enums, own, name, &offset))
			place_add(places, offset, commands);
	}
}

static bool is_struct(const struct ktrace_word *word)
{
	return word_is(word, "S") || word_is(word, "V");
}

/* Is it read in this event?  For 32-bit programs, only by a line that says which it is. */
static bool is_read(const struct maker *m, const struct ktrace_word *word)
{
	return is_struct(word) && word->in &&
	       (!m->compat || !strncmp(m->call->name, "32:", 3));
}

/* A command as a bit; 0: it is too large for one. */
static uint64_t command_bit(const struct call_command *command)
{
	return command->command < 64 ? 1ull << command->command : 0;
}

/* Calls @add with the word of the argument, of each command if it depends on one. */
static void each_struct(struct places *places, const struct ktrace_word *word,
			void (*add)(struct places *places,
				    const struct ktrace_word *word,
				    uint64_t commands))
{
	struct maker *m = places->m;
	const struct ktrace_word *its;

	if (!word_is(word, "by")) {
		if (is_read(m, word))
			add(places, word, ALWAYS);
		return;
	}
	m->commands = call_commands(m->call->name, &m->nr_commands);
	for (size_t i = 0; i < m->nr_commands; i++) {
		its = command_word(m, &m->commands[i]);
		if (its && is_struct(its) && its->in &&
		    command_bit(&m->commands[i]))
			add(places, its, command_bit(&m->commands[i]));
	}
}

/* Pushes whether the call's command is one of these; a shift is modulo 64. */
static void commands_push(const struct maker *m, struct text *text,
			  uint64_t commands)
{
	unsigned int at = m->call->command;

	if (commands >> 32)
		text_words(text,
			   "%u a%u 4294967295 & >> %u a%u 4294967295 & 32 - >> "
			   "+ 1 & ",
			   (uint32_t)commands, at, (uint32_t)(commands >> 32),
			   at);
	else
		text_words(text, "%u a%u 4294967295 & >> 1 & ",
			   (uint32_t)commands, at);
}

/* The same, if the argument is not zero. */
static void place_push(const struct maker *m, struct text *text,
		       uint64_t commands)
{
	if (commands != ALWAYS)
		commands_push(m, text, commands);
	text_words(text, commands == ALWAYS ? "a%u " : "a%u * ", m->index);
}

void members_paths(struct maker *m, const struct ktrace_word *word)
{
	struct places places = {.m = m, .kind = "fd"};

	each_struct(&places, word, members_add);
	if (!places.nr)
		return;
	paths_begin(m, m->name);
	for (unsigned int i = 0; i < places.nr; i++) {
		place_push(m, m->text, places.list[i].commands);
		text_words(m->text, "if a%u %u + @4 %s %d end ", m->index,
			   places.list[i].offset, paths_word(m), PATHS_ROOM);
	}
}

void members_moved(struct maker *m, const struct ktrace_word *word)
{
	struct places places = {.m = m, .kind = "moved"};

	each_struct(&places, word, members_add);
	if (!places.nr)
		return;
	field_begin(m, "u32", KTRACE_CAPTURED_NOW);
	for (unsigned int i = 0; i < places.nr; i++) {
		place_push(m, m->text, places.list[i].commands);
		text_words(m->text, CALL_OK " * if a%u %u + 4 bytes 4 end ",
			   m->index, places.list[i].offset);
	}
}

void command_result_path(struct maker *m)
{
	uint64_t commands = 0;

	m->commands = call_commands(m->call->name, &m->nr_commands);
	for (size_t i = 0; i < m->nr_commands; i++) {
		if (m->commands[i].returns_fd)
			commands |= command_bit(&m->commands[i]);
	}
	if (!commands)
		return;
	paths_begin(m, KTRACE_CAPTURED_RESULT);
	commands_push(m, m->text, commands);
	text_words(m->text, CALL_OK " * if a6 %s %d end", paths_word(m),
		   PATH_ROOM);
}

/* "KIND/MEMBER": where the number of instructions is. */
static bool insns_number(struct maker *m, const char *own, const char *set,
			 uint32_t *offset, unsigned int *size)
{
	const char *slash = strchr(set, '/');

	/* Of classic filters it is a short. */
	*size = strncmp(set, "bpf/", 4) ? 2 : 4;
	return slash && enums_member(m->enums, own, slash + 1, offset);
}

static void insns_add(struct places *places, const struct ktrace_word *word,
		      uint64_t commands)
{
	char name[KTRACE_WORD_MAX], room[KTRACE_WORD_MAX], own[KTRACE_WORD_MAX];
	const char *words = ktrace_struct_words(word->set);
	struct maker *m = places->m;
	struct text condition = {0};
	struct ktrace_word member;
	uint32_t offset, number;
	unsigned int size;

	struct_name(own, word->set);
	for (; words && *words; words = next_word(words)) {
		if (!member_read(words, name, room, &member) ||
		    !word_is(&member, "insns") ||
		    !enums_member(m->enums, own, name, &offset) ||
		    !insns_number(m, own, member.set, &number, &size))
			continue;
		place_push(m, &condition, commands);
		if (condition.failed)
			break;
		member_begin(m, "u8", name);
		condition_words(m, condition.s);
		text_words(m->text,
			   "a%u %u + @8 a%u %u + @%u %d * bytes %d end",
			   m->index, offset, m->index, number, size, INSN_SIZE,
			   INSNS_ROOM);
		break;
	}
	text_free(&condition);
}

/* Programs of 32 bits have other pointers. */
void members_insns(struct maker *m, const struct ktrace_word *word)
{
	struct places places = {.m = m};

	if (m->unabbreviated && !m->exit && !m->compat)
		each_struct(&places, word, insns_add);
}

/* SO_ATTACH_FILTER and SO_ATTACH_REUSEPORT_CBPF have a struct sock_fprog of 16 bytes. */
void filter_set_make(struct maker *m)
{
	if (!m->unabbreviated || m->compat)
		return;
	member_begin(m, "u8", "filter");
	condition_words(m, "a1 1 == a2 26 == a2 51 == + * a4 16 == * a3 *");
	text_words(m->text, "a3 8 + @8 a3 @2 %d * bytes %d end", INSN_SIZE,
		   INSNS_ROOM);
}

/* SO_GET_FILTER returns instructions, and their number. */
void filter_get_make(struct maker *m)
{
	if (!m->unabbreviated || m->compat)
		return;
	member_begin(m, "u8", "filter");
	text_words(m->text,
		   CALL_OK " a1 1 == * a2 26 == * a3 * if "
			   "a3 a4 @4 %d * bytes %d end",
		   INSN_SIZE, INSNS_ROOM);
}
