// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events known, out of the control tree's file `info': for each a line
 *
 *	event SYSTEM:NAME id N enabled 0|1 module NAME
 *
 * then what its format file says, then an empty line.  Making types of the latter
 * is work, so it is only done for events that somebody wants.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ktrace/session.h>

#include "error.h"
#include "format.h"
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

/* Where the event at @p ends: after its empty line. */
static char *event_end(char *p)
{
	char *end = strstr(p, "\n\n");

	return end ? end + 2 : p + strlen(p);
}

/* Takes a line apart, in place; false: it makes no sense. */
static bool event_parse(char *line, struct ktrace_known *known)
{
	char *next = line + 6, *word, *value, *colon;

	memset(known, 0, sizeof(*known));
	line[strcspn(line, "\n")] = '\0';
	word = strsep(&next, " ");
	colon = strchr(word, ':');
	if (!colon)
		return false;
	*colon = '\0';
	known->system = word;
	known->name = colon + 1;
	known->module = "vmlinux";
	while ((word = strsep(&next, " ")) && (value = strsep(&next, " "))) {
		if (!strcmp(word, "id"))
			known->id = strtoul(value, NULL, 10);
		else if (!strcmp(word, "enabled"))
			known->enabled = *value == '1';
		else if (!strcmp(word, "module"))
			known->module = value;
	}
	return true;
}

int ktrace_session_known(struct ktrace_session *s, struct ktrace_known **known,
			 size_t *nr)
{
	struct ktrace_known *list;
	size_t size, count = 0;
	char *text, *copy, *p;
	int err;

	err = ktrace_session_read(s, "info", &text, &size);
	if (err)
		return err;
	for (p = text; (p = event_find(p)); p = event_end(p))
		count++;
	/* The names behind the list, so that one free() does. */
	list = malloc(count * sizeof(*list) + size + 1);
	if (!list) {
		free(text);
		return error_set(-ENOMEM, "out of memory");
	}
	copy = (char *)(list + count);
	memcpy(copy, text, size + 1);
	free(text);
	*nr = 0;
	for (p = copy; *nr < count && (p = event_find(p));) {
		char *line = p;

		p = event_end(p);
		*nr += event_parse(line, &list[*nr]);
	}
	*known = list;
	return 0;
}

/* Drops the events that nobody wants. Returns what is left of @size. */
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

/* What is there, and what is gone but may be in the buffers. */
static int info_read(struct ktrace_session *s, char **text, size_t *size)
{
	char *there, *gone, *both;
	size_t nr_there, nr_gone;
	int err;

	err = ktrace_session_read(s, "info", &there, &nr_there);
	if (err)
		return err;
	err = ktrace_session_read(s, "gone", &gone, &nr_gone);
	if (err)
		goto err_there;
	both = realloc(there, nr_there + nr_gone + 1);
	if (!both) {
		err = error_set(-ENOMEM, "out of memory");
		goto err_gone;
	}
	memcpy(both + nr_there, gone, nr_gone);
	both[nr_there + nr_gone] = '\0';
	free(gone);
	*text = both;
	*size = nr_there + nr_gone;
	return 0;

err_gone:
	free(gone);
err_there:
	free(there);
	return err;
}

struct enums *session_kernel_enums(struct ktrace_session *s)
{
	if (!s->has_enums)
		s->enums = enums_open(NULL);
	s->has_enums = true;
	return s->enums;
}

int ktrace_session_types(struct ktrace_session *s,
			 bool (*want)(const struct ktrace_known *known,
				      void *data),
			 void *data, struct ktrace_types **types)
{
	size_t size = 0;
	char *text = NULL;
	int err;

	err = info_read(s, &text, &size);
	if (err)
		return err;
	if (want)
		size = text_reduce(text, size, want, data);
	err = types_parse(text, size, size ? session_kernel_enums(s) : NULL,
			  types);
	free(text);
	return err;
}
