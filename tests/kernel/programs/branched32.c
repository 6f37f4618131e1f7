// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program of 32 bits that takes branches and enters the kernel in both ways.  It has no library.
 * Fails if it sees that somebody stops it.
 */
#define AT_SYSINFO 32
#define SYS_exit   1
#define SYS_getpid 20
#define TF	   0x100u

static unsigned int sysinfo;
static volatile unsigned int sum;

static int call_interrupt(int number, int argument)
{
	int result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(number), "b"(argument)
		     : "memory");
	return result;
}

static int call_fast(int number)
{
	int result;

	asm volatile("call *%1"
		     : "=a"(result)
		     : "m"(sysinfo), "a"(number)
		     : "memory");
	return result;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned int flags(void)
{
	unsigned int flags;

	asm volatile("pushf\n\tpop %0" : "=r"(flags));
	return flags;
}

static void odd_ones(void)
{
	asm volatile("mov $4, %%ecx\n1:\tloop 1b\n\t"
		     "jecxz 2f\n2:\t"
		     "cmp %%ecx, %%ecx\n\tje 3f\n3:\t"
		     "call 4f\n4:\tpop %%eax\n\t"
		     "mov %%ss, %%eax\n\tmov %%eax, %%ss\n\tjmp 5f\n5:\t"
		     "pusha\n\tpopa\n\t"
		     :
		     :
		     : "eax", "ecx", "cc", "memory");
}

void begin(const unsigned int *stack);

__attribute__((used)) void begin(const unsigned int *stack)
{
	const unsigned int *entry = stack + 1 + stack[0] + 1;
	unsigned int seen = 0;

	while (*entry++)
		;
	for (; entry[0]; entry += 2)
		if (entry[0] == AT_SYSINFO)
			sysinfo = entry[1];
	for (int i = 0; i < 3; i++) {
		sum += fibonacci(7);
		sum += call_interrupt(SYS_getpid, 0);
		if (sysinfo)
			sum += call_fast(SYS_getpid);
		odd_ones();
		seen |= flags() & TF;
	}
	call_interrupt(SYS_exit, seen != 0);
}

asm(".globl _start\n"
    "_start:\n\t"
    "mov %esp, %eax\n\t"
    "push %eax\n\t"
    "call begin\n\t"
    "hlt\n");
