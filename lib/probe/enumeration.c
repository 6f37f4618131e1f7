// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Enumerations of programs: enumeration.h. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/types.h>

#include "debug_named.h"
#include "debug_type.h"
#include "enumeration.h"
#include "kernel/btf.h"
#include "place.h"
#include "probed_file.h"
#include "session/btf_type.h"
#include "session/modules.h"
#include "session/session.h"
#include "type/type.h"

static const char tag[] = "enum ";

/* ---- types ------------------------------------------------------------------ */

/* The enumeration that it is; *@name: its own, or that of the last typedef.  0: it is none. */
static __u32 enumeration_of(const struct btf *btf, __u32 type,
			    const char **name)
{
	const struct btf_type *t = btf__type_by_id(btf, type);

	*name = "";
	while (t && (btf_is_mod(t) || btf_is_typedef(t))) {
		if (btf_is_typedef(t))
			*name = btf__name_by_offset(btf, t->name_off);
		type = t->type;
		t = btf__type_by_id(btf, type);
	}
	if (!t || !btf_is_any_enum(t))
		return 0;
	if (t->name_off)
		*name = btf__name_by_offset(btf, t->name_off);
	return type;
}

bool enumeration_is_known(const struct debug_code *code, __u32 type)
{
	const char *name;
	__u32 own = enumeration_of(code->btf, type, &name);

	return !own || (code->base && own < btf__type_cnt(code->base));
}

/* What casts may name stays as it was.  0: there is none. */
static __u32 enumeration_find(struct debug_code *code, uint64_t address,
			      const char *name)
{
	struct debug_named *named = code->named;
	char text[ENUMERATION_NAME_MAX + 10];
	const char *own;
	int type = 0;

	snprintf(text, sizeof(text), "(%s%s)", tag, name);
	if (!debug_types_load(code, address, text))
		type = debug_named_find(code, "enum", name)
			       ?: debug_named_find(code, "", name);
	code->named = named;
	return type > 0 ? enumeration_of(debug_type_btf(code), type, &own) : 0;
}

void enumeration_name(struct debug_code *code, uint64_t address, __u32 type,
		      char name[ENUMERATION_NAME_MAX + 1])
{
	const char *found;
	__u32 own = enumeration_of(debug_type_btf(code), type, &found);
	int length = snprintf(name, ENUMERATION_NAME_MAX + 1, "%s",
			      own ? found : "");

	if (length > ENUMERATION_NAME_MAX ||
	    (*name && enumeration_find(code, address, name) != own))
		*name = '\0';
}

/* ---- recorded types ----------------------------------------------------------- */

struct naming {
	char *lines; /* of the file `probes' */
	struct probed_file *files;
	struct arena *arena; /* the types' */
};

static bool is_enumeration(const struct ktrace_field *field)
{
	return !strncmp(field->ctype, tag, sizeof(tag) - 1);
}

static bool has_enumerations(const struct ktrace_type *type)
{
	for (uint32_t i = 0; i < type->nr_fields; i++)
		if (is_enumeration(&type->fields[i]))
			return true;
	return false;
}

/* The place in the event's line, "/PATH:0xOFFSET...".  NULL: it is none in a program. */
static const char *place_find(const char *lines, const struct ktrace_type *type)
{
	char name[2 * PLACE_NAME_MAX + 4];
	int length =
		snprintf(name, sizeof(name), "%s/%s", type->system, type->name);

	for (const char *line = lines; line; line = strchr(line, '\n')) {
		const char *place;

		line += *line == '\n';
		if (strncmp(line, name, length))
			continue;
		place = line + length + strspn(line + length, " \t");
		if (place > line + length)
			return *place == '/' ? place : NULL;
	}
	return NULL;
}

/* The code that the place is in, and *@address there.  NULL: it is not what was probed. */
static struct debug_code *code_find(struct naming *n, const char *text,
				    uint64_t *address)
{
	const char *colon = strchr(text, ':');
	struct place place = {.path = text};
	struct probed_file *file;
	char path[PATH_MAX];

	if (!colon)
		return NULL;
	place.path_length = colon - text;
	if (place_path(&place, path) ||
	    probed_file_open(&n->files, path, &file))
		return NULL;
	return probed_file_code(file, colon + 1, address);
}

static void type_name(struct naming *n, const struct ktrace_type *type)
{
	const char *place = place_find(n->lines, type);
	/* Constant for readers of types, but these are being made. */
	struct ktrace_field *fields = (void *)type->fields;
	struct debug_code *code;
	uint64_t address;

	if (!place)
		return;
	code = code_find(n, place, &address);
	for (uint32_t i = 0; i < type->nr_fields; i++) {
		const struct btf *btf;
		__u32 id;

		if (!is_enumeration(&fields[i]))
			continue;
		/* The kernel may have one of the same name. */
		fields[i].names = NULL;
		id = code ? enumeration_find(code, address,
					     fields[i].ctype + sizeof(tag) - 1)
			  : 0;
		if (!id)
			continue;
		btf = debug_type_btf(code);
		fields[i].names = enum_type_names(btf, btf__type_by_id(btf, id),
						  n->arena);
	}
}

void probe_enumerations(struct ktrace_session *session,
			struct ktrace_types *types)
{
	struct naming n = {.arena = &types->arena};

	/* Looking at all fields takes longer. */
	if (!module_is_loaded(PROBES_MODULE))
		return;
	for (size_t i = 0; i < types->count; i++) {
		const struct ktrace_type *type = types->types[i];

		if (!has_enumerations(type))
			continue;
		if (!n.lines && session_root_read(session, "probes", &n.lines))
			return;
		type_name(&n, type);
	}
	probed_files_close(n.files);
	free(n.lines);
}
