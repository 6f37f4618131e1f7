// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where the code of a function returns: program_return.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

static int code_scan(const uint8_t *code, const struct place *function,
		     const char *name, struct program_returns *returns)
{
	size_t length;
	bool ends;
	int err = 0;

	for (size_t at = 0; !err && at < function->size; at += length) {
		length = instruction_length(code + at, function->size - at,
					    function->is_32, &ends);
		if (!length)
			return error_set(-EINVAL,
					 "within %s is something that is no "
					 "code: who knows where it returns?",
					 name);
		if (ends)
			err = return_note(returns, at);
	}
	return err;
}

int program_returns_find(const struct program_functions *f, const char *path,
			 const struct place *function,
			 struct program_returns *returns)
{
	char name[sizeof(function->function) + 20];
	uint64_t offset;
	uint8_t *code;
	int err;

	if (*function->function)
		snprintf(name, sizeof(name), "%s", function->function);
	else
		snprintf(name, sizeof(name), "0x%" PRIx64, function->address);
	if (!function->size || function->size > CODE_MAX ||
	    !code_offset(f, function->address, true, &offset))
		return error_set(-EINVAL,
				 "nobody knows where %s ends, so nobody knows "
				 "where it returns: no symbol tells",
				 name);
	code = malloc(function->size);
	if (!code)
		return error_set(-ENOMEM, "out of memory");
	if (pread(f->fd, code, function->size, offset) !=
	    (ssize_t)function->size)
		err = error_set(-EIO, "%s cannot be read", path);
	else
		err = code_scan(code, function, name, returns);
	free(code);
	if (!err && !returns->nr)
		err = error_set(-EINVAL, "%s has no instruction that returns",
				name);
	return err;
}

void program_returns_free(struct program_returns *returns)
{
	free(returns->offsets);
}
