// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "functions.h"

static int type_write(void *writer, const struct ktrace_type *type)
{
	return ktrace_writer_type(writer, type);
}

int functions_write(struct ktrace_session *session,
		    struct ktrace_writer *writer, uint32_t *next)
{
	return session_functions(session, next, type_write, writer);
}
