// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What is behind a descriptor, in strace's notation of its -yy: a device, a socket, a pidfd.
 * ktrace/capture_names.h has the notation of traces.  What does not have it is shown as it is.
 */
#include <stdint.h>
#include <string.h>

#include "call.h"

static bool file_begins(const struct call_file *file, const char *begin)
{
	size_t length = strlen(begin);

	return file->object_length >= length &&
	       !memcmp(file->object, begin, length);
}

uint32_t file_kind(const struct line *line, const struct call_file *file)
{
	uint32_t kind = KTRACE_FILES_SOCKETS;

	if (!file->object_length)
		kind = KTRACE_FILES_PATHS;
	else if (file_begins(file, "char ") || file_begins(file, "block "))
		kind = KTRACE_FILES_DEVICES;
	else if (file_begins(file, "pid "))
		kind = KTRACE_FILES_PIDFDS;
	if (!(line->files_hidden & kind))
		return kind;
	if (line->files_hidden & KTRACE_FILES_PATHS)
		return 0;
	return KTRACE_FILES_PATHS;
}

/* A number in decimal at *@s, which it moves behind it. */
static bool number_take(const char **s, const char *end, uint32_t *number)
{
	const char *begin = *s;
	uint64_t value = 0;

	for (; *s < end && **s >= '0' && **s <= '9'; ++*s) {
		value = 10 * value + (**s - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*number = value;
	return *s > begin;
}

/* An arrow is no end: it is shown as it is, as strace does. */
static void put_text(struct line *line, const char *text, size_t length)
{
	static const char arrow[] = "->";
	size_t part;
	char *at;

	for (;;) {
		at = memmem(text, length, arrow, strlen(arrow));
		if (!at)
			break;
		part = at - text;
		value_angled(line, text, part);
		line_puts(line, arrow);
		text += part + strlen(arrow);
		length -= part + strlen(arrow);
	}
	value_angled(line, text, length);
}

static void put_object(struct line *line, const struct call_file *file)
{
	put_text(line, file->object, file->object_length);
}

static void put_device(struct line *line, const struct call_file *file,
		       bool may_be_gone)
{
	size_t length = file->length;
	bool gone = may_be_gone && path_is_gone(file->path, &length);

	line_puts(line, "<");
	value_path_bytes(line, file->path, length);
	line_puts(line, "<");
	put_object(line, file);
	line_puts(line, gone ? ">>(deleted)" : ">>");
}

static void put_pidfd(struct line *line, const struct call_file *file)
{
	const char *at = file->object + strlen("pid ");
	const char *end = file->object + file->object_length;
	uint32_t pid;

	if (!number_take(&at, end, &pid) || at < end) {
		put_object(line, file);
		return;
	}
	line_puts(line, "pid:");
	value_pid(line, pid);
}

/* NETLINK:[0:812] is NETLINK:[ROUTE:812]. */
static bool put_netlink(struct line *line, const struct call_file *file)
{
	static const char begin[] = "NETLINK:[", prefix[] = "NETLINK_";
	const char *end = file->object + file->object_length, *at, *name;
	uint32_t protocol, port;

	if (!file_begins(file, begin))
		return false;
	at = file->object + strlen(begin);
	if (!number_take(&at, end, &protocol) || at == end || *at++ != ':' ||
	    !number_take(&at, end, &port) || end - at != 1 || *at != ']')
		return false;
	name = name_find("netlink", protocol);
	if (!name)
		return false;
	if (!strncmp(name, prefix, strlen(prefix)))
		name += strlen(prefix);
	line_printf(line, "%s%s:%u]", begin, name, port);
	return true;
}

/* UNIX-STREAM:[12->13,"PATH"]: all between the outer quotes is the path, also quotes. */
static bool put_unix(struct line *line, const struct call_file *file)
{
	static const char end[] = "\"]";
	const char *object = file->object, *name, *last;

	name = memchr(object, ',', file->object_length);
	last = object + file->object_length - strlen(end);
	if (!name || last <= name || memcmp(last, end, strlen(end)) != 0)
		return false;
	name += name[1] == '@' ? 2 : 1;
	if (name >= last || *name != '"')
		return false;
	put_text(line, object, name - object);
	name++;
	value_string(line, (const uint8_t *)name, last - name, false);
	line_puts(line, "]");
	return true;
}

void value_file(struct line *line, const struct call_file *file,
		bool may_be_gone)
{
	uint32_t kind = file_kind(line, file);

	if (kind == KTRACE_FILES_PATHS && file->length)
		value_path(line, file->path, file->length, may_be_gone);
	else if (kind == KTRACE_FILES_DEVICES)
		put_device(line, file, may_be_gone);
	if (!kind || kind & (KTRACE_FILES_PATHS | KTRACE_FILES_DEVICES))
		return;
	line_puts(line, "<");
	if (kind == KTRACE_FILES_PIDFDS)
		put_pidfd(line, file);
	else if (!put_netlink(line, file) && !put_unix(line, file))
		put_object(line, file);
	line_puts(line, ">");
}
