// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "functions.h"
#include "type/type.h"

struct writing {
	struct ktrace_writer *writer;
	bool *symbols;
};

static int type_write(void *data, const struct ktrace_type *type)
{
	const struct writing *writing = data;

	*writing->symbols |= type_shows_symbols(type);
	return ktrace_writer_type(writing->writer, type);
}

int functions_write(struct functions *functions, struct ktrace_session *session,
		    struct ktrace_writer *writer, bool *symbols)
{
	struct writing writing = {writer, symbols};

	return session_functions(session, &functions->next, type_write,
				 &writing);
}

int functions_ask(struct functions *functions, struct ktrace_session *session,
		  struct ktrace_types *types)
{
	if (functions->asked)
		return 0;
	return session_functions_open(session, types, &functions->asked);
}

void functions_free(struct functions *functions)
{
	session_functions_close(functions->asked);
}
