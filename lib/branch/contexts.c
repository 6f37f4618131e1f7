// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Contexts of the kernel (include/uapi/ktrace_branch.h), which trace branches of programs.
 *
 * A context follows one thread, and those that it begins, or whatever runs on one CPU or on all; so there is
 * one for each thread or CPU that was asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <ktrace.h>
#include <ktrace_branch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "contexts.h"
#include "read/branches.h"
#include "read/trace.h"
#include "session/session.h"
#include "symbol/debug_server.h"

#define MODULE	  "ktrace-branch"
#define FILE_NAME "branches"

_Static_assert(KTRACE_BRANCHES_BYTES_MIN == KT_BRANCH_SIZE_MIN &&
		       KTRACE_BRANCHES_BYTES_DEFAULT ==
			       KT_BRANCH_SIZE_DEFAULT &&
		       KTRACE_BRANCHES_BYTES_MAX == KT_BRANCH_SIZE_MAX,
	       "sizes are the kernel's");

/* ---- beginning ------------------------------------------------------------ */

/* By the processor's records of them, which fill no buffers. */
static bool is_of_records(const struct ktrace_branches_options *options)
{
	return options->events && options->all_cpus;
}

static bool is_of_cpus(const struct ktrace_branches_options *options)
{
	return options->all_cpus || options->nr_cpus;
}

static size_t contexts_wanted(const struct ktrace_branches_options *options)
{
	return options->all_cpus ? 1 : options->nr_tids + options->nr_cpus;
}

/* What context @number is told. */
static void line_make(struct text *line,
		      const struct ktrace_branches_options *options,
		      size_t number)
{
	if (is_of_records(options)) {
		text_printf(line, "all events by lbr");
		return;
	}
	if (options->all_cpus)
		text_printf(line, "all");
	else if (options->nr_cpus)
		text_printf(line, "cpu %u", options->cpus[number]);
	else
		text_printf(line, "pid %d", (int)options->tids[number]);
	text_printf(line, " size %u %s%s%s", options->bytes,
		    options->events ? "events" : "mappings",
		    options->threads ? " threads" : "",
		    options->children ? " children" : "");
}

static int context_open(struct ktrace_session *session,
			const struct ktrace_branches_options *options,
			size_t number, int *context)
{
	struct text line = {0};
	int tree, err = 0;

	tree = open(session->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*context = tree < 0 ? -1 : openat(tree, FILE_NAME, O_RDWR | O_CLOEXEC);
	if (*context < 0)
		err = session_explain(-errno, session->root, FILE_NAME);
	if (tree >= 0)
		close(tree);
	if (err)
		return err;
	line_make(&line, options, number);
	err = line.failed
		      ? error_set(-ENOMEM, "out of memory")
		      : session_fd_write(session, *context, FILE_NAME, line.s);
	text_free(&line);
	return err;
}

static int contexts_open(struct contexts *contexts,
			 struct ktrace_session *session,
			 const struct ktrace_branches_options *options)
{
	int err = 0;

	raise_file_limit();
	contexts->fds =
		calloc(contexts_wanted(options), sizeof(*contexts->fds));
	if (!contexts->fds)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < contexts_wanted(options); i++) {
		int *context = &contexts->fds[contexts->nr];

		err = context_open(session, options, i, context);
		if (!err)
			contexts->nr++;
		else if (*context >= 0)
			close(*context);
		/* A thread that has ended meanwhile has no branches. */
		if (err && err != -ESRCH)
			return err;
	}
	return contexts->nr ? 0 : err;
}

static int files_open(struct contexts *contexts, struct ktrace_session *session,
		      const struct ktrace_branches_options *options)
{
	int tree = open(session->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = tree < 0 ? -errno : 0;

	err = err ?: program_tables_open(&contexts->tables, tree, NULL);
	if (tree >= 0)
		close(tree);
	if (err)
		return session_explain(err, session->root, "programs");
	contexts->followed = true;
	contexts->tables.names_only = true;
	err = debug_server_open(options->debuginfod, &contexts->servers);
	contexts->tables.servers = contexts->servers;
	return err;
}

static int options_check(struct ktrace_branches_options *options)
{
	if (is_of_records(options) && (options->bytes || options->nr_cpus))
		return error_set(-EINVAL, "for events of all CPUs there are no "
					  "buffers: neither bytes nor cpus");
	if (!options->bytes)
		options->bytes = options->events
					 ? KTRACE_BRANCHES_BYTES_MIN
					 : KTRACE_BRANCHES_BYTES_DEFAULT;
	if (options->bytes < KTRACE_BRANCHES_BYTES_MIN ||
	    options->bytes > KTRACE_BRANCHES_BYTES_MAX)
		return error_set(-EINVAL, "a buffer has %u to %u bytes, not %u",
				 KTRACE_BRANCHES_BYTES_MIN,
				 KTRACE_BRANCHES_BYTES_MAX, options->bytes);
	if (!contexts_wanted(options))
		return error_set(-EINVAL, "no thread is to be traced");
	if (is_of_cpus(options) &&
	    (options->nr_tids || options->threads || options->children ||
	     (options->events && !options->all_cpus)))
		return error_set(-EINVAL,
				 "branches of CPUs are those of all programs: "
				 "no threads, and no events but for all CPUs");
	return 0;
}

int ktrace_branches_open(struct ktrace_session *session,
			 const struct ktrace_branches_options *wishes,
			 struct ktrace_branches **opened)
{
	struct ktrace_branches_options options;
	struct contexts *contexts;
	int err;

	err = sized_copy(&options, sizeof(options), wishes);
	if (!err && options.pt)
		return perf_live_open(&options, opened);
	err = err ?: options_check(&options);
	err = err ?: session_module_load(session, MODULE);
	if (err)
		return err;
	contexts = calloc(1, sizeof(*contexts));
	if (!contexts)
		return error_set(-ENOMEM, "out of memory");
	contexts->branches.traced = true;
	contexts->executes = options.executes;
	contexts->branches.of_cpus = is_of_cpus(&options);
	/* As the kernel rounds it up. */
	contexts->max = KTRACE_BRANCHES_BYTES_MIN / sizeof(struct kt_branch);
	while (contexts->max * sizeof(struct kt_branch) < options.bytes)
		contexts->max *= 2;
	err = options.events ? 0 : files_open(contexts, session, &options);
	err = err ?: contexts_open(contexts, session, &options);
	err = err ?: ktrace_branches_follow(&contexts->branches);
	if (err)
		ktrace_branches_close(&contexts->branches);
	else
		*opened = &contexts->branches;
	return err;
}

int ktrace_branches_follow(struct ktrace_branches *branches)
{
	struct contexts *contexts = contexts_of(branches);
	int err;

	if (contexts && contexts->finder)
		return contexts->finder->follow(contexts);
	err = contexts && contexts->followed
		      ? program_tables_update(&contexts->tables)
		      : 0;

	return err ? error_set(err, "which files programs have mapped: %s",
			       strerror(-err))
		   : 0;
}

void contexts_end(struct contexts *contexts)
{
	for (size_t i = 0; i < contexts->nr; i++)
		close(contexts->fds[i]);
	contexts->nr = 0;
	contexts->ended = true;
}

void ktrace_branches_close(struct ktrace_branches *branches)
{
	struct contexts *contexts = contexts_of(branches);

	/* A trace's belong to that. */
	if (!contexts)
		return;
	if (contexts->finder)
		contexts->finder->close(contexts);
	branches_free(branches);
	contexts_end(contexts);
	free(contexts->fds);
	if (contexts->followed)
		program_tables_close(&contexts->tables);
	debug_server_close(contexts->servers);
	free(contexts);
}

/* ---- reading -------------------------------------------------------------- */

/* What a thread did before it has executed the program is ours. */
static void own_leave_out(struct branch_thread *thread)
{
	const struct mapped *mapped = &thread->mapped;
	uint64_t end = thread->first + thread->shown.nr, cut;

	if (!mapped->nr)
		return;
	cut = mapped->nr > 1 ? mapped->changes[1].since : end;
	if (cut <= thread->first)
		return;
	branches_leave_out(thread, (cut < end ? cut : end) - thread->first);
	thread->shown.lost = 0;
}

/* 1, 0: there is no such thread, or -errno. */
static int thread_read(struct contexts *contexts, size_t context,
		       uint32_t number)
{
	struct branch_thread *thread = branches_add(&contexts->branches);
	int fd = contexts->fds[context], found, err;

	if (!thread)
		return branches_out_of_memory();
	found = entries_read(contexts, fd, number, thread);
	if (found <= 0) {
		free(thread->entries);
		contexts->branches.nr--;
		return found;
	}
	err = mapped_read(&thread->mapped, fd, number,
			  thread->first + thread->shown.nr);
	if (err)
		return err;
	if (contexts->executes && !context && !number)
		own_leave_out(thread);
	return 1;
}

int contexts_read(struct contexts *contexts)
{
	int err = ktrace_branches_follow(&contexts->branches), found = 1;

	branches_free(&contexts->branches);
	if (contexts->branches.of_cpus)
		return err ?: cpus_read(contexts);
	for (size_t i = 0; !err && i < contexts->nr; i++) {
		for (uint32_t n = 0; found > 0; n++)
			found = thread_read(contexts, i, n);
		err = found;
		found = 1;
	}
	return err;
}

int ktrace_branches_read(struct ktrace_branches *branches)
{
	struct contexts *contexts = contexts_of(branches);
	int err;

	/* What a trace has was read, and what was there when a recording ended. */
	if (!contexts || contexts->ended)
		return 0;
	if (contexts->finder)
		return contexts->finder->read(contexts);
	err = contexts_read(contexts);
	err = err ?: branches_want(branches);
	return err ?: mapped_names_find(&branches->names, &contexts->tables);
}
