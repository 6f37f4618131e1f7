// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "base/text.h"
#include "session/session.h"
#include "symbols.h"
#include "writer.h"

int symbols_write(struct ktrace_session *session, struct ktrace_writer *writer)
{
	struct text text = {0};
	int err = session_symbols(session, &text);

	if (!err)
		err = writer_symbols(writer, text.s, text.len);
	text_free(&text);
	return err;
}

int ktrace_writer_symbols(struct ktrace_writer *writer)
{
	return symbols_write(NULL, writer);
}
