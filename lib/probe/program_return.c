// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where the code of a function returns: program_return.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "instruction.h"
#include "program_code.h"
#include "program_return.h"

static int return_note(struct program_returns *returns, uint64_t offset)
{
	uint64_t *more =
		array_grow(returns->offsets, returns->nr, sizeof(*more));

	if (!more)
		return error_set(-ENOMEM, "out of memory");
	returns->offsets = more;
	more[returns->nr++] = offset;
	return 0;
}

/* Code of the function: it, or the part of it that is elsewhere. */
struct part {
	uint64_t begin, size;
	bool is_main;
};

struct scan {
	const struct program_functions *f;
	const struct place *function;
	const char *path;
	const char *name;	/* for messages */
	struct part main, cold; /* size 0: it has none */
	struct program_returns *returns;
};

static bool part_has(const struct part *part, uint64_t address)
{
	return address - part->begin < part->size;
}

/* NULL: not known.  *@begin: where it begins. */
static const char *function_at(const struct program_functions *f,
			       uint64_t address, uint64_t *begin)
{
	uint64_t offset, behind = 0;
	const char *name = NULL;

	if (code_offset(f, address, true, &offset))
		name = program_function_find(f, offset, 0, &behind);
	*begin = address - behind;
	return name;
}

/* g++ and clang++ call it NAME.cold, or NAME.cold.N. */
static bool is_cold(const struct place *function, const char *name)
{
	size_t length = strlen(function->function);

	return length && !strncmp(name, function->function, length) &&
	       !strncmp(name + length, ".cold", strlen(".cold"));
}

static void jump_note(struct scan *scan, const struct instruction *in)
{
	struct program_returns *returns = scan->returns;
	const char *name = NULL;
	uint64_t begin;

	if (in->is_indirect && in->is_notrack)
		return;
	if (!in->is_indirect) {
		if (part_has(&scan->main, in->target) ||
		    part_has(&scan->cold, in->target))
			return;
		name = function_at(scan->f, in->target, &begin);
		if (name && !scan->cold.size && is_cold(scan->function, name)) {
			scan->cold.begin = begin;
			scan->cold.size = code_size_at(scan->f, begin);
			if (scan->cold.size)
				return;
		}
	}
	if (!returns->tail_calls++)
		returns->to = name;
}

static int instructions_note(struct scan *scan, const struct part *part,
			     const uint8_t *code)
{
	struct instruction in;
	int err = 0;

	for (uint64_t at = 0; !err && at < part->size; at += in.length) {
		instruction_read(code + at, part->size - at,
				 scan->function->is_32, part->begin + at, false,
				 &in);
		if (!in.is_code)
			return error_set(-EINVAL,
					 "within %s is something that is no "
					 "code: who knows where it returns?",
					 scan->name);
		if (in.is_jump)
			jump_note(scan, &in);
		else if (in.is_return && part->is_main)
			err = return_note(scan->returns, at);
		else if (in.is_return)
			scan->returns->tail_calls++;
	}
	return err;
}

static int part_scan(struct scan *scan, const struct part *part)
{
	uint64_t offset;
	uint8_t *code;
	int err;

	if (!part->size || part->size > CODE_MAX ||
	    !code_offset(scan->f, part->begin, true, &offset))
		return error_set(-EINVAL,
				 "nobody knows where %s ends, so nobody knows "
				 "where it returns: no symbol tells",
				 scan->name);
	code = malloc(part->size);
	if (!code)
		return error_set(-ENOMEM, "out of memory");
	if (pread(scan->f->fd, code, part->size, offset) != (ssize_t)part->size)
		err = error_set(-EIO, "%s cannot be read", scan->path);
	else
		err = instructions_note(scan, part, code);
	free(code);
	return err;
}

static int nothing_returns(const struct scan *scan)
{
	const char *to = scan->returns->to;

	if (!scan->returns->tail_calls)
		return error_set(-EINVAL, "%s has no instruction that returns",
				 scan->name);
	if (!to)
		return error_set(-EINVAL,
				 "%s has no instruction that returns: it ends "
				 "by a jump to another function (a tail call)",
				 scan->name);
	return error_set(-EINVAL,
			 "%s has no instruction that returns: it ends by a "
			 "jump to %.*s (a tail call), whose return can be "
			 "probed",
			 scan->name, (int)strcspn(to, "@"), to);
}

int program_returns_find(const struct program_functions *f, const char *path,
			 const struct place *function,
			 struct program_returns *returns)
{
	char name[sizeof(function->function) + 20];
	struct scan scan = {
		.f = f,
		.function = function,
		.path = path,
		.name = name,
		.main = {function->address, function->size, true},
		.returns = returns,
	};
	int err;

	if (*function->function)
		snprintf(name, sizeof(name), "%s", function->function);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, function->address);
	err = part_scan(&scan, &scan.main);
	/* What cannot be read there may be a return. */
	if (!err && scan.cold.size && part_scan(&scan, &scan.cold))
		returns->tail_calls++;
	return err || returns->nr ? err : nothing_returns(&scan);
}

void program_returns_free(struct program_returns *returns)
{
	free(returns->offsets);
}
