// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signals between system calls, from signal:signal_deliver:
 *
 *	--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR} ---
 *	+++ killed by SIGSEGV +++
 *
 * The event has no more of the siginfo.  What a signal without a handler does is in
 * signal(7).
 */
#include <signal.h>
#include <string.h>

#include "call.h"

bool signal_read(const struct ktrace_event *event, struct signal_view *view)
{
	const struct ktrace_type *type = event->type;
	const struct ktrace_field *signal, *code, *handler;

	if (strcmp(type->name, "signal_deliver") ||
	    strcmp(type->system, "signal"))
		return false;
	signal = ktrace_field_find(type, "sig");
	code = ktrace_field_find(type, "code");
	handler = ktrace_field_find(type, "sa_handler");
	if (!signal || !code || !handler)
		return false;
	view->number = ktrace_field_int(event, signal);
	view->code = ktrace_field_int(event, code);
	view->handled = ktrace_field_int(event, handler);
	return true;
}

enum signal_effect signal_effect(const struct signal_view *view)
{
	if (view->number == SIGKILL)
		return SIGNAL_KILLS;
	if (view->handled)
		return SIGNAL_NOTHING; /* but what the handler does */
	switch (view->number) {
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return SIGNAL_STOPS;
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
		return SIGNAL_NOTHING;
	default:
		return SIGNAL_KILLS;
	}
}

void signal_code(struct line *line, const struct signal_view *view)
{
	static const struct {
		int number;
		const char *set;
	} sets[] = {
		{SIGILL, "si_ill"}, {SIGFPE, "si_fpe"},	  {SIGSEGV, "si_segv"},
		{SIGBUS, "si_bus"}, {SIGTRAP, "si_trap"}, {SIGCHLD, "si_cld"},
		{SIGIO, "si_poll"}, {SIGSYS, "si_sys"},
	};

	/* The kernel's own are positive, and another set for some signals. */
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (sets[i].number == view->number && view->code > 0 &&
		    view->code < SI_KERNEL) {
			value_names(line, sets[i].set, view->code);
			return;
		}
	}
	value_names(line, "si_code", (int64_t)view->code);
}

void signal_print(struct line *line, const struct signal_view *view)
{
	line_puts(line, "--- ");
	value_signal(line, view->number);
	line_puts(line, " {si_signo=");
	value_signal(line, view->number);
	line_puts(line, ", si_code=");
	signal_code(line, view);
	line_puts(line, "} ---");
}
