// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The tasks that existed when a recording began. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tasks.h"

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The first number of each line, sorted.  NULL: out of memory. */
static uint32_t *tids_read(const char *text, size_t *nr)
{
	uint32_t *tids;
	size_t n = 0;

	for (const char *p = text; *p; p++)
		n += *p == '\n';
	tids = calloc(n + 1, sizeof(*tids));
	*nr = 0;
	while (tids && *text && *nr <= n) {
		tids[(*nr)++] = strtoul(text, NULL, 10);
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	if (tids)
		qsort(tids, *nr, sizeof(*tids), number_compare);
	return tids;
}

int tasks_complete(struct ktrace_session *session, struct ktrace_writer *writer,
		   const char *before)
{
	size_t nr, size;
	char *text, *in, *out;
	uint32_t *known;
	int err;

	err = ktrace_session_read(session, "tasks", &text, &size);
	if (err)
		return err;
	known = tids_read(before, &nr);
	if (!known) {
		free(text);
		return error_set(-ENOMEM, "out of memory");
	}
	for (in = out = text; *in;) {
		size_t len = strcspn(in, "\n");
		uint32_t tid = strtoul(in, NULL, 10);

		len += in[len] == '\n';
		if (!bsearch(&tid, known, nr, sizeof(*known), number_compare)) {
			memmove(out, in, len);
			out += len;
		}
		in += len;
	}
	if (out != text)
		err = ktrace_writer_tasks_text(writer, text, out - text);
	free(known);
	free(text);
	return err;
}
