// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks of a session: what runs at a call and at its return, and where it is hooked.
 *
 * A session has one ftrace_ops, whose filter is the set of its functions; ftrace calls it
 * by a trampoline of its own at each of them, and patches no-ops into all others.
 * Returns are hooked by rethook (returns.h).  If returns are wanted and no node is left for
 * a call, its entry is not recorded either.  So
 *
 *	entries = exits + calls that are open + missed returns
 *
 * for calls that began after both were attached.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/trace_recursion.h>

#include "base/symbol.h"
#include "call.h"
#include "hooks.h"
#include "returns.h"
#include "session/session.h"
#include "session/sources.h"

static struct kt_source *source;

/* ---- hooks ---------------------------------------------------------------- */

/* With preemption off. */
static __always_inline void function_entered(struct hooks *hooks,
					     unsigned long ip,
					     struct pt_regs *regs)
{
	struct function *function = function_find(&hooks->functions, ip);
	struct call plan __kt_uninitialized, *call = NULL;

	/* It has just been taken out of the table: its module goes. */
	if (unlikely(!function))
		return;
	switch (call_plan(hooks, function, regs, &plan)) {
	case CALL_IGNORED:
		return;
	case CALL_KEPT:
		call = returns_hook(hooks->returns, regs);
		if (unlikely(!call)) {
			call_left(hooks, &plan);
			call_miss(hooks, MISS_NODE);
			return;
		}
		call_keep(hooks, call, &plan, regs);
		break;
	case CALL_NOTED:
		break;
	}
	call_entered(hooks, function, regs, call);
}

static void function_hit(unsigned long ip, unsigned long caller,
			 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct hooks *hooks = container_of(ops, struct hooks, ops);
	int bit = ftrace_test_recursion_trylock(ip, caller);
	u8 context;

	if (unlikely(bit < 0)) {
		call_miss(hooks, MISS_RECURSION);
		return;
	}
	/* Gates and the table live as long as RCU sees us. */
	if (unlikely(!rcu_is_watching())) {
		call_miss(hooks, MISS_IDLE);
	} else if (unlikely(!call_hook_begin(&context))) {
		call_miss(hooks, MISS_RECURSION);
	} else {
		function_entered(hooks, ip, kt_function_registers(fregs));
		call_hook_end(context);
	}
	ftrace_test_recursion_unlock(bit);
}

/* With preemption off. */
static KT_RETHOOK_HANDLER(function_returned, node, data, address, regs)
{
	const struct call *call =
		&container_of(node, struct hooked, node)->call;
	struct hooks *hooks = data;
	u8 context;
	int bit;

	/* The function may have ended RCU's watch.  Then nothing here is kept for us. */
	if (unlikely(!rcu_is_watching()))
		return;
	call_left(hooks, call);
	bit = ftrace_test_recursion_trylock(call->function->address, 0);
	if (unlikely(bit < 0)) {
		call_miss(hooks, MISS_RETURN);
		return;
	}
	if (likely(call_hook_begin(&context))) {
		call_returned(hooks, call, regs->ax);
		call_hook_end(context);
	} else {
		call_miss(hooks, MISS_RETURN);
	}
	ftrace_test_recursion_unlock(bit);
}

/* ---- hooking -------------------------------------------------------------- */

DEFINE_STATIC_CALL_NULL(kt_ftrace_location, ftrace_location);

unsigned long function_location(unsigned long address)
{
	return static_call(kt_ftrace_location)(address);
}

struct hooks *hooks_make(struct kt_session *session)
{
	struct hooks *hooks = kt_source_state_make(session, source);

	if (!hooks || hooks->misses)
		return hooks;
	hooks->misses = __alloc_percpu(MISSES * sizeof(u64), sizeof(u64));
	if (!hooks->misses)
		return NULL;
	hooks->session = session;
	hooks->ops.func = function_hit;
	/* So that nobody can switch ftrace off below a session without being told. */
	hooks->ops.flags = FTRACE_OPS_FL_PERMANENT;
	INIT_LIST_HEAD(&hooks->choices);
	return hooks;
}

struct hooks *hooks_of(const struct kt_session *session)
{
	struct hooks *hooks = kt_source_state(session, source);

	return hooks && hooks->misses ? hooks : NULL;
}

/*
 * Where those that are to be hooked are; how many.  A module that was being initialised
 * when they were chosen may have given back the memory of some since then: ftrace has no
 * place there any more, and would refuse all.
 */
static u32 hooks_collect(struct hooks *hooks, unsigned long *ips)
{
	u32 i, nr = 0;

	for (i = 0; i < hooks->functions.nr; i++) {
		struct function *function = hooks->functions.all[i];

		if (!function->ip || !function->next.on)
			continue;
		if (function_location(function->ip) == function->ip) {
			ips[nr++] = function->ip;
		} else {
			WRITE_ONCE(function->ip, 0);
			function->next.on = false;
		}
	}
	return nr;
}

/* Is an event attached? */
static bool hooks_any(const struct hooks *hooks)
{
	return hooks->hit[ENTRY] || hooks->hit[EXIT] || hooks->hit[CALL];
}

/*
 * ftrace refuses if it has switched itself off for good, after a fault of the kernel's.
 * Then calls may lead to us for ever.
 */
static void hooks_unregister(struct hooks *hooks)
{
	int err =
		hooks->registered ? unregister_ftrace_function(&hooks->ops) : 0;

	hooks->registered = false;
	if (!err)
		return;
	pr_err("ktrace: ftrace does not take hooks away (error %d): they stay, unused\n",
	       err);
	hooks->stuck = true;
	__module_get(THIS_MODULE);
}

/* An empty filter would be all functions. */
static int hooks_register(struct hooks *hooks, unsigned long *ips, u32 nr)
{
	int err;

	if (!nr || !hooks_any(hooks)) {
		hooks_unregister(hooks);
		return 0;
	}
	err = ftrace_set_filter_ips(&hooks->ops, ips, nr, 0, 1);
	if (err || hooks->registered)
		return err;
	err = register_ftrace_function(&hooks->ops);
	hooks->registered = !err;
	return err;
}

int hooks_update(struct hooks *hooks)
{
	struct functions *functions = &hooks->functions;
	unsigned long *ips;
	u32 i, nr;
	int err;

	lockdep_assert_held(&kt_mutex);
	ips = kvmalloc_array(max(functions->nr, 1u), sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return kt_refuse(hooks->session, -ENOMEM, "no memory");
	/* Their first calls come before all are hooked. */
	for (i = 0; i < functions->nr; i++) {
		struct function *function = functions->all[i];

		if (!function->choice.on && function->next.on) {
			function->choice.role = function->next.role;
			function->choice.result = function->next.result;
		}
	}
	nr = hooks_collect(hooks, ips);
	err = hooks_register(hooks, ips, nr);
	kvfree(ips);
	if (err)
		return kt_refuse(hooks->session, err,
				 "the kernel does not let us hook these %u "
				 "functions: error %d",
				 nr, err);
	for (i = 0; i < functions->nr; i++) {
		struct function *function = functions->all[i];

		function->choice = function->next;
		if (function->heir)
			WRITE_ONCE(function->ip, 0);
		function->heir = NULL;
	}
	return 0;
}

int hooks_attach(struct hooks *hooks, enum moment moment,
		 struct kt_enabled *enabled, unsigned int calls)
{
	/* Entries alone need it, too, if there is a scope. */
	if (!hooks_any(hooks)) {
		hooks->returns = returns_make(hooks, function_returned,
					      clamp(calls, 1u, 1u << 20));
		if (!hooks->returns)
			return kt_refuse(hooks->session, -ENOMEM,
					 "no memory for %u open calls", calls);
		scope_clear(&hooks->scope);
	}
	smp_store_release(&hooks->hit[moment], enabled);
	return 0;
}

void hooks_detach(struct hooks *hooks, enum moment moment)
{
	WRITE_ONCE(hooks->hit[moment], NULL);
	if (hooks_any(hooks))
		return;
	hooks_unregister(hooks);
	/* A hook that saw it attached finds no node any more; it is freed after RCU. */
	returns_free(hooks->returns);
}

static bool is_of(const struct function *function, const struct module *module,
		  bool init)
{
	return function->ip && (init ? within_module_init(function->ip, module)
				     : within_module(function->ip, module));
}

void hooks_forget(struct hooks *hooks, const struct module *module, bool init)
{
	bool any = false;
	u32 i;

	for (i = 0; i < hooks->functions.nr; i++) {
		struct function *function = hooks->functions.all[i];

		if (!is_of(function, module, init))
			continue;
		WRITE_ONCE(function->ip, 0);
		function->next.on = false;
		any = true;
	}
	if (any && hooks_update(hooks))
		pr_warn("ktrace: functions of %s stay hooked\n", module->name);
}

bool hooks_end(struct hooks *hooks)
{
	if (hooks->stuck)
		return false;
	ftrace_free_filter(&hooks->ops);
	scope_free(&hooks->scope);
	functions_free(&hooks->functions);
	programs_free(&hooks->programs);
	free_percpu(hooks->misses);
	return true;
}

const char *hooks_init(struct kt_source *functions)
{
	unsigned long address = kt_symbol("ftrace_location");

	source = functions;
	if (!address)
		return "the kernel has no ftrace_location";
	static_call_update(kt_ftrace_location, (void *)address);
	return returns_init() ?: call_init();
}
