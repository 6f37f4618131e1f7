// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Branches as text: see branch_show.h. */
#include <inttypes.h>
#include <string.h>

#include "branch_fold.h"
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

	return (clock->sync.monotonic + ticks * 1e9 / clock->frequency) / 1e9;
}

/* ---- places --------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void branch_function_print(const struct branch_show *show, size_t thread,
			   size_t entry, bool to)
{
	struct ktrace_branch branch =
		ktrace_branches_get(show->branches, thread, entry);
	struct ktrace_branch_place place;
	FILE *f = show->file;

	if (!ktrace_branches_place(show->branches, thread, entry, to, &place)) {
		fprintf(f, "0x%" PRIx64, to ? branch.to : branch.from);
		return;
	}
	if (place.function) {
		print_text(f, place.function);
		fputs(" [", f);
		print_text(f, verbosity > 0 ? place.file : base_of(place.file));
		fputc(']', f);
	} else {
		print_text(f, base_of(place.file));
		fprintf(f, "+0x%" PRIx64, place.offset);
	}
}

void branch_place_print(const struct branch_show *show, size_t thread,
			size_t entry, bool to)
{
	struct ktrace_branch branch =
		ktrace_branches_get(show->branches, thread, entry);
	struct ktrace_branch_place place;
	FILE *f = show->file;

	if (!ktrace_branches_place(show->branches, thread, entry, to, &place)) {
		fprintf(f, "0x%" PRIx64, to ? branch.to : branch.from);
		return;
	}
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
		fputs(" [", f);
		print_text(f, verbosity > 0 ? place.file : base_of(place.file));
		fputc(']', f);
	}
}

/* ---- text ----------------------------------------------------------------- */

static void stamp_print(const struct branch_show *show,
			const struct ktrace_branch *stamp)
{
	double time = branch_show_time(show, stamp->to);
	unsigned int cpu = stamp->from;

	switch (stamp->kind) {
	case KTRACE_BRANCH_BEGINS:
		fprintf(show->file, "-- %.9f traced from here on, on CPU %u",
			time, cpu);
		break;
	case KTRACE_BRANCH_ARRIVES:
		fprintf(show->file, "-- %.9f runs on CPU %u", time, cpu);
		break;
	case KTRACE_BRANCH_LEAVES:
		fprintf(show->file, "-- %.9f leaves CPU %u", time, cpu);
		break;
	default:
		fprintf(show->file, "-- %.9f has ended", time);
	}
}

static void entry_print(const struct branch_show *show, size_t thread,
			size_t entry)
{
	struct ktrace_branch branch =
		ktrace_branches_get(show->branches, thread, entry);

	if (ktrace_branch_is_stamp(&branch)) {
		stamp_print(show, &branch);
		return;
	}
	fprintf(show->file, "%-13s  ",
		branch.kind == KTRACE_BRANCH_LAST
			? "at"
			: ktrace_branch_kind_name(branch.kind));
	branch_place_print(show, thread, entry, false);
	if (branch.kind == KTRACE_BRANCH_LAST)
		return;
	fputs(" → ", show->file);
	branch_place_print(show, thread, entry, true);
}

/* In front, what connects the lines of a part that repeats itself; behind, how often it does. */
static void line_print(const struct branch_show *show, size_t thread,
		       const struct fold_line *line)
{
	static const char *const corners[] = {
		[FOLD_NONE] = " ",
		[FOLD_FIRST] = "┌",
		[FOLD_MIDDLE] = "│",
		[FOLD_LAST] = "└",
	};

	for (int depth = 0; depth < FOLD_DEPTH; depth++)
		fputs(corners[line->corners[depth]], show->file);
	fputc(' ', show->file);
	entry_print(show, thread, line->entry);
	for (int depth = FOLD_DEPTH; depth-- > 0;)
		if (line->times[depth])
			fprintf(show->file, "  ×%zu", line->times[depth]);
	fputc('\n', show->file);
}

void branch_head_print(const struct branch_show *show, size_t number)
{
	const struct ktrace_branch_thread *thread =
		ktrace_branches_thread(show->branches, number);

	if (number)
		fputc('\n', show->file);
	fprintf(show->file, "thread %d: ", (int)thread->tid);
	if (!thread->nr)
		fputs("no entries: it has not run its program meanwhile",
		      show->file);
	else
		fprintf(show->file, "%s entries", count_text(thread->nr).s);
	if (thread->lost)
		fprintf(show->file, ", the newest; %s before were overwritten",
			count_text(thread->lost).s);
	if (thread->unread)
		fprintf(show->file, "; %s instructions could not be read",
			count_text(thread->unread).s);
	fputc('\n', show->file);
}

/* What has killed a thread, and where. */
void branch_end_print(const struct branch_show *show, size_t number)
{
	const struct ktrace_branch_thread *thread =
		ktrace_branches_thread(show->branches, number);
	struct ktrace_branch branch;

	/* The command's first thread, whichever of them has met it. */
	if (!show->signal || number)
		return;
	fprintf(show->file, "killed by SIG%s (%s)",
		sigabbrev_np(show->signal) ?: "?",
		sigdescr_np(show->signal) ?: "?");
	for (size_t i = thread->nr; i-- > 0;) {
		branch = ktrace_branches_get(show->branches, number, i);
		if (branch.kind != KTRACE_BRANCH_LAST)
			continue;
		fputs(" at ", show->file);
		branch_place_print(show, number, i, false);
		break;
	}
	fputc('\n', show->file);
}

void branch_show_text(const struct branch_show *show)
{
	struct fold fold = {.branches = show->branches};
	const struct ktrace_branch_thread *thread;
	size_t at, passed;

	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++) {
		branch_head_print(show, i);
		fold.thread = i;
		for (at = branch_show_first(show, thread); at < thread->nr;
		     at += passed) {
			passed = fold_next(&fold, at, thread->nr);
			for (size_t n = 0; n < fold.nr; n++)
				line_print(show, i, &fold.lines[n]);
		}
		branch_end_print(show, i);
	}
}
