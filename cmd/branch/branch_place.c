// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where branches come from and go to: see branch_show.h. */
#include <inttypes.h>
#include <string.h>

#include "branch_show.h"
#include "cmd.h"
#include "common/value.h"

size_t branch_show_first(const struct branch_show *show,
			 const struct ktrace_branch_thread *thread)
{
	return show->last && show->last < thread->nr ? thread->nr - show->last
						     : 0;
}

double branch_show_time(const struct branch_show *show, uint64_t stamp)
{
	const struct ktrace_clock *clock = &show->clock;
	double ticks = (double)(int64_t)(stamp - clock->sync.clock);

	if (show->trace)
		return ktrace_clock_time(show->trace, stamp) / 1e9;
	return (clock->sync.monotonic + ticks * 1e9 / clock->frequency) / 1e9;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* False: it is not known what was mapped there, so the address has been printed. */
static bool place_find(const struct branch_show *show, size_t thread,
		       size_t entry, bool to, struct ktrace_branch_place *place)
{
	struct ktrace_branch branch =
		ktrace_branches_get(show->branches, thread, entry);

	if (ktrace_branches_place(show->branches, thread, entry, to, place))
		return true;
	fprintf(show->file, "0x%" PRIx64, to ? branch.to : branch.from);
	return false;
}

static void file_print(FILE *f, const struct ktrace_branch_place *place)
{
	fputs(" [", f);
	print_text(f, verbosity > 0 ? place->file : base_of(place->file));
	fputc(']', f);
}

void branch_function_print(const struct branch_show *show, size_t thread,
			   size_t entry, bool to)
{
	struct ktrace_branch_place place;
	FILE *f = show->file;

	if (!place_find(show, thread, entry, to, &place))
		return;
	if (place.function) {
		print_text(f, place.function);
		file_print(f, &place);
	} else {
		print_text(f, base_of(place.file));
		fprintf(f, "+0x%" PRIx64, place.offset);
	}
}

void branch_place_print(const struct branch_show *show, size_t thread,
			size_t entry, bool to)
{
	struct ktrace_branch_place place;
	FILE *f = show->file;

	if (!place_find(show, thread, entry, to, &place))
		return;
	if (place.nr_inlined) {
		print_text(f, place.inlined);
		fputs(" in ", f);
	}
	if (place.function) {
		print_text(f, place.function);
		if (place.behind)
			fprintf(f, "+0x%" PRIx64, place.behind);
	} else {
		print_text(f, base_of(place.file));
		fprintf(f, "+0x%" PRIx64, place.offset);
	}
	if (place.source) {
		fputc(' ', f);
		print_text(f, verbosity > 0 ? place.source
					    : base_of(place.source));
	} else if (place.function) {
		file_print(f, &place);
	}
}

static bool is_same_place(const struct branch_show *show,
			  const struct branch_at *a, const struct branch_at *b,
			  bool to)
{
	struct ktrace_branch_place x, y;
	bool known = ktrace_branches_place(show->branches, a->thread, a->entry,
					   to, &x);

	if (known !=
	    ktrace_branches_place(show->branches, b->thread, b->entry, to, &y))
		return false;
	if (known)
		return x.offset == y.offset && !strcmp(x.file, y.file);
	return to ? a->branch.to == b->branch.to
		  : a->branch.from == b->branch.from;
}

bool branch_is_same(const struct branch_show *show, const struct branch_at *a,
		    const struct branch_at *b)
{
	return a->branch.kind == b->branch.kind &&
	       is_same_place(show, a, b, false) &&
	       is_same_place(show, a, b, true);
}
