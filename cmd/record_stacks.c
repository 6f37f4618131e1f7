// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is stored beside events: the room for stacks, and the branches that programs take before them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktrace/branches.h>

#include "cmd.h"
#include "record.h"
#include "run/threads.h"

int record_branches_check(const struct record *r, bool only_markers)
{
	if (!r->stacks.branches)
		return EXIT_OK;
	if (only_markers)
		return misused(
			&command_record,
			"--branches is about events: -e or -F is missing");
	if (!r->command && !r->processes.nr)
		return misused(
			&command_record,
			"--branches: whose?  Programs are stopped behind "
			"each instruction: name a command, or processes "
			"with -p");
	return EXIT_OK;
}

/* Branches are seldom the same twice. */
#define BRANCHES_ROOM (32ull << 20)

int record_stacks_prepare(struct record *r)
{
	uint64_t size = r->stacks.size;
	char text[32];
	int err;

	if (!size && r->stacks.branches)
		size = BRANCHES_ROOM;
	if (!size)
		return EXIT_OK;
	if (ktrace_session_read(r->session, "stack_size", &r->stack_size, NULL))
		return failed_in_library();
	snprintf(text, sizeof(text), "%" PRIu64, size);
	err = ktrace_session_write(r->session, "stack_size", text);
	/* What was left has its stacks there. */
	if (err == -EBUSY && r->keep && !r->stacks.size)
		err = 0;
	return err ? failed_in_library() : EXIT_OK;
}

int record_stacks_end(struct record *r)
{
	char *before = r->stack_size;
	int err =
		before ? ktrace_session_write(r->session, "stack_size", before)
		       : 0;

	free(before);
	return err ? failed_in_library() : EXIT_OK;
}

int record_branches_begin(struct record *r)
{
	struct ktrace_branches_options options = {
		.size = sizeof(options),
		.threads = true,
		.children = true,
		.executes = r->child.pid,
		.events = true,
	};
	struct threads threads = {0};
	int status;

	if (!r->stacks.branches)
		return EXIT_OK;
	status = threads_find(&threads, &r->child, &r->processes);
	options.tids = threads.list;
	options.nr_tids = threads.nr;
	if (!status && ktrace_branches_open(r->session, &options, &r->branches))
		status = failed_in_library();
	threads_free(&threads);
	return status;
}
