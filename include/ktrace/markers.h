/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Markers (ktrace-marker(3)) of programs that run, of this user, and of kernel modules:
 * which there are, and switching them.
 */
#ifndef KTRACE_MARKERS_H
#define KTRACE_MARKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_marker_info {
	const char *system; /* the file name of the program or library */
	const char *name;
	const char *format;
	const char *file;
	const char *function;
	uint32_t order; /* among those of the function, from 1 on */
	uint32_t line;
	bool enabled; /* a recorder gets it */
	bool printed; /* programs print it: ktrace_markers_print() */
	bool kernel;  /* of a kernel module, which then is the system */
};

/*
 * Calls @use for each that one of @patterns means (see ktrace-record(1), -M; none: for
 * all), of the process @pid and its libraries, 0: of all.  Ends when it returns
 * something else than 0, and returns that.  -ESRCH: the process has none.
 */
KTRACE_API int ktrace_markers_list(
	int pid, const char *const *patterns, size_t nr,
	int (*use)(void *data, const struct ktrace_marker_info *marker),
	void *data);
/*
 * Switches markers on or off in all recorders that run, and tells how many there are
 * now.  Programs that begin later follow as well.  -ESRCH: there is no recorder.
 */
KTRACE_API int ktrace_markers_switch(const char *const *patterns, size_t nr,
				     bool on, size_t *count);
/*
 * The same for what programs print to their standard error, until it is taken back.  There
 * need not be a recorder.
 */
KTRACE_API int ktrace_markers_print(const char *const *patterns, size_t nr,
				    bool on, size_t *count);
/*
 * Calls @use for each pattern of each recorder that runs, in the order in which they
 * came, and ends when it returns something else than 0, and returns that.  With a `!'
 * in front a pattern excludes; the last one that matches decides.  -ESRCH: there is no
 * recorder.
 */
KTRACE_API int ktrace_markers_patterns(int (*use)(void *data,
						  const char *pattern),
				       void *data);

/*
 * Markers of kernel modules, if the module ktrace is loaded; patterns as above.  To
 * ask, a session may be opened that leaves all as it is (no_load).
 *
 * Of each place: `enabled' says whether a session that runs has it.
 */
KTRACE_API int ktrace_session_markers(
	struct ktrace_session *session, const char *const *patterns, size_t nr,
	int (*use)(void *data, const struct ktrace_marker_info *marker),
	void *data);
/*
 * The session is to have those that some patterns mean, also of modules that are loaded
 * later, until it is reset.  Tells how many there are now.  -E2BIG: too many patterns,
 * here and below.
 */
KTRACE_API int ktrace_session_mark(struct ktrace_session *session,
				   const char *const *patterns, size_t nr,
				   size_t *count);
/*
 * All sessions that run have them, or no longer.  -ESRCH: none runs; -EINVAL: a pattern
 * with a `!' says what is not to be off.
 */
KTRACE_API int ktrace_session_mark_running(struct ktrace_session *session,
					   const char *const *patterns,
					   size_t nr, bool on, size_t *count);
/* Each hit is a line in the kernel's log, or no longer.  -EINVAL as above. */
KTRACE_API int ktrace_session_print(struct ktrace_session *session,
				    const char *const *patterns, size_t nr,
				    bool on, size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_MARKERS_H */
