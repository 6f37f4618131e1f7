// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/syscall.h>

#include "argument.h"
#include "pointee.h"
#include "stack.h"
#include "strace/thread.h"

/* In front of each value that programs write; texts have no such character. */
#define MARK '\1'

static int text_write(void *data, const char *text, size_t size)
{
	struct arguments *a = data;

	if (a->room - a->size < size) {
		size_t room = a->size + size + 4096;
		char *more = realloc(a->text, room);

		if (!more)
			return -ENOMEM;
		a->text = more;
		a->room = room;
	}
	memcpy(a->text + a->size, text, size);
	a->size += size;
	return 0;
}

int arguments_init(struct arguments *a, struct ktrace *trace)
{
	a->trace = trace;
	programs_init(&a->programs, trace, PROGRAM_PARTS);
	return output_init(&a->output, text_write, a);
}

void arguments_destroy(struct arguments *a)
{
	programs_destroy(&a->programs);
	output_destroy(&a->output);
	free(a->text);
	free(a->list);
}

/* The text is what was written behind @from; the pointer to it is set when all is written. */
static int argument_add(struct arguments *a, const char *name, size_t from)
{
	struct argument *more;

	if (a->nr == a->room_nr) {
		uint32_t room = a->room_nr ? a->room_nr * 2 : 16;

		more = realloc(a->list, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		a->list = more;
		a->room_nr = room;
	}
	a->list[a->nr++] =
		(struct argument){.name = name, .size = a->size - from};
	return 0;
}

/* Only if it is shown as the same number. */
static void number_find(struct argument *argument)
{
	bool negative = argument->size && *argument->text == '-';
	uint64_t number = 0;

	argument->is_number = false;
	if (argument->size <= negative || argument->size > 18 ||
	    (argument->text[negative] == '0' && argument->size > 1))
		return;
	for (size_t i = negative; i < argument->size; i++) {
		if (argument->text[i] < '0' || argument->text[i] > '9')
			return;
		number = number * 10 + (argument->text[i] - '0');
	}
	argument->is_number = true;
	argument->number = negative ? -number : number;
}

static void texts_find(struct arguments *a)
{
	const char *text = a->text;

	for (uint32_t i = 0; i < a->nr; i++) {
		a->list[i].text = text;
		text += a->list[i].size;
	}
}

static const struct ktrace_field *field_next(const struct ktrace_type *type,
					     uint32_t *at)
{
	while (*at < type->nr_fields) {
		const struct ktrace_field *field = &type->fields[(*at)++];

		if (program_has_part(type, field))
			return field;
	}
	return NULL;
}

/* What the program has written begins with a mark for each field, which goes. */
static int fields_split(struct arguments *a, const struct ktrace_type *type,
			size_t from)
{
	const struct ktrace_field *field;
	size_t end = a->size;
	uint32_t at = 0;

	a->size = from;
	while (from < end && (field = field_next(type, &at))) {
		const char *text = a->text + from + 1;
		const char *next = memchr(text, MARK, end - from - 1);
		size_t size = (next ?: a->text + end) - text;
		size_t begin = a->size;

		from += size + 1;
		/* Nothing was captured. */
		if (!size && pointee_is_alone(type, field))
			continue;
		memmove(a->text + begin, text, size);
		a->size += size;
		if (argument_add(a, field->name, begin))
			return -ENOMEM;
		a->list[a->nr - 1].is_number = field->kind <= KTRACE_POINTER;
	}
	return 0;
}

static int stack_take(struct arguments *a, const char *name,
		      const struct ktrace_stack *stack)
{
	size_t from = a->size;

	stack_in_line(&a->output, a->trace, stack, 0);
	return output_flush(&a->output) ?: argument_add(a, name, from);
}

static int fields_take(struct arguments *a, const struct ktrace_event *event)
{
	struct ktrace_stack stack;
	int err = programs_run(&a->programs, &a->output, event);

	err = err ?: output_flush(&a->output);
	err = err ?: fields_split(a, event->type, 0);
	if (!err && ktrace_event_stack(a->trace, event, &stack))
		err = stack_take(a, "stack", &stack);
	if (!err && ktrace_event_user_stack(a->trace, event, &stack))
		err = stack_take(a, "user_stack", &stack);
	return err;
}

static int arguments_done(struct arguments *a, int err)
{
	if (err)
		return -ENOMEM;
	texts_find(a);
	for (uint32_t i = 0; i < a->nr; i++)
		if (a->list[i].is_number)
			number_find(&a->list[i]);
	return 0;
}

static void arguments_clear(struct arguments *a)
{
	a->size = a->nr = 0;
}

int arguments_event(struct arguments *a, const struct ktrace_event *event)
{
	arguments_clear(a);
	return arguments_done(a, fields_take(a, event));
}

/* ---- system calls --------------------------------------------------------- */

static int line_take(struct arguments *a, const char *name,
		     const struct line *line)
{
	size_t from = a->size;

	return text_write(a, line->s, line->len) ?: argument_add(a, name, from);
}

/* @exit: those that are known only then. */
static int call_take(struct arguments *a, const struct call_view *view,
		     bool exit)
{
	unsigned int nr = call_nr_arguments(view);
	struct line line = {0};
	bool late = false;
	int err = 0;

	for (unsigned int i = 0; !err && i < nr; i++) {
		line.len = 0;
		late |= argument_needs_exit(view, i);
		if (late && !exit)
			break;
		if (!argument_print(&line, view, i))
			break;
		if (late == exit && line.len)
			err = line_take(a, view->enter.type->fields[i].name,
					&line);
	}
	line.len = 0;
	if (!err && exit) {
		result_print(&line, view);
		err = line_take(a, "result", &line);
	}
	free(line.s);
	return err;
}

int arguments_begin(struct arguments *a, const struct ktrace_event *event,
		    struct call_view **call)
{
	struct call_view *view;
	bool exit;
	int err;

	*call = NULL;
	if (!ktrace_call_name(event->type, &exit) || exit)
		return arguments_event(a, event);
	view = calloc(1, sizeof(*view));
	if (!view || thread_side(&view->enter, event)) {
		arguments_call_free(view);
		return -ENOMEM;
	}
	view->types = ktrace_get_types(a->trace);
	view->call = ktrace_call_find(event->type);
	view->string_max = 32;
	arguments_clear(a);
	err = call_take(a, view, false);
	if (err) {
		arguments_call_free(view);
		return -ENOMEM;
	}
	*call = view;
	texts_find(a);
	return 0;
}

int arguments_end(struct arguments *a, const struct ktrace_event *event,
		  struct call_view *view)
{
	const struct ktrace_field *result =
		ktrace_field_find(event->type, "ret");

	if (!view || !result)
		return arguments_event(a, event);
	arguments_clear(a);
	if (thread_side(&view->exit, event))
		return -ENOMEM;
	view->result = ktrace_field_int(event, result);
	if (call_take(a, view, true))
		return -ENOMEM;
	texts_find(a);
	for (uint32_t i = 0; i < a->nr; i++)
		number_find(&a->list[i]);
	return 0;
}

void arguments_call_free(struct call_view *view)
{
	if (!view)
		return;
	free(view->enter.payload);
	free(view->exit.payload);
	free(view);
}
