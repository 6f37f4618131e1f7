// SPDX-License-Identifier: GPL-2.0-only OR MIT
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

void recorded_calls_check(const struct ktrace_types *types,
			  const struct selection *selection)
{
	bool any = false, pointers = false, decoded = false, exit;

	for (size_t i = 0; i < ktrace_types_count(types); i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (!ktrace_call_name(type, &exit) ||
		    !selection_match(selection, type->system, type->name))
			continue;
		any = true;
		pointers |= has_pointer(type);
		decoded |= ktrace_field_find(type, KTRACE_CAPTURED_CUT) != NULL;
	}
	if (!any)
		say("the trace has no system calls that could be shown: ktrace "
		    "record --decode -e 'syscalls:*'");
	else if (pointers && !decoded)
		say("arguments are shown as they were recorded, without what "
		    "they point to: ktrace record --decode records that, too");
}
