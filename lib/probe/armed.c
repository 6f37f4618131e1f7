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

int armed_read(struct ktrace_session *s, struct text *lines)
{
	struct reading reading = {.root = s->root, .lines = lines};
	char path[PATH_MAX];
	int err;

	snprintf(path, sizeof(path), "%s/probed", s->root);
	err = lines_add(&reading, path);
	return err ?: ktrace_sessions_each(s, session_add, &reading);
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

void armed_find(const struct text *lines, struct ktrace_probe *probe,
		char reason[ARMED_REASON])
{
	uint64_t nested, open, idle;
	char name[160], way[16];
	const char *line = lines->s;
	size_t worst = 0, rank;
	size_t length = snprintf(name, sizeof(name), "%s:%s ", probe->system,
				 probe->name);

	for (; line && *line; line += *line == '\n') {
		if (!strncmp(line, name, length) &&
		    sscanf(line + length,
			   "%*s %15s missed nested %" SCNu64 " open %" SCNu64
			   " idle %" SCNu64,
			   way, &nested, &open, &idle) == 4) {
			probe->missed_nested += nested;
			probe->missed_open += open;
			probe->missed_idle += idle;
			rank = way_rank(way);
			if (!probe->armed || rank > worst) {
				worst = rank;
				probe->armed = ways[rank];
				reason_read(line + length, reason);
				probe->refusal = *reason ? reason : NULL;
			}
		}
		line += strcspn(line, "\n");
	}
}
