// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The entries of a directory: getdents(2). */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "call.h"

/* The head of an entry; words of @word bytes, then the length in two bytes. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	const uint8_t *name;
	size_t name_room;
};

/*
 * struct linux_dirent64 has the type in front of the name, struct linux_dirent in its last byte.
 * False: it is not all there.
 */
static bool entry_read(struct entry *entry, const uint8_t *bytes, size_t left,
		       size_t word, bool typed)
{
	size_t head = 2 * word + sizeof(entry->length) + typed;

	if (left < head)
		return false;
	entry->inode = word_read(bytes, word);
	entry->offset = word_read(bytes + word, word);
	memcpy(&entry->length, bytes + 2 * word, sizeof(entry->length));
	if (entry->length <= head || entry->length > left)
		return false;
	entry->type = typed ? bytes[head - 1] : bytes[entry->length - 1];
	entry->name = bytes + head;
	entry->name_room = entry->length - head - !typed;
	return true;
}

static void put_name(struct line *line, const struct entry *entry)
{
	size_t length = strnlen((const char *)entry->name, entry->name_room);

	line_puts(line, ", d_name=");
	value_string(line, entry->name, length, false);
}

static void put_type(struct line *line, const struct entry *entry)
{
	line_puts(line, ", d_type=");
	value_names(line, "dirent_type", entry->type);
}

static void put_entry(struct line *line, const struct entry *entry, bool typed)
{
	line_printf(line, "{d_ino=%" PRIu64 ", d_off=%" PRId64 ", d_reclen=%u",
		    entry->inode, entry->offset, entry->length);
	if (typed)
		put_type(line, entry);
	put_name(line, entry);
	if (!typed)
		put_type(line, entry);
	line_puts(line, "}");
}

void entries_print(struct line *line, const struct call_view *view,
		   unsigned int argument)
{
	struct captured c =
		captured_get(view, true, argument, KTRACE_CAPTURED_DATA);
	bool typed = !strcmp(view->call->shown, "getdents64");
	size_t word = typed ? sizeof(uint64_t) : word_size(view), at = 0;
	struct entry entry;

	if (!view->unabbreviated || call_failed(view) ||
	    (view->result && !c.there)) {
		count_print(line, view, argument, true, "entries", "entries");
		return;
	}
	line_puts(line, "[");
	while (entry_read(&entry, c.bytes + at, c.size - at, word, typed)) {
		line_puts(line, at ? ", " : "");
		put_entry(line, &entry, typed);
		at += entry.length;
	}
	if (at < (uint64_t)view->result)
		line_puts(line, at ? ", ..." : "...");
	line_puts(line, "]");
}
