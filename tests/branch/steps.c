// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Follows a program by ptrace and core/step.c, as the kernel does without ptrace.
 *
 *	steps PROGRAM [ARGUMENT...]
 *
 * Prints a line "0 KIND FROM TO" for each branch, as `branches trace' of tests/kernel/programs does.
 * ptrace stops behind system calls, the processor does not: such stops are passed over.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "step.h"

static const char *const kinds[] = {
	[KT_BRANCH_JUMP] = "jump",
	[KT_BRANCH_CONDITIONAL] = "conditional",
	[KT_BRANCH_INDIRECT] = "indirect",
	[KT_BRANCH_CALL] = "call",
	[KT_BRANCH_INDIRECT_CALL] = "indirect_call",
	[KT_BRANCH_RETURN] = "return",
	[KT_BRANCH_SYSCALL] = "syscall",
	[KT_BRANCH_UNKNOWN] = "unknown",
};

static pid_t pid;

int env_copy(void *to, u64 from, u32 size, bool kernel)
{
	struct iovec local = {to, size}, remote = {(void *)from, size};

	(void)kernel;
	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size
		       ? 0
		       : -EFAULT;
}

/* Is the instruction there a system call, and one that returns to another place? */
static bool is_call(u64 ip, u64 ax, bool *sends)
{
	struct kt_instruction instruction;
	u8 bytes[2];

	*sends = false;
	if (env_copy(bytes, ip, sizeof(bytes), false) ||
	    !kt_instruction_decode(&instruction, bytes, sizeof(bytes), false) ||
	    instruction.kind != KT_BRANCH_SYSCALL)
		return false;
	*sends = instruction.fast_call && ax == SYS_rt_sigreturn;
	return true;
}

static void stop_print(struct kt_step *step,
		       const struct user_regs_struct *regs)
{
	const struct kt_step_stop stop = {
		.ip = regs->rip, .flags = regs->eflags, .cx = regs->rcx};
	struct kt_step_done done;

	kt_step(step, &stop, &done);
	for (u32 i = 0; i < done.nr; i++)
		printf("0 %s %llx %llx\n", kinds[done.branches[i].kind],
		       (unsigned long long)done.branches[i].from,
		       (unsigned long long)done.branches[i].to);
}

/* A signal comes behind a call: as the kernel's stepper tells it (begin_here()). */
static void called_print(struct kt_step *step, u64 ip)
{
	if (!kt_step_called(step->ip, ip, false))
		return;
	printf("0 syscall %llx %llx\n", (unsigned long long)step->ip,
	       (unsigned long long)ip);
	step->ip = ip;
}

int main(int argc, char **argv)
{
	struct user_regs_struct regs;
	struct kt_step step = {};
	bool sent = true, sends = false;
	int status, signal;
	u64 call = 0;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		personality(ADDR_NO_RANDOMIZE);
		execv(argv[1], argv + 1);
		_exit(2);
	}
	waitpid(pid, &status, 0);
	for (; WIFSTOPPED(status); waitpid(pid, &status, 0)) {
		siginfo_t info;

		signal = WSTOPSIG(status);
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		ptrace(PTRACE_GETSIGINFO, pid, 0, &info);
		if (signal == SIGTRAP && info.si_code != SI_KERNEL)
			signal = 0;
		if (signal) {
			called_print(&step, regs.rip);
			sent = true;
		} else if (sent || sends) {
			printf("0 sent %llx %llx\n",
			       (unsigned long long)step.ip, regs.rip);
			step.ip = regs.rip;
			sent = false;
			call = 0;
		} else if (!call || regs.rip != call + 2) {
			stop_print(&step, &regs);
		}
		if (!signal)
			call = is_call(regs.rip, regs.rax, &sends) ? regs.rip
								   : 0;
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, signal))
			return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
