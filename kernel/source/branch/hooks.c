// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tells who traces branches what happens to tasks: see hooks.h.
 *
 * The kernel has tracepoints for most of it.  For a return from a signal's handler and for what a
 * debugger does it has none, so there are kprobes on the functions that do it.
 */
#include <linux/errno.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>

#include "base/lock.h"
#include "compat/compat.h"
#include "event/tracepoints.h"
#include "hooks.h"

static const struct branch_hooks *told;

/* ---- tracepoints ---------------------------------------------------------- */

static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	kt_probe_enter();
	told->switches(prev, next);
	kt_probe_exit();
}

static void probe_fork(void *data, struct task_struct *parent,
		       struct task_struct *child)
{
	kt_probe_enter();
	told->forks(child);
	kt_probe_exit();
}

static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	kt_probe_enter();
	told->execs();
	kt_probe_exit();
}

static void probe_exit(void *data, struct task_struct *task KT_EXIT_MORE)
{
	kt_probe_enter();
	told->exits();
	kt_probe_exit();
}

static void probe_signal(void *data, int signal, struct kernel_siginfo *info,
			 struct k_sigaction *action)
{
	if (action->sa.sa_handler == SIG_IGN)
		return;
	kt_probe_enter();
	if (action->sa.sa_handler == SIG_DFL)
		told->defaults(signal);
	else
		told->signals();
	kt_probe_exit();
}

static struct kt_own_probe probes[] = {
	{"sched_switch", probe_switch, TRACEPOINT_DEFAULT_PRIO},
	{"sched_process_fork", probe_fork, TRACEPOINT_DEFAULT_PRIO},
	{"sched_process_exec", probe_exec, TRACEPOINT_DEFAULT_PRIO},
	{"sched_process_exit", probe_exit, TRACEPOINT_DEFAULT_PRIO},
	{"signal_deliver", probe_signal, TRACEPOINT_DEFAULT_PRIO},
};

/* Never called: it makes the compiler check the types of the probes. */
static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_process_fork(probe_fork);
	check_trace_callback_type_sched_process_exec(probe_exec);
	check_trace_callback_type_sched_process_exit(probe_exit);
	check_trace_callback_type_signal_deliver(probe_signal);
}

/* ---- functions ------------------------------------------------------------ */

static int enters_return(struct kprobe *probe, struct pt_regs *regs)
{
	told->returns();
	return 0;
}

static int enters_resume(struct kprobe *probe, struct pt_regs *regs)
{
	told->resumes((struct task_struct *)regs->di);
	return 0;
}

static struct function {
	struct kprobe probe;
	bool needed; /* the others exist if the kernel runs programs of 32 bits */
	bool is_on;
} functions[] = {
	{.probe = {.symbol_name = "__x64_sys_rt_sigreturn",
		   .pre_handler = enters_return},
	 .needed = true},
	{.probe = {.symbol_name = "__ia32_compat_sys_rt_sigreturn",
		   .pre_handler = enters_return}},
	{.probe = {.symbol_name = "__ia32_compat_sys_sigreturn",
		   .pre_handler = enters_return}},
	{.probe = {.symbol_name = "__ia32_sys_rt_sigreturn",
		   .pre_handler = enters_return}},
	{.probe = {.symbol_name = "__x64_compat_sys_x32_rt_sigreturn",
		   .pre_handler = enters_return}},
	{.probe = {.symbol_name = "user_disable_single_step",
		   .pre_handler = enters_resume},
	 .needed = true},
	{.probe = {.symbol_name = "user_enable_single_step",
		   .pre_handler = enters_resume},
	 .needed = true},
	{.probe = {.symbol_name = "user_enable_block_step",
		   .pre_handler = enters_resume}},
};

static void functions_detach(void)
{
	struct function *function;

	for (function = functions; function < functions + ARRAY_SIZE(functions);
	     function++) {
		if (function->is_on)
			unregister_kprobe(&function->probe);
		/* It keeps what it found, which must not be there the next time. */
		function->probe.addr = NULL;
		function->probe.flags = 0;
		function->is_on = false;
	}
}

static int functions_attach(void)
{
	struct function *function;
	int err;

	for (function = functions; function < functions + ARRAY_SIZE(functions);
	     function++) {
		err = register_kprobe(&function->probe);
		function->is_on = !err;
		if (err && (function->needed || err != -ENOENT)) {
			functions_detach();
			return err;
		}
	}
	return 0;
}

/* ---- stops of the processor ----------------------------------------------- */

static int stopped(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;

	if (!args->regs || !user_mode(args->regs))
		return NOTIFY_DONE;
	if (what == DIE_INT3)
		told->breaks(args->regs);
	else if (what == DIE_DEBUG &&
		 told->stops(args->regs, (unsigned long *)ERR_PTR(args->err)))
		return NOTIFY_STOP;
	return NOTIFY_DONE;
}

/* Before uprobes, which keep in mind whether a program is stepped already. */
static struct notifier_block stops = {
	.notifier_call = stopped,
	.priority = INT_MAX,
};

static void stops_detach(void)
{
	unregister_die_notifier(&stops);
	/* Its list is an atomic one, walked under RCU. */
	synchronize_rcu();
}

int branch_hooks_attach(const struct branch_hooks *hooks)
{
	int err;

	told = hooks;
	/* First and last: what the others tell may make the processor stop. */
	err = register_die_notifier(&stops);
	if (err)
		return err;
	err = functions_attach();
	if (err)
		goto err_stops;
	mutex_lock(&kt_mutex);
	err = kt_own_probes_attach(probes, ARRAY_SIZE(probes), NULL);
	mutex_unlock(&kt_mutex);
	if (err)
		goto err_functions;
	return 0;

err_functions:
	functions_detach();
err_stops:
	stops_detach();
	return err;
}

void branch_hooks_detach(void)
{
	mutex_lock(&kt_mutex);
	kt_own_probes_detach(probes, ARRAY_SIZE(probes), NULL);
	mutex_unlock(&kt_mutex);
	kt_tracepoints_synchronize();
	functions_detach();
	stops_detach();
}
