/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The names of fields with captured memory, in events of syscalls, signals and functions.
 * Whoever writes a capture program, records such a field or shows it must spell its name
 * alike.
 *
 * The names follow those of the arguments, and begin with two underscores, which no
 * argument of a syscall does. A field KTRACE_CAPTURED_VALUE holds the memory to which the
 * argument points, a field KTRACE_CAPTURED_PATH the paths of its descriptors, each with a
 * NUL. In its place there may be a field KTRACE_CAPTURED_FILE: behind the NUL of each path
 * is what the file is, with a NUL of its own, and empty if the path says it. It is one of
 *
 *	char MAJOR:MINOR	a device
 *	block MAJOR:MINOR
 *	pid PID			a pidfd of a process that had not gone
 *	PROTOCOL:[WHAT]		a socket; the kernel's name of its protocol, and its inode,
 *				addresses or name (kernel/base/object.h)
 *
 * For some arguments there are several fields, which differ in a suffix:
 *
 *	sendmsg(fd, msg, flags)	__fd_path, __msg_val, __msg_val_name, __msg_val_iov,
 *				__msg_val_data, __msg_val_control
 *
 * For functions, the suffix is an underscore and what was read: __inode_val_ino.
 *
 * If an argument depends on a command (as with ioctl), the suffix is an underscore and the
 * word of the argument (lib/syscall/commands.tab), or the name of its struct or of a
 * member.
 *
 * Only for libktrace and ktrace.ko: programs need it if they look up these fields by name.
 */
#ifndef KTRACE_CAPTURE_NAMES_H
#define KTRACE_CAPTURE_NAMES_H

#define KTRACE_CAPTURED_PREFIX "__"
/* What is behind the argument; of KTRACE_CAPTURED_END_MAX bytes at most. */
#define KTRACE_CAPTURED_VALUE_END "_val"
#define KTRACE_CAPTURED_PATH_END  "_path"
#define KTRACE_CAPTURED_FILE_END  "_file"
#define KTRACE_CAPTURED_END_MAX	  5
/* Formats of printf: the argument, and a suffix or "". */
#define KTRACE_CAPTURED_VALUE \
	KTRACE_CAPTURED_PREFIX "%s" KTRACE_CAPTURED_VALUE_END "%s"
#define KTRACE_CAPTURED_PATH \
	KTRACE_CAPTURED_PREFIX "%s" KTRACE_CAPTURED_PATH_END
#define KTRACE_CAPTURED_FILE \
	KTRACE_CAPTURED_PREFIX "%s" KTRACE_CAPTURED_FILE_END

/* What stands for an argument: the result, and the frame on the stack of rt_sigreturn. */
#define KTRACE_CAPTURED_RESULT "ret"
#define KTRACE_CAPTURED_FRAME  "frame"

/* Suffixes: parts of a message, the buffers of a vector, the mask of pselect6. */
#define KTRACE_CAPTURED_NAME	"_name"
#define KTRACE_CAPTURED_VECTOR	"_iov"
#define KTRACE_CAPTURED_DATA	"_data"
#define KTRACE_CAPTURED_CONTROL "_control"
#define KTRACE_CAPTURED_MASK	"_mask"
/*
 * Of an array of messages: so many of them; of each so many bytes of its name and of its
 * vector, and what its first buffer has.  They follow each other without gaps.
 */
#define KTRACE_CAPTURED_MESSAGES       32
#define KTRACE_CAPTURED_MESSAGE_NAME   128
#define KTRACE_CAPTURED_MESSAGE_VECTOR 128
/* Of strings of which some could not be read: the pointers. */
#define KTRACE_CAPTURED_POINTERS "_pointers"
/* Of structs with versions: what the call has stored, and the threads that clone3 is given. */
#define KTRACE_CAPTURED_NOW  "_now"
#define KTRACE_CAPTURED_TIDS "_tids"
/*
 * After all other suffixes: what could not be read when the call began, read when it ended.
 * Only where the call could return data in a field without it.
 */
#define KTRACE_CAPTURED_AGAIN "_again"

/* Masks, a bit for each captured field of the event: which are cut, which were not read. */
#define KTRACE_CAPTURED_CUT    KTRACE_CAPTURED_PREFIX "cut"
#define KTRACE_CAPTURED_UNREAD KTRACE_CAPTURED_PREFIX "unread"

/* The same for values of a probe: a bit for each field of the event, the first lowest. */
#define KTRACE_VALUES_UNREAD KTRACE_CAPTURED_PREFIX "values_unread"

/*
 * Of signal:signal_delivered: struct kernel_siginfo, the address of the handler, and with what the
 * process ends (-1 if it does not).
 */
#define KTRACE_CAPTURED_INFO	  KTRACE_CAPTURED_PREFIX "info"
#define KTRACE_CAPTURED_HANDLER	  KTRACE_CAPTURED_PREFIX "handler"
#define KTRACE_CAPTURED_EXIT_CODE KTRACE_CAPTURED_PREFIX "exit_code"

#endif /* KTRACE_CAPTURE_NAMES_H */
