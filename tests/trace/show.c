// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* show FORMAT TRACE [DIRECTORY] - an output and nothing around it */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "show.h"

int main(int argc, char **argv)
{
	const struct show_ops *ops = argc > 2 ? show_find(argv[1]) : NULL;
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	struct show *show;
	const char *s;
	size_t i;
	int err;

	if (!ops) {
		fprintf(stderr, "usage: show FORMAT TRACE [DIRECTORY]\n");
		return 2;
	}
	if (ktrace_open(argv[2], &trace) ||
	    ktrace_cursor_create(trace, NULL, &cursor)) {
		fprintf(stderr, "%s\n", ktrace_last_error());
		return 1;
	}
	if (show_create(ops, trace, STDOUT_FILENO, argv[3], &show)) {
		fprintf(stderr, "%s\n", show_error());
		return 1;
	}
	err = show_cursor(show, cursor, NULL, NULL);
	if (err)
		fprintf(stderr, "%s\n", show_error());
	for (i = 0; (s = ktrace_warning(trace, i)); i++)
		fprintf(stderr, "warning: %s\n", s);
	show_destroy(show);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	return err ? 1 : 0;
}
