// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A line of the file is "SYSTEM:EVENT hits N missed nested N open N idle N". */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "hits.h"

int hits_text(struct ktrace_session *session, char **text)
{
	int err = ktrace_session_read(session, "probe_hits", text, NULL);

	if (!err)
		return 0;
	*text = NULL;
	/* Nobody has made a probe, or the module is an older one. */
	return err == -ENOENT ? 0 : err;
}

static bool line_parse(char *line, struct ktrace_probe_hits *probe)
{
	char *name = strsep(&line, " "), *colon = strchr(name, ':');

	*probe = (struct ktrace_probe_hits){.system = name};
	if (!line || !colon ||
	    sscanf(line,
		   "hits %" SCNu64 " missed nested %" SCNu64 " open %" SCNu64
		   " idle %" SCNu64,
		   &probe->hits, &probe->missed_nested, &probe->missed_open,
		   &probe->missed_idle) != 4)
		return false;
	*colon = '\0';
	probe->name = colon + 1;
	return true;
}

int hits_parse(char *text, struct hits *hits)
{
	struct ktrace_probe_hits probe, *more;
	char *next = text, *line;

	hits_free(hits);
	hits->text = text;
	while ((line = strsep(&next, "\n"))) {
		if (!line_parse(line, &probe))
			continue;
		more = array_grow(hits->list, hits->nr, sizeof(*more));
		if (!more)
			return error_set(-ENOMEM, "out of memory");
		hits->list = more;
		more[hits->nr++] = probe;
	}
	return 0;
}

static void probe_subtract(struct ktrace_probe_hits *probe,
			   const struct ktrace_probe_hits *old)
{
	/* It may have been made anew. */
	if (probe->hits < old->hits ||
	    probe->missed_nested < old->missed_nested ||
	    probe->missed_open < old->missed_open ||
	    probe->missed_idle < old->missed_idle)
		return;
	probe->hits -= old->hits;
	probe->missed_nested -= old->missed_nested;
	probe->missed_open -= old->missed_open;
	probe->missed_idle -= old->missed_idle;
}

static bool is_same(const struct ktrace_probe_hits *a,
		    const struct ktrace_probe_hits *b)
{
	return !strcmp(a->system, b->system) && !strcmp(a->name, b->name);
}

void hits_subtract(struct hits *hits, const struct hits *before)
{
	size_t nr = 0, next = 0;

	for (size_t i = 0; i < hits->nr; i++) {
		struct ktrace_probe_hits *probe = &hits->list[i];
		size_t j = next;

		/* The kernel has them in the order in which they came. */
		while (j < before->nr && !is_same(probe, &before->list[j]))
			j++;
		if (j < before->nr) {
			probe_subtract(probe, &before->list[j]);
			next = j + 1;
		}
		if (probe->hits || probe->missed_nested || probe->missed_open ||
		    probe->missed_idle)
			hits->list[nr++] = *probe;
	}
	hits->nr = nr;
}

void hits_free(struct hits *hits)
{
	free(hits->list);
	free(hits->text);
	*hits = (struct hits){0};
}
