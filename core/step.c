// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which branches a program has taken between two stops: see step.h. */
#include "step.h"

#define PAGE 4096u

/* The instruction may end before a page that is not there. */
bool kt_step_look(struct kt_instruction *instruction, u64 at, bool narrow,
		  bool kernel)
{
	u8 bytes[KT_INSTRUCTION_MAX];
	u32 size = sizeof(bytes), left = PAGE - at % PAGE;

	if (env_copy(bytes, at, size, kernel)) {
		if (left >= size || env_copy(bytes, at, left, kernel))
			return false;
		size = left;
	}
	return kt_instruction_decode(instruction, bytes, size, narrow);
}

static bool look(struct kt_instruction *instruction, u64 at, bool narrow)
{
	return kt_step_look(instruction, at, narrow, false);
}

static void add(struct kt_step_done *done, enum kt_branch_kind kind, u64 from,
		u64 to)
{
	done->branches[done->nr++] =
		(struct kt_step_branch){.from = from, .to = to, .kind = kind};
}

/* How the walk from one stop to the next goes on behind an instruction. */
enum go {
	ARRIVED,
	ON,   /* another one has run */
	LOST, /* it cannot have led to the stop */
};

/* @at is where the instruction was, and becomes where the program went from there. */
static enum go follow(struct kt_step_done *done,
		      const struct kt_instruction *instruction, u64 *at,
		      const struct kt_step_stop *stop)
{
	u64 mask = stop->narrow ? 0xffffffff : ~0ull;
	u64 from = *at, next = (from + instruction->length) & mask;
	u64 to = (next + instruction->offset) & mask;

	switch (instruction->kind) {
	case KT_BRANCH_NONE:
	case KT_BRANCH_SYSCALL:
		if (instruction->kind == KT_BRANCH_SYSCALL)
			add(done, KT_BRANCH_SYSCALL, from, next);
		*at = next;
		/* With FRED, the processor stops behind a system call, too. */
		return stop->ip == next ? ARRIVED : ON;
	case KT_BRANCH_CONDITIONAL:
		if (stop->ip == next &&
		    (to != next ||
		     !kt_instruction_taken(instruction, stop->flags, stop->cx)))
			return ARRIVED;
		if (stop->ip != to)
			return LOST;
		add(done, KT_BRANCH_CONDITIONAL, from, to);
		return ARRIVED;
	case KT_BRANCH_UNKNOWN:
		if (stop->ip != next)
			add(done, KT_BRANCH_UNKNOWN, from, stop->ip);
		return ARRIVED;
	default:
		if (!instruction->direct)
			to = stop->ip;
		add(done, instruction->kind, from, to);
		*at = to;
		return stop->ip == to ? ARRIVED : ON;
	}
}

/*
 * The program is where it was.  The instruction there repeats itself and stops each time, or has not
 * run; unless it is a branch to itself, or what follows it was one to it.
 */
static bool is_still(const struct kt_instruction *instruction, bool fred)
{
	if (instruction->direct)
		return instruction->offset + instruction->length;
	if (instruction->kind == KT_BRANCH_NONE)
		return instruction->effect != KT_EFFECT_LOADS_SS;
	return fred;
}

/*
 * In 32-bit code the kernel does not return behind sysenter and syscall, but to a place in the vDSO
 * that restores registers: that has run.
 */
static bool is_fast_call(const struct kt_instruction *instruction, bool narrow)
{
	return narrow && instruction->kind == KT_BRANCH_SYSCALL &&
	       instruction->fast_call;
}

bool kt_step_called(u64 at, u64 ip, bool narrow)
{
	u64 mask = narrow ? 0xffffffff : ~0ull;
	struct kt_instruction instruction;

	if (!look(&instruction, at, narrow) ||
	    instruction.kind != KT_BRANCH_SYSCALL)
		return false;
	/* int3, int1 and into: behind these comes a signal. */
	if (instruction.length == 1)
		return false;
	return is_fast_call(&instruction, narrow) ||
	       ip == ((at + instruction.length) & mask);
}

void kt_step(struct kt_step *step, const struct kt_step_stop *stop,
	     struct kt_step_done *done)
{
	u64 at = step->ip, begin = at;
	enum go go = ON;

	step->ip = stop->ip;
	done->nr = 0;
	for (u32 i = 0; i < KT_STEP_MAX && go == ON; i++) {
		if (!look(&done->last, at, stop->narrow)) {
			step->unread++;
			done->last.length = 0;
			go = stop->ip - at <= KT_INSTRUCTION_MAX ? ARRIVED
								 : LOST;
			break;
		}
		if (is_fast_call(&done->last, stop->narrow)) {
			add(done, KT_BRANCH_SYSCALL, at, stop->ip);
			go = ARRIVED;
			break;
		}
		if (stop->ip == begin && !i &&
		    is_still(&done->last, stop->fred)) {
			done->last.length = 0;
			go = ARRIVED;
			break;
		}
		go = follow(done, &done->last, &at, stop);
	}
	if (go == ARRIVED)
		return;
	done->nr = 0;
	done->last.length = 0;
	add(done, KT_BRANCH_UNKNOWN, begin, stop->ip);
}
