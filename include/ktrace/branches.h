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
 * If CPUs are traced, each of them has such a buffer; what is read is parted by threads.
 *
 * What was read is shown by the functions of <ktrace/branch_list.h>, as are those of a trace.
 *
 * The processor stops behind each instruction, which takes some microseconds (doc/branches.md).
 */
#ifndef KTRACE_BRANCHES_H
#define KTRACE_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/branch_list.h>
#include <ktrace/debuginfod.h>
#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the buffer of a thread or CPU; an entry takes 16. */
#define KTRACE_BRANCHES_BYTES_MIN     4096u
#define KTRACE_BRANCHES_BYTES_DEFAULT (64u << 10)
#define KTRACE_BRANCHES_BYTES_MAX     (64u << 20)
#define KTRACE_BRANCHES_PACKETS	      (1u << 20) /* with `pt' */
#define KTRACE_BRANCHES_RECORDED      (4u << 20) /* by perf: of each CPU */

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
	 * With `all_cpus', instead: of whatever programs run, by the processor's last branch records (LBR),
	 * which are asked at each event.  Programs run at their speed, an event has 32 branches at most (of
	 * some processors 16), and there is nothing to read.
	 */
	bool events;
	/*
	 * Instead of threads: whatever programs run on these CPUs, or on all, but for this process.
	 * Each CPU has a buffer (none with `events').  This needs CAP_SYS_ADMIN.
	 */
	const unsigned int *cpus;
	size_t nr_cpus;
	bool all_cpus;
	/*
	 * By Intel's Processor Trace, through perf: of threads only, and no session and no module are needed.
	 * `bytes' are of packets, of which a branch takes about one; 0: KTRACE_BRANCHES_PACKETS.  Threads that
	 * begin are traced from the next ktrace_branches_follow() on.  Stamps are in ns, of perf's clock.
	 */
	bool pt;
	/*
	 * With `pt', only code in this part of a file: "OFFSET/SIZE@FILE", in bytes of the file, as numbers of
	 * C.  NULL: all.
	 */
	const char *range;
};

/* NULL: branches can be found by Intel's PT here.  Otherwise why not. */
KTRACE_API const char *ktrace_branches_without_pt(void);

/*
 * Loads the module ktrace-branch if it is missing.  Threads that are not there any more are left out;
 * -ESRCH: none of them is; -ENODEV: there is no such CPU; -EOPNOTSUPP: the machine has no last branch
 * records; -EBUSY: perf does not give them; -EPERM: this needs CAP_SYS_PTRACE; -EDQUOT: so much locked memory is not allowed (RLIMIT_MEMLOCK).
 * With `pt', also -ENOSYS (libipt is not there), -EOPNOTSUPP (the machine has no PT) and -EBUSY (it is in use).
 */
KTRACE_API int ktrace_branches_open(
	struct ktrace_session *session,
	const struct ktrace_branches_options *options,
	struct ktrace_branches **branches);
/*
 * Of a file that `perf record -e intel_pt//u' has made: what it has is decoded here, and nothing is traced.
 * Of @options, only bytes (0: KTRACE_BRANCHES_RECORDED) and debuginfod are looked at.  The file is untrusted.
 * It needs the programs and libraries that ran, as they were then.  Stamps are in ns, of perf's clock.
 * -ENOSYS: libktrace was built without libipt, or that is not there; -EOPNOTSUPP, -EINVAL, -EBADMSG: it is
 * another file, or damaged; -ENODATA: it has no such packets.
 */
KTRACE_API int ktrace_branches_open_recorded(
	const char *path, const struct ktrace_branches_options *options,
	struct ktrace_branches **branches);
KTRACE_API void ktrace_branches_close(struct ktrace_branches *branches);

/* Looks at files that were mapped since the last time, while they are there. */
KTRACE_API int ktrace_branches_follow(struct ktrace_branches *branches);
/* What was read before is gone.  Tracing goes on. */
KTRACE_API int ktrace_branches_read(struct ktrace_branches *branches);

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
