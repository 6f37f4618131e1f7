/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reads DWARF's numbers from bytes that may be anything.  What lies beyond the end is zero,
 * and makes the reader bad; whoever needs all of its numbers to be real asks at the end.
 */
#ifndef KT_LIB_SYMBOL_DWARF_READER_H
#define KT_LIB_SYMBOL_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_reader {
	const uint8_t *at, *end;
	bool bad;
};

static inline uint64_t dwarf_fixed(struct dwarf_reader *reader, size_t size)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		reader->at = reader->end;
		return 0;
	}
	memcpy(&value, reader->at, size);
	reader->at += size;
	return value;
}

static inline uint64_t dwarf_leb128(struct dwarf_reader *reader, bool negative)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	uint8_t byte;

	do {
		byte = dwarf_fixed(reader, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (negative && shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return value;
}

static inline uint64_t dwarf_unsigned(struct dwarf_reader *reader)
{
	return dwarf_leb128(reader, false);
}

static inline int64_t dwarf_signed(struct dwarf_reader *reader)
{
	return dwarf_leb128(reader, true);
}

/* A block of bytes, for instance an expression.  NULL: it is not there. */
static inline const uint8_t *dwarf_block(struct dwarf_reader *reader,
					 uint64_t size)
{
	const uint8_t *block = reader->at;

	if ((uint64_t)(reader->end - reader->at) < size) {
		reader->bad = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return block;
}

#endif /* KT_LIB_SYMBOL_DWARF_READER_H */
