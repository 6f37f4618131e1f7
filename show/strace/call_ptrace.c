// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What ptrace says of a system call in which another process is (ptrace(2)). */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <linux/ptrace.h>

#include "call.h"

/* As far as it is there: only whole members are shown. */
struct info {
	struct line *line;
	struct ptrace_syscall_info of;
	size_t size;
};

#define IS_THERE(info, member)                          \
	((info)->size >=                                \
	 offsetof(struct ptrace_syscall_info, member) + \
		 sizeof(((struct ptrace_syscall_info *)0)->member))

static void put_call(struct info *info)
{
	bool filtered = info->of.op == PTRACE_SYSCALL_INFO_SECCOMP;
	size_t at = offsetof(struct ptrace_syscall_info, entry.args);
	size_t size = sizeof(info->of.entry.args[0]);

	line_puts(info->line, filtered ? ", seccomp={nr=" : ", entry={nr=");
	value_syscall(info->line, info->of.entry.nr, info->of.arch);
	for (size_t i = 0; i < 6 && info->size >= at + (i + 1) * size; i++)
		line_printf(info->line, "%s%#" PRIx64, i ? ", " : ", args=[",
			    (uint64_t)info->of.entry.args[i]);
	line_puts(info->line, info->size >= at + size ? "]" : "");
	if (filtered && IS_THERE(info, seccomp.ret_data))
		line_printf(info->line, ", ret_data=%u",
			    info->of.seccomp.ret_data);
	line_puts(info->line, "}");
}

static void put_return(struct info *info)
{
	bool failed = IS_THERE(info, exit.is_error) && info->of.exit.is_error;

	line_puts(info->line, ", exit={rval=");
	if (failed)
		value_status(info->line, info->of.exit.rval);
	else
		line_printf(info->line, "%" PRId64,
			    (int64_t)info->of.exit.rval);
	if (IS_THERE(info, exit.is_error))
		line_printf(info->line, ", is_error=%u",
			    info->of.exit.is_error);
	line_puts(info->line, "}");
}

static void put_info(struct info *info)
{
	line_puts(info->line, "{op=");
	value_names(info->line, "ptrace_info", info->of.op);
	if (IS_THERE(info, arch)) {
		line_puts(info->line, ", arch=");
		value_names(info->line, "audit_arch", info->of.arch);
	}
	if (IS_THERE(info, instruction_pointer))
		line_printf(info->line, ", instruction_pointer=%#" PRIx64,
			    (uint64_t)info->of.instruction_pointer);
	if (IS_THERE(info, stack_pointer))
		line_printf(info->line, ", stack_pointer=%#" PRIx64,
			    (uint64_t)info->of.stack_pointer);
	if (info->of.op == PTRACE_SYSCALL_INFO_EXIT &&
	    IS_THERE(info, exit.rval))
		put_return(info);
	else if ((info->of.op == PTRACE_SYSCALL_INFO_ENTRY ||
		  info->of.op == PTRACE_SYSCALL_INFO_SECCOMP) &&
		 IS_THERE(info, entry.nr))
		put_call(info);
	line_puts(info->line, "}");
}

void syscall_info_print(struct line *line, const struct call_view *view,
			unsigned int argument)
{
	struct captured c = captured_get(view, true, argument, "");
	struct info info = {.line = line};

	info.size = c.size < sizeof(info.of) ? c.size : sizeof(info.of);
	if (view->result >= 0 && (uint64_t)view->result < info.size)
		info.size = view->result;
	if (!c.there || !info.size || call_failed(view)) {
		value_address(line, call_argument(view, argument));
		return;
	}
	memcpy(&info.of, c.bytes, info.size);
	put_info(&info);
}
