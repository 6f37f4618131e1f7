// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"

#include "value.h"

struct unit {
	const char *name;
	double factor;
};

/* Parses a number and one of @units (without a unit: the first one). */
static int unit_parse(const char *text, const struct unit *units,
		      uint64_t *value)
{
	size_t len = strspn(text, "0123456789.");
	char digits[32], *end;
	double number;

	if (!isdigit((unsigned char)*text) || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	number = strtod(digits, &end);
	if (*end)
		return -EINVAL;
	text += len;
	text += strspn(text, " ");
	if (*text)
		while (units->name && strcasecmp(units->name, text))
			units++;
	if (!units->name)
		return -EINVAL;
	number *= units->factor;
	if (number >= 1e18)
		return -EINVAL;
	*value = number;
	return 0;
}

int size_parse(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {
		{"", 1},	 {"B", 1},	   {"K", 1 << 10},
		{"KB", 1 << 10}, {"KiB", 1 << 10}, {"M", 1 << 20},
		{"MB", 1 << 20}, {"MiB", 1 << 20}, {"G", 1 << 30},
		{"GB", 1 << 30}, {"GiB", 1 << 30}, {NULL, 0},
	};

	return unit_parse(text, units, bytes);
}

int duration_parse(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {
		{"s", 1e9},  {"ms", 1e6},   {"us", 1e3}, {"min", 60e9},
		{"m", 60e9}, {"h", 3600e9}, {NULL, 0},
	};

	return unit_parse(text, units, ns);
}

int number_parse(const char *text, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return *end || errno ? -EINVAL : 0;
}

/* Three digits, and one of @units; each is a thousand of those before, the last is NULL. */
static struct value_text three_digits(double value, const char *const *units)
{
	struct value_text t;
	int i = 0;

	while (value >= 999.5 && units[i + 1]) {
		value /= 1000;
		i++;
	}
	snprintf(t.s, sizeof(t.s), "%.*f%s",
		 !i || value >= 99.95 ? 0
		 : value >= 9.995     ? 1
				      : 2,
		 value, units[i]);
	return t;
}

struct value_text rough_text(double count)
{
	static const char *const units[] = {"", " k", " M", " G", " T", NULL};

	return three_digits(count, units);
}

struct value_text ns_text(uint64_t ns)
{
	static const char *const units[] = {" ns", " us", " ms", " s", NULL};

	return three_digits(ns, units);
}

struct value_text bytes_text(uint64_t bytes)
{
	struct value_text t = rough_text(bytes);

	if (!strchr(t.s, ' '))
		strcat(t.s, " ");
	strcat(t.s, "B");
	return t;
}

struct value_text count_text(uint64_t count)
{
	struct value_text t;
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu",
			 (unsigned long long)count);
	char *p = t.s;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return t;
}

struct value_text duration_text(uint64_t ns)
{
	struct value_text t;

	if (ns < 1000000000)
		snprintf(t.s, sizeof(t.s), "%.3g ms", ns / 1e6);
	else if (ns < 120000000000)
		snprintf(t.s, sizeof(t.s), "%.2f s", ns / 1e9);
	else
		snprintf(t.s, sizeof(t.s), "%llu min %llu s",
			 (unsigned long long)(ns / 60000000000),
			 (unsigned long long)(ns / 1000000000 % 60));
	return t;
}

void print_text(FILE *f, const char *s)
{
	size_t n = strlen(s), length;
	char text[ESCAPE_ROOM], *end;

	for (; n; s += length, n -= length) {
		end = escape_text_char(text, (const uint8_t *)s, n, &length);
		fwrite(text, 1, end - text, f);
	}
}

void print_json(FILE *f, const char *s)
{
	size_t n = s ? strlen(s) : 0, length;
	char text[ESCAPE_ROOM], *end;

	if (!s) {
		fputs("null", f);
		return;
	}
	putc('"', f);
	for (; n; s += length, n -= length) {
		end = escape_json_char(text, (const uint8_t *)s, n, &length);
		fwrite(text, 1, end - text, f);
	}
	putc('"', f);
}
