// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions of a session: choosing them, and the types of their records.
 *
 * The kernel knows a function by its address and number (kernel/source/function).  What its
 * arguments are is known here, from the kernel's type information.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/modules.h>

#include "base/error.h"
#include "base/text.h"
#include "modules.h"
#include "pattern.h"
#include "session.h"

#define MODULE "ktrace-functions"
/* The kernel takes 1024 lines and 128 KiB (kernel/source/function/choose.c). */
#define LINES_MAX 800

/* ---- choosing ------------------------------------------------------------- */

static int module_load(struct ktrace_session *s)
{
	struct ktrace_modules *modules;
	int err;

	if (s->no_load || module_is_loaded(MODULE))
		return 0;
	err = ktrace_modules_open(&modules);
	if (err)
		return err;
	session_note(s, "loading %s/%s.ko", ktrace_modules_path(modules),
		     MODULE);
	err = ktrace_modules_load(modules, MODULE, false);
	ktrace_modules_close(modules);
	return err;
}

/* A function that can be hooked; a name may occur several times. */
struct available {
	const char *name;
	const char *module;
};

struct choice {
	char *text; /* of the file available_functions */
	struct available *list;
	size_t nr;
};

/* "[MODULE:]NAME" */
static bool available_match(const struct available *f, const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	char module[64];

	if (!colon)
		return kt_glob_match(pattern, f->name);
	if ((size_t)(colon - pattern) >= sizeof(module))
		return false;
	memcpy(module, pattern, colon - pattern);
	module[colon - pattern] = '\0';
	return kt_glob_match(module, f->module) &&
	       kt_glob_match(colon + 1, f->name);
}

static int choice_add(struct choice *choice, const struct available *function)
{
	struct available *list;

	/* Doubles the room whenever the number is a power of two. */
	if (!(choice->nr & (choice->nr - 1))) {
		list = realloc(choice->list,
			       (choice->nr * 2 + 1) * sizeof(*list));
		if (!list)
			return error_set(-ENOMEM, "out of memory");
		choice->list = list;
	}
	choice->list[choice->nr++] = *function;
	return 0;
}

/* Which functions do the patterns mean?  Each must mean one. */
static int choice_make(struct choice *choice, const char *const *patterns,
		       size_t nr_patterns)
{
	char *next = choice->text, *line;
	bool used[nr_patterns + 1];
	int err = 0;

	memset(used, 0, sizeof(used));
	while (!err && (line = strsep(&next, "\n"))) {
		struct available function = {.name = strsep(&line, " ")};
		bool wanted = false;

		function.module = line ?: "vmlinux";
		for (size_t i = 0; *function.name && i < nr_patterns; i++)
			if (available_match(&function, patterns[i]))
				used[i] = wanted = true;
		if (wanted)
			err = choice_add(choice, &function);
	}
	for (size_t i = 0; !err && i < nr_patterns; i++)
		if (!used[i])
			err = error_set(-ENOENT,
					"no function `%s' can be recorded: "
					"it does not exist, is inlined, or "
					"the kernel must not be stopped there",
					patterns[i]);
	return err;
}

/* One line for each function, with what there is to record of it. */
static void lines_of_functions(struct text *text, const struct choice *choice,
			       struct prototypes *prototypes)
{
	struct function_fields fields;
	struct arena arena = {0};

	for (size_t i = 0; i < choice->nr; i++) {
		const struct available *f = &choice->list[i];

		text_puts(text, "+");
		if (strcmp(f->module, "vmlinux")) {
			text_puts(text, f->module);
			text_puts(text, ":");
		}
		text_puts(text, f->name);
		if (prototypes &&
		    !prototypes_function(prototypes, f->name, f->module,
					 &fields, &arena)) {
			text_printf(text, " %u", fields.nr_arguments);
			if (fields.is_void)
				text_puts(text, " void");
		}
		text_puts(text, "\n");
	}
	arena_destroy(&arena);
}

static int choice_write(struct ktrace_session *s, const struct choice *choice,
			const char *const *patterns, size_t nr_patterns)
{
	struct prototypes *prototypes = NULL;
	struct text text = {0};
	int err;

	if (choice->nr > LINES_MAX) {
		for (size_t i = 0; i < nr_patterns; i++) {
			text_puts(&text, "+");
			text_puts(&text, patterns[i]);
			text_puts(&text, "\n");
		}
	} else {
		/* Without type information, registers are recorded. */
		if (prototypes_create(&prototypes))
			session_note(s, "%s", ktrace_last_error());
		lines_of_functions(&text, choice, prototypes);
		prototypes_destroy(prototypes);
	}
	err = text.failed ? error_set(-ENOMEM, "out of memory")
			  : ktrace_session_write(s, "functions", text.s);
	text_free(&text);
	return err;
}

int ktrace_session_functions(struct ktrace_session *s,
			     const char *const *patterns, size_t nr_patterns,
			     size_t *nr)
{
	struct choice choice = {0};
	int err;

	*nr = 0;
	err = module_load(s);
	if (!err)
		err = session_root_read(s, "available_functions", &choice.text);
	if (!err)
		err = choice_make(&choice, patterns, nr_patterns);
	if (!err)
		err = choice_write(s, &choice, patterns, nr_patterns);
	if (!err)
		err = ktrace_session_enable(s, "function", NULL, true);
	if (!err)
		*nr = choice.nr;
	free(choice.list);
	free(choice.text);
	return err;
}

/* ---- types of records ----------------------------------------------------- */

/* The events of all functions. */
struct events {
	struct ktrace_type entry;
	struct ktrace_type exit;
};

/* Does a program capture what the calls pass?  Then records have no registers. */
static int entry_captures(struct ktrace_session *s, bool *captures)
{
	static const char line[] = "function/entry: ";
	char *text, *found;
	int err = ktrace_session_read(s, "capture", &text, NULL);

	if (err)
		return err;
	found = strstr(text, line);
	*captures = found && (found == text || found[-1] == '\n');
	free(text);
	return 0;
}

/* An id that is left 0: its records have no variants. */
static int events_find(struct ktrace_session *s, struct events *events)
{
	struct ktrace_known *known;
	bool captures;
	size_t nr;
	int err = entry_captures(s, &captures);

	err = err ?: ktrace_session_known(s, &known, &nr);
	for (size_t i = 0; !err && i < nr; i++) {
		if (strcmp(known[i].system, "function"))
			continue;
		if (!strcmp(known[i].name, "entry") && !captures)
			events->entry.id = known[i].id;
		else if (!strcmp(known[i].name, "exit"))
			events->exit.id = known[i].id;
	}
	if (!err)
		free(known);
	return err;
}

/* A line of the file function_table. */
struct row {
	uint32_t index;
	unsigned int words;
	const char *module;
	const char *name;
};

static bool row_parse(char *line, struct row *row)
{
	char *word[7];

	for (int i = 0; i < 7; i++) {
		word[i] = strsep(&line, " ");
		if (!word[i])
			return false;
	}
	row->index = strtoul(word[0], NULL, 10);
	row->module = word[3];
	row->name = word[4];
	row->words = strtoul(word[5], NULL, 10);
	return row->words <= FUNCTION_REGISTERS;
}

/* What is known without type information. */
static void fields_plain(struct function_fields *fields, unsigned int words)
{
	static const char *const names[FUNCTION_REGISTERS] = {
		"arg1", "arg2", "arg3", "arg4", "arg5", "arg6"};
	const struct ktrace_field word = {
		.ctype = "unsigned long",
		.size = sizeof(uint64_t),
		.kind = KTRACE_UINT,
		.base = KTRACE_HEX,
	};

	for (unsigned int i = 0; i < words; i++) {
		fields->arguments[i] = word;
		fields->arguments[i].name = names[i];
		fields->arguments[i].offset = 8 + 8 * i;
	}
	fields->nr_arguments = words;
	fields->returns = true;
	fields->result = word;
	fields->result.name = "ret";
	fields->result.offset = 4;
}

static int row_use(const struct row *row, const struct events *events,
		   struct prototypes *prototypes, struct arena *arena,
		   int (*use)(void *data, const struct ktrace_type *type),
		   void *data)
{
	struct function_fields fields = {0};
	struct ktrace_type entry, exit;
	int err = 0;

	if (!prototypes || prototypes_function(prototypes, row->name,
					       row->module, &fields, arena))
		fields_plain(&fields, row->words);
	entry = (struct ktrace_type){
		.id = events->entry.id,
		.variant_of = &events->entry,
		.index = row->index,
		.system = "function",
		.name = row->name,
		.size = 8 + 8 * row->words,
		.fields = fields.arguments,
		.nr_fields = fields.nr_arguments < row->words
				     ? fields.nr_arguments
				     : row->words,
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
	if (entry.id)
		err = use(data, &entry);
	if (!err && exit.id)
		err = use(data, &exit);
	return err;
}

int session_functions(struct ktrace_session *s, uint32_t *next,
		      int (*use)(void *data, const struct ktrace_type *type),
		      void *data)
{
	struct prototypes *prototypes = NULL;
	struct events events = {0};
	struct arena arena = {0};
	char *text, *rest, *line;
	struct row row;
	int err;

	err = ktrace_session_read(s, "function_table", &text, NULL);
	if (err)
		return err == -ENOENT ? 0 : err;
	err = *text ? events_find(s, &events) : 0;
	if (!err && *text && prototypes_create(&prototypes))
		prototypes = NULL; /* names of arguments are missing then */
	for (rest = text; !err && (line = strsep(&rest, "\n"));) {
		if (!row_parse(line, &row) || row.index < *next)
			continue;
		err = row_use(&row, &events, prototypes, &arena, use, data);
		if (!err)
			*next = row.index + 1;
	}
	prototypes_destroy(prototypes);
	arena_destroy(&arena);
	free(text);
	return err;
}
