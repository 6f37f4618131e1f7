/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Recordings: they write a trace from a session, from the markers of programs,
 * or from both.
 *
 * All that the scheduler does in ten seconds; the pointers are NULL at first:
 *
 *	struct ktrace_session_options session_options = {
 *		.size = sizeof(session_options),
 *	};
 *	struct ktrace_recording_options options = {
 *		.size = sizeof(options),
 *		.directory = "ktrace.data",
 *	};
 *	const char *patterns[] = {"sched"};
 *
 *	err = ktrace_session_open(&session_options, &session);
 *	if (err)
 *		return err;
 *	err = ktrace_session_claim(session);
 *	if (!err)
 *		err = ktrace_session_prepare(session, patterns, 1);
 *	if (!err)
 *		err = ktrace_session_enable(session, "sched", NULL, true);
 *	if (!err)
 *		err = ktrace_recording_create(session, &options, &recording);
 *	if (!err)
 *		err = ktrace_recording_start(recording);
 *	if (!err) {
 *		sleep(10);
 *		err = ktrace_recording_stop(recording, "time is up");
 *	}
 *	ktrace_recording_destroy(recording);
 *	ktrace_session_close(session);
 */
#ifndef KTRACE_RECORDING_H
#define KTRACE_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ktrace/debuginfod.h>
#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_branches; /* <ktrace/branches.h> */
struct ktrace_recording;

struct ktrace_recording_options {
	size_t size;	       /* of this struct */
	const char *directory; /* to be created; must not exist */
	const char *version;   /* the recorder's */
	char *const *command;  /* recorded; ends with NULL; may be NULL */
	bool overwrite;	 /* flight recorder: read the buffers at the end */
	uint64_t buffer; /* bytes per CPU; 0: do not change it */
	bool keep;	 /* do not discard what the buffers hold */
	bool follow;	 /* it will be followed; not together with overwrite */
	/* Markers of programs: see ktrace-record(1).  NULL: none. */
	const char *const *programs;
	size_t nr_programs;
	/*
	 * Called in any thread for each marker that is wanted but cannot be
	 * recorded.
	 */
	void (*warn)(void *data, const char *text);
	void *data;
	/*
	 * Records programs' markers only of these processes and of those that
	 * they start.  For the kernel's events see the session's file pids.
	 */
	const pid_t *pids;
	size_t nr_pids;
	/*
	 * With @follow, without @programs: nobody but the follower reads the
	 * trace.  So types of events are not written to its metadata; the
	 * follower gets them from the session. It must close the trace before
	 * the recording is destroyed and before the session.
	 */
	bool unread;
	/*
	 * Without @directory: a file, pipe or socket, to which the trace is
	 * written as a stream for ktrace_open_stream().  The caller keeps it,
	 * ignores SIGPIPE, and calls ktrace_recording_sync() now and then.
	 */
	int output;
	/*
	 * Asks servers for debug files of programs that are not here, when names are looked up at
	 * the end; may be used until the recording is destroyed.  NULL: nobody is asked.
	 */
	const struct ktrace_debuginfod *debuginfod;
	/*
	 * What these trace comes into the trace, as it is when the recording ends; they have names
	 * (not @events).  Nobody else uses them from the recording's creation until it was stopped; then
	 * they trace nothing any more.  They are closed after it was destroyed.  NULL: none.
	 */
	struct ktrace_branches *branches;
	/*
	 * Records events of the kernel only on these CPUs, like "0,2-3"; the others get no buffer.
	 * NULL: on all.  Ignored with @keep.
	 */
	const char *cpus;
};

struct ktrace_recording_status {
	uint64_t events; /* written so far */
	uint64_t bytes;
	uint64_t recorded; /* by the kernel, including what was overwritten */
	uint64_t lost[KTRACE_LOST_ROOM]; /* by enum ktrace_lost */
	uint64_t unwritten; /* after stop: read, but the disk had no room */
	uint64_t buffered;  /* bytes in the buffers that are not written yet */
	int error;	    /* 0, or why writing ended early */
	/*
	 * Those above, except @buffered, are of all traces of ktrace_recording_rotate().  These are of
	 * the newest one.
	 */
	uint64_t bytes_newest;
	uint64_t events_newest;
};

/*
 * Sets mode and size of the buffers, maps them, creates the directory and
 * writes the metadata that is known before the first event.  @session NULL:
 * records only programs' markers, without the kernel.
 */
KTRACE_API int ktrace_recording_create(
	struct ktrace_session *session,
	const struct ktrace_recording_options *options,
	struct ktrace_recording **recording);
/* Switches the session on. */
KTRACE_API int ktrace_recording_start(struct ktrace_recording *recording);
/*
 * A descriptor that becomes readable when the recording cannot continue.  Then
 * stop it.
 */
KTRACE_API int ktrace_recording_fd(const struct ktrace_recording *recording);
/*
 * The descriptor of the directory that it writes to, which belongs to the recording; negative: to
 * none.  After ktrace_recording_rotate() it is another one, unless the recording goes on as before.
 */
KTRACE_API int ktrace_recording_directory(
	const struct ktrace_recording *recording);
/* @size is that of the caller's struct. */
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
 * Fails if a part of what was recorded is missing in the trace; the rest is
 * readable.
 */
KTRACE_API int ktrace_recording_stop(struct ktrace_recording *recording,
				     const char *reason);

/*
 * Ends the trace with @reason, and goes on in @directory, which must not exist: each of the two is
 * a complete trace.  No event is lost or doubled in between; on each CPU, all events of the first
 * are before those of the second.  With the option @overwrite, the first is what the buffers hold
 * now: a snapshot.  As often as wanted; from the thread that has the recording.
 *
 * -EOPNOTSUPP: not with branches, to a stream, with the options @follow or @keep, or with markers of
 * programs in mode overwrite.  Then, and if @directory cannot be made, the recording goes on as
 * before.  If it fails otherwise, stop the recording: both traces have what they say, but the
 * recording may have ended early.  The descriptor of ktrace_recording_fd() need not be readable then.
 *
 * The strings and lists in the options that it was created with must still be there.
 */
KTRACE_API int ktrace_recording_rotate(struct ktrace_recording *recording,
				       const char *directory,
				       const char *reason);

/*
 * After stop: the hits that sources of events missed since the start (with @keep: since the
 * session was made).  Returns their number.
 */
KTRACE_API size_t
ktrace_recording_misses(const struct ktrace_recording *recording,
			const struct ktrace_miss **misses);

/* The same of each probe that was reached.  Returns their number. */
KTRACE_API size_t
ktrace_recording_probe_hits(const struct ktrace_recording *recording,
			    const struct ktrace_probe_hits **hits);

/*
 * Following: the trace is read while it is being written.  Cursors of @trace
 * return KTRACE_END where it is not complete yet, and continue after the next
 * sync.  The first sync after stop completes the trace.  An event is delivered
 * about two syncs after it happened.  Close the trace with ktrace_close().
 *
 * With @forget the disk space of what a cursor has read is freed, so that an
 * endless recording can be followed.  Then the trace can have only one cursor,
 * and cannot be opened again.
 *
 * After stop any recording can be followed, also without the option @follow.  This is
 * faster than ktrace_open(), because the types of events are known here.
 *
 * A recording to a stream (output) is followed by the reader of the stream.  A
 * sync without @trace tells this reader how far the stream is complete.
 *
 * A recording into a directory can be followed by other processes (ktrace_open_follow()).  A sync without
 * @trace tells them the same; without such readers it does nothing.  Not in overwrite mode: then they
 * get all at the end.
 */
KTRACE_API int ktrace_recording_follow(struct ktrace_recording *recording,
				       bool forget, struct ktrace **trace);
/* Is there such a reader?  Who records asks some times in a second. */
KTRACE_API bool ktrace_recording_is_followed(
	const struct ktrace_recording *recording);
KTRACE_API int ktrace_recording_sync(struct ktrace_recording *recording,
				     struct ktrace *trace);
/* Call it after events were enabled: the next sync adds their types. */
KTRACE_API void ktrace_recording_types(struct ktrace_recording *recording);

/* If the recording was not stopped, its trace looks cut off. */
KTRACE_API void ktrace_recording_destroy(struct ktrace_recording *recording);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_RECORDING_H */
