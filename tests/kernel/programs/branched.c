// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that takes all kinds of branches, the same ones each time.
 *
 *	branched [fork | exec | thread | many COUNT | calls COUNT | naps COUNT | sleep COUNT | move COUNT | map COUNT | own [COUNT] | flags COUNT]
 *
 * exec: it executes itself, without that word.
 * calls, naps: it does little but call the kernel; or sleep for a moment.
 * sleep: it sleeps until it has left its CPU this often: a nap may be over before it does.
 * move: it moves to the first CPU, and to the second.
 * map: it maps a part of itself to run it, and unmaps it.
 * flags: it does little but push its flags and load them again.
 * own: it stops itself behind each instruction, as a debugger of its own would, and says how often.
 * Fails if it sees that somebody else stops it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TF 0x100ul

volatile unsigned long sum;
void breakable(void);

static volatile sig_atomic_t caught, stopped;
static bool seen;
static sigjmp_buf out;

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int one(int x)
{
	return x + 1;
}

static int two(int x)
{
	return x * 2;
}

static int three(int x)
{
	return x ^ 3;
}

static int by_table(int x)
{
	static int (*const volatile functions[])(int) = {one, two, three};

	for (int i = 0; i < 30; i++)
		x = functions[i % 3](x);
	return x;
}

static int by_switch(int x)
{
	int result = 0;

	for (int i = 0; i < 40; i++) {
		switch ((x + i) % 8) {
		case 0:
			result += 3;
			break;
		case 1:
			result ^= x;
			break;
		case 2:
			result -= i;
			break;
		case 3:
			result *= 3;
			break;
		case 4:
			result |= 1;
			break;
		case 5:
			result = ~result;
			break;
		case 6:
			result += x;
			break;
		default:
			result ^= 0x55;
		}
	}
	return result;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Branches to the next instruction, loops, repeated instructions, and what stops no processor. */
static void odd_ones(void)
{
	char from[40] = "abcdefghijklmnopqrstuvwxyz", to[40];
	unsigned long n = 7, flags;

	asm volatile("sub $128, %%rsp\n\tcmp %0, %0\n\t"
		     "je 1f\n1:\tjne 2f\n2:\tjmp 3f\n3:\t"
		     "mov $5, %%ecx\n4:\tloop 4b\n\t"
		     "jrcxz 5f\n5:\t"
		     "mov $2, %%ecx\n\tjrcxz 6f\n6:\t"
		     "lea 7f(%%rip), %%rax\n\tjmp *%%rax\n7:\t"
		     "call 8f\n8:\tadd $8, %%rsp\n\t"
		     "lea 9f(%%rip), %%rax\n\tpush %%rax\n\tret\n9:\t"
		     "mov %%ss, %%eax\n\tmov %%eax, %%ss\n\tjmp 10f\n10:\t"
		     "pause\n\tjmp 11f\n11:\tadd $128, %%rsp\n\t"
		     : "+r"(n)
		     :
		     : "rax", "rcx", "cc", "memory");
	n = sizeof(from);
	asm volatile("rep movsb" : "+c"(n) : "S"(from), "D"(to) : "memory");
	sum += to[3];
	asm volatile("sub $128, %%rsp\n\tpushf\n\tpop %0\n\tadd $128, %%rsp"
		     : "=r"(flags));
	seen |= flags & TF;
	asm volatile("sub $128, %%rsp\n\tpushfw\n\tpopw %w0\n\tadd $128, %%rsp"
		     : "=r"(flags));
	seen |= flags & TF;
	asm volatile("sub $128, %%rsp\n\tpushf\n\tpopf\n\tadd $128, %%rsp" ::
			     : "cc");
}

/* A place for a breakpoint: whoever steps over it must not take what follows for what has run. */
__attribute__((noinline)) void breakable(void)
{
	asm volatile("sub $128, %%rsp\n\t"
		     ".globl break_push\nbreak_push:\tnop\n\tpushf\n\t"
		     "andq $0x100, (%%rsp)\n\t"
		     "pop %%rax\n\t"
		     "pushf\n\t"
		     ".globl break_pop\nbreak_pop:\tnop\n\tpopf\n\t"
		     "jmp 1f\n1:\tadd $128, %%rsp" ::
			     : "rax", "cc", "memory");
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *ucontext = context;

	seen |= ucontext->uc_mcontext.gregs[REG_EFL] & TF;
	caught += signal + fibonacci(3);
	(void)info;
}

static void on_jump(int signal)
{
	caught += signal;
	siglongjmp(out, 1);
}

static void signals(void)
{
	struct sigaction action = {.sa_sigaction = on_signal,
				   .sa_flags = SA_SIGINFO};
	sigset_t set, old;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR1);
	/* Two at once. */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	raise(SIGUSR2);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGSEGV, on_jump);
	signal(SIGTRAP, on_jump);
	if (!sigsetjmp(out, 1))
		*(volatile int *)8 = 1;
	if (!sigsetjmp(out, 1))
		asm volatile("int3");
}

static void calls(void)
{
	long result;

	usleep(1000);
	for (int i = 0; i < 5; i++)
		sum += getppid() > 0;
	/* Not all kernels know this one. */
	signal(SIGSEGV, on_jump);
	if (!sigsetjmp(out, 1))
		asm volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
	/* Two, one behind the other. */
	asm volatile("syscall\n\tmov $39, %%eax\n\tsyscall\n\tjmp 1f\n1:"
		     : "=a"(result)
		     : "a"(SYS_getpid)
		     : "rcx", "r11", "memory");
}

static void work(void)
{
	int numbers[32];

	for (int i = 0; i < 32; i++)
		numbers[i] = i * 7 % 32;
	qsort(numbers, 32, sizeof(numbers[0]), compare);
	sum += fibonacci(9) + by_table(3) + by_switch(numbers[5]);
	odd_ones();
	breakable();
	calls();
	signals();
	calls();
}

static void *thread(void *nothing)
{
	work();
	return nothing;
}

static void on_stop(int signal)
{
	(void)signal;
	stopped++;
}

/* The trap behind each instruction, also behind popf that ends it. */
static void own(void)
{
	signal(SIGTRAP, on_stop);
	asm volatile("sub $128, %%rsp\n\t"
		     "pushf\n\torq $0x100, (%%rsp)\n\tpopf\n\t"
		     "nop\n\tnop\n\tjmp 1f\n1:\tnop\n\t"
		     "pushf\n\tandq $~0x100, (%%rsp)\n\tpopf\n\t"
		     "nop\n\t"
		     "add $128, %%rsp" ::
			     : "cc", "memory");
}

static void map(int count)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	void *place;

	while (count--) {
		place = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			     0);
		sum += *(const unsigned char *)place;
		munmap(place, 4096);
	}
	close(fd);
}

/* How often it has left its CPU on its own. */
static long departures(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t other;
	int i, status;

	if (!strcmp(how, "own")) {
		for (i = argc > 2 ? atoi(argv[2]) : 1; i; i--)
			own();
		printf("stops: %d\n", (int)stopped);
		return 0;
	}
	if (!strcmp(how, "flags")) {
		for (i = atoi(argv[2]); i; i--)
			asm volatile("sub $128, %%rsp\n\t"
				     "pushf\n\tpopf\n\tpushf\n\tpopf\n\t"
				     "add $128, %%rsp" ::
					     : "cc");
		return 0;
	}
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], NULL);
	if (!strcmp(how, "map")) {
		map(atoi(argv[2]));
		return 0;
	}
	if (!strcmp(how, "naps")) {
		for (i = atoi(argv[2]); i; i--)
			usleep(50);
		return 0;
	}
	if (!strcmp(how, "sleep")) {
		long enough = departures() + atoi(argv[2]);

		while (departures() < enough)
			usleep(1000);
		return 0;
	}
	if (!strcmp(how, "calls")) {
		for (i = atoi(argv[2]); i; i--)
			syscall(SYS_getppid);
		return 0;
	}
	if (!strcmp(how, "move")) {
		for (i = atoi(argv[2]); i; i--) {
			cpu_set_t cpus;

			CPU_ZERO(&cpus);
			CPU_SET(i & 1, &cpus);
			sched_setaffinity(0, sizeof(cpus), &cpus);
			sum += fibonacci(8);
		}
		return 0;
	}
	if (!strcmp(how, "many")) {
		for (i = atoi(argv[2]); i; i--)
			work();
	} else {
		work();
	}
	if (!strcmp(how, "thread")) {
		pthread_create(&other, NULL, thread, NULL);
		pthread_join(other, NULL);
	}
	if (!strcmp(how, "fork")) {
		if (!fork()) {
			work();
			execl("/proc/self/exe", argv[0], NULL);
			_exit(3);
		}
		wait(&status);
		if (status)
			return 4;
	}
	return seen;
}
