// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Parses the text of capture programs; capture.c runs them, and capture.h has
 * the language.
 *
 * The result is verified afterwards, so this file checks the words only.
 */
#include "capture.h"

struct parser {
	const char *at;
	struct kt_capture *capture;
	struct kt_capture_field *fields;
	struct kt_capture_error *error;
	bool kernel;
	u32 loop; /* 0: none is open */
	u32 condition;
};

static int fail(struct parser *p, int err, const char *what, const char *at)
{
	p->error->what = what;
	p->error->at = at;
	return err;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *p)
{
	while (is_blank(*p->at))
		p->at++;
}

/* The next word; its length 0 at the end of the field. */
static const char *word_next(struct parser *p, size_t *length)
{
	const char *word;

	skip_blanks(p);
	word = p->at;
	while (*p->at && *p->at != ';' && !is_blank(*p->at))
		p->at++;
	*length = p->at - word;
	return word;
}

static bool word_is(const char *word, size_t length, const char *wanted)
{
	size_t i;

	/* Most words differ in the first letter. */
	for (i = 0; i < length; i++) {
		if (word[i] != wanted[i])
			return false;
	}
	return !wanted[length];
}

static bool number_parse(const char *word, size_t length, u32 *number)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (!is_digit(word[i]))
			return false;
		sum = sum * 10 + (word[i] - '0');
		if (sum > 0xffffffffu)
			return false;
	}
	*number = sum;
	return length;
}

static int op_add(struct parser *p, u8 code, u32 value, const char *at)
{
	struct kt_capture_op *op;

	if (p->capture->nr_ops == KT_CAPTURE_OPS_MAX)
		return fail(p, -E2BIG, "there are too many words", at);
	op = &p->capture->ops[p->capture->nr_ops++];
	op->code = code;
	op->kernel = 0;
	if (code == KT_CAPTURE_LOAD || code == KT_CAPTURE_STRING ||
	    code == KT_CAPTURE_BYTES || code == KT_CAPTURE_RECORDS)
		op->kernel = p->kernel;
	op->to = 0;
	op->value = value;
	return 0;
}

/* Words that open and close, with op @at just added. */
static int block_link(struct parser *p, u8 code, u32 at, const char *word)
{
	struct kt_capture_op *ops = p->capture->ops;
	u32 i;

	switch (code) {
	case KT_CAPTURE_IF:
		p->condition = at;
		break;
	case KT_CAPTURE_EACH:
		p->loop = at;
		break;
	case KT_CAPTURE_END:
		if (!p->condition)
			return fail(p, -EINVAL, "an end without an if", word);
		ops[p->condition].to = at;
		p->condition = 0;
		break;
	case KT_CAPTURE_NEXT:
		if (!p->loop)
			return fail(p, -EINVAL, "a next without an each", word);
		for (i = p->loop; i < at; i++) {
			if (ops[i].code == KT_CAPTURE_WHILE ||
			    ops[i].code == KT_CAPTURE_EACH)
				ops[i].to = at;
		}
		ops[at].to = p->loop;
		p->loop = 0;
		break;
	}
	return 0;
}

static const struct word {
	const char *name;
	u8 code;
	bool number; /* one follows */
} words[] = {
	{"i", KT_CAPTURE_INDEX, false},
	{"exit_code", KT_CAPTURE_EXIT_CODE, false},
	{"+", KT_CAPTURE_ADD, false},
	{"-", KT_CAPTURE_SUB, false},
	{"*", KT_CAPTURE_MUL, false},
	{"&", KT_CAPTURE_AND, false},
	{"==", KT_CAPTURE_EQ, false},
	{">>", KT_CAPTURE_SHIFT, false},
	{"dup", KT_CAPTURE_DUP, false},
	{"put", KT_CAPTURE_PUT, true},
	{"string", KT_CAPTURE_STRING, true},
	{"bytes", KT_CAPTURE_BYTES, true},
	{"path", KT_CAPTURE_PATH, true},
	{"file", KT_CAPTURE_FILE, true},
	{"if", KT_CAPTURE_IF, false},
	{"end", KT_CAPTURE_END, false},
	{"each", KT_CAPTURE_EACH, true},
	{"while", KT_CAPTURE_WHILE, false},
	{"next", KT_CAPTURE_NEXT, false},
	{"records", KT_CAPTURE_RECORDS, true},
};

static int word_parse(struct parser *p, const char *word, size_t length)
{
	const char *name = word;
	u32 number = 0;
	size_t i;
	int err;

	if (number_parse(word, length, &number))
		return op_add(p, KT_CAPTURE_NUMBER, number, word);
	if (*word == 'a' && number_parse(word + 1, length - 1, &number))
		return op_add(p, KT_CAPTURE_ARGUMENT, number, word);
	if (*word == '@' && number_parse(word + 1, length - 1, &number))
		return op_add(p, KT_CAPTURE_LOAD, number, word);
	if (word_is(word, length, "user") || word_is(word, length, "kernel")) {
		p->kernel = *word == 'k';
		return 0;
	}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (word_is(word, length, words[i].name))
			break;
	}
	if (i == sizeof(words) / sizeof(words[0]))
		return fail(p, -EINVAL, "there is no such word", word);
	if (words[i].number) {
		word = word_next(p, &length);
		if (!number_parse(word, length, &number))
			return fail(p, -EINVAL, "a number is missing", word);
	}
	err = op_add(p, words[i].code, number, name);
	return err
		       ?: block_link(p, words[i].code, p->capture->nr_ops - 1,
				     name);
}

/* "CTYPE NAME:" */
static int field_head(struct parser *p, struct kt_capture_field *field)
{
	const char *begin, *colon, *end, *name;

	skip_blanks(p);
	begin = p->at;
	for (colon = begin; *colon && *colon != ':' && *colon != ';'; colon++) {
		if (!is_letter(*colon) && !is_digit(*colon) && *colon != ' ')
			return fail(p, -EINVAL,
				    "this belongs to no name or type", colon);
	}
	if (*colon != ':')
		return fail(p, -EINVAL, "a field is TYPE NAME: WORDS", begin);
	for (end = colon; end > begin && end[-1] == ' ';)
		end--;
	for (name = end; name > begin && name[-1] != ' ';)
		name--;
	field->name = name;
	field->name_length = end - name;
	for (end = name; end > begin && end[-1] == ' ';)
		end--;
	field->type = begin;
	field->type_length = end - begin;
	if (!field->type_length || !field->name_length ||
	    !is_letter(*field->name) || !is_letter(*field->type))
		return fail(p, -EINVAL, "a field is TYPE NAME: WORDS", begin);
	if (field->type_length > 63 || field->name_length > 63)
		return fail(p, -E2BIG, "the name or type is too long", begin);
	p->at = colon + 1;
	return 0;
}

static int field_parse(struct parser *p)
{
	struct kt_capture *capture = p->capture;
	const char *word, *begin = p->at;
	size_t length;
	int err;

	if (capture->nr_fields == KT_CAPTURE_FIELDS_MAX)
		return fail(p, -E2BIG, "there are too many fields", begin);
	err = field_head(p, &p->fields[capture->nr_fields]);
	if (err)
		return err;
	capture->nr_fields++;
	p->kernel = false;
	err = op_add(p, KT_CAPTURE_FIELD, 0, begin);
	while (!err) {
		word = word_next(p, &length);
		if (!length)
			break;
		err = word_parse(p, word, length);
	}
	if (!err && (p->loop || p->condition))
		err = fail(p, -EINVAL, "an if or each has no end", begin);
	return err;
}

int kt_capture_parse(struct kt_capture *capture, const char *text,
		     struct kt_capture_field *fields,
		     struct kt_capture_error *error)
{
	struct parser p = {
		.at = text,
		.capture = capture,
		.fields = fields,
		.error = error,
	};
	const char *why;
	int err = 0;

	capture->nr_ops = 0;
	capture->nr_fields = 0;
	capture->output_max = 0;
	while (!err) {
		skip_blanks(&p);
		if (!*p.at && capture->nr_fields)
			break; /* behind a last semicolon */
		err = field_parse(&p);
		if (!err && *p.at == ';')
			p.at++;
	}
	if (err)
		return err;
	why = kt_capture_verify(capture);
	return why ? fail(&p, -EINVAL, why, NULL) : 0;
}
