// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A 32-bit program that is compiled with frame pointers: _start() calls first(), that calls
 * second(), and that writes to standard output.  It uses no library, because 32-bit libraries
 * may be missing.
 */
#define CALLED __attribute__((noinline, noclone, used))

static CALLED int second(const char *text, int length)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(4 /* write */), "b"(1), "c"(text), "d"(length)
			 : "memory");
	return result + 1;
}

static CALLED int first(const char *text)
{
	return second(text, 6) + 1;
}

void _start(void);

/* The kernel begins it with ebp of zero. */
CALLED void _start(void)
{
	int status = first("32bit\n") != 8;

	__asm__ volatile("int $0x80"
			 :
			 : "a"(1 /* exit */), "b"(status)
			 : "memory");
	__builtin_unreachable();
}
