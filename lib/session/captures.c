// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Capture programs (core/capture.h) for system calls: made from the words of
 * calls.tab and the sizes in BTF, written to the session's file `capture'.
 *
 * The memory to which an argument NAME points becomes a field __NAME_val.  The
 * word says in which event it matters.  After a failed call there are no
 * results to capture.
 *
 * If something could not be read when a call began, the exit event has a field
 * of the same name, which tries again: by then the kernel has read the page in.
 * This is not done for memory that the call changes, nor after an exec, which
 * replaces the memory.
 */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <ucontext.h>

#include <ktrace/capture_names.h>
#include <ktrace/session.h>
#include <ktrace/syscall.h>

#include "kernel/btf.h"
#include "syscall/call.h"
#include "base/error.h"
#include "base/sized.h"
#include "session.h"
#include "commands.h"
#include "maker.h"

#define SET_BYTES    1024 /* of a set of descriptors or CPUs */
#define STRING_MAX   8192
#define ARRAY_MAX    1024
#define ENTRIES_ROOM 16384 /* of a directory */
#define ERESTART_RESTARTBLOCK \
	516 /* of the kernel; not in its headers for programs */

/* Bytes; another argument, or the result, is their number. */
static void buffer_make(struct maker *m, const struct ktrace_word *word,
			const char *type, size_t max)
{
	field_begin(m, type, "");
	condition(m);
	text_words(m->text, "a%u a%d bytes %zu end", m->index, word->from, max);
}

/* The same, but the argument points to their number. */
static void buffer_at_make(struct maker *m, const struct ktrace_word *word,
			   const char *type, size_t max)
{
	field_begin(m, type, "");
	condition(m);
	text_words(m->text, "a%u a%d @4 bytes %zu end", m->index, word->from,
		   max);
}

/* Few options are longer than a number; these are structs. */
static void option_make(struct maker *m, const struct ktrace_word *word)
{
	size_t size = sizeof(struct group_req);

	buffer_make(m, word, "u8", m->string_max > size ? m->string_max : size);
	filter_set_make(m);
}

static void option_exit(struct maker *m, const struct ktrace_word *word)
{
	buffer_at_make(m, word, "u8", m->string_max);
	filter_get_make(m);
}

/*
 * A second try to read a socket option: with the size that the option has, because programs
 * may say more.
 */
static void option_again(struct maker *m)
{
	field_begin(m, "u8", "");
	condition(m);
	text_words(m->text,
		   "a%u a1 1 == a2 13 == * a1 0 == a2 35 == a2 36 == + * + "
		   "1 + 4 * bytes 8 end",
		   m->index);
	filter_set_make(m);
}

/* A message of a queue begins with its type, a long, which is not in its size. */
static void queued_make(struct maker *m, const struct ktrace_word *word)
{
	unsigned int type = m->compat ? 4 : 8;

	field_begin(m, "u8", "");
	condition(m);
	text_words(m->text, "a%u a%d %u + bytes %u end", m->index, word->from,
		   type, type + m->string_max);
}

static void structs_make(struct maker *m, const struct ktrace_word *word)
{
	uint32_t size = enums_struct_size(m->enums, word->set);
	unsigned int most = STRUCTS_MAX;
	char type[80];

	if (!size || size > 1024)
		return;
	/* If more are shown, more are read. */
	if (m->string_max > most)
		most = m->string_max;
	if (most * size > STRUCTS_ROOM)
		most = STRUCTS_ROOM / size;
	snprintf(type, sizeof(type), "struct %s", word->set);
	if (*word->word == 'L') {
		list_make(m, word, type, size, most);
		return;
	}
	if (*word->word == 'p') {
		pointed_make(m, word, type, size, most);
		return;
	}
	if (*word->word == 'G') {
		buffer_make(m, word, type, size);
		return;
	}
	if (*word->word == 'V') {
		version_make(m, word, type, size);
		return;
	}
	if (*word->word == 'Z') {
		sized_make(m, word, type, size);
		return;
	}
	if (*word->word != 'A') {
		bytes_make(m, type, size);
		return;
	}
	field_begin(m, type, "");
	condition(m);
	text_words(m->text, "a%u a%d %u * bytes %u end", m->index, word->from,
		   size, size * most);
}

/*
 * After an exec that failed: the pointers themselves, if the entry could not follow one.
 * @what: of each, so many bytes.
 */
static void pointers_make(struct maker *m, unsigned int max, unsigned int what)
{
	unsigned int size = m->compat ? 4 : 8, i = m->index;

	field_begin(m, "u8", KTRACE_CAPTURED_POINTERS);
	/* It is the field before that was not read. */
	m->bit--;
	condition(m);
	text_words(m->text,
		   "4294967295 each %u a%u i %u * + @%u while a%u i %u * + %u "
		   "bytes %u next end",
		   max, i, size, size, i, size, what, what);
}

static void strings_make(struct maker *m, const char *suffix)
{
	unsigned int size = m->compat ? 4 : 8, i = m->index;
	unsigned int room = m->string_max + 2, rounds = rounds_for(room);

	if (m->unabbreviated)
		rounds = room < STRINGS_ROOM / 2 ? STRINGS_ROOM / 2 / room : 1;
	/* One more than are shown, if there is room: whether it is there tells the end. */
	else if (rounds == VECTOR_MAX && (rounds + 1) * room <= STRINGS_ROOM)
		rounds++;
	field_begin(m, "string", suffix);
	condition(m);
	text_words(m->text,
		   "4294967295 each %u a%u i %u * + @%u while a%u i %u * + @%u "
		   "string %u next end",
		   rounds, i, size, size, i, size, size, m->string_max + 1);
	if (m->again)
		pointers_make(m, VECTOR_MAX + 1, size);
}

static void count_make(struct maker *m)
{
	unsigned int size = m->compat ? 4 : 8;

	field_begin(m, "u32", "");
	condition(m);
	text_words(
		m->text,
		"4294967295 each 4096 a%u i %u * + @%u while next i put 4 end",
		m->index, size, size);
	if (m->again)
		pointers_make(m, 1024, 1);
}

/* Counts entries of different lengths, which follow each other. */
static void entries_make(struct maker *m)
{
	/*
	 * d_reclen follows d_ino and d_off, which are longs in struct
	 * linux_dirent.
	 */
	bool small = m->compat && !strcmp(m->call->name, "getdents");

	field_begin(m, "u32", "");
	condition(m);
	text_words(m->text, "a%u a6 records %d put 4 end", m->index,
		   small ? 8 : 16);
	if (!m->unabbreviated)
		return;
	field_begin(m, "u8", KTRACE_CAPTURED_DATA);
	condition(m);
	text_words(m->text, "a%u a6 bytes %d end", m->index, ENTRIES_ROOM);
}

/*
 * The argument is an address if it is not a small number.  F_GETLK, F_OFD_GETLK
 * and F_GETOWN_EX write their result there.  So at the exit it is captured for
 * them, and if the entry could not read it.
 */
static void lock_make(struct maker *m)
{
	/* 32-bit programs have two; F_GETLK, F_SETLK and F_SETLKW, 5 to 7, have the smaller one. */
	const char *size =
		m->compat ? "24 a1 4294967295 & 3 >> 0 == 8 * -" : "32";

	field_begin(m, m->compat ? "u8" : "struct flock", "");
	text_words(m->text, "a%u 4294901760 & if ", m->index);
	/*
	 * A program may have left anything in the upper half of the command.  A loop of one
	 * round is a second condition: an if cannot be within another.
	 */
	if (m->again)
		text_words(m->text,
			   "a7 %u & " CALL_OK
			   " a1 4294967295 & 5 == a1 4294967295 & 36 == +"
			   " a1 4294967295 & 16 == + %s* + 0 == 0 == each 1 ",
			   1u << m->bit++,
			   m->compat ? "a1 4294967295 & 12 == + " : "");
	text_words(m->text, "a%u %s bytes %d %send", m->index, size,
		   m->compat ? 24 : 32, m->again ? "next " : "");
}

/* One bit for each descriptor of the call, in whole words of 32 bits. */
static void set_make(struct maker *m)
{
	field_begin(m, "u8", "");
	condition(m);
	/* The program may have left anything in the upper half of the number. */
	text_words(m->text, "a%u a0 4294967295 & 31 + 5 >> 4 * bytes %u end",
		   m->index, SET_BYTES);
}

/* The last argument of pselect6: two words; the first points to the mask. */
static void mask_make(struct maker *m)
{
	unsigned int size = m->compat ? 4 : 8;

	bytes_make(m, "u8", 2 * size);
	field_begin(m, "u64", KTRACE_CAPTURED_MASK);
	condition(m);
	/* No bytes if the pointer is NULL. */
	text_words(m->text, "a%u @%u a%u @%u 0 == 0 == 8 * bytes 8 end",
		   m->index, size, m->index, size);
}

/*
 * The signal mask to which a handler returns.  It is on the stack; no argument
 * has it.
 */
static void frame_make(struct maker *m)
{
	m->name = KTRACE_CAPTURED_FRAME;
	field_begin(m, "u64", "");
	text_words(m->text, "a6 %zu + 8 bytes 8",
		   offsetof(ucontext_t, uc_sigmask));
}

static void string_make(struct maker *m, unsigned int max)
{
	field_begin(m, "char", "");
	condition(m);
	text_words(m->text, "a%u string %u end", m->index, max);
}

/* Read one by one: the first elements are there if the rest cannot be read. */
static void array_make(struct maker *m, const struct ktrace_word *word)
{
	bool nodes = !strcmp(word->set, "node");
	bool longs = nodes || !strcmp(word->set, "address");
	bool small = !strcmp(word->set, "id16");
	unsigned int size = small ? 2 : longs && !m->compat ? 8 : 4;
	/* One more than are shown: whether it is there, and can be read, is shown, too. */
	unsigned int rounds =
		m->string_max < ARRAY_MAX ? m->string_max + 1 : ARRAY_MAX;

	field_begin(m, size == 8 ? "u64" : size == 4 ? "u32" : "u16", "");
	condition(m);
	/* The number of bits is one too many. */
	if (nodes)
		text_words(m->text, "a%d %u + %u >> ", word->from, 8 * size - 2,
			   size == 8 ? 6 : 5);
	else
		text_words(m->text, "a%d 4294967295 & ", word->from);
	text_words(m->text, "each %u a%u i %u * + %u bytes %u next end", rounds,
		   m->index, size, size, size);
}

static void pages_make(struct maker *m, const struct ktrace_word *word)
{
	field_begin(m, "u8", "");
	condition(m);
	text_words(m->text, "a%u a%d 4095 + 12 >> bytes %u end", m->index,
		   word->from, m->string_max + 1);
}

/* What is left of a sleep is stored if the call fails with EINTR or is restarted. */
static void rest_make(struct maker *m, const struct ktrace_word *word)
{
	uint32_t size = enums_struct_size(m->enums, word->set);
	char type[80];

	if (!size || !m->exit)
		return;
	snprintf(type, sizeof(type), "struct %s", word->set);
	field_begin(m, type, "");
	text_words(m->text,
		   "a6 %d + 0 == a6 %d + 0 == + a%u * if a%u %u bytes %u end",
		   EINTR, ERESTART_RESTARTBLOCK, m->index, m->index, size,
		   size);
}

/* Old calls of 32-bit programs have numbers of 32 bits. */
static void times_make(struct maker *m, const struct ktrace_word *word,
		       size_t numbers)
{
	if (!strcmp(word->set, "32"))
		bytes_make(m, "u32", 4 * numbers);
	else
		bytes_make(m, "u64", 8 * numbers);
}

/* Words that mean the same at entry and exit, and for 32-bit programs. */
static bool simple_make(struct maker *m, const struct ktrace_word *word)
{
	const char *w = word->word;

	if (!strcmp(w, "D") || !strcmp(w, "len") || !strcmp(w, "wstatus"))
		bytes_make(m, "int", 4);
	else if (!strcmp(w, "U"))
		bytes_make(m, "u32", 4);
	else if (!strcmp(w, "H"))
		bytes_make(m, "u16", 2);
	else if (!strcmp(w, "fds"))
		bytes_make(m, "int", 8);
	else if (!strcmp(w, "sa") && m->exit)
		buffer_at_make(m, word, "struct sockaddr", 128);
	else if (!strcmp(w, "sa"))
		buffer_make(m, word, "struct sockaddr", 128);
	else if (!strcmp(w, "opt") && m->exit)
		option_exit(m, word);
	else if (!strcmp(w, "opt") && m->again)
		option_again(m);
	else if (!strcmp(w, "opt"))
		option_make(m, word);
	else if (!strcmp(w, "in") || !strcmp(w, "out"))
		buffer_make(m, word, "u8", m->string_max);
	else if (!strcmp(w, "queued"))
		queued_make(m, word);
	else if (!strcmp(w, "cpus"))
		buffer_make(m, word, "u8", SET_BYTES);
	else if (!strcmp(w, "set") && !strcmp(word->set, "old"))
		bytes_make(m, "u32", 4);
	else if (!strcmp(w, "set") && *word->set)
		buffer_make(m, word, "u8", 8);
	else if (!strcmp(w, "set"))
		bytes_make(m, "u64", 8);
	else if (!strcmp(w, "ldt"))
		buffer_make(m, word, "u8", 16);
	else if (!strcmp(w, "vec"))
		array_make(m, word);
	else if (!strcmp(w, "pages"))
		pages_make(m, word);
	else if (!strcmp(w, "argv"))
		strings_make(m, "");
	else if (!strcmp(w, "envp") && m->unabbreviated)
		strings_make(m, KTRACE_CAPTURED_DATA);
	else if (!strcmp(w, "envp"))
		count_make(m);
	else
		return false;
	return true;
}

static void argument_make(struct maker *m, const struct ktrace_word *word)
{
	if (simple_make(m, word))
		return;
	/* These have the same layout for 32-bit programs. */
	if (word_is(word, "by")) {
		command_make(m, word);
		members_insns(m, word);
		if (m->exit)
			members_moved(m, word);
	} else if (word_is(word, "P") && m->compat)
		bytes_make(m, "u32", 4);
	else if (word_is(word, "Q") || word_is(word, "X") || word_is(word, "P"))
		bytes_make(m, "u64", 8);
	else if (word_is(word, "dents"))
		entries_make(m);
	else if (word_is(word, "perf"))
		event_make(m);
	else if (m->compat && strncmp(m->call->name, "32:", 3))
		return; /* calls.tab has a "32:" line where it is known */
	else if (word_is(word, "S") || word_is(word, "A") ||
		 word_is(word, "T") || word_is(word, "L") ||
		 word_is(word, "V") || word_is(word, "G") ||
		 word_is(word, "Z") || word_is(word, "ptrs"))
		structs_make(m, word);
	else if (word_is(word, "iov"))
		vector_make(m, word);
	else if (word_is(word, "msg"))
		message_make(m);
	else if (word_is(word, "mmsg") && !m->compat)
		messages_make(m, word);
	else if (word_is(word, "rem"))
		rest_make(m, word);
	else if (word_is(word, "info") && !m->compat)
		/* The kernel stores less than it reads. */
		bytes_make(m, "u8", m->exit ? 48 : sizeof(siginfo_t));
	else if (word_is(word, "fdset"))
		set_make(m);
	else if (word_is(word, "sigarg"))
		mask_make(m);
	else if (word_is(word, "timespecs") || word_is(word, "timevals"))
		times_make(m, word, 4);
	else if (word_is(word, "times"))
		times_make(m, word, 2);
	else if (word_is(word, "time"))
		times_make(m, word, 1);
	else if (word_is(word, "futexto"))
		bytes_make(m, "u64", m->compat && !*word->set ? 8 : 16);
	else if (word_is(word, "fcntl"))
		lock_make(m);
}

/* Does the word want a capture when the call begins? */
static bool word_enters(const struct ktrace_word *word)
{
	static const char *const exits[] = {"out",   "fds", "wstatus",
					    "dents", "rem", "pages"};

	if (!word->in || (word_is(word, "str") && word->from >= 0))
		return false;
	for (size_t i = 0; i < sizeof(exits) / sizeof(*exits); i++) {
		if (word_is(word, exits[i]))
			return false;
	}
	return true;
}

static bool word_exits(const struct ktrace_word *word)
{
	static const char *const exits[] = {"out", "fds",   "wstatus", "dents",
					    "len", "fdset", "T",       "by",
					    "rem", "pages", "Z",       "perf"};

	if (word->out || (word_is(word, "A") && !strcmp(word->set, "pollfd")))
		return true;
	for (size_t i = 0; i < sizeof(exits) / sizeof(*exits); i++) {
		if (word_is(word, exits[i]))
			return true;
	}
	return word_is(word, "str") && word->from >= 0;
}

static void enter_captured(struct maker *m, const struct ktrace_word *word)
{
	if (!word_enters(word))
		return;
	if (word_is(word, "path"))
		string_make(m, PATH_READ);
	else if (word_is(word, "str") || word_is(word, "mounttype") ||
		 word_is(word, "mountdata"))
		string_make(m, string_room(m, word));
	else
		argument_make(m, word);
}

static void enter_argument(struct maker *m, const struct ktrace_word *word)
{
	enter_captured(m, word);
	if (m->paths)
		argument_paths(m, word);
}

/* An event of a call.  Enter events have the names of the arguments. */
struct call_event {
	const char *name; /* of the event */
	const char *call_name;
	bool compat;
	bool exit;
	unsigned int nr_fields;
	const char *fields[KTRACE_CALL_ARGUMENTS];
};

static void enter_make(struct maker *m, const struct ktrace_call *call,
		       const struct call_event *event)
{
	if (!strcmp(call->name, "rt_sigreturn") && !m->compat)
		frame_make(m);
	for (m->index = 0;
	     m->index < call->nr_arguments && m->index < event->nr_fields;
	     m->index++) {
		const struct ktrace_word *word = &call->arguments[m->index];

		m->name = event->fields[m->index];
		enter_argument(m, word);
	}
}

/* @bit: number of the argument's first field in the enter event. */
static void argument_again(struct maker *m, const struct ktrace_word *word,
			   unsigned int bit)
{
	m->again = true;
	m->exit = false;
	m->bit = bit;
	enter_captured(m, word);
	m->again = false;
	m->exit = true;
}

/*
 * Needs the numbers of the enter event's fields, so it makes them, too, in
 * @nowhere.
 */
static void exit_make(struct maker *m, const struct ktrace_call *call,
		      const struct call_event *enter, struct text *nowhere)
{
	struct maker counter = *m;
	unsigned int before;

	nowhere->len = 0;
	counter.text = nowhere;
	counter.exit = false;
	counter.nr_fields = 0;
	for (m->index = 0;
	     m->index < call->nr_arguments && m->index < enter->nr_fields;
	     m->index++) {
		const struct ktrace_word *word = &call->arguments[m->index];

		m->name = counter.name = enter->fields[m->index];
		counter.index = m->index;
		before = counter.nr_fields;
		enter_argument(&counter, word);
		if (!word_exits(word)) {
			argument_again(m, word, before);
			continue;
		}
		if (word_is(word, "str"))
			string_make(m, PATH_READ);
		else
			argument_make(m, word);
		if (word_is(word, "by") || word_is(word, "V") ||
		    word_is(word, "Z") || word_is(word, "perf"))
			argument_again(m, word, before);
		if (m->paths && word_is(word, "fds"))
			pair_paths(m);
		else if (m->paths && word_is(word, "msg"))
			message_paths(m);
	}
	if (m->paths)
		result_paths(m, call);
}

/* ---- the events --------------------------------------------------------------------- */

struct call_events {
	struct call_event *list;
	size_t nr;
	size_t found; /* where the last search ended */
};

/* Parses "event SYSTEM:NAME ...".  False: not an event of a call. */
static bool head_parse(char *line, struct call_event *event)
{
	static const char head[] = "event ", compat[] = "compat_",
			  system[] = "syscalls:", enter[] = "sys_enter_",
			  exit[] = "sys_exit_";

	*event = (struct call_event){0};
	if (strncmp(line, head, sizeof(head) - 1))
		return false;
	line += sizeof(head) - 1;
	event->compat = !strncmp(line, compat, sizeof(compat) - 1);
	line += event->compat ? sizeof(compat) - 1 : 0;
	if (strncmp(line, system, sizeof(system) - 1))
		return false;
	event->name = line += sizeof(system) - 1;
	line[strcspn(line, " ")] = '\0';
	event->exit = !strncmp(line, exit, sizeof(exit) - 1);
	if (!event->exit && strncmp(line, enter, sizeof(enter) - 1))
		return false;
	event->call_name =
		line + (event->exit ? sizeof(exit) : sizeof(enter)) - 1;
	return true;
}

/* Parses "\tfield:const char * filename;...". */
static void field_parse(char *line, struct call_event *event)
{
	char *end = strchr(line, ';'), *name = end;

	if (!end || event->nr_fields == KTRACE_CALL_ARGUMENTS)
		return;
	while (name > line &&
	       (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
		name--;
	*end = '\0';
	event->fields[event->nr_fields++] = name;
}

/* Parses the text of the session's file `info', in place. */
static int events_parse(char *text, struct call_events *events)
{
	struct call_event *event = NULL, *list;
	size_t room = 0;
	char *next;

	for (char *line = text; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = '\0';
		if (*line == '\t' && event && !event->exit)
			field_parse(line, event);
		if (*line != 'e')
			continue;
		if (events->nr == room) {
			room = room ? room * 2 : 256;
			list = realloc(events->list, room * sizeof(*list));
			if (!list)
				return error_set(-ENOMEM, "out of memory");
			events->list = list;
		}
		event = &events->list[events->nr];
		if (head_parse(line, event))
			events->nr++;
		else
			event = NULL;
	}
	return 0;
}

/*
 * The enter event of an exit event: nearly always the one before it in the
 * list.
 */
static const struct call_event *enter_find(struct call_events *events,
					   const struct call_event *exit)
{
	for (size_t i = 0; i < events->nr; i++) {
		size_t at = (events->found + i) % events->nr;
		const struct call_event *event = &events->list[at];

		if (event->exit || event->compat != exit->compat ||
		    strcmp(event->call_name, exit->call_name))
			continue;
		events->found = at;
		return event;
	}
	return NULL;
}

/* Makes no line if nothing is captured in the event. */
static void line_make(struct maker *m, struct text *nowhere,
		      struct call_events *events,
		      const struct call_event *event)
{
	const struct call_event *enter =
		event->exit ? enter_find(events, event) : event;
	size_t begin = m->text->len;

	m->call = call_named(event->call_name, event->compat);
	if (!m->call || !enter)
		return;
	m->exit = event->exit;
	m->compat = event->compat;
	m->nr_fields = 0;
	text_words(m->text, "%ssyscalls/%s: ", event->compat ? "compat_" : "",
		   event->name);
	if (m->exit)
		exit_make(m, m->call, enter, nowhere);
	else
		enter_make(m, m->call, enter);
	text_add(m->text, "\n", 1);
	if (!m->nr_fields && !m->text->failed)
		m->text->len = begin;
}

struct wish {
	bool (*want)(const struct ktrace_known *known, void *data);
	void *data;
};

static bool event_wanted(const struct ktrace_known *known, void *data)
{
	const struct wish *wish = data;

	return (!strcmp(known->system, "syscalls") ||
		!strcmp(known->system, "compat_syscalls")) &&
	       wish->want(known, wish->data);
}

int ktrace_session_syscalls_chosen(struct ktrace_session *session,
				   const struct ktrace_session_calls *wishes)
{
	struct text lines = {0}, nowhere = {0};
	struct ktrace_session_calls calls;
	struct call_events events = {0};
	struct maker m = {.text = &lines};
	struct wish wish;
	size_t size;
	char *info;
	int err;

	err = sized_copy(&calls, sizeof(calls), wishes);
	if (err)
		return err;
	if (calls.paths > KTRACE_PATHS_FILES)
		return error_set(-EINVAL, "%u is no kind of paths",
				 calls.paths);
	m.paths = calls.paths;
	m.unabbreviated = calls.unabbreviated;
	m.string_max =
		calls.string_max < STRING_MAX ? calls.string_max : STRING_MAX;
	wish = (struct wish){calls.want, calls.data};
	err = ktrace_session_write(session, "capture", "none");
	if (err)
		return err;
	err = session_info(session, wish.want ? event_wanted : NULL, &wish,
			   &info, &size);
	if (err)
		return err;
	if (!m.string_max)
		m.string_max = 1;
	/* Without type information some structs are shown as addresses. */
	m.enums = session_kernel_enums(session);
	err = events_parse(info, &events);
	for (size_t i = 0; !err && i < events.nr; i++)
		line_make(&m, &nowhere, &events, &events.list[i]);
	if (!err && (lines.failed || nowhere.failed))
		err = error_set(-ENOMEM, "out of memory");
	if (!err && lines.len) {
		lines.s[lines.len] = '\0';
		err = ktrace_session_write(session, "capture", lines.s);
	}
	text_free(&nowhere);
	text_free(&lines);
	free(events.list);
	free(info);
	return err;
}

int ktrace_session_syscalls_wanted(
	struct ktrace_session *session, unsigned int string_max, uint8_t paths,
	bool (*want)(const struct ktrace_known *known, void *data), void *data)
{
	const struct ktrace_session_calls calls = {
		.size = sizeof(calls),
		.string_max = string_max,
		.paths = paths,
		.want = want,
		.data = data,
	};

	return ktrace_session_syscalls_chosen(session, &calls);
}

int ktrace_session_syscalls(struct ktrace_session *session,
			    unsigned int string_max, uint8_t paths)
{
	return ktrace_session_syscalls_wanted(session, string_max, paths, NULL,
					      NULL);
}
