// SPDX-License-Identifier: GPL-2.0-only
/* Of what kind a branch is: see kind.h. */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "kind.h"

bool branch_of_program(u64 place)
{
	return place < TASK_SIZE_MAX;
}

static void look_at(struct branch_looked *looked, u64 at)
{
	bool kernel = !branch_of_program(at);
	/* That of an interrupted program would be that of the branch. */
	bool narrow = !kernel && !user_64bit_mode(task_pt_regs(current));

	if (looked->at == at)
		return;
	looked->at = at;
	looked->is_known =
		kt_step_look(&looked->instruction, at, narrow, kernel);
}

enum kt_branch_kind branch_kind_of(u64 from, u64 to,
				   struct branch_looked *looked)
{
	const struct kt_instruction *instruction = &looked->instruction;

	look_at(looked, from);
	/* An interrupt, or something else is there by now. */
	if (!looked->is_known || instruction->kind == KT_BRANCH_NONE ||
	    (instruction->direct &&
	     from + instruction->length + instruction->offset != to))
		return KT_BRANCH_UNKNOWN;
	return instruction->kind;
}
