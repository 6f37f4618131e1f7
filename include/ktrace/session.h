/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sessions of the control tree: which events are enabled, how large the buffers
 * are, and whether the session runs.  recording.h writes a trace from a
 * session; markers.h is for markers of programs and of kernel modules,
 * modules.h for the kernel modules of ktrace.
 *
 * The usual order of calls:
 *
 *	ktrace_session_open()		loads and mounts what is missing
 *	ktrace_session_claim()		keeps other recorders out
 *	ktrace_session_prepare()	makes the events of some patterns known
 *	ktrace_session_enable()		for each event that is wanted
 *	ktrace_recording_create()	creates the trace
 *	ktrace_recording_start()	starts recording
 *	ktrace_recording_stop()		completes the trace
 *
 * A session and all objects made from it are used by one thread at a time.
 */
#ifndef KTRACE_SESSION_H
#define KTRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/*
 * Many patterns: thousands of names without wildcards are found as fast as one.  They are numbered
 * from 0 on, as they are added.
 */
struct ktrace_patterns;

/* NULL: out of memory. */
KTRACE_API struct ktrace_patterns *ktrace_patterns_new(void);
KTRACE_API void ktrace_patterns_free(struct ktrace_patterns *set);
/* The text must stay as long as the set.  0 or -ENOMEM. */
KTRACE_API int ktrace_patterns_add(struct ktrace_patterns *set,
				   const char *pattern);
/*
 * Calls @use with the number of each pattern that matches, in no order, until it returns true, and
 * returns that.  @use is NULL: does one match?  @system is NULL: in any system.
 */
KTRACE_API bool ktrace_patterns_match(const struct ktrace_patterns *set,
				      const char *system, const char *name,
				      bool (*use)(size_t index, void *data),
				      void *data);

/* Sessions */

struct ktrace_session;

struct ktrace_session_options {
	size_t size;	  /* of this struct */
	const char *name; /* NULL: the default one; others are created */
	bool no_load;	  /* do not load kernel modules */
	/* Called for each step that may take time or change the machine. */
	void (*note)(void *data, const char *text);
	void *data;
};

KTRACE_API int ktrace_session_open(const struct ktrace_session_options *options,
				   struct ktrace_session **session);
/*
 * Gives up a claim.  The session itself stays as it is, unless close removes
 * it.
 */
KTRACE_API void ktrace_session_close(struct ktrace_session *session);
/* The folder of the control tree. */
KTRACE_API const char *ktrace_session_path(
	const struct ktrace_session *session);

/*
 * Keeps other recorders out until close or until the process ends, for whatever
 * reason.  -EBUSY: another process has it; the error names it.
 */
KTRACE_API int ktrace_session_claim(struct ktrace_session *session);

/*
 * Calls @use for each session except the default one, with its name.  If @use
 * returns something other than 0, ends and returns that.
 */
KTRACE_API int ktrace_sessions_each(struct ktrace_session *session,
				    int (*use)(void *data, const char *name),
				    void *data);
/*
 * Is it unused: not claimed, and its buffers not open?  *@running: it still
 * records.
 */
KTRACE_API bool ktrace_session_is_left(struct ktrace_session *session,
				       const char *name, bool *running);
/* Removes it with its buffers.  -EBUSY: somebody reads the buffers. */
KTRACE_API int ktrace_session_remove(struct ktrace_session *session,
				     const char *name);

/*
 * A file of the session.  The text ends with a NUL that @size (may be NULL)
 * does not count; free() it.  If write fails, the error has the kernel's
 * explanation.
 */
KTRACE_API int ktrace_session_read(struct ktrace_session *session,
				   const char *file, char **text, size_t *size);
KTRACE_API int ktrace_session_write(struct ktrace_session *session,
				    const char *file, const char *text);

/*
 * Makes all events known that match one of @patterns: loads probe modules, and
 * defines events for tracepoints that have only a prototype.  An event that
 * cannot be had is no error: see ktrace_session_missing().
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

/*
 * The missing events of the last prepare.  They belong to the session until the
 * next prepare.
 */
KTRACE_API size_t ktrace_session_missing(const struct ktrace_session *session,
					 const struct ktrace_missing **missing);

/* An event that can be recorded: its name, and its state in the session. */
struct ktrace_known {
	const char *system;
	const char *name;
	const char *module; /* of the tracepoint; "vmlinux": the kernel's */
	uint32_t id;	    /* 0: none yet */
	bool enabled;
	bool filtered;	/* it has a filter */
	bool stackless; /* it cannot be recorded with stacks */
	uint64_t reserved[2];
};

/* All known events, system by system; the caller frees the list. */
KTRACE_API int ktrace_session_known(struct ktrace_session *session,
				    struct ktrace_known **known, size_t *nr);

/*
 * The types of the events that @want accepts (NULL: all), with fields and all
 * details, which takes some time.  ktrace_types_destroy() frees them.
 */
KTRACE_API int ktrace_session_types(
	struct ktrace_session *session,
	bool (*want)(const struct ktrace_known *known, void *data), void *data,
	struct ktrace_types **types);

/*
 * Makes types of @info, which is text as the control tree's file `info' has it, of @size
 * bytes.  @btf: a file with the kernel's type information, for constants that the text has
 * by name; NULL: that of the running kernel.  ktrace_types_destroy() frees them.
 */
KTRACE_API int ktrace_types_parse(const char *info, size_t size,
				  const char *btf, struct ktrace_types **types);

/* @name NULL: all events of the system; @system NULL: all events. */
KTRACE_API int ktrace_session_enable(struct ktrace_session *session,
				     const char *system, const char *name,
				     bool on);
/* @filter NULL: removes the filter. */
KTRACE_API int ktrace_session_filter(struct ktrace_session *session,
				     const char *system, const char *name,
				     const char *filter);
/* How often the event profile:sample can be hit, per second and CPU: the file profile_rate. */
#define KTRACE_SAMPLE_RATE_DEFAULT 99
#define KTRACE_SAMPLE_RATE_MAX	   100000

/* Whose stacks; bits. */
enum ktrace_stacks {
	KTRACE_STACKS_KERNEL = 1, /* the kernel's functions that called */
	KTRACE_STACKS_USER =
		2, /* those of the program that entered the kernel */
	KTRACE_STACKS_BOTH = 3,
};

/*
 * Events that get stacks from now on, by ktrace_session_stacks(), have the last @nr branches that the
 * program has taken, too: 1 to KTRACE_BRANCHES_OF_EVENT; 0: none.  They are of threads that
 * ktrace_branches_open() traces for events.  Loads the module ktrace-branch if it is missing.
 * -EINVAL: more.
 */
#define KTRACE_BRANCHES_OF_EVENT 32
KTRACE_API int ktrace_session_branches(struct ktrace_session *session,
				       unsigned int nr);

/*
 * The events that @want accepts are recorded with stacks, but for those that cannot be
 * (stackless).  They must be known and disabled.
 * @filter: as for ktrace_session_filter(): only events that pass it have a stack; NULL: all have.
 * @whose: 0: no stack, only branches, if these are wanted (ktrace_session_branches()).
 * -EINVAL: an event's fields do not fit it; -EPERM: branches need CAP_SYS_PTRACE.
 */
KTRACE_API int ktrace_session_stacks(
	struct ktrace_session *session, enum ktrace_stacks whose,
	const char *filter,
	bool (*want)(const struct ktrace_known *known, void *data), void *data);
/*
 * Switches the session and all events off, and forgets what was chosen: filters, stacks, capture
 * programs, processes, patterns of markers, functions.  What the buffers have stays there, with its
 * types.  0 or a negative errno.
 */
KTRACE_API int ktrace_session_clear(struct ktrace_session *session);
/* The same, and empties the buffers. */
KTRACE_API int ktrace_session_reset(struct ktrace_session *session);

/* The kernel's counts, per CPU; the caller frees them. */
KTRACE_API int ktrace_session_counts(struct ktrace_session *session,
				     struct ktrace_cpu **cpus, size_t *nr_cpus);

/*
 * Unread events in the buffers, which a killed recorder has left.  Closes the
 * open packets.
 */
KTRACE_API int ktrace_session_left(struct ktrace_session *session,
				   uint64_t *events);

struct ktrace_clock {
	uint64_t trace_id;
	char name[16];
	uint64_t frequency;
	struct ktrace_sync sync; /* now */
	bool trusted;		 /* false: the CPUs' clocks may differ */
};

KTRACE_API int ktrace_session_clock(struct ktrace_session *session,
				    struct ktrace_clock *clock);

/* Functions */

/* What patterns begin with that mean the functions of system calls. */
#define KTRACE_FUNCTIONS_OF_SYSCALLS "syscalls:"

/*
 * Does a pattern mean a function?  It is NAME or MODULE:NAME, with the shell's wildcards, or
 * syscalls:NAME, which is the functions that do this system call for programs of 64 or 32 bits.
 * @module: "vmlinux" is the kernel itself; NULL: not known, so no module is meant.
 */
KTRACE_API bool ktrace_function_match(const char *pattern, const char *module,
				      const char *name);

/*
 * Does a pattern mean functions of one module, which is not loaded?  They will be recorded when
 * it is.
 */
KTRACE_API bool ktrace_function_waits(const char *pattern);

/*
 * Makes the session record the calls of the kernel's functions that match one of @patterns
 * (ktrace_function_match()): the events function:entry and
 * function:exit.  *@nr: how many functions that are.  Patterns with wildcards, and those that
 * wait (ktrace_function_waits()), also mean functions of modules that are loaded later.  A trace
 * has each function as an event function:NAME, its returns as return:NAME.  A pattern with a "!" in
 * front leaves functions out: the last pattern that means a function counts.  -ENOENT: a pattern
 * means no function; -EINVAL: functions are left out, but none is wanted.
 */
KTRACE_API int ktrace_session_functions(struct ktrace_session *session,
					const char *const *patterns,
					size_t nr_patterns, size_t *nr);

/*
 * Which functions are recorded, where, and when.  Patterns are as above; a function that
 * several of them mean is, in this order: cut, around, a root, inside.
 */
struct ktrace_functions {
	size_t size; /* of this struct */
	/* Recorded wherever they are called. Only here, and without @inside, "!" leaves some out. */
	const char *const *roots;
	size_t nr_roots;
	/* Recorded while one of the roots runs: what it calls. */
	const char *const *inside;
	size_t nr_inside;
	/* Not recorded, nor what they call. */
	const char *const *cut;
	size_t nr_cut;
	/* Of calls within roots, the root being the first; 0: as deep as it gets. */
	unsigned int depth;
	/* Not what interrupts call that come while a root runs. */
	bool no_interrupts;
	/*
	 * Not NULL: a call is recorded when it returns, as one event call:NAME instead of
	 * two, if this filter holds ("": always).  Its fields are duration (ns), ret, and
	 * those of the running task.
	 */
	const char *call_filter;
	/*
	 * Arguments are recorded as they are.  Otherwise, if not more than a hundred
	 * functions are meant, some of what they point to is recorded as well: the name of
	 * a file, say, in fields such as __file_val (capture_names.h).
	 */
	bool plain;
	/*
	 * Read this, too, of functions that have such an argument: "file->f_mode",
	 * "dentry->d_parent->d_name.name".  A text is a text; with ":string" behind it, any
	 * address is that of a text.  Each must fit a function.
	 */
	const char *const *reads;
	size_t nr_reads;
	/*
	 * Not NULL: a call of a root is recorded only if this holds when it begins.  It
	 * compares arguments by name, "count > 65536", and what is known of the running
	 * task, as filters of events do.  Each root must have these arguments, as numbers in
	 * registers.  Roots of modules that are loaded later are not recorded then; nor are they
	 * if call_filter compares ret.
	 */
	const char *entry_filter;
	/*
	 * Who called is recorded with each entry or, with call_filter, with each call, the
	 * function itself being the first; 0: no stacks.
	 */
	enum ktrace_stacks stacks;
	/*
	 * If there are some, roots are recorded only while one of these runs.  They are not
	 * recorded.
	 */
	const char *const *around;
	size_t nr_around;
};

/* As ktrace_session_functions(). *@nr: how many are roots or inside. */
KTRACE_API int ktrace_session_functions_choose(
	struct ktrace_session *session,
	const struct ktrace_functions *functions, size_t *nr);

/* A function of the kernel or of a module; valid during the call that has it. */
struct ktrace_function {
	const char *name;
	const char *module;    /* "vmlinux" for the kernel itself */
	const char *prototype; /* as in C; NULL: it has no type information */
	/* All arguments are in registers, so it can be hooked by a trampoline. */
	bool in_registers;
	const char *missing; /* why it cannot be recorded; NULL: it can be */
	uint64_t reserved[4];
};

/*
 * Calls @use with each function that a pattern means ("!" in front leaves some out): first those
 * that can be recorded, then those that cannot.  If @use returns something other than 0, ends and
 * returns that.  -ENOENT: a pattern means none; -EINVAL: functions are left out, but none is wanted.
 */
KTRACE_API int ktrace_session_functions_each(
	struct ktrace_session *session, const char *const *patterns,
	size_t nr_patterns,
	int (*use)(const struct ktrace_function *function, void *data),
	void *data);

/* System calls */

/* What is recorded of the file descriptors of syscalls.  Each costs more than the one before. */
enum ktrace_paths {
	KTRACE_PATHS_NONE,  /* their numbers */
	KTRACE_PATHS_NAMES, /* also their paths: fields __NAME_path */
	/*
	 * Also what a file is whose path does not say it: the number of a device, the addresses of
	 * a socket, the process of a pidfd.  Fields __NAME_file (capture_names.h) take the place of
	 * __NAME_path.
	 */
	KTRACE_PATHS_FILES,
};

/*
 * Makes the session capture the memory that arguments of syscalls point to, up
 * to @string_max bytes of data, and of file descriptors @paths, of enum ktrace_paths
 * (-EINVAL: another number; false and true are KTRACE_PATHS_NONE and _NAMES).
 * Their events must be known (ktrace_session_prepare) and disabled.
 */
KTRACE_API int ktrace_session_syscalls(struct ktrace_session *session,
				       unsigned int string_max, uint8_t paths);

/*
 * The same for the syscalls that @want accepts; both events of a syscall, or
 * none.
 */
KTRACE_API int ktrace_session_syscalls_wanted(
	struct ktrace_session *session, unsigned int string_max, uint8_t paths,
	bool (*want)(const struct ktrace_known *known, void *data), void *data);

/* What is captured of syscalls; zeroed behind @size: the least of all syscalls. */
struct ktrace_session_calls {
	size_t size;	     /* of this struct */
	uint32_t string_max; /* bytes of data */
	uint8_t paths;	     /* of enum ktrace_paths */
	/*
	 * Also what only struct ktrace_output_calls.unabbreviated shows: the instructions of
	 * filters, the entries of directories, the environment of a new program.
	 */
	bool unabbreviated;
	bool (*want)(const struct ktrace_known *known,
		     void *data); /* NULL: all */
	void *data;
};

/* The same with all that can be chosen. */
KTRACE_API int ktrace_session_syscalls_chosen(
	struct ktrace_session *session,
	const struct ktrace_session_calls *calls);

/*
 * Makes the event signal:signal_delivered known.  It has the whole siginfo
 * (field __info, as in the kernel, 48 bytes), the address of the handler
 * (__handler), and with what the process ends (__exit_code: as wait(2) has it,
 * -1 if it does not end).
 */
KTRACE_API int ktrace_session_signals(struct ktrace_session *session);

/*
 * The same event with __exit_code alone, and only for SIGKILL: it needs no
 * permission to read the kernel's memory.
 */
KTRACE_API int ktrace_session_kills(struct ktrace_session *session);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_SESSION_H */
