// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Branches as text: see branch_show.h. */
#include <string.h>

#include "branch_fold.h"
#include "branch_show.h"
#include "common/value.h"

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
	case KTRACE_BRANCH_TIME:
		fprintf(show->file, "-- %.9f goes on", time);
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

uint64_t branch_show_lost(const struct branch_show *show)
{
	const struct ktrace_branches_cpus *cpus =
		ktrace_branches_of_cpus(show->branches);
	const struct ktrace_branch_thread *thread;
	uint64_t lost = cpus ? cpus->lost : 0;

	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++)
		lost += thread->lost;
	return lost;
}

/* Of CPUs, what is said of no thread. */
static void cpus_print(const struct branch_show *show)
{
	const struct ktrace_branches_cpus *cpus =
		ktrace_branches_of_cpus(show->branches);

	if (!cpus)
		return;
	if (cpus->lost)
		fprintf(show->file,
			"the newest entries of each CPU; %s before were "
			"overwritten\n",
			count_text(cpus->lost).s);
	if (cpus->unread)
		fprintf(show->file, "%s instructions could not be read\n",
			count_text(cpus->unread).s);
}

void branch_head_print(const struct branch_show *show, size_t number)
{
	const struct ktrace_branch_thread *thread =
		ktrace_branches_thread(show->branches, number);

	if (number)
		fputc('\n', show->file);
	else
		cpus_print(show);
	fprintf(show->file, "thread %d", (int)thread->tid);
	if (*thread->comm) {
		fputs(" (", show->file);
		print_text(show->file, thread->comm);
		fputc(')', show->file);
	}
	fputs(": ", show->file);
	if (!thread->nr)
		fputs(thread->unfollowed
			      ? "not traced: there was no memory for its buffer"
			      : "no entries: it has not run its program "
				"meanwhile",
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

int branch_signal(const struct branch_show *show, size_t thread, size_t *entry)
{
	const struct ktrace_branch_thread *of =
		ktrace_branches_thread(show->branches, thread);
	struct ktrace_branch branch;

	for (*entry = of->ended ? of->nr : 0; (*entry)--;) {
		branch = ktrace_branches_get(show->branches, thread, *entry);
		if (branch.kind == KTRACE_BRANCH_LAST)
			return branch.to;
	}
	return 0;
}

/* What has killed a thread, and where. */
void branch_end_print(const struct branch_show *show, size_t thread)
{
	size_t last;
	int signal = branch_signal(show, thread, &last);

	if (!signal)
		return;
	fprintf(show->file, "killed by SIG%s (%s) at ",
		sigabbrev_np(signal) ?: "?", sigdescr_np(signal) ?: "?");
	branch_place_print(show, thread, last, false);
	fputc('\n', show->file);
}

void branch_show_text(const struct branch_show *show)
{
	struct fold fold = {.show = show};
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
