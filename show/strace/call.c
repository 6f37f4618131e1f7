// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Arguments and results of system calls, printed by the words of calls.tab. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>

#include <linux/futex.h>
#include <linux/ioprio.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>

#include <ktrace/capture_names.h>

#include "call.h"

/* ---- arguments ------------------------------------------------------------ */

static void put_plain(struct line *line, const struct call_view *view,
		      unsigned int argument)
{
	const struct ktrace_field *field = &view->enter.type->fields[argument];
	uint64_t value = call_argument(view, argument);

	if (field->kind == KTRACE_POINTER)
		value_address(line, value);
	else if (field->kind == KTRACE_INT)
		line_printf(line, "%" PRId64, (int64_t)value);
	else
		line_printf(line, "%" PRIu64, value);
}

static bool futex_waits(const struct call_view *view)
{
	switch (call_argument(view, 1) & 0x7f) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

/* The arguments of a futex depend on the operation. */
static bool put_futex(struct line *line, const struct call_view *view,
		      unsigned int argument)
{
	unsigned int op = call_argument(view, 1) & 0x7f;
	struct captured c;
	int32_t small[2]; /* for 32-bit programs */
	int64_t time[2];

	if (op == FUTEX_WAKE || op == FUTEX_UNLOCK_PI)
		return false;
	if (op == FUTEX_WAKE_BITSET)
		return true;
	if (!futex_waits(view)) {
		line_printf(line, "%" PRIu64, call_argument(view, argument));
		return true;
	}
	c = captured_get(view, false, argument, "");
	if (c.there && c.size == sizeof(small)) {
		memcpy(small, c.bytes, sizeof(small));
		time[0] = small[0];
		time[1] = small[1];
	} else if (c.there && c.size >= sizeof(time)) {
		memcpy(time, c.bytes, sizeof(time));
	} else {
		value_address(line, call_argument(view, argument));
		return true;
	}
	line_printf(line, "{tv_sec=%" PRId64 ", tv_nsec=%" PRId64 "}", time[0],
		    time[1]);
	return true;
}

static bool futex_argument(struct line *line, const struct call_view *view,
			   unsigned int argument)
{
	unsigned int op = call_argument(view, 1) & 0x7f;
	uint32_t value = call_argument(view, argument);
	struct constant constant;

	if (op == FUTEX_WAIT || op == FUTEX_LOCK_PI || op == FUTEX_WAKE ||
	    op == FUTEX_UNLOCK_PI)
		return false;
	if (argument == 4) {
		if (op != FUTEX_WAIT_BITSET && op != FUTEX_WAKE_BITSET)
			value_address(line, call_argument(view, argument));
		return true;
	}
	if (op == FUTEX_REQUEUE)
		return false;
	constant = constant_begin(line);
	if (value == 0xffffffff &&
	    (op == FUTEX_WAIT_BITSET || op == FUTEX_WAKE_BITSET))
		line_puts(line, "FUTEX_BITSET_MATCH_ANY");
	else
		line_printf(line, "%#x", value);
	constant_end(line, &constant, "%#x", value);
	return true;
}

/* For an unknown command: its argument may be an address or a number. */
static void put_unknown(struct line *line, uint64_t value)
{
	if (value && value < 65536)
		line_printf(line, "%" PRIu64, value);
	else
		value_address(line, value);
}

/*
 * Flag in the first argument of bpf, on newer kernels: two more arguments
 * follow.
 */
#define BPF_COMMON 0x10000

/* False for arguments that another argument makes meaningless. */
static bool argument_counts(const struct call_view *view, unsigned int argument)
{
	const char *name = view->call ? view->call->name : "";

	if (!strcmp(name, "mremap") && argument == 4)
		return call_argument(view, 3) &
		       (MREMAP_FIXED | MREMAP_DONTUNMAP);
	if (!strcmp(name, "bpf") && argument >= 3)
		return call_argument(view, 0) & BPF_COMMON;
	return true;
}

/* The meaning of a protocol's number depends on the family. */
static void put_protocol(struct line *line, const struct call_view *view,
			 uint64_t value)
{
	switch (call_argument(view, 0)) {
	case AF_INET:
	case AF_INET6:
		value_names(line, "protocol", value);
		break;
	case AF_NETLINK:
		value_names(line, "netlink", value);
		break;
	default:
		line_printf(line, "%" PRIu64, value);
	}
}

/* The magic number of old programs is no flag. */
static void put_mount_flags(struct line *line, uint64_t value)
{
	bool magic = (value & MS_MGC_MSK) == MS_MGC_VAL;
	struct constant constant;

	if (magic) {
		constant = constant_begin(line);
		line_puts(line, "MS_MGC_VAL");
		constant_end(line, &constant, "%#x", (unsigned int)MS_MGC_VAL);
		value &= ~(uint64_t)MS_MGC_MSK;
		line_puts(line, value ? "|" : "");
	}
	if (value || !magic)
		value_names(line, "mount", value);
}

/* What mount() ignores is an address: the kernel does not look there. */
static bool mount_ignores(const struct call_view *view, bool data)
{
	uint64_t flags = call_argument(view, 3);

	if ((flags & MS_MGC_MSK) == MS_MGC_VAL)
		flags &= ~(uint64_t)MS_MGC_MSK;
	if (flags & MS_REMOUNT)
		return !data;
	return flags & (MS_BIND | MS_MOVE | MS_SHARED | MS_PRIVATE | MS_SLAVE |
			MS_UNBINDABLE);
}

static void put_quota_command(struct line *line, uint32_t value)
{
	struct constant constant = constant_begin(line);

	line_puts(line, "QCMD(");
	value_names(line, "quota_command", value >> 8);
	line_puts(line, ", ");
	value_names(line, "quota_type", value & 0xff);
	line_puts(line, ")");
	constant_end(line, &constant, "%u", value);
}

/* A mode with flags of its own; if it has no name, all is a number. */
static void put_policy(struct line *line, uint64_t value)
{
	static const uint64_t flags = MPOL_F_STATIC_NODES |
				      MPOL_F_RELATIVE_NODES |
				      MPOL_F_NUMA_BALANCING;

	value_names(line,
		    (value & ~flags) <= MPOL_PREFERRED_MANY ? "mpol"
							    : "mpol_flags",
		    value);
}

/* The upper bits are the logarithm of a page's size. */
static void put_mmap_flags(struct line *line, uint64_t value)
{
	uint64_t size = value >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;
	struct constant constant = constant_begin(line);

	value_names(line, "mmap",
		    value & ~((uint64_t)MAP_HUGE_MASK << MAP_HUGE_SHIFT));
	if (size)
		line_printf(line, "|%" PRIu64 "<<MAP_HUGE_SHIFT", size);
	constant_end_named(line, &constant, "%#" PRIx64, value);
}

/* The upper bits are the logarithm of a page's size, as those of mmap. */
static void put_memfd_flags(struct line *line, uint32_t value)
{
	uint32_t size = value >> MFD_HUGE_SHIFT & MFD_HUGE_MASK;
	uint32_t flags = value & ~((uint32_t)MFD_HUGE_MASK << MFD_HUGE_SHIFT);
	struct constant constant = constant_begin(line);

	if (flags || !size)
		value_names(line, "memfd", flags);
	if (size) {
		line_printf(line, "%s%u<<MFD_HUGE_SHIFT", flags ? "|" : "",
			    size);
		constant_end_named(line, &constant, "%#x", value);
	} else {
		constant_end(line, &constant, "%#x", value);
	}
}

/* The low bits are a priority. */
static void put_swap(struct line *line, uint64_t value)
{
	if (value & ~(uint64_t)SWAP_FLAG_PRIO_MASK) {
		value_names(line, "swap",
			    value & ~(uint64_t)SWAP_FLAG_PRIO_MASK);
		line_puts(line, "|");
	}
	line_printf(line, "%" PRIu64, value & SWAP_FLAG_PRIO_MASK);
}

static void put_priority(struct line *line, uint32_t value)
{
	line_puts(line, "IOPRIO_PRIO_VALUE(");
	value_names(line, "ioprio_class", value >> IOPRIO_CLASS_SHIFT);
	line_printf(line, ", %u)", value & ((1u << IOPRIO_CLASS_SHIFT) - 1));
}

/* The class is a constant in a constant. */
static void put_priority_argument(struct line *line, uint32_t value)
{
	struct constant constant = constant_begin(line);

	line->constants = constant.constants;
	put_priority(line, value);
	constant_end(line, &constant, "%d", (int32_t)value);
}

/* Does a word show the bits of its argument, whatever the sign? */
static bool word_is_unsigned(const char *w)
{
	static const char *const words[] = {"F", "E",  "x",    "u",
					    "o", "id", "mode", "dev"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(w, words[i]))
			return true;
	}
	return false;
}

/* Without the sign's copies, which fill a smaller argument up to 64 bits. */
static uint64_t value_bits(const struct call_view *view, unsigned int argument,
			   uint64_t value)
{
	uint32_t size = view->enter.type->fields[argument].size;

	return size && size < sizeof(value) ? value & ((1ull << 8 * size) - 1)
					    : value;
}

/* Flags, and the permissions of what is created. */
static void put_permissions(struct line *line, const char *set, uint32_t value)
{
	uint32_t flags = value & ~0777u;

	if (flags) {
		value_names(line, set, flags);
		line_puts(line, "|");
	}
	line_printf(line, "%#03o", value & 0777);
}

/* Words of one call each. */
static bool put_special(struct line *line, const struct call_view *view,
			const struct ktrace_word *word, uint64_t value)
{
	const char *w = word->word;

	if (!strcmp(w, "swap"))
		put_swap(line, (uint32_t)value);
	else if (!strcmp(w, "qcmd"))
		put_quota_command(line, value);
	else if (!strcmp(w, "ioprio"))
		put_priority_argument(line, value);
	else if (!strcmp(w, "ipc"))
		put_permissions(line, word->set, value);
	else if (!strcmp(w, "F") && !strcmp(word->set, "mount"))
		put_mount_flags(line, value);
	else if (!strcmp(w, "F") && !strcmp(word->set, "mmap"))
		put_mmap_flags(line, value);
	else if (!strcmp(w, "F") && !strcmp(word->set, "memfd"))
		put_memfd_flags(line, value);
	else if (!strcmp(w, "F") && !strcmp(word->set, "mpol"))
		put_policy(line, value);
	else if ((!strcmp(w, "mounttype") && mount_ignores(view, false)) ||
		 (!strcmp(w, "mountdata") && mount_ignores(view, true)))
		value_address(line, value);
	else
		return false;
	return true;
}

/* What stands for a descriptor. */
static void put_directory(struct line *line, const char *name, int value)
{
	struct constant constant = constant_begin(line);

	line_puts(line, name);
	constant_end(line, &constant, "%d", value);
}

/* Arguments that are only numbers. */
static bool put_number(struct line *line, const struct call_view *view,
		       const struct ktrace_word *word, uint64_t value)
{
	const char *w = word->word;

	if (!strcmp(w, "d"))
		line_printf(line, "%" PRId64,
			    call_is_compat(view) ? (int32_t)value
						 : (int64_t)value);
	else if (!strcmp(w, "pid"))
		value_pid(line, value);
	else if (!strcmp(w, "id"))
		value_id(line, value);
	else if (!strcmp(w, "id16"))
		value_id16(line, value);
	else if (!strcmp(w, "handler"))
		value_handler(line, value);
	else if (!strcmp(w, "N"))
		value_commented(line, word->set, (int64_t)value);
	else if (!strcmp(w, "u"))
		line_printf(line, "%" PRIu64, value);
	else if (!strcmp(w, "x"))
		line_printf(line, "%#" PRIx64, value);
	else if (!strcmp(w, "o") || !strcmp(w, "mode"))
		line_printf(line, "%#03" PRIo64, value & 0177777);
	else if (!strcmp(w, "type"))
		value_mode(line, value & 0177777);
	else if (!strcmp(w, "dev"))
		value_device(line, value);
	else if (!strcmp(w, "p"))
		value_address(line, value);
	else if (!strcmp(w, "fd") || !strcmp(w, "fdof"))
		line_printf(line, "%d", (int)value);
	else if (!strcmp(w, "atfd") && (int)value == AT_FDCWD)
		put_directory(line, "AT_FDCWD", AT_FDCWD);
	else if (!strcmp(w, "atfd") && *word->set && (int)value == -1)
		put_directory(line, word->set, -1);
	else if (!strcmp(w, "atfd"))
		line_printf(line, "%d", (int)value);
	else if (!strcmp(w, "sig"))
		value_signal(line, value);
	else if (!strcmp(w, "key") && (int)value < 0)
		value_names(line, "key", (uint32_t)value);
	else if (!strcmp(w, "key"))
		line_printf(line, "%d", (int)value);
	else if (!strcmp(word->set, "protocol"))
		put_protocol(line, view, value);
	else if (!strcmp(w, "F") || !strcmp(w, "E"))
		value_names(line, word->set, value);
	else
		return false;
	return true;
}

static bool makes_device(uint64_t mode)
{
	return S_ISCHR(mode) || S_ISBLK(mode);
}

/* What two arguments have together. */
static void put_joined(struct line *line, const char *set, uint64_t value)
{
	if (*set)
		value_names(line, set, value);
	else
		line_printf(line, "%" PRId64, (int64_t)value);
}

bool argument_print(struct line *line, const struct call_view *view,
		    unsigned int argument)
{
	const struct ktrace_word *word = call_word(view, argument);
	uint64_t value = call_argument(view, argument);

	if (word_is(word, "-") || !argument_counts(view, argument) ||
	    (word_is(word, "by") && *word->set == '-'))
		return false;
	if (word_is_unsigned(word->word))
		value = value_bits(view, argument, value);
	if (word_is(word, "mode") &&
	    !makes_file(call_argument(view, word->from)))
		return false;
	if (word_is(word, "dev") && word->from >= 0 &&
	    !makes_device(call_argument(view, word->from)))
		return false;
	if (word_is(word, "half") || word_is(word, "skip"))
		return true;
	if (word_is(word, "low"))
		put_joined(line, word->set,
			   call_argument(view, argument + 1) << 32 |
				   (uint32_t)value);
	else if (word_is(word, "high"))
		line_printf(
			line, "%" PRId64,
			(int64_t)(value << 32 |
				  (uint32_t)call_argument(view, argument + 1)));
	else if (word_is(word, "futex"))
		value_names(line, "futex", value);
	else if (word_is(word, "futexto"))
		return put_futex(line, view, argument);
	else if (view->call && !strncmp(view->call->shown, "futex", 5) &&
		 word_is(call_word(view, 1), "futex") && argument >= 4)
		return futex_argument(line, view, argument);
	else if (word_is(word, "fcntl"))
		return fcntl_argument(line, view, argument);
	else if (word_is(word, "by") && *word->set == 'x')
		line_printf(line, "%#" PRIx64, value);
	else if (word_is(word, "by") && *word->set == 'd')
		line_printf(line, "%" PRId64, (int64_t)value);
	else if (word_is(word, "by") && *word->set == 'i')
		value_id(line, value);
	else if (word_is(word, "by") && !strcmp(word->set, "pid"))
		value_pid(line, value);
	else if (word_is(word, "by") && *word->set == 'p')
		value_address(line, value);
	else if (word_is(word, "by"))
		put_unknown(line, value);
	else if (word_is(word, "sockopt"))
		option_name_print(line, view, argument);
	else if (put_special(line, view, word, value))
		return true;
	else if (!put_number(line, view, word, value) &&
		 !argument_memory(line, view, argument))
		put_plain(line, view, argument);
	if (word_is(word, "fd") || word_is(word, "atfd"))
		path_print(line, view, argument);
	return true;
}

/* rt_sigreturn({mask=[CHLD]}): it has no argument; the mask is on the stack. */
static bool put_frame(struct line *line, const struct call_view *view)
{
	struct captured c;
	uint64_t mask;
	char name[32];

	snprintf(name, sizeof(name), KTRACE_CAPTURED_VALUE,
		 KTRACE_CAPTURED_FRAME, "");
	c = captured_find(view, false, name);
	if (!c.there || c.size < sizeof(mask))
		return false;
	memcpy(&mask, c.bytes, sizeof(mask));
	line_puts(line, "{mask=");
	value_signals(line, mask);
	line_puts(line, "}");
	return true;
}

static bool call_is(const struct call_view *view, const char *name)
{
	const char *own;

	if (!view->call)
		return false;
	own = view->call->name + (call_is_compat(view) ? 3 : 0);
	return !strcmp(own, name);
}

/* Prints clone(child_stack=NULL, flags=CLONE_VM|SIGCHLD, ...). */
static bool put_clone(struct line *line, const struct call_view *view)
{
	uint64_t flags = call_argument(view, 0);

	/* 32-bit programs have the last two the other way round. */
	unsigned int tls = call_is_compat(view) ? 3 : 4;

	if (!call_is(view, "clone"))
		return false;
	line_puts(line, "child_stack=");
	value_address(line, call_argument(view, 1));
	line_puts(line, ", flags=");
	if (flags & ~0xffull)
		value_names(line, "clone", flags & ~0xffull);
	if (flags & 0xff || !flags) {
		if (flags & ~0xffull)
			line_puts(line, "|");
		value_signal(line, flags & 0xff);
	}
	if (flags & 0x100000) { /* CLONE_PARENT_SETTID */
		line_puts(line, ", parent_tid=[");
		value_pid(line, view->result);
		line_puts(line, "]");
	}
	if (flags & 0x80000) /* CLONE_SETTLS */
		line_printf(line, ", tls=%#" PRIx64, call_argument(view, tls));
	if (flags & 0x1200000) { /* CLONE_CHILD_SETTID, _CLEARTID */
		line_puts(line, ", child_tidptr=");
		value_address(line, call_argument(view, 7 - tls));
	}
	return true;
}

bool arguments_print(struct line *line, const struct call_view *view)
{
	return put_frame(line, view) || put_clone(line, view);
}

/* ---- results -------------------------------------------------------------- */

static void put_error(struct line *line, int64_t error)
{
	static const struct {
		int error;
		const char *text;
	} restarts[] = {
		{512, "ERESTARTSYS (To be restarted if SA_RESTART is set)"},
		{513, "ERESTARTNOINTR (To be restarted)"},
		{514, "ERESTARTNOHAND (To be restarted if no handler)"},
		{516, "ERESTART_RESTARTBLOCK (Interrupted by signal)"},
	};
	const char *name = strerrorname_np(error);

	for (size_t i = 0; i < sizeof(restarts) / sizeof(restarts[0]); i++) {
		if (restarts[i].error != error)
			continue;
		line_printf(line, "? %s", restarts[i].text);
		return;
	}
	if (name)
		line_printf(line, "-1 %s (%s)", name, strerrordesc_np(error));
	else
		line_printf(line, "-%" PRId64, error);
}

/* The remaining time of a timeout, which some calls store in its place. */
static void put_left(struct line *line, const struct call_view *view,
		     unsigned int argument, bool first)
{
	struct captured c = captured_get(view, true, argument, "");
	const struct ktrace_word *word = call_word(view, argument);
	size_t before = line->len;

	if (!c.there)
		return;
	line_puts(line, first ? "left " : ", left ");
	if (!value_struct(line, view, word->set, NULL, c.bytes, c.size))
		line->len = before;
}

static void put_ready(struct line *line, const struct call_view *view)
{
	struct captured c = captured_get(view, true, 0, "");
	const char *words = ktrace_struct_words("pollfd.out");
	bool first = true;
	uint16_t events;

	if (!view->result) {
		line_puts(line, " (Timeout)");
		return;
	}
	line_puts(line, " ([");
	for (size_t i = 0; c.there && i + 8 <= c.size; i += 8) {
		memcpy(&events, c.bytes + i + 6, sizeof(events));
		if (!events)
			continue;
		if (!first)
			line_puts(line, ", ");
		first = false;
		value_struct(line, view, "pollfd", words, c.bytes + i, 8);
	}
	line_puts(line, "]");
	if (word_is(call_word(view, 2), "T"))
		put_left(line, view, 2, false);
	line_puts(line, ")");
}

static void put_selected(struct line *line, const struct call_view *view)
{
	static const char *const names[] = {NULL, "in", "out", "except"};
	bool first = true;

	if (!view->result) {
		line_puts(line, " (Timeout)");
		return;
	}
	line_puts(line, " (");
	for (unsigned int i = 1; i <= 3; i++) {
		struct captured c = captured_get(view, true, i, "");
		uint64_t limit = call_argument(view, 0);
		const char *space = "";

		if (!c.there || !call_argument(view, i))
			continue;
		for (size_t fd = 0; fd < limit && fd / 8 < c.size; fd++) {
			if (!(c.bytes[fd / 8] >> fd % 8 & 1))
				continue;
			if (!*space)
				line_printf(line, "%s%s [", first ? "" : ", ",
					    names[i]);
			line_printf(line, "%s%zu", space, fd);
			space = " ";
			first = false;
		}
		if (*space)
			line_puts(line, "]");
	}
	put_left(line, view, 4, first);
	line_puts(line, ")");
}

/* What is left of a time-out that the call stores. */
static void put_waited(struct line *line, const struct call_view *view)
{
	size_t before = line->len, begin;

	line_puts(line, " (");
	begin = line->len;
	if (word_is(call_word(view, 4), "T"))
		put_left(line, view, 4, true);
	if (line->len > begin && line->s[line->len - 1] == '}')
		line_puts(line, ")");
	else
		line->len = before;
}

/*
 * A result with what it means behind it: 0 (SCHED_OTHER).  False: it is none.  @asked: how the
 * constants in it are shown; it is itself always a name.
 */
static bool put_meaning(struct line *line, int64_t value,
			const struct ktrace_word *word,
			enum ktrace_output_constants asked)
{
	size_t begin = line->len;
	const char *name;

	/* The kernel returns an error as a number without a sign. */
	if (word_is(word, "ldt")) {
		if ((int32_t)value >= 0 || (int32_t)value < -ERROR_MAX)
			return false;
		name = strerrorname_np(-(int32_t)value);
		if (!name)
			return false;
		line_printf(line, "%u %s (%s)", (uint32_t)value, name,
			    strerrordesc_np(-(int32_t)value));
		return true;
	}
	if (word_is(word, "ioprio")) {
		if (asked == KTRACE_CONSTANTS_NUMBERS)
			return false;
		line_printf(line, "%" PRId64 " (", value);
		line->constants = asked;
		put_priority(line, value);
		line->constants = KTRACE_CONSTANTS_NAMES;
		line_puts(line, ")");
		return true;
	}
	line_printf(line, "%" PRId64 " (", value);
	if (word_is(word, "E"))
		value_names(line, word->set, value);
	else if (!word_is(word, "time") || !value_date(line, value, 0, 0))
		line->len = begin;
	if (line->len > begin)
		line_puts(line, ")");
	return line->len > begin;
}

void result_print(struct line *line, const struct call_view *view)
{
	const char *word = view->call ? view->call->result.word : "";
	/* The number is there, so its meaning is always its name. */
	struct constant names = constant_begin(line);

	if (call_failed(view))
		put_error(line, -view->result);
	else if (call_is(view, "fcntl") || call_is(view, "fcntl64")) {
		constant_end_plain(line, &names);
		fcntl_result(line, view);
	} else if (!strcmp(word, "x"))
		line_printf(line, "%#" PRIx64, view->result);
	else if (!strcmp(word, "handler")) {
		line_printf(line, "%#" PRIx64 " (", view->result);
		value_handler(line, view->result);
		line_puts(line, ")");
	} else if (!strcmp(word, "sig"))
		result_signal(line, view->result);
	else if (!strcmp(word, "pid"))
		value_pid(line, view->result);
	else if (!strcmp(word, "o"))
		line_printf(line, "%#03" PRIo64, view->result);
	else if (!*word || !put_meaning(line, view->result, &view->call->result,
					names.constants))
		line_printf(line, "%" PRId64, view->result);
	constant_end_plain(line, &names);
	if (call_failed(view))
		return;
	path_print(line, view, KTRACE_CALL_ARGUMENTS);
	if (!strcmp(call_word(view, 0)->set, "pollfd"))
		put_ready(line, view);
	else if (word_is(call_word(view, 1), "fdset"))
		put_selected(line, view);
	else if (word_is(call_word(view, 1), "mmsg"))
		put_waited(line, view);
}
