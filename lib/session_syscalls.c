// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Capture programs (core/capture.h) for system calls: from the words of calls.tab
 * and the sizes in BTF to the lines of the session's file `capture'.
 *
 * What an argument NAME points to becomes a field __NAME_val, of the event in which
 * the word says that it matters.  A call that failed has left nothing.
 *
 * What could not be read when a call began is tried again when it ends, by a field of
 * the same name in the exit event: by then the kernel has read it in.  Not so what the
 * call changes, nor the memory of a program that an exec has replaced.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>

#include <ktrace/syscall.h>

#include "btf.h"
#include "call.h"
#include "error.h"
#include "session.h"
#include "session_syscalls.h"

#define STRINGS_ROOM  16384 /* of all strings of a vector together */
#define VECTOR_MAX    32
#define STRUCTS_MAX   32
#define PATHS_ROOM    511 /* of each descriptor of many */
#define SET_MAX	      64  /* of a set of descriptors, those that have paths */
#define SET_ROOM      127
#define CONTROL_ROOM  512 /* of a message */
#define CONTROL_PATHS 8
#define SET_BYTES     1024 /* of a set of descriptors, or of CPUs */
#define STRING_MAX    8192

/* What a call must have returned for its results to be there. */
#define OK "a6 2147483648 & 0 =="

void field_begin(struct maker *m, const char *type, const char *suffix)
{
	if (m->nr_fields++)
		fputs("; ", m->f);
	fprintf(m->f, "%s __%s_val%s: ", type, m->name, suffix);
}

void condition_words(struct maker *m, const char *words)
{
	if (m->again && !strncmp(m->call->name, "execve", 6))
		fprintf(m->f, "a7 %u & a6 * if ", 1u << m->bit++);
	else if (m->again)
		fprintf(m->f, "a7 %u & if ", 1u << m->bit++);
	else
		fprintf(m->f, "%s if ", words);
}

void condition(struct maker *m)
{
	char words[8];

	snprintf(words, sizeof(words), "a%u", m->index);
	if (m->exit)
		fprintf(m->f, OK " a%u * if ", m->index);
	else
		condition_words(m, words);
}

static void bytes_make(struct maker *m, const char *type, size_t size)
{
	field_begin(m, type, "");
	condition(m);
	fprintf(m->f, "a%u %zu bytes %zu end", m->index, size, size);
}

/* Bytes whose number is another argument, or the result. */
static void buffer_make(struct maker *m, const struct ktrace_word *word,
			const char *type, size_t max)
{
	field_begin(m, type, "");
	condition(m);
	fprintf(m->f, "a%u a%d bytes %zu end", m->index, word->from, max);
}

/* ... or lies where another argument points to. */
static void buffer_at_make(struct maker *m, const struct ktrace_word *word,
			   const char *type, size_t max)
{
	field_begin(m, type, "");
	condition(m);
	fprintf(m->f, "a%u a%d @4 bytes %zu end", m->index, word->from, max);
}

static void structs_make(struct maker *m, const struct ktrace_word *word)
{
	uint32_t size = enums_struct_size(m->enums, word->set);
	char type[80];

	if (!size || size > 1024)
		return;
	snprintf(type, sizeof(type), "struct %s", word->set);
	if (*word->word != 'A') {
		bytes_make(m, type, size);
		return;
	}
	field_begin(m, type, "");
	condition(m);
	fprintf(m->f, "a%u a%d %u * bytes %u end", m->index, word->from, size,
		size * STRUCTS_MAX);
}

static unsigned int rounds_for(unsigned int size)
{
	unsigned int rounds = STRINGS_ROOM / size;

	return rounds < VECTOR_MAX ? rounds : VECTOR_MAX;
}

static void vector_make(struct maker *m, const struct ktrace_word *word)
{
	unsigned int i = m->index, max = m->string_max;
	unsigned int size = m->compat ? 4 : 8;

	field_begin(m, "struct iovec", "");
	condition(m);
	fprintf(m->f, "a%u a%d %u * bytes %u end", i, word->from, 2 * size,
		2 * size * VECTOR_MAX);
	field_begin(m, "u8", "_data");
	condition(m);
	fprintf(m->f,
		"a%d each %u a%u i %u * + @%u a%u i %u * + %u + @%u bytes %u "
		"next end",
		word->from, rounds_for(max), i, 2 * size, size, i, 2 * size,
		size, size, max);
}

static void message_make(struct maker *m)
{
	unsigned int i = m->index, max = m->string_max;
	/* msg_name, msg_namelen, msg_iov, msg_iovlen and so on, and their padding */
	unsigned int size = m->compat ? 4 : 8, n = size;

	bytes_make(m, "struct user_msghdr", 7 * size);
	field_begin(m, "struct sockaddr", "_name");
	condition(m);
	fprintf(m->f, "a%u @%u a%u %u + @4 bytes 128 end", i, n, i, n);
	field_begin(m, "struct iovec", "_iov");
	condition(m);
	fprintf(m->f, "a%u %u + @%u a%u %u + @%u %u * bytes %u end", i, 2 * n,
		n, i, 3 * n, n, 2 * n, 2 * n * VECTOR_MAX);
	field_begin(m, "u8", "_data");
	condition(m);
	fprintf(m->f,
		"a%u %u + @%u each %u a%u %u + @%u i %u * + @%u "
		"a%u %u + @%u i %u * + %u + @%u bytes %u next end",
		i, 3 * n, n, rounds_for(max), i, 2 * n, n, 2 * n, n, i, 2 * n,
		n, 2 * n, n, n, max);
	field_begin(m, "u8", "_control");
	condition(m);
	fprintf(m->f, "a%u %u + @%u a%u %u + @%u bytes %d end", i, 4 * n, n, i,
		5 * n, n, CONTROL_ROOM);
}

/*
 * Descriptors that are passed on, if those come first.  Where there is no control message
 * the msghdr takes its place, which can be read, and the number is zero.
 */
static void message_paths(struct maker *m)
{
	unsigned int i = m->index, n = m->compat ? 4 : 8;
	char any[32], control[80];

	snprintf(any, sizeof(any), "a%u %u + @%u 0 == 0 ==", i, 5 * n, n);
	snprintf(control, sizeof(control), "a%u %u + @%u a%u - %s * a%u +", i,
		 4 * n, n, i, any, i);
	fprintf(m->f, "; char __%s_path: ", m->name);
	m->nr_fields++;
	condition(m);
	/* cmsg_level, cmsg_type, and how many by cmsg_len */
	fprintf(m->f,
		"%s %s %u + @4 %d == * %s %u + @4 %d == * %s @%u %u - 2 >> * "
		"each %d a%u %u + @%u %u + i 4 * + @4 path %d next end",
		any, control, n, SOL_SOCKET, control, n + 4, SCM_RIGHTS,
		control, n, n + 8, CONTROL_PATHS, i, 4 * n, n, n + 8,
		PATHS_ROOM);
}

static void strings_make(struct maker *m)
{
	unsigned int size = m->compat ? 4 : 8, i = m->index;

	field_begin(m, "string", "");
	condition(m);
	fprintf(m->f,
		"4294967295 each %u a%u i %u * + @%u while a%u i %u * + @%u "
		"string %u next end",
		rounds_for(m->string_max + 2), i, size, size, i, size, size,
		m->string_max + 1);
}

static void count_make(struct maker *m)
{
	unsigned int size = m->compat ? 4 : 8;

	field_begin(m, "u32", "");
	condition(m);
	fprintf(m->f,
		"4294967295 each 4096 a%u i %u * + @%u while next i put 4 end",
		m->index, size, size);
}

/* Entries follow each other by their lengths; how many are there? */
static void entries_make(struct maker *m)
{
	/* d_reclen behind d_ino and d_off, which are longs in struct linux_dirent */
	bool small = m->compat && !strcmp(m->call->name, "getdents");

	field_begin(m, "u32", "");
	condition(m);
	fprintf(m->f, "a%u a6 records %d put 4 end", m->index, small ? 8 : 16);
}

/*
 * What is no small number may be the address of a lock.  F_GETLK, F_OFD_GETLK and
 * F_GETOWN_EX answer there: when the call ends, that is captured as well as what was
 * missing when it began.
 */
static void lock_make(struct maker *m)
{
	field_begin(m, "struct flock", "");
	if (m->again)
		fprintf(m->f,
			"a7 %u & " OK " a1 5 == a1 36 == + a1 16 == + * + ",
			1u << m->bit++);
	fprintf(m->f, "a%u 4294901760 & %sif a%u 32 bytes 32 end", m->index,
		m->again ? "* " : "", m->index);
}

/* As many bits as the call says, in whole words of the smaller kind. */
static void set_make(struct maker *m)
{
	field_begin(m, "u8", "");
	condition(m);
	fprintf(m->f, "a%u a0 31 + 5 >> 4 * bytes %u end", m->index, SET_BYTES);
}

/* The last argument of pselect6: what it points to, and what that points to. */
static void mask_make(struct maker *m)
{
	unsigned int size = m->compat ? 4 : 8;

	bytes_make(m, "u8", 2 * size);
	field_begin(m, "u64", "_mask");
	condition(m);
	/* No bytes of a null pointer. */
	fprintf(m->f, "a%u @%u a%u @%u 0 == 0 == 8 * bytes 8 end", m->index,
		size, m->index, size);
}

/* What a signal's handler returns to lies on the stack, which no argument tells. */
static void frame_make(struct maker *m)
{
	m->name = "frame";
	field_begin(m, "u64", "");
	fprintf(m->f, "a6 %zu + 8 bytes 8", offsetof(ucontext_t, uc_sigmask));
}

static void string_make(struct maker *m, unsigned int max)
{
	field_begin(m, "char", "");
	condition(m);
	fprintf(m->f, "a%u string %u end", m->index, max);
}

/* What is behind the descriptor that the words @which push. */
static void path_make(struct maker *m, const char *name, const char *which)
{
	if (m->nr_fields++)
		fputs("; ", m->f);
	fprintf(m->f, "char __%s_path: %s path %d", name, which, PATH_ROOM);
}

/* ... behind @nr of them, the words, each @size bytes behind the one before. */
static void paths_make(struct maker *m, const char *nr, unsigned int size)
{
	if (m->nr_fields++)
		fputs("; ", m->f);
	fprintf(m->f, "char __%s_path: ", m->name);
	condition(m);
	fprintf(m->f, "%s each %d a%u i %u * + @4 path %d next end", nr,
		STRUCTS_MAX, m->index, size, PATHS_ROOM);
}

/* ... behind those of a set of descriptors, one bit each, of as many as the call says. */
static void set_paths_make(struct maker *m)
{
	if (m->nr_fields++)
		fputs("; ", m->f);
	fprintf(m->f,
		"char __%s_path: a%u 0 == 0 == a0 * each %d "
		"a%u i 3 >> + @1 i 7 & >> 1 & if i path %d end next",
		m->name, m->index, SET_MAX, m->index, SET_ROOM);
}

static void argument_paths(struct maker *m, const struct ktrace_word *word)
{
	char text[16];

	if (word_is(word, "fd") || word_is(word, "atfd")) {
		snprintf(text, sizeof(text), "a%u", m->index);
		path_make(m, m->name, text);
	} else if (word_is(word, "A") && !strcmp(word->set, "pollfd")) {
		snprintf(text, sizeof(text), "a%d", word->from);
		paths_make(m, text, 8);
	} else if (word_is(word, "fdset")) {
		set_paths_make(m);
	} else if (word_is(word, "msg")) {
		message_paths(m);
	}
}

/* Descriptors that the call has made. */
static void result_paths(struct maker *m, const struct ktrace_call *call)
{
	if (!strcmp(call->result.word, "fd"))
		path_make(m, "ret", OK " if a6");
	/* F_DUPFD, F_DUPFD_CLOEXEC */
	else if (call->nr_arguments > 2 &&
		 word_is(&call->arguments[2], "fcntl"))
		path_make(m, "ret", OK " a1 0 == a1 1030 == + * if a6");
	else
		return;
	fputs(" end", m->f);
}

/* Words that mean the same in both directions, and in 32 bits too. */
static bool simple_make(struct maker *m, const struct ktrace_word *word)
{
	const char *w = word->word;

	if (!strcmp(w, "D") || !strcmp(w, "len") || !strcmp(w, "wstatus"))
		bytes_make(m, "int", 4);
	else if (!strcmp(w, "U"))
		bytes_make(m, "u32", 4);
	else if (!strcmp(w, "fds"))
		bytes_make(m, "int", 8);
	else if (!strcmp(w, "sa") && m->exit)
		buffer_at_make(m, word, "struct sockaddr", 128);
	else if (!strcmp(w, "sa"))
		buffer_make(m, word, "struct sockaddr", 128);
	else if (!strcmp(w, "opt") && m->exit)
		buffer_at_make(m, word, "u8", m->string_max);
	else if (!strcmp(w, "in") || !strcmp(w, "out") || !strcmp(w, "opt"))
		buffer_make(m, word, "u8", m->string_max);
	else if (!strcmp(w, "cpus"))
		buffer_make(m, word, "u8", SET_BYTES);
	else if (!strcmp(w, "set"))
		bytes_make(m, "u64", 8);
	else if (!strcmp(w, "argv"))
		strings_make(m);
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
	/* What lies in memory alike for programs of both kinds. */
	if (word_is(word, "by"))
		command_make(m, word);
	else if (word_is(word, "Q"))
		bytes_make(m, "u64", 8);
	else if (word_is(word, "dents"))
		entries_make(m);
	else if (m->compat && strncmp(m->call->name, "32:", 3))
		return; /* the table says what it is for others */
	else if (word_is(word, "S") || word_is(word, "A") || word_is(word, "T"))
		structs_make(m, word);
	else if (word_is(word, "iov"))
		vector_make(m, word);
	else if (word_is(word, "msg"))
		message_make(m);
	else if (word_is(word, "X"))
		bytes_make(m, "u64", 8);
	else if (word_is(word, "info") && !m->compat)
		bytes_make(m, "u8", 48); /* what the kernel has of it */
	else if (word_is(word, "fdset"))
		set_make(m);
	else if (word_is(word, "sigarg"))
		mask_make(m);
	else if (word_is(word, "timespecs"))
		bytes_make(m, "u64", 32);
	else if (word_is(word, "futexto"))
		bytes_make(m, "u64", m->compat ? 8 : 16);
	else if (word_is(word, "fcntl") && !m->compat)
		lock_make(m);
}

/* When a call begins: does the word want something captured? */
static bool word_enters(const struct ktrace_word *word)
{
	static const char *const exits[] = {"out", "fds", "wstatus", "dents"};

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
					    "len", "fdset", "T",       "by"};

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
		string_make(m, PATH_ROOM);
	else if (word_is(word, "str"))
		string_make(m, m->string_max + 1);
	else
		argument_make(m, word);
}

static void enter_argument(struct maker *m, const struct ktrace_word *word)
{
	enter_captured(m, word);
	if (m->paths)
		argument_paths(m, word);
}

static void enter_make(struct maker *m, const struct ktrace_call *call,
		       const struct ktrace_type *type)
{
	if (!strcmp(call->name, "rt_sigreturn") && !m->compat)
		frame_make(m);
	for (m->index = 0;
	     m->index < call->nr_arguments && m->index < type->nr_fields;
	     m->index++) {
		const struct ktrace_word *word = &call->arguments[m->index];

		m->name = type->fields[m->index].name;
		enter_argument(m, word);
	}
}

/* @bit: of the first of the argument's fields, in the enter event. */
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

/* Counts the enter event's fields as enter_make() makes them, into @nowhere. */
static void exit_make(struct maker *m, const struct ktrace_call *call,
		      const struct ktrace_type *enter, FILE *nowhere)
{
	struct maker counter = *m;
	unsigned int before;

	rewind(nowhere);
	counter.f = nowhere;
	counter.exit = false;
	counter.nr_fields = 0;
	for (m->index = 0;
	     m->index < call->nr_arguments && m->index < enter->nr_fields;
	     m->index++) {
		const struct ktrace_word *word = &call->arguments[m->index];

		m->name = counter.name = enter->fields[m->index].name;
		counter.index = m->index;
		before = counter.nr_fields;
		enter_argument(&counter, word);
		if (!word_exits(word)) {
			argument_again(m, word, before);
			continue;
		}
		if (word_is(word, "str"))
			string_make(m, PATH_ROOM);
		else
			argument_make(m, word);
		if (word_is(word, "by"))
			argument_again(m, word, before);
		if (m->paths && word_is(word, "fds"))
			paths_make(m, "2", 4);
		else if (m->paths && word_is(word, "msg"))
			message_paths(m);
	}
	if (m->paths)
		result_paths(m, call);
}

static bool call_wanted(const struct ktrace_known *known, void *data)
{
	return true;
}

struct wish {
	bool (*want)(const struct ktrace_known *known, void *data);
	void *data;
};

static bool type_wanted(const struct ktrace_known *known, void *data)
{
	const struct wish *wish = data;

	return (!strcmp(known->system, "syscalls") ||
		!strcmp(known->system, "compat_syscalls")) &&
	       wish->want(known, wish->data);
}

/* The events at which calls begin, by name. */
struct enters {
	const struct ktrace_type **types;
	size_t nr;
};

static int enter_compare(const void *a, const void *b)
{
	const struct ktrace_type *x = *(const struct ktrace_type *const *)a;
	const struct ktrace_type *y = *(const struct ktrace_type *const *)b;
	bool exit;
	int order = strcmp(x->system, y->system);

	return order ? order
		     : strcmp(ktrace_call_name(x, &exit),
			      ktrace_call_name(y, &exit));
}

static int enters_make(struct enters *enters, const struct ktrace_types *types)
{
	size_t nr = ktrace_types_count(types);
	bool exit;

	enters->nr = 0;
	enters->types = calloc(nr + 1, sizeof(*enters->types));
	if (!enters->types)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		const struct ktrace_type *type = ktrace_types_get(types, i);

		if (ktrace_call_name(type, &exit) && !exit)
			enters->types[enters->nr++] = type;
	}
	qsort(enters->types, enters->nr, sizeof(*enters->types), enter_compare);
	return 0;
}

/* Of the call of an event at which it ends. */
static const struct ktrace_type *enter_find(const struct enters *enters,
					    const struct ktrace_type *type)
{
	const struct ktrace_type **found;

	found = bsearch(&type, enters->types, enters->nr,
			sizeof(*enters->types), enter_compare);
	return found ? *found : NULL;
}

/* Texts in memory, each of which is used for many events. */
struct buffers {
	FILE *lines;
	FILE *nowhere;
	char *text[2];
	size_t size[2];
};

static int buffers_open(struct buffers *b)
{
	b->lines = open_memstream(&b->text[0], &b->size[0]);
	b->nowhere = open_memstream(&b->text[1], &b->size[1]);
	return b->lines && b->nowhere ? 0 : error_set(-ENOMEM, "out of memory");
}

static int buffers_close(struct buffers *b)
{
	int err = 0;

	if (b->lines && fclose(b->lines))
		err = error_set(-ENOMEM, "out of memory");
	if (b->nowhere)
		fclose(b->nowhere);
	free(b->text[1]);
	return err;
}

/* An event of which nothing is captured has no line. */
static void line_make(struct buffers *b, struct maker *m,
		      const struct enters *enters,
		      const struct ktrace_type *type)
{
	const struct ktrace_call *call = ktrace_call_find(type);
	const struct ktrace_type *enter;
	long begin = ftell(b->lines);

	if (!call || !ktrace_call_name(type, &m->exit))
		return;
	m->call = call;
	enter = m->exit ? enter_find(enters, type) : type;
	if (!enter)
		return;
	m->compat = !strcmp(type->system, "compat_syscalls");
	m->f = b->lines;
	m->nr_fields = 0;
	fprintf(m->f, "%s/%s: ", type->system, type->name);
	if (m->exit)
		exit_make(m, call, enter, b->nowhere);
	else
		enter_make(m, call, enter);
	fputc('\n', m->f);
	if (!m->nr_fields)
		fseek(m->f, begin, SEEK_SET);
}

/*
 * A signal, with all that its receiver is told.  The kernel's own event has no more
 * than its number and code: this is another one of the same tracepoint, whose arguments
 * can be followed.
 */
int ktrace_session_signals(struct ktrace_session *session)
{
	static const char definition[] =
		"signal/signal_delivered signal_deliver vmlinux; s32 int sig; "
		"ptr struct kernel_siginfo * info; ptr struct k_sigaction * ka\n";
	static const char program[] =
		"signal/signal_delivered: u8 __info: kernel a1 48 bytes 48; "
		"u64 __handler: kernel a2 8 bytes 8";
	char *definitions;
	bool defined;
	int err;

	err = session_root_read(session, "define", &definitions);
	if (err)
		return err;
	defined = strstr(definitions, "signal/signal_delivered ");
	free(definitions);
	if (!defined)
		err = session_root_write(session, "define", definition, true);
	return err ?: ktrace_session_write(session, "capture", program);
}

int ktrace_session_syscalls_wanted(
	struct ktrace_session *session, unsigned int string_max, bool paths,
	bool (*want)(const struct ktrace_known *known, void *data), void *data)
{
	struct maker m = {
		.paths = paths,
		.string_max = string_max < STRING_MAX ? string_max : STRING_MAX,
	};
	struct wish wish = {want, data};
	struct buffers buffers = {0};
	struct enters enters = {0};
	struct ktrace_types *types;
	int err;

	err = ktrace_session_write(session, "capture", "none");
	if (err)
		return err;
	err = ktrace_session_types(session, type_wanted, &wish, &types);
	if (err)
		return err;
	if (!m.string_max)
		m.string_max = 1;
	/* Without type information structs stay addresses. */
	m.enums = session_kernel_enums(session);
	err = enters_make(&enters, types);
	if (!err)
		err = buffers_open(&buffers);
	for (size_t i = 0; !err && i < ktrace_types_count(types); i++)
		line_make(&buffers, &m, &enters, ktrace_types_get(types, i));
	err = buffers_close(&buffers) ?: err;
	if (!err && buffers.text[0] && *buffers.text[0])
		err = ktrace_session_write(session, "capture", buffers.text[0]);
	free(buffers.text[0]);
	free(enters.types);
	ktrace_types_destroy(types);
	return err;
}

int ktrace_session_syscalls(struct ktrace_session *session,
			    unsigned int string_max, bool paths)
{
	return ktrace_session_syscalls_wanted(session, string_max, paths,
					      call_wanted, NULL);
}
