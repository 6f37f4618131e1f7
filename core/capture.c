// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Parsing, verifying and running capture programs.  capture.h has the language.
 *
 * The verifier walks the program once, in order.  All jumps are structured (IF to
 * its END, loops to their EACH), so what holds at a place holds however one came
 * there: the stack has the same depth at the begin and end of what may be skipped
 * or repeated.
 */
#include "capture.h"

/* ---- running -------------------------------------------------------------- */

struct runner {
	u64 stack[KT_CAPTURE_STACK_MAX];
	u32 depth;
	u8 *payload;
	u32 used;
	u32 begin; /* of the field */
	u32 field;
	u16 cut;
	u16 unread;
	/* The loop: there is one at a time. */
	u64 count;
	u32 index;
};

/* Kernels are built to clear what is on the stack, which a short run would feel. */
#if __has_attribute(__uninitialized__)
#define not_cleared __attribute__((__uninitialized__))
#else
#define not_cleared
#endif

static __always_inline void location_put(u8 *to, u32 begin, u32 length)
{
	u32 location = begin | length << 16;

	memcpy(to, &location, sizeof(location));
}

static void field_finish(struct runner *r, u32 locations)
{
	u8 *to = r->payload + locations + r->field * sizeof(u32);

	/* Nothing could be read: there is nothing, not even an empty field. */
	if (r->used == r->begin && r->unread & 1u << r->field)
		location_put(to, 0, 0);
	else
		location_put(to, r->begin, r->used - r->begin);
}

static bool run_load(struct runner *r, const struct kt_capture_op *op)
{
	u64 *top = &r->stack[r->depth - 1], value = 0;

	/* Little endian: the low bytes come first. */
	if (env_copy(&value, *top, op->value, op->kernel))
		return false;
	*top = value;
	return true;
}

static bool run_string(struct runner *r, const struct kt_capture_op *op)
{
	u64 address = r->stack[--r->depth];
	u8 *to = r->payload + r->used;
	long length;

	length = env_copy_string(to, address, op->value, op->kernel);
	if (length < 0)
		return false;
	if ((u64)length >= op->value) {
		length = op->value;
		r->cut |= 1u << r->field;
	}
	to[length] = '\0';
	r->used += length + 1;
	return true;
}

static bool run_bytes(struct runner *r, const struct kt_capture_op *op)
{
	u64 length = r->stack[--r->depth];
	u64 address = r->stack[--r->depth];

	if (length > op->value) {
		length = op->value;
		r->cut |= 1u << r->field;
	}
	if (length &&
	    env_copy(r->payload + r->used, address, length, op->kernel))
		return false;
	r->used += length;
	return true;
}

/* Where the field that was under way ends. */
static u32 field_skip(const struct kt_capture *capture, u32 at)
{
	while (at < capture->nr_ops &&
	       capture->ops[at].code != KT_CAPTURE_FIELD)
		at++;
	return at;
}

static __always_inline void run_binary(struct runner *r, u8 code)
{
	u64 b = r->stack[--r->depth], *a = &r->stack[r->depth - 1];

	switch (code) {
	case KT_CAPTURE_ADD:
		*a += b;
		break;
	case KT_CAPTURE_SUB:
		*a -= b;
		break;
	case KT_CAPTURE_MUL:
		*a *= b;
		break;
	case KT_CAPTURE_AND:
		*a &= b;
		break;
	default:
		*a = *a == b;
		break;
	}
}

/* Does one step; returns where to go on. */
static u32 run_op(struct runner *r, const struct kt_capture *capture,
		  const u64 *arguments, u32 at)
{
	const struct kt_capture_op *op = &capture->ops[at];
	bool done = true;

	switch (op->code) {
	case KT_CAPTURE_ARGUMENT:
		r->stack[r->depth++] = arguments[op->value];
		break;
	case KT_CAPTURE_NUMBER:
		r->stack[r->depth++] = op->value;
		break;
	case KT_CAPTURE_INDEX:
		r->stack[r->depth++] = r->index;
		break;
	case KT_CAPTURE_DUP:
		r->stack[r->depth] = r->stack[r->depth - 1];
		r->depth++;
		break;
	case KT_CAPTURE_LOAD:
		done = run_load(r, op);
		break;
	case KT_CAPTURE_PUT:
		memcpy(r->payload + r->used, &r->stack[--r->depth], op->value);
		r->used += op->value;
		break;
	case KT_CAPTURE_STRING:
		done = run_string(r, op);
		break;
	case KT_CAPTURE_BYTES:
		done = run_bytes(r, op);
		break;
	case KT_CAPTURE_IF:
		if (!r->stack[--r->depth])
			return op->to + 1;
		break;
	case KT_CAPTURE_END:
		break;
	case KT_CAPTURE_EACH:
		r->count = r->stack[--r->depth];
		r->index = 0;
		if (!r->count)
			return op->to + 1;
		break;
	case KT_CAPTURE_WHILE:
		if (!r->stack[--r->depth])
			return op->to + 1;
		break;
	case KT_CAPTURE_NEXT:
		r->index++;
		if (r->index >= r->count)
			break;
		if (r->index < capture->ops[op->to].value)
			return op->to + 1;
		r->cut |= 1u << r->field;
		break;
	default:
		run_binary(r, op->code);
		break;
	}
	if (done)
		return at + 1;
	r->unread |= 1u << r->field;
	return field_skip(capture, at);
}

u32 kt_capture_run_any(const struct kt_capture *capture, const u64 *arguments,
		       void *payload, u32 size)
{
	/* All of it is written before it is read: see struct verifier. */
	struct runner r not_cleared;
	u32 at = 0;

	env_poison(&r, sizeof(r));
	r.payload = payload;
	r.cut = 0;
	r.unread = 0;
	r.field = 0;
	r.used = size + kt_capture_head(capture);
	/* A program begins with a field; so each has one that is under way. */
	while (at < capture->nr_ops) {
		r.begin = r.used;
		r.depth = 0;
		r.index = 0;
		for (at++; at < capture->nr_ops &&
			   capture->ops[at].code != KT_CAPTURE_FIELD;)
			at = run_op(&r, capture, arguments, at);
		field_finish(&r, size + 2 * sizeof(u16));
		r.field++;
	}
	memcpy((u8 *)payload + size, &r.cut, sizeof(u16));
	memcpy((u8 *)payload + size + sizeof(u16), &r.unread, sizeof(u16));
	return r.used;
}

/* ---- verifying ------------------------------------------------------------ */

struct verifier {
	const struct kt_capture *capture;
	u32 depth;
	u32 output; /* of the whole, or of one round of the loop */
	u32 steps;
	u32 fields;
	/* What is open; 0: nothing, as the first op is a field. */
	u32 loop;
	u32 condition;
	u32 loop_depth;
	u32 condition_depth;
	u32 before_output; /* before the loop */
	u32 before_steps;
};

/* How many values an op takes off the stack, and puts there. */
static const struct {
	u8 takes;
	u8 gives;
} effects[KT_CAPTURE_CODES] = {
	[KT_CAPTURE_ARGUMENT] = {0, 1}, [KT_CAPTURE_NUMBER] = {0, 1},
	[KT_CAPTURE_INDEX] = {0, 1},	[KT_CAPTURE_ADD] = {2, 1},
	[KT_CAPTURE_SUB] = {2, 1},	[KT_CAPTURE_MUL] = {2, 1},
	[KT_CAPTURE_AND] = {2, 1},	[KT_CAPTURE_EQ] = {2, 1},
	[KT_CAPTURE_DUP] = {1, 2},	[KT_CAPTURE_LOAD] = {1, 1},
	[KT_CAPTURE_PUT] = {1, 0},	[KT_CAPTURE_STRING] = {1, 0},
	[KT_CAPTURE_BYTES] = {2, 0},	[KT_CAPTURE_IF] = {1, 0},
	[KT_CAPTURE_EACH] = {1, 0},	[KT_CAPTURE_WHILE] = {1, 0},
};

static bool size_is_good(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static const char *verify_block(struct verifier *v, u32 at)
{
	const struct kt_capture_op *op = &v->capture->ops[at];
	u64 rounds;

	switch (op->code) {
	case KT_CAPTURE_FIELD:
		if (v->loop || v->condition)
			return "a field begins before what is open has ended";
		if (v->fields++ == KT_CAPTURE_FIELDS_MAX)
			return "too many fields";
		v->depth = 0;
		return NULL;
	case KT_CAPTURE_IF:
		if (v->condition)
			return "an if within an if";
		v->condition = at;
		v->condition_depth = v->depth;
		break;
	case KT_CAPTURE_END:
		if (!v->condition || v->capture->ops[v->condition].to != at)
			return "an end without its if";
		/* An if and a loop lie in each other, or apart. */
		if (v->loop > v->condition)
			return "an end within a loop that began in its if";
		if (v->depth != v->condition_depth)
			return "an if leaves something on the stack";
		v->condition = 0;
		return NULL;
	case KT_CAPTURE_EACH:
		if (v->loop)
			return "a loop within a loop";
		v->loop = at;
		v->loop_depth = v->depth;
		v->before_output = v->output;
		v->before_steps = v->steps;
		v->output = 0;
		v->steps = 0;
		break;
	case KT_CAPTURE_WHILE:
		if (!v->loop || op->to != v->capture->ops[v->loop].to)
			return "a while outside of a loop";
		if (v->condition > v->loop)
			return "a while within an if";
		if (v->depth != v->loop_depth)
			return "a while leaves something on the stack";
		return NULL;
	case KT_CAPTURE_NEXT:
		if (!v->loop || op->to != v->loop ||
		    v->capture->ops[v->loop].to != at)
			return "a next without its each";
		if (v->condition > v->loop)
			return "a next within an if that began in its loop";
		if (v->depth != v->loop_depth)
			return "a loop leaves something on the stack";
		rounds = v->capture->ops[v->loop].value;
		if (rounds * v->steps > KT_CAPTURE_STEPS_MAX ||
		    rounds * v->output > KT_CAPTURE_OUTPUT_MAX)
			return "the loop may do too much";
		v->output = v->before_output + rounds * v->output;
		v->steps = v->before_steps + rounds * v->steps;
		v->loop = 0;
		return NULL;
	}
	if (op->to <= at || op->to >= v->capture->nr_ops)
		return "a jump leads nowhere";
	return NULL;
}

static const char *verify_op(struct verifier *v, u32 at)
{
	const struct kt_capture_op *op = &v->capture->ops[at];
	const char *why = NULL;

	if (op->code >= KT_CAPTURE_CODES)
		return "there is no such operation";
	if (!at && op->code != KT_CAPTURE_FIELD)
		return "it does not begin with a field";
	if (v->depth < effects[op->code].takes)
		return "nothing is left on the stack";
	v->depth += effects[op->code].gives;
	v->depth -= effects[op->code].takes;
	if (v->depth > KT_CAPTURE_STACK_MAX)
		return "too much on the stack";
	v->steps++;

	switch (op->code) {
	case KT_CAPTURE_ARGUMENT:
		if (op->value >= KT_CAPTURE_ARGUMENTS)
			why = "there is no such argument";
		break;
	case KT_CAPTURE_LOAD:
	case KT_CAPTURE_PUT:
		if (!size_is_good(op->value))
			why = "a size is 1, 2, 4 or 8";
		if (op->code == KT_CAPTURE_PUT)
			v->output += op->value;
		break;
	case KT_CAPTURE_STRING:
	case KT_CAPTURE_BYTES:
	case KT_CAPTURE_EACH:
		if (!op->value || op->value >= KT_CAPTURE_OUTPUT_MAX)
			why = "a maximum is 1 to 32767";
		else if (op->code == KT_CAPTURE_STRING)
			v->output += op->value + 1; /* its NUL */
		else if (op->code == KT_CAPTURE_BYTES)
			v->output += op->value;
		else
			why = verify_block(v, at);
		break;
	case KT_CAPTURE_FIELD:
	case KT_CAPTURE_IF:
	case KT_CAPTURE_END:
	case KT_CAPTURE_WHILE:
	case KT_CAPTURE_NEXT:
		why = verify_block(v, at);
		break;
	}
	if (!why && (v->output > KT_CAPTURE_OUTPUT_MAX ||
		     v->steps > KT_CAPTURE_STEPS_MAX))
		why = "it may do or copy too much";
	return why;
}

/*
 * Is it what kt_capture_run_string() does?  Of a program that is verified, an if has
 * its end.
 */
static void string_find(struct kt_capture *capture)
{
	const struct kt_capture_op *op = &capture->ops[1];

	capture->string_max = 0;
	capture->string_condition = 0;
	capture->string_mask = 0;
	if (capture->nr_ops == 6 && op[0].code == KT_CAPTURE_ARGUMENT &&
	    op[1].code == KT_CAPTURE_IF) {
		capture->string_condition = op[0].value;
		capture->string_mask = ~0ull;
		op += 2;
	} else if (capture->nr_ops == 8 && op[0].code == KT_CAPTURE_ARGUMENT &&
		   op[1].code == KT_CAPTURE_NUMBER && op[1].value &&
		   op[2].code == KT_CAPTURE_AND &&
		   op[3].code == KT_CAPTURE_IF) {
		capture->string_condition = op[0].value;
		capture->string_mask = op[1].value;
		op += 4;
	} else if (capture->nr_ops != 3) {
		return;
	}
	if (op[0].code != KT_CAPTURE_ARGUMENT ||
	    op[1].code != KT_CAPTURE_STRING)
		return;
	capture->string_max = op[1].value;
	capture->string_argument = op[0].value;
	capture->string_kernel = op[1].kernel;
}

const char *kt_capture_verify(struct kt_capture *capture)
{
	struct verifier v = {.capture = capture};
	const char *why;
	u32 at;

	if (!capture->nr_ops || capture->nr_ops > KT_CAPTURE_OPS_MAX)
		return "it is empty or too long";
	for (at = 0; at < capture->nr_ops; at++) {
		why = verify_op(&v, at);
		if (why)
			return why;
	}
	if (v.loop || v.condition)
		return "an if or each has no end";
	if (v.fields != capture->nr_fields)
		return "it has another number of fields than it says";
	capture->output_max = v.output;
	string_find(capture);
	return NULL;
}

/* ---- parsing -------------------------------------------------------------- */

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
	return strlen(wanted) == length && !memcmp(word, wanted, length);
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
	    code == KT_CAPTURE_BYTES)
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
	{"i", KT_CAPTURE_INDEX, false},	     {"+", KT_CAPTURE_ADD, false},
	{"-", KT_CAPTURE_SUB, false},	     {"*", KT_CAPTURE_MUL, false},
	{"&", KT_CAPTURE_AND, false},	     {"==", KT_CAPTURE_EQ, false},
	{"dup", KT_CAPTURE_DUP, false},	     {"put", KT_CAPTURE_PUT, true},
	{"string", KT_CAPTURE_STRING, true}, {"bytes", KT_CAPTURE_BYTES, true},
	{"if", KT_CAPTURE_IF, false},	     {"end", KT_CAPTURE_END, false},
	{"each", KT_CAPTURE_EACH, true},     {"while", KT_CAPTURE_WHILE, false},
	{"next", KT_CAPTURE_NEXT, false},
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
