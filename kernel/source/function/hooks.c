// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hooks of a session: what runs at a call and at its return, and where it is hooked.
 *
 * A session has two ftrace_ops, whose filters are the sets of its functions; ftrace patches
 * calls into these, and no-ops into all others.  There are two ways:
 *
 *	DIRECT	The function calls our trampoline (direct.h), which hooks its return, too.
 *		It is for functions of which user space says that all arguments are in
 *		registers, and used where no one else hooks the function.  Otherwise ftrace
 *		makes it the other way by itself.
 *	FTRACE	ftrace calls function_hit() by a trampoline of its own.  Returns are hooked
 *		by rethook (base/rethook.h).
 *
 * If returns are wanted and the return of a call cannot be hooked, its entry
 * is not recorded either.  So
 *
 *	entries = exits + calls that are open
 *
 * for calls that began after both were attached.
 */
#include <linux/cc_platform.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>

#include "base/rethook.h"
#include "base/symbol.h"
#include "call.h"
#include "captured.h"
#include "direct.h"
#include "hooks.h"
#include "returns.h"
#include "session/session.h"
#include "session/sources.h"

static struct kt_source *source;

/* ---- hooks ---------------------------------------------------------------- */

/* Until it returns.  NULL: no node is left. */
static __always_inline struct call *keep(struct hooks *hooks,
					 struct pt_regs *regs,
					 const struct call *plan)
{
	struct hooked *hooked = returns_hook(hooks->returns, regs);

	if (unlikely(!hooked))
		return NULL;
	call_keep_untimed(&hooked->call, plan);
	return &hooked->call;
}

/* The same for the event of whole calls. */
static __always_inline struct call *keep_whole(struct hooks *hooks,
					       struct pt_regs *regs,
					       const struct call *plan)
{
	const struct call_words words = {(const u64 *)regs, regs->sp, 1};
	struct hooked *hooked;

	if (unlikely(READ_ONCE(plan->function->choice.program)))
		return captured_keep(hooks, regs, plan);
	hooked = returns_hook(hooks->returns, regs);
	if (unlikely(!hooked))
		return NULL;
	call_keep_untimed(&hooked->call, plan);
	call_words_store(hooked->words, words,
			 READ_ONCE(plan->function->choice.words));
	call_time(&hooked->call);
	return &hooked->call;
}

/* With preemption off. */
static __always_inline void function_entered(struct hooks *hooks,
					     unsigned long ip,
					     struct pt_regs *regs)
{
	struct function *function = function_find(&hooks->functions, ip, false);
	const struct call_words words = {(const u64 *)regs, regs->sp, 1};
	struct call plan __kt_uninitialized, *call = NULL;

	/* It has just been taken out of the table: its module goes. */
	if (unlikely(!function))
		return;
	switch (call_plan(hooks, function, words, &plan)) {
	case CALL_IGNORED:
		return;
	case CALL_KEPT:
		call = unlikely(READ_ONCE(hooks->hit[CALL]))
			       ? keep_whole(hooks, regs, &plan)
			       : keep(hooks, regs, &plan);
		if (unlikely(!call)) {
			call_left(hooks, &plan);
			call_miss(hooks, MISS_NODE);
			return;
		}
		break;
	case CALL_NOTED:
		break;
	}
	call_entered(hooks, function, words, call);
}

/*
 * Most calls, as direct.c's entered_plain(): entry and exit are recorded, of all processes.  False:
 * it is none of them, and nothing has happened.
 */
static __always_inline bool entered_plain(struct hooks *hooks, unsigned long ip,
					  struct pt_regs *regs)
{
	const struct call_words words = {(const u64 *)regs, regs->sp, 1};
	const struct function_program *program;
	const struct function *function;
	struct kt_enabled *entry;
	struct hooked *hooked;
	u8 before;

	/* The table lives as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching()))
		return false;
	function = function_first(&hooks->functions, ip);
	if (unlikely(READ_ONCE(function->ip) != ip) ||
	    static_branch_unlikely(&call_sleeping) || unlikely(in_nmi()) ||
	    unlikely(!call_hook_begin(&before)))
		return false;
	hooked = returns_hook(hooks->returns, regs);
	if (likely(hooked)) {
		call_keep_plain(&hooked->call, function);
		entry = READ_ONCE(hooks->plain[ENTRY]);
		program = READ_ONCE(function->choice.program);
		if (unlikely(program))
			call_entry_program(entry, function, program, words);
		else
			call_entry_write(entry, function, words);
	} else {
		call_miss(hooks, MISS_NODE);
	}
	call_hook_end(before);
	return true;
}

static __always_inline void function_hit_guarded(struct hooks *hooks,
						 unsigned long ip,
						 struct pt_regs *regs)
{
	u8 before;

	if (unlikely(!call_hook_begin(&before))) {
		call_miss(hooks, MISS_RECURSION);
		return;
	}
	function_entered(hooks, ip, regs);
	call_hook_end(before);
}

/* The two below are called with preemption off, and switch it on. */

static noinline __kprobes void function_hit_any(struct hooks *hooks,
						unsigned long ip,
						struct pt_regs *regs)
{
	/* Gates and the table live as long as RCU sees us. */
	if (unlikely(!kt_rcu_is_watching()))
		call_miss(hooks, MISS_IDLE);
	else if (!call_is_outside(hooks, ip, false))
		function_hit_guarded(hooks, ip, regs);
	preempt_enable_notrace();
}

/* Of its own, so that others need not save the registers that this takes. */
static noinline __kprobes void function_hit_plain(struct hooks *hooks,
						  unsigned long ip,
						  struct pt_regs *regs)
{
	if (unlikely(!entered_plain(hooks, ip, regs)))
		function_hit_any(hooks, ip, regs);
	else
		preempt_enable_notrace();
}

static __kprobes void function_hit(unsigned long ip, unsigned long caller,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	struct hooks *hooks = container_of(ops, struct hooks_ops, ops)->hooks;
	struct pt_regs *regs = kt_function_registers(fregs);
	const struct kt_enabled *exit;

	preempt_disable_notrace();
	/* Before hooks->returns, which is made before it. */
	exit = smp_load_acquire(&hooks->plain[EXIT]);
	/* If only some processes are recorded, most calls would go there in vain. */
	if (exit && kt_write_is_direct(exit))
		function_hit_plain(hooks, ip, regs);
	else
		function_hit_any(hooks, ip, regs);
}

/* Most returns, as direct.c's returned().  False: nothing has happened. */
static __always_inline bool returned_plain(struct hooks *hooks,
					   const struct call *call, u64 result)
{
	struct kt_enabled *exit = READ_ONCE(hooks->plain[EXIT]);
	struct kt_write write __kt_uninitialized;
	bool last;

	if (unlikely(!exit) || unlikely(call->fate != SCOPE_OUT) ||
	    unlikely(!call_exit_try(exit, call->function, result, &write,
				    &last)))
		return false;
	if (unlikely(last))
		call_complete(write.ring, kt_record_packet(&write.record));
	return true;
}

static noinline void returned_slow(struct hooks *hooks, struct hooked *hooked,
				   u64 result)
{
	/* The function may have ended RCU's watch.  Then nothing here is kept for us. */
	if (unlikely(!kt_rcu_is_watching()))
		return;
	call_left(hooks, &hooked->call);
	call_returned(hooks, &hooked->call, hooked->words, result,
		      &hooked->whole, (struct call_place){&hooked->node, 0});
}

/* With preemption off. */
static __kprobes KT_RETHOOK_HANDLER(function_returned, node, data, address,
				    regs)
{
	struct hooked *hooked = container_of(node, struct hooked, node);

	if (unlikely(!returned_plain(data, &hooked->call, regs->ax)))
		returned_slow(data, hooked, regs->ax);
}

/* ---- hooking -------------------------------------------------------------- */

DEFINE_STATIC_CALL_NULL(ftrace_place, ftrace_location_range);

/*
 * ftrace's place is the first instruction, or the second one, behind a landing pad (IBT).  In the
 * second case the symbol must be longer than the pad: some symbols only mark the end of what lies
 * in front of a function.
 *
 * ftrace_location() would look up the symbol of all that is not ftrace's, too.  In a module
 * this is a search through all symbols.
 */
unsigned long function_location(unsigned long address)
{
	const unsigned long pad = 4;
	unsigned long ip = static_call(ftrace_place)(address, address + pad);

	if (ip && ip != address && ip - address >= kt_symbol_size(address))
		return 0;
	return ip;
}

struct hooks *hooks_make(struct kt_session *session)
{
	struct hooks *hooks = kt_source_state_make(session, source);
	enum way way;

	if (!hooks || hooks->misses)
		return hooks;
	hooks->misses = __alloc_percpu(MISSES_ALL * sizeof(u64), sizeof(u64));
	if (!hooks->misses)
		return NULL;
	hooks->session = session;
	functions_begin(&hooks->functions);
	for (way = 0; way < WAYS; way++) {
		hooks->ways[way].hooks = hooks;
		hooks->ways[way].ops.func = function_hit;
		/* So that nobody can switch ftrace off below a session without being told. */
		hooks->ways[way].ops.flags = FTRACE_OPS_FL_PERMANENT;
	}
	choices_begin(&hooks->choices, NULL);
	conditions_begin(&hooks->conditions);
	return hooks;
}

struct hooks *hooks_of(const struct kt_session *session)
{
	struct hooks *hooks = kt_source_state(session, source);

	return hooks && hooks->misses ? hooks : NULL;
}

/* Is an event attached? */
static bool hooks_any(const struct hooks *hooks)
{
	return hooks->hit[ENTRY] || hooks->hit[EXIT] || hooks->hit[CALL];
}

/*
 * A module that was being initialised when functions of it were chosen may have given back
 * their memory since then: ftrace has no place there any more, and would refuse all.
 */
static void hooks_drop_gone(struct functions *functions)
{
	u32 i;

	for (i = 0; i < functions->nr; i++) {
		struct function *function = functions->all[i];

		if (!function->ip || !function->next.on ||
		    function_location(function->ip) == function->ip)
			continue;
		function_end(function);
		function->choice.on = false;
	}
}

/* Sets of functions. */
enum set {
	BEFORE, /* those that were hooked before a change */
	KEPT,	/* those of them that stay, and their way as well */
	AFTER,	/* those that are to be hooked */
};

/* Programs want registers as ftrace has them, and words of the stack are elsewhere. */
static bool fits_direct(const struct function *function)
{
	return !function->next.program &&
	       function->next.words <= FUNCTION_WORDS;
}

/* They begin with the registers of the function, and a trampoline keeps only some of them. */
static bool hooks_take_stacks(const struct hooks *hooks)
{
	const struct kt_enabled *entry = hooks->hit[ENTRY];

	return entry && call_takes_stack(entry);
}

static enum way way_next(const struct hooks *hooks,
			 const struct function *function)
{
	return function->next.direct && fits_direct(function) &&
			       hooks->trampoline && !hooks_take_stacks(hooks)
		       ? DIRECT
		       : FTRACE;
}

/* Which takes its place. */
static const struct function *function_heir(const struct function *function)
{
	while (function->heir)
		function = function->heir;
	return function;
}

static bool set_has(const struct hooks *hooks, const struct function *function,
		    enum set set, enum way way)
{
	bool before = function->choice.on && function->way == way;

	if (set == BEFORE)
		return before;
	if (set == KEPT) {
		if (!before)
			return false;
		function = function_heir(function);
	}
	return function->next.on && way_next(hooks, function) == way;
}

/* Is there a function that stays, or its heir, but not its way? */
static bool hooks_move(const struct hooks *hooks)
{
	const struct function *heir;
	u32 i;

	for (i = 0; i < hooks->functions.nr; i++) {
		const struct function *function = hooks->functions.all[i];

		if (!function->choice.on || function->way == UNHOOKED)
			continue;
		heir = function_heir(function);
		if (heir->next.on && function->way != way_next(hooks, heir))
			return true;
	}
	return false;
}

/*
 * ftrace refuses if it has switched itself off for good, after a fault of the kernel's.
 * Then calls may lead to us for ever.
 */
static void ops_unregister(struct hooks_ops *way)
{
	int err = way->registered ? unregister_ftrace_function(&way->ops) : 0;

	way->registered = false;
	if (!err)
		return;
	pr_err("ktrace: ftrace does not take hooks away (error %d): they stay, unused\n",
	       err);
	way->hooks->stuck = true;
	__module_get(THIS_MODULE);
}

/* An empty filter would be all functions. */
static int ops_register(struct hooks_ops *way, unsigned long *ips, u32 nr)
{
	int err;

	if (!nr) {
		ops_unregister(way);
		return 0;
	}
	err = ftrace_set_filter_ips(&way->ops, ips, nr, 0, 1);
	if (err || way->registered)
		return err;
	err = register_ftrace_function(&way->ops);
	way->registered = !err;
	return err;
}

/* Without a trampoline of ours, ftrace would make one, and take ours for its own later. */
static void hooks_unregister(struct hooks *hooks)
{
	enum way way;
	u32 i;

	for (way = 0; way < WAYS; way++)
		ops_unregister(&hooks->ways[way]);
	for (i = 0; i < hooks->functions.nr; i++)
		hooks->functions.all[i]->way = UNHOOKED;
	if (hooks->stuck)
		return;
	direct_give(hooks);
	hooks->ways[DIRECT].ops.trampoline = 0;
}

static bool hooks_want_trampoline(const struct hooks *hooks)
{
	u32 i;

	for (i = 0; i < hooks->functions.nr; i++) {
		const struct function *function = hooks->functions.all[i];

		if (function->ip && function->next.on &&
		    function->next.direct && !hooks_take_stacks(hooks))
			return true;
	}
	return false;
}

/* The trampolines first: see hooks_register(). */
static int hooks_set(struct hooks *hooks, enum set set, unsigned long *ips)
{
	enum way way;
	int err = 0;
	u32 i, nr;

	for (way = 0; way < WAYS && !err; way++) {
		for (i = nr = 0; i < hooks->functions.nr; i++) {
			const struct function *function =
				hooks->functions.all[i];

			if (function->ip && set_has(hooks, function, set, way))
				ips[nr++] = function->ip;
		}
		err = ops_register(&hooks->ways[way], ips, nr);
	}
	return err;
}

/*
 * All that is chosen (next), or what was hooked before.  A function that goes from one way to
 * the other is not hooked in between: both would record its calls.
 */
static int hooks_register(struct hooks *hooks, unsigned long *ips)
{
	int err = 0;

	if (!hooks_any(hooks)) {
		hooks_unregister(hooks);
		return 0;
	}
	if (hooks_want_trampoline(hooks))
		hooks->ways[DIRECT].ops.trampoline = direct_take(hooks);
	if (hooks_move(hooks))
		err = hooks_set(hooks, KEPT, ips);
	err = err ?: hooks_set(hooks, AFTER, ips);
	if (!err)
		return 0;
	if (!hooks_set(hooks, BEFORE, ips))
		return kt_refuse(hooks->session, err,
				 "the kernel does not let us hook these "
				 "functions: error %d",
				 err);
	hooks_unregister(hooks);
	return kt_refuse(hooks->session, err,
			 "the kernel does not let us hook these functions "
			 "(error %d), nor those of before: now none is hooked",
			 err);
}

int hooks_update(struct hooks *hooks)
{
	struct functions *functions = &hooks->functions;
	unsigned long *ips;
	int err;
	u32 i;

	lockdep_assert_held(&kt_mutex);
	ips = kvmalloc_array(max(functions->nr, 1u), sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return kt_refuse(hooks->session, -ENOMEM, "no memory");
	hooks_drop_gone(functions);
	/*
	 * Their first calls come before all are hooked.  From here on functions that are new are
	 * called, so they stay in the table.
	 */
	for (i = 0; i < functions->nr; i++) {
		struct function *function = functions->all[i];

		if (function->next.on && fits_direct(function))
			WRITE_ONCE(function->direct_ip, function->ip);
		if (!function->choice.on && function->next.on) {
			function->choice.role = function->next.role;
			function->choice.result = function->next.result;
			function->choice.condition = function->next.condition;
		}
	}
	err = hooks_register(hooks, ips);
	kvfree(ips);
	if (err)
		return err;
	for (i = 0; i < functions->nr; i++) {
		struct function *function = functions->all[i];

		function->way =
			hooks_any(hooks) ? way_next(hooks, function) : UNHOOKED;
		if (function->heir)
			function_inherit(functions, function);
		function->choice = function->next;
	}
	return 0;
}

/*
 * If nothing is to be asked first, the clock is read before the hook says that it runs.  In a
 * guest whose state is encrypted that may be an exception, whose handler's functions are
 * hooked.
 */
static bool is_plain(const struct hooks *hooks,
		     const struct kt_enabled *enabled)
{
	return enabled && !cc_platform_has(CC_ATTR_GUEST_STATE_ENCRYPT) &&
	       enabled->id < KT_ID_EXTENDED && !enabled->capturing &&
	       !hooks->hit[CALL] && !hooks->asks;
}

/*
 * Whoever sees that of exits sees that of entries, too.  So the latter is never taken back:
 * a hook may be between the two.
 */
static void hooks_choose_paths(struct hooks *hooks)
{
	struct kt_enabled *entry = hooks->hit[ENTRY], *exit = hooks->hit[EXIT];
	bool plain = is_plain(hooks, entry);

	smp_store_release(&hooks->alone, plain && !exit ? entry : NULL);
	smp_store_release(&hooks->whole, entry || exit || hooks->asks
						 ? NULL
						 : hooks->hit[CALL]);
	plain = plain && is_plain(hooks, exit);
	if (plain)
		WRITE_ONCE(hooks->plain[ENTRY], entry);
	smp_store_release(&hooks->plain[EXIT], plain ? exit : NULL);
}

void hooks_ask(struct hooks *hooks, u8 asks)
{
	smp_store_release(&hooks->asks, asks);
	WRITE_ONCE(hooks->scope.around, asks & ASKS_AROUND);
	hooks_choose_paths(hooks);
}

int hooks_attach(struct hooks *hooks, enum moment moment,
		 struct kt_enabled *enabled, unsigned int calls)
{
	bool first = !hooks_any(hooks);
	int err;

	/* Entries alone need it, too, if there is a scope. */
	if (first) {
		hooks->returns = kt_rethook_make(hooks, function_returned,
						 sizeof(struct hooked),
						 clamp(calls, 1u, 1u << 20));
		if (!hooks->returns)
			return kt_refuse(hooks->session, -ENOMEM,
					 "no memory for %u open calls", calls);
	}
	err = moment == CALL ? captured_prepare(hooks, &hooks->choices) : 0;
	if (err && first)
		kt_rethook_free(hooks->returns);
	if (err)
		return err;
	if (first) {
		scope_clear(&hooks->scope);
		direct_begin(hooks);
	}
	smp_store_release(&hooks->hit[moment], enabled);
	hooks_choose_paths(hooks);
	return 0;
}

void hooks_detach(struct hooks *hooks, enum moment moment)
{
	WRITE_ONCE(hooks->hit[moment], NULL);
	hooks_choose_paths(hooks);
	if (hooks_any(hooks))
		return;
	hooks_unregister(hooks);
	/* A hook that saw it attached finds no node any more; it is freed after RCU. */
	kt_rethook_free(hooks->returns);
	captured_free(hooks);
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
		function_end(function);
		any = true;
	}
	if (any && hooks_update(hooks))
		pr_warn("ktrace: functions of %s stay hooked\n", module->name);
}

bool hooks_end(struct hooks *hooks)
{
	enum way way;

	if (hooks->stuck)
		return false;
	for (way = 0; way < WAYS; way++)
		ftrace_free_filter(&hooks->ways[way].ops);
	scope_free(&hooks->scope);
	functions_free(&hooks->functions);
	programs_free(&hooks->programs);
	conditions_cut(&hooks->conditions, 0);
	free_percpu(hooks->misses);
	return true;
}

const char *hooks_init(struct kt_source *functions)
{
	unsigned long address = kt_symbol("ftrace_location_range");

	source = functions;
	if (!address)
		return "the kernel has no ftrace_location_range";
	if (!kt_symbol("kallsyms_lookup_size_offset"))
		return "the kernel has no kallsyms_lookup_size_offset";
	static_call_update(ftrace_place, (void *)address);
	return kt_rethook_init() ?: call_init();
}
