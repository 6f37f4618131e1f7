// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Types of the records of functions.
 *
 * The kernel knows a function by its address and number (kernel/source/function).  What its
 * arguments are is known here, from the kernel's type information.
 */
#include <errno.h>
#include <ktrace.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "captured.h"
#include "prototype.h"
#include "session.h"
#include "type/type.h"

/* Where the arguments begin in records (kernel/source/function/README.md). */
#define ENTRY_SIZE 8
#define CALL_SIZE  24
#define STACKS_MAX 3

/* ---- types of records ----------------------------------------------------- */

/* Fields that say who called: behind the fixed part of records. */
struct stacks {
	struct ktrace_field fields[STACKS_MAX];
	unsigned int nr;
};

/* The events of all functions. */
struct events {
	struct ktrace_type entry;
	struct ktrace_type exit;
	struct ktrace_type call;
	struct stacks entry_stacks, call_stacks;
};

/*
 * What the line for the event in @file says, "capture" or "stack"; NULL: there is none.  The caller
 * frees it.
 */
static int event_line(struct ktrace_session *s, const char *file,
		      const char *event, char **line)
{
	size_t length = strlen(event);
	char *text, *rest, *found;
	int err = ktrace_session_read(s, file, &text, NULL);

	*line = NULL;
	if (err)
		return err;
	for (rest = text; !*line && (found = strsep(&rest, "\n"));) {
		if (strncmp(found, event, length) ||
		    strncmp(found + length, ": ", 2))
			continue;
		*line = strdup(found + length + 2);
		if (!*line) {
			err = error_set(-ENOMEM, "out of memory");
			break;
		}
	}
	free(text);
	return err;
}

/* Does a program capture what the calls pass?  Then records have no registers. */
static int entry_captures(struct ktrace_session *s, bool *captures)
{
	char *line;
	int err = event_line(s, "capture", "function/entry", &line);

	*captures = line;
	free(line);
	return err;
}

/* As the kernel puts it behind the fixed part of any event, of @size bytes (kernel/event/stack.c). */
static void stack_field_add(struct stacks *stacks, const char *name,
			    uint32_t size)
{
	unsigned int nr = stacks->nr++;

	stacks->fields[nr] = (struct ktrace_field){
		.name = name,
		.ctype = "u32",
		.offset = size + sizeof(uint32_t) * nr,
		.size = sizeof(uint32_t),
		.kind = KTRACE_UINT,
	};
}

static bool begins(const char *text, const char *word)
{
	return !strncmp(text, word, strlen(word));
}

/*
 * A line "kernel", "user", "both", "branches N", or one of the first three with the last one behind it;
 * perhaps " if FILTER".
 */
static int stacks_find(struct ktrace_session *s, const char *event,
		       uint32_t size, struct stacks *stacks)
{
	char *line;
	int err = event_line(s, "stack", event, &line);

	stacks->nr = 0;
	if (line && strstr(line, " if "))
		*strstr(line, " if ") = '\0';
	if (line && (begins(line, "branches") || strstr(line, " branches ")))
		stack_field_add(stacks, KT_BRANCHES_FIELD, size);
	if (line && (begins(line, "kernel") || begins(line, "both")))
		stack_field_add(stacks, KT_STACK_FIELD, size);
	if (line && (begins(line, "user") || begins(line, "both")))
		stack_field_add(stacks, KT_USER_STACK_FIELD, size);
	free(line);
	return err;
}

/* The id of an event that is enabled, otherwise 0. */
static int event_id(struct ktrace_session *s, const char *file, uint32_t *id)
{
	char *text;
	int err = ktrace_session_read(s, file, &text, NULL);

	if (err)
		return err;
	*id = strtoul(text, NULL, 10);
	free(text);
	return 0;
}

/*
 * An id that is left 0: its records have no variants.  The files of all events have some 100 KB, so
 * they are read only if they can say something about functions.
 */
static int events_find(struct ktrace_session *s, struct events *events)
{
	bool captures = false;
	int err = event_id(s, "events/function/entry/id", &events->entry.id);

	err = err ?: event_id(s, "events/function/exit/id", &events->exit.id);
	err = err ?: event_id(s, "events/call/function/id", &events->call.id);
	if (!err && events->call.id)
		err = stacks_find(s, "call/function", CALL_SIZE,
				  &events->call_stacks);
	if (err || !events->entry.id)
		return err;
	err = stacks_find(s, "function/entry", ENTRY_SIZE,
			  &events->entry_stacks);
	err = err ?: entry_captures(s, &captures);
	if (captures)
		events->entry.id = 0;
	return err;
}

/* A line of the file function_table. */
struct row {
	uint32_t index;
	unsigned int words;
	const char *module;
	const char *name;
	const char *program; /* its number, or "-" */
	bool gone; /* with its module: another one may have its name now */
};

static bool row_parse(char *line, struct row *row)
{
	char *word[9];

	for (int i = 0; i < 9; i++) {
		word[i] = strsep(&line, " ");
		if (!word[i])
			return false;
	}
	row->index = strtoul(word[0], NULL, 10);
	row->module = word[3];
	row->name = word[4];
	row->words = strtoul(word[5], NULL, 10);
	row->program = word[8];
	row->gone = !strcmp(word[1], "gone") && strcmp(word[3], "vmlinux") != 0;
	return row->words <= FUNCTION_WORDS;
}

/* Of arguments whose words are not recorded, nothing is known. */
static void fields_limit(struct function_fields *fields, unsigned int words)
{
	for (unsigned int i = 0; i < fields->nr_arguments; i++) {
		struct ktrace_field *field = &fields->arguments[i];

		if (field->offset + field->size <= ENTRY_SIZE + 8 * words)
			continue;
		field->kind = KTRACE_BYTES;
		field->names = NULL;
		field->offset = field->size = 0;
	}
}

/* The event of whole calls has no words of the stack. */
static unsigned int call_words(const struct row *row)
{
	return row->words < FUNCTION_REGISTERS ? row->words
					       : FUNCTION_REGISTERS;
}

/* What the function's program captures. */
static int captured_add(struct ktrace_type *type, struct ktrace_field *to,
			struct prototypes *prototypes, const char *program,
			struct arena *arena)
{
	unsigned int nr = captured_fields(prototypes, program, type->size,
					  to + type->nr_fields, arena);

	if (!nr)
		return error_set(-ENOMEM, "out of memory");
	type->size += captured_size(nr);
	type->dynamic = true;
	type->nr_fields += nr;
	return 0;
}

/* They are the last fields of a type, which has room for them. */
static void stacks_add(struct ktrace_type *type, struct ktrace_field *to,
		       const struct stacks *stacks)
{
	memcpy(to + type->nr_fields, stacks->fields, stacks->nr * sizeof(*to));
	type->nr_fields += stacks->nr;
}

/*
 * The arguments; @fixed: of the record without stacks, behind which they are.  One that is not recorded
 * is nowhere.
 */
static void arguments_put(struct ktrace_type *type, struct ktrace_field *to,
			  const struct function_fields *fields, uint32_t fixed,
			  const struct stacks *stacks)
{
	uint32_t behind = sizeof(uint32_t) * stacks->nr;

	memcpy(to, fields->arguments, fields->nr_arguments * sizeof(*to));
	for (unsigned int i = 0; i < fields->nr_arguments; i++)
		if (to[i].size)
			to[i].offset += fixed - ENTRY_SIZE + behind;
	type->size += behind;
	type->fields = to;
	type->nr_fields = fields->nr_arguments;
}

/*
 * Of a whole call: the arguments, what they point to, what was returned, how long it took, and
 * who called.
 */
static int call_use(const struct row *row, const struct events *events,
		    const struct function_fields *fields,
		    struct prototypes *prototypes, const char *program,
		    struct arena *arena,
		    int (*use)(void *data, const struct ktrace_type *type),
		    void *data)
{
	struct ktrace_field
		all[FUNCTION_FIELDS + CAPTURED_FIELDS + 2 + STACKS_MAX];
	struct ktrace_type type = {
		.id = events->call.id,
		.variant_of = &events->call,
		.index = row->index,
		.system = "call",
		.name = row->name,
		.size = CALL_SIZE + 8 * call_words(row),
	};
	int err = 0;

	arguments_put(&type, all, fields, CALL_SIZE, &events->call_stacks);
	if (program)
		err = captured_add(&type, all, prototypes, program, arena);
	if (err)
		return err;
	if (fields->returns) {
		all[type.nr_fields] = fields->result;
		all[type.nr_fields++].offset = 16;
	}
	all[type.nr_fields++] = (struct ktrace_field){
		.name = "duration",
		.ctype = "u64",
		.offset = 8,
		.size = 8,
		.kind = KTRACE_UINT,
	};
	stacks_add(&type, all, &events->call_stacks);
	return use(data, &type);
}

/* The program of a function, in the file function_programs; NULL: it has none. */
static char *program_find(const char *programs, const char *number)
{
	size_t length = strlen(number);

	while (programs && *programs) {
		if (!strncmp(programs, number, length) &&
		    programs[length] == ' ')
			return strndup(programs + length + 1,
				       strcspn(programs + length + 1, "\n"));
		programs = strchr(programs, '\n');
		programs += !!programs;
	}
	return NULL;
}

static int entry_use(struct ktrace_type *entry, const struct events *events,
		     const struct function_fields *fields,
		     struct prototypes *prototypes, const char *program,
		     struct arena *arena,
		     int (*use)(void *data, const struct ktrace_type *type),
		     void *data)
{
	struct ktrace_field all[FUNCTION_FIELDS + CAPTURED_FIELDS + STACKS_MAX];
	int err = 0;

	arguments_put(entry, all, fields, ENTRY_SIZE, &events->entry_stacks);
	if (program)
		err = captured_add(entry, all, prototypes, program, arena);
	if (err)
		return err;
	stacks_add(entry, all, &events->entry_stacks);
	return use(data, entry);
}

static int row_use(const struct row *row, const struct events *events,
		   struct prototypes *prototypes, const char *programs,
		   struct arena *arena,
		   int (*use)(void *data, const struct ktrace_type *type),
		   void *data)
{
	struct function_fields fields = {0};
	struct ktrace_type entry, exit;
	char *program;
	int err = 0;

	if (!prototypes || row->gone ||
	    prototypes_function(prototypes, row->name, row->module, &fields,
				arena))
		function_fields_plain(&fields, row->words);
	fields_limit(&fields, row->words);
	entry = (struct ktrace_type){
		.id = events->entry.id,
		.variant_of = &events->entry,
		.index = row->index,
		.system = "function",
		.name = row->name,
		.size = ENTRY_SIZE + 8 * row->words,
	};
	exit = (struct ktrace_type){
		.id = events->exit.id,
		.variant_of = &events->exit,
		.index = row->index,
		.system = "return",
		.name = row->name,
		.size = 12,
		.fields = &fields.result,
		.nr_fields = fields.returns,
	};
	program = program_find(programs, row->program);
	if (entry.id)
		err = entry_use(&entry, events, &fields, prototypes, program,
				arena, use, data);
	if (!err && exit.id)
		err = use(data, &exit);
	fields_limit(&fields, call_words(row));
	if (!err && events->call.id)
		err = call_use(row, events, &fields, prototypes, program, arena,
			       use, data);
	free(program);
	return err;
}

int session_functions(struct ktrace_session *s, uint32_t *next,
		      int (*use)(void *data, const struct ktrace_type *type),
		      void *data)
{
	struct prototypes *prototypes = NULL;
	struct events events = {0};
	struct arena arena = {0};
	char *text, *rest, *line, *programs = NULL;
	struct row row;
	int err;

	err = ktrace_session_read(s, "function_table", &text, NULL);
	if (err)
		return err == -ENOENT ? 0 : err;
	/* After the table: it has the programs of all that are in the table. */
	err = ktrace_session_read(s, "function_programs", &programs, NULL);
	if (!err && *text)
		err = events_find(s, &events);
	if (!err && *text && prototypes_create(&prototypes))
		prototypes = NULL; /* names of arguments are missing then */
	for (rest = text; !err && (line = strsep(&rest, "\n"));) {
		if (!row_parse(line, &row) || row.index < *next)
			continue;
		err = row_use(&row, &events, prototypes, programs, &arena, use,
			      data);
		if (!err)
			*next = row.index + 1;
	}
	prototypes_destroy(prototypes);
	arena_destroy(&arena);
	free(programs);
	free(text);
	return err;
}

/* ---- types when they are needed ------------------------------------------- */

struct session_functions {
	struct ktrace_session *session;
	struct ktrace_types *types;
	struct prototypes
		*prototypes; /* NULL: names of arguments are missing */
	struct events events;
	char *text;	  /* of the file function_table, cut up */
	char *programs;	  /* the file function_programs */
	struct row *rows; /* by index; those without a name are unknown */
	size_t nr;
};

static int rows_room(struct session_functions *f, uint32_t index)
{
	size_t nr = f->nr ? f->nr : 1024;
	struct row *rows;

	if (index < f->nr)
		return 0;
	while (nr <= index)
		nr *= 2;
	rows = realloc(f->rows, nr * sizeof(*rows));
	if (!rows)
		return error_set(-ENOMEM, "out of memory");
	memset(rows + f->nr, 0, (nr - f->nr) * sizeof(*rows));
	f->rows = rows;
	f->nr = nr;
	return 0;
}

/* More functions may have been chosen since the last time. */
static int rows_read(struct session_functions *f)
{
	char *text, *rest, *line, *programs;
	struct row row;
	int err;

	err = ktrace_session_read(f->session, "function_table", &text, NULL);
	if (err)
		return err;
	err = ktrace_session_read(f->session, "function_programs", &programs,
				  NULL);
	if (err) {
		free(text);
		return err;
	}
	/* The rows point into the text. */
	if (f->nr)
		memset(f->rows, 0, f->nr * sizeof(*f->rows));
	if (f->prototypes)
		prototypes_forget_modules(f->prototypes);
	free(f->text);
	f->text = text;
	free(f->programs);
	f->programs = programs;
	for (rest = text; !err && (line = strsep(&rest, "\n"));) {
		if (!row_parse(line, &row) || row.index >= TYPE_INDEX_MAX)
			continue;
		err = rows_room(f, row.index);
		if (!err)
			f->rows[row.index] = row;
	}
	return err;
}

/* Copies what is not in the set's arena yet. */
static int variant_add(void *data, const struct ktrace_type *type)
{
	struct ktrace_types *types = data;
	size_t size = type->nr_fields * sizeof(*type->fields);
	struct ktrace_type *copy = arena_alloc(&types->arena, sizeof(*copy));
	void *fields = arena_alloc(&types->arena, size + 1);
	char *name = arena_strdup(&types->arena, type->name);
	int err;

	if (!copy || !fields || !name)
		return error_set(-ENOMEM, "out of memory");
	*copy = *type;
	copy->name = name;
	copy->fields = memcpy(fields, type->fields, size);
	err = types_add_variant(types, type->id, type->index, copy);
	/* It was asked for before the function was chosen. */
	return err == -EEXIST ? 0 : err;
}

static int variant_find(void *data, struct ktrace_types *types, uint32_t index)
{
	struct session_functions *f = data;
	int err = 0;

	if (index >= f->nr || !f->rows[index].name)
		err = rows_read(f);
	if (err || index >= f->nr || !f->rows[index].name)
		return err;
	return row_use(&f->rows[index], &f->events, f->prototypes, f->programs,
		       &types->arena, variant_add, types);
}

/* Of all three events, @find is asked. */
static int events_ask(struct session_functions *f, types_find_fn *find)
{
	const uint32_t ids[] = {f->events.entry.id, f->events.exit.id,
				f->events.call.id};
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(ids) / sizeof(ids[0]); i++)
		if (ids[i])
			err = types_find_variants(f->types, ids[i], find, f);
	return err;
}

int session_functions_open(struct ktrace_session *s, struct ktrace_types *types,
			   struct session_functions **functions)
{
	struct session_functions *f = calloc(1, sizeof(*f));
	int err;

	*functions = NULL;
	if (!f)
		return error_set(-ENOMEM, "out of memory");
	f->session = s;
	f->types = types;
	err = events_find(s, &f->events);
	/* Without the module, or if nobody has enabled them.  Functions may come later. */
	if (err == -ENOENT || (!err && !f->events.entry.id &&
			       !f->events.exit.id && !f->events.call.id)) {
		session_functions_close(f);
		return 0;
	}
	err = err ?: rows_read(f);
	if (!err && prototypes_create(&f->prototypes))
		f->prototypes = NULL; /* names of arguments are missing then */
	err = err ?: events_ask(f, variant_find);
	if (err) {
		session_functions_close(f);
		return err;
	}
	*functions = f;
	return 0;
}

void session_functions_close(struct session_functions *f)
{
	if (!f)
		return;
	events_ask(f, NULL);
	prototypes_destroy(f->prototypes);
	free(f->rows);
	free(f->programs);
	free(f->text);
	free(f);
}
