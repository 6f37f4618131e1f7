// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Warnings about a trace: each sentence once, and a limited number. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

void trace_warn(struct ktrace *trace, const char *format, ...)
{
	char *message = NULL;
	va_list ap;
	size_t i;

	if (trace->nr_warnings == WARNINGS_MAX)
		return;
	va_start(ap, format);
	if (vasprintf(&message, format, ap) < 0)
		message = NULL;
	va_end(ap);
	if (!message)
		return;
	if (trace->nr_warnings == WARNINGS_MAX - 1) {
		free(message);
		message = strdup("there are more warnings of this kind");
	}
	/* A second cursor finds the same damage again. */
	for (i = 0; message && i < trace->nr_warnings; i++) {
		if (!strcmp(trace->warnings[i], message)) {
			free(message);
			return;
		}
	}
	if (message)
		trace->warnings[trace->nr_warnings++] = message;
}

const char *ktrace_warning(const struct ktrace *trace, size_t index)
{
	return index < trace->nr_warnings ? trace->warnings[index] : NULL;
}
