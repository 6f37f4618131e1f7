// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* fcntl: the meaning of argument and result depends on the command. */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "call.h"

#define OWNER_SIZE 8

/* Commands that only fcntl64 of 32-bit programs has. */
#define WIDE_GET  12
#define WIDE_SET  13
#define WIDE_WAIT 14

static bool has_wide(const struct call_view *view)
{
	return view->call && !strcmp(view->call->shown, "fcntl64");
}

bool fcntl_answers(const struct call_view *view)
{
	switch (call_argument(view, 1)) {
	case F_GETLK:
	case F_OFD_GETLK:
	case F_GETOWN_EX:
		return true;
	case WIDE_GET:
		return has_wide(view);
	default:
		return false;
	}
}

/*
 * The memory to which the argument points: what the call read, or what it
 * wrote.
 */
static struct captured memory_of(const struct call_view *view,
				 unsigned int argument)
{
	if (!fcntl_answers(view))
		return captured_get(view, false, argument, "");
	if (call_failed(view))
		return (struct captured){0};
	return captured_get(view, true, argument, "");
}

/* Where a lock's range and its process are, and how large a number of the range is. */
struct lock_layout {
	size_t range, number, pid;
};

/* 32-bit programs have two; which one depends on the command. */
static struct lock_layout lock_layout(const struct call_view *view)
{
	if (!call_is_compat(view))
		return (struct lock_layout){.range = 8, .number = 8, .pid = 24};
	switch (call_argument(view, 1)) {
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
		return (struct lock_layout){.range = 4, .number = 4, .pid = 12};
	default:
		return (struct lock_layout){.range = 4, .number = 8, .pid = 20};
	}
}

static int64_t lock_number(const uint8_t *bytes, size_t size)
{
	int64_t number = word_read(bytes, size);

	return size == sizeof(int32_t) ? (int32_t)number : number;
}

static bool put_lock(struct line *line, const struct call_view *view,
		     const struct captured *c)
{
	struct lock_layout at = lock_layout(view);
	int16_t type, whence;
	int64_t range[2];
	int32_t pid;

	if (!c->there || c->size < at.pid + sizeof(pid))
		return false;
	memcpy(&type, c->bytes, sizeof(type));
	memcpy(&whence, c->bytes + 2, sizeof(whence));
	range[0] = lock_number(c->bytes + at.range, at.number);
	range[1] = lock_number(c->bytes + at.range + at.number, at.number);
	memcpy(&pid, c->bytes + at.pid, sizeof(pid));
	line_puts(line, "{l_type=");
	value_names(line, "flock_type", type);
	line_puts(line, ", l_whence=");
	value_names(line, "whence", whence);
	line_printf(line, ", l_start=%" PRId64 ", l_len=%" PRId64, range[0],
		    range[1]);
	if (fcntl_answers(view))
		line_printf(line, ", l_pid=%d", pid);
	line_puts(line, "}");
	return true;
}

static bool put_owner(struct line *line, const struct captured *c)
{
	int32_t owner[2];

	if (!c->there || c->size < OWNER_SIZE)
		return false;
	memcpy(owner, c->bytes, sizeof(owner));
	line_puts(line, "{type=");
	value_names(line, "file_owner", owner[0]);
	line_printf(line, ", pid=%d}", owner[1]);
	return true;
}

bool fcntl_argument(struct line *line, const struct call_view *view,
		    unsigned int argument)
{
	struct captured c = memory_of(view, argument);
	uint64_t value = call_argument(view, argument);

	switch (call_argument(view, 1)) {
	case F_GETFD:
	case F_GETFL:
	case F_GETOWN:
	case F_GETSIG:
	case F_GETLEASE:
	case F_GETPIPE_SZ:
	case F_GET_SEALS:
		return false;
	case F_SETFD:
		value_names(line, "fd", value);
		break;
	case F_SETFL:
		value_names(line, "open", value);
		break;
	case F_SETLEASE:
		value_names(line, "flock_type", value);
		break;
	case F_NOTIFY:
		value_names(line, "notify", value);
		break;
	case F_SETSIG:
		value_signal(line, value);
		break;
	case F_ADD_SEALS:
		value_names(line, "seal", value);
		break;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		if (!put_lock(line, view, &c))
			value_address(line, value);
		break;
	case WIDE_GET:
	case WIDE_SET:
	case WIDE_WAIT:
		if (!has_wide(view) || !put_lock(line, view, &c))
			value_address(line, value);
		break;
	case F_SETOWN_EX:
	case F_GETOWN_EX:
		if (!put_owner(line, &c))
			value_address(line, value);
		break;
	default:
		line_printf(line, "%" PRId64, (int64_t)value);
	}
	return true;
}

void result_signal(struct line *line, uint64_t signal)
{
	struct constant name = constant_begin(line);

	line_printf(line, "%" PRIu64 " (", signal);
	value_signal(line, signal);
	line_puts(line, ")");
	constant_end_plain(line, &name);
}

static void put_named(struct line *line, uint64_t value, const char *what,
		      const char *set)
{
	struct constant names = constant_begin(line);

	/* strace shows these as constants, the others as text. */
	if (!strcmp(set, "fd") || !strcmp(set, "seal"))
		constant_end_plain(line, &names);
	line_printf(line, "%#" PRIx64 " (%s", value, what);
	value_names(line, set, value);
	line_puts(line, ")");
	constant_end_plain(line, &names);
}

void fcntl_result(struct line *line, const struct call_view *view)
{
	switch (call_argument(view, 1)) {
	case F_GETFL:
		put_named(line, view->result, "flags ", "open");
		return;
	case F_GETLEASE:
		put_named(line, view->result, "", "flock_type");
		return;
	case F_GETFD:
		if (!view->result)
			break;
		put_named(line, view->result, "flags ", "fd");
		return;
	case F_GET_SEALS:
		if (!view->result)
			break;
		put_named(line, view->result, "seals ", "seal");
		return;
	case F_GETSIG:
		if (!view->result)
			break;
		result_signal(line, view->result);
		return;
	}
	line_printf(line, "%" PRId64, view->result);
}
