// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * every - makes every system call, natively and as 32-bit programs do
 *
 *	every
 *
 * Calls every number, whatever the call is, in a child, and twice.  First the arguments are
 * -1, which is no descriptor, process or memory.  Then they are the address of a page of
 * zeros, which is an empty string, an empty struct, a time of zero, and a bad number.  So a
 * call that would affect anything outside of the child fails; the others are in
 * exceptions[].  A call that waits is interrupted.
 *
 * Prints how many calls were made; fails if a child had to be killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NUMBERS	 600
#define PATIENCE 10 /* seconds */

/* Below 4 GiB, for 32-bit calls. */
#define PAGE ((void *)0x10000000)

/* Numbers of arch/x86/entry/syscalls/syscall_32.tbl. */
#define COMPAT_STIME	    25
#define COMPAT_SETTIMEOFDAY 79
#define COMPAT_SIGSUSPEND   72
#define COMPAT_SIGRETURN    119
#define COMPAT_RT_SIGRETURN 173

enum abi {
	NATIVE,
	COMPAT,
	ABIS,
};

enum rule {
	USUAL,
	NOTHING_ONLY, /* with a page of zeros it would do something */
	PAGE_ONLY,    /* with -1 it would do something */
	NO_STACK,     /* its parameters are on the stack */
};

static const struct {
	enum abi abi;
	int number;
	enum rule rule;
	const char *why;
} exceptions[] = {
	{NATIVE, SYS_settimeofday, NOTHING_ONLY, "it would be 1970"},
	{COMPAT, COMPAT_SETTIMEOFDAY, NOTHING_ONLY, "it would be 1970"},
	{COMPAT, COMPAT_STIME, NOTHING_ONLY, "it would be 1970"},
	{COMPAT, COMPAT_SIGSUSPEND, PAGE_ONLY, "no signal would come through"},
	{NATIVE, SYS_rt_sigreturn, NO_STACK, "it would go anywhere"},
	{COMPAT, COMPAT_SIGRETURN, NO_STACK, "it would go anywhere"},
	{COMPAT, COMPAT_RT_SIGRETURN, NO_STACK, "it would go anywhere"},
};

static enum rule rule_of(enum abi abi, int number)
{
	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++) {
		if (exceptions[i].abi == abi && exceptions[i].number == number)
			return exceptions[i].rule;
	}
	return USUAL;
}

static long call_native(long number, long value)
{
	register long r10 asm("r10") = value, r8 asm("r8") = value,
			  r9 asm("r9") = value;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(number), "D"(value), "S"(value), "d"(value),
		       "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return result;
}

/* The sixth argument is passed in %ebp. */
static long call_compat(long number, long value)
{
	long result;

	asm volatile("push %%rbp\n\t"
		     "mov %%rbx, %%rbp\n\t"
		     "int $0x80\n\t"
		     "pop %%rbp"
		     : "=a"(result)
		     : "a"(number), "b"(value), "c"(value), "d"(value),
		       "S"(value), "D"(value)
		     : "r8", "r9", "r10", "r11", "memory");
	return (int)result;
}

/* The stack pointer is invalid, so the kernel kills a process that returns from no signal. */
static void call_without_stack(enum abi abi, long number)
{
	if (abi == NATIVE)
		asm volatile("xor %%esp, %%esp\n\tsyscall"
			     :
			     : "a"(number)
			     : "memory");
	else
		asm volatile("xor %%esp, %%esp\n\tint $0x80"
			     :
			     : "a"(number)
			     : "memory");
	__builtin_unreachable();
}

static void interrupt(int number)
{
}

/* Without SA_RESTART.  Repeated, because the first signal may come too early. */
static void interrupts_begin(void)
{
	struct sigaction action = {.sa_handler = interrupt};
	struct itimerval timer = {{0, 200000}, {0, 200000}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Runs in the child; if the call forks, also in the new process. */
static void call_make(enum abi abi, long number, long value)
{
	if (rule_of(abi, number) == NO_STACK)
		call_without_stack(abi, number);
	interrupts_begin();
	if (abi == NATIVE)
		call_native(number, value);
	else
		call_compat(number, value);
	syscall(SYS_exit_group, 0);
}

/* False: it had to be killed. */
static bool child_wait(pid_t pid)
{
	struct timespec pause = {0, 1000000};
	time_t begin = time(NULL);

	while (!waitpid(pid, NULL, WNOHANG)) {
		if (time(NULL) - begin > PATIENCE) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

static bool run(enum abi abi, long number, long value)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(2);
	}
	if (!pid)
		call_make(abi, number, value);
	if (child_wait(pid))
		return true;
	printf("call %ld of %s programs with %#lx did not come back\n", number,
	       abi == NATIVE ? "native" : "32-bit", value);
	return false;
}

int main(void)
{
	unsigned int made = 0, stuck = 0;
	void *page;

	page = mmap(PAGE, 65536, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE |
			    MAP_FIXED_NOREPLACE,
		    -1, 0);
	if (page != PAGE) {
		perror("mmap");
		return 2;
	}
	for (enum abi abi = 0; abi < ABIS; abi++) {
		for (long number = 0; number < NUMBERS; number++) {
			enum rule rule = rule_of(abi, number);

			if (rule != PAGE_ONLY) {
				stuck += !run(abi, number, -1);
				made++;
			}
			if (rule == USUAL || rule == PAGE_ONLY) {
				stuck += !run(abi, number, (long)page);
				made++;
			}
		}
	}
	printf("%u calls\n", made);
	return stuck ? 1 : 0;
}
