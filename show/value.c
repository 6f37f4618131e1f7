// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <sys/socket.h>

#include "program.h"
#include "value.h"

/* Strings */

size_t utf8_length(const uint8_t *s, size_t n)
{
	size_t len, i;

	if (s[0] < 0x80)
		return 1;
	len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Overlong, surrogates, beyond the last code point; and C1 controls. */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
	    (s[0] == 0xc2 && s[1] < 0xa0))
		return 0;
	return len;
}

/* Bytes that a string may have without being quoted. */
static bool is_plain(uint8_t c)
{
	return c > ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void text_quoted(struct output *output, const uint8_t *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t len;

	output_add(output, "\"", 1);
	for (; n && *s; s += len, n -= len) {
		char *p;

		output_room(output, 8);
		p = output->p;
		len = utf8_length(s, n);
		if (!len || *s < ' ' || *s == 0x7f) {
			len = 1;
			*p++ = '\\';
			if (*s == '\n') {
				*p++ = 'n';
			} else if (*s == '\t') {
				*p++ = 't';
			} else {
				*p++ = 'x';
				*p++ = hex[*s >> 4];
				*p++ = hex[*s & 15];
			}
		} else {
			if (*s == '"' || *s == '\\')
				*p++ = '\\';
			memcpy(p, s, len);
			p += len;
		}
		output->p = p;
	}
	output_add(output, "\"", 1);
}

void text_string(struct output *output, const uint8_t *s, size_t n)
{
	size_t i;

	if (likely(n && n <= OUTPUT_ROOM)) {
		output_room(output, n);
		for (i = 0; i < n && is_plain(s[i]); i++)
			output->p[i] = s[i];
		if (likely(i && (i == n || !s[i]))) {
			output->p += i;
			return;
		}
	}
	text_quoted(output, s, n);
}

void json_string(struct output *output, const uint8_t *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";
	size_t len;

	output_add(output, "\"", 1);
	for (; n; s += len, n -= len) {
		char *p;

		output_room(output, 8);
		p = output->p;
		len = *s < 0x80 ? 1 : utf8_length(s, n);
		if (!len) {
			len = 1;
			memcpy(p, "\\ufffd", 6);
			p += 6;
		} else if (*s == '"' || *s == '\\') {
			*p++ = '\\';
			*p++ = *s;
		} else if (*s < ' ' || *s == 0x7f) {
			memcpy(p, "\\u00", 4);
			p[4] = hex[*s >> 4];
			p[5] = hex[*s & 15];
			p += 6;
		} else {
			memcpy(p, s, len);
			p += len;
		}
		output->p = p;
	}
	output_add(output, "\"", 1);
}

/* Names */

struct bounded {
	char *p;
	char *end;
};

static void bounded_add(struct bounded *b, const char *s, bool json)
{
	for (; *s && b->p < b->end; s++) {
		if ((unsigned char)*s < ' ' || *s == 0x7f ||
		    (json && (*s == '"' || *s == '\\' ||
			      (unsigned char)*s >= 0x80)))
			*b->p++ = '?';
		else
			*b->p++ = *s;
	}
}

static void flags_text(struct bounded *b, const struct ktrace_names *names,
		       uint64_t value, bool json)
{
	const char *delim = "", *zero = NULL;
	uint64_t left = value;
	char hex[40];
	uint32_t i;

	for (i = 0; i < names->count; i++) {
		uint64_t mask = names->names[i].value;

		if (!mask) {
			/* Stands before the flags that follow it. */
			zero = names->names[i].name;
			if (left == value && *zero) {
				bounded_add(b, delim, json);
				bounded_add(b, zero, json);
				delim = names->delim;
			}
			continue;
		}
		if ((left & mask) != mask)
			continue;
		left &= ~mask;
		/* The kernel marks a preempted task "R+". */
		if (*names->names[i].name != '+')
			bounded_add(b, delim, json);
		bounded_add(b, names->names[i].name, json);
		delim = names->delim;
	}
	if (left || !*delim) {
		bounded_add(b, delim, json);
		if (left)
			*put_hex(hex, left) = '\0';
		else
			strcpy(hex, "0");
		bounded_add(b, hex, json);
	}
}

size_t names_text(const struct ktrace_field *field, uint64_t value, char *buf,
		  size_t size, bool json)
{
	const struct ktrace_names *names = field->names;
	/* Room for the closing quote. */
	struct bounded b = {buf, buf + size - 1};
	char number[40];
	uint32_t i = 0;

	if (!names->flags) {
		for (i = 0; i < names->count; i++) {
			if (names->names[i].value == value)
				break;
		}
		if (i == names->count) {
			if (field->base == KTRACE_HEX && !json)
				*put_hex(number, value) = '\0';
			else if (field->kind == KTRACE_INT)
				*put_s64(number, value) = '\0';
			else
				*put_u64(number, value) = '\0';
			bounded_add(&b, number, json);
			return b.p - buf;
		}
	}
	if (json)
		*b.p++ = '"';
	if (names->flags)
		flags_text(&b, names, value, json);
	else
		bounded_add(&b, names->names[i].name, json);
	if (json)
		*b.p++ = '"';
	return b.p - buf;
}

/* Other values */

static void put_integer(struct output *output, const struct ktrace *trace,
			const struct ktrace_field *field, uint64_t value,
			bool json)
{
	uint64_t offset;
	const char *name;

	output_room(output, 64);
	switch (field->base) {
	case KTRACE_BOOL:
		output_puts(output, value ? "true" : "false");
		return;
	case KTRACE_DEV:
		if (json)
			*output->p++ = '"';
		output->p = put_u64(output->p, (uint32_t)value >> 20);
		*output->p++ = ':';
		output->p = put_u64(output->p, value & 0xfffff);
		if (json)
			*output->p++ = '"';
		return;
	case KTRACE_OCT:
		if (json)
			break;
		output->p += sprintf(output->p, "0%llo",
				     (unsigned long long)value);
		return;
	case KTRACE_SYMBOL:
		name = ktrace_symbol(trace, value, &offset);
		if (json)
			*output->p++ = '"';
		if (name) {
			size_t len = strnlen(name, 1024);

			output_room(output, 2 * len + 64);
			/* A name ends with the line: at worst it has a quote. */
			while (len--) {
				char c = *name++;

				*output->p++ = is_plain(c) ? c : '?';
			}
			if (offset) {
				*output->p++ = '+';
				output->p = put_hex(output->p, offset);
			}
		} else {
			output->p = put_hex(output->p, value);
		}
		if (json)
			*output->p++ = '"';
		return;
	case KTRACE_HEX:
		if (json && field->kind != KTRACE_POINTER)
			break;
		if (json)
			*output->p++ = '"';
		output->p = put_hex(output->p, value);
		if (json)
			*output->p++ = '"';
		return;
	default:
		break;
	}
	if (field->kind == KTRACE_INT)
		output->p = put_s64(output->p, value);
	else
		output->p = put_u64(output->p, value);
}

/* @every: a colon between so many bytes, 0 for none. */
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
	if (!((family == AF_INET && n >= 8) || (family == AF_INET6 && n >= 24))) {
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

static void put_array(struct output *output, const struct ktrace *trace,
		      const struct ktrace_field *field, const uint8_t *s,
		      size_t n, bool json)
{
	struct ktrace_field elem = {
		.kind = field->is_signed ? KTRACE_INT : KTRACE_UINT,
		.base = field->base <= KTRACE_BOOL ? field->base : KTRACE_DEC,
		.size = field->elem,
	};
	struct ktrace_event event = {.payload = s, .size = n};
	size_t i;

	output_puts(output, json ? "[" : "{");
	for (i = 0; i + field->elem <= n; i += field->elem) {
		if (i)
			output_puts(output, ",");
		elem.offset = i;
		put_integer(output, trace, &elem,
			    ktrace_field_int(&event, &elem), json);
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
		put_integer(output, trace, field,
			    ktrace_field_int(event, field), json);
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
	if (field->kind == KTRACE_ARRAY && field->base <= KTRACE_BOOL &&
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
