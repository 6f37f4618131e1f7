/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Recordings: a trace that is being written, from a session, from the markers of programs,
 * or from both.
 */
#ifndef KTRACE_RECORDING_H
#define KTRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_recording;

struct ktrace_recording_options {
	size_t size;	       /* of this struct */
	const char *directory; /* made here, must not be there */
	const char *version;   /* of the recorder */
	char *const
		*command; /* what is recorded; ends with NULL; may be NULL */
	bool overwrite;	  /* flight recorder: read the buffers at the end */
	uint64_t buffer;  /* bytes per CPU; 0: as it is */
	bool keep;	  /* begin with what is in the buffers already */
	bool follow;	  /* it will be followed; not with overwrite */
	/* Markers of programs: see ktrace-record(1).  NULL: none. */
	const char *const *programs;
	size_t nr_programs;
	/*
	 * Called for markers that are wanted but not recorded; in any thread.
	 */
	void (*warn)(void *data, const char *text);
	void *data;
	/*
	 * Record programs' markers only of these processes and those that they
	 * start. For the kernel's events see the session's file pids.
	 */
	const pid_t *pids;
	size_t nr_pids;
	/*
	 * With @follow, without @programs: nobody else will read the trace, so that its
	 * metadata need not describe events.  As the session tells of them, they are told
	 * of to who follows, who closes the trace before the session.
	 */
	bool unread;
	/*
	 * Without @directory: where to write the trace as a stream, for
	 * ktrace_open_stream().  It is a file, a pipe or a socket, and stays the
	 * caller's.  The caller ignores SIGPIPE, and calls ktrace_recording_sync()
	 * now and then.
	 */
	int output;
};

struct ktrace_recording_status {
	uint64_t events; /* written so far */
	uint64_t bytes;
	uint64_t
		recorded; /* by the kernel: written, overwritten, or in the buffers */
	uint64_t lost[KTRACE_LOST_ROOM]; /* by enum ktrace_lost */
	uint64_t
		unwritten; /* after stop: read, but the disk would not take it */
	uint64_t buffered; /* bytes that wait to be written */
	int error;	   /* 0, or why writing ended early */
};

/*
 * Sets mode and size of the buffers, maps them, makes the directory and writes
 * what is known before the first event.  @session NULL: records only programs'
 * markers, without the kernel.
 */
KTRACE_API int ktrace_recording_create(
	struct ktrace_session *session,
	const struct ktrace_recording_options *options,
	struct ktrace_recording **recording);
/* Switches the session on. */
KTRACE_API int ktrace_recording_start(struct ktrace_recording *recording);
/*
 * Readable when the recording of the kernel or of programs cannot continue:
 * then stop it.
 */
KTRACE_API int ktrace_recording_fd(const struct ktrace_recording *recording);
/* @size: of the caller's struct. */
KTRACE_API void ktrace_recording_status_get(
	struct ktrace_recording *recording,
	struct ktrace_recording_status *status, size_t size);
static inline void ktrace_recording_status(
	struct ktrace_recording *recording,
	struct ktrace_recording_status *status)
{
	ktrace_recording_status_get(recording, status, sizeof(*status));
}
/*
 * Switches the session off, writes the rest, and closes the trace with @reason.
 * Fails if the trace does not contain everything that was recorded; what could
 * be written is still readable.
 */
KTRACE_API int ktrace_recording_stop(struct ktrace_recording *recording,
				     const char *reason);

/*
 * Following: the trace is read while it is being written.  Cursors of @trace
 * end (KTRACE_END) where it is not complete yet, and continue after the next
 * sync; the first sync after stop completes it.  An event is delivered about
 * two syncs after it happened. With @forget the disk space that a cursor has
 * read is given back, so that an endless recording can be followed.  Then it
 * may have one cursor only, and the trace cannot be opened again.
 * ktrace_close() it.
 *
 * A recording to a stream (output) is followed by the reader of the stream.  A sync
 * without @trace tells it how far the stream is whole.
 */
KTRACE_API int ktrace_recording_follow(struct ktrace_recording *recording,
				       bool forget, struct ktrace **trace);
KTRACE_API int ktrace_recording_sync(struct ktrace_recording *recording,
				     struct ktrace *trace);
/*
 * Call it after enabling events: the next sync makes their types known to
 * @trace.
 */
KTRACE_API void ktrace_recording_types(struct ktrace_recording *recording);

/* Without stop it leaves a trace that looks cut off. */
KTRACE_API void ktrace_recording_destroy(struct ktrace_recording *recording);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_RECORDING_H */
