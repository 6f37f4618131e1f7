/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Recording: what is done to a live kernel.
 *
 *	ktrace_session_*()	a session of the control tree: which events are
 *				on, how large its buffers are, is it running
 *	ktrace_recording_*()	a trace that is being written from a session
 *	ktrace_module_*()	the kernel modules that all this needs
 *
 * The usual way:
 *
 *	ktrace_session_open()		loads and mounts what is missing
 *	ktrace_session_claim()		nobody else records with it
 *	ktrace_session_prepare()	the events of some patterns become known
 *	ktrace_session_enable()		for each that is wanted
 *	ktrace_recording_create()	makes the trace, ready to go
 *	ktrace_recording_start()	events flow
 *	ktrace_recording_stop()		the trace is complete
 *
 * Functions return 0 or a negative errno, and ktrace_last_error() (trace.h)
 * then says what happened and what to do about it.  A session and what was made
 * from it are used by one thread at a time.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <sys/types.h>

#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Patterns name events as SYSTEM:EVENT, where both parts may hold the shell's
 * wildcards.  A word without a colon means the system or the event of this
 * name.
 */
KTRACE_API bool ktrace_pattern_match(const char *pattern, const char *system,
				     const char *name);

/* Sessions */

struct ktrace_session;

struct ktrace_session_options {
	size_t size;	  /* of this struct */
	const char *name; /* NULL: the default session; another is made */
	bool no_load;	  /* leave the kernel's modules as they are */
	/* Told about each step that may take time or change the machine. */
	void (*note)(void *data, const char *text);
	void *data;
};

KTRACE_API int ktrace_session_open(const struct ktrace_session_options *options,
				   struct ktrace_session **session);
/* Gives up a claim; the session itself stays as it is, unless close removes it. */
KTRACE_API void ktrace_session_close(struct ktrace_session *session);
/* The folder of the control tree. */
KTRACE_API const char *ktrace_session_path(
	const struct ktrace_session *session);

/*
 * Keeps other recorders out until close or the end of the process, whatever
 * ends it.  -EBUSY: somebody else has it; the error names him.
 */
KTRACE_API int ktrace_session_claim(struct ktrace_session *session);

/*
 * Those beside the default session, by name; ends when @use returns something else
 * than 0, and returns that.
 */
KTRACE_API int ktrace_sessions_each(struct ktrace_session *session,
				    int (*use)(void *data, const char *name),
				    void *data);
/* Has nobody claimed it, nor opened its buffers?  @running: it records all the same. */
KTRACE_API bool ktrace_session_is_left(struct ktrace_session *session,
				       const char *name, bool *running);
/* Takes it away with what it has recorded.  -EBUSY: somebody reads its buffers. */
KTRACE_API int ktrace_session_remove(struct ktrace_session *session,
				     const char *name);

/*
 * A file of the session.  The text ends with a NUL that @size (may be NULL)
 * does not count; free() it.  What write refuses, it explains in the kernel's
 * words.
 */
KTRACE_API int ktrace_session_read(struct ktrace_session *session,
				   const char *file, char **text, size_t *size);
KTRACE_API int ktrace_session_write(struct ktrace_session *session,
				    const char *file, const char *text);

/*
 * Makes known all events that some of @patterns can mean: loads probe modules,
 * and defines events for tracepoints that have only a prototype.  What could
 * not be had is no error: see ktrace_session_missing().
 */
KTRACE_API int ktrace_session_prepare(struct ktrace_session *session,
				      const char *const *patterns,
				      size_t nr_patterns);

/* An event that exists, but cannot be recorded. */
struct ktrace_missing {
	const char *system;
	const char *name;
	const char *reason;
};

/* Those of the last prepare. Belongs to the session, until the next prepare. */
KTRACE_API size_t ktrace_session_missing(const struct ktrace_session *session,
					 const struct ktrace_missing **missing);

/* An event that can be recorded: its name, and what it is in the session. */
struct ktrace_known {
	const char *system;
	const char *name;
	const char *module; /* of the tracepoint; "vmlinux": of none */
	uint32_t id;	    /* 0: none yet */
	bool enabled;
	bool filtered; /* it has a filter */
	uint64_t reserved[2];
};

/* All of them; free() it. */
KTRACE_API int ktrace_session_known(struct ktrace_session *session,
				    struct ktrace_known **known, size_t *nr);

/*
 * The same with fields and all, which costs some time: of those that @want says,
 * or of all if it is NULL.  ktrace_types_destroy() it.
 */
KTRACE_API int ktrace_session_types(
	struct ktrace_session *session,
	bool (*want)(const struct ktrace_known *known, void *data), void *data,
	struct ktrace_types **types);

/* @name NULL: all of the system; @system NULL: all events. */
KTRACE_API int ktrace_session_enable(struct ktrace_session *session,
				     const char *system, const char *name,
				     bool on);
/* @filter NULL: none any more. */
KTRACE_API int ktrace_session_filter(struct ktrace_session *session,
				     const char *system, const char *name,
				     const char *filter);
/* Session off, events off, filters and conditions gone, buffers empty. */
KTRACE_API int ktrace_session_reset(struct ktrace_session *session);

/* What the kernel counted, per CPU; free() it. */
KTRACE_API int ktrace_session_counts(struct ktrace_session *session,
				     struct ktrace_cpu **cpus, size_t *nr_cpus);

/*
 * Events that wait in the buffers and nobody has read: what a recorder that was
 * killed leaves behind.  Closes the open packets.
 */
KTRACE_API int ktrace_session_left(struct ktrace_session *session,
				   uint64_t *events);

struct ktrace_clock {
	uint64_t trace_id;
	char name[16];
	uint64_t frequency;
	struct ktrace_sync sync; /* now */
	bool trusted; /* the kernel still takes it for the same on all CPUs */
};

KTRACE_API int ktrace_session_clock(struct ktrace_session *session,
				    struct ktrace_clock *clock);

/* Recordings */

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
	/* Markers that are not recorded though they are wanted; any thread. */
	void (*warn)(void *data, const char *text);
	void *data;
	/*
	 * Of programs' markers only those of these processes, and of what they start;
	 * for the kernel's events see the session's file pids.
	 */
	const pid_t *pids;
	size_t nr_pids;
	/*
	 * With @follow, without @programs: nobody else will read the trace, so that its
	 * metadata need not describe events.  As the session tells of them, they are told
	 * of to who follows, who closes the trace before the session.
	 */
	bool unread;
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
 * what is known before the first event.  @session NULL: without the kernel, only
 * programs' markers are recorded.
 */
KTRACE_API int ktrace_recording_create(
	struct ktrace_session *session,
	const struct ktrace_recording_options *options,
	struct ktrace_recording **recording);
/* Switches the session on. */
KTRACE_API int ktrace_recording_start(struct ktrace_recording *recording);
/* Readable when the recording cannot go on, of the kernel or of programs: stop it. */
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
 * Switches the session off, writes what is left, and closes the trace with
 * @reason.  Fails if the trace is not all that was recorded; what could be
 * written is readable then.
 */
KTRACE_API int ktrace_recording_stop(struct ktrace_recording *recording,
				     const char *reason);

/*
 * Following: the trace is read while it is being written.  Cursors of @trace end
 * (KTRACE_END) where it is not whole yet, and go on after the next sync; the first
 * sync after stop completes it.  An event is told some two syncs after it happened.
 * With @forget the disk space of what a cursor has read is given back, so that a
 * recording without an end can be followed: it has one cursor then, and nothing is
 * left to be opened again.  ktrace_close() it.
 */
KTRACE_API int ktrace_recording_follow(struct ktrace_recording *recording,
				       bool forget, struct ktrace **trace);
KTRACE_API int ktrace_recording_sync(struct ktrace_recording *recording,
				     struct ktrace *trace);
/* Events were enabled meanwhile: the next sync makes their types known to @trace. */
KTRACE_API void ktrace_recording_types(struct ktrace_recording *recording);

/* Without stop: leaves a trace that looks cut off. */
KTRACE_API void ktrace_recording_destroy(struct ktrace_recording *recording);

/* Markers of programs that run, of this user: see ktrace-marker(3) */

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

/* Modules */

/* Where the modules for the running kernel lie. */
struct ktrace_modules;

KTRACE_API int ktrace_modules_open(struct ktrace_modules **modules);
KTRACE_API void ktrace_modules_close(struct ktrace_modules *modules);
KTRACE_API const char *ktrace_modules_path(
	const struct ktrace_modules *modules);
/*
 * Loads one by name (no ".ko"); 0 also if it is there already.  -ENOENT: it
 * belongs to a module of the kernel that is not loaded, and @with_others is
 * false: that one is not to be loaded too.
 */
KTRACE_API int ktrace_modules_load(struct ktrace_modules *modules,
				   const char *name, bool with_others);
/* Takes all of ktrace's modules out of the kernel. */
KTRACE_API int ktrace_modules_unload(void);

/* An event and the probe module that has it. */
struct ktrace_modules_event {
	const char *system;
	const char *name;
	const char *module;
};

KTRACE_API size_t
ktrace_modules_events(const struct ktrace_modules *modules,
		      const struct ktrace_modules_event **events);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_SESSION_H */
