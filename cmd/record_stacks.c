// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is stored beside events: the room for stacks, and the branches that programs take before them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktrace/branches.h>

#include "cmd.h"
#include "common/value.h"
#include "record.h"
#include "run/threads.h"

/* By the processor's records: of all programs. */
static bool branches_are_of_all(const struct record *r)
{
	if (r->stacks.branches_by != BRANCHES_BY_ANY)
		return r->stacks.branches_by == BRANCHES_BY_LBR;
	return !r->command && !r->processes.nr;
}

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
	if (r->stacks.branches_by && !r->stacks.branches)
		return misused(&command_record,
			       "--branches-by is about branches of events: "
			       "--branches is missing");
	option = r->branch_trace ? "branch-trace"
		 : r->stacks.branches && !branches_are_of_all(r) ? "branches"
								 : NULL;
	if (option && !r->command && !r->processes.nr)
		return misused(
			&command_record,
			"--%s: whose?  Programs are stopped behind each "
			"instruction: name a command, or processes with -p",
			option);
	if (r->branch_trace && only_markers)
		return misused(&command_record,
			       "--branch-trace needs the kernel: -e or -F is "
			       "missing");
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

static int branches_of_all_open(const struct record *r,
				struct ktrace_branches **branches)
{
	struct ktrace_branches_options options = {
		.size = sizeof(options), .events = true, .all_cpus = true};
	int status, err;

	err = ktrace_branches_open(r->session, &options, branches);
	if (!err)
		return EXIT_OK;
	status = failed_in_library();
	/* By steps it would be refused for other reasons, too. */
	if ((err == -EOPNOTSUPP || err == -EBUSY) && !r->command &&
	    !r->processes.nr)
		say("--branches without them: name a command, or processes "
		    "with -p");
	return status;
}

static int branches_open(const struct record *r,
			 struct ktrace_branches_options *options,
			 struct ktrace_branches **branches)
{
	/* With -p, the command is recorded only if that is said. */
	pid_t command = !r->processes.nr || r->only ? r->child.pid : 0;
	struct threads threads = {0};
	int status = threads_find(&threads, command, &r->processes);

	options->size = sizeof(*options);
	options->tids = threads.list;
	options->nr_tids = threads.nr;
	options->threads = true;
	options->children = true;
	options->executes = command;
	if (!status && ktrace_branches_open(r->session, options, branches))
		status = failed_in_library();
	threads_free(&threads);
	return status;
}

int record_branches_begin(struct record *r)
{
	struct ktrace_branches_options events = {.events = true},
				       way = {
					       .bytes = r->branch_bytes,
					       .debuginfod = debuginfod_options(
						       &r->debuginfod),
				       };
	int status = EXIT_OK;

	if (r->stacks.branches)
		status = branches_are_of_all(r)
				 ? branches_of_all_open(r, &r->branches)
				 : branches_open(r, &events, &r->branches);
	if (!status && r->branch_trace)
		status = branches_open(r, &way, &r->way);
	return status;
}

static uint64_t branches_count(const struct ktrace_branches *branches,
			       size_t thread, size_t entries)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < entries; i++) {
		struct ktrace_branch branch =
			ktrace_branches_get(branches, thread, i);

		nr += !ktrace_branch_is_stamp(&branch);
	}
	return nr;
}

void record_branches_print(const struct record *r)
{
	const struct ktrace_branch_thread *thread;
	bool hint;
	uint64_t branches = 0, lost = 0, unfollowed = 0;
	size_t i;

	if (!r->way || !r->written)
		return;
	for (i = 0; (thread = ktrace_branches_thread(r->way, i)); i++) {
		branches += branches_count(r->way, i, thread->nr);
		lost += thread->lost;
		unfollowed += thread->unfollowed;
	}
	hint = branches && !r->stream;
	say("and %s branch%s of %s thread%s%s%s%s", count_text(branches).s,
	    branches == 1 ? "" : "es", count_text(i).s, i == 1 ? "" : "s",
	    hint ? ": ktrace branch -i " : "", hint ? r->output : "",
	    hint ? " shows them alone" : "");
	if (lost)
		say("%s older entries were overwritten%s", count_text(lost).s,
		    r->branch_bytes < KTRACE_BRANCHES_BYTES_MAX
			    ? ": larger buffers keep more, --branch-trace=64M "
			      "most"
			    : "");
	if (unfollowed)
		say("%s threads or processes were not traced: there was no "
		    "memory for their buffers",
		    count_text(unfollowed).s);
}
