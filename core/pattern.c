// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See pattern.h. */
#include "pattern.h"

/* A text that consists of several strings, so that they need not be joined. */
struct text {
	const char *const *parts; /* NULL ends them */
	const char *at;
};

/* Its next character; 0: it ends. */
static u8 text_char(struct text *text)
{
	while (!*text->at && *text->parts)
		text->at = *text->parts++;
	return *text->at;
}

/* Classes are pairs of the first and the last character of a range. */
static const struct char_class {
	const char *name;
	const char *ranges;
} classes[] = {
	{"alnum", "09AZaz"},   {"alpha", "AZaz"},
	{"blank", "\t\t  "},   {"cntrl", "\1\37\177\177"},
	{"digit", "09"},       {"graph", "!~"},
	{"lower", "az"},       {"print", " ~"},
	{"punct", "!/:@[`{~"}, {"space", "\t\r  "},
	{"upper", "AZ"},       {"xdigit", "09AFaf"},
};

/*
 * Returns where a class "[:NAME:]" at @p ends; NULL: it is no class.  *@found: does @c belong
 * to it?  Nothing belongs to a class with an unknown name.
 */
static const char *class_match(const char *p, const char *end, u8 c,
			       bool *found)
{
	const char *name = p + 2, *close = name;
	unsigned int i;

	if (end - p < 4 || p[0] != '[' || p[1] != ':')
		return NULL;
	while (close < end && *close >= 'a' && *close <= 'z')
		close++;
	if (end - close < 2 || close[0] != ':' || close[1] != ']')
		return NULL;
	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		const char *range = classes[i].ranges;
		size_t length = strlen(classes[i].name);

		if (length != (size_t)(close - name) ||
		    memcmp(classes[i].name, name, length))
			continue;
		for (; *range; range += 2)
			*found |= c >= (u8)range[0] && c <= (u8)range[1];
	}
	return close + 2;
}

/* Reads one character of a set; behind a backslash it has no special meaning. */
static const char *set_char(const char *p, const char *end, u8 *c)
{
	if (*p == '\\')
		p++;
	if (p == end)
		return NULL;
	*c = *p;
	return p + 1;
}

/*
 * Returns where a set ends that begins at @p, behind a `['; NULL: no `]' closes it.
 * *@found: does it match @c?
 */
static const char *set_match(const char *p, const char *end, u8 c, bool *found)
{
	bool invert = p < end && (*p == '!' || *p == '^'), member = false;
	const char *first = p + invert, *next;

	for (p = first; p < end && (*p != ']' || p == first); p = next) {
		u8 low, high;

		next = class_match(p, end, c, &member);
		if (next)
			continue;
		next = set_char(p, end, &low);
		if (!next)
			return NULL;
		high = low;
		if (end - next >= 2 && next[0] == '-' && next[1] != ']')
			next = set_char(next + 1, end, &high);
		if (!next)
			return NULL;
		member |= c >= low && c <= high;
	}
	if (p == end)
		return NULL;
	*found = member != invert;
	return p + 1;
}

/* If the element at @p matches @c, returns where it ends; else NULL.  It is not `*'. */
static const char *one_match(const char *p, const char *end, u8 c)
{
	const char *behind;
	bool found;

	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		behind = set_match(p + 1, end, c, &found);
		if (behind)
			return found ? behind : NULL;
	}
	if (*p == '\\' && ++p == end)
		return NULL;
	return (u8)*p == c ? p + 1 : NULL;
}

/*
 * Each element except `*' takes one character.  So after a mismatch only the last `*' has to
 * take one more character.  If the text ends too early, taking more cannot help.
 */
static bool match(const char *p, const char *end, const char *const *parts)
{
	struct text text = {parts + 1, parts[0]}, taken = text;
	const char *star = NULL, *next;
	u8 c;

	for (;;) {
		c = text_char(&text);
		if (p < end && *p == '*') {
			star = ++p;
			taken = text;
			continue;
		}
		if (!c)
			return p == end;
		next = p < end ? one_match(p, end, c) : NULL;
		if (next) {
			p = next;
			text.at++;
			continue;
		}
		if (!star)
			return false;
		taken.at++;
		text_char(&taken);
		text = taken;
		p = star;
	}
}

bool kt_glob_match(const char *pattern, const char *text)
{
	const char *const parts[] = {text, NULL};

	return match(pattern, pattern + strlen(pattern), parts);
}

bool kt_event_match(const char *pattern, const char *system, const char *name)
{
	const char *const parts[] = {system, NULL};
	const char *colon = strchr(pattern, ':');

	if (!colon)
		return kt_glob_match(pattern, system) ||
		       kt_glob_match(pattern, name);
	return match(pattern, colon, parts) && kt_glob_match(colon + 1, name);
}

/* Writes @number to the end of @digits. */
static const char *decimal(u32 number, char digits[11])
{
	char *p = digits + 10;

	*p = '\0';
	do {
		*--p = '0' + number % 10;
		number /= 10;
	} while (number);
	return p;
}

bool kt_marker_match(const char *pattern, const struct kt_marker_name *name)
{
	const char *end = pattern + strlen(pattern);
	char digits[11];
	const char *const texts[][6] = {
		{name->name},
		{name->file},
		{name->system, ":", name->name},
		{name->file, ":", name->function},
		{name->file, ":", name->function, ":",
		 decimal(name->order, digits)},
	};
	unsigned int i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (match(pattern, end, texts[i]))
			return true;
	}
	return false;
}
