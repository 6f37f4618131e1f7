// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Kinds of branches. */
#include <ktrace_branch.h>

#include "trace.h"

#define SAME(name)                                                         \
	_Static_assert((int)KTRACE_BRANCH_##name == (int)KT_BRANCH_##name, \
		       "kinds are the kernel's")
SAME(JUMP);
SAME(CONDITIONAL);
SAME(INDIRECT);
SAME(CALL);
SAME(INDIRECT_CALL);
SAME(RETURN);
SAME(SYSCALL);
SAME(SENT);
SAME(UNKNOWN);
SAME(ARRIVES);
SAME(LEAVES);
SAME(ENDS);
SAME(BEGINS);
SAME(LAST);
SAME(TIME);

const char *ktrace_branch_kind_name(enum ktrace_branch_kind kind)
{
	switch (kind) {
	case KTRACE_BRANCH_JUMP:
		return "jump";
	case KTRACE_BRANCH_CONDITIONAL:
		return "conditional";
	case KTRACE_BRANCH_INDIRECT:
		return "indirect";
	case KTRACE_BRANCH_CALL:
		return "call";
	case KTRACE_BRANCH_INDIRECT_CALL:
		return "indirect_call";
	case KTRACE_BRANCH_RETURN:
		return "return";
	case KTRACE_BRANCH_SYSCALL:
		return "syscall";
	case KTRACE_BRANCH_SENT:
		return "sent";
	case KTRACE_BRANCH_UNKNOWN:
		return "unknown";
	case KTRACE_BRANCH_ARRIVES:
		return "arrives";
	case KTRACE_BRANCH_LEAVES:
		return "leaves";
	case KTRACE_BRANCH_ENDS:
		return "ends";
	case KTRACE_BRANCH_BEGINS:
		return "begins";
	case KTRACE_BRANCH_LAST:
		return "last";
	case KTRACE_BRANCH_TIME:
		return "time";
	}
	return "?";
}

bool ktrace_type_branches(const struct ktrace_type *type)
{
	return type_stack_field(type, KT_BRANCHES_FIELD);
}

/* They lie behind the places, which are two for each branch; entries have all of their words. */
enum ktrace_branch_kind ktrace_event_branch_kind(
	const struct ktrace_stack *places, uint32_t branch)
{
	const uint8_t *kinds =
		(const uint8_t *)(places->addresses + places->nr);

	return kinds[branch / 2] >> (branch % 2 * 4) & 15;
}
