// SPDX-License-Identifier: GPL-2.0-only
/* The source's files in the control tree; README.md promises them to users. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "choice.h"
#include "choose.h"
#include "direct.h"
#include "files.h"
#include "hooks.h"
#include "session/node.h"
#include "session/session.h"
#include "available.h"

/* ---- functions ------------------------------------------------------------ */

static int functions_write(const struct kt_node *node, char *text)
{
	struct hooks *hooks = hooks_make(node->session);

	if (!hooks)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	text = strim(text);
	return strcmp(text, "none") ? choices_write(hooks, text)
				    : choices_forget(hooks);
}

static int functions_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);

	if (hooks)
		choices_show(m, &hooks->choices);
	return 0;
}

static const struct kt_kind functions_file = {
	.name = "functions",
	.mode = S_IFREG | 0660,
	.show = functions_show,
	.show_size = 16 * PAGE_SIZE,
	.write = functions_write,
	.write_max = SZ_8M,
};

static int available_show(struct seq_file *m, const struct kt_node *node)
{
	return available_list(m);
}

static const struct kt_kind available_file = {
	.name = "available_functions",
	.mode = S_IFREG | 0440,
	.show = available_show,
	.show_size = 4 << 20,
};

/* ---- function_table ------------------------------------------------------- */

static const char *const roles[] = {
	[FUNCTION_ROOT] = "root",
	[FUNCTION_INSIDE] = "inside",
	[FUNCTION_AROUND] = "around",
	[FUNCTION_CUT] = "cut",
};

/* What ftrace has made of it by now: it depends on who else hooks the function. */
static const char *function_way(const struct function *function)
{
	if (!function->choice.on || function->way == UNHOOKED || !function->ip)
		return "-";
	return direct_at(function->ip) ? "direct" : "ftrace";
}

/*
 * INDEX STATE ADDRESS MODULE NAME WORDS RESULT ROLE PROGRAM WAY; who reads addresses can undo
 * KASLR.
 */
static int table_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);
	bool addresses = file_ns_capable(m->file, &init_user_ns, CAP_SYSLOG);
	u32 i;

	for (i = 0; hooks && i < hooks->functions.nr; i++) {
		const struct function *function = hooks->functions.all[i];

		seq_printf(m, "%u %s 0x%lx %s %s %u %s %s ", function->index,
			   !function->ip	 ? "gone"
			   : function->choice.on ? "on"
						 : "off",
			   addresses ? function->address : 0,
			   function->module ?: "vmlinux", function->name,
			   function->choice.words,
			   result_name(function->choice.result),
			   roles[function->choice.role]);
		if (function->choice.program)
			seq_printf(m, "%u", function->choice.program->number);
		else
			seq_puts(m, "-");
		seq_printf(m, " %s\n", function_way(function));
	}
	return 0;
}

static const struct kt_kind table_file = {
	.name = "function_table",
	.mode = S_IFREG | 0440,
	.show = table_show,
	.show_size = 4 << 20,
};

/* NUMBER PROGRAM */
static int programs_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);
	u32 i;

	for (i = 0; hooks && i < hooks->programs.nr; i++)
		seq_printf(m, "%u %s\n", i,
			   program_text(hooks->programs.all[i]));
	return 0;
}

static const struct kt_kind programs_file = {
	.name = "function_programs",
	.mode = S_IFREG | 0440,
	.show = programs_show,
	.show_size = 16 * PAGE_SIZE,
};

/* ---- function_scope ------------------------------------------------------- */

/* A line: "depth N" or "interrupts yes|no". */
static int scope_parse(struct kt_session *session, struct scope *scope,
		       char *line)
{
	char *name = strsep(&line, " \t"), *value = line ? strim(line) : "";

	if (!strcmp(name, "depth")) {
		if (!kstrtou32(value, 10, &scope->depth))
			return 0;
		return kt_refuse(session, -EINVAL,
				 "depth \"%.20s\": a number is wanted (0: any "
				 "depth)",
				 value);
	}
	if (!strcmp(name, "interrupts")) {
		if (!kstrtobool(value, &scope->no_interrupts)) {
			scope->no_interrupts = !scope->no_interrupts;
			return 0;
		}
		return kt_refuse(session, -EINVAL,
				 "interrupts \"%.20s\": yes or no is wanted",
				 value);
	}
	return kt_refuse(session, -EINVAL,
			 "\"%.20s\": depth or interrupts is wanted", name);
}

static int scope_write(const struct kt_node *node, char *text)
{
	struct hooks *hooks = hooks_make(node->session);
	struct scope scope;
	char *line;
	int err = 0;

	if (!hooks)
		return kt_refuse(node->session, -ENOMEM, "no memory");
	scope = hooks->scope;
	text = strim(text);
	while (!err && (line = strsep(&text, "\n")))
		err = scope_parse(node->session, &scope, strim(line));
	if (err)
		return err;
	WRITE_ONCE(hooks->scope.depth, scope.depth);
	WRITE_ONCE(hooks->scope.no_interrupts, scope.no_interrupts);
	return 0;
}

static int scope_show(struct seq_file *m, const struct kt_node *node)
{
	const struct hooks *hooks = hooks_of(node->session);

	seq_printf(m, "depth %u\ninterrupts %s\n",
		   hooks ? hooks->scope.depth : 0,
		   hooks && hooks->scope.no_interrupts ? "no" : "yes");
	return 0;
}

static const struct kt_kind scope_file = {
	.name = "function_scope",
	.mode = S_IFREG | 0660,
	.show = scope_show,
	.write = scope_write,
};

const struct kt_kind *const function_root_files[] = {&available_file, NULL};
const struct kt_kind *const function_session_files[] = {
	&functions_file, &scope_file, &table_file, &programs_file, NULL};
