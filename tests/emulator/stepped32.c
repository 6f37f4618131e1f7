// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A program of 32 bits, without a library, that takes some 200,000 branches: see stepped.c. */
#define SYS_exit   1
#define SYS_getpid 20

#define noinline   __attribute__((noinline))

static volatile unsigned int sum;

static noinline int call(int number, int argument)
{
	int result;

	asm volatile("int $0x80"
		     : "=a"(result)
		     : "a"(number), "b"(argument)
		     : "memory");
	return result;
}

static noinline unsigned int fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static noinline unsigned int twice(unsigned int x)
{
	return x * 2;
}

static noinline unsigned int next(unsigned int x)
{
	return x + 1;
}

static unsigned int (*const volatile functions[])(unsigned int) = {twice, next};

static noinline void odd_ones(void)
{
	asm volatile("mov $4, %%ecx\n1:\tloop 1b\n\t"
		     "jecxz 2f\n2:\t"
		     "call 3f\n3:\tpop %%eax\n\t"
		     "pushf\n\tpopf\n\t"
		     :
		     :
		     : "eax", "ecx", "cc", "memory");
}

void _start(void);
void _start(void)
{
	for (unsigned int i = 0; i < 1000; i++) {
		sum += functions[i % 2](i) + fibonacci(8);
		odd_ones();
		if (i % 10 == 0)
			sum += call(SYS_getpid, 0);
	}
	for (;;)
		call(SYS_exit, 0);
}
