// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "armed.h"
#include "value.h"

void armed_print(const struct ktrace_probe *probe)
{
	const struct {
		const char *why;
		uint64_t nr;
	} misses[] = {{"nested", probe->missed_nested},
		      {"open", probe->missed_open},
		      {"idle", probe->missed_idle}};
	const char *between = "; missed: ";

	if (!probe->armed)
		return;
	fputs("  [", stdout);
	fputs(strcmp(probe->armed, "waiting") ? probe->armed
					      : "waiting for its module",
	      stdout);
	if (probe->refusal) {
		fputs(": ", stdout);
		print_text(stdout, probe->refusal);
	}
	printf("; %" PRIu64 " hit%s", probe->hits, probe->hits == 1 ? "" : "s");
	for (size_t i = 0; i < sizeof(misses) / sizeof(*misses); i++) {
		if (!misses[i].nr)
			continue;
		printf("%s%" PRIu64 " %s", between, misses[i].nr,
		       misses[i].why);
		between = ", ";
	}
	putchar(']');
}

void armed_json(const struct ktrace_probe *probe)
{
	fputs("\"refusal\":", stdout);
	print_json(stdout, probe->refusal);
	fputs(",\"armed\":", stdout);
	print_json(stdout, probe->armed);
	printf(",\"hits\":%" PRIu64 ",\"missed\":{\"nested\":%" PRIu64
	       ",\"open\":%" PRIu64 ",\"idle\":%" PRIu64 "}",
	       probe->hits, probe->missed_nested, probe->missed_open,
	       probe->missed_idle);
}
