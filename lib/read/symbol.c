// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Names of the kernel's functions, from the trace's own list: lines of
 * "ADDRESS NAME [MODULE]", of which some are packed (base/packed.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/packed.h"
#include "trace.h"

/* Unpacked.  A kernel with all its modules has 15 MiB, in lines of 40 bytes. */
#define SYMBOLS_MAX (64u << 20)
#define LINES_MAX   (2u << 20)
/* Functions are smaller: an address further from the begin belongs to none. */
#define FUNCTION_MAX (1u << 20)

struct symbol_entry {
	uint64_t address;
	const char *name;
	const char *module; /* NULL: none */
};

/*
 * The trace's directory may be untrusted, so this opens only a regular file,
 * not a link.
 */
static char *table_read(int directory, size_t *size)
{
	int fd = file_open_plain(directory, "symbols", O_RDONLY);
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (file_read_fd(fd, SYMBOLS_MAX, &text, size))
		text = NULL;
	close(fd);
	return text;
}

static int entry_compare(const void *a, const void *b)
{
	const struct symbol_entry *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void expand(struct ktrace *trace, char **text, size_t *size)
{
	switch (packed_expand(text, size, SYMBOLS_MAX)) {
	case 0:
		return;
	case -EFBIG:
		trace_warn(trace,
			   "symbols: larger than %u MiB: functions of "
			   "the kernel have no names",
			   SYMBOLS_MAX >> 20);
		break;
	case -ENOMEM:
		trace_warn(trace, "symbols: no memory for them: functions of "
				  "the kernel have no names");
		break;
	default:
		trace_warn(trace, "symbols: damaged: functions of the kernel "
				  "have no names");
	}
	free(*text);
	*text = NULL;
}

void symbols_parse(struct ktrace *trace, char *text, size_t size)
{
	struct symbol_table *symbols = &trace->symbols;
	size_t lines = 0, i;
	char *p, *end;

	if (text)
		expand(trace, &text, &size);
	symbols->text = text;
	if (!text)
		return;
	for (i = 0; i < size; i++)
		lines += symbols->text[i] == '\n';
	if (lines > LINES_MAX) {
		trace_warn(trace,
			   "symbols: more than %u: functions of the "
			   "kernel have no names",
			   LINES_MAX);
		return;
	}
	symbols->entries = calloc(lines + 1, sizeof(*symbols->entries));
	if (!symbols->entries)
		return;

	end = symbols->text + size;
	for (p = symbols->text; p < end;) {
		char *newline = memchr(p, '\n', end - p);
		struct symbol_entry *entry = &symbols->entries[symbols->count];
		const char *name;
		char *space;

		if (!newline)
			break;
		*newline = '\0';
		entry->address = hex_read(p, &name);
		/* Without a number, what stands before the name is nothing. */
		if (name != p && *name++ == ' ' && *name) {
			space = strchr(name, ' ');
			if (space)
				*space++ = '\0';
			entry->module = space;
			entry->name = name;
			symbols->count++;
		}
		p = newline + 1;
	}
	qsort(symbols->entries, symbols->count, sizeof(*symbols->entries),
	      entry_compare);
}

void symbols_read(struct ktrace *trace)
{
	size_t size = 0;
	char *text = table_read(trace->directory, &size);

	symbols_parse(trace, text, size);
}

static const struct symbol_entry *entry_find(const struct symbol_table *symbols,
					     uint64_t address)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->entries[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - symbols->entries[low - 1].address >= FUNCTION_MAX)
		return NULL;
	return &symbols->entries[low - 1];
}

const char *symbols_find(const struct symbol_table *symbols, uint64_t address,
			 uint64_t *offset)
{
	const struct symbol_entry *entry = entry_find(symbols, address);

	if (!entry)
		return NULL;
	*offset = address - entry->address;
	return entry->name;
}

const char *symbols_module(const struct symbol_table *symbols, uint64_t address)
{
	const struct symbol_entry *entry = entry_find(symbols, address);

	return entry ? entry->module : NULL;
}

void symbols_free(struct symbol_table *symbols)
{
	free(symbols->text);
	free(symbols->entries);
}
