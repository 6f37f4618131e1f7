// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include <ktrace/capture_names.h>
#include <ktrace/syscall.h>

#include "recorded_calls.h"

static bool has_pointer(const struct ktrace_type *type)
{
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (type->fields[i].kind == KTRACE_POINTER)
			return true;
	return false;
}

static bool is_decoded(const struct ktrace_type *type)
{
	return ktrace_field_find(type, KTRACE_CAPTURED_CUT) != NULL;
}

/* Does the begin of the call lack a string that --decode would have captured, whatever else it has? */
static bool lacks_string(const struct ktrace_type *type, bool exit)
{
	const struct ktrace_call *call = exit ? NULL : ktrace_call_find(type);

	for (unsigned int i = 0; call && i < call->nr_arguments; i++)
		if (!strcmp(call->arguments[i].word, "path") ||
		    !strcmp(call->arguments[i].word, "argv"))
			return !is_decoded(type);
	return false;
}

static bool is_signal(const struct ktrace_type *type)
{
	return !type->marker && !strcmp(type->system, "signal") &&
	       (!strcmp(type->name, "signal_deliver") ||
		!strcmp(type->name, "signal_delivered"));
}

struct recorded {
	bool any, selected, signals;
	bool pointers, decoded, lacking;
};

static void recorded_calls_find(const struct ktrace_types *types,
				const struct selection *selection,
				struct recorded *found)
{
	bool exit;

	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);
		bool call = ktrace_call_name(type, &exit) != NULL;

		found->any |= call;
		if (!selection_match(selection, type->system, type->name))
			continue;
		found->signals |= is_signal(type);
		if (!call)
			continue;
		found->selected = true;
		found->pointers |= has_pointer(type);
		found->decoded |= is_decoded(type);
		/* A trace may have both: --keep --decode takes events that are not. */
		found->lacking |= lacks_string(type, exit);
	}
}

static void words_say(const struct recorded *found)
{
	if (found->lacking || (found->pointers && !found->decoded))
		say("arguments are shown as they were recorded, without what "
		    "they point to: ktrace record --decode records that, too");
}

void recorded_calls_check(const struct ktrace_types *types,
			  const struct selection *selection)
{
	struct recorded found = {0};

	recorded_calls_find(types, selection, &found);
	if (!found.selected && found.signals)
		return;
	if (!found.any)
		say("the trace has no system calls that could be shown: ktrace "
		    "record --decode -e 'syscalls:*'");
	else if (!found.selected)
		say("no system call of the trace is selected, and none is "
		    "shown: -e 'syscalls:*' selects all");
	else
		words_say(&found);
}

void recorded_calls_check_words(const struct ktrace_types *types)
{
	const struct selection all = {0};
	struct recorded found = {0};

	recorded_calls_find(types, &all, &found);
	words_say(&found);
}
