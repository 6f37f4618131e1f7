// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Conditions on the arguments of functions, for the file `functions': the kernel knows no
 * names of arguments, but the registers in which they are
 * (kernel/source/function/condition.h).  "count > 8" is "a2_u64 > 8" there.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "function_condition.h"

/* Where the words of arguments begin in the fields' offsets (functions.c). */
#define WORDS_AT   8
#define LISTED_MAX 3

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool name_is(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !memcmp(name, wanted, length);
}

/* What the kernel knows of the running task (core/filter.h). */
static bool is_of_task(const char *name, size_t length)
{
	static const char *const names[] = {"comm", "COMM", "tid", "common_pid",
					    "tgid", "cpu",  "CPU"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (name_is(name, length, names[i]))
			return true;
	return false;
}

/* Is it a number, and does a register have it? */
static bool is_comparable(const struct ktrace_field *field)
{
	return field->size && field->kind <= KTRACE_POINTER &&
	       field->offset < WORDS_AT + 8 * FUNCTION_REGISTERS;
}

/* What a function has, behind "NAME has no argument `count': ". */
static void arguments_list(struct text *text,
			   const struct function_fields *fields)
{
	const char *separator = "it has ";

	for (unsigned int i = 0; i < fields->nr_arguments; i++) {
		if (!is_comparable(&fields->arguments[i]))
			continue;
		text_printf(text, "%s%s", separator, fields->arguments[i].name);
		separator = ", ";
	}
	if (*separator == 'i')
		text_puts(text, "it has none in a register");
}

static void fault_add(struct function_condition *condition,
		      const char *function, const char *name, size_t length,
		      const struct function_fields *fields)
{
	struct text *faults = &condition->faults;

	if (condition->nr_faults++ >= LISTED_MAX)
		return;
	text_printf(faults, "%s%s has no argument `%.*s' that is a number: ",
		    faults->len ? "; " : "", function, (int)length, name);
	arguments_list(faults, fields);
}

/* Instead of the name of an argument, its register.  False: there is no such argument. */
static bool name_write(struct text *line, const char *name, size_t length,
		       const struct function_fields *fields)
{
	for (unsigned int i = 0; i < fields->nr_arguments; i++) {
		const struct ktrace_field *field = &fields->arguments[i];

		if (!name_is(name, length, field->name))
			continue;
		if (!is_comparable(field))
			return false;
		text_printf(line, "a%u_%c%u", (field->offset - WORDS_AT) / 8,
			    field->is_signed ? 's' : 'u', 8 * field->size);
		return true;
	}
	if (!is_of_task(name, length))
		return false;
	text_add(line, name, length);
	return true;
}

/* How long is the string at @text, with its quotes? */
static size_t quoted_length(const char *text)
{
	size_t length = 1;

	while (text[length] && text[length] != *text)
		length += text[length] == '\\' && text[length + 1] ? 2 : 1;
	return length + !!text[length];
}

/*
 * A name stands at the beginning, or behind a parenthesis, a `!', `&&' or `||'.  The kernel
 * finds mistakes.
 */
void function_condition_write(struct function_condition *condition,
			      struct text *line, const char *function,
			      const struct function_fields *fields)
{
	bool name = true; /* may come next */
	size_t length;

	for (const char *at = condition->text; *at; at += length) {
		length = 1;
		if (name && is_word(*at)) {
			while (is_word(at[length]))
				length++;
			if (!name_write(line, at, length, fields)) {
				fault_add(condition, function, at, length,
					  fields);
				return;
			}
			name = false;
			continue;
		}
		if (*at == '"' || *at == '\'')
			length = quoted_length(at);
		else if (!strncmp(at, "&&", 2) || !strncmp(at, "||", 2))
			length = 2;
		name = length == 2 ? *at == '&' || *at == '|'
				   : name && strchr(" \t(!", *at);
		text_add(line, at, length);
	}
}

int function_condition_check(struct function_condition *condition)
{
	size_t more = condition->nr_faults > LISTED_MAX
			      ? condition->nr_faults - LISTED_MAX
			      : 0;
	int err = 0;

	if (condition->faults.failed)
		err = error_set(-ENOMEM, "out of memory");
	else if (more)
		err = error_set(-EINVAL, "%s; and %zu more functions lack it",
				condition->faults.s, more);
	else if (condition->nr_faults)
		err = error_set(-EINVAL, "%s", condition->faults.s);
	text_free(&condition->faults);
	return err;
}
