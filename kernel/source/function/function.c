// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the kernel and its modules: an event at their calls, one at their returns.
 *
 *	function:entry	which function, and arguments
 *	function:exit	which function, and what it returned
 *	call:function	at the return: both, and how long it took.  Of another system, so
 *			that who enables function:* does not get all calls twice.
 *
 * Which functions a session's file `functions' says (choose.c).  They have no events of
 * their own: records have the function's index in the session, and the file
 * `function_table' says which that is.  So 40000 of them cost no ids.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/suspend.h>

#include "base/clock.h"
#include "base/symbol.h"
#include "base/version.h"
#include "call.h"
#include "choice.h"
#include "choose.h"
#include "direct.h"
#include "event/event.h"
#include "files.h"
#include "hooks.h"
#include "session/session.h"
#include "session/sources.h"
#include "available.h"

/* ---- records -------------------------------------------------------------- */

static const struct kt_field entry_fields[] = {
	{.type = "u32", .name = "function", .size = 4},
	{.type = "__data_loc u64[]",
	 .name = "arguments",
	 .offset = 4,
	 .size = 4},
};

static const struct kt_field exit_fields[] = {
	{.type = "u32", .name = "function", .size = 4},
	{.type = "u64", .name = "ret", .offset = 4, .size = 8},
};

static const struct kt_field call_fields[] = {
	{.type = "u32", .name = "function", .size = 4},
	{.type = "__data_loc u64[]",
	 .name = "arguments",
	 .offset = 4,
	 .size = 4},
	{.type = "u64", .name = "duration", .offset = 8, .size = 8},
	{.type = "s64",
	 .name = "ret",
	 .offset = 16,
	 .size = 8,
	 .is_signed = true},
};

static const struct kt_class classes[MOMENTS] = {
	[ENTRY] =
		{
			.fields = entry_fields,
			.nr_fields = ARRAY_SIZE(entry_fields),
			.size = sizeof(struct entry),
			.short_size = ENTRY_SHORT,
			.dynamic = true,
			.captures = true,
			.arguments = hook_words,
			.print =
				"\"function=%u arguments=%s\", REC->function, "
				"__print_array(__get_dynamic_array(arguments), "
				"__get_dynamic_array_len(arguments) / 8, 8)",
		},
	[EXIT] =
		{
			.fields = exit_fields,
			.nr_fields = ARRAY_SIZE(exit_fields),
			.size = sizeof(struct exit),
			.stackless = true,
			.print =
				"\"function=%u ret=0x%llx\", REC->function, REC->ret",
		},
	[CALL] =
		{
			.fields = call_fields,
			.nr_fields = ARRAY_SIZE(call_fields),
			.size = sizeof(struct whole),
			.dynamic = true,
			.returned = true,
			.print =
				"\"function=%u arguments=%s duration=%llu ret=%lld\", "
				"REC->function, "
				"__print_array(__get_dynamic_array(arguments), "
				"__get_dynamic_array_len(arguments) / 8, 8), "
				"REC->duration, REC->ret",
		},
};

/* ---- attaching ------------------------------------------------------------ */

/* Calls that may be open at once in a session, if returns are hooked. */
static unsigned int calls = 4096;
module_param(calls, uint, 0644);
MODULE_PARM_DESC(calls, "calls that may be open at once in a session");

static const int *ftrace_on;
static const char *reason;

static const char *function_unsupported(void)
{
	/* Reading another clock calls functions that ftrace can hook: a guest hung so. */
	if (!reason && !kt_clock_is_tsc())
		return "records are stamped with the kernel's clock, whose own "
		       "functions could be hooked: it needs the processor's TSC";
	if (!reason && ftrace_on && !READ_ONCE(*ftrace_on))
		return "the kernel's function tracer is off "
		       "(sysctl kernel.ftrace_enabled)";
	return reason;
}

static enum moment moment_of(const struct kt_event *event)
{
	return event->class - classes;
}

static int function_attach(struct kt_enabled *enabled)
{
	struct hooks *hooks = hooks_make(enabled->session);

	if (!hooks)
		return kt_refuse(enabled->session, -ENOMEM, "no memory");
	return hooks_attach(hooks, moment_of(enabled->event), enabled, calls);
}

static int function_commit(struct kt_session *session)
{
	return hooks_update(hooks_of(session));
}

static void function_detach(struct kt_enabled *enabled)
{
	hooks_detach(enabled->state, moment_of(enabled->event));
}

static const char *const misses[] = {
	[MISS_RECURSION] = "recursion", [MISS_NODE] = "node",
	[MISS_IDLE] = "idle",		[MISS_NMI] = "nmi",
	[MISS_STACK] = "stack",		[MISS_SLEEP] = "sleep",
	[MISS_TASK] = "task",		NULL,
};

static const char *const uncaptured[] = {
	[UNCAPTURED_OPEN - MISSES] = "open",
	[UNCAPTURED_NESTED - MISSES] = "nested",
	NULL,
};

static u64 function_missed(const void *state, unsigned int reason)
{
	const struct hooks *hooks = state;
	unsigned int cpu;
	u64 sum = 0;

	if (!hooks->misses)
		return 0;
	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(hooks->misses, cpu)[reason]);
	return sum;
}

static u64 function_uncaptured(const void *state, unsigned int reason)
{
	return function_missed(state, MISSES + reason);
}

static bool function_state_end(void *state)
{
	struct hooks *hooks = state;

	if (!hooks->misses)
		return true;
	choices_drop(&hooks->choices);
	return hooks_end(hooks);
}

/* ---- modules -------------------------------------------------------------- */

static int modules_notify(struct notifier_block *block, unsigned long action,
			  void *data)
{
	struct kt_session *session;
	struct hooks *hooks;

	mutex_lock(&kt_mutex);
	list_for_each_entry(session, &kt_sessions, node) {
		hooks = hooks_of(session);
		if (!hooks)
			continue;
		if (action == MODULE_STATE_COMING)
			choices_module(hooks, data);
		else if (action == MODULE_STATE_LIVE)
			hooks_forget(hooks, data, true);
		else if (action == MODULE_STATE_GOING)
			hooks_forget(hooks, data, false);
	}
	mutex_unlock(&kt_mutex);
	return NOTIFY_OK;
}

static struct notifier_block notifier = {
	.notifier_call = modules_notify,
};

/* ---- sleep ---------------------------------------------------------------- */

/*
 * On the way into firmware are calls that never return: the machine wakes up further out in
 * the stack.  Their nodes would be taken for those of the calls around them.
 */
static int sleep_notify(struct notifier_block *block, unsigned long event,
			void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		static_branch_enable(&call_sleeping);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		static_branch_disable(&call_sleeping);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block sleep_notifier = {
	.notifier_call = sleep_notify,
};

/* ---- what there is -------------------------------------------------------- */

static struct kt_source function_source = {
	.name = "function",
	.owner = THIS_MODULE,
	.root_files = function_root_files,
	.session_files = function_session_files,
	.state_size = sizeof(struct hooks),
	.state_end = function_state_end,
	.unsupported = function_unsupported,
	.attach = function_attach,
	.commit = function_commit,
	.detach = function_detach,
	.synchronize = functions_synchronize,
	.missed = function_missed,
	.misses = misses,
	.uncaptured = function_uncaptured,
	.uncaptured_reasons = uncaptured,
	.explicit = true,
	.hooks_code = true,
};

#define FUNCTION(moment, _system, _name)    \
	[moment] = {                        \
		.system = _system,          \
		.name = _name,              \
		.class = &classes[moment],  \
		.source = &function_source, \
		.owner = THIS_MODULE,       \
	}

static struct kt_event events[MOMENTS] = {
	FUNCTION(ENTRY, "function", "entry"),
	FUNCTION(EXIT, "function", "exit"),
	FUNCTION(CALL, "call", "function"),
};

static struct kt_event *const list[] = {&events[ENTRY], &events[EXIT],
					&events[CALL]};

static struct kt_event_set set = {
	.owner = THIS_MODULE,
	.events = list,
	.nr_events = ARRAY_SIZE(list),
};

static int __init functions_init(void)
{
	int err;

	ftrace_on = (const int *)kt_symbol("ftrace_enabled");
	reason = hooks_init(&function_source) ?: available_init() ?: choose_init();
	if (reason) {
		pr_err("ktrace: functions cannot be hooked: %s\n", reason);
		return -EOPNOTSUPP;
	}
	direct_init();
	kt_source_register(&function_source);
	err = kt_events_register(&set);
	if (err)
		goto err_source;
	err = register_module_notifier(&notifier);
	if (err)
		goto err_events;
	err = register_pm_notifier(&sleep_notifier);
	if (err)
		goto err_notifier;
	return 0;

err_notifier:
	unregister_module_notifier(&notifier);
err_events:
	kt_events_unregister(&set);
err_source:
	kt_source_unregister(&function_source);
	direct_exit();
	return err;
}

static void __exit functions_exit(void)
{
	unregister_pm_notifier(&sleep_notifier);
	unregister_module_notifier(&notifier);
	kt_events_unregister(&set);
	kt_source_unregister(&function_source);
	direct_exit();
	available_exit();
}

module_init(functions_init);
module_exit(functions_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Events of the kernel's functions, for ktrace");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
