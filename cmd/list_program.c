// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ktrace list -x: where probes can be in a program or library. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktrace/library.h>
#include <ktrace/probes.h>

#include "cmd.h"
#include "common/program_path.h"
#include "common/value.h"
#include "list_program.h"

struct list {
	bool verbose;
	size_t functions, usdts, lines;
};

static int place_json(const struct ktrace_program_place *place, void *data)
{
	struct list *l = data;

	fputs(l->functions++ ? ",\n{\"name\":" : "[\n{\"name\":", stdout);
	print_json(stdout, place->name);
	printf(",\"address\":%" PRIu64, place->address);
	if (place->arguments) {
		fputs(",\"arguments\":", stdout);
		print_json(stdout, place->arguments);
	} else if (place->file) {
		fputs(",\"file\":", stdout);
		print_json(stdout, place->file);
		printf(",\"line\":%u", place->line);
	} else {
		printf(",\"size\":%" PRIu64 ",\"indirect\":%s", place->size,
		       place->indirect ? "true" : "false");
	}
	putchar('}');
	return 0;
}

static int place_text(const struct ktrace_program_place *place, void *data)
{
	struct list *l = data;

	if (place->arguments)
		l->usdts++;
	else if (place->file)
		l->lines++;
	else
		l->functions++;
	print_text(stdout, place->name);
	if (place->file) {
		if (l->verbose)
			printf("  0x%" PRIx64, place->address);
		fputs("  ", stdout);
		print_text(stdout, place->file);
		printf(":%u\n", place->line);
		return 0;
	}
	if (l->verbose && place->arguments) {
		printf("  0x%" PRIx64 "  ", place->address);
		print_text(stdout, place->arguments);
	} else if (l->verbose) {
		printf("  0x%" PRIx64 "  %" PRIu64 " bytes", place->address,
		       place->size);
	}
	puts(place->indirect ? "  [chooses what is called by this name]" : "");
	return 0;
}

int list_program(const char *name, pid_t pid, char *const *patterns, int nr,
		 bool json, bool verbose)
{
	struct list l = {.verbose = verbose};
	char *path = program_path(name, pid);
	int err;

	if (!path)
		return EXIT_FAILED;
	err = ktrace_program_places(path, (const char *const *)patterns, nr,
				    json ? place_json : place_text, &l);
	free(path);
	if (json)
		puts(l.functions ? "\n]" : "[]");
	if (err)
		return failed_in_library();
	if (json)
		return EXIT_OK;
	if (l.lines && !l.functions && !l.usdts)
		say("%zu place%s of lines", l.lines, l.lines == 1 ? "" : "s");
	else
		say("%zu functions, %zu USDT probes%s", l.functions, l.usdts,
		    l.lines ? ", and lines" : "");
	return EXIT_OK;
}
