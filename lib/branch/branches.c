// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Branches of programs: <ktrace/branches.h>.
 *
 * A context (include/uapi/ktrace_branch.h) follows one thread, and those that it begins; so there is one
 * for each thread that was asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <ktrace.h>
#include <ktrace_branch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <ktrace/branches.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "mapped.h"
#include "read.h"
#include "read/trace.h"
#include "session/session.h"
#include "symbol/debug_server.h"
#include "symbol/program_tables.h"

#define MODULE	  "ktrace-branch"
#define FILE_NAME "branches"

_Static_assert(KTRACE_BRANCHES_BYTES_MIN == KT_BRANCH_SIZE_MIN &&
		       KTRACE_BRANCHES_BYTES_DEFAULT ==
			       KT_BRANCH_SIZE_DEFAULT &&
		       KTRACE_BRANCHES_BYTES_MAX == KT_BRANCH_SIZE_MAX,
	       "sizes are the kernel's");

struct thread {
	uint64_t
		origin; /* the word where it was before what is shown; 0: not known */
	struct ktrace_branch_thread shown;
	struct kt_branch *entries; /* what was read */
	size_t begin;		   /* of what is shown */
	uint64_t first;		   /* the number of that */
	struct mapped mapped;
};

struct ktrace_branches {
	int *contexts;
	size_t nr_contexts;
	bool executes;
	uint32_t max; /* entries of a buffer */

	struct program_tables tables;
	bool followed; /* these are open */
	struct debug_server *servers;

	struct thread *threads;
	size_t nr;
	struct mapped_names names;
};

/* ---- beginning ------------------------------------------------------------ */

static int context_open(struct ktrace_session *session,
			const struct ktrace_branches_options *options,
			pid_t tid, int *context)
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
	text_printf(&line, "pid %d size %u %s%s%s", (int)tid, options->bytes,
		    options->events ? "events" : "mappings",
		    options->threads ? " threads" : "",
		    options->children ? " children" : "");
	err = line.failed
		      ? error_set(-ENOMEM, "out of memory")
		      : session_fd_write(session, *context, FILE_NAME, line.s);
	text_free(&line);
	return err;
}

static int contexts_open(struct ktrace_branches *branches,
			 struct ktrace_session *session,
			 const struct ktrace_branches_options *options)
{
	int err = 0;

	raise_file_limit();
	branches->contexts =
		calloc(options->nr_tids, sizeof(*branches->contexts));
	if (!branches->contexts)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < options->nr_tids; i++) {
		int *context = &branches->contexts[branches->nr_contexts];

		err = context_open(session, options, options->tids[i], context);
		if (!err)
			branches->nr_contexts++;
		else if (*context >= 0)
			close(*context);
		/* A thread that has ended meanwhile has no branches. */
		if (err && err != -ESRCH)
			return err;
	}
	return branches->nr_contexts ? 0 : err;
}

static int files_open(struct ktrace_branches *branches,
		      struct ktrace_session *session,
		      const struct ktrace_branches_options *options)
{
	int tree = open(session->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = tree < 0 ? -errno : 0;

	err = err ?: program_tables_open(&branches->tables, tree, NULL);
	if (tree >= 0)
		close(tree);
	if (err)
		return session_explain(err, session->root, "programs");
	branches->followed = true;
	branches->tables.names_only = true;
	err = debug_server_open(options->debuginfod, &branches->servers);
	branches->tables.servers = branches->servers;
	return err;
}

static int options_check(struct ktrace_branches_options *options)
{
	if (!options->bytes)
		options->bytes = options->events
					 ? KTRACE_BRANCHES_BYTES_MIN
					 : KTRACE_BRANCHES_BYTES_DEFAULT;
	if (options->bytes < KTRACE_BRANCHES_BYTES_MIN ||
	    options->bytes > KTRACE_BRANCHES_BYTES_MAX)
		return error_set(-EINVAL, "a buffer has %u to %u bytes, not %u",
				 KTRACE_BRANCHES_BYTES_MIN,
				 KTRACE_BRANCHES_BYTES_MAX, options->bytes);
	if (!options->nr_tids)
		return error_set(-EINVAL, "no thread is to be traced");
	return 0;
}

int ktrace_branches_open(struct ktrace_session *session,
			 const struct ktrace_branches_options *wishes,
			 struct ktrace_branches **opened)
{
	struct ktrace_branches_options options;
	struct ktrace_branches *branches;
	int err;

	err = sized_copy(&options, sizeof(options), wishes);
	err = err ?: options_check(&options);
	err = err ?: session_module_load(session, MODULE);
	if (err)
		return err;
	branches = calloc(1, sizeof(*branches));
	if (!branches)
		return error_set(-ENOMEM, "out of memory");
	branches->executes = options.executes;
	/* As the kernel rounds it up. */
	branches->max = KTRACE_BRANCHES_BYTES_MIN / sizeof(struct kt_branch);
	while (branches->max * sizeof(struct kt_branch) < options.bytes)
		branches->max *= 2;
	err = options.events ? 0 : files_open(branches, session, &options);
	err = err ?: contexts_open(branches, session, &options);
	err = err ?: ktrace_branches_follow(branches);
	if (err)
		ktrace_branches_close(branches);
	else
		*opened = branches;
	return err;
}

int ktrace_branches_follow(struct ktrace_branches *branches)
{
	int err = branches->followed ? program_tables_update(&branches->tables)
				     : 0;

	return err ? error_set(err, "which files programs have mapped: %s",
			       strerror(-err))
		   : 0;
}

/* ---- reading -------------------------------------------------------------- */

static void threads_free(struct ktrace_branches *branches)
{
	for (size_t i = 0; i < branches->nr; i++) {
		free(branches->threads[i].entries);
		mapped_free(&branches->threads[i].mapped);
	}
	free(branches->threads);
	branches->threads = NULL;
	branches->nr = 0;
	mapped_names_free(&branches->names);
	branches->names = (struct mapped_names){0};
}

void ktrace_branches_close(struct ktrace_branches *branches)
{
	if (!branches)
		return;
	threads_free(branches);
	for (size_t i = 0; i < branches->nr_contexts; i++)
		if (branches->contexts[i] >= 0)
			close(branches->contexts[i]);
	free(branches->contexts);
	if (branches->followed)
		program_tables_close(&branches->tables);
	debug_server_close(branches->servers);
	free(branches);
}

static int out_of_memory(void)
{
	return error_set(-ENOMEM, "out of memory for branches");
}

/* If the thread has overwritten more than this share while its buffer was copied, it is copied again. */
#define SKIPPED_SHARE 16

/* What a thread of a context has in its buffer.  1, 0: there is no such thread, or -errno. */
static int entries_read(struct ktrace_branches *branches, int context,
			uint32_t number, struct thread *thread)
{
	struct kt_branches read = {.max = branches->max, .thread = number};
	struct kt_branch *less;
	int tries = 5, err;

	thread->entries = malloc(branches->max * sizeof(*thread->entries));
	if (!thread->entries)
		return out_of_memory();
	read.entries = (uintptr_t)thread->entries;
	do {
		if (ioctl(context, KT_READ_BRANCHES, &read)) {
			err = errno == ENOENT ? 0 : -errno;
			return err ? error_set(err, "branches of thread %u: %s",
					       number, strerror(-err))
				   : 0;
		}
	} while (read.skip > read.nr / SKIPPED_SHARE && --tries);
	less = realloc(thread->entries, (read.nr + 1) * sizeof(*less));
	if (less)
		thread->entries = less;
	thread->begin = read.skip;
	thread->first = read.first + read.skip;
	thread->shown = (struct ktrace_branch_thread){
		.tid = read.tid,
		.ended = read.ended,
		.nr = read.nr - read.skip,
		.lost = thread->first,
		.unread = read.unread,
		.unfollowed = read.unfollowed,
	};
	return 1;
}

static uint64_t word_of(struct thread *thread, size_t entry, bool to)
{
	const struct kt_branch *branch =
		&thread->entries[thread->begin + entry];
	uint64_t address =
		to ? branch->to : branch->from & KT_BRANCH_PLACE_MASK;

	return mapped_word(&thread->mapped, thread->first + entry + to,
			   address);
}

/* What a thread did before it has executed the program is ours. */
static void leave_out(struct thread *thread)
{
	const struct mapped *mapped = &thread->mapped;
	uint64_t end = thread->first + thread->shown.nr, cut;

	if (!mapped->nr)
		return;
	cut = mapped->nr > 1 ? mapped->changes[1].since : end;
	if (cut <= thread->first)
		return;
	if (cut > end)
		cut = end;
	thread->origin = word_of(thread, cut - thread->first - 1, true);
	thread->begin += cut - thread->first;
	thread->shown.nr -= cut - thread->first;
	thread->shown.lost = 0;
	thread->first = cut;
}

/* 1, 0: there is no such thread, or -errno. */
static int thread_read(struct ktrace_branches *branches, size_t context,
		       uint32_t number)
{
	int fd = branches->contexts[context], found, err;
	struct thread *more, *thread;

	more = realloc(branches->threads, (branches->nr + 1) * sizeof(*more));
	if (!more)
		return out_of_memory();
	branches->threads = more;
	thread = &more[branches->nr];
	*thread = (struct thread){0};
	found = entries_read(branches, fd, number, thread);
	if (found <= 0) {
		free(thread->entries);
		return found;
	}
	branches->nr++;
	err = mapped_read(&thread->mapped, fd, number,
			  thread->first + thread->shown.nr);
	if (err)
		return err;
	if (branches->executes && !context && !number)
		leave_out(thread);
	return 1;
}

uint64_t branches_word(struct ktrace_branches *branches, size_t thread,
		       size_t entry, bool to)
{
	return word_of(&branches->threads[thread], entry, to);
}

uint64_t branches_origin(struct ktrace_branches *branches, size_t thread)
{
	return branches->threads[thread].origin;
}

struct program_tables *branches_tables(struct ktrace_branches *branches)
{
	return &branches->tables;
}

static int names_find(struct ktrace_branches *branches)
{
	int err = 0;

	for (size_t i = 0; i < branches->nr; i++) {
		struct thread *thread = &branches->threads[i];

		for (size_t n = 0; !err && n < thread->shown.nr; n++) {
			struct ktrace_branch branch =
				ktrace_branches_get(branches, i, n);

			if (ktrace_branch_is_stamp(&branch))
				continue;
			err = mapped_names_want(&branches->names,
						word_of(thread, n, false));
			err = err
				      ?: mapped_names_want(&branches->names,
							   word_of(thread, n,
								   true));
		}
	}
	if (err)
		return out_of_memory();
	return mapped_names_find(&branches->names, &branches->tables);
}

int ktrace_branches_read(struct ktrace_branches *branches)
{
	int err = ktrace_branches_follow(branches), found = 1;

	threads_free(branches);
	for (size_t i = 0; !err && i < branches->nr_contexts; i++) {
		for (uint32_t n = 0; found > 0; n++)
			found = thread_read(branches, i, n);
		err = found;
		found = 1;
	}
	return err ?: names_find(branches);
}

/* ---- what was read -------------------------------------------------------- */

const struct ktrace_branch_thread *ktrace_branches_thread(
	const struct ktrace_branches *branches, size_t thread)
{
	return thread < branches->nr ? &branches->threads[thread].shown : NULL;
}

struct ktrace_branch ktrace_branches_get(const struct ktrace_branches *branches,
					 size_t thread, size_t entry)
{
	const struct thread *of = &branches->threads[thread];
	const struct kt_branch *branch = &of->entries[of->begin + entry];

	return (struct ktrace_branch){
		.kind = branch->from >> KT_BRANCH_KIND_SHIFT,
		.from = branch->from & KT_BRANCH_PLACE_MASK,
		.to = branch->to,
	};
}

bool ktrace_branches_place(struct ktrace_branches *branches, size_t thread,
			   size_t entry, bool to,
			   struct ktrace_branch_place *place)
{
	uint64_t word = word_of(&branches->threads[thread], entry, to);
	const struct ktrace_branch_place *found =
		mapped_names_get(&branches->names, word);

	*place = found ? *found : (struct ktrace_branch_place){0};
	place->offset = word & KT_FRAME_PLACE_MASK;
	return found;
}
