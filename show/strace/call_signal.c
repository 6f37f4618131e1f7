// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Signals between system calls, from signal:signal_delivered:
 *
 *	--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} ---
 *	+++ killed by SIGSEGV +++
 *
 * lib/session/signals.c defines this event.  Who may not capture kernel memory has it for SIGKILL
 * alone, and for other signals the kernel's own event signal:signal_deliver, which has only signal
 * and code.
 *
 * sigaction(2) says which members of a siginfo are valid; signal(7) says what a
 * signal without a handler does.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include <ktrace/capture_names.h>

#include "call.h"

/* The kernel's siginfo begins like that of programs. */
#define INFO_SIZE 48

static_assert(offsetof(siginfo_t, si_stime) + sizeof(__clock_t) <= INFO_SIZE,
	      "the part that is used was captured");

bool signal_info(const uint8_t *bytes, size_t size, struct signal_view *view)
{
	*view = (struct signal_view){0};
	if (size < INFO_SIZE)
		return false;
	memcpy(&view->info, bytes, INFO_SIZE);
	view->detailed = true;
	view->number = view->info.si_signo;
	view->code = view->info.si_code;
	return true;
}

/* A trace of others may not have it: then this signal was the reason. */
static void exit_code_read(const struct ktrace_event *event,
			   struct signal_view *view)
{
	const struct ktrace_field *field =
		ktrace_field_find(event->type, KTRACE_CAPTURED_EXIT_CODE);
	const uint8_t *bytes;
	size_t size = 0;

	view->exit_code = view->number;
	bytes = field ? ktrace_field_bytes(event, field, &size) : NULL;
	if (bytes && size >= sizeof(view->exit_code))
		memcpy(&view->exit_code, bytes, sizeof(view->exit_code));
}

/* The address of the handler.  Without it the event was recorded for SIGKILL alone. */
static bool handler_read(const struct ktrace_event *event, bool *handled)
{
	const struct ktrace_field *field =
		ktrace_field_find(event->type, KTRACE_CAPTURED_HANDLER);
	const uint8_t *bytes;
	uint64_t address;
	size_t size = 0;

	*handled = false;
	if (!field)
		return true;
	bytes = ktrace_field_bytes(event, field, &size);
	if (!bytes || size < sizeof(address))
		return false;
	memcpy(&address, bytes, sizeof(address));
	*handled = address;
	return true;
}

static bool delivered_read(const struct ktrace_event *event,
			   struct signal_view *view)
{
	const struct ktrace_field *signal, *from, *info;
	const uint8_t *bytes = NULL;
	size_t size = 0;

	signal = ktrace_field_find(event->type, "sig");
	from = ktrace_field_find(event->type, "info");
	info = ktrace_field_find(event->type, KTRACE_CAPTURED_INFO);
	if (!signal || !from)
		return false;
	if (info)
		bytes = ktrace_field_bytes(event, info, &size);
	if (!bytes || !signal_info(bytes, size, view)) {
		/* No siginfo: SEND_SIG_NOINFO is 0, SEND_SIG_PRIV is 1. */
		view->number = ktrace_field_int(event, signal);
		view->code = ktrace_field_int(event, from) == 1 ? SI_KERNEL
								: SI_USER;
	}
	exit_code_read(event, view);
	return handler_read(event, &view->handled);
}

bool signal_read(const struct ktrace_event *event, struct signal_view *view)
{
	const struct ktrace_type *type = event->type;
	const struct ktrace_field *signal, *code, *handler;

	if (type->marker || strcmp(type->system, "signal"))
		return false;
	*view = (struct signal_view){0};
	if (!strcmp(type->name, "signal_delivered"))
		return delivered_read(event, view);
	if (strcmp(type->name, "signal_deliver"))
		return false;
	signal = ktrace_field_find(type, "sig");
	code = ktrace_field_find(type, "code");
	handler = ktrace_field_find(type, "sa_handler");
	if (!signal || !code || !handler)
		return false;
	view->number = ktrace_field_int(event, signal);
	view->code = ktrace_field_int(event, code);
	view->handled = ktrace_field_int(event, handler);
	view->exit_code = view->number;
	return true;
}

enum signal_effect signal_effect(const struct signal_view *view)
{
	if (view->number == SIGKILL)
		return SIGNAL_KILLS;
	if (view->handled)
		return SIGNAL_NOTHING; /* only the handler runs */
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

	/*
	 * Positive codes are the kernel's; some signals have codes of their
	 * own.
	 */
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (sets[i].number == view->number && view->code > 0 &&
		    view->code < SI_KERNEL) {
			value_names(line, sets[i].set, view->code);
			return;
		}
	}
	value_names(line, "si_code", (uint32_t)view->code);
}

/* ---- members --------------------------------------------------------------------- */

struct members {
	struct line *line;
	bool json;
};

static void member_begin(const struct members *m, const char *name)
{
	line_printf(m->line, m->json ? ",\"%s\":" : ", si_%s=", name);
}

static void member_number(const struct members *m, const char *name,
			  int64_t value)
{
	member_begin(m, name);
	line_printf(m->line, "%" PRId64, value);
}

static void member_address(const struct members *m, const char *name,
			   const void *address)
{
	member_begin(m, name);
	if (m->json)
		line_printf(m->line, "%" PRIu64, (uint64_t)(uintptr_t)address);
	else
		value_address(m->line, (uintptr_t)address);
}

static void member_text(const struct members *m, const char *name,
			const char *text)
{
	member_begin(m, name);
	line_printf(m->line, m->json ? "\"%s\"" : "%s", text);
}

static void sender_members(const struct members *m, const siginfo_t *info)
{
	member_number(m, "pid", info->si_pid);
	if (!m->json)
		value_comm(m->line, info->si_pid);
	member_number(m, "uid",
		      info->si_uid == UINT32_MAX ? (int64_t)-1
						 : (int64_t)info->si_uid);
}

static void value_members(const struct members *m, const siginfo_t *info)
{
	member_number(m, "int", info->si_int);
	member_address(m, "ptr", info->si_ptr);
}

static void child_members(const struct members *m, const siginfo_t *info)
{
	sender_members(m, info);
	if (info->si_code == CLD_EXITED) {
		member_number(m, "status", info->si_status);
	} else {
		member_begin(m, "status");
		line_puts(m->line, m->json ? "\"" : "");
		value_signal(m->line, info->si_status);
		line_puts(m->line, m->json ? "\"" : "");
	}
	member_number(m, "utime", info->si_utime);
	member_number(m, "stime", info->si_stime);
}

static void call_members(const struct members *m, const siginfo_t *info)
{
	member_address(m, "call_addr", info->si_call_addr);
	if (m->json) {
		member_number(m, "syscall", (uint32_t)info->si_syscall);
	} else {
		member_begin(m, "syscall");
		value_syscall(m->line, (uint32_t)info->si_syscall,
			      info->si_arch);
	}
	member_begin(m, "arch");
	line_puts(m->line, m->json ? "\"" : "");
	value_names(m->line, "audit_arch", info->si_arch);
	line_puts(m->line, m->json ? "\"" : "");
}

static void file_members(const struct members *m, const siginfo_t *info)
{
	member_number(m, "band", info->si_band);
	member_number(m, "fd", info->si_fd);
}

/* Sent by a program: the code is not positive.  Timers of the kernel, too. */
static void sent_members(const struct members *m, const siginfo_t *info)
{
	switch (info->si_code) {
	case SI_TIMER:
		member_begin(m, "timerid");
		line_printf(m->line, m->json ? "%u" : "%#x",
			    (uint32_t)info->si_timerid);
		member_number(m, "overrun", info->si_overrun);
		value_members(m, info);
		break;
	case SI_SIGIO:
		file_members(m, info);
		break;
	case SI_USER:
	case SI_TKILL:
		sender_members(m, info);
		break;
	default:
		sender_members(m, info);
		if (info->si_ptr || m->json)
			value_members(m, info);
	}
}

/* What more the kernel says of an address, for some codes. */
static void address_members(const struct members *m, const siginfo_t *info)
{
	bool bus = info->si_signo == SIGBUS, segv = info->si_signo == SIGSEGV;

	member_address(m, "addr", info->si_addr);
	if (bus && (info->si_code == BUS_MCEERR_AR ||
		    info->si_code == BUS_MCEERR_AO)) {
		member_begin(m, "addr_lsb");
		line_printf(m->line, m->json ? "%u" : "%#x",
			    (uint16_t)info->si_addr_lsb);
	} else if (segv && info->si_code == SEGV_BNDERR) {
		member_address(m, "lower", info->si_lower);
		member_address(m, "upper", info->si_upper);
	} else if (segv && info->si_code == SEGV_PKUERR) {
		member_number(m, "pkey", info->si_pkey);
	}
}

static void happened_members(const struct members *m, const siginfo_t *info)
{
	switch (info->si_signo) {
	case SIGCHLD:
		child_members(m, info);
		break;
	case SIGILL:
	case SIGFPE:
	case SIGSEGV:
	case SIGBUS:
	case SIGTRAP:
		address_members(m, info);
		break;
	case SIGSYS:
		call_members(m, info);
		break;
	default:
		/* A file is ready: SIGIO, or the signal of F_SETSIG. */
		if (info->si_code != SI_KERNEL)
			file_members(m, info);
	}
}

void signal_members(struct line *line, const struct signal_view *view,
		    bool json)
{
	const struct members m = {line, json};
	const siginfo_t *info = &view->info;

	if (!view->detailed)
		return;
	if (info->si_errno) {
		const char *name = strerrorname_np(info->si_errno);
		struct constant constant;

		if (name && json) {
			member_text(&m, "errno", name);
		} else if (name) {
			member_begin(&m, "errno");
			constant = constant_begin(line);
			line_puts(line, name);
			constant_end(line, &constant, "%u",
				     (uint32_t)info->si_errno);
		} else {
			member_number(&m, "errno", (uint32_t)info->si_errno);
		}
	}
	if (info->si_code <= 0)
		sent_members(&m, info);
	else
		happened_members(&m, info);
}

void signal_info_print(struct line *line, const struct signal_view *view)
{
	line_puts(line, "{si_signo=");
	value_signal(line, view->number);
	line_puts(line, ", si_code=");
	signal_code(line, view);
	signal_members(line, view, false);
	line_puts(line, "}");
}

void signal_print(struct line *line, const struct signal_view *view)
{
	struct constant name;

	line_puts(line, "--- ");
	name = constant_begin(line);
	value_signal(line, view->number);
	constant_end_plain(line, &name);
	line_puts(line, " ");
	signal_info_print(line, view);
	line_puts(line, " ---");
}
