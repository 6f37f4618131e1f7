// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Known events.  The control tree's file `available' has a line for each
 *
 *	event SYSTEM:NAME id N enabled 0|1 module NAME [filter 1] [stackless 1]
 *
 * `info' has this line, then the text of the event's format file, then an empty
 * line. `types' has the same for the events that may be in the buffers.
 * Parsing fields is slow, so it is done only for events that are wanted.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "base/error.h"
#include "base/file.h"
#include "kernel/flags.h"
#include "kernel/format.h"
#include "type/type.h"
#include "modules.h"
#include "session.h"

/* The begin of the next event's line at or after @p, or NULL. */
static char *event_find(char *p)
{
	while (*p && strncmp(p, "event ", 6)) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return *p ? p : NULL;
}

/* The end of the event at @p: after its empty line. */
static char *event_end(char *p)
{
	char *end = strstr(p, "\n\n");

	return end ? end + 2 : p + strlen(p);
}

/* As strsep() with one delimiter, but faster. */
static char *part_cut(char **next, char end)
{
	char *part = *next, *found = part ? strchr(part, end) : NULL;

	if (found)
		*found++ = '\0';
	*next = found;
	return part;
}

/* Parses a line in place.  False: it is not valid. */
static bool event_parse(char *line, struct ktrace_known *known)
{
	char *next = line + 6, *word, *value, *colon;

	memset(known, 0, sizeof(*known));
	if (strncmp(line, "event ", 6))
		return false;
	word = part_cut(&next, ' ');
	colon = strchr(word, ':');
	if (!colon)
		return false;
	*colon = '\0';
	known->system = word;
	known->name = colon + 1;
	known->module = "vmlinux";
	while ((word = part_cut(&next, ' ')) &&
	       (value = part_cut(&next, ' '))) {
		if (!strcmp(word, "id"))
			known->id = strtoul(value, NULL, 10);
		else if (!strcmp(word, "enabled"))
			known->enabled = *value == '1';
		else if (!strcmp(word, "module"))
			known->module = value;
		else if (!strcmp(word, "filter"))
			known->filtered = *value == '1';
		else if (!strcmp(word, "stackless"))
			known->stackless = *value == '1';
	}
	return true;
}

static int available_read(struct ktrace_session *s, char **text, size_t *size)
{
	int err = ktrace_session_read(s, "available", text, size);

	return err != -ENOENT
		       ? err
		       : error_set(-EPROTO,
				   "the module ktrace that is loaded is older "
				   "than this command: sudo ktrace unload, "
				   "then try again");
}

int ktrace_session_known(struct ktrace_session *s, struct ktrace_known **known,
			 size_t *nr)
{
	struct ktrace_known *list;
	char *text, *copy, *p, *line;
	size_t size, count = 0;
	int err;

	err = available_read(s, &text, &size);
	if (err)
		return err;
	for (p = text; (p = strchr(p, '\n')); p++)
		count++;
	/* The text follows the list, so that one free() is enough. */
	list = malloc(count * sizeof(*list) + size + 1);
	if (!list) {
		free(text);
		return error_set(-ENOMEM, "out of memory");
	}
	copy = (char *)(list + count);
	memcpy(copy, text, size + 1);
	free(text);
	*nr = 0;
	for (p = copy; *nr < count && (line = part_cut(&p, '\n'));)
		*nr += event_parse(line, &list[*nr]);
	*known = list;
	return 0;
}

/* Removes the events that are not wanted.  Returns the new size. */
static size_t text_reduce(char *text, size_t size,
			  bool (*want)(const struct ktrace_known *known,
				       void *data),
			  void *data)
{
	char *in = text, *out = text, *end;
	struct ktrace_known known;
	char line[512];

	while ((in = event_find(in))) {
		size_t len = strcspn(in, "\n");

		end = event_end(in);
		if (len < sizeof(line)) {
			memcpy(line, in, len);
			line[len] = '\0';
			if (event_parse(line, &known) && want(&known, data)) {
				memmove(out, in, end - in);
				out += end - in;
			}
		}
		in = end;
	}
	*out = '\0';
	return out - text;
}

struct enums *session_kernel_enums(struct ktrace_session *s)
{
	if (!s->enums)
		s->enums = enums_open(NULL);
	return s->enums;
}

/* Reads a file like `info', only the events that are wanted. */
static int info_read(struct ktrace_session *s, const char *file,
		     bool (*want)(const struct ktrace_known *known, void *data),
		     void *data, char **text, size_t *size)
{
	int err = ktrace_session_read(s, file, text, size);

	if (!err && want)
		*size = text_reduce(*text, *size, want, data);
	return err;
}

/* The names live as long as the session.  NULL: none. */
static const struct ktrace_names *names_of_flags(struct ktrace_session *s,
						 const char *ctype)
{
	const struct btf *btf;

	if (!flags_know(ctype))
		return NULL;
	if (!s->flags) {
		btf = enums_btf(session_kernel_enums(s));
		s->flags = btf ? flags_open(btf) : NULL;
	}
	return s->flags ? flags_find(s->flags, ctype) : NULL;
}

/*
 * Probes have no print format that names flags, but types of values.  Other events need no more
 * than their print formats, and reading all types takes 20 million instructions.
 */
static void types_flags(struct ktrace_session *s, struct ktrace_types *types)
{
	if (!module_is_loaded(PROBES_MODULE))
		return;
	for (size_t i = 0; i < types->count; i++) {
		const struct ktrace_type *type = types->types[i];
		/* Constant for readers of types, but these are being made. */
		struct ktrace_field *fields = (void *)type->fields;

		for (uint32_t k = 0; k < type->nr_fields; k++)
			if (!fields[k].names && fields[k].kind <= KTRACE_UINT)
				fields[k].names =
					names_of_flags(s, fields[k].ctype);
	}
}

int session_types_recorded(struct ktrace_session *s,
			   bool (*want)(const struct ktrace_known *known,
					void *data),
			   void *data, bool late, struct ktrace_types **types)
{
	struct enums *enums = session_kernel_enums(s);
	size_t size;
	char *text;
	int err;

	err = info_read(s, "types", want, data, &text, &size);
	if (err)
		return err;
	err = late ? types_parse_late(text, size, enums, types)
		   : types_parse(text, size, enums, types);
	free(text);
	if (!err)
		types_flags(s, *types);
	return err;
}

/* Writes an event as in `info' (but no filter), from its format file. */
static int event_describe(struct ktrace_session *s, FILE *f,
			  const struct ktrace_known *known)
{
	char path[PATH_MAX], *text, *layout;
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/format", known->system,
		 known->name);
	err = file_read(s->dir, path, &text, NULL);
	/* The event has just gone. */
	if (err)
		return err == -ENOENT || err == -ENODEV ? 0 : err;
	layout = strstr(text, "size: ");
	if (layout)
		fprintf(f, "event %s:%s id %u enabled %d module %s\n%s\n",
			known->system, known->name, known->id, known->enabled,
			known->module, layout);
	free(text);
	return 0;
}

/* Reads each event from its own file. */
static int info_collect(struct ktrace_session *s,
			const struct ktrace_known *known, size_t nr,
			char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);
	int err = 0;

	for (size_t i = 0; f && !err && i < nr; i++)
		err = event_describe(s, f, &known[i]);
	if (!f || (fclose(f) && !err))
		err = -ENOMEM;
	if (!err)
		return 0;
	if (f)
		free(*text);
	return error_set(err, "cannot read what events have: %s",
			 strerror(-err));
}

int session_info(struct ktrace_session *s,
		 bool (*want)(const struct ktrace_known *known, void *data),
		 void *data, char **text, size_t *size)
{
	struct ktrace_known *known;
	size_t nr, wanted = 0;
	int err;

	if (!want)
		return info_read(s, "info", NULL, NULL, text, size);
	err = ktrace_session_known(s, &known, &nr);
	if (err)
		return err;
	for (size_t i = 0; i < nr; i++)
		if (want(&known[i], data))
			known[wanted++] = known[i];
	/* Opening a file takes as long as printing three events. */
	if (wanted <= nr / 4)
		err = info_collect(s, known, wanted, text, size);
	else
		err = info_read(s, "info", wanted < nr ? want : NULL, data,
				text, size);
	free(known);
	return err;
}

int ktrace_session_types(struct ktrace_session *s,
			 bool (*want)(const struct ktrace_known *known,
				      void *data),
			 void *data, struct ktrace_types **types)
{
	size_t size;
	char *text;
	int err;

	err = session_info(s, want, data, &text, &size);
	if (err)
		return err;
	err = types_parse(text, size, session_kernel_enums(s), types);
	free(text);
	return err;
}
