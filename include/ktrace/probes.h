/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Probes: events anywhere in the code of the kernel and of programs, with values of parameters,
 * registers and memory.  A text says where, and what is recorded:
 *
 *	[[SYSTEM:]NAME=]PLACE [EXPRESSION...]
 *
 * PLACE is one of
 *
 *	[MODULE:]FUNCTION		where the function begins; with the shell's wildcards,
 *					each that can be recorded as a function, 2048 at most
 *	[MODULE:]FUNCTION+OFFSET	an instruction of it; OFFSET in bytes
 *	[MODULE:]FUNCTION%return	where it has returned to; wildcards, too
 *	0xADDRESS[%return]		if several functions have the name
 *	[MODULE:]FUNCTION:LINE		by debugging information: a line of it, from 0 on
 *	[MODULE:]FILE:LINE		of a source file; FILE is the end of its path; without
 *					MODULE, of the kernel or else of a module that is loaded
 *
 * A function that was put into others is probed in each of them, if there is debugging information.
 *
 * The module need not be loaded, if it is one of the running kernel's: the probe waits for it, and is
 * armed before its first function runs.  If the module goes, the probe waits again.
 *
 * or, in a program or library, whose path begins with a slash (a blank, a colon, a semicolon and a
 * backslash in it are written as \NNN, three octal digits),
 *
 *	/PATH:FUNCTION			with the shell's wildcards: each that fits
 *	/PATH:FUNCTION+OFFSET
 *	/PATH:FUNCTION%return
 *	/PATH:FUNCTION:LINE		by debugging information: a line of it, from 0 on
 *	/PATH:FILE:LINE			of a source file; FILE is the end of its path
 *	/PATH:0xADDRESS[%return]	in its code, as objdump shows it
 *	/PATH:usdt:[PROVIDER:]NAME	a USDT probe (<sys/sdt.h>); wildcards, too
 *
 * All processes that run the file are probed; those that the session does not want record nothing.
 * What means several places makes several events, whose names have _2, _3 and so on behind them.
 * Places where the values cannot be had are left out, but for the last one.
 *
 * EXPRESSION is [NAME=]VALUE[:FORMAT].  VALUE is an expression of C, over
 *
 *	PARAMETER	where the function begins
 *	VARIABLE	anywhere, if there is debugging information
 *	$retval		what it returns; its place is FUNCTION%return
 *	$argN		its N-th parameter, if its type is not known; the N-th of a USDT probe
 *	$stackN		the N-th word of the stack, from 0 on
 *	%REGISTER	a register: %di or %rdi
 *
 * with members, `->', elements of arrays, `*', `&' and casts: file->f_path.dentry->d_name.name.
 * $params stands for all parameters.  Without any expression, all parameters are recorded, or what
 * is returned.  FORMAT is
 *
 *	u8 .. u64, s8 .. s64, x8 .. x64		a number of so many bits; x: hexadecimal
 *	u, s, x			the same, with the bits that its type has
 *	be16, be32, be64	a number in the byte order of networks
 *	string			the text to which it points, of a program or of the kernel
 *	symbol			the function of the kernel that is there
 *
 * Otherwise the type says how it is shown: names of enumerations and flags, texts of types char and
 * unsigned char, byte orders of __be16 and the like.  A struct is recorded member by member, without
 * arrays of numbers.
 */
#ifndef KTRACE_PROBES_H
#define KTRACE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/session.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The system of probes whose text has none. */
#define KTRACE_PROBE_SYSTEM "probe"

/* Valid during the call that has it. */
struct ktrace_probe {
	const char *system;
	const char *name;
	const char *place; /* as above; an address has the function it is in */
	const char *
		fields; /* as lines of the control tree's file `probes' have them */
	bool held;	/* it goes with the recorder that has it */
	/* ktrace_session_probes_add(): which of the texts, from 0 on. */
	uint64_t text;
	/*
	 * ktrace_session_probes_each(): how it is armed in the sessions that record it now, "jump",
	 * "ftrace" or "breakpoint" (NULL: in none; if they differ, the worst, with its reason), and
	 * how often the place was reached there without a hit:
	 * while another probe was handled on the CPU; returns, because too many calls were open; and
	 * where RCU was idle.
	 */
	const char *armed;
	uint64_t missed_nested, missed_open, missed_idle;
	/*
	 * ktrace_session_probes_add(): why a place, of several that a text means, has no event: there
	 * the values cannot be had, or the kernel takes no probe.  @place is its function.  NULL: it
	 * has one.
	 */
	const char *left_out;
	/*
	 * Beside the ways, `armed' may be "waiting", for its module, which is not loaded; so it is
	 * in ktrace_session_probes_add(), too.  Or "refused", when that came, for this reason.
	 */
	const char *refusal;
	/*
	 * ktrace_session_probes_add(): as in struct ktrace_probe_explanation; 0: its module is not
	 * loaded.
	 */
	uint64_t address;
	/*
	 * ktrace_session_probes_each(): how often it was hit in these sessions.  Conditions and sets
	 * of processes may have refused some of the hits; some may have been lost.
	 */
	uint64_t hits;
	/*
	 * ktrace_session_probes_add(): of a return that is probed at the instructions that return, how
	 * many others may end a call without a record: by a jump to another function (a tail call), or
	 * in a part of the function that the compiler has put elsewhere.  Only the first place of a
	 * function has it.
	 */
	uint64_t tail_calls;
};

/*
 * Makes an event of each text; none of them, if one is refused.  They are not enabled yet.
 * @held: they go when the session is closed, or its process ends, for whatever reason; otherwise
 * they stay until they are removed.  @use, which may be NULL, is called with each; if it returns
 * something other than 0, that is returned.  -EINVAL, -ENOENT: the error says what is wrong in
 * which text.
 */
KTRACE_API int ktrace_session_probes_add(
	struct ktrace_session *session, const char *const *texts, size_t nr,
	bool held, int (*use)(const struct ktrace_probe *probe, void *data),
	void *data);

/*
 * The file has the debugging information of the kernel that runs, or of a module that is loaded: the
 * probes that are added later take it from there.  Others are looked for where packages and builds
 * put them.  -EINVAL: it is not of this kernel, by its build id, or has no such information; -errno.
 */
KTRACE_API int ktrace_session_debug_file(struct ktrace_session *session,
					 const char *path);

/*
 * Calls @use with each probe that one of @patterns means (ktrace_pattern_match()); @nr is 0: with
 * all.  -ENOENT: a pattern means none.
 */
KTRACE_API int ktrace_session_probes_each(
	struct ktrace_session *session, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_probe *probe, void *data), void *data);

/* Removes those of ktrace_session_probes_each(), also if they are being recorded. */
KTRACE_API int ktrace_session_probes_remove(
	struct ktrace_session *session, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_probe *probe, void *data), void *data);

/* Where a probe can be in a program or library. */
struct ktrace_program_place {
	/* FUNCTION, FUNCTION:LINE, FILE:LINE or usdt:PROVIDER:NAME */
	const char *name;
	/* Of a USDT probe, as its note has them; NULL: it is none. */
	const char *arguments;
	uint64_t address; /* in the file's code, as objdump shows it */
	uint64_t size;	  /* of the function, in bytes; 0: not known */
	bool indirect; /* it is called once, and says what is called by this name */
	unsigned int line; /* of @file; 0: not known */
	/* Of a line: its source, as the compiler was given it, or ""; NULL: it is no line. */
	const char *file;
	uint64_t reserved[3];
};

/*
 * Calls @use with each function and each USDT probe of a file that one of @patterns means, by name;
 * @nr is 0: with all.  "FUNCTION:LINE" and "FILE:LINE", where LINE may have wildcards, mean the places
 * of lines: those where a statement begins.  LINE of a function is counted from where it is declared;
 * 0 is where it begins.  -ENOENT: a pattern means none, or there is no such file; -EINVAL: it is no
 * program or library.
 */
KTRACE_API int ktrace_program_places(
	const char *path, const char *const *patterns, size_t nr,
	int (*use)(const struct ktrace_program_place *place, void *data),
	void *data);

/* ---- explaining -------------------------------------------------------------- */

/* An instruction beside a place. */
struct ktrace_probe_instruction {
	uint64_t address;
	const uint8_t *bytes;
	uint64_t size;
	const char
		*text; /* in AT&T's notation, with what its target is called */
	uint64_t reserved[2];
};

/* What has a name at a place. */
struct ktrace_probe_variable {
	const char *name;  /* as an expression has it */
	const char *type;  /* in C; "": not known */
	const char *where; /* in words; NULL: it cannot be had */
	const char *why;   /* then, and where it can be had; NULL: it is here */
	bool is_parameter;
	bool is_global;
	uint64_t reserved[2];
};

/* A value that would be recorded. */
struct ktrace_probe_value {
	const char *name;
	const char *kind; /* "u8" to "u64", "s8" to "s64": what is recorded */
	const char
		*type; /* how it is shown: a type of C, "x64", "string" ... */
	const char *
		words; /* as lines of the control tree's file `probes' have them */
	const char *steps; /* the same in English */
	uint64_t
		size; /* in a record, in bytes, without the text it points to */
	uint64_t reserved[2];
};

/* A place that a text means.  Valid during the call that has it. */
struct ktrace_probe_explanation {
	const char *place;    /* as in struct ktrace_probe */
	const char *file;     /* the program's path; NULL: the kernel */
	const char *module;   /* of the kernel; "": none */
	const char *function; /* "": not known */
	const char *source;   /* path of the source file; NULL: not known */
	const char *
		inlined; /* functions that were put here into others, innermost first, with blanks between them; NULL: none */
	uint64_t line;	 /* of @source; 0: not known */
	uint64_t
		address; /* of the instruction; in a program as objdump shows it; 0, if its module is not loaded */
	uint64_t offset; /* behind the beginning of the function */
	uint64_t size;	 /* of the function, in bytes; 0: not known */
	/* Instructions around it: at most eight on each side. */
	const struct ktrace_probe_instruction *instructions;
	uint64_t nr_instructions;
	uint64_t
		at; /* which has the place; @nr_instructions: it is behind all */
	const char *no_code; /* why there are none; NULL: there are */
	/* In the function, the nearest ones where a probe could be; offsets.  -1: none is known. */
	int64_t before, behind;
	const struct ktrace_probe_variable *variables;
	uint64_t nr_variables;
	const struct ktrace_probe_value *values;
	uint64_t nr_values;
	uint64_t bytes; /* of a record with its header, without texts */
	uint64_t
		texts; /* how many values have a text, which is recorded, too */
	const char *
		place_refused; /* why there can be no probe; NULL: nothing is known */
	const char *
		values_refused; /* what is wrong with the values; NULL: nothing */
	const char *
		no_jump; /* why the kernel must stop by an exception; NULL: not known, or in a program */
	bool waits; /* its module is not loaded: it has no address, and no code */
	uint64_t tail_calls; /* as in struct ktrace_probe */
	uint64_t reserved[6];
};

struct ktrace_probe_explain_options {
	size_t size; /* of this struct */
	bool globals; /* variables outside of functions, too, of the same source */
	/*
	 * The kernel has refused the place, or stops there by an exception: its tables are read to say
	 * why, which takes about a second.
	 */
	bool refused;
};

/*
 * Says what a text means, without making a probe: calls @use with each of its places.  If that
 * returns something other than 0, it is returned.  @session may be NULL if the place is in a
 * program.  Places are passed also if there can be no probe.  -EINVAL, -ENOENT: the text means no
 * place, and the error says why.
 */
KTRACE_API int ktrace_session_probe_explain(
	struct ktrace_session *session, const char *text,
	const struct ktrace_probe_explain_options *options,
	int (*use)(const struct ktrace_probe_explanation *explanation,
		   void *data),
	void *data);

/*
 * The texts of the probes that @want accepts are recorded in this session, too.  Their events must
 * be disabled, and have no filter and no stacks yet.  Whose texts cannot be had, as by a group that
 * may not read the kernel's memory, is recorded without them.
 */
KTRACE_API int ktrace_session_texts(struct ktrace_session *session,
				    bool (*want)(const char *system,
						 const char *name, void *data),
				    void *data);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_PROBES_H */
