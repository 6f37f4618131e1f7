/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Branches that were read, of each thread the newest ones in their order, with stamps between them: those
 * that a trace has (ktrace record --branch-trace), or those of programs that are traced
 * (<ktrace/branches.h>).
 */
#ifndef KTRACE_BRANCH_LIST_H
#define KTRACE_BRANCH_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_branches;

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
	char comm[16]; /* its name; of CPUs only.  "": not known */
};

/* Threads are numbered from 0.  NULL: there are not so many. */
KTRACE_API const struct ktrace_branch_thread *ktrace_branches_thread(
	const struct ktrace_branches *branches, size_t thread);

/* Of the buffers of CPUs, what is not known of single threads. */
struct ktrace_branches_cpus {
	uint64_t lost;	     /* older entries that were overwritten */
	uint64_t unread;     /* instructions whose bytes could not be read */
	uint64_t unfollowed; /* programs for which there was no memory */
	uint64_t reserved[4];
};

/* NULL: they are those of threads. */
KTRACE_API const struct ktrace_branches_cpus *ktrace_branches_of_cpus(
	const struct ktrace_branches *branches);

/*
 * Of branches that were decoded from the packets of a processor (Intel's PT): what is missing.  Where it is, an
 * entry KTRACE_BRANCH_BEGINS stands.
 */
struct ktrace_branches_decoded {
	uint64_t bytes; /* of packets */
	uint64_t lost;	/* older entries for which there was no room */
	uint64_t
		overflows; /* how often the processor could not write its packets */
	uint64_t
		gaps; /* how often their buffer was full, or pieces of it do not follow each other */
	uint64_t unread; /* how often the code that ran could not be read */
	uint64_t
		errors; /* how often packets do not fit the code, or are damaged */
	uint64_t
		skipped; /* bytes of packets behind these, up to where decoding can begin anew */
	uint64_t
		missing; /* files of programs that are not there, or have changed since */
	uint64_t
		untold; /* the kernel's records of processes, which it could not write */
	uint64_t
		untraced; /* threads that had ended before they could be traced, or too many */
	uint64_t
		unowned; /* how often it is not known which thread ran, so it is left out */
	uint64_t reserved[5];
};

/* NULL: they were not decoded. */
KTRACE_API const struct ktrace_branches_decoded *ktrace_branches_decoded(
	const struct ktrace_branches *branches);

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

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_BRANCH_LIST_H */
