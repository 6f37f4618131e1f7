// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The data of a call's two events: arguments, captured memory, paths. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "call.h"

static const struct ktrace_word no_word = {.word = "", .set = "", .from = -1};

const struct ktrace_word *call_word(const struct call_view *view,
				    unsigned int argument)
{
	const struct ktrace_word *word;
	uint64_t command = 0;

	if (!view->call)
		return &no_word;
	if (view->call->command >= 0)
		command = call_argument(view, view->call->command);
	word = ktrace_call_word(view->call, argument, command);
	return word ? word : &no_word;
}

bool call_is_compat(const struct call_view *view)
{
	return view->call && !strncmp(view->call->name, "32:", 3);
}

/* Captured fields follow the arguments; their names begin with "__". */
static bool field_is_argument(const struct ktrace_field *field)
{
	return strncmp(field->name, KTRACE_CAPTURED_PREFIX, 2) &&
	       field->kind <= KTRACE_POINTER;
}

unsigned int call_nr_arguments(const struct call_view *view)
{
	const struct ktrace_type *type = view->enter.type;
	unsigned int nr = 0;

	while (type && nr < type->nr_fields &&
	       field_is_argument(&type->fields[nr]))
		nr++;
	/* For 32-bit calls the kernel may describe just six registers. */
	if (call_is_compat(view) && nr > view->call->nr_arguments)
		nr = view->call->nr_arguments;
	return nr;
}

static struct ktrace_event side_event(const struct call_side *side)
{
	return (struct ktrace_event){
		.type = side->type,
		.payload = side->payload,
		.size = side->size,
	};
}

uint64_t call_argument(const struct call_view *view, unsigned int argument)
{
	struct ktrace_event event = side_event(&view->enter);

	if (argument == KTRACE_CALL_ARGUMENTS)
		return view->result;
	if (argument >= call_nr_arguments(view))
		return 0;
	return ktrace_field_int(&event, &view->enter.type->fields[argument]);
}

bool call_failed(const struct call_view *view)
{
	return view->result < 0 && view->result >= -ERROR_MAX;
}

size_t call_elements_max(const struct call_view *view)
{
	return view->unabbreviated ? SIZE_MAX : view->string_max;
}

/* A field with one bit for each captured field, as far as they fit. */
static bool has_bit(const struct ktrace_event *event,
		    const struct ktrace_field *field, uint32_t bit)
{
	return field && bit < 64 &&
	       (uint64_t)ktrace_field_int(event, field) >> bit & 1;
}

struct captured captured_find(const struct call_view *view, bool exit,
			      const char *name)
{
	const struct call_side *side = exit ? &view->exit : &view->enter;
	const struct ktrace_type *type = side->type;
	const struct ktrace_field *field, *cut = NULL, *unread = NULL;
	struct ktrace_event event = side_event(side);
	struct captured captured = {0};
	uint32_t where, bit = 0;

	for (uint32_t i = 0; type && i < type->nr_fields; i++) {
		field = &type->fields[i];
		if (!strcmp(field->name, KTRACE_CAPTURED_CUT))
			cut = field;
		if (!strcmp(field->name, KTRACE_CAPTURED_UNREAD))
			unread = field;
		if (field->place != KTRACE_DATA_LOC)
			continue;
		if (strcmp(field->name, name)) {
			bit++;
			continue;
		}
		memcpy(&where, side->payload + field->offset, sizeof(where));
		captured.there = where && (where & 0xffff) <= side->size &&
				 (where >> 16) <= side->size - (where & 0xffff);
		if (captured.there) {
			captured.bytes = side->payload + (where & 0xffff);
			captured.size = where >> 16;
		}
		captured.cut = has_bit(&event, cut, bit);
		captured.unread = has_bit(&event, unread, bit);
		break;
	}
	return captured;
}

/* Does the call leave the argument's memory unchanged? */
static bool argument_lasts(const struct call_view *view, unsigned int argument)
{
	static const char *const changed[] = {"T", "len", "fdset"};
	const struct ktrace_word *word = call_word(view, argument);

	for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++) {
		if (!strcmp(word->word, changed[i]))
			return false;
	}
	/* Of a struct that is given, only what it points to. */
	return !word->out || (word->in && !strcmp(word->word, "V"));
}

/*
 * What the entry could not read, and the exit has tried again.  For a call with a command, other data
 * may have the same name at the exit.
 */
static struct captured captured_again(const struct call_view *view,
				      unsigned int argument, const char *first,
				      const char *own)
{
	bool has_command = view->call->command >= 0;
	struct captured c = {0};
	char name[160];

	/* A newer kernel's call may have more arguments than words. */
	if (!has_command || argument >= view->call->nr_arguments ||
	    strcmp(view->call->arguments[argument].word, "by") != 0)
		c = captured_find(view, true, first);
	if (!c.there && has_command) {
		snprintf(name, sizeof(name), "%s" KTRACE_CAPTURED_AGAIN, first);
		c = captured_find(view, true, name);
	}
	if (!c.there && has_command) {
		snprintf(name, sizeof(name), "%s" KTRACE_CAPTURED_AGAIN, own);
		c = captured_find(view, true, name);
	}
	return c;
}

struct captured captured_get(const struct call_view *view, bool exit,
			     unsigned int argument, const char *suffix)
{
	const struct ktrace_word *word = call_word(view, argument);
	char first[128], own[128] = "";
	struct captured c, later;
	const char *field;

	if (!view->call || argument >= call_nr_arguments(view))
		return (struct captured){0};
	field = view->enter.type->fields[argument].name;
	snprintf(first, sizeof(first), KTRACE_CAPTURED_VALUE, field, suffix);
	c = captured_find(view, exit, first);
	/*
	 * For an argument that depends on a command: see
	 * lib/session/commands.c.
	 */
	if (!c.size && !*suffix && view->call->command >= 0) {
		const char *kind = *word->word && strchr("SVA", *word->word)
					   ? word->set
					   : word->word;
		char part[KTRACE_WORD_MAX + 2];

		snprintf(part, sizeof(part), "_%.*s", (int)strcspn(kind, "."),
			 kind);
		snprintf(own, sizeof(own), KTRACE_CAPTURED_VALUE, field, part);
		c = captured_find(view, exit, own);
	}
	if (!exit && (!c.there || c.unread) && argument_lasts(view, argument)) {
		later = captured_again(view, argument, first, own);
		if (later.there && later.size > c.size)
			c = later;
	}
	return c;
}

/* Is it a message that the call receives? */
static bool message_is_answer(const struct ktrace_word *word)
{
	return !strcmp(word->word, "msg") && word->out;
}

struct path_list paths_of(const struct call_view *view, unsigned int argument)
{
	bool result = argument == KTRACE_CALL_ARGUMENTS;
	const char *name = KTRACE_CAPTURED_RESULT;
	struct path_list list = {0};
	struct captured c;
	char field[128];
	bool exit;

	if (!result && argument >= call_nr_arguments(view))
		return list;
	if (!result)
		name = view->enter.type->fields[argument].name;
	/* The number of the working directory is none for a plain descriptor. */
	if (!result && word_is(call_word(view, argument), "fd") &&
	    (int)call_argument(view, argument) < 0)
		return list;
	exit = result || !strcmp(call_word(view, argument)->word, "fds") ||
	       message_is_answer(call_word(view, argument));
	snprintf(field, sizeof(field), KTRACE_CAPTURED_PATH, name);
	c = captured_find(view, exit, field);
	if (!c.there) {
		snprintf(field, sizeof(field), KTRACE_CAPTURED_FILE, name);
		c = captured_find(view, exit, field);
		list.objects = true;
	}
	if (!c.there)
		return list;
	list.next = (const char *)c.bytes;
	list.end = list.next + c.size;
	list.file = result || (int)call_argument(view, argument) != AT_FDCWD;
	return list;
}

struct path_list struct_paths(const struct call_view *view)
{
	unsigned int i = 0, nr = call_nr_arguments(view);

	while (i < nr && !word_is(call_word(view, i), "S") &&
	       !word_is(call_word(view, i), "V"))
		i++;
	return i < nr ? paths_of(view, i) : (struct path_list){0};
}

struct captured member_captured(const struct call_view *view,
				const char *member)
{
	const char *dot = strrchr(member, '.');
	char suffix[KTRACE_WORD_MAX + 2];
	struct captured c = {0};

	snprintf(suffix, sizeof(suffix), "_%s", dot ? dot + 1 : member);
	for (unsigned int i = 0; !c.there && i < call_nr_arguments(view); i++)
		c = captured_get(view, false, i, suffix);
	return c;
}

/* The NUL at the end of the last one may be missing. */
static const char *text_take(struct path_list *list, size_t *length)
{
	size_t left = list->end - list->next;
	const char *text = list->next;

	*length = left ? strnlen(text, left) : 0;
	list->next += *length < left ? *length + 1 : left;
	return text;
}

bool path_take(struct path_list *list, struct call_file *file)
{
	*file = (struct call_file){0};
	if (list->next == list->end)
		return false;
	file->path = text_take(list, &file->length);
	if (list->objects)
		file->object = text_take(list, &file->object_length);
	return true;
}

void path_print_next(struct line *line, struct path_list *list)
{
	struct call_file file;

	if (path_take(list, &file))
		value_file(line, &file, list->file);
}

void path_print(struct line *line, const struct call_view *view,
		unsigned int argument)
{
	struct path_list list = paths_of(view, argument);

	path_print_next(line, &list);
}

static bool path_is_one(const char *const *paths, const char *path,
			size_t length)
{
	for (; *paths; paths++) {
		if (strlen(*paths) == length && !memcmp(*paths, path, length))
			return true;
	}
	return false;
}

/* A file that was deleted still has its path. */
static bool list_has(struct path_list list, const char *const *paths)
{
	struct call_file file;

	/* The directory of AT_FDCWD is no descriptor. */
	while (list.file && path_take(&list, &file)) {
		if (path_is_one(paths, file.path, file.length) ||
		    (path_is_gone(file.path, &file.length) &&
		     path_is_one(paths, file.path, file.length)))
			return true;
	}
	return false;
}

bool call_touches(const struct call_view *view, const char *const *paths)
{
	unsigned int nr = call_nr_arguments(view);
	struct captured c;

	for (unsigned int i = 0; i < nr; i++) {
		if (list_has(paths_of(view, i), paths))
			return true;
		if (!word_is(call_word(view, i), "path"))
			continue;
		c = captured_get(view, false, i, "");
		if (c.there &&
		    path_is_one(paths, (const char *)c.bytes,
				strnlen((const char *)c.bytes, c.size)))
			return true;
	}
	return view->exit.type &&
	       list_has(paths_of(view, KTRACE_CALL_ARGUMENTS), paths);
}
