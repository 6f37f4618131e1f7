// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Choosing the functions of a session: what patterns mean, and the lines for the file
 * `functions' (kernel/source/function).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/text.h"
#include "function_condition.h"
#include "function_pattern.h"
#include "pattern.h"
#include "reader.h"
#include "session.h"

/* The kernel takes 128 Ki lines and 8 MiB (kernel/source/function/choice.c, files.c). */
#define LINES_MAX 100000
#define TEXT_MAX  (8 << 20)
/* Of lines with wildcards the kernel takes 1024. */
#define PATTERNS_MAX 1000
/* So many functions may read memory at their calls: of more, it would be too slow. */
#define PROGRAMS_MAX 100

/* A function that can be hooked; a name may occur several times. */
struct available {
	const char *name;
	const char *module;
};

/* In the order in which the kernel gets them: the last line that means a function counts. */
enum role {
	INSIDE,
	ROOT,
	AROUND,
	CUT,
	ROLES,
};

/* What is wanted of the functions that some patterns mean. */
struct choice {
	const char *const *patterns;
	size_t nr_patterns;
	bool open; /* functions of modules that are loaded later, too */
	struct available *list;
	size_t nr;
	/* What patterns leave out, that others mean. */
	struct available *out;
	size_t nr_out;
};

static int available_add(struct available **list, size_t *nr,
			 const struct available *function)
{
	struct available *more = array_grow(*list, *nr, sizeof(*more));

	if (!more)
		return error_set(-ENOMEM, "out of memory");
	*list = more;
	more[(*nr)++] = *function;
	return 0;
}

/* A line of the file available_functions.  @used: has a bit for each pattern. */
static int choice_try(struct choice *choice, const struct available *function,
		      bool *used)
{
	switch (functions_match(choice->patterns, choice->nr_patterns,
				function->module, function->name, used)) {
	case 1:
		return available_add(&choice->list, &choice->nr, function);
	case -1:
		return available_add(&choice->out, &choice->nr_out, function);
	default:
		return 0;
	}
}

/* What a pattern means that means no function that is there. */
static int pattern_refuse(const char *pattern)
{
	const char *bare = function_pattern_bare(pattern);

	if (ktrace_function_waits(bare) && function_pattern_leaves_out(pattern))
		return error_set(-ENOENT,
				 "`%s': the module is not loaded, so nobody "
				 "knows what is left out",
				 pattern);
	if (ktrace_function_waits(bare))
		return error_set(-ENOENT,
				 "`%s': the module is not loaded, so "
				 "nobody knows of what type is what a "
				 "condition compares: load it first",
				 pattern);
	if (function_pattern_syscall(bare))
		return error_set(-ENOENT,
				 "no system call `%s' has a function "
				 "that can be recorded",
				 function_pattern_syscall(bare));
	return error_set(-ENOENT,
			 "no function `%s' can be recorded: "
			 "it does not exist, is inlined, or "
			 "the kernel must not be stopped there",
			 bare);
}

static int choice_check(struct ktrace_session *s, const struct choice *choice,
			const bool *used)
{
	for (size_t i = 0; i < choice->nr_patterns; i++) {
		const char *pattern = choice->patterns[i];
		bool out = function_pattern_leaves_out(pattern);
		bool waits =
			choice->open && !out && ktrace_function_waits(pattern);

		if (used[i] || waits)
			continue;
		/* What cannot be recorded is left out anyway; which those are, the compiler decides. */
		if (!out || !function_exists(s, pattern + 1))
			return pattern_refuse(pattern);
	}
	return 0;
}

/* Which functions do the patterns mean?  Each must mean one.  Cuts the text up. */
static int choices_make(struct ktrace_session *s, struct choice choices[ROLES],
			char *text)
{
	bool *used[ROLES] = {NULL};
	char *line;
	int err = 0;

	for (int role = 0; role < ROLES; role++) {
		used[role] = calloc(choices[role].nr_patterns + 1,
				    sizeof(*used[role]));
		if (!used[role])
			err = error_set(-ENOMEM, "out of memory");
	}
	while (!err && (line = strsep(&text, "\n"))) {
		struct available function = {.name = strsep(&line, " ")};

		function.module = line ?: "vmlinux";
		for (int role = 0; !err && *function.name && role < ROLES;
		     role++)
			err = choice_try(&choices[role], &function, used[role]);
	}
	for (int role = 0; !err && role < ROLES; role++)
		err = choice_check(s, &choices[role], used[role]);
	for (int role = 0; role < ROLES; role++)
		free(used[role]);
	return err;
}

/* The word of a line that says what is returned. */
static void result_line(struct text *text, const struct function_fields *fields)
{
	const struct ktrace_field *result = &fields->result;

	if (fields->is_void)
		text_puts(text, " void");
	else if (fields->returns && result->kind <= KTRACE_UINT)
		text_words(text, result->is_signed ? " s%u" : " u%u",
			   8 * result->size);
}

static bool is_recorded(enum role role)
{
	return role == INSIDE || role == ROOT;
}

static const char *role_sign(enum role role, const char *pattern)
{
	if (function_pattern_leaves_out(pattern))
		return "-";
	return role == CUT ? "!" : "+";
}

static const char *role_word(enum role role, const char *pattern)
{
	if (function_pattern_leaves_out(pattern))
		return "";
	return role == INSIDE ? " inside" : role == AROUND ? " around" : "";
}

/* What is read from the memory to which arguments point. */
static void program_line(struct text *text, const struct available *f,
			 struct prototypes *prototypes,
			 struct readings *readings)
{
	struct text program = {0};

	if (!readers_program(prototypes, f->name, f->module, readings,
			     &program) &&
	    program.len)
		text_words(text, " : %s", program.s);
	text_free(&program);
}

/* Which calls of it count. */
static void condition_line(struct text *text, const struct available *f,
			   const struct function_fields *fields,
			   struct function_condition *condition)
{
	struct function_fields plain;

	if (!fields) {
		function_fields_plain(&plain, FUNCTION_REGISTERS);
		fields = &plain;
	}
	text_puts(text, " if ");
	function_condition_write(condition, text, f->name, fields);
}

/* One line for each function, with what there is to record of it. */
static void lines_of_functions(struct text *text, const struct choice *choice,
			       enum role role, struct prototypes *prototypes,
			       struct function_condition *condition,
			       struct readings *readings)
{
	struct function_fields fields;
	struct arena arena = {0};

	for (size_t i = 0; i < choice->nr; i++) {
		const struct available *f = &choice->list[i];
		bool typed = role != CUT && prototypes &&
			     !prototypes_function(prototypes, f->name,
						  f->module, &fields, &arena);

		text_words(text, "%s%s:%s", role_sign(role, ""), f->module,
			   f->name);
		if (typed) {
			text_words(text, " %u", fields.nr_words);
			result_line(text, &fields);
			/* The kernel can hook it the short way. */
			if (fields.in_registers)
				text_puts(text, " direct");
		}
		text_puts(text, role_word(role, ""));
		if (role == ROOT && condition->text)
			condition_line(text, f, typed ? &fields : NULL,
				       condition);
		if (is_recorded(role) && prototypes)
			program_line(text, f, prototypes, readings);
		text_puts(text, "\n");
	}
	arena_destroy(&arena);
}

static bool is_among(const struct available *list, size_t nr,
		     const char *pattern)
{
	for (size_t i = 0; i < nr; i++)
		if (kt_glob_match(pattern, list[i].name))
			return true;
	return false;
}

/* A line with a pattern as it is: the kernel finds what it means. */
static void line_of_pattern(struct text *text, enum role role,
			    const char *pattern)
{
	text_words(text, "%s%s%s\n", role_sign(role, pattern),
		   function_pattern_bare(pattern), role_word(role, pattern));
}

/* A pattern that means functions of system calls, as patterns that the kernel knows. */
static void lines_of_syscalls(struct text *text, const struct choice *choice,
			      enum role role, const char *pattern)
{
	const char *out = function_pattern_leaves_out(pattern) ? "!" : "";
	const char *call, *prefix;

	call = function_pattern_syscall(function_pattern_bare(pattern));

	for (size_t i = 0; (prefix = syscall_function_prefix(i)); i++) {
		char names[1 + strlen(prefix) + strlen(call) + 1];

		sprintf(names, "%s%s%s", out, prefix, call);
		if (is_among(choice->list, choice->nr, names + strlen(out)) ||
		    is_among(choice->out, choice->nr_out, names + strlen(out)))
			line_of_pattern(text, role, names);
	}
}

/* Of so many functions, there are no lines for each.  Registers are recorded. */
static void lines_of_patterns(struct text *text, const struct choice *choice,
			      enum role role)
{
	for (size_t i = 0; i < choice->nr_patterns; i++) {
		const char *pattern = choice->patterns[i];

		if (function_pattern_syscall(function_pattern_bare(pattern)))
			lines_of_syscalls(text, choice, role, pattern);
		else
			line_of_pattern(text, role, pattern);
	}
}

/*
 * Functions of modules that are loaded later.  These lines stand before those of functions that
 * are there, which count for them.  What is left out of those that are there needs a line, too.
 */
static void lines_of_later(struct text *text, const struct choice *choice,
			   enum role role)
{
	bool open = false;

	for (size_t i = 0; choice->open && i < choice->nr_patterns; i++) {
		const char *pattern = choice->patterns[i];

		if (!function_pattern_is_open(function_pattern_bare(pattern)))
			continue;
		open = true;
		line_of_pattern(text, role, pattern);
	}
	for (size_t i = 0; open && i < choice->nr_out; i++)
		text_words(text, "-%s:%s\n", choice->out[i].module,
			   choice->out[i].name);
}

/* Each must have fitted. */
static int readings_check(const struct readings *readings)
{
	for (size_t i = 0; i < readings->nr; i++) {
		const struct reading *reading = &readings->list[i];

		if (reading->used)
			continue;
		return error_set(-EINVAL, "`%s' cannot be read: %s",
				 reading->text,
				 *reading->why ? reading->why
					       : "no function has such an "
						 "argument, or its type is not "
						 "known");
	}
	return 0;
}

/* The lines for the kernel. */
static int choices_lines(struct text *text, const struct choice choices[ROLES],
			 struct prototypes *prototypes,
			 struct function_condition *condition,
			 struct readings *readings)
{
	size_t left = LINES_MAX;
	size_t programs = readings->alone ? 0 : PROGRAMS_MAX;

	for (int role = 0; role < ROLES; role++) {
		if (choices[role].nr > left && role == ROOT && condition->text)
			return error_set(-E2BIG,
					 "a condition on arguments is for at "
					 "most %zu functions, and these are "
					 "%zu: choose fewer",
					 left, choices[role].nr);
		if (choices[role].nr > left) {
			lines_of_patterns(text, &choices[role], role);
			continue;
		}
		readings->alone = choices[role].nr > programs;
		if (!readings->alone && is_recorded(role))
			programs -= choices[role].nr;
		lines_of_later(text, &choices[role], role);
		lines_of_functions(text, &choices[role], role, prototypes,
				   condition, readings);
		left -= choices[role].nr;
	}
	if (text->failed)
		return error_set(-ENOMEM, "out of memory");
	if (text->len > TEXT_MAX)
		return error_set(-E2BIG, "too much is to be read of so many "
					 "functions: choose fewer");
	return readings_check(readings);
}

static int choices_write(struct ktrace_session *s,
			 const struct choice choices[ROLES],
			 const struct ktrace_functions *functions)
{
	struct reading list[functions->nr_reads + 1];
	struct readings readings = {list, functions->nr_reads,
				    functions->plain};
	struct function_condition condition = {.text = functions->entry_filter};
	struct prototypes *prototypes = NULL;
	struct text text = {0};
	int err, fault;

	for (size_t i = 0; i < functions->nr_reads; i++)
		list[i] = (struct reading){.text = functions->reads[i]};

	/* Without type information, registers are recorded. */
	if (prototypes_create(&prototypes))
		session_note(s, "%s", ktrace_last_error());
	err = choices_lines(&text, choices, prototypes, &condition, &readings);
	prototypes_destroy(prototypes);
	fault = function_condition_check(&condition);
	err = fault ?: err;
	err = err ?: ktrace_session_write(s, "functions", text.s);
	text_free(&text);
	return err;
}

static int scope_write(struct ktrace_session *s,
		       const struct ktrace_functions *functions)
{
	char text[64];

	snprintf(text, sizeof(text), "depth %u\ninterrupts %s",
		 functions->depth, functions->no_interrupts ? "no" : "yes");
	return ktrace_session_write(s, "function_scope", text);
}

static bool is_entry(const struct ktrace_known *known, void *data)
{
	return !strcmp(known->system, "function") &&
	       !strcmp(known->name, "entry");
}

/* Of a whole call. */
static bool is_call(const struct ktrace_known *known, void *data)
{
	bool *found = data;
	bool is = !strcmp(known->system, "call") &&
		  !strcmp(known->name, "function");

	*found = *found || is;
	return is;
}

static int call_stacks_enable(struct ktrace_session *s,
			      enum ktrace_stacks whose)
{
	bool possible = false;
	int err = ktrace_session_stacks(s, whose, NULL, is_call, &possible);

	if (err || possible)
		return err;
	return error_set(
		-EOPNOTSUPP,
		"who called cannot be recorded of calls that have "
		"returned: this kernel has no unwind tables (ORC) that "
		"are understood");
}

static int events_enable(struct ktrace_session *s,
			 const struct ktrace_functions *functions)
{
	bool stacks = functions->stacks || s->branches;
	int err = 0;

	if (!functions->call_filter) {
		if (stacks)
			err = ktrace_session_stacks(s, functions->stacks, NULL,
						    is_entry, NULL);
		return err ?: ktrace_session_enable(s, "function", NULL, true);
	}
	if (stacks)
		err = call_stacks_enable(s, functions->stacks);
	if (!err && *functions->call_filter)
		err = ktrace_session_filter(s, "call", "function",
					    functions->call_filter);
	return err ?: ktrace_session_enable(s, "call", "function", true);
}

/* Roots and what is recorded within them; a function may be both. */
static size_t choices_count(const struct choice choices[ROLES])
{
	const struct choice *inside = &choices[INSIDE], *root = &choices[ROOT];
	size_t nr = inside->nr, at = 0;

	/* Both have the order of the file. */
	for (size_t i = 0; i < root->nr; i++) {
		while (at < inside->nr &&
		       inside->list[at].name < root->list[i].name)
			at++;
		nr += at == inside->nr ||
		      inside->list[at].name != root->list[i].name;
	}
	return nr;
}

/*
 * The kernel compares what functions return as their types say.  Of patterns it does not
 * know the types.
 */
static bool result_decides(const struct ktrace_functions *functions)
{
	return functions->call_filter && strstr(functions->call_filter, "ret");
}

/* For which patterns there are lines that mean functions of modules that come later. */
static void choices_open(struct choice choices[ROLES], struct ktrace_session *s,
			 const struct ktrace_functions *functions)
{
	size_t nr = 0;

	for (int role = 0; role < ROLES; role++)
		nr += choices[role].nr_patterns;
	if (nr > PATTERNS_MAX)
		session_note(s,
			     "functions of modules that are loaded later are "
			     "not recorded: these are more than %d patterns",
			     PATTERNS_MAX);
	for (int role = 0; role < ROLES; role++)
		choices[role].open =
			nr <= PATTERNS_MAX &&
			(role != ROOT || (!functions->entry_filter &&
					  !result_decides(functions)));
}

static int filter_check(const struct ktrace_functions *functions,
			const struct choice *roots)
{
	if (!result_decides(functions) || roots->nr <= LINES_MAX)
		return 0;
	return error_set(-E2BIG,
			 "a condition on what is returned is for at most %d "
			 "functions, and these are %zu: choose fewer",
			 LINES_MAX, roots->nr);
}

/* Only roots can be left out, of what is recorded wherever it is called. */
static int choices_check(const struct choice choices[ROLES])
{
	for (int role = 0; role < ROLES; role++)
		for (size_t i = 0; i < choices[role].nr_patterns; i++) {
			const char *pattern = choices[role].patterns[i];

			if (!function_pattern_leaves_out(pattern))
				continue;
			if (role != ROOT || choices[INSIDE].nr_patterns)
				return error_set(
					-EINVAL,
					"`%s' leaves functions out: it is for "
					"those that are recorded wherever they "
					"are called",
					pattern);
		}
	return functions_some_wanted(choices[ROOT].patterns,
				     choices[ROOT].nr_patterns);
}

int ktrace_session_functions_choose(struct ktrace_session *s,
				    const struct ktrace_functions *functions,
				    size_t *nr)
{
	struct choice choices[ROLES] = {
		[INSIDE] = {functions->inside, functions->nr_inside},
		[ROOT] = {functions->roots, functions->nr_roots},
		[AROUND] = {functions->around, functions->nr_around},
		[CUT] = {functions->cut, functions->nr_cut},
	};
	char *text = NULL;
	int err;

	*nr = 0;
	if (functions->size < sizeof(*functions))
		return error_set(-EINVAL, "struct ktrace_functions: its size "
					  "is not set");
	err = choices_check(choices);
	if (err)
		return err;
	choices_open(choices, s, functions);
	err = session_module_load(s, FUNCTIONS_MODULE);
	if (!err)
		err = session_root_read(s, "available_functions", &text);
	err = err ?: choices_make(s, choices, text);
	err = err ?: filter_check(functions, &choices[ROOT]);
	err = err ?: scope_write(s, functions);
	err = err ?: choices_write(s, choices, functions);
	err = err ?: events_enable(s, functions);
	if (!err)
		*nr = choices_count(choices);
	for (int role = 0; role < ROLES; role++) {
		free(choices[role].list);
		free(choices[role].out);
	}
	free(text);
	return err;
}

int ktrace_session_functions(struct ktrace_session *s,
			     const char *const *patterns, size_t nr_patterns,
			     size_t *nr)
{
	const struct ktrace_functions functions = {
		.size = sizeof(functions),
		.roots = patterns,
		.nr_roots = nr_patterns,
	};

	return ktrace_session_functions_choose(s, &functions, nr);
}
