// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which functions a session hooks: what its lines (choice.h) mean, of those that can be hooked
 * (available.h).
 */
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "base/symbol.h"
#include "captured.h"
#include "choice.h"
#include "choose.h"
#include "hooks.h"
#include "session/access.h"
#include "session/session.h"
#include "available.h"

/* A walk over the symbols that adds what is chosen to a session. */
struct scan {
	struct hooks *hooks;
	const struct choices *choices;
	const struct module *only; /* NULL: all */
	u32 number;		   /* of the next symbol */
	int err;
};

DEFINE_STATIC_CALL_NULL(find_module, find_module);

const char *choose_init(void)
{
	unsigned long find = kt_symbol("find_module");

	if (!find)
		return "the kernel has no find_module";
	static_call_update(find_module, (void *)find);
	return NULL;
}

/* ---- what lines mean ------------------------------------------------------ */

/* In the table; but its records may not be what is asked for.  The function, or its heir. */
static struct function *function_choose(struct functions *functions,
					struct function *function,
					const struct function_choice *choice)
{
	struct function *heir;

	while (function->heir)
		function = function->heir;
	if (!choice->on) {
		/* Hooks that are under way ask what was chosen before. */
		function->next = function->choice;
		function->next.on = false;
		return function;
	}
	if (!function_is_recorded(choice) ||
	    (choice->words == function->choice.words &&
	     choice->program == function->choice.program)) {
		function->next = *choice;
		function->next.words = function->choice.words;
		function->next.program = function->choice.program;
		return function;
	}
	heir = function_add(functions, function->ip, function->address,
			    function->name, function->module, choice, true);
	if (IS_ERR(heir))
		return heir;
	function->heir = heir;
	function->next.on = false;
	return heir;
}

/*
 * Somebody has looked at what the arguments of a function are.  This is another one if the
 * name occurs twice, and may be if its module came later.
 */
static void function_doubt(const struct scan *scan, struct choice *choice,
			   struct function *function)
{
	if (!choice->first)
		choice->first = function;
	if (!scan->only && choice->first == function)
		return;
	choice->first->next.direct = false;
	function->next.direct = false;
}

static void scan_visit(void *data, const char *name, unsigned long address)
{
	struct scan *scan = data;
	struct functions *functions = &scan->hooks->functions;
	u32 number = scan->number++;
	char room[MODULE_NAME_LEN];
	struct function *function;
	struct choice *choice;
	const char *module;
	unsigned long ip;

	if (scan->err)
		return;
	cond_resched();
	/* A module comes whether or not somebody wants to stop who loads it. */
	if (!scan->only && fatal_signal_pending(current))
		scan->err = -EINTR;
	if (scan->err || !choices_mean_name(scan->choices, name))
		return;
	if (scan->only && !within_module_core(address, scan->only))
		return;
	ip = available_at(number, address);
	if (!ip)
		return;
	module = kt_symbol_module(address, room);
	choice = choice_for(scan->choices, name, module);
	if (!choice)
		return;
	function = function_find(functions, ip, false);
	if (function)
		function = function_choose(functions, function, &choice->what);
	else if (choice->what.on)
		function = function_add(functions, ip, address, name, module,
					&choice->what, false);
	else
		return;
	if (IS_ERR(function))
		scan->err = PTR_ERR(function);
	else
		function_doubt(scan, choice, function);
}

/* All functions that are meant: in the table, with what becomes of them. */
static int scan_run(struct hooks *hooks, const struct choices *choices,
		    const struct module *only)
{
	struct scan scan = {hooks, choices, only};
	struct choice *choice;
	int err;

	if (!choices->nr)
		return 0;
	list_for_each_entry(choice, &choices->all, node)
		choice->first = NULL;
	err = kt_symbols_each(scan_visit, &scan, only);
	if (err)
		return kt_refuse(hooks->session, err,
				 "the kernel does not tell its symbols");
	if (scan.err)
		return kt_refuse(hooks->session, scan.err,
				 scan.err == -EINTR ? "interrupted"
				 : scan.err == -ENOSPC
					 ? "the session has had too many "
					   "functions: close it"
					 : "no memory");
	return 0;
}

/* ---- changes -------------------------------------------------------------- */

/* A later line may have taken the functions of an earlier one. */
static u8 functions_ask(const struct functions *functions)
{
	const struct function *function;
	u32 i;

	for (i = 0; i < functions->nr; i++) {
		function = functions->all[i];
		if ((function->choice.on &&
		     function->choice.role == FUNCTION_AROUND) ||
		    (function->next.on &&
		     function->next.role == FUNCTION_AROUND))
			return ASKS_AROUND;
	}
	return 0;
}

/* Before functions of @choices are hooked. */
static int asking_begin(struct hooks *hooks, const struct choices *choices)
{
	u8 asks = choices_asks(choices) | functions_ask(&hooks->functions);
	int err = asks & ASKS_SCOPE ? scope_make(&hooks->scope) : 0;

	if (!err) {
		hooks_ask(hooks, hooks->asks | asks);
		return 0;
	}
	return kt_refuse(hooks->session, err,
			 err == -ENOMEM ? "no memory"
					: "the kernel does not say when tasks "
					  "end");
}

/* When it has become clear which choices there are. */
static void asking_end(struct hooks *hooks)
{
	hooks_ask(hooks, choices_asks(&hooks->choices) |
				 functions_ask(&hooks->functions));
}

/* How many there were before a change. */
struct before {
	u32 functions;
	u32 programs;
	u32 conditions;
};

static struct before before_of(const struct hooks *hooks)
{
	return (struct before){hooks->functions.nr, hooks->programs.nr,
			       hooks->conditions.nr};
}

/*
 * The change takes place, or nothing of it.  If new functions were hooked for a moment, calls
 * of them may be open, and in the buffers.
 */
static int change_make(struct hooks *hooks, struct before before, int err)
{
	struct functions *functions = &hooks->functions;
	u32 i;

	if (err) {
		functions_cut(functions, before.functions);
		programs_cut(&hooks->programs, before.programs);
		conditions_cut(&hooks->conditions, before.conditions);
	} else {
		err = hooks_update(hooks);
		if (!err)
			return 0;
		for (i = before.functions; i < functions->nr; i++)
			function_end(functions->all[i]);
	}
	for (i = 0; i < functions->nr; i++) {
		functions->all[i]->next = functions->all[i]->choice;
		functions->all[i]->heir = NULL;
	}
	return err;
}

void choices_module(struct hooks *hooks, const struct module *module)
{
	const struct before before = before_of(hooks);
	int err = scan_run(hooks, &hooks->choices, module);

	/* Most modules have none that is meant. */
	if (!err && hooks->functions.nr == before.functions)
		return;
	if (change_make(hooks, before, err))
		pr_warn("ktrace: functions of %s are not hooked: %s\n",
			module->name, hooks->session->reason);
}

static bool module_there(const char *name)
{
	bool found;

	preempt_disable();
	found = static_call(find_module)(name);
	preempt_enable();
	return found;
}

/* Nothing is meant by it now.  May it wait for its module? */
static int choice_check(struct kt_session *session, const struct choice *choice)
{
	const char *module = choice->module;

	if (choice->matched)
		return 0;
	/* A pattern counts for modules that are loaded later, too. */
	if (!choice->what.on && choice->is_pattern)
		return 0;
	if (choice->what.on && module && strcmp(module, "vmlinux") &&
	    !module_there(module))
		return 0;
	return kt_refuse(session, -ENOENT,
			 "no function \"%s%s%.60s\" can be hooked: see "
			 "available_functions",
			 module ?: "", module ? ":" : "", choice->name);
}

int choices_forget(struct hooks *hooks)
{
	int err;
	u32 i;

	for (i = 0; i < hooks->functions.nr; i++)
		hooks->functions.all[i]->next.on = false;
	err = change_make(hooks, before_of(hooks), 0);
	if (!err)
		choices_drop(&hooks->choices);
	asking_end(hooks);
	return err;
}

int choices_write(struct hooks *hooks, char *text)
{
	const struct before before = before_of(hooks);
	struct choices choices;
	struct choice *choice;
	int err;

	choices_begin(&choices, &hooks->choices);
	err = kt_access_kernel(hooks->session);
	err = err ?: choices_parse(&choices, hooks, text);
	err = err ?: choices_fit(&hooks->choices, hooks->session, &choices);
	err = err ?: scan_run(hooks, &choices, NULL);
	list_for_each_entry(choice, &choices.all, node)
		err = err ?: choice_check(hooks->session, choice);
	if (!err && hooks->hit[CALL])
		err = captured_prepare(hooks, &choices);
	err = err ?: asking_begin(hooks, &choices);
	err = change_make(hooks, before, err);
	if (!err)
		choices_add(&hooks->choices, &choices);
	asking_end(hooks);
	choices_drop(&choices);
	return err;
}
