// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Branches as JSON, a line each: see branch_show.h. */
#include <inttypes.h>
#include <string.h>

#include "branch_show.h"
#include "common/value.h"

static void inlined_print(FILE *f, const struct ktrace_branch_place *place)
{
	const char *at = place->inlined;

	fputs(",\"inlined\":[", f);
	for (uint32_t i = 0; i < place->nr_inlined; i++) {
		fputs(i ? ",{\"function\":" : "{\"function\":", f);
		print_json(f, at);
		at += strlen(at) + 1;
		fputs(",\"call\":", f);
		print_json(f, *at ? at : NULL);
		at += strlen(at) + 1;
		fputc('}', f);
	}
	fputc(']', f);
}

static void place_print(const struct branch_show *show, size_t thread,
			size_t entry, bool to, uint64_t address)
{
	struct ktrace_branch_place place;
	FILE *f = show->file;

	fprintf(f, "{\"address\":\"0x%" PRIx64 "\"", address);
	if (ktrace_branches_place(show->branches, thread, entry, to, &place)) {
		fputs(",\"file\":", f);
		print_json(f, place.file);
		fprintf(f, ",\"offset\":%" PRIu64, place.offset);
		fputs(",\"function\":", f);
		print_json(f, place.function);
		if (place.function)
			fprintf(f, ",\"behind\":%" PRIu64, place.behind);
		fputs(",\"source\":", f);
		print_json(f, place.source);
		if (place.nr_inlined)
			inlined_print(f, &place);
	}
	fputc('}', f);
}

static void entry_print(const struct branch_show *show, size_t thread,
			size_t entry)
{
	struct ktrace_branch branch =
		ktrace_branches_get(show->branches, thread, entry);
	FILE *f = show->file;

	fprintf(f, "{\"thread\":%d,\"kind\":\"%s\"",
		(int)ktrace_branches_thread(show->branches, thread)->tid,
		ktrace_branch_kind_name(branch.kind));
	if (ktrace_branch_is_stamp(&branch)) {
		fprintf(f, ",\"cpu\":%u,\"time\":%.9f}\n",
			(unsigned int)branch.from,
			branch_show_time(show, branch.to));
		return;
	}
	fputs(",\"from\":", f);
	place_print(show, thread, entry, false, branch.from);
	if (branch.kind == KTRACE_BRANCH_LAST) {
		fprintf(f, ",\"signal\":%d", (int)branch.to);
	} else {
		fputs(",\"to\":", f);
		place_print(show, thread, entry, true, branch.to);
	}
	fputs("}\n", f);
}

void branch_show_json(const struct branch_show *show)
{
	const struct ktrace_branches_cpus *cpus =
		ktrace_branches_of_cpus(show->branches);
	const struct ktrace_branches_decoded *decoded =
		ktrace_branches_decoded(show->branches);
	const struct ktrace_branch_thread *thread;

	for (size_t i = 0; (thread = ktrace_branches_thread(show->branches, i));
	     i++) {
		for (size_t at = branch_show_first(show, thread);
		     at < thread->nr; at++)
			entry_print(show, i, at);
		fprintf(show->file,
			"{\"thread\":%d,\"kind\":\"read\",\"entries\":%zu,"
			"\"overwritten\":%" PRIu64 ",\"unread\":%" PRIu64
			",\"unfollowed\":%u,\"ended\":%s",
			(int)thread->tid, thread->nr, thread->lost,
			thread->unread, thread->unfollowed,
			thread->ended ? "true" : "false");
		if (*thread->comm) {
			fputs(",\"comm\":", show->file);
			print_json(show->file, thread->comm);
		}
		fputs("}\n", show->file);
	}
	if (cpus)
		fprintf(show->file,
			"{\"kind\":\"cpus\",\"overwritten\":%" PRIu64
			",\"unread\":%" PRIu64 ",\"unfollowed\":%" PRIu64 "}\n",
			cpus->lost, cpus->unread, cpus->unfollowed);
	if (decoded)
		fprintf(show->file,
			"{\"kind\":\"decoded\",\"bytes\":%" PRIu64
			",\"overwritten\":%" PRIu64 ",\"overflows\":%" PRIu64
			",\"gaps\":%" PRIu64 ",\"unread\":%" PRIu64
			",\"errors\":%" PRIu64 ",\"skipped\":%" PRIu64
			",\"missing\":%" PRIu64 ",\"untold\":%" PRIu64
			",\"untraced\":%" PRIu64 ",\"unowned\":%" PRIu64 "}\n",
			decoded->bytes, decoded->lost, decoded->overflows,
			decoded->gaps, decoded->unread, decoded->errors,
			decoded->skipped, decoded->missing, decoded->untold,
			decoded->untraced, decoded->unowned);
}
