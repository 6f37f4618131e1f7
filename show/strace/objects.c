// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Calls and signals as JSON: an object for each, in one line. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "program.h"
#include "syscalls.h"

static bool is_compat(const struct ktrace_type *type)
{
	return !strcmp(type->system, "compat_syscalls");
}

static void json_path(struct syscalls *s, const struct call_view *view)
{
	struct path_list list = paths_of(view, KTRACE_CALL_ARGUMENTS);
	struct call_file file;
	uint32_t kind;

	if (!path_take(&list, &file))
		return;
	kind = file_kind(&s->line, &file);
	if (file.length && !(s->line.files_hidden & KTRACE_FILES_PATHS)) {
		output_puts(&s->output, ",\"path\":");
		json_string(&s->output, (const uint8_t *)file.path,
			    file.length);
	}
	if (kind & ~KTRACE_FILES_PATHS) {
		output_puts(&s->output, ",\"object\":");
		json_string(&s->output, (const uint8_t *)file.object,
			    file.object_length);
	}
}

int json_write(struct syscalls *s, struct thread *thread, uint64_t time,
	       bool returned)
{
	struct call_view *view = &thread->view;
	const char *name = name_shown(view, view->enter.type);
	struct output *output = &s->output;
	unsigned int nr = call_nr_arguments(view);
	struct line *line = &s->line;
	bool first = true;

	line->len = 0;
	line_printf(line,
		    "{\"time\":%" PRIu64 ",\"tid\":%u,\"call\":", thread->time,
		    thread->tid);
	output_write(output, line->s, line->len);
	json_string(output, (const uint8_t *)name, strlen(name));
	line->len = 0;
	line_puts(line, "");
	if (is_compat(view->enter.type))
		line_puts(line, ",\"compat\":true");
	line_puts(line, ",\"args\":[");
	output_write(output, line->s, line->len);
	for (unsigned int i = 0; i < nr; i++) {
		if (thread->inside && argument_needs_exit(view, i))
			break;
		line->len = 0;
		line_puts(line, "");
		if (!argument_print(line, view, i))
			break;
		if (!line->len)
			continue;
		if (!first)
			output_puts(output, ",");
		first = false;
		json_string(output, (const uint8_t *)line->s, line->len);
	}
	line->len = 0;
	line_puts(line, "]");
	if (returned) {
		line_printf(line, ",\"result\":%" PRId64, view->result);
		if (call_failed(view) && strerrorname_np(-view->result))
			line_printf(line, ",\"error\":\"%s\"",
				    strerrorname_np(-view->result));
		line_printf(line, ",\"ns\":%" PRIu64, time - thread->time);
	}
	output_write(output, line->s, line->len);
	if (returned)
		json_path(s, view);
	output_puts(output, "}\n");
	return output->err;
}

/* With what the process ends, if it does. */
static void json_end(struct line *line, int code)
{
	if (code == PROCESS_GOES_ON)
		return;
	if (!WIFSIGNALED(code)) {
		line_printf(line, ",\"exit_status\":%d", WEXITSTATUS(code));
		return;
	}
	line_puts(line, ",\"killed_by\":\"");
	value_signal(line, WTERMSIG(code));
	line_puts(line, "\"");
}

int json_signal(struct syscalls *s, const struct thread *thread, uint64_t time,
		const struct signal_view *view)
{
	struct line *line = &s->line;
	struct constant names;

	line->len = 0;
	names = constant_begin(line);
	line_printf(line, "{\"time\":%" PRIu64 ",\"tid\":%u,\"signal\":\"",
		    time, thread->tid);
	value_signal(line, view->number);
	line_puts(line, "\",\"code\":\"");
	signal_code(line, view);
	line_puts(line, "\"");
	signal_members(line, view, true);
	line_printf(line, ",\"kills\":%s",
		    signal_effect(view) == SIGNAL_KILLS ? "true" : "false");
	if (view->number == SIGKILL)
		json_end(line, view->exit_code);
	line_puts(line, "}\n");
	constant_end_plain(line, &names);
	output_write(&s->output, line->s, line->len);
	return s->output.err;
}
