// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* show FORMAT TRACE [DIRECTORY] - runs an output, and nothing else */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/output.h>

int main(int argc, char **argv)
{
	struct ktrace_cursor *cursor;
	struct ktrace *trace;
	struct ktrace_output *output;
	struct ktrace_output_options options = {
		.size = sizeof(options),
		.fd = STDOUT_FILENO,
	};
	const char *s;
	size_t i;
	int err;

	if (argc < 3 || !ktrace_output_find(argv[1])) {
		fprintf(stderr, "usage: show FORMAT TRACE [DIRECTORY]\n");
		return 2;
	}
	if (ktrace_open(argv[2], &trace) ||
	    ktrace_cursor_create(trace, NULL, &cursor)) {
		fprintf(stderr, "%s\n", ktrace_last_error());
		return 1;
	}
	options.path = argv[3];
	if (ktrace_output_create(trace, argv[1], &options, &output)) {
		fprintf(stderr, "%s\n", ktrace_last_error());
		return 1;
	}
	err = ktrace_output_run(output, cursor, NULL, NULL);
	if (err)
		fprintf(stderr, "%s\n", ktrace_last_error());
	for (i = 0; (s = ktrace_warning(trace, i)); i++)
		fprintf(stderr, "warning: %s\n", s);
	ktrace_output_destroy(output);
	ktrace_cursor_destroy(cursor);
	ktrace_close(trace);
	return err ? 1 : 0;
}
