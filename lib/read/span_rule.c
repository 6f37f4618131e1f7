// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <string.h>

#include "span_rule.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* The first row that matches is used. */
static const struct span_rule rules[] = {
	{
		.kind = KTRACE_SPAN_SYSCALL,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_CALL,
		.single = true,
		.system = "syscalls",
		.begin = "sys_enter_*",
		.end = "sys_exit_*",
	},
	/*
	 * In the same lane, because an exec of a program of the other ABI ends
	 * in it.
	 */
	{
		.kind = KTRACE_SPAN_SYSCALL,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_CALL,
		.single = true,
		.system = "compat_syscalls",
		.begin = "sys_enter_*",
		.end = "sys_exit_*",
	},
	{
		.kind = KTRACE_SPAN_SYSCALL,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_RAW_CALL,
		.single = true,
		.system = "raw_syscalls",
		.begin = "sys_enter",
		.end = "sys_exit",
		.begin_keys = {"id"},
		.end_keys = {"id"},
		.name = "id",
	},
	{
		.kind = KTRACE_SPAN_IRQ,
		.owner = KTRACE_SPAN_OF_CPU,
		.lane = LANE_INTERRUPT,
		.system = "irq",
		.begin = "irq_handler_entry",
		.end = "irq_handler_exit",
		.begin_keys = {"irq"},
		.end_keys = {"irq"},
		.name = "name",
	},
	{
		.kind = KTRACE_SPAN_IRQ,
		.owner = KTRACE_SPAN_OF_CPU,
		.lane = LANE_INTERRUPT,
		.system = "irq_vectors",
		.begin = "*_entry",
		.end = "*_exit",
		.begin_keys = {"vector"},
		.end_keys = {"vector"},
	},
	{
		.kind = KTRACE_SPAN_SOFTIRQ,
		.owner = KTRACE_SPAN_OF_CPU,
		.lane = LANE_INTERRUPT,
		.system = "irq",
		.begin = "softirq_entry",
		.end = "softirq_exit",
		.begin_keys = {"vec"},
		.end_keys = {"vec"},
		.name = "vec",
	},
	/*
	 * The same event ends the run of one thread and begins that of the
	 * next.
	 */
	{
		.kind = KTRACE_SPAN_CPU,
		.owner = KTRACE_SPAN_OF_RUN,
		.lane = LANE_RUN,
		.single = true,
		.system = "sched",
		.begin = "sched_switch",
		.end = "sched_switch",
		.begin_keys = {"next_pid"},
		.end_keys = {"prev_pid"},
	},
	{
		.kind = KTRACE_SPAN_BLOCK,
		.owner = KTRACE_SPAN_OF_REQUEST,
		.lane = LANE_REQUEST,
		.single = true,
		.system = "block",
		.begin = "block_rq_issue",
		.end = "block_rq_complete",
		.begin_keys = {"dev", "sector"},
		.end_keys = {"dev", "sector"},
		.name = "rwbs",
	},
	{
		.kind = KTRACE_SPAN_BLOCK,
		.owner = KTRACE_SPAN_OF_REQUEST,
		.lane = LANE_REQUEST,
		.single = true,
		.voids = true,
		.system = "block",
		.end = "block_rq_requeue",
		.end_keys = {"dev", "sector"},
	},
	{
		.kind = KTRACE_SPAN_FUNCTION,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_FUNCTION,
		.variants = true,
		.system = "function",
		.begin = "*",
		.end_system = "return",
		.end = "*",
	},
	{
		.kind = KTRACE_SPAN_FUNCTION,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_FUNCTION,
		.variants = true,
		.system = "call",
		.end = "*",
		.took = "duration",
	},
	/* Who spins for a mutex and then sleeps for it begins twice, and ends once. */
	{
		.kind = KTRACE_SPAN_MARKER,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_MARKER,
		.again = true,
		.system = "lock",
		.begin = "*_begin",
		.end = "*_end",
		.begin_keys = {"lock_addr"},
		.end_keys = {"lock_addr"},
	},
	{
		.kind = KTRACE_SPAN_MARKER,
		.owner = KTRACE_SPAN_OF_THREAD,
		.lane = LANE_MARKER,
		.system = "*",
		.begin = "*_begin",
		.end = "*_end",
	},
};

/* Calls whose end has another name than their begin. */
static const struct {
	const char *begin;
	const char *end;
} renamed[] = {
	/*
	 * After an exec into the other ABI, the exit has that ABI's name for
	 * the number.
	 */
	{"execve", "execveat"},
	{"execveat", "execve"},
	/*
	 * It exits with the registers of the code that the signal had
	 * interrupted.
	 */
	{"rt_sigreturn", "unknown"},
};

/* Sets *text to what `*' in @pattern stands for in @name.  False: no match. */
static bool pattern_match(const char *pattern, const char *name,
			  const char **text, uint32_t *text_size)
{
	const char *star = strchr(pattern, '*');
	size_t before, behind, size = strlen(name);

	if (!star)
		return !strcmp(pattern, name);
	before = star - pattern;
	behind = strlen(star + 1);
	if (size <= before + behind || strncmp(name, pattern, before) ||
	    strcmp(name + size - behind, star + 1))
		return false;
	*text = name + before;
	*text_size = size - before - behind;
	return true;
}

/* False: the type does not have all of them. */
static bool keys_find(const struct ktrace_type *type,
		      const char *const names[SPAN_KEYS],
		      const struct ktrace_field *keys[SPAN_KEYS])
{
	for (int i = 0; i < SPAN_KEYS && names[i]; i++) {
		keys[i] = ktrace_field_find(type, names[i]);
		if (!keys[i] || keys[i]->kind > KTRACE_POINTER)
			return false;
	}
	return true;
}

/* False: the type lacks it.  Its last field counts: arguments may have any name. */
static bool took_find(const struct ktrace_type *type,
		      const struct span_rule *rule,
		      const struct ktrace_field **took)
{
	uint32_t own = ktrace_type_own_fields(type);
	const struct ktrace_field *last = own ? &type->fields[own - 1] : NULL;

	if (!rule->took)
		return true;
	if (!last || strcmp(last->name, rule->took) ||
	    last->kind != KTRACE_UINT)
		return false;
	*took = last;
	return true;
}

/* A system of the kernel has no events of programs, whatever these are called. */
static bool system_match(const char *system, const struct ktrace_type *type)
{
	return !strcmp(system, "*") ||
	       (!type->marker && !strcmp(system, type->system));
}

/* In a whole call it is behind @took: an argument may have its name. */
static const struct ktrace_field *result_find(const struct ktrace_type *type,
					      const struct ktrace_field *took)
{
	const struct ktrace_field *field;

	if (!took)
		return ktrace_field_find(type, "ret");
	for (uint32_t i = 0; i < type->nr_fields; i++) {
		field = &type->fields[i];
		if (!strcmp(field->name, "ret") &&
		    field->offset == took->offset + took->size)
			return field;
	}
	return NULL;
}

void span_role_find(struct span_role *role, const struct ktrace_type *type)
{
	*role = (struct span_role){.type = type};
	role->exits = !type->marker && !strcmp(type->system, "sched") &&
		      !strcmp(type->name, "sched_process_exit");
	for (size_t i = 0; i < NR(rules); i++) {
		const struct span_rule *rule = &rules[i];

		if (rule->variants && !type->variant_of)
			continue;
		if (!role->begin && rule->begin &&
		    system_match(rule->system, type) &&
		    pattern_match(rule->begin, type->name, &role->text,
				  &role->text_size) &&
		    keys_find(type, rule->begin_keys, role->begin_keys)) {
			role->begin = rule;
			if (rule->name)
				role->name =
					ktrace_field_find(type, rule->name);
		}
		if (!role->end && rule->end &&
		    system_match(rule->end_system ?: rule->system, type) &&
		    pattern_match(rule->end, type->name, &role->text,
				  &role->text_size) &&
		    keys_find(type, rule->end_keys, role->end_keys) &&
		    took_find(type, rule, &role->took))
			role->end = rule;
		if (rule->variants && (role->begin || role->end))
			break;
	}
	/* That of an interrupt's handler is not: it is 1 or 0. */
	if (role->end && (role->end->kind == KTRACE_SPAN_SYSCALL ||
			  role->end->kind == KTRACE_SPAN_FUNCTION))
		role->result = result_find(type, role->took);
}

bool ktrace_span_type(const struct ktrace_type *type)
{
	struct span_role role;

	span_role_find(&role, type);
	return role.begin || role.end || role.exits;
}

static bool text_is(const struct span_role *role, const char *text)
{
	return role->text_size == strlen(text) &&
	       !memcmp(role->text, text, role->text_size);
}

bool span_text_same(enum span_lane lane, const struct span_role *begin,
		    const struct span_role *end)
{
	if (begin->text_size == end->text_size &&
	    (!begin->text_size ||
	     !memcmp(begin->text, end->text, begin->text_size)))
		return true;
	if (lane != LANE_CALL)
		return false;
	for (size_t i = 0; i < NR(renamed); i++) {
		if (text_is(begin, renamed[i].begin) &&
		    text_is(end, renamed[i].end))
			return true;
	}
	return false;
}

bool span_role_is_exec(const struct span_role *role)
{
	return text_is(role, "execve") || text_is(role, "execveat");
}
