// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "session/session.h"
#include "symbols.h"
#include "writer.h"

static int all_write(struct ktrace_writer *writer, const char *others)
{
	struct text text = {0};
	int err = session_symbols_packed(others, &text);

	if (!err)
		err = writer_symbols(writer, text.s, text.len);
	text_free(&text);
	return err;
}

int symbols_write(struct ktrace_session *session, struct ktrace_writer *writer,
		  char **told)
{
	char *others;
	int err = 0;

	if (!session || session_root_read(session, "symbols", &others))
		return all_write(writer, NULL);
	if (!*told || strcmp(*told, others))
		err = all_write(writer, others);
	/* What could not be written is written the next time. */
	free(*told);
	*told = err ? NULL : others;
	if (err)
		free(others);
	return err;
}

int ktrace_writer_symbols(struct ktrace_writer *writer)
{
	return all_write(writer, NULL);
}
