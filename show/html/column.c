// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html/column.h"

#define VARINT_MAX 10 /* bytes of 66 bits: a value of a field */

/* Room for one more value. */
static int column_grow(struct column *c)
{
	size_t room = c->room ? c->room * 2 : 16;
	uint8_t *more;

	if (c->room - c->size >= VARINT_MAX)
		return 0;
	more = realloc(c->bytes, room);
	if (!more)
		return -ENOMEM;
	c->bytes = more;
	c->room = room;
	return 0;
}

/* The value is @high * 2^64 + @low. */
static int wide_put(struct column *c, uint64_t low, unsigned int high)
{
	if (column_grow(c))
		return -ENOMEM;
	while (low > 0x7f || high) {
		c->bytes[c->size++] = (low & 0x7f) | 0x80;
		low = low >> 7 | (uint64_t)high << 57;
		high >>= 7;
	}
	c->bytes[c->size++] = low;
	c->nr++;
	return 0;
}

static uint64_t zigzag(int64_t value)
{
	return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

int column_put(struct column *c, uint64_t value)
{
	return wide_put(c, value, 0);
}

int column_put_split(struct column *c, uint64_t value)
{
	struct column *low = c + 1;

	if (column_put(c, value >> 8) || column_grow(low))
		return -ENOMEM;
	low->bytes[low->size++] = value & 0xff;
	low->nr++;
	return 0;
}

int column_put_split_signed(struct column *c, int64_t value)
{
	return column_put_split(c, zigzag(value));
}

static uint64_t text_code(struct value_column *c, uint64_t number)
{
	uint64_t code = number << 1;

	if (number > c->most) {
		code = (number - c->most) << 1 | 1;
		c->most = number;
	}
	return code;
}

int value_put(struct value_column *c, const struct value *value)
{
	uint64_t code;

	if (value->kind == VALUE_TEXT) {
		code = text_code(c, value->number + 1);
	} else {
		code = zigzag((int64_t)(value->number - c->last));
		c->last = value->number;
	}
	return wide_put(&c->column, code << 2 | value->kind, code >> 62);
}

void column_free(struct column *c)
{
	free(c->bytes);
}

static int digit_of(char c, unsigned int base)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* No sign, and no 0 in front. */
static int digits_read(const char *text, size_t size, unsigned int base,
		       size_t most, uint64_t *number)
{
	if (!size || size > most || (*text == '0' && size > 1))
		return 0;
	*number = 0;
	for (size_t i = 0; i < size; i++) {
		int digit = digit_of(text[i], base);

		if (digit < 0)
			return 0;
		*number = *number * base + digit;
	}
	return 1;
}

int value_is_number(struct value *value, const char *text, size_t size)
{
	uint64_t number;

	if (size > 2 && !memcmp(text, "0x", 2) &&
	    digits_read(text + 2, size - 2, 16, 16, &number)) {
		*value = (struct value){VALUE_HEX, number};
		return 1;
	}
	if (size && *text == '-' &&
	    digits_read(text + 1, size - 1, 10, 18, &number) && number) {
		*value = (struct value){VALUE_DECIMAL, -number};
		return 1;
	}
	if (!digits_read(text, size, 10, 18, &number))
		return 0;
	*value = (struct value){VALUE_DECIMAL, number};
	return 1;
}
