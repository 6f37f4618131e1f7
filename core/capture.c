// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Verifying and running capture programs.  capture.h has the language.
 *
 * The verifier walks the program once, in order.  All jumps are structured (IF
 * to its END, loops to their EACH), so what is true at a place is true on every
 * path to it: the stack has the same depth at the start and the end of a part
 * that may be skipped or repeated.
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

/*
 * Kernels are built to clear variables on the stack; in a short run that would
 * be a noticeable part of the cost.
 */
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

	/* Nothing could be read: the field is absent, not empty. */
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

/* Always with a NUL, which separates paths that follow each other; of a file, with two. */
static __always_inline bool run_descriptor(struct runner *r,
					   const struct kt_capture_op *op,
					   bool file)
{
	int fd = r->stack[--r->depth];
	u8 *to = r->payload + r->used;
	long length = file ? env_copy_file(to, fd, op->value)
			   : env_copy_path(to, fd, op->value);

	if (length == -EFAULT)
		return false;
	if (length == -ENAMETOOLONG)
		r->cut |= 1u << r->field;
	if (length < 0) {
		length = file;
		to[0] = '\0';
	}
	to[length] = '\0';
	r->used += length + 1;
	return true;
}

static bool run_path(struct runner *r, const struct kt_capture_op *op)
{
	return run_descriptor(r, op, false);
}

static bool run_file(struct runner *r, const struct kt_capture_op *op)
{
	return run_descriptor(r, op, true);
}

/* The smallest page of any processor: less is not there only together. */
#define PAGE_LEAST 4096u

/* All of it cannot be read: takes what there is before its last page. */
static void run_bytes_part(struct runner *r, const struct kt_capture_op *op,
			   u64 address, u64 length)
{
	u64 last = (address + length - 1) & ~(u64)(PAGE_LEAST - 1);

	if (last <= address || last - address >= length ||
	    env_copy(r->payload + r->used, address, last - address, op->kernel))
		return;
	r->used += last - address;
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
	    env_copy(r->payload + r->used, address, length, op->kernel)) {
		run_bytes_part(r, op, address, length);
		return false;
	}
	r->used += length;
	return true;
}

/* A loop in the capture program would take ten times as long. */
static bool run_records(struct runner *r, const struct kt_capture_op *op)
{
	s64 left = r->stack[--r->depth];
	u64 address = r->stack[--r->depth], count = 0;
	u16 length;

	for (; left > 0; left -= length) {
		if (count == KT_CAPTURE_RECORDS_MAX) {
			r->cut |= 1u << r->field;
			break;
		}
		if (env_copy(&length, address + op->value, sizeof(length),
			     op->kernel))
			return false;
		count++;
		if (!length)
			break;
		address += length;
	}
	r->stack[r->depth++] = count;
	return true;
}

/* Where the current field ends. */
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
	case KT_CAPTURE_SHIFT:
		*a >>= b & 63;
		break;
	default:
		*a = *a == b;
		break;
	}
}

/*
 * Does one step; returns where to go on.  Inlined: a step is some ten instructions,
 * and the call of a function with as many variables would be twenty more.
 */
static __always_inline u32 run_op(struct runner *r,
				  const struct kt_capture *capture,
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
	case KT_CAPTURE_EXIT_CODE:
		r->stack[r->depth++] = env_exit_code();
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
	case KT_CAPTURE_PATH:
		done = run_path(r, op);
		break;
	case KT_CAPTURE_FILE:
		done = run_file(r, op);
		break;
	case KT_CAPTURE_RECORDS:
		done = run_records(r, op);
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
	/*
	 * Not cleared: all of it is written before it is read, see struct
	 * verifier.
	 */
	struct runner r not_cleared;
	u32 at = 0;

	env_poison(&r, sizeof(r));
	r.payload = payload;
	r.cut = 0;
	r.unread = 0;
	r.field = 0;
	r.used = size + kt_capture_head(capture);
	/* A program begins with a field, so each step has a current field. */
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

/* Finding a path, and saying what a file is, takes as long as this many steps. */
#define PATH_STEPS 64
#define FILE_STEPS 256

struct verifier {
	const struct kt_capture *capture;
	u32 depth;
	u32 output; /* of the whole, or of one round of the loop */
	u32 steps;
	u32 fields;
	bool paths;
	/* The open blocks; 0: none, because the first op is a field. */
	u32 loop;
	u32 condition;
	u32 loop_depth;
	u32 condition_depth;
	u32 before_output; /* before the loop */
	u32 before_steps;
};

/* How many values an op pops and pushes. */
static const struct {
	u8 takes;
	u8 gives;
} effects[KT_CAPTURE_CODES] = {
	[KT_CAPTURE_ARGUMENT] = {0, 1}, [KT_CAPTURE_NUMBER] = {0, 1},
	[KT_CAPTURE_INDEX] = {0, 1},	[KT_CAPTURE_EXIT_CODE] = {0, 1},
	[KT_CAPTURE_ADD] = {2, 1},	[KT_CAPTURE_SUB] = {2, 1},
	[KT_CAPTURE_MUL] = {2, 1},	[KT_CAPTURE_AND] = {2, 1},
	[KT_CAPTURE_EQ] = {2, 1},	[KT_CAPTURE_SHIFT] = {2, 1},
	[KT_CAPTURE_DUP] = {1, 2},	[KT_CAPTURE_LOAD] = {1, 1},
	[KT_CAPTURE_PUT] = {1, 0},	[KT_CAPTURE_STRING] = {1, 0},
	[KT_CAPTURE_BYTES] = {2, 0},	[KT_CAPTURE_IF] = {1, 0},
	[KT_CAPTURE_EACH] = {1, 0},	[KT_CAPTURE_WHILE] = {1, 0},
	[KT_CAPTURE_RECORDS] = {2, 1},	[KT_CAPTURE_PATH] = {1, 0},
	[KT_CAPTURE_FILE] = {1, 0},
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
		/* An if and a loop are nested or apart; they do not overlap. */
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
	if (op->code == KT_CAPTURE_PATH || op->code == KT_CAPTURE_FILE) {
		v->paths = true;
		v->steps +=
			op->code == KT_CAPTURE_FILE ? FILE_STEPS : PATH_STEPS;
	}

	switch (op->code) {
	case KT_CAPTURE_ARGUMENT:
		if (op->value >= KT_CAPTURE_ARGUMENTS)
			why = "there is no such argument";
		break;
	case KT_CAPTURE_RECORDS:
		v->steps += KT_CAPTURE_RECORDS_MAX;
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
	case KT_CAPTURE_PATH:
	case KT_CAPTURE_FILE:
	case KT_CAPTURE_EACH:
		if (!op->value || op->value >= KT_CAPTURE_OUTPUT_MAX)
			why = "a maximum is 1 to 32767";
		else if (op->code == KT_CAPTURE_STRING ||
			 op->code == KT_CAPTURE_PATH ||
			 op->code == KT_CAPTURE_FILE)
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
 * Is it what kt_capture_run_string() does?  In a verified program each if has
 * its end.
 */
static void string_find(struct kt_capture *capture)
{
	const struct kt_capture_op *op = &capture->ops[1];

	capture->string_max = 0;
	capture->string_simple = false;
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
	capture->string_simple =
		!op[1].kernel &&
		(!capture->string_mask ||
		 (!~capture->string_mask &&
		  capture->string_condition == capture->string_argument));
}

/* In a verified program each if has its end. */
static void idle_find(struct kt_capture *capture)
{
	const struct kt_capture_op *op = capture->ops;
	const struct kt_capture_op *end = op + capture->nr_ops;
	u32 idle = 0;

	capture->idle = 0;
	while (op < end) {
		if (end - op < 6 || op[1].code != KT_CAPTURE_ARGUMENT ||
		    op[2].code != KT_CAPTURE_NUMBER ||
		    op[3].code != KT_CAPTURE_AND)
			return;
		if (idle && idle != op[1].value + 1)
			return;
		idle = op[1].value + 1;
		op += 4;
		while (end - op > 2 && op[0].code == KT_CAPTURE_ARGUMENT &&
		       op[1].code == KT_CAPTURE_MUL)
			op += 2;
		if (op->code != KT_CAPTURE_IF)
			return;
		op = &capture->ops[op->to + 1];
		if (op < end && op->code != KT_CAPTURE_FIELD)
			return;
	}
	capture->idle = idle;
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
	capture->paths = v.paths;
	string_find(capture);
	idle_find(capture);
	return NULL;
}

/* ---- placing -------------------------------------------------------------- */

const char *kt_capture_place(struct kt_capture *capture,
			     const u8 words[KT_CAPTURE_ARGUMENTS])
{
	u32 at;

	for (at = 0; at < capture->nr_ops; at++) {
		struct kt_capture_op *op = &capture->ops[at];

		if (op->code != KT_CAPTURE_ARGUMENT)
			continue;
		if (words[op->value] == KT_CAPTURE_NO_WORD)
			return "there is no such argument";
		op->value = words[op->value];
	}
	if (capture->string_max) {
		capture->string_argument = words[capture->string_argument];
		capture->string_condition = words[capture->string_condition];
	}
	return NULL;
}
