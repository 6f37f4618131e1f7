// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Describes a type in the text format of the kernel. */
#include <string.h>

#include <ktrace/trace.h>

#include "base/text.h"

/*
 * The type's format as in tracefs.  Offsets include the 8 bytes of header that
 * ftrace has in front of each event.
 */
char *ktrace_type_format(const struct ktrace_type *type)
{
	struct text text = {0};
	uint32_t i;

	text_printf(&text,
		    "name: %s\nID: %u\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
		    "\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;"
		    "\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;"
		    "\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		    "\n",
		    type->name, type->id);
	for (i = 0; i < type->nr_fields; i++) {
		const struct ktrace_field *field = &type->fields[i];
		size_t len = strcspn(field->ctype, "[");

		if (field->place != KTRACE_FIXED)
			len = strlen(field->ctype);
		text_printf(&text,
			    "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;"
			    "\tsigned:%d;\n",
			    (int)len, field->ctype, field->name,
			    field->ctype + len, field->offset + 8, field->size,
			    field->is_signed || field->kind == KTRACE_INT);
	}
	text_printf(&text, "\nprint fmt: %s\n",
		    type->print ? type->print : "\"\"");
	if (text.failed) {
		text_free(&text);
		return NULL;
	}
	return text.s;
}
