/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Capture programs: what to copy from the memory that an event's arguments
 * point to.
 *
 * A program is a list of fields, each a C type, a name and words of a stack
 * machine, separated by blanks:
 *
 *	char path: a1 string 4096; u8 data: a1 a2 bytes 32
 *
 *	a0 .. a7	push that argument
 *	NUMBER		push it
 *	i		push how often the loop has run so far; after the loop: in total
 *	+ - * & == >>	pop two numbers, push the result (>>: shifts modulo 64)
 *	exit_code	push with what the running process ends, as wait(2) has it: its
 *			status << 8, or the signal that kills it; 2^32 - 1 while it does
 *			not end
 *	dup		push the top again
 *	@1 @2 @4 @8	pop an address, push the number of that many bytes there
 *	put N		pop a number, append its N bytes
 *	string MAX	pop an address, append the string there and a NUL
 *	bytes MAX	pop a length and an address, append that many bytes
 *	path MAX	pop a file descriptor (AT_FDCWD: the working directory), append the
 *			path of its file and a NUL; only the NUL if there is no file,
 *			or its path is too long
 *	file MAX	the same, and behind that NUL what the file is, if the path does not
 *			say it (a device, a socket: kernel/base/object.h), and a NUL.  Both
 *			together have at most MAX bytes and the last NUL; if there is no
 *			room for the second, it is empty
 *	if ... end	pop; if it is zero, skip what is between
 *	each MAX ... next	pop a count; repeat what is between that many times
 *	while		pop; if it is zero, leave the loop
 *	records AT	pop a length and an address; push how many records are there.
 *			A record has its own length in 2 bytes, AT bytes from its start.
 *			At most KT_CAPTURE_RECORDS_MAX; a negative length: 0
 *	user, kernel	which memory is read from here on (default: user)
 *
 * At most MAX is copied or repeated.  If that leaves something out, the field
 * is marked as cut.  An address that cannot be read ends the field, and marks
 * it as unread; of bytes, those before the last page are there if they can be
 * read.
 *
 * In the payload, behind the event's own SIZE bytes of fixed size:
 *
 *	u16 cut		a bit for each field, the first lowest
 *	u16 unread
 *	u32 for each field: offset in the payload, length << 16; zero if there is
 *			nothing
 *	the data, without gaps
 *
 * A program must be verified before it runs.  A verified program ends after a
 * bounded number of steps and writes no more than its output_max, and every
 * byte of its result is one that it has written.  It may run in any context in
 * which its memory can be read without sleeping: it does not wait for pages
 * that are not resident.  Paths may be looked up only if no lock is held, as in
 * hooks of syscalls.
 */
#ifndef KT_CORE_CAPTURE_H
#define KT_CORE_CAPTURE_H

#include "env.h"

#define KT_CAPTURE_OPS_MAX     256
#define KT_CAPTURE_FIELDS_MAX  16
#define KT_CAPTURE_STACK_MAX   8
#define KT_CAPTURE_ARGUMENTS   8
#define KT_CAPTURE_STEPS_MAX   65536
#define KT_CAPTURE_OUTPUT_MAX  32768u
#define KT_CAPTURE_RECORDS_MAX 4096

enum kt_capture_code {
	KT_CAPTURE_FIELD, /* the next field begins */
	KT_CAPTURE_ARGUMENT,
	KT_CAPTURE_NUMBER,
	KT_CAPTURE_INDEX,
	KT_CAPTURE_EXIT_CODE,
	KT_CAPTURE_ADD,
	KT_CAPTURE_SUB,
	KT_CAPTURE_MUL,
	KT_CAPTURE_AND,
	KT_CAPTURE_EQ,
	KT_CAPTURE_SHIFT,
	KT_CAPTURE_DUP,
	KT_CAPTURE_LOAD,
	KT_CAPTURE_PUT,
	KT_CAPTURE_STRING,
	KT_CAPTURE_BYTES,
	KT_CAPTURE_IF,
	KT_CAPTURE_END,
	KT_CAPTURE_EACH,
	KT_CAPTURE_WHILE,
	KT_CAPTURE_NEXT,
	KT_CAPTURE_RECORDS,
	KT_CAPTURE_PATH,
	KT_CAPTURE_FILE,
	KT_CAPTURE_CODES,
};

/* @to: the other end of a jump: of IF its END, of WHILE and EACH its NEXT, of NEXT its EACH. */
struct kt_capture_op {
	u8 code;
	u8 kernel; /* LOAD, STRING, BYTES, RECORDS: of kernel memory */
	u16 to;
	u32 value; /* NUMBER; which word is the ARGUMENT; AT; size or MAX of others */
};

struct kt_capture {
	u16 nr_ops;
	u16 nr_fields;
	/* Set by kt_capture_verify(). */
	u32 output_max;
	/*
	 * Set if the program is "aN string MAX" and nothing else, possibly
	 * within "aN if" or "aN MASK & if"; else 0.
	 */
	u32 string_max;
	u8 string_argument; /* which word it is: see kt_capture_place() */
	u8 string_kernel;
	u8 string_condition;
	bool string_simple; /* of user memory, unless its address is zero */
	bool paths;	    /* it has paths, which are not allowed everywhere */
	u64 string_mask;    /* 0: without a condition */
	/*
	 * Set to N + 1 if each field is "aN MASK & if ... end", possibly with
	 * an "aM *" in front of the if, and all have the same N: while this
	 * argument is zero there is nothing to do.  Else 0.
	 */
	u8 idle;
	struct kt_capture_op ops[KT_CAPTURE_OPS_MAX];
};

/* A field as it was written; points into the text. */
struct kt_capture_field {
	const char *type;
	const char *name;
	u16 type_length;
	u16 name_length;
};

/*
 * Why a program is refused: what is wrong, and at which place (NULL: the whole
 * text).
 */
struct kt_capture_error {
	const char *what;
	const char *at;
};

/* 0, or -EINVAL or -E2BIG with *@error.  The result is verified. */
int kt_capture_parse(struct kt_capture *capture, const char *text,
		     struct kt_capture_field *fields,
		     struct kt_capture_error *error);

/*
 * Checks that a program can do no harm; it may be any bytes.  NULL, or why it
 * may not run.
 */
const char *kt_capture_verify(struct kt_capture *capture);

/*
 * Where a hook finds the arguments of a verified program: argument N is word words[N] of
 * what it passes to a run (its saved registers, say), instead of word N of a copy.
 * KT_CAPTURE_NO_WORD: it is not there.  NULL, or why the program may not run.
 */
#define KT_CAPTURE_NO_WORD 0xff
const char *kt_capture_place(struct kt_capture *capture,
			     const u8 words[KT_CAPTURE_ARGUMENTS]);

/* Bytes of the part that is always there. */
static inline u32 kt_capture_head(const struct kt_capture *capture)
{
	return 2 * sizeof(u16) + capture->nr_fields * sizeof(u32);
}

/* Is there nothing to capture if @argument is zero? */
static __always_inline bool kt_capture_idles(const struct kt_capture *capture,
					     u32 argument)
{
	return capture->idle == argument + 1;
}

/*
 * Writes the result of a run that finds nothing to capture; returns the
 * payload's size.
 */
static __always_inline u32 kt_capture_nothing(const struct kt_capture *capture,
					      void *payload, u32 size)
{
	u32 head = kt_capture_head(capture), at;
	const u32 zero = 0;

	for (at = 0; at < head; at += sizeof(zero))
		memcpy((u8 *)payload + size + at, &zero, sizeof(zero));
	return size + head;
}

/* Bytes that a payload may need if the event's own part has @size. */
static inline u32 kt_capture_size_max(const struct kt_capture *capture,
				      u32 size)
{
	return size + kt_capture_head(capture) + capture->output_max;
}

u32 kt_capture_run_any(const struct kt_capture *capture, const u64 *arguments,
		       void *payload, u32 size);

/* The head in front of a string that was copied completely. */
static __always_inline u64 kt_capture_string_head(u32 begin, u32 length)
{
	/* cut, unread and where it is, in little endian */
	return (u64)(begin | length << 16) << 32;
}

/*
 * Runs a program that captures only one string to which an argument points.  Most programs
 * do: for example for the path of an open(), and its retry when the syscall ends.
 */
static __always_inline u32
kt_capture_run_string(const struct kt_capture *capture, const u64 *arguments,
		      u8 *payload, u32 size)
{
	u32 max = capture->string_max;
	u32 begin = size + 2 * sizeof(u16) + sizeof(u32);
	u8 *to = payload + begin;
	/* cut, unread and where it is, in little endian */
	u64 head = (u64)begin << 32;
	long length;

	if (capture->string_mask &&
	    !(arguments[capture->string_condition] & capture->string_mask)) {
		memcpy(payload + size, &head, sizeof(head));
		return begin;
	}
	length = env_copy_string(to, arguments[capture->string_argument], max,
				 capture->string_kernel);
	if (likely(length >= 0)) {
		head = 0;
		if (unlikely(length >= (long)max)) {
			head = 1;
			length = max;
		}
		to[length++] = '\0';
		head |= (u64)(begin | (u32)length << 16) << 32;
	} else {
		head = 1ull << 16;
		length = 0;
	}
	memcpy(payload + size, &head, sizeof(head));
	return begin + length;
}

/*
 * Runs a program with @arguments: KT_CAPTURE_ARGUMENTS numbers or, if the program was placed,
 * the words among which they are.  Fills in the payload from @size on.  Returns the payload's
 * whole size.
 */
static __always_inline u32 kt_capture_run(const struct kt_capture *capture,
					  const u64 *arguments, void *payload,
					  u32 size)
{
	if (likely(capture->string_max))
		return kt_capture_run_string(capture, arguments, payload, size);
	return kt_capture_run_any(capture, arguments, payload, size);
}

/* Which fields of such a payload could not be read. */
static inline u16 kt_capture_unread(const void *payload, u32 size)
{
	u16 unread;

	memcpy(&unread, (const u8 *)payload + size + sizeof(u16),
	       sizeof(unread));
	return unread;
}

#endif /* KT_CORE_CAPTURE_H */
