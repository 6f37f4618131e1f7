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

int record_stacks_check(const struct record *r, bool only_markers)
{
	const char *option = r->stacks.nr	  ? "stacks"
			     : r->stacks.branches ? "branches"
						  : NULL;

	if (option && only_markers)
		return misused(&command_record,
			       "--%s is about events: -e or -F is missing",
			       option);
	if (r->stacks.size && !option)
		return misused(&command_record,
			       "--stack-size is about stacks and branches: -g "
			       "or --branches is missing");
	if (r->stacks.branches && !r->command && !r->processes.nr)
		return misused(
			&command_record,
			"--branches: whose?  Programs are stopped behind "
			"each instruction: name a command, or processes "
			"with -p");
	return EXIT_OK;
}

/* Branches are seldom the same twice. */
#define BRANCHES_ROOM (32ull << 20)

static int room_choose(struct record *r)
{
	uint64_t size = r->stacks.size ?: BRANCHES_ROOM;
	char text[32];
	int err;

	if (!r->stacks.size && !r->stacks.branches)
		return EXIT_OK;
	if (ktrace_session_read(r->session, "stack_size", &r->stack_size, NULL))
		return failed_in_library();
	/* The session may have more, by somebody's will. */
	if (!r->stacks.size && strtoull(r->stack_size, NULL, 10) >= size)
		return EXIT_OK;
	snprintf(text, sizeof(text), "%" PRIu64, size);
	err = ktrace_session_write(r->session, "stack_size", text);
	/* What was left has its stacks there. */
	if (err == -EBUSY && r->keep && !r->stacks.size)
		err = 0;
	return err ? failed_in_library() : EXIT_OK;
}

int record_stacks_prepare(struct record *r)
{
	int status = room_choose(r);

	if (!status && ktrace_session_branches(r->session, r->stacks.branches))
		status = failed_in_library();
	return status;
}

int record_stacks_end(struct record *r)
{
	int err = r->stack_size ? ktrace_session_write(r->session, "stack_size",
						       r->stack_size)
				: 0;

	return err ? failed_in_library() : EXIT_OK;
}

int record_branches_begin(struct record *r)
{
	struct ktrace_branches_options options = {
		.size = sizeof(options),
		.threads = true,
		.children = true,
		.events = true,
	};
	struct threads threads = {0};
	int status;

	if (!r->stacks.branches)
		return EXIT_OK;
	/* With -p, the command is recorded only if that is said. */
	status = threads_find(&threads,
			      !r->processes.nr || r->only ? r->child.pid : 0,
			      &r->processes);
	options.tids = threads.list;
	options.nr_tids = threads.nr;
	if (!status && ktrace_branches_open(r->session, &options, &r->branches))
		status = failed_in_library();
	threads_free(&threads);
	return status;
}
