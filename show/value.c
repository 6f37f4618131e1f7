// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <arpa/inet.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/escape.h"
#include "program.h"
#include "value.h"

/* Strings */

/* A string of only such bytes is printed without quotes. */
static bool is_plain(uint8_t c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\';
}

void text_quoted(struct output *output, const uint8_t *s, size_t n)
{
	size_t len = 1;

	output_add(output, "\"", 1);
	for (; n && *s; s += len, n -= len) {
		static const char special[] = "\"\\\n\t", names[] = "\"\\nt";
		const char *found = strchr(special, *s);

		output_room(output, ESCAPE_ROOM);
		if (found) {
			*output->p++ = '\\';
			*output->p++ = names[found - special];
			len = 1;
		} else {
			output->p = escape_text_char(output->p, s, n, &len);
		}
	}
	output_add(output, "\"", 1);
}

/*
 * The same for eight bytes at once: sets the top bit of each byte that is not
 * plain.  The lowest of these bits is always right; higher ones may be wrong.
 */
static uint64_t not_plain(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101ull;
	uint64_t quote = x ^ ones * '"';
	uint64_t backslash = x ^ ones * '\\';
	uint64_t del = x ^ ones * 0x7f;

	return (x | ((x - ones * 0x21) & ~x) | ((quote - ones) & ~quote) |
		((backslash - ones) & ~backslash) | ((del - ones) & ~del)) &
	       ones * 0x80;
}

void text_string(struct output *output, const uint8_t *s, size_t n)
{
	size_t i = 0;

	if (unlikely(!n || n > OUTPUT_ROOM - 8)) {
		text_quoted(output, s, n);
		return;
	}
	output_room(output, n + 8);
	for (; i + 8 <= n; i += 8) {
		uint64_t x, marks;

		memcpy(&x, s + i, 8);
		memcpy(output->p + i, &x, 8);
		marks = not_plain(x);
		if (marks) {
			i += __builtin_ctzll(marks) / 8;
			goto end;
		}
	}
	for (; i < n && is_plain(s[i]); i++)
		output->p[i] = s[i];
end:
	if (likely(i && (i == n || !s[i])))
		output->p += i;
	else
		text_quoted(output, s, n);
}

void json_string(struct output *output, const uint8_t *s, size_t n)
{
	size_t len;

	output_add(output, "\"", 1);
	for (; n; s += len, n -= len) {
		output_room(output, ESCAPE_ROOM);
		output->p = escape_json_char(output->p, s, n, &len);
	}
	output_add(output, "\"", 1);
}

/* Names; longer ones are cut */

#define NAMES_ROOM 2048

struct bounded {
	char *p;
	char *end;
};

static void bounded_add(struct bounded *b, const char *s, bool json)
{
	size_t n = strlen(s), len;

	for (; n && b->end - b->p >= ESCAPE_ROOM; s += len, n -= len)
		b->p = json ? escape_json_char(b->p, (const uint8_t *)s, n,
					       &len)
			    : escape_text_char(b->p, (const uint8_t *)s, n,
					       &len);
}

/* The bits that have no name. */
static uint64_t flags_left(const struct ktrace_names *names, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < names->count; i++) {
		uint64_t mask = names->names[i].value;

		if ((value & mask) == mask)
			value &= ~mask;
	}
	return value;
}

static void flags_text(struct bounded *b, const struct ktrace_names *names,
		       uint64_t value, bool json)
{
	uint64_t rest = flags_left(names, value), left = value;
	const char *delim = "";
	char hex[40];
	uint32_t i;

	for (i = 0; i < names->count; i++) {
		const char *name = names->names[i].name;
		uint64_t mask = names->names[i].value;

		/* The name of 0 comes first, if at all; flags may follow. */
		if ((left & mask) != mask || (!mask && (left != value || rest)))
			continue;
		left &= ~mask;
		/* The kernel marks a preempted task "R+". */
		if (*name != '+')
			bounded_add(b, delim, json);
		bounded_add(b, name, json);
		delim = names->delim;
	}
	if (!rest && *delim)
		return;
	bounded_add(b, delim, json);
	*put_hex(hex, rest) = '\0';
	bounded_add(b, rest ? hex : "0", json);
}

static void put_names(struct output *output, const struct ktrace_field *field,
		      uint64_t value, const char *symbol, bool json)
{
	/* There is room for the quotes after it. */
	struct bounded b = {output->p, output->p + NAMES_ROOM};

	if (json)
		*b.p++ = '"';
	if (symbol)
		bounded_add(&b, symbol, json);
	else
		flags_text(&b, field->names, value, json);
	if (json)
		*b.p++ = '"';
	output->p = b.p;
}

static void put_dev(struct output *output, uint64_t value)
{
	output->p = put_u64(output->p, (uint32_t)value >> 20);
	*output->p++ = ':';
	output->p = put_u64(output->p, value & 0xfffff);
}

static void put_symbol(struct output *output, const struct ktrace *trace,
		       uint64_t value)
{
	uint64_t offset;
	const char *name = ktrace_symbol(trace, value, &offset);
	size_t i;

	if (!name) {
		output->p = put_hex(output->p, value);
		return;
	}
	for (i = 0; name[i] && i < NAMES_ROOM; i++)
		*output->p++ = is_plain(name[i]) ? name[i] : '?';
	if (offset) {
		*output->p++ = '+';
		output->p = put_hex(output->p, offset);
	}
}

/*
 * Prints the fewest digits that give the same number back.  Infinity and NaN
 * are strings in JSON, which has no numbers for them.
 */
static void put_float(struct output *output, const struct ktrace_field *field,
		      uint64_t value, bool json)
{
	int digits = field->size == 4 ? 6 : 15;
	double x, back;
	float single;
	char text[40];

	memcpy(&x, &value, sizeof(x));
	if (field->size == 4) {
		memcpy(&single, &value, sizeof(single));
		x = single;
	}
	if (!isfinite(x)) {
		output_puts(output, json ? "\"" : "");
		output_puts(output, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
		output_puts(output, json ? "\"" : "");
		return;
	}
	do {
		snprintf(text, sizeof(text), "%.*g", digits, x);
		back = strtod(text, NULL);
	} while ((field->size == 4 ? (float)back != single : back != x) &&
		 digits++ < 17);
	output_puts(output, text);
}

void value_integer(struct output *output, const struct ktrace *trace,
		   const struct ktrace_field *field, uint64_t value, bool json)
{
	const struct ktrace_names *names = field->names;
	/* JSON has no hexadecimal numbers. */
	bool quoted = json && (field->kind == KTRACE_POINTER ||
			       field->base == KTRACE_DEV ||
			       field->base == KTRACE_SYMBOL);
	uint32_t i;

	output_room(output, NAMES_ROOM + 256);
	if (names && names->flags) {
		put_names(output, field, value, NULL, json);
		return;
	}
	for (i = 0; names && i < names->count; i++) {
		if (names->names[i].value == value) {
			put_names(output, field, value, names->names[i].name,
				  json);
			return;
		}
	}
	if (field->base == KTRACE_FLOAT && field->size >= 4) {
		put_float(output, field, value, json);
		return;
	}
	if (quoted)
		*output->p++ = '"';
	if (field->base == KTRACE_DEV)
		put_dev(output, value);
	else if (field->base == KTRACE_SYMBOL)
		put_symbol(output, trace, value);
	else if (field->base == KTRACE_BOOL)
		output_puts(output, value ? "true" : "false");
	else if (field->base == KTRACE_HEX && (quoted || !json))
		output->p = put_hex(output->p, value);
	else if (field->base == KTRACE_OCT && !json)
		output->p +=
			sprintf(output->p, "0%llo", (unsigned long long)value);
	else if (field->kind == KTRACE_INT)
		output->p = put_s64(output->p, value);
	else
		output->p = put_u64(output->p, value);
	if (quoted)
		*output->p++ = '"';
}

/* Other values */

/* Writes hexadecimal bytes, with a colon after every @every (0: none). */
static void put_bytes(struct output *output, const uint8_t *s, size_t n,
		      size_t every)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < n; i++) {
		output_room(output, 4);
		if (every && i && i % every == 0)
			*output->p++ = ':';
		*output->p++ = hex[s[i] >> 4];
		*output->p++ = hex[s[i] & 15];
	}
}

static void put_address(struct output *output, int family, const uint8_t *s)
{
	char text[INET6_ADDRSTRLEN];

	if (inet_ntop(family, s, text, sizeof(text)))
		output_puts(output, text);
}

static void put_sockaddr(struct output *output, const uint8_t *s, size_t n)
{
	uint16_t family = 0, port;

	if (n >= sizeof(family))
		memcpy(&family, s, sizeof(family));
	if (!((family == AF_INET && n >= 8) ||
	      (family == AF_INET6 && n >= 24))) {
		put_bytes(output, s, n, 0);
		return;
	}
	port = s[2] << 8 | s[3];
	if (family == AF_INET) {
		put_address(output, AF_INET, s + 4);
	} else {
		output_puts(output, "[");
		put_address(output, AF_INET6, s + 8);
		output_puts(output, "]");
	}
	output_room(output, 32);
	*output->p++ = ':';
	output->p = put_u64(output->p, port);
}

static void put_uuid(struct output *output, const uint8_t *s)
{
	static const uint8_t groups[] = {4, 2, 2, 2, 6};
	size_t i;

	for (i = 0; i < sizeof(groups); i++) {
		if (i)
			output_puts(output, "-");
		put_bytes(output, s, groups[i], 0);
		s += groups[i];
	}
}

/* "0-3,5" */
static void put_bitmask(struct output *output, const uint8_t *s, size_t n)
{
	const char *comma = "";
	size_t bit, last;

	for (bit = 0; bit < n * 8; bit++) {
		if (!(s[bit / 8] & 1u << bit % 8))
			continue;
		for (last = bit; last + 1 < n * 8 &&
				 s[(last + 1) / 8] & 1u << (last + 1) % 8;)
			last++;
		output_room(output, 64);
		output_puts(output, comma);
		output->p = put_u64(output->p, bit);
		if (last > bit) {
			*output->p++ = '-';
			output->p = put_u64(output->p, last);
		}
		comma = ",";
		bit = last;
	}
}

void value_element(struct output *output, const struct ktrace *trace,
		   const struct ktrace_field *array, const uint8_t *s,
		   bool json)
{
	const struct ktrace_field elem = {
		.kind = array->is_signed ? KTRACE_INT : KTRACE_UINT,
		.base = array->base <= KTRACE_SYMBOL ? array->base : KTRACE_DEC,
		.size = array->elem,
		.names = array->names,
	};
	const struct ktrace_event event = {.payload = s, .size = array->elem};

	value_integer(output, trace, &elem, ktrace_field_int(&event, &elem),
		      json);
}

static void put_array(struct output *output, const struct ktrace *trace,
		      const struct ktrace_field *field, const uint8_t *s,
		      size_t n, bool json)
{
	output_puts(output, json ? "[" : "{");
	for (size_t i = 0; i + field->elem <= n; i += field->elem) {
		if (i)
			output_puts(output, ",");
		value_element(output, trace, field, s + i, json);
	}
	output_puts(output, json ? "]" : "}");
}

void value_other(struct output *output, const struct ktrace *trace,
		 const struct ktrace_event *event,
		 const struct ktrace_field *field, bool json)
{
	const uint8_t *s;
	size_t n;

	if (field->kind <= KTRACE_POINTER) {
		value_integer(output, trace, field,
			      ktrace_field_int(event, field), json);
		return;
	}
	/* Its value was not recorded: <ktrace/types.h>. */
	if (field->kind == KTRACE_BYTES && field->place == KTRACE_FIXED &&
	    !field->size) {
		output_puts(output, json ? "null" : "?");
		return;
	}
	s = ktrace_field_bytes(event, field, &n);
	if (field->kind == KTRACE_STRING) {
		if (json)
			json_string(output, s, n);
		else
			text_string(output, s, n);
		return;
	}
	if (field->kind == KTRACE_ARRAY && field->base <= KTRACE_SYMBOL &&
	    !(field->elem == 1 && field->base == KTRACE_HEX)) {
		put_array(output, trace, field, s, n, json);
		return;
	}
	if (json)
		output_puts(output, "\"");
	if (field->kind == KTRACE_BITMASK)
		put_bitmask(output, s, n);
	else if (field->base == KTRACE_MAC)
		put_bytes(output, s, n, 1);
	else if (field->base == KTRACE_IP4 && n >= 4)
		put_address(output, AF_INET, s);
	else if (field->base == KTRACE_IP6 && n >= 16)
		put_address(output, AF_INET6, s);
	else if (field->base == KTRACE_UUID && n >= 16)
		put_uuid(output, s);
	else if (field->base == KTRACE_SOCKADDR)
		put_sockaddr(output, s, n);
	else
		put_bytes(output, s, n, 0);
	if (json)
		output_puts(output, "\"");
}
