/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Branches of programs: which way the code went.
 *
 * Each thread that is traced has a buffer, which keeps its newest branches, also when it has ended.
 * The usual order of calls:
 *
 *	ktrace_branches_open()		begins
 *	ktrace_branches_follow()	while the programs run, some times per second
 *	ktrace_branches_read()		takes what is in the buffers now; as often as wanted
 *	ktrace_branches_thread(), ktrace_branches_get(), ktrace_branches_place()
 *	ktrace_branches_close()		ends
 *
 * A trace may have what was in such buffers at its end: ktrace_trace_branches().  Who only reads traces
 * needs libktrace-read, for this and what shows them.
 *
 * The processor stops behind each instruction, which takes some microseconds (doc/branches.md).
 */
#ifndef KTRACE_BRANCHES_H
#define KTRACE_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/debuginfod.h>
#include <ktrace/session.h>
#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_branches;

/* Bytes of a thread's buffer; an entry takes 16. */
#define KTRACE_BRANCHES_BYTES_MIN     4096u
#define KTRACE_BRANCHES_BYTES_DEFAULT (64u << 10)
#define KTRACE_BRANCHES_BYTES_MAX     (64u << 20)

struct ktrace_branches_options {
	size_t size;	   /* of this struct */
	const pid_t *tids; /* these threads */
	size_t nr_tids;
	bool threads;  /* and those that they begin */
	bool children; /* and the processes that they begin */
	uint32_t
		bytes; /* of a buffer, rounded up to a power of two; 0: the default */
	/*
	 * The first thread is about to execute a program: what it does until then is left out.
	 */
	bool executes;
	const struct ktrace_debuginfod
		*debuginfod; /* NULL: no server is asked */
	/*
	 * Only for events, which have the last branches of these threads (KTRACE_STACKS_BRANCH).
	 * What ktrace_branches_read() reads has no names.
	 */
	bool events;
};

/*
 * Loads the module ktrace-branch if it is missing.  Threads that are not there any more are left out;
 * -ESRCH: none of them is; -EPERM: this
 * needs CAP_SYS_PTRACE; -EDQUOT: so much locked memory is not allowed (RLIMIT_MEMLOCK).
 */
KTRACE_API int ktrace_branches_open(
	struct ktrace_session *session,
	const struct ktrace_branches_options *options,
	struct ktrace_branches **branches);
KTRACE_API void ktrace_branches_close(struct ktrace_branches *branches);

/* Looks at files that were mapped since the last time, while they are there. */
KTRACE_API int ktrace_branches_follow(struct ktrace_branches *branches);
/* What was read before is gone.  Tracing goes on. */
KTRACE_API int ktrace_branches_read(struct ktrace_branches *branches);

/*
 * The branches that a trace has; they belong to it.  *@branches is NULL if it has none, or if it is not
 * complete yet: of a stream, they can be had when a cursor has come to its end.  -ENOMEM.
 */
KTRACE_API int ktrace_trace_branches(struct ktrace *trace,
				     struct ktrace_branches **branches);

struct ktrace_branch_thread {
	pid_t tid;	 /* 0: it is gone, and its number is not known */
	bool ended;	 /* there will be no more */
	size_t nr;	 /* entries that were read */
	uint64_t lost;	 /* older ones that were overwritten */
	uint64_t unread; /* instructions whose bytes could not be read */
	uint32_t
		unfollowed; /* threads and processes that it began, for which there was no memory */
};

/* Threads are numbered from 0.  NULL: there are not so many. */
KTRACE_API const struct ktrace_branch_thread *ktrace_branches_thread(
	const struct ktrace_branches *branches, size_t thread);

struct ktrace_branch {
	enum ktrace_branch_kind kind;
	uint64_t
		from; /* the instruction; of the lower 57 bits of its address */
	uint64_t to;
};

static inline bool ktrace_branch_is_stamp(const struct ktrace_branch *branch)
{
	return (branch->kind >= KTRACE_BRANCH_ARRIVES &&
		branch->kind <= KTRACE_BRANCH_BEGINS) ||
	       branch->kind == KTRACE_BRANCH_TIME;
}

/* @entry: below the thread's nr; 0 is the oldest.  A kind may be none of the above. */
KTRACE_API struct ktrace_branch ktrace_branches_get(
	const struct ktrace_branches *branches, size_t thread, size_t entry);

/* What is at an address.  Its texts are valid until the next read. */
struct ktrace_branch_place {
	/* What was mapped there: a path, "[vdso]", "[jit]".  NULL: it is not known. */
	const char *file;
	uint64_t offset; /* in the file, in bytes; of "[jit]": the address */
	const char *function; /* NULL: not known */
	uint64_t behind;      /* its first byte, so many bytes */
	const char *source;   /* "PATH:LINE"; NULL: not known */
	/*
	 * If the compiler has put the code of other functions there: for each, innermost first, its
	 * name and the position of its call, each with a NUL behind it.
	 */
	const char *inlined;
	uint32_t nr_inlined;
	uint64_t reserved[2];
};

/* The place of a branch's `from', or of its `to'.  False: what was mapped there is not known. */
KTRACE_API bool ktrace_branches_place(struct ktrace_branches *branches,
				      size_t thread, size_t entry, bool to,
				      struct ktrace_branch_place *place);

/*
 * Which lines of the source have run, of what was read: by path, then line.  Also the lines that have
 * not, of those files of the source that were compiled together with what has.  @count: how often;
 * of a line in several pieces (loops, copies), how often that ran which ran most often.  Only programs
 * with debugging information have lines.  What @take returns ends it, if that is not 0, and is
 * returned.  -ENOMEM;
 * -EINVAL: they are those of a trace.
 */
KTRACE_API int ktrace_branches_coverage(struct ktrace_branches *branches,
					int (*take)(void *data,
						    const char *path,
						    unsigned int line,
						    uint64_t count),
					void *data);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_BRANCHES_H */
