// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The line that a marker is printed as.
 *
 * It may be made in a signal handler.  So the C library formats only single
 * values, in few columns: then it needs no memory except its stack.  The
 * compiler has checked the format against the arguments; a conversion that
 * still does not fit becomes a "?".
 */
#include "handler.h"

#include <stdio.h>

/*
 * Takes no lock and no memory: strerror() of glibc would, that of musl does
 * not.
 */
#ifdef __GLIBC__
#define error_text strerrordesc_np
#else
#define error_text strerror
#endif

#define COLUMNS_MAX 128 /* of a field or its digits */

struct line {
	char *at;
	char *end;
};

static void line_add(struct line *line, const char *text, size_t size)
{
	if (size > (size_t)(line->end - line->at))
		size = line->end - line->at;
	memcpy(line->at, text, size);
	line->at += size;
}

static void line_puts(struct line *line, const char *text)
{
	line_add(line, text, strlen(text));
}

/* What follows a "%". */
struct conversion {
	char flags[8];
	int width;	    /* 0: none */
	int precision;	    /* -1: none */
	unsigned int bytes; /* from the length, 0: it has none */
	char letter;
};

struct arguments {
	const struct ktrace_argument *next;
	const u64 *values;
};

static int columns(s64 value)
{
	return value > COLUMNS_MAX ? COLUMNS_MAX : value;
}

/* A number, or "*": the next argument is the number. */
static const char *number_parse(const char *p, struct arguments *arguments,
				int *number)
{
	s64 value = 0;

	if (*p == '*') {
		if (arguments->next->kind) {
			value = (int)*arguments->values++;
			arguments->next++;
		}
		p++;
	} else {
		while (*p >= '0' && *p <= '9')
			value = columns(value * 10 + *p++ - '0');
	}
	*number = columns(value);
	return p;
}

static const char *conversion_parse(const char *p, struct arguments *arguments,
				    struct conversion *c)
{
	size_t nr = 0;

	*c = (struct conversion){.precision = -1};
	for (; *p && strchr("-+ #0'", *p); p++)
		if (nr < 5 && !strchr(c->flags, *p))
			c->flags[nr++] = *p;
	p = number_parse(p, arguments, &c->width);
	if (c->width < 0) {
		c->flags[nr++] = '-';
		c->width = columns(-(s64)c->width);
	}
	if (*p == '.') {
		p = number_parse(p + 1, arguments, &c->precision);
		if (c->precision < 0)
			c->precision = -1;
	}
	for (; *p && strchr("hlLqjzt", *p); p++)
		c->bytes = *p != 'h' ? 8 : c->bytes == 2 ? 1 : 2;
	c->letter = *p;
	return *p ? p + 1 : p;
}

/*
 * As printf() would see it: promoted to int, then cut to the size of the
 * length.
 */
static u64 integer_of(const struct conversion *c,
		      const struct ktrace_argument *argument, u64 value)
{
	unsigned int bytes = argument->size < 4 ? 4 : argument->size, shift;

	if (c->bytes && c->bytes < bytes)
		bytes = c->bytes;
	shift = bytes < 8 ? 64 - 8 * bytes : 0;
	value <<= shift;
	return c->letter == 'd' || c->letter == 'i' ? (u64)((s64)value >> shift)
						    : value >> shift;
}

static double double_of(const struct ktrace_argument *argument, u64 value)
{
	double d;
	float f;

	if (argument->size == sizeof(float)) {
		u32 bits = value;

		memcpy(&f, &bits, sizeof(f));
		return f;
	}
	memcpy(&d, &value, sizeof(d));
	return d;
}

static void string_print(struct line *line, const struct conversion *c,
			 const struct ktrace_argument *argument, u64 value)
{
	const char *text = (const char *)(uintptr_t)value ?: "(null)";
	size_t max =
		value && argument->size ? argument->size : KTRACE_STRING_MAX;
	size_t size, pad;

	if (c->precision >= 0 && (size_t)c->precision < max)
		max = c->precision;
	size = strnlen(text, max);
	pad = (size_t)c->width > size ? c->width - size : 0;
	if (strchr(c->flags, '-'))
		line_add(line, text, size);
	while (pad--)
		line_puts(line, " ");
	if (!strchr(c->flags, '-'))
		line_add(line, text, size);
}

static void bytes_print(struct line *line,
			const struct ktrace_argument *argument, u64 value)
{
	const u8 *bytes = (const u8 *)(uintptr_t)value;
	char hex[3];

	for (u32 i = 0; i < argument->size && line->at < line->end; i++) {
		snprintf(hex, sizeof(hex), "%02x", bytes[i]);
		line_puts(line, hex);
	}
}

static void value_print(struct line *line, const struct conversion *c,
			const struct ktrace_argument *argument, u64 value)
{
	bool real = argument->kind == KTRACE_ARG_FLOAT;
	char spec[48], text[512];
	int nr;

	if (argument->kind == KTRACE_ARG_STRING) {
		string_print(line, c, argument, value);
		return;
	}
	if (argument->kind == KTRACE_ARG_BYTES) {
		bytes_print(line, argument, value);
		return;
	}
	if (!strchr(real ? "fFeEgGaA" : "diouxXcp", c->letter)) {
		line_puts(line, "?");
		return;
	}
	nr = snprintf(spec, sizeof(spec), "%%%s", c->flags);
	if (c->width)
		nr += snprintf(spec + nr, sizeof(spec) - nr, "%d", c->width);
	if (c->precision >= 0)
		nr += snprintf(spec + nr, sizeof(spec) - nr, ".%d",
			       c->precision);
	snprintf(spec + nr, sizeof(spec) - nr, "%s%c",
		 real || strchr("cp", c->letter) ? "" : "ll", c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (real)
		snprintf(text, sizeof(text), spec, double_of(argument, value));
	else if (c->letter == 'c')
		snprintf(text, sizeof(text), spec, (int)value);
	else if (c->letter == 'p')
		snprintf(text, sizeof(text), spec, (void *)(uintptr_t)value);
	else
		snprintf(text, sizeof(text), spec,
			 integer_of(c, argument, value));
#pragma GCC diagnostic pop
	line_puts(line, text);
}

size_t marker_line(char *text, size_t room, const char *system,
		   const struct ktrace_marker *marker, const u64 *values)
{
	struct line line = {text, text + room - 1};
	struct arguments arguments = {marker->arguments, values};
	const char *p = marker->format;
	struct conversion c;

	line_puts(&line, system);
	line_puts(&line, ":");
	line_puts(&line, marker->name);
	line_puts(&line, *p ? ": " : "");
	while (*p) {
		size_t plain = strcspn(p, "%");

		line_add(&line, p, plain);
		p += plain;
		if (!*p)
			break;
		p = conversion_parse(p + 1, &arguments, &c);
		if (c.letter == '%')
			line_puts(&line, "%");
		else if (c.letter == 'm')
			line_puts(&line, error_text(errno) ?: "?");
		else if (arguments.next->kind)
			value_print(&line, &c, arguments.next++,
				    *arguments.values++);
	}
	/* One line, whatever the strings contain. */
	for (char *at = text; at < line.at; at++)
		if (*at == '\n' || *at == '\r')
			*at = ' ';
	*line.at++ = '\n';
	return line.at - text;
}
