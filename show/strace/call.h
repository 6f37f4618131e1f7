/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A system call on its way to a line of text: what its two events say, and the
 * printers of arguments.  syscall.c puts them together.
 */
#ifndef KT_SHOW_STRACE_CALL_H
#define KT_SHOW_STRACE_CALL_H

#include <string.h>

#include <signal.h>

#include <ktrace/syscall.h>
#include <ktrace/trace.h>

#include "show.h"

/* Text that grows; what does not fit into memory is left out. */
struct line {
	char *s;
	size_t len;
	size_t room;
};

void line_add(struct line *line, const char *s, size_t n);
void line_puts(struct line *line, const char *s);
/* Text of strangers: see escape.h. */
void line_text(struct line *line, const char *s);
void line_printf(struct line *line, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One of the two events; @type NULL: it is not there. */
struct call_side {
	const struct ktrace_type *type;
	uint8_t *payload;
	uint32_t size;
	uint32_t room;
};

struct call_view {
	const struct ktrace_types *types;
	const struct ktrace_call *call; /* NULL: nothing is known of it */
	struct call_side enter;
	struct call_side exit;
	int64_t result; /* of exit */
	uint32_t string_max;
};

/* What was captured of an argument. */
struct captured {
	const uint8_t *bytes;
	size_t size;
	bool there; /* something was */
	bool cut;
	bool unread; /* what follows could not be */
};

struct captured captured_find(const struct call_view *view, bool exit,
			      const char *name);
/* @suffix: of arguments that have several fields. */
struct captured captured_get(const struct call_view *view, bool exit,
			     unsigned int argument, const char *suffix);

uint64_t call_argument(const struct call_view *view, unsigned int argument);
unsigned int call_nr_arguments(const struct call_view *view);
/* The word for an argument; one that says nothing if there is none. */
const struct ktrace_word *call_word(const struct call_view *view,
				    unsigned int argument);
bool call_failed(const struct call_view *view);
/* Of a program whose pointers and longs have 4 bytes, by a line of calls.tab for those. */
bool call_is_compat(const struct call_view *view);

/*
 * "</etc/passwd>": what is behind a descriptor, @nth of those of an argument, or of
 * the result (KTRACE_CALL_ARGUMENTS); nothing if that was not asked for.
 */
void path_print(struct line *line, const struct call_view *view,
		unsigned int argument, unsigned int nth);
/* The text of it; false: there is none. */
bool path_find(const struct call_view *view, unsigned int argument,
	       unsigned int nth, const char **path, size_t *length);

/* Does showing the argument take what the exit says? */
bool argument_needs_exit(const struct call_view *view, unsigned int argument);

static inline bool word_is(const struct ktrace_word *word, const char *name)
{
	return !strcmp(word->word, name);
}
/* False: it and those behind it are not shown. */
bool argument_print(struct line *line, const struct call_view *view,
		    unsigned int argument);
/* Of one that points to memory; false: its word does not say what lies there. */
bool argument_memory(struct line *line, const struct call_view *view,
		     unsigned int argument);
/* fcntl: call_fcntl.c.  Is the argument what the call answers? */
bool fcntl_answers(const struct call_view *view);
/* As argument_print(). */
bool fcntl_argument(struct line *line, const struct call_view *view,
		    unsigned int argument);
void fcntl_result(struct line *line, const struct call_view *view);

/* "10 (SIGUSR1)" */
void result_signal(struct line *line, uint64_t signal);
/* "= -1 ENOENT (No such file or directory)" */
void result_print(struct line *line, const struct call_view *view);

/* Signals: call_signal.c */
struct signal_view {
	int number;
	int code;
	bool handled; /* or ignored on purpose */
	bool detailed;
	siginfo_t
		info; /* if it is detailed, the part that the kernel fills in */
};

enum signal_effect {
	SIGNAL_NOTHING,
	SIGNAL_STOPS,
	SIGNAL_KILLS,
};

/* Of bytes that are a siginfo; false: they are too few. */
bool signal_info(const uint8_t *bytes, size_t size, struct signal_view *view);
/* False: the event is no signal's. */
bool signal_read(const struct ktrace_event *event, struct signal_view *view);
enum signal_effect signal_effect(const struct signal_view *view);
/* Where it came from, by name. */
void signal_code(struct line *line, const struct signal_view *view);
/* ", si_pid=1, si_uid=0": who sent it, or why; or `,"pid":1,"uid":0'. */
void signal_members(struct line *line, const struct signal_view *view,
		    bool json);
/* "{si_signo=SIGSEGV, ...}" */
void signal_info_print(struct line *line, const struct signal_view *view);
/* "--- SIGSEGV {...} ---" */
void signal_print(struct line *line, const struct signal_view *view);

/* Values: call_value.c */
void value_string(struct line *line, const uint8_t *s, size_t n, bool cut);
/* Within <>, as strace has paths; @file: one that is deleted is told behind it. */
void value_path(struct line *line, const char *s, size_t n, bool file);
/* What is never text. */
void value_hex(struct line *line, const uint8_t *s, size_t n, bool cut);
void value_names(struct line *line, const char *set, uint64_t value);
void value_address(struct line *line, uint64_t address);
void value_signal(struct line *line, uint64_t signal);
void value_signals(struct line *line, uint64_t set);
void value_mode(struct line *line, uint64_t mode);
void value_sockaddr(struct line *line, const uint8_t *bytes, size_t size);

/*
 * What lies at a message's msg_control, of @size bytes that were captured, of @whole; it is
 * that of an argument: call_control.c.
 */
void control_print(struct line *line, const struct call_view *view,
		   unsigned int argument, const uint8_t *bytes, size_t size,
		   uint64_t whole, uint64_t address);

/* Structs: call_struct.c.  False: its layout is not known. */
bool value_struct(struct line *line, const struct call_view *view,
		  const char *name, const char *words, const uint8_t *bytes,
		  size_t size);

#endif /* KT_SHOW_STRACE_CALL_H */
