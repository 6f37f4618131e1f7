// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compiling and running filters.  filter.h has the language and the machine.
 *
 * While a part of the text is compiled, the targets of its tests are not known
 * yet. Tests with the same unknown target are linked with each other through
 * the fields that will hold the target.
 */
#include <ktrace/capture_names.h>

#include "filter.h"

/* ---- running -------------------------------------------------------------- */

/*
 * Is @c in the set at @set, which begins behind the bracket?  *@behind: what
 * follows the set; NULL if the set has no end.
 */
static bool set_has(const char *set, const char *end, char c,
		    const char **behind)
{
	bool inverse = set < end && (*set == '!' || *set == '^');
	const char *p = set + inverse;
	bool found = false;
	bool first = true;

	for (; p < end && (*p != ']' || first); p++, first = false) {
		char low = *p, high = *p;

		if (end - p > 2 && p[1] == '-' && p[2] != ']') {
			high = p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	*behind = p < end ? p + 1 : NULL;
	return found != inverse;
}

/*
 * After a mismatch only the last asterisk can take one character more: no
 * recursion, and at most as many steps as the lengths multiplied.
 */
static bool pattern_match(const char *pattern, size_t pattern_length,
			  const char *text, size_t length)
{
	const char *end = pattern + pattern_length, *text_end = text + length;
	const char *retry = NULL, *retry_text = NULL;

	for (;;) {
		const char *behind;

		if (pattern < end && *pattern == '*') {
			retry = ++pattern;
			retry_text = text;
			continue;
		}
		if (text == text_end)
			return pattern == end;
		if (pattern < end && *pattern == '[') {
			bool has = set_has(pattern + 1, end, *text, &behind);

			if (behind ? has : *text == '[') {
				pattern = behind ?: pattern + 1;
				text++;
				continue;
			}
		} else if (pattern < end &&
			   (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
			continue;
		}
		if (!retry)
			return false;
		pattern = retry;
		text = ++retry_text;
	}
}

static bool string_test(const struct kt_filter *filter,
			const struct kt_filter_test *test, const char *text,
			size_t size)
{
	const char *wanted = filter->strings + test->string;
	size_t length = strnlen(text, size);
	bool equal;

	if (test->op == KT_FILTER_MATCH)
		return pattern_match(wanted, test->length, text, length);
	equal = length == test->length && !memcmp(text, wanted, length);
	return equal == (test->op == KT_FILTER_EQ);
}

static bool dynamic_test(const struct kt_filter *filter,
			 const struct kt_filter_test *test, const void *payload,
			 u32 size)
{
	u32 where, offset, length;

	memcpy(&where, (const char *)payload + test->offset, sizeof(where));
	offset = where & 0xffff;
	length = where >> 16;
	if (offset > size || length > size - offset)
		offset = length = 0;
	return string_test(filter, test, (const char *)payload + offset,
			   length);
}

static bool runner_test(const struct kt_filter *filter,
			const struct kt_filter_test *test, u32 cpu)
{
	char comm[KT_COMM_LEN];
	u32 tid, tgid;

	if (test->kind == KT_FILTER_CPU)
		return kt_filter_in_range(test, cpu);
	env_current_task(&tid, &tgid, comm);
	if (test->kind == KT_FILTER_COMM)
		return string_test(filter, test, comm, sizeof(comm));
	return kt_filter_in_range(test,
				  test->kind == KT_FILTER_TID ? tid : tgid);
}

static bool test_run(const struct kt_filter *filter,
		     const struct kt_filter_test *test, const void *payload,
		     u32 size, u32 cpu)
{
	const u8 *field = (const u8 *)payload + test->offset;

	if (test->number)
		return kt_filter_number(test, field);
	switch (test->kind) {
	case KT_FILTER_STRING:
		return string_test(filter, test, (const char *)field,
				   test->size);
	case KT_FILTER_DYNAMIC:
		return dynamic_test(filter, test, payload, size);
	default:
		return runner_test(filter, test, cpu);
	}
}

bool kt_filter_run_rest(const struct kt_filter *filter, const void *payload,
			u32 size, u32 cpu, u32 at)
{
	while (at < KT_FILTER_NO) {
		const struct kt_filter_test *test = &filter->tests[at];

		at = test_run(filter, test, payload, size, cpu) ? test->yes
								: test->no;
	}
	return at == KT_FILTER_YES;
}

/* ---- verifying ------------------------------------------------------------ */

static bool kind_is_string(u8 kind)
{
	return kind == KT_FILTER_STRING || kind == KT_FILTER_DYNAMIC ||
	       kind == KT_FILTER_COMM;
}

static bool string_is_good(const struct kt_filter_test *test)
{
	return (test->op == KT_FILTER_EQ || test->op == KT_FILTER_NE ||
		test->op == KT_FILTER_MATCH) &&
	       (u32)test->string + test->length <= KT_FILTER_STRINGS_MAX;
}

/* For fields of the payload; a number of the running task may have any size. */
static bool field_is_good(const struct kt_filter_test *test, u32 payload_size)
{
	u32 size;

	switch (test->number) {
	case 1:
	case 2:
	case 4:
	case 8:
		size = test->number;
		break;
	case 0:
		if (!kind_is_string(test->kind))
			return test->kind == KT_FILTER_TID ||
			       test->kind == KT_FILTER_TGID ||
			       test->kind == KT_FILTER_CPU;
		if (!string_is_good(test))
			return false;
		if (test->kind == KT_FILTER_COMM)
			return true;
		size = test->kind == KT_FILTER_DYNAMIC ? sizeof(u32)
						       : test->size;
		break;
	default:
		return false;
	}
	return test->offset + size <= payload_size;
}

static bool leads_forward(const struct kt_filter *filter, u16 at, u16 to)
{
	return to >= KT_FILTER_NO || (to > at && to < filter->nr);
}

static bool test_is_good(const struct kt_filter *filter, u16 at,
			 u32 payload_size)
{
	const struct kt_filter_test *test = &filter->tests[at];

	return field_is_good(test, payload_size) &&
	       leads_forward(filter, at, test->yes) &&
	       leads_forward(filter, at, test->no);
}

bool kt_filter_verify(const struct kt_filter *filter, u32 payload_size)
{
	u16 i;

	if (!filter->nr || filter->nr > KT_FILTER_TESTS_MAX)
		return false;
	for (i = 0; i < filter->nr; i++) {
		if (!test_is_good(filter, i, payload_size))
			return false;
	}
	return true;
}

/* ---- compiling ------------------------------------------------------------ */

/* The open ends of a part of the text; links are test << 1 | is_no. */
struct part {
	u16 first;
	u16 yes;
	u16 no;
};

#define LINK_END 0xffffu

struct parser {
	const char *at;
	struct kt_filter *filter;
	kt_filter_lookup_fn *lookup;
	void *event;
	struct kt_filter_error *error;
	int err;
	unsigned int depth;
};

static bool parse_or(struct parser *p, struct part *part);

static bool fail(struct parser *p, int err, const char *what, const char *at)
{
	p->err = err;
	p->error->what = what;
	p->error->at = at;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(*p->at))
		p->at++;
}

/* If @token is next, takes it. */
static bool take(struct parser *p, const char *token)
{
	size_t length = strlen(token);

	skip_blanks(p);
	if (strncmp(p->at, token, length))
		return false;
	p->at += length;
	return true;
}

static u16 *link_field(struct kt_filter *filter, u16 link)
{
	struct kt_filter_test *test = &filter->tests[link >> 1];

	return link & 1 ? &test->no : &test->yes;
}

static void links_set(struct kt_filter *filter, u16 link, u16 to)
{
	while (link != LINK_END) {
		u16 *field = link_field(filter, link);

		link = *field;
		*field = to;
	}
}

static u16 links_join(struct kt_filter *filter, u16 a, u16 b)
{
	u16 last = a;

	if (a == LINK_END)
		return b;
	while (*link_field(filter, last) != LINK_END)
		last = *link_field(filter, last);
	*link_field(filter, last) = b;
	return a;
}

static bool name_is(const char *name, size_t length, const char *wanted)
{
	return strlen(wanted) == length && !memcmp(name, wanted, length);
}

/* The fields of the running task. */
static bool runner_field(const char *name, size_t length,
			 struct kt_filter_field *field)
{
	static const struct {
		const char *name;
		u8 kind;
	} names[] = {
		{"comm", KT_FILTER_COMM}, {"COMM", KT_FILTER_COMM},
		{"tid", KT_FILTER_TID},	  {"common_pid", KT_FILTER_TID},
		{"tgid", KT_FILTER_TGID}, {"cpu", KT_FILTER_CPU},
		{"CPU", KT_FILTER_CPU},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (name_is(name, length, names[i].name)) {
			*field =
				(struct kt_filter_field){.kind = names[i].kind};
			return true;
		}
	}
	return false;
}

/* Do an operator and a value follow that only a string can have? */
static bool string_follows(struct parser *p)
{
	const char *at;

	skip_blanks(p);
	at = p->at;
	if (*at == '~')
		return true;
	if ((*at != '=' && *at != '!') || at[1] != '=')
		return false;
	for (at += 2; is_blank(*at); at++)
		;
	return *at == '"' || *at == '\'';
}

/* Finds the field with the text that was captured for the argument @name, if there is one. */
static void text_field(struct parser *p, const char *name, size_t length,
		       struct kt_filter_field *field)
{
	static const char *const ends[] = {
		KTRACE_CAPTURED_VALUE_END,
		KTRACE_CAPTURED_PATH_END,
		KTRACE_CAPTURED_FILE_END,
	};
	static const char begin[] = KTRACE_CAPTURED_PREFIX;
	struct kt_filter_field found;
	char text[64];
	size_t i;

	if (sizeof(begin) - 1 + length > sizeof(text) - KTRACE_CAPTURED_END_MAX)
		return;
	memcpy(text, begin, sizeof(begin) - 1);
	memcpy(text + sizeof(begin) - 1, name, length);
	length += sizeof(begin) - 1;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);

		memcpy(text + length, ends[i], end);
		if (!p->lookup(p->event, text, length + end, &found) ||
		    !kind_is_string(found.kind))
			continue;
		*field = found;
		return;
	}
}

static bool parse_field(struct parser *p, struct kt_filter_field *field)
{
	const char *name;
	size_t length;

	skip_blanks(p);
	name = p->at;
	while (is_word(*p->at))
		p->at++;
	if (p->at == name)
		return fail(p, -EINVAL, "a field's name is missing", name);
	length = p->at - name;
	if (!p->lookup(p->event, name, length, field) &&
	    !runner_field(name, length, field))
		return fail(p, -EINVAL, "there is no such field", name);
	if (field->kind < KT_FILTER_STRING && string_follows(p))
		text_field(p, name, length, field);
	if (field->kind == KT_FILTER_OPAQUE)
		return fail(p, -EINVAL, "this field cannot be compared", name);
	return true;
}

static bool parse_op(struct parser *p, u8 kind, u8 *op)
{
	/* If two begin alike the longer one comes first. */
	static const struct {
		const char *token;
		u8 op;
	} ops[] = {
		{"==", KT_FILTER_EQ},  {"!=", KT_FILTER_NE},
		{"<=", KT_FILTER_LE},  {"<", KT_FILTER_LT},
		{">=", KT_FILTER_GE},  {">", KT_FILTER_GT},
		{"&", KT_FILTER_BITS}, {"~", KT_FILTER_MATCH},
	};
	const char *at;
	size_t i;

	skip_blanks(p);
	at = p->at;
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (take(p, ops[i].token))
			break;
	}
	if (i == sizeof(ops) / sizeof(ops[0]) || name_is(at, 2, "&&"))
		return fail(p, -EINVAL, "an operator is missing", at);
	*op = ops[i].op;
	if (kind_is_string(kind)) {
		if (*op != KT_FILTER_EQ && *op != KT_FILTER_NE &&
		    *op != KT_FILTER_MATCH)
			return fail(p, -EINVAL,
				    "a string can be compared by ==, != and ~",
				    at);
	} else if (*op == KT_FILTER_MATCH) {
		return fail(p, -EINVAL, "~ is for strings", at);
	}
	return true;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_number(struct parser *p, u8 kind, u64 *value)
{
	bool is_signed = kind == KT_FILTER_SIGNED;
	const char *begin, *digits;
	unsigned int base = 10;
	bool negative;
	u64 sum = 0;

	skip_blanks(p);
	begin = p->at;
	negative = *p->at == '-';
	p->at += negative;
	if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X')) {
		base = 16;
		p->at += 2;
	} else if (p->at[0] == '0') {
		base = 8;
	}
	for (digits = p->at; is_word(*p->at); p->at++) {
		unsigned int digit = digit_value(*p->at);

		if (digit >= base)
			return fail(p, -EINVAL, "this is not a number", begin);
		if (sum > (~0ull - digit) / base)
			return fail(p, -EINVAL, "this number is too large",
				    begin);
		sum = sum * base + digit;
	}
	if (p->at == digits)
		return fail(p, -EINVAL, "a number is missing", begin);
	if (negative && !is_signed)
		return fail(p, -EINVAL, "this field is never negative", begin);
	if (is_signed && sum > ~0ull / 2 + negative)
		return fail(p, -EINVAL, "this number is too large", begin);
	*value = negative ? -sum : sum;
	return true;
}

static bool ends_word(char c)
{
	return !c || is_blank(c) || c == ')' || c == '&' || c == '|';
}

static bool parse_string(struct parser *p, struct kt_filter_test *test)
{
	struct kt_filter *filter = p->filter;
	const char *begin;
	char quote = 0;

	skip_blanks(p);
	begin = p->at;
	if (*p->at == '"' || *p->at == '\'')
		quote = *p->at++;
	test->string = filter->strings_used;
	while (quote ? *p->at && *p->at != quote : !ends_word(*p->at)) {
		/* A quoted quote, or backslash. */
		if (quote && p->at[0] == '\\' &&
		    (p->at[1] == quote || p->at[1] == '\\'))
			p->at++;
		if (filter->strings_used == KT_FILTER_STRINGS_MAX)
			return fail(p, -E2BIG, "the strings are too long",
				    begin);
		filter->strings[filter->strings_used++] = *p->at++;
	}
	if (quote && *p->at++ != quote)
		return fail(p, -EINVAL, "this string has no end", begin);
	test->length = filter->strings_used - test->string;
	if (!quote && !test->length)
		return fail(p, -EINVAL, "a string is missing", begin);
	return true;
}

/*
 * Makes a range from @op and its number: see filter.h.  True: numbers outside
 * of the range match.  A value that the field cannot have is below or above all
 * that it can have.
 */
static bool range_make(struct kt_filter_test *test, bool is_signed, u8 op,
		       u64 value)
{
	u32 unused = test->number ? 64 - 8 * test->number : 0;
	u64 least = is_signed ? 1ull << 63 : 0, top = value << unused;
	bool below = is_signed && (s64)value < 0;
	bool fits = is_signed ? (s64)top >> unused == (s64)value
			      : top >> unused == value;
	bool equal = op == KT_FILTER_EQ || op == KT_FILTER_NE;
	bool strict = op == KT_FILTER_LT || op == KT_FILTER_GE;
	bool outside =
		op == KT_FILTER_NE || op == KT_FILTER_GT || op == KT_FILTER_GE;

	/* All there are. */
	test->mask = ~0ull;
	test->low = 0;
	test->span = ~0ull;
	if (op == KT_FILTER_BITS) {
		/* The bits above a signed number are copies of its sign. */
		test->mask = is_signed && !fits ? top | least : top;
		test->low = 1;
		test->span--;
	} else if (fits && equal) {
		test->low = top;
		test->span = 0;
	} else if (fits && !(strict && top == least)) {
		test->low = least;
		test->span = top - least - strict;
	} else if (fits || equal || below) {
		/* None. */
		outside = !outside;
	}
	return outside;
}

static bool parse_test(struct parser *p, struct part *part)
{
	struct kt_filter *filter = p->filter;
	struct kt_filter_field field;
	struct kt_filter_test *test;
	u16 nr = filter->nr;
	bool outside = false;
	u64 value;
	u8 op;

	skip_blanks(p);
	if (nr == KT_FILTER_TESTS_MAX)
		return fail(p, -E2BIG, "too many comparisons", p->at);
	test = &filter->tests[nr];
	if (!parse_field(p, &field) || !parse_op(p, field.kind, &op))
		return false;
	test->kind = field.kind;
	test->offset = field.offset;
	if (kind_is_string(field.kind)) {
		test->op = op;
		test->size = field.size;
		if (!parse_string(p, test))
			return false;
	} else {
		if (field.kind < KT_FILTER_OPAQUE)
			test->number = field.size;
		if (!parse_number(p, field.kind, &value))
			return false;
		outside = range_make(test, field.kind == KT_FILTER_SIGNED, op,
				     value);
	}
	test->yes = LINK_END;
	test->no = LINK_END;
	filter->nr++;
	part->first = nr;
	part->yes = nr << 1 | outside;
	part->no = nr << 1 | !outside;
	return true;
}

static bool parse_not(struct parser *p, struct part *part)
{
	bool inverse = false, good;

	while (take(p, "!"))
		inverse = !inverse;
	if (take(p, "(")) {
		const char *begin = p->at - 1;

		if (p->depth == KT_FILTER_DEPTH_MAX)
			return fail(p, -E2BIG, "too many parentheses", begin);
		p->depth++;
		good = parse_or(p, part);
		p->depth--;
		if (good && !take(p, ")"))
			return fail(p, -EINVAL,
				    "this parenthesis is not closed", begin);
	} else {
		good = parse_test(p, part);
	}
	if (good && inverse) {
		u16 yes = part->yes;

		part->yes = part->no;
		part->no = yes;
	}
	return good;
}

static bool parse_and(struct parser *p, struct part *part)
{
	struct part right;

	if (!parse_not(p, part))
		return false;
	while (take(p, "&&")) {
		if (!parse_not(p, &right))
			return false;
		links_set(p->filter, part->yes, right.first);
		part->yes = right.yes;
		part->no = links_join(p->filter, part->no, right.no);
	}
	return true;
}

static bool parse_or(struct parser *p, struct part *part)
{
	struct part right;

	if (!parse_and(p, part))
		return false;
	while (take(p, "||")) {
		if (!parse_and(p, &right))
			return false;
		links_set(p->filter, part->no, right.first);
		part->no = right.no;
		part->yes = links_join(p->filter, part->yes, right.yes);
	}
	return true;
}

int kt_filter_compile(struct kt_filter *filter, const char *text,
		      kt_filter_lookup_fn *lookup, void *event,
		      u32 payload_size, struct kt_filter_error *error)
{
	struct parser p = {
		.at = text,
		.filter = filter,
		.lookup = lookup,
		.event = event,
		.error = error,
	};
	struct part whole;

	memset(filter, 0, sizeof(*filter));
	if (!parse_or(&p, &whole))
		return p.err;
	skip_blanks(&p);
	if (*p.at) {
		fail(&p, -EINVAL, "&& or || is missing", p.at);
		return p.err;
	}
	links_set(filter, whole.yes, KT_FILTER_YES);
	links_set(filter, whole.no, KT_FILTER_NO);
	if (!kt_filter_verify(filter, payload_size)) {
		fail(&p, -EINVAL, "a field lies outside of the event", text);
		return p.err;
	}
	return 0;
}
