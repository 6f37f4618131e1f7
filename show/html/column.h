/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Columns: the values of one kind, one after another, as bytes that compress well.
 *
 * A value is a varint (LEB128): seven bits in each byte, the lowest first, and the eighth bit says
 * that one more follows.  Signed values are zigzag-coded: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
 * Times are most of a trace, and their lowest bits are chance.  So the lowest eight bits are in a
 * column of their own, which has bytes as they are: this makes them 8 to 10 % smaller.
 */
#ifndef KT_SHOW_HTML_COLUMN_H
#define KT_SHOW_HTML_COLUMN_H

#include <stddef.h>
#include <stdint.h>

/* All zero: no values. */
struct column {
	uint8_t *bytes;
	size_t size, room;
	uint64_t nr;
};

/* What a value of an event's field is. */
enum value_kind {
	VALUE_DECIMAL,
	VALUE_TEXT,
	VALUE_HEX,
};

struct value {
	enum value_kind kind;
	uint64_t number; /* VALUE_TEXT: that of the text */
};

/*
 * Values of a field.  Each has its kind in its two lowest bits, and above these
 *	a number:  what it is more than the number before it in the column, signed
 *	a text:	   its number + 1, twice; or if that is greater than that of all texts before it in
 *		   the column, what it is more than the greatest one, twice, and 1
 */
struct value_column {
	struct column column;
	uint64_t last; /* number */
	uint64_t most; /* the greatest number of a text, + 1 */
};

/* 0 or -ENOMEM, all of them. */
int column_put(struct column *column, uint64_t value);
/* The value is split: @column and the one behind it. */
int column_put_split(struct column *column, uint64_t value);
int column_put_split_signed(struct column *column, int64_t value);
int value_put(struct value_column *column, const struct value *value);
void column_free(struct column *column);

/*
 * Is the text exactly what is printed of a number: decimal with up to 18 digits, or hexadecimal
 * with up to 16 and "0x" in front?
 */
int value_is_number(struct value *value, const char *text, size_t size);

#endif /* KT_SHOW_HTML_COLUMN_H */
