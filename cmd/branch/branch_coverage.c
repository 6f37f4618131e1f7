// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which lines have run, as a file for genhtml and the like.  The format is that of lcov: geninfo(1),
 * FILES.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "branch_show.h"
#include "cmd.h"
#include "common/value.h"

struct coverage {
	FILE *file;
	char *path;	/* of the lines that come; NULL: none did */
	bool here;	/* its source can be read */
	size_t nr, run; /* lines in it */
	size_t files, all_lines, all_run;
	size_t left_out; /* files */
};

static void record_end(struct coverage *c)
{
	if (c->path && c->here)
		fprintf(c->file, "LF:%zu\nLH:%zu\nend_of_record\n", c->nr,
			c->run);
	c->all_lines += c->nr;
	c->all_run += c->run;
	c->nr = c->run = 0;
	free(c->path);
	c->path = NULL;
}

/* What shows lines needs their source, and fails if it is not there: that of libraries seldom is. */
static int record_begin(struct coverage *c, const char *path)
{
	record_end(c);
	c->path = strdup(path);
	if (!c->path)
		return -ENOMEM;
	c->here = *path == '/' && !access(path, R_OK);
	if (!c->here) {
		c->left_out++;
		return 0;
	}
	fputs("TN:\nSF:", c->file);
	print_text(c->file, path);
	fputc('\n', c->file);
	c->files++;
	return 0;
}

static int line_put(void *data, const char *path, unsigned int line,
		    uint64_t count)
{
	struct coverage *c = data;

	if ((!c->path || strcmp(path, c->path)) && record_begin(c, path))
		return -ENOMEM;
	if (!c->here)
		return 0;
	fprintf(c->file, "DA:%u,%" PRIu64 "\n", line, count);
	c->nr++;
	c->run += count > 0;
	return 0;
}

static void tell(const struct coverage *c, const struct branch_show *show,
		 const char *name)
{
	uint64_t lost = branch_show_lost(show);

	if (!c->files)
		say("no line is known: was the program compiled with -g?");
	else
		say("%s of %s lines of %s files have run: genhtml -o html %s "
		    "shows them",
		    count_text(c->all_run).s, count_text(c->all_lines).s,
		    count_text(c->files).s, name);
	if (c->left_out)
		say("%s files of libraries and the like were left out: their "
		    "source is not here",
		    count_text(c->left_out).s);
	if (lost)
		say("%s older branches were overwritten: what ran before may be "
		    "missing (--size)",
		    count_text(lost).s);
}

int branch_show_coverage(const struct branch_show *show, const char *name)
{
	struct coverage c = {.file = show->file};
	int err = ktrace_branches_coverage(show->branches, line_put, &c);

	record_end(&c);
	if (err == -ENOMEM)
		return failed("out of memory");
	if (err)
		return failed_in_library();
	tell(&c, show, name);
	return EXIT_OK;
}
