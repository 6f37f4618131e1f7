// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How probes are armed: armed.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armed.h"
#include "base/error.h"
#include "base/file.h"
#include "session/session.h"

struct reading {
	const char *root;
	struct text *lines;
};

static int lines_add(struct reading *r, const char *path)
{
	char *text;

	if (file_read(AT_FDCWD, path, &text, NULL))
		return 0;
	text_puts(r->lines, text);
	free(text);
	return r->lines->failed ? error_set(-ENOMEM, "out of memory") : 0;
}

static int session_add(void *data, const char *name)
{
	struct reading *r = data;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sessions/%s/probed", r->root, name);
	return lines_add(r, path);
}

static uint64_t name_hash(const char *line)
{
	return table_hash(line, strcspn(line, " \n"));
}

int armed_index(struct armed *armed)
{
	for (char *line = armed->lines.s; line && *line;
	     line += *line == '\n') {
		if (table_add(&armed->by_name, name_hash(line), line))
			return error_set(-ENOMEM, "out of memory");
		line += strcspn(line, "\n");
	}
	return 0;
}

void armed_free(struct armed *armed)
{
	table_free(&armed->by_name);
	text_free(&armed->lines);
}

int armed_read(struct ktrace_session *s, struct armed *armed)
{
	struct reading reading = {.root = s->root, .lines = &armed->lines};
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/probed", s->root);
	err = lines_add(&reading, path);
	err = err ?: ktrace_sessions_each(s, session_add, &reading);
	return err ?: armed_index(armed);
}

/* From good to bad. */
static const char *const ways[] = {"jump",    "ftrace",	 "breakpoint",
				   "waiting", "refused", "?"};
#define WAYS (sizeof(ways) / sizeof(*ways))

static size_t way_rank(const char *way)
{
	size_t i = 0;

	while (i < WAYS - 1 && strcmp(ways[i], way))
		i++;
	return i;
}

/* Of a line; "": it has none. */
static void reason_read(const char *line, char reason[ARMED_REASON])
{
	const char *why = memchr(line, ':', strcspn(line, "\n"));

	*reason = '\0';
	if (why)
		snprintf(reason, ARMED_REASON, "%.*s",
			 (int)strcspn(why + 2, "\n"), why + 2);
}

/* A line about the probe, behind its name. */
static void line_use(const char *line, struct ktrace_probe *probe,
		     char reason[ARMED_REASON], size_t *worst)
{
	uint64_t hits, nested, open, idle;
	char way[16];
	size_t rank;

	if (sscanf(line,
		   "%*s %15s hits %" SCNu64 " missed nested %" SCNu64
		   " open %" SCNu64 " idle %" SCNu64,
		   way, &hits, &nested, &open, &idle) != 5)
		return;
	probe->hits += hits;
	probe->missed_nested += nested;
	probe->missed_open += open;
	probe->missed_idle += idle;
	rank = way_rank(way);
	if (probe->armed && rank <= *worst)
		return;
	*worst = rank;
	probe->armed = ways[rank];
	reason_read(line, reason);
	probe->refusal = *reason ? reason : NULL;
}

void armed_find(const struct armed *armed, struct ktrace_probe *probe,
		char reason[ARMED_REASON])
{
	const struct table_slot *slot = NULL;
	uint64_t hash;
	size_t worst = 0, length;
	char name[160];

	length = snprintf(name, sizeof(name), "%s:%s ", probe->system,
			  probe->name);
	if (length >= sizeof(name))
		return;
	hash = name_hash(name);
	while ((slot = table_next(&armed->by_name, hash, slot))) {
		const char *line = slot->value;

		if (!strncmp(line, name, length))
			line_use(line + length, probe, reason, &worst);
	}
}
