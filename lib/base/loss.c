// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include <stddef.h>
#include <string.h>

#include "loss.h"

static const struct {
	const char *name;
	const char *cause;
	const char *text;
	const char *remedy;
} losses[KTRACE_LOST_NR] = {
	[KTRACE_LOST_FULL] =
		{
			"full",
			"buffer full",
			"because the buffers were full",
			"take larger buffers with --size, or fewer events with "
			"-e",
		},
	[KTRACE_LOST_OVERWRITTEN] =
		{
			"overwritten",
			"overwritten by newer ones",
			"overwritten by newer ones, as overwrite mode does",
			"for a longer past take larger buffers with --size",
		},
	[KTRACE_LOST_NESTED] =
		{
			"nested",
			"interrupts filled the buffer",
			"in interrupts that came while a buffer was at its end",
			"take larger buffers with --size",
		},
	[KTRACE_LOST_LARGE] =
		{
			"large",
			"too large",
			"larger than a packet",
			NULL,
		},
	[KTRACE_LOST_TASK] =
		{
			"task",
			"buffer full: names of tasks may be wrong",
			"records of who ran: names of tasks may be wrong for a "
			"moment",
			"take larger buffers with --size, or fewer events with "
			"-e",
		},
	[KTRACE_LOST_DAMAGED] =
		{
			"damaged",
			"the trace is damaged",
			"in damaged parts of the trace",
			NULL,
		},
	[KTRACE_LOST_UNWRITTEN] =
		{
			"unwritten",
			"they could not be written to the disk",
			"that could not be written to disk",
			"make room on the disk, or choose another place with "
			"-o",
		},
	[KTRACE_LOST_RECURSION] =
		{
			"recursion",
			"caused by tracing itself",
			"caused by tracing itself, as a fault in reading what "
			"an event points to",
			NULL,
		},
	[KTRACE_LOST_CLOCK] =
		{
			"clock",
			"programs may not read the clock",
			"of programs that may not read the clock (strict "
			"seccomp, PR_SET_TSC)",
			NULL,
		},
};

const char *loss_name(enum ktrace_lost cause)
{
	return losses[cause].name;
}

const char *loss_cause(enum ktrace_lost cause)
{
	return losses[cause].cause;
}

const char *loss_text(enum ktrace_lost cause)
{
	return losses[cause].text;
}

const char *loss_remedy(enum ktrace_lost cause)
{
	return losses[cause].remedy;
}

static const struct {
	const char *source;
	const char *reason;
	const char *text;
} misses[] = {
	{"function", "recursion",
	 "calls that came while another one was being recorded there, as those "
	 "that recording makes"},
	{"function", "node",
	 "calls while too many were open: see the parameter `calls' of "
	 "ktrace-functions"},
	{"function", "idle", "calls in parts of the kernel where RCU is idle"},
	{"function", "nmi", "calls in non-maskable interrupts"},
	{"function", "sleep",
	 "calls while the machine was going to sleep, or waking up"},
	{"function", "task",
	 "calls of chosen functions while too many tasks were in some; what "
	 "they called is missing, too"},
	{"function", "stack",
	 "calls so deep that too little of the stack was left"},
	{"syscall", "unread",
	 "calls of 32-bit programs by socketcall, ipc, the old select or mmap, "
	 "whose arguments could not be read: see the events of these calls"},
	{"captures", "open",
	 "calls that were recorded when they returned: what their arguments "
	 "point to, because too many were open: see the parameter "
	 "`captured_calls' of ktrace-functions"},
	{"captures", "nested",
	 "calls that were recorded when they returned: what their arguments "
	 "point to, because they came while memory was being read there"},
	{"probe", "nested",
	 "hits while another probe was being handled on the CPU"},
	{"probe", "open",
	 "returns of calls that came while too many were open"},
	{"probe", "idle", "hits in parts of the kernel where RCU is idle"},
	{"stacks", "full",
	 "events whose stack or branches found no room: record --stack-size "
	 "gives more"},
	{"stacks", "nested",
	 "events in too many interrupts on top of each other"},
	{"stacks", "away",
	 "events without their branches: perf had taken the processor's records "
	 "of them, or the event came in an NMI"},
};

const char *miss_text(const char *source, const char *reason)
{
	for (size_t i = 0; reason && i < sizeof(misses) / sizeof(*misses); i++)
		if (!strcmp(misses[i].source, source) &&
		    !strcmp(misses[i].reason, reason))
			return misses[i].text;
	return NULL;
}

bool loss_is_event(enum ktrace_lost cause)
{
	return cause != KTRACE_LOST_TASK;
}

bool loss_is_recorded(enum ktrace_lost cause)
{
	return cause != KTRACE_LOST_DAMAGED;
}

uint64_t loss_total(const uint64_t *lost)
{
	uint64_t total = 0;

	for (int i = 0; i < KTRACE_LOST_NR; i++)
		if (loss_is_event(i))
			total += lost[i];
	return total;
}
