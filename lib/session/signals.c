// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signals: an event of our own for the kernel's tracepoint, whose pointer arguments can be
 * followed.  The kernel's event has only number and code.
 */
#include <stdlib.h>
#include <string.h>

#include <ktrace/capture_names.h>

#include "session.h"

#define SIGNAL "signal/signal_delivered"

static int signal_define(struct ktrace_session *session)
{
	static const char definition[] = SIGNAL
		" signal_deliver vmlinux; s32 int sig; "
		"ptr struct kernel_siginfo * info; ptr struct k_sigaction * ka\n";
	char *definitions;
	bool defined;
	int err;

	err = session_root_read(session, "define", &definitions);
	if (err)
		return err;
	defined = strstr(definitions, SIGNAL " ");
	free(definitions);
	return defined ? 0
		       : session_root_write(session, "define", definition,
					    true);
}

/* The kernel ends threads by SIGKILL; this is why. */
#define EXIT_CODE "s32 " KTRACE_CAPTURED_EXIT_CODE ": exit_code put 4"

int ktrace_session_signals(struct ktrace_session *session)
{
	int err = signal_define(session);

	return err
		       ?: ktrace_session_write(
				  session, "capture",
				  SIGNAL
				  ": u8 " KTRACE_CAPTURED_INFO
				  ": kernel a1 48 bytes 48; u64 " KTRACE_CAPTURED_HANDLER
				  ": kernel a2 8 bytes 8; " EXIT_CODE);
}

int ktrace_session_kills(struct ktrace_session *session)
{
	int err = signal_define(session);

	err = err
		      ?: ktrace_session_write(session, "capture",
					      SIGNAL ": " EXIT_CODE);
	return err
		       ?: ktrace_session_filter(session, "signal",
						"signal_delivered", "sig == 9");
}
