// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Looks up the tables of lib/syscall. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/syscall.h>

#include "call.h"

struct name_set {
	const char *name;
	uint64_t mask;
	const char *unknown; /* behind values that have no name; or NULL */
	struct ktrace_names names;
};

struct command_line {
	const char *call;
	uint32_t command;
	const char *words;
};

#include "syscall_tables.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static struct ktrace_call calls[NR(calls_lines)];
static size_t nr_calls;
static struct call_command commands[NR(commands_lines)];
/* Sorted. */
static const struct call_command *by_command[NR(commands_lines)];
static const struct name_set *by_name[NR(name_sets)];
static pthread_once_t calls_once = PTHREAD_ONCE_INIT;

int ktrace_word_parse(const char *text, size_t length,
		      char room[KTRACE_WORD_MAX], struct ktrace_word *word)
{
	char *p = room, *at;

	*word = (struct ktrace_word){.word = "", .set = "", .from = -1};
	if (length >= KTRACE_WORD_MAX)
		return -EINVAL;
	memcpy(room, text, length);
	room[length] = '\0';
	word->in = *p != '>';
	if (*p == '<')
		p++;
	word->out = *p == '>';
	p += word->out;
	word->word = strcmp(p, ".") ? p : "";
	at = strchr(p, '@');
	if (!at)
		at = strchr(p, '?');
	if (at) {
		*at++ = '\0';
		word->from = *at == 'r' ? KTRACE_CALL_ARGUMENTS : atoi(at);
	}
	p = strchr(p, ':');
	if (p) {
		*p++ = '\0';
		word->set = p;
	}
	return 0;
}

/* Parses "NAME[=SHOWN] WORD...".  The copies are never freed. */
static void call_parse(struct ktrace_call *call, const char *line)
{
	size_t length = strcspn(line, " ");
	char *name = strndup(line, length), *shown, *room;
	struct ktrace_word word;

	if (!name)
		return;
	shown = strchr(name, '=');
	if (shown)
		*shown++ = '\0';
	call->name = name;
	call->shown = shown ? shown : name;
	call->command = -1;
	if (!shown && !strncmp(name, "32:", 3))
		call->shown = name + 3;
	for (line += length; *line; line += length) {
		line += strspn(line, " ");
		length = strcspn(line, " ");
		room = malloc(KTRACE_WORD_MAX);
		if (!room)
			return;
		if (*line == '=') {
			ktrace_word_parse(line + 1, length - 1, room,
					  &call->result);
			continue;
		}
		if (!ktrace_word_parse(line, length, room, &word) &&
		    call->nr_arguments < KTRACE_CALL_ARGUMENTS)
			call->arguments[call->nr_arguments++] = word;
		if (!strcmp(word.word, "by"))
			call->command = word.from;
	}
}

static void command_parse(struct call_command *command,
			  const struct command_line *from)
{
	const char *words = from->words;
	size_t length;
	char *room;

	command->call = from->call;
	command->command = from->command;
	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (*words == '=') {
			command->returns_fd = true;
			continue;
		}
		room = malloc(KTRACE_WORD_MAX);
		if (!room || command->nr_words == KTRACE_CALL_ARGUMENTS)
			return;
		if (!ktrace_word_parse(words, length, room,
				       &command->words[command->nr_words]))
			command->nr_words++;
	}
}

static int call_compare(const void *a, const void *b)
{
	return strcmp(((const struct ktrace_call *)a)->name,
		      ((const struct ktrace_call *)b)->name);
}

/* Of lines for one command, the first one counts. */
static int command_compare(const void *a, const void *b)
{
	const struct call_command *x = *(const struct call_command *const *)a;
	const struct call_command *y = *(const struct call_command *const *)b;
	int by_call;

	if (x->command != y->command)
		return x->command < y->command ? -1 : 1;
	by_call = strcmp(x->call, y->call);
	return by_call ? by_call : (x > y) - (x < y);
}

static int set_compare(const void *a, const void *b)
{
	return strcmp((*(const struct name_set *const *)a)->name,
		      (*(const struct name_set *const *)b)->name);
}

static void calls_make(void)
{
	for (size_t i = 0; i < NR(calls_lines); i++) {
		calls[nr_calls].result.word = "";
		call_parse(&calls[nr_calls], calls_lines[i]);
		nr_calls += calls[nr_calls].name != NULL;
	}
	for (size_t i = 0; i < NR(commands_lines); i++)
		command_parse(&commands[i], &commands_lines[i]);
	for (size_t i = 0; i < NR(commands); i++)
		by_command[i] = &commands[i];
	for (size_t i = 0; i < NR(name_sets); i++)
		by_name[i] = &name_sets[i];
	qsort(calls, nr_calls, sizeof(*calls), call_compare);
	qsort(by_command, NR(by_command), sizeof(*by_command), command_compare);
	qsort(by_name, NR(by_name), sizeof(*by_name), set_compare);
}

const char *ktrace_call_name(const struct ktrace_type *type, bool *exit)
{
	static const char enter_prefix[] = "sys_enter_";
	static const char exit_prefix[] = "sys_exit_";

	if (type->marker || (strcmp(type->system, "syscalls") &&
			     strcmp(type->system, "compat_syscalls")))
		return NULL;
	*exit = !strncmp(type->name, exit_prefix, sizeof(exit_prefix) - 1);
	if (*exit)
		return type->name + sizeof(exit_prefix) - 1;
	if (!strncmp(type->name, enter_prefix, sizeof(enter_prefix) - 1))
		return type->name + sizeof(enter_prefix) - 1;
	return NULL;
}

static const struct ktrace_call *call_find(const char *name)
{
	const struct ktrace_call key = {.name = name};

	return bsearch(&key, calls, nr_calls, sizeof(*calls), call_compare);
}

const struct ktrace_call *call_named(const char *name, bool compat)
{
	static const char prefix[] = "32:";
	const struct ktrace_call *call = NULL;
	size_t size = strlen(name) + 1;
	char name32[128];

	pthread_once(&calls_once, calls_make);
	if (compat && size < sizeof(name32) - sizeof(prefix)) {
		memcpy(name32, prefix, sizeof(prefix) - 1);
		memcpy(name32 + sizeof(prefix) - 1, name, size);
		call = call_find(name32);
	}
	return call ? call : call_find(name);
}

const struct ktrace_call *ktrace_call_find(const struct ktrace_type *type)
{
	const char *name;
	bool exit;

	name = ktrace_call_name(type, &exit);
	if (!name)
		return NULL;
	return call_named(name, !strcmp(type->system, "compat_syscalls"));
}

const struct call_command *call_commands(const char *call, size_t *nr)
{
	size_t first = 0;

	pthread_once(&calls_once, calls_make);
	while (first < NR(commands) && strcmp(commands[first].call, call) != 0)
		first++;
	*nr = 0;
	while (first + *nr < NR(commands) &&
	       !strcmp(commands[first + *nr].call, call))
		++*nr;
	return &commands[first];
}

static const struct call_command *command_find(const char *call,
					       uint32_t command)
{
	/* The first of all lines for this command. */
	size_t low = 0, high = NR(by_command);

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct call_command *at = by_command[middle];

		if (at->command < command ||
		    (at->command == command && strcmp(at->call, call) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == NR(by_command) || by_command[low]->command != command ||
	    strcmp(by_command[low]->call, call) != 0)
		return NULL;
	return by_command[low];
}

unsigned int call_command_shift(const struct ktrace_call *call)
{
	return call->command >= 0 &&
			       !strcmp(call->arguments[call->command].word,
				       "qcmd")
		       ? 8
		       : 0;
}

const struct ktrace_word *ktrace_call_word(const struct ktrace_call *call,
					   unsigned int argument,
					   uint64_t command)
{
	const struct call_command *found;
	unsigned int first = call->command + 1;

	if (call->command >= 0 && argument >= first) {
		found = command_find(call->name,
				     (uint32_t)command >>
					     call_command_shift(call));
		if (found && argument - first < found->nr_words)
			return &found->words[argument - first];
	}
	return argument < call->nr_arguments ? &call->arguments[argument]
					     : NULL;
}

static const struct name_set *set_find(const char *name)
{
	const struct name_set key = {.name = name}, *wanted = &key;
	const struct name_set **found;

	pthread_once(&calls_once, calls_make);
	found = bsearch(&wanted, by_name, NR(by_name), sizeof(*by_name),
			set_compare);
	return found ? *found : NULL;
}

const struct ktrace_names *ktrace_names_find(const char *set, uint64_t *mask)
{
	const struct name_set *found = set_find(set);

	if (found && mask)
		*mask = found->mask;
	return found ? &found->names : NULL;
}

const char *ktrace_names_unknown(const char *set)
{
	const struct name_set *found = set_find(set);

	return found ? found->unknown : NULL;
}

/* The text after the name in the line that begins with it. */
static const char *line_find(const char *const *lines, size_t nr,
			     const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < nr; i++) {
		if (*lines[i] == *name && !strncmp(lines[i], name, length) &&
		    lines[i][length] == ' ')
			return lines[i] + length + 1;
	}
	return NULL;
}

const char *ktrace_struct_words(const char *name)
{
	return line_find(structs_lines, NR(structs_lines), name);
}

const char *layout_words(const char *name)
{
#ifdef __x86_64__
	return line_find(layouts_lines, NR(layouts_lines), name);
#else
	return NULL;
#endif
}

static const struct ktrace_name at_names[] = {{(uint64_t)-100, "AT_FDCWD"}};
static const struct ktrace_names at_set = {
	.delim = "|",
	.count = NR(at_names),
	.names = at_names,
};

static void field_annotate(struct ktrace_field *field,
			   const struct ktrace_word *word)
{
	uint64_t mask = 0;

	if (field->kind > KTRACE_UINT)
		return;
	if (!strcmp(word->word, "F") || !strcmp(word->word, "E")) {
		const struct ktrace_names *names =
			ktrace_names_find(word->set, &mask);

		/*
		 * A part of several bits, as a value, must not be taken for
		 * flags.
		 */
		if (names && (!mask || mask == 3))
			field->names = names;
	} else if (!strcmp(word->word, "sig")) {
		field->names = ktrace_names_find("signal", NULL);
	} else if (!strcmp(word->word, "atfd")) {
		field->names = &at_set;
	} else if (!strcmp(word->word, "o") || !strcmp(word->word, "mode") ||
		   !strcmp(word->word, "type")) {
		field->base = KTRACE_OCT;
	} else if (!strcmp(word->word, "x")) {
		field->base = KTRACE_HEX;
	}
}

void call_annotate(struct ktrace_type *type)
{
	const struct ktrace_call *call = ktrace_call_find(type);
	bool exit;

	if (!call || !ktrace_call_name(type, &exit) || exit)
		return;
	for (uint32_t f = 0; f < type->nr_fields && f < call->nr_arguments; f++)
		field_annotate((struct ktrace_field *)&type->fields[f],
			       &call->arguments[f]);
}
