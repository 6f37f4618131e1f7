// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Compiles and runs programs.  value.c has the values that need more work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <ktrace/capture_names.h>

#include "base/escape.h"
#include "pointee.h"
#include "color.h"
#include "program.h"
#include "stack.h"
#include "value.h"

enum code {
	CODE_U8,
	CODE_U16,
	CODE_U32,
	CODE_U64,
	CODE_S8,
	CODE_S16,
	CODE_S32,
	CODE_S64,
	CODE_X8,
	CODE_X16,
	CODE_X32,
	CODE_X64,
	CODE_STRING,	/* fixed */
	CODE_DYNSTRING, /* __data_loc */
	CODE_BOOL,
	CODE_WORDS,   /* fixed array of u64 */
	CODE_POINTEE, /* what an argument points to: pointee.h */
	CODE_CACHED,  /* an integer whose text is slow to make */
	CODE_OTHER,   /* see value.c */
};

/* What is in front of each part. */
#define PART "\1"

/* A cache of the texts of integers, by value.  An empty entry has len 0. */
#define CACHE_BITS 6
#define CACHE_TEXT 54

struct cached {
	uint64_t value;
	uint8_t len;
	char text[CACHE_TEXT];
};

/* The text in front of a value is padded to whole blocks, to copy it faster. */
#define BLOCK 16
/* For one field: a name of 128 bytes, each escaped. */
#define TEXT_MAX (128 * 6 + 8)

struct op {
	uint8_t code;
	uint8_t blocks;
	uint16_t text_len;
	uint32_t offset;
	uint32_t size;
	const char *text;
	const struct ktrace_field *field;
	struct cached *cache;
	struct pointee *pointee;
	/* Not NULL: the value could not be read if this bit of it is set. */
	const struct ktrace_field *unread;
	uint32_t unread_bit;
};

struct program {
	const struct ktrace_field *fields; /* the fields of the type it was
					    * made for */
	uint32_t nr_ops;
	uint32_t head_len;
	char *head;
	char *texts; /* the texts of all ops */
	struct op ops[];
};

void programs_init(struct programs *programs, struct ktrace *trace,
		   enum program_style style)
{
	*programs = (struct programs){.trace = trace, .style = style};
}

static void program_free(struct program *program)
{
	uint32_t i;

	if (!program)
		return;
	for (i = 0; i < program->nr_ops; i++) {
		free(program->ops[i].cache);
		free(program->ops[i].pointee);
	}
	free(program->head);
	free(program->texts);
	free(program);
}

void programs_destroy(struct programs *programs)
{
	uint32_t i;

	for (i = 0; i < programs->nr; i++)
		program_free(programs->by_number[i]);
	free(programs->by_number);
	*programs = (struct programs){0};
}

static enum code integer_code(const struct ktrace_field *field, bool json)
{
	static const uint8_t by_size[9] = {[2] = 1, [4] = 2, [8] = 3};
	enum code code = by_size[field->size];

	switch (field->base) {
	case KTRACE_DEC:
		return code + (field->kind == KTRACE_INT ? CODE_S8 : CODE_U8);
	case KTRACE_HEX:
		if (!json)
			return code + CODE_X8;
		if (field->kind == KTRACE_POINTER)
			return CODE_OTHER;
		return code + (field->kind == KTRACE_INT ? CODE_S8 : CODE_U8);
	case KTRACE_BOOL:
		return field->size == 1 ? CODE_BOOL : CODE_OTHER;
	default:
		return CODE_CACHED;
	}
}

static enum code field_code(const struct ktrace_field *field, bool json)
{
	if (field->kind <= KTRACE_POINTER)
		return field->names ? CODE_CACHED : integer_code(field, json);
	if (field->kind == KTRACE_ARRAY && field->elem == 8 &&
	    field->place == KTRACE_FIXED && field->size % 8 == 0 &&
	    field->size && field->base == KTRACE_HEX && !json)
		return CODE_WORDS;
	if (field->kind != KTRACE_STRING || field->place == KTRACE_REL_LOC)
		return CODE_OTHER;
	return field->place == KTRACE_FIXED ? CODE_STRING : CODE_DYNSTRING;
}

/*
 * The name, escaped.  Names come from the trace, which may be hostile: they
 * must not act on a terminal or end a JSON string.  Cuts a name to @max bytes;
 * C identifiers are shorter.  NULL: out of memory.
 */
static char *name_text(const char *name, size_t max, bool json)
{
	char *cut = strndup(name, max), *text;

	if (!cut)
		return NULL;
	text = json ? escape_json(cut) : escape_text(cut);
	free(cut);
	return text;
}

/* The text in front of a field's value; NULL: out of memory. */
static char *field_text(const struct ktrace_field *field,
			enum program_style style, bool first)
{
	bool json = style == PROGRAM_JSON;
	char *name = name_text(field->name, 128, json), *text = NULL;
	int len = -1;

	if (name) {
		switch (style) {
		case PROGRAM_TEXT:
			len = asprintf(&text, "%s%s=", first ? "" : " ", name);
			break;
		case PROGRAM_JSON:
			len = asprintf(&text, "%s\"%s\":", first ? "" : ",",
				       name);
			break;
		case PROGRAM_CALL:
			len = asprintf(&text, "%s%s=", first ? "" : ", ", name);
			break;
		case PROGRAM_VALUES:
			len = asprintf(&text, "%s", first ? "" : ", ");
			break;
		case PROGRAM_PARTS:
			len = asprintf(&text, PART);
		}
	}
	free(name);
	return len < 0 ? NULL : text;
}

/* The text in front of all fields; NULL: out of memory. */
static char *type_text(const struct ktrace_type *type, enum program_style style,
		       bool colors)
{
	bool json = style == PROGRAM_JSON;
	char *system = name_text(type->system, 128, json);
	char *name = name_text(type->name, 256, json), *text = NULL;
	int len = -1;

	if (system && name) {
		switch (style) {
		case PROGRAM_TEXT:
			len = asprintf(&text,
				       "%s%s:%s%s:", colors ? COLOR_NAME : "",
				       system, name, colors ? COLOR_END : "");
			break;
		case PROGRAM_JSON:
			len = asprintf(&text,
				       "\"event\":\"%s:%s\",\"fields\":{",
				       system, name);
			break;
		case PROGRAM_CALL:
			len = asprintf(&text, "%s(", name);
			break;
		case PROGRAM_VALUES:
		case PROGRAM_PARTS:
			text = strdup("");
			len = text ? 0 : -1;
		}
	}
	free(system);
	free(name);
	return len < 0 ? NULL : text;
}

/* The next op, with the text in front of its value. */
static int op_begin(struct program *program, const char *text,
		    size_t *texts_used)
{
	struct op *op = &program->ops[program->nr_ops];
	size_t len = strlen(text), room;
	char *texts;

	/* At least one block, which is copied without a question. */
	room = len ? (len + BLOCK - 1) / BLOCK * BLOCK : BLOCK;
	texts = realloc(program->texts, *texts_used + room);
	if (!texts)
		return -ENOMEM;
	program->texts = texts;
	memset(texts + *texts_used, 0, room);
	memcpy(texts + *texts_used, text, len);
	op->text_len = len;
	op->blocks = room / BLOCK;
	*texts_used += room;
	return 0;
}

/* What @field of @type points to, if that is known, or what it has of another record's. */
static int program_pointee(struct program *program,
			   const struct programs *programs,
			   const struct ktrace_type *type,
			   const struct ktrace_field *field, size_t *texts_used)
{
	struct op *op = &program->ops[program->nr_ops];
	bool parts = programs->style == PROGRAM_PARTS;
	struct pointee pointee;

	if (!pointee_find(type, field, &pointee)) {
		if ((!parts && programs->style != PROGRAM_TEXT) ||
		    !pointee_alone(type, field, &pointee))
			return 0;
		pointee.part = parts;
	}
	if (op_begin(program, pointee.part ? PART : "", texts_used))
		return -ENOMEM;
	op->code = CODE_POINTEE;
	op->pointee = malloc(sizeof(pointee));
	program->nr_ops++;
	if (!op->pointee)
		return -ENOMEM;
	*op->pointee = pointee;
	return 0;
}

static int program_op(struct program *program, const struct ktrace_field *field,
		      const struct programs *programs, size_t *texts_used)
{
	enum program_style style = programs->style;
	/* In text, the name of the event is in front. */
	bool first = !program->nr_ops &&
		     (style != PROGRAM_TEXT || programs->no_name);
	struct op *op = &program->ops[program->nr_ops];
	char *text = field_text(field, style, first);
	int err = text ? op_begin(program, text, texts_used) : -ENOMEM;

	free(text);
	if (err)
		return err;
	op->field = field;
	op->offset = field->offset;
	op->size = field->size;
	op->code = field_code(field, style == PROGRAM_JSON);
	program->nr_ops++;
	if (op->code == CODE_CACHED) {
		op->cache = calloc(1u << CACHE_BITS, sizeof(*op->cache));
		if (!op->cache)
			return -ENOMEM;
	}
	return 0;
}

/* Of values of probes.  The mask has a bit for each field in front of it. */
static void program_unread(struct program *program,
			   const struct ktrace_type *type,
			   const struct ktrace_field *field)
{
	const struct ktrace_field *mask =
		ktrace_field_find(type, KTRACE_VALUES_UNREAD);
	struct op *op = &program->ops[program->nr_ops - 1];

	if (!mask || field >= mask || field - type->fields >= 32)
		return;
	op->unread = mask;
	op->unread_bit = field - type->fields;
}

/* Or is it shown with another field, or not at all?  In JSON each field is one of its own. */
static bool has_value(const struct ktrace_type *type,
		      const struct ktrace_field *field)
{
	return !stack_field(type, field) && !pointee_owns(type, field) &&
	       strcmp(field->name, KTRACE_VALUES_UNREAD) != 0;
}

bool program_has_part(const struct ktrace_type *type,
		      const struct ktrace_field *field)
{
	return has_value(type, field) || pointee_is_alone(type, field);
}

static bool field_is_wanted(const struct programs *programs,
			    const struct ktrace_type *type,
			    const struct ktrace_field *field)
{
	const char *const *only = programs->only;

	if (programs->no_fields)
		return false;
	if (programs->wants && !programs->wants(type, field))
		return false;
	while (only && *only && strcmp(*only, field->name) != 0)
		only++;
	return !only || *only;
}

static struct program *program_make(const struct programs *programs,
				    const struct ktrace_type *type)
{
	enum program_style style = programs->style;
	struct program *program;
	size_t used = 0;
	uint32_t i;

	/* Behind each field there may be what it points to. */
	program = calloc(1, sizeof(*program) +
				    2 * type->nr_fields * sizeof(struct op));
	if (!program)
		return NULL;
	program->fields = type->fields;
	program->head = programs->no_name
				? strdup("")
				: type_text(type, style, programs->colors);
	if (!program->head)
		goto err;
	program->head_len = strlen(program->head);
	for (i = 0; i < type->nr_fields; i++) {
		const struct ktrace_field *field = &type->fields[i];

		if (!field_is_wanted(programs, type, field))
			continue;
		if (style == PROGRAM_JSON || has_value(type, field)) {
			if (program_op(program, field, programs, &used))
				goto err;
			program_unread(program, type, field);
		}
		if (style != PROGRAM_JSON &&
		    program_pointee(program, programs, type, field, &used))
			goto err;
	}
	used = 0;
	for (i = 0; i < program->nr_ops; i++) {
		program->ops[i].text = program->texts + used;
		used += program->ops[i].blocks * BLOCK;
	}
	return program;
err:
	program_free(program);
	return NULL;
}

static struct program *programs_make(struct programs *programs,
				     const struct ktrace_type *type)
{
	if (type->number >= programs->nr) {
		uint32_t nr = type->number + 256;
		struct program **by_number =
			realloc(programs->by_number, nr * sizeof(*by_number));

		if (!by_number)
			return NULL;
		memset(by_number + programs->nr, 0,
		       (nr - programs->nr) * sizeof(*by_number));
		programs->by_number = by_number;
		programs->nr = nr;
	}
	program_free(programs->by_number[type->number]);
	programs->by_number[type->number] = program_make(programs, type);
	return programs->by_number[type->number];
}

#define LOAD(type, p)                                 \
	({                                            \
		type load_value;                      \
		memcpy(&load_value, p, sizeof(type)); \
		load_value;                           \
	})

static void run_cached(struct output *output, const struct op *op,
		       const struct ktrace *trace,
		       const struct ktrace_event *event, bool json)
{
	uint64_t value = ktrace_field_int(event, op->field);
	struct cached *cached =
		&op->cache[value * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS)];
	const char *begin;
	size_t len;

	/* So that nothing below flushes: the text must stay in the buffer. */
	output_room(output, OUTPUT_ROOM);
	if (likely(cached->len && cached->value == value)) {
		memcpy(output->p, cached->text, CACHE_TEXT);
		output->p += cached->len;
		return;
	}
	begin = output->p;
	value_integer(output, trace, op->field, value, json);
	len = output->p - begin;
	if (len && len <= CACHE_TEXT) {
		cached->value = value;
		cached->len = len;
		memcpy(cached->text, begin, len);
	}
}

/* {0x1,0x2,0x3} */
static void run_words(struct output *output, const uint8_t *p, uint32_t size)
{
	const uint8_t *end = p + size;

	output_add(output, "{", 1);
	for (; p < end; p += 8) {
		output_room(output, 64);
		output->p = put_hex(output->p, LOAD(uint64_t, p));
		*output->p++ = ',';
	}
	/* Replaces the last comma.  There is at least one element. */
	output->p[-1] = '}';
}

static inline __attribute__((always_inline)) void run(
	const struct program *program, struct output *output,
	const struct ktrace_event *event, const struct ktrace *trace, bool json)
{
	const uint8_t *payload = event->payload;
	const struct op *op = program->ops;
	const struct op *end = op + program->nr_ops;

	for (; op < end; op++) {
		const uint8_t *p = payload + op->offset;
		const uint8_t *s;
		unsigned int i;
		size_t n;

		output_room(output, TEXT_MAX + BLOCK + 64);
		memcpy(output->p, op->text, BLOCK);
		for (i = 1; unlikely(i < op->blocks); i++)
			memcpy(output->p + i * BLOCK, op->text + i * BLOCK,
			       BLOCK);
		output->p += op->text_len;

		if (unlikely(op->unread) &&
		    ktrace_field_int(event, op->unread) >> op->unread_bit & 1) {
			output_puts(output, json ? "null" : "?");
			continue;
		}
		switch (op->code) {
		case CODE_U8:
			output->p = put_u64(output->p, *p);
			break;
		case CODE_U16:
			output->p = put_u64(output->p, LOAD(uint16_t, p));
			break;
		case CODE_U32:
			output->p = put_u64(output->p, LOAD(uint32_t, p));
			break;
		case CODE_U64:
			output->p = put_u64(output->p, LOAD(uint64_t, p));
			break;
		case CODE_S8:
			output->p = put_s64(output->p, (int8_t)*p);
			break;
		case CODE_S16:
			output->p = put_s64(output->p, LOAD(int16_t, p));
			break;
		case CODE_S32:
			output->p = put_s64(output->p, LOAD(int32_t, p));
			break;
		case CODE_S64:
			output->p = put_s64(output->p, LOAD(int64_t, p));
			break;
		case CODE_X8:
			output->p = put_hex(output->p, *p);
			break;
		case CODE_X16:
			output->p = put_hex(output->p, LOAD(uint16_t, p));
			break;
		case CODE_X32:
			output->p = put_hex(output->p, LOAD(uint32_t, p));
			break;
		case CODE_X64:
			output->p = put_hex(output->p, LOAD(uint64_t, p));
			break;
		case CODE_STRING:
			if (json)
				json_string(output, p,
					    strnlen((const char *)p, op->size));
			else
				text_string(output, p, op->size);
			break;
		case CODE_DYNSTRING:
			s = ktrace_field_bytes(event, op->field, &n);
			if (json)
				json_string(output, s, n);
			else
				text_string(output, s, n);
			break;
		case CODE_BOOL:
			memcpy(output->p, *p ? "true" : "false", 5);
			output->p += *p ? 4 : 5;
			break;
		case CODE_WORDS:
			run_words(output, p, op->size);
			break;
		case CODE_CACHED:
			run_cached(output, op, trace, event, json);
			break;
		case CODE_POINTEE:
			pointee_put(output, trace, event, op->pointee);
			break;
		default:
			value_other(output, trace, event, op->field, json);
		}
	}
}

int programs_write(struct programs *programs, const struct ktrace_type *type)
{
	const struct program *program = NULL;

	if (type->number < programs->nr)
		program = programs->by_number[type->number];
	if (!program || program->fields != type->fields)
		program = programs_make(programs, type);
	return program ? program->head_len || program->nr_ops : -ENOMEM;
}

int programs_run(struct programs *programs, struct output *output,
		 const struct ktrace_event *event)
{
	const struct ktrace_type *type = event->type;
	struct program *program = NULL;

	if (likely(type->number < programs->nr))
		program = programs->by_number[type->number];
	/* The type's fields were replaced: they have names now. */
	if (unlikely(!program || program->fields != type->fields)) {
		program = programs_make(programs, type);
		if (!program)
			return -ENOMEM;
	}
	output_add(output, program->head, program->head_len);
	if (programs->style == PROGRAM_JSON)
		run(program, output, event, programs->trace, true);
	else
		run(program, output, event, programs->trace, false);
	return 0;
}
