/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks of a session: see hooks.c. */
#ifndef KT_KERNEL_SOURCE_FUNCTION_HOOKS_H
#define KT_KERNEL_SOURCE_FUNCTION_HOOKS_H

#include <linux/ftrace.h>

#include "capture.h"
#include "choice.h"
#include "condition.h"
#include "event/source.h"
#include "scope.h"
#include "table.h"

/* The events. */
enum moment {
	ENTRY,
	EXIT,
	CALL, /* at the return, a whole call */
	MOMENTS,
};

/* Why a call that is hooked is not recorded. */
enum miss {
	MISS_RECURSION, /* of what a hook itself was doing */
	MISS_NODE, /* too many calls were open; then its entry is not, either */
	MISS_IDLE, /* where RCU does not watch */
	MISS_NMI, /* its return cannot be hooked; its entry is not recorded, either */
	MISS_STACK, /* it has too little room; its entry is not recorded, either */
	MISS_SLEEP, /* the machine sleeps, or is about to; as MISS_NMI */
	MISS_TASK, /* of a root: too many tasks are in roots; and all that it calls */
	MISSES,
	/* Whole calls that are recorded, but without what their program reads. */
	UNCAPTURED_OPEN = MISSES, /* too many such calls were open */
	UNCAPTURED_NESTED,	  /* a program was reading in this context */
	MISSES_ALL,
};

/* What is asked of a call before it is recorded (hooks.asks). */
enum asks {
	ASKS_SCOPE = 1,	    /* some function is not a root */
	ASKS_CONDITION = 2, /* some function has one */
	ASKS_AROUND = 4,    /* roots are within others */
};

struct kt_session;

/* How functions are hooked. */
enum way {
	DIRECT, /* by a trampoline: direct.h */
	FTRACE, /* by ftrace's callback and rethook */
	WAYS,
	UNHOOKED = WAYS,
};

struct hooks_ops {
	struct ftrace_ops ops;
	struct hooks *hooks;
	bool registered;
};

/* A session's. */
struct hooks {
	struct hooks_ops ways[WAYS];
	unsigned long trampoline; /* 0: it has none */
	u64 serial; /* direct.c's: which calls are this session's */
	bool stuck; /* ftrace did not let go: they must stay as they are */
	struct functions functions;
	struct kt_enabled *hit[MOMENTS]; /* NULL: not attached */
	/*
	 * Entry and exit, if both are attached, have small ids, and nothing is to be asked of
	 * their calls but whether they have a gate.  Otherwise that of exits is NULL, and the
	 * other one does not count.
	 */
	struct kt_enabled *plain[2];
	struct kt_enabled
		*alone; /* the same of entry, if it alone is attached */
	/* Whole calls, if they alone are attached, and nothing is to be asked of them first. */
	struct kt_enabled *whole;
	struct rethook *returns;  /* while one is attached */
	struct rethook *captured; /* with what programs read: captured.h */
	u8 asks;
	struct scope scope;
	struct function_programs programs;
	struct function_conditions conditions;
	u64 __percpu *misses; /* NULL: was never attached */
	struct choices choices;
	struct kt_session *session;
};

/*
 * Where arguments of capture programs are in struct pt_regs.  Behind the registers: the
 * stack pointer; further arguments begin at the second word there.
 */
#define HOOK_WORD(name) (offsetof(struct pt_regs, name) / sizeof(u64))
static const u8 hook_words[KT_CAPTURE_ARGUMENTS] = {
	HOOK_WORD(di), HOOK_WORD(si), HOOK_WORD(dx), HOOK_WORD(cx),
	HOOK_WORD(r8), HOOK_WORD(r9), HOOK_WORD(sp), KT_CAPTURE_NO_WORD,
};

/* What the kernel lacks, NULL: nothing. */
const char *hooks_init(struct kt_source *functions);

/* The session's.  NULL: it has none. */
struct hooks *hooks_of(const struct kt_session *session);
/* The same, made if need be.  NULL: no memory. */
struct hooks *hooks_make(struct kt_session *session);
/* They were detached, and synchronized.  False: their memory must stay. */
bool hooks_end(struct hooks *hooks);

/* @calls: that may be open at once. */
int hooks_attach(struct hooks *hooks, enum moment moment,
		 struct kt_enabled *enabled, unsigned int calls);
void hooks_detach(struct hooks *hooks, enum moment moment);
/* What is asked of calls from now on: of enum asks. */
void hooks_ask(struct hooks *hooks, u8 asks);
/*
 * Hooks what is chosen (next), as far as an event is attached: all, or what was hooked
 * before.  In either case functions may have been called that are new (functions_cut()).
 */
int hooks_update(struct hooks *hooks);
/*
 * A module goes or, if @init, gives back the memory in which it was initialised: its
 * functions there are hooked no more.  Otherwise a module that is loaded to the same place
 * later would be hooked.
 */
void hooks_forget(struct hooks *hooks, const struct module *module, bool init);

/* Where ftrace calls hooks of the function that begins at @address; 0: nowhere. */
unsigned long function_location(unsigned long address);

#endif /* KT_KERNEL_SOURCE_FUNCTION_HOOKS_H */
