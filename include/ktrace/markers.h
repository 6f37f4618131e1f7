/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Markers (ktrace-marker(3)) of this user's running programs, and of kernel
 * modules: lists them, and switches them on and off.
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
	uint32_t order; /* its number within the function, from 1 on */
	uint32_t line;
	bool enabled; /* a recorder records it */
	bool printed; /* programs print it: ktrace_markers_print() */
	bool kernel;  /* a kernel module's: the module is the system */
};

/*
 * Calls @use for each marker that matches one of @patterns (see
 * ktrace-record(1), -M; no patterns: all), of the process @pid and its
 * libraries (0: of all processes).  If @use returns something other than 0,
 * ends and returns that. -ESRCH: the process has none.
 */
KTRACE_API int ktrace_markers_list(
	int pid, const char *const *patterns, size_t nr,
	int (*use)(void *data, const struct ktrace_marker_info *marker),
	void *data);
/*
 * Switches markers on or off in all running recorders, and says how many match
 * now.  Programs that start later are included.  -ESRCH: there is no recorder.
 */
KTRACE_API int ktrace_markers_switch(const char *const *patterns, size_t nr,
				     bool on, size_t *count);
/*
 * The same for what programs print to their standard error, until it is
 * switched off.  No recorder is needed.
 */
KTRACE_API int ktrace_markers_print(const char *const *patterns, size_t nr,
				    bool on, size_t *count);
/*
 * Calls @use for each pattern of each running recorder, in the order in which
 * they were added.  If @use returns something other than 0, ends and returns
 * that. A pattern with a `!' in front excludes; the last one that matches
 * decides. -ESRCH: there is no recorder.
 */
KTRACE_API int ktrace_markers_patterns(int (*use)(void *data,
						  const char *pattern),
				       void *data);

/*
 * The same for markers of kernel modules, if the module ktrace is loaded;
 * patterns as above.  To list them, open a session with no_load, which changes
 * nothing.  `enabled' says whether a running session records the marker.
 */
KTRACE_API int ktrace_session_markers(
	struct ktrace_session *session, const char *const *patterns, size_t nr,
	int (*use)(void *data, const struct ktrace_marker_info *marker),
	void *data);
/*
 * Enables the markers that match in the session, including those of modules
 * that are loaded later, until it is reset.  Says how many match now.  -E2BIG:
 * too many patterns, here and below.
 */
KTRACE_API int ktrace_session_mark(struct ktrace_session *session,
				   const char *const *patterns, size_t nr,
				   size_t *count);
/*
 * Switches them on or off in all running sessions.  -ESRCH: none runs; -EINVAL:
 * a pattern with a `!' when switching off.
 */
KTRACE_API int ktrace_session_mark_running(struct ktrace_session *session,
					   const char *const *patterns,
					   size_t nr, bool on, size_t *count);
/*
 * Prints each hit as a line to the kernel's log, or stops that.  -EINVAL as
 * above.
 */
KTRACE_API int ktrace_session_print(struct ktrace_session *session,
				    const char *const *patterns, size_t nr,
				    bool on, size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_MARKERS_H */
