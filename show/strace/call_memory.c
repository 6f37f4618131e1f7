// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Arguments that point to memory: prints what was captured there. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include <linux/futex.h>
#include <linux/kexec.h>
#include <linux/limits.h>

#include <ktrace/capture_names.h>

#include "call.h"

#define POLLFD_SIZE	      8
#define SIGEVENT_LEAST	      32
#define COMPAT_SIGEVENT_LEAST 20
#define FDS_MAX		      1000000
#define FSCONFIG_DATA_MAX \
	(1024 * 1024) /* of the kernel, in none of its headers */

/* A string that was captured with its NUL. */
static void put_string(struct line *line, const struct call_view *view,
		       unsigned int argument, bool exit, bool path)
{
	struct captured c = captured_get(view, exit, argument, "");
	size_t length, most = atoi(call_word(view, argument)->set);
	bool cut;

	if (!c.there || !c.size) {
		value_address(line, call_argument(view, argument));
		return;
	}
	length = strnlen((const char *)c.bytes, c.size);
	cut = c.cut;
	/* The kernel takes no longer path. */
	if (path && length >= PATH_MAX)
		length = PATH_MAX - 1;
	if (!path && most && length >= most) {
		length = most;
		cut = true;
	}
	if (!path && length > view->string_max) {
		length = view->string_max;
		cut = true;
	}
	value_string(line, c.bytes, length, cut);
}

static void put_data(struct line *line, const struct call_view *view,
		     unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, exit, argument, "");
	uint64_t address = call_argument(view, argument);
	int64_t size = call_argument(view, word->from);
	/* A program may say that there is room without end. */
	uint64_t room = call_argument(view, argument + 1);
	size_t length = c.size;

	/* No more than there was room for, also if there was more. */
	if (exit && word->from == KTRACE_CALL_ARGUMENTS) {
		if (room < (uint64_t)size)
			size = room;
		if (c.there && c.size >= (uint64_t)size)
			c.unread = false;
		length = (uint64_t)size < length ? (uint64_t)size : length;
	}
	if (exit &&
	    (!strcmp(word->set, "sized") || !strcmp(word->set, "string"))) {
		/* The length was asked for, no data. */
		if (!room) {
			value_address(line, address);
			return;
		}
		if (room < (uint64_t)size)
			size = room;
		if ((uint64_t)size < length)
			length = size;
	}
	/* No name of a machine is longer, and no attribute of a file. */
	if ((!strcmp(word->set, "uts") && (uint64_t)size > 64) ||
	    (!exit && !strcmp(word->set, "string") &&
	     (uint64_t)size > XATTR_SIZE_MAX)) {
		value_address(line, address);
		return;
	}
	/* fsconfig takes no more. */
	if (!exit && !strcmp(word->set, "hex") &&
	    (size < 0 || size > FSCONFIG_DATA_MAX)) {
		value_address(line, address);
		return;
	}
	if (!address || !c.there || c.unread || (exit && call_failed(view))) {
		/* A length of zero captures nothing. */
		if (address && !size && !(exit && call_failed(view)))
			line_puts(line, "\"\"");
		else
			value_address(line, address);
		return;
	}
	/* The result may be the full length, also if less was stored. */
	if (!strcmp(word->set, "string") && size && (uint64_t)size <= length &&
	    !c.bytes[size - 1])
		size = --length;
	if (length > view->string_max)
		length = view->string_max;
	if (!strcmp(word->set, "hex"))
		value_hex(line, c.bytes, length, (uint64_t)size > length);
	else
		value_string(line, c.bytes, length, (uint64_t)size > length);
}

/* Descriptors with paths; @bytes is an array of POLLFD_SIZE elements. */
static void put_polled(struct line *line, const uint8_t *bytes,
		       struct path_list *paths)
{
	uint16_t events;
	int32_t fd;

	memcpy(&fd, bytes, sizeof(fd));
	memcpy(&events, bytes + 4, sizeof(events));
	line_printf(line, "{fd=%d", fd);
	path_print_next(line, paths);
	line_puts(line, ", events=");
	value_names(line, "poll", events);
	line_puts(line, "}");
}

/* Also that of 32-bit programs. */
static bool struct_is(const char *set, const char *name)
{
	return !strcmp(set, name) ||
	       (!strncmp(set, "compat_", 7) && !strcmp(set + 7, name));
}

/* More than the kernel takes: it does not look there. */
static bool elements_are_too_many(const struct ktrace_word *word, int64_t count)
{
	return struct_is(word->set, "kexec_segment") &&
	       (uint64_t)count > KEXEC_SEGMENT_MAX;
}

/* Those behind are not read by the kernel, or are more than asked for. */
static size_t elements_shown(const struct call_view *view,
			     const struct ktrace_word *word)
{
	size_t most = call_elements_max(view);

	if (!strcmp(word->set, "futex_waitv") && most > FUTEX_WAITV_MAX)
		most = FUTEX_WAITV_MAX;
	return most;
}

static void put_structs(struct line *line, const struct call_view *view,
			unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, exit, argument, "");
	const struct ktrace_layout *layout =
		ktrace_layout_find(view->types, word->set);
	int64_t count = call_argument(view, word->from);
	bool polled = !strcmp(word->set, "pollfd");
	struct path_list paths = {0};
	size_t begin = line->len, i;

	/* The layout is from the trace, so it is not trusted. */
	if (!c.there || !call_argument(view, argument) || !layout ||
	    !layout->size || (polled && layout->size != POLLFD_SIZE) ||
	    (count && c.size < layout->size) || (exit && call_failed(view)) ||
	    elements_are_too_many(word, count)) {
		if (!count && !(exit && call_failed(view)) &&
		    call_argument(view, argument))
			line_puts(line, "[]");
		else
			value_address(line, call_argument(view, argument));
		return;
	}
	if (polled)
		paths = paths_of(view, argument);
	line_puts(line, "[");
	for (i = 0; (i + 1) * layout->size <= c.size; i++) {
		const uint8_t *bytes = c.bytes + i * layout->size;

		if (i == elements_shown(view, word) ||
		    (count >= 0 && i == (uint64_t)count))
			break;
		line_puts(line, i ? ", " : "");
		if (polled) {
			put_polled(line, bytes, &paths);
			continue;
		}
		if (!value_struct(line, view, word->set, NULL, bytes,
				  layout->size)) {
			line->len = begin;
			value_address(line, call_argument(view, argument));
			return;
		}
	}
	if ((uint32_t)count > i) {
		line_puts(line, i ? ", ..." : "...");
		if (c.unread && (i + 1) * layout->size > c.size)
			line_printf(line, " /* %#" PRIx64 " */",
				    call_argument(view, argument) +
					    i * layout->size);
	}
	line_puts(line, "]");
}

static bool is_device(const uint8_t *bytes, const struct ktrace_layout *layout)
{
	uint16_t mode;

	for (uint32_t i = 0; layout && i < layout->nr_members; i++) {
		if (strcmp(layout->members[i].name, "st_mode") ||
		    layout->members[i].size < sizeof(mode))
			continue;
		memcpy(&mode, bytes + layout->members[i].offset, sizeof(mode));
		return (mode & 0170000) == 0020000 ||
		       (mode & 0170000) == 0060000;
	}
	return false;
}

/* How it notifies says what the union at its end is, and whether there is a signal. */
static const char *sigevent_words(const struct captured *c, const char *set)
{
	/* Behind a value, which is a pointer, and the signal. */
	size_t at = strcmp(set, "sigevent") != 0 ? 8 : 12;
	const char *part = NULL;
	char name[KTRACE_WORD_MAX];
	int32_t notify;

	if (c->size < at + sizeof(notify))
		return NULL;
	memcpy(&notify, c->bytes + at, sizeof(notify));
	switch (notify) {
	case SIGEV_SIGNAL:
		part = "signal";
		break;
	case SIGEV_THREAD:
		part = "thread";
		break;
	case SIGEV_THREAD_ID:
		part = "tid";
		break;
	}
	snprintf(name, sizeof(name), "%s.%s", set, part ?: "");
	return part ? ktrace_struct_words(name) : NULL;
}

/* The kernel takes no larger one. */
#define UNION_MAX 4096

/*
 * A union for a command, whose size is the next argument.  The kernel reads also what lies
 * behind the captured bytes, because it must be zero there.
 */
static bool union_is_unread(const struct call_view *view, unsigned int argument,
			    const struct captured *c)
{
	uint32_t size = call_argument(view, argument + 1);

	return size > UNION_MAX || (size > c->size && view->result == -EFAULT);
}

/* A call that returns a process stores nothing if there is none. */
static bool finds_nobody(const struct call_view *view)
{
	return !view->result && !strcmp(view->call->result.word, "pid");
}

static void put_struct(struct line *line, const struct call_view *view,
		       unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	bool both = word->in && word->out;
	/* What was given, if the call has stored nothing. */
	bool after = exit && !(both && call_failed(view));
	struct captured c = captured_get(view, after, argument, "");
	const struct ktrace_layout *layout;
	char device[KTRACE_WORD_MAX + 16];
	const char *words = NULL, *name = word->set;

	/* Only for stat and its 32-bit variants. */
	snprintf(device, sizeof(device), "%s.dev%s", word->set,
		 view->unabbreviated ? ".full" : "");
	layout = ktrace_layout_find(view->types, word->set);
	if (c.there && layout && c.size >= layout->size &&
	    is_device(c.bytes, layout))
		words = ktrace_struct_words(device);
	snprintf(device, sizeof(device), "%s.out", word->set);
	if (after)
		words = ktrace_struct_words(device) ?: words;
	if (c.there && struct_is(word->set, "sigevent"))
		words = sigevent_words(&c, word->set);
	if (struct_is(word->set, "mq_attr") && argument == 3)
		words = ktrace_struct_words("mq_attr.open");
	/* Nothing is read there. */
	if (!strcmp(word->set, "epoll_event") &&
	    (int)call_argument(view, 1) == EPOLL_CTL_DEL)
		c.size = 0;
	if (word->from < 0 && strchr(word->set, '.') &&
	    union_is_unread(view, argument, &c))
		c.size = 0;
	/* Its end is a union that few use. */
	if (!strcmp(name, "sigevent") && c.size >= SIGEVENT_LEAST)
		name = "sigevent.tid";
	else if (!strcmp(name, "compat_sigevent") &&
		 c.size >= COMPAT_SIGEVENT_LEAST)
		name = "compat_sigevent.tid";
	else if (c.unread)
		c.size = 0;
	if (!c.size || (after && call_failed(view)) ||
	    (after && finds_nobody(view)) ||
	    !value_struct(line, view, name,
			  words ?: struct_words(view, word->set), c.bytes,
			  c.size))
		value_address(line, call_argument(view, argument));
}

static void put_name(struct line *line, const struct call_view *view,
		     unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument,
					 exit ? "" : KTRACE_CAPTURED_NAME);

	if (c.there && c.size && !(exit && call_failed(view)))
		value_string(line, c.bytes,
			     strnlen((const char *)c.bytes, c.size), false);
	else
		value_address(line, call_argument(view, argument));
}

/* Prints "[SIGKILL]": a number with a name. */
static void put_named(struct line *line, const struct call_view *view,
		      unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, exit, argument, "");
	int32_t value;

	if (c.size < sizeof(value) || (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(&value, c.bytes, sizeof(value));
	line_puts(line, "[");
	if (*word->set)
		value_names(line, word->set, (uint32_t)value);
	else if (value)
		value_signal(line, value);
	else
		line_puts(line, "0");
	line_puts(line, "]");
}

static void put_descriptors(struct line *line, const struct call_view *view,
			    unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");
	struct path_list paths = paths_of(view, argument);
	int32_t fds[2];

	if (!c.there || c.size < sizeof(fds)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(fds, c.bytes, sizeof(fds));
	for (unsigned int i = 0; i < 2; i++) {
		line_printf(line, "%s%d", i ? ", " : "[", fds[i]);
		path_print_next(line, &paths);
	}
	line_puts(line, "]");
}

static void put_numbers(struct line *line, const struct call_view *view,
			unsigned int argument, bool exit, unsigned int size,
			bool is_signed)
{
	struct captured c = captured_get(view, exit, argument, "");
	uint64_t value;

	if (!c.there || c.size < size) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (size_t i = 0; i + size <= c.size; i += size) {
		value = 0;
		memcpy(&value, c.bytes + i, size);
		if (i)
			line_puts(line, ", ");
		if (is_signed)
			line_printf(line, "%" PRId64,
				    size == 4 ? (int32_t)value
					      : (int64_t)value);
		else
			line_printf(line, "%" PRIu64, value);
	}
	line_puts(line, "]");
}

/* Prints [0] => [4096]: what the call has made of a number. */
static void put_moved(struct line *line, const struct call_view *view,
		      unsigned int argument)
{
	struct captured before = captured_get(view, false, argument, "");
	struct captured after = captured_get(view, true, argument, "");

	put_numbers(line, view, argument, false, 8, false);
	if (before.size < 8 || after.size < 8 || call_failed(view) ||
	    !memcmp(before.bytes, after.bytes, 8))
		return;
	line_puts(line, " => ");
	put_numbers(line, view, argument, true, 8, false);
}

/* struct user_desc of the processor's tables: its members are bits. */
static void put_descriptor(struct line *line, const struct call_view *view,
			   unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, false, argument, "");
	uint32_t v[4];

	if (c.size < sizeof(v) ||
	    call_argument(view, word->from) != sizeof(v)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(v, c.bytes, sizeof(v));
	line_puts(line, "{entry_number=");
	if (v[0] == UINT32_MAX)
		line_puts(line, "-1");
	else
		line_printf(line, "%u", v[0]);
	line_printf(line,
		    ", base_addr=%#08x, limit=%#08x, seg_32bit=%u, "
		    "contents=%u, read_exec_only=%u, limit_in_pages=%u, "
		    "seg_not_present=%u, useable=%u, lm=%u}",
		    v[1], v[2], v[3] & 1, v[3] >> 1 & 3, v[3] >> 3 & 1,
		    v[3] >> 4 & 1, v[3] >> 5 & 1, v[3] >> 6 & 1, v[3] >> 7 & 1);
}

static void put_handle(struct line *line, const struct call_view *view,
		       unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");
	size_t size = word_size(view);

	if (c.size < size || (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_printf(line, "[%#" PRIx64 "]", word_read(c.bytes, size));
}

/* A byte for each page, of which the lowest bit counts. */
static void put_pages(struct line *line, const struct call_view *view,
		      unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");

	if (!c.there || c.unread || call_failed(view)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (size_t i = 0; i < c.size && i < view->string_max; i++)
		line_printf(line, "%s%d", i ? ", " : "", c.bytes[i] & 1);
	line_puts(line, c.cut || c.size > view->string_max ? ", ...]" : "]");
}

/* The time that is left, only if a signal has ended the call. */
static void put_rest(struct line *line, const struct call_view *view,
		     unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");
	const struct ktrace_word *word = call_word(view, argument);

	if (!c.there ||
	    !value_struct(line, view, word->set, NULL, c.bytes, c.size))
		value_address(line, call_argument(view, argument));
}

static void put_address_of(struct line *line, const struct call_view *view,
			   unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");

	const struct ktrace_word *word = call_word(view, argument);
	struct captured room = {0};
	uint32_t size;

	/* The kernel has stored only as much as there was room for. */
	if (exit && word->from >= 0)
		room = captured_get(view, false, word->from, "");
	if (room.there && room.size >= sizeof(size)) {
		memcpy(&size, room.bytes, sizeof(size));
		/* It may be that only what lies beyond could not be read. */
		c.there &= !c.unread || c.size >= size;
		c.size = size < c.size ? size : c.size;
	} else {
		c.there &= !c.unread;
	}
	if (!c.there || !call_argument(view, argument) ||
	    (exit && call_failed(view)))
		value_address(line, call_argument(view, argument));
	else
		value_sockaddr(line, c.bytes, c.size);
}

static void put_length(struct line *line, const struct call_view *view,
		       unsigned int argument)
{
	struct captured before = captured_get(view, false, argument, "");
	struct captured after = captured_get(view, true, argument, "");
	int32_t in = 0, out = 0;

	if (!before.there || before.size < 4) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(&in, before.bytes, 4);
	out = in;
	if (after.there && after.size >= 4)
		memcpy(&out, after.bytes, 4);
	if (in == out || call_failed(view))
		line_printf(line, "[%d]", in);
	else
		line_printf(line, "[%d => %d]", in, out);
}

static void put_info(struct line *line, const struct call_view *view,
		     unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");
	struct signal_view info;

	/* What could be read is not all, so the call took nothing from there. */
	if (!exit && c.size < sizeof(siginfo_t))
		c.there = false;
	/* Nothing was stored: no child has changed. */
	if (!c.there || (exit && call_failed(view)) ||
	    !signal_info(c.bytes, c.size, &info))
		value_address(line, call_argument(view, argument));
	else if (!info.number)
		line_puts(line, "{}");
	else
		signal_info_print(line, &info);
}

static void put_signals(struct line *line, const struct call_view *view,
			unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	struct captured c = captured_get(view, exit, argument, "");
	uint64_t set = 0, size = sizeof(set);

	/* The kernel takes sets of one size only, but returns parts of them. */
	if (word->from >= 0)
		size = call_argument(view, word->from);
	if (!strcmp(word->set, "old"))
		size = sizeof(uint32_t);
	if (!c.there || !size || size > sizeof(set) || c.size < size ||
	    (size < sizeof(set) && !*word->set) ||
	    (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(&set, c.bytes, size);
	if (!strcmp(word->set, "old"))
		value_signals_old(line, set);
	else
		value_signals(line, set);
}

static void put_status(struct line *line, const struct call_view *view,
		       unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");
	struct constant names;
	int status;

	if (!c.there || c.size < 4 || view->result <= 0) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(&status, c.bytes, sizeof(status));
	names = constant_begin(line);
	if (WIFEXITED(status)) {
		line_printf(line, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]",
			    WEXITSTATUS(status));
	} else if (WIFCONTINUED(status)) {
		line_puts(line, "[{WIFCONTINUED(s)}]");
	} else if (WIFSTOPPED(status)) {
		line_puts(line, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		value_signal(line, WSTOPSIG(status));
		line_puts(line, "}]");
	} else if (WIFSIGNALED(status)) {
		line_puts(line, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		value_signal(line, WTERMSIG(status));
		line_puts(line,
			  WCOREDUMP(status) ? " && WCOREDUMP(s)}]" : "}]");
	} else {
		line_printf(line, "[%#x]", status);
	}
	constant_end_plain(line, &names);
}

static void put_fdset(struct line *line, const struct call_view *view,
		      unsigned int argument)
{
	struct captured c = captured_get(view, false, argument, "");
	int64_t limit = (int)call_argument(view, 0);
	struct path_list paths = paths_of(view, argument);
	const char *space = "";

	if (!c.there || c.unread || !call_argument(view, argument) ||
	    limit < 0) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (size_t fd = 0; fd < (size_t)limit && fd / 8 < c.size; fd++) {
		if (!(c.bytes[fd / 8] >> fd % 8 & 1))
			continue;
		line_printf(line, "%s%zu", space, fd);
		path_print_next(line, &paths);
		space = " ";
	}
	/* Nobody has so many: it stands for all. */
	line_puts(line, c.cut && limit < FDS_MAX ? " ...]" : "]");
}

static void put_cpus(struct line *line, const struct call_view *view,
		     unsigned int argument, bool exit)
{
	struct captured c = captured_get(view, exit, argument, "");
	const char *space = "";

	if (!c.there || c.unread || (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return;
	}
	line_puts(line, "[");
	for (size_t cpu = 0; cpu < c.size * 8; cpu++) {
		if (!(c.bytes[cpu / 8] >> cpu % 8 & 1))
			continue;
		line_printf(line, "%s%zu", space, cpu);
		space = " ";
	}
	line_puts(line, c.cut ? " ...]" : "]");
}

/* Prints {sigmask=[USR1], sigsetsize=8}. */
static void put_mask(struct line *line, const struct call_view *view,
		     unsigned int argument)
{
	struct captured c = captured_get(view, false, argument, "");
	struct captured mask =
		captured_get(view, false, argument, KTRACE_CAPTURED_MASK);
	size_t word = word_size(view);
	uint64_t address, set;

	if (!c.there || c.size < 2 * word) {
		value_address(line, call_argument(view, argument));
		return;
	}
	address = word_read(c.bytes, word);
	line_puts(line, "{sigmask=");
	/* The kernel takes no other size. */
	if (address && mask.there && mask.size >= sizeof(set) &&
	    word_read(c.bytes + word, word) == sizeof(set)) {
		memcpy(&set, mask.bytes, sizeof(set));
		value_signals(line, set);
	} else {
		value_address(line, address);
	}
	line_printf(line, ", sigsetsize=%" PRIu64 "}",
		    word_read(c.bytes + word, word));
}

bool argument_needs_exit(const struct call_view *view, unsigned int argument)
{
	static const char *const words[] = {"out", "fds", "wstatus", "dents",
					    "len", "rem", "pages"};
	const struct ktrace_word *word = call_word(view, argument);

	if (word->out || (word_is(word, "fcntl") && fcntl_answers(view)))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(word, words[i]))
			return true;
	}
	return word_is(word, "str") && word->from >= 0;
}

/* Pointer arguments whose memory was captured. */
bool argument_memory(struct line *line, const struct call_view *view,
		     unsigned int i)
{
	const struct ktrace_word *word = call_word(view, i);
	bool exit = argument_needs_exit(view, i);
	const char *w = word->word;

	if (!strcmp(w, "path") || !strcmp(w, "str") ||
	    !strcmp(w, "mounttype") || !strcmp(w, "mountdata"))
		put_string(line, view, i, exit, !strcmp(w, "path") || exit);
	else if (!strcmp(w, "in") || !strcmp(w, "out"))
		put_data(line, view, i, exit);
	else if (!strcmp(w, "V") || !strcmp(w, "G") || !strcmp(w, "Z"))
		version_print(line, view, i);
	else if (!strcmp(w, "S") || !strcmp(w, "T"))
		put_struct(line, view, i, exit);
	else if (!strcmp(w, "A") || !strcmp(w, "L"))
		put_structs(line, view, i, word->out);
	else if (!strcmp(w, "part"))
		syscall_info_print(line, view, i);
	else if (!strcmp(w, "name"))
		put_name(line, view, i, exit);
	else if (!strcmp(w, "sigs") || (!strcmp(w, "D") && *word->set))
		put_named(line, view, i, exit);
	else if (!strcmp(w, "D"))
		put_numbers(line, view, i, exit, 4, true);
	else if (!strcmp(w, "U"))
		put_numbers(line, view, i, exit, 4, false);
	else if (!strcmp(w, "H"))
		put_numbers(line, view, i, exit, 2, false);
	else if (!strcmp(w, "fds"))
		put_descriptors(line, view, i);
	else if (!strcmp(w, "X") && word->in && word->out)
		put_moved(line, view, i);
	else if (!strcmp(w, "P"))
		put_handle(line, view, i, exit);
	else if (!strcmp(w, "Q") || !strcmp(w, "X"))
		put_numbers(line, view, i, exit, 8, !strcmp(w, "Q"));
	else if (!strcmp(w, "info"))
		put_info(line, view, i, exit);
	else if (!strcmp(w, "iov"))
		iovec_print(line, view, i, exit);
	else if (!strcmp(w, "msg"))
		message_print(line, view, i, exit);
	else if (!strcmp(w, "queued"))
		queued_print(line, view, i, exit);
	else if (!strcmp(w, "mmsg"))
		messages_print(line, view, i);
	else if (!strcmp(w, "sa"))
		put_address_of(line, view, i, exit);
	else if (!strcmp(w, "len"))
		put_length(line, view, i);
	else if (!strcmp(w, "opt"))
		option_print(line, view, i, exit);
	else if (!strcmp(w, "argv"))
		strings_print(line, view, i);
	else if (!strcmp(w, "envp"))
		environment_print(line, view, i);
	else if (!strcmp(w, "dents"))
		entries_print(line, view, i);
	else if (!strcmp(w, "set"))
		put_signals(line, view, i, exit);
	else if (!strcmp(w, "fdset"))
		put_fdset(line, view, i);
	else if (!strcmp(w, "cpus"))
		put_cpus(line, view, i, exit);
	else if (!strcmp(w, "sigarg"))
		put_mask(line, view, i);
	else if (!strcmp(w, "wstatus"))
		put_status(line, view, i);
	else if (!strcmp(w, "perf"))
		event_print(line, view, i);
	else if (!strcmp(w, "ldt"))
		put_descriptor(line, view, i);
	else if (!strcmp(w, "vec"))
		array_print(line, view, i, exit);
	else if (!strcmp(w, "ptrs"))
		pointed_print(line, view, i);
	else if (!strcmp(w, "pages"))
		put_pages(line, view, i);
	else if (!strcmp(w, "rem"))
		put_rest(line, view, i);
	else
		return time_print(line, view, i, exit);
	return true;
}
