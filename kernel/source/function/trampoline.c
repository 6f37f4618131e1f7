// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trampolines: the shortest way from a function to a handler and back.
 *
 * ftrace makes a trampoline for each of its users, saves all registers there that a callback
 * might ask for, and can hook no return.  But a user may bring a trampoline of his own
 * (ftrace_ops.trampoline).  ftrace then patches a call to it into the functions of which he
 * is the only user; for all others, it calls his callback.  So nothing is to be done if
 * other tracers, kprobes, BPF programs or live patches use the same function.
 *
 * The way of a call.  The stack grows downwards:
 *
 *	          at the entry       in the function        at the return
 *	          ------------       ---------------        -------------
 *	          caller             caller                 caller
 *	          behind             behind                 behind
 *	          trampoline         trampoline             trampoline
 *	          kept               kept                   kept
 *	          arguments, more    (arguments, more)      (arguments, more)
 *	                             our return address     results
 *
 * If the handler wants the return, the function runs below what is kept, and so it does not
 * find arguments on the stack: functions that have some must not come here.  It returns into
 * the trampoline, and that returns to the caller.  Otherwise nothing stays on the stack.
 *
 * A task may sleep in a hooked call for months, with its frame on the stack.  So this module
 * is never unloaded once it was used.  It is so small for that reason.  It calls handlers of
 * other modules by static calls, which are direct calls that are patched: nothing in here
 * jumps to where a pointer points, so neither retpolines nor landing pads (IBT) are needed.
 * The function's first instructions and its caller are reached by returns, which the
 * kernel's return thunks may replace.
 *
 * Unwinders: ORC data say where the caller is, at each instruction.  So a stack is shown
 * with the hooked function, this trampoline, and all callers.  Without ORC there are no
 * trampolines.
 */
#include <linux/atomic.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/static_call.h>

#include "base/version.h"
#include "trampoline.h"

#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC) && \
	defined(CONFIG_HAVE_STATIC_CALL_INLINE)

#include "compat/unwind.h"

typedef unsigned long entered_fn(struct trampoline_frame *frame);
typedef void returned_fn(struct trampoline_frame *frame, u64 result);

DEFINE_STATIC_CALL_RET0(kt_trampoline_entered, entered_fn);
DEFINE_STATIC_CALL_NULL(kt_trampoline_returned, returned_fn);
DEFINE_STATIC_CALL_NULL(kt_trampoline_returned_all, returned_fn);

#define TRAMPOLINE_SIZE 16 /* of what each has for itself */

extern const char kt_trampolines[];

/* The frame is a struct trampoline_frame. */
#define ARGUMENTS 72 /* more */
#define KEPT	  (ARGUMENTS + 48)
#define BEHIND	  (KEPT + 24)
static_assert(offsetof(struct trampoline_frame, arguments) == ARGUMENTS);
static_assert(offsetof(struct trampoline_frame, kept) == KEPT);
static_assert(offsetof(struct trampoline_frame, behind) == BEHIND);
static_assert(TRAMPOLINE_LEAVE == 0 && TRAMPOLINE_KEEP == 1 &&
	      TRAMPOLINE_KEEP_ALL > 1);
static_assert(TRAMPOLINES <= 128); /* pushed as a signed byte */

/*
 * Into the function, and back from it.  Of the frame, what begins at @kept stays on the
 * stack.  An unwinder looks for what is in front of a return address: there it finds where
 * the caller's is.
 */
/* clang-format off */
#define PASS(label, kept, handler)                                            \
	"	.if " __stringify(kept) "\n"                                 \
	"	addq $" __stringify(kept) ", %rsp\n"                         \
	"	.endif\n"                                                    \
	"	pushq $" label "\n"                                          \
	"	pushq 8 + " __stringify(BEHIND - kept) "(%rsp)\n"            \
	KT_UNWIND_HINT(UNWIND_HINT_TYPE_FUNC, ORC_REG_SP, 8)                  \
	ASM_RET                                                               \
	KT_UNWIND_HINT(UNWIND_HINT_TYPE_CALL, ORC_REG_SP,                     \
		       BEHIND + 16 - kept)                                    \
	"	nop\n"                                                       \
	label ":\n"                                                          \
	ANNOTATE_NOENDBR                                                      \
	"	pushq %rax\n"                                                \
	"	pushq %rdx\n"                                                \
	"	leaq 16 - " __stringify(kept) "(%rsp), %rdi\n"               \
	"	movq %rax, %rsi\n"                                           \
	"	call " STATIC_CALL_TRAMP_STR(handler) "\n"                   \
	"	popq %rdx\n"                                                 \
	"	popq %rax\n"                                                 \
	"	addq $8 + " __stringify(BEHIND - kept) ", %rsp\n"            \
	KT_UNWIND_HINT(UNWIND_HINT_TYPE_FUNC, ORC_REG_SP, 8)                  \
	ASM_RET

/* No kprobe may be in here, for the reason that direct.c gives. */
asm(".pushsection .kprobes.text, \"ax\"\n"
    ".balign " __stringify(TRAMPOLINE_SIZE) "\n"
    ".type kt_trampolines, @function\n"
    "kt_trampolines:\n"
    "	.set trampoline, " __stringify(TRAMPOLINES) "\n"
    "	.rept " __stringify(TRAMPOLINES) " - 1\n"
    "	.set trampoline, trampoline - 1\n"
    "	.balign " __stringify(TRAMPOLINE_SIZE) ", 0xcc\n"
    KT_UNWIND_HINT(UNWIND_HINT_TYPE_FUNC, ORC_REG_SP, 8)
    ANNOTATE_NOENDBR
    "	pushq $trampoline\n"
    "	jmp .Lenter\n"
    "	.endr\n"
    "	.balign " __stringify(TRAMPOLINE_SIZE) ", 0xcc\n"
    KT_UNWIND_HINT(UNWIND_HINT_TYPE_FUNC, ORC_REG_SP, 8)
    ANNOTATE_NOENDBR
    "	pushq $0\n"
    ".Lenter:\n"
    "	subq $" __stringify(BEHIND) " - 8, %rsp\n"
    "	movq %rdi, 0 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %rsi, 8 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %rdx, 16 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %rcx, 24 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %r8, 32 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %r9, 40 + " __stringify(ARGUMENTS) "(%rsp)\n"
    "	movq %rsp, %rdi\n"
    "	call " STATIC_CALL_TRAMP_STR(kt_trampoline_entered) "\n"
    "	movq 0 + " __stringify(ARGUMENTS) "(%rsp), %rdi\n"
    "	movq 8 + " __stringify(ARGUMENTS) "(%rsp), %rsi\n"
    "	movq 16 + " __stringify(ARGUMENTS) "(%rsp), %rdx\n"
    "	movq 24 + " __stringify(ARGUMENTS) "(%rsp), %rcx\n"
    "	movq 32 + " __stringify(ARGUMENTS) "(%rsp), %r8\n"
    "	movq 40 + " __stringify(ARGUMENTS) "(%rsp), %r9\n"
    "	cmpl $1, %eax\n" /* TRAMPOLINE_KEEP */
    "	je .Lkeep\n"
    "	ja .Lkeep_all\n"
    "	addq $" __stringify(BEHIND) ", %rsp\n"
    ASM_RET
    ".Lkeep:\n"
    PASS(".Lreturned", KEPT, kt_trampoline_returned)
    ".Lkeep_all:\n"
    PASS(".Lreturned_all", 0, kt_trampoline_returned_all)
    ".size kt_trampolines, . - kt_trampolines\n"
    ".popsection\n");
/* clang-format on */

static DEFINE_MUTEX(use);
static bool used;

unsigned long kt_trampoline_address(unsigned int i)
{
	return (unsigned long)kt_trampolines +
	       (TRAMPOLINES - 1 - i) * TRAMPOLINE_SIZE;
}

void kt_trampoline_use(const struct trampoline_handlers *handlers)
{
	mutex_lock(&use);
	if (!used)
		__module_get(THIS_MODULE);
	used = true;
	static_call_update(kt_trampoline_returned, handlers->returned);
	static_call_update(kt_trampoline_returned_all, handlers->returned_all);
	static_call_update(kt_trampoline_entered, handlers->entered);
	mutex_unlock(&use);
}

/*
 * A task that was preempted in a handler, or on the way to it, is nowhere else until it
 * sleeps by itself or is in user space (RCU tasks).  Idle tasks are not preempted.
 */
void kt_trampoline_leave(void)
{
	mutex_lock(&use);
	static_call_update(kt_trampoline_entered,
			   (void *)__static_call_return0);
	static_call_update(kt_trampoline_returned, NULL);
	static_call_update(kt_trampoline_returned_all, NULL);
	mutex_unlock(&use);
	synchronize_rcu();
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
}

#else

unsigned long kt_trampoline_address(unsigned int i)
{
	return 0;
}

void kt_trampoline_use(const struct trampoline_handlers *handlers)
{
}

void kt_trampoline_leave(void)
{
}

#endif

u64 kt_trampoline_serial(void)
{
	static atomic64_t last;

	return atomic64_inc_return(&last);
}

EXPORT_SYMBOL_GPL(kt_trampoline_address);
EXPORT_SYMBOL_GPL(kt_trampoline_use);
EXPORT_SYMBOL_GPL(kt_trampoline_leave);
EXPORT_SYMBOL_GPL(kt_trampoline_serial);

static int __init trampoline_init(void)
{
	return 0;
}

/* Without a function that ends it, it could not be unloaded at all. */
static void __exit trampoline_exit(void)
{
}

module_init(trampoline_init);
module_exit(trampoline_exit);
MODULE_AUTHOR("The ktrace authors");
MODULE_DESCRIPTION("Trampolines for calls of functions, for ktrace");
MODULE_VERSION(KT_RELEASE);
MODULE_LICENSE("GPL");
