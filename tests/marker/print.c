// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * print - a program with a marker for each kind of conversion, which it also prints by
 * printf.  So what KTRACE_PRINT prints to standard error must equal the standard output
 *
 *   print [COUNT]	COUNT: hits one marker COUNT times
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define KTRACE_HANDLER(name, format, ...) \
	printf("marker-print:" #name ": " format "\n", ##__VA_ARGS__)
#include <ktrace/marker.h>

static void integers(void)
{
	const signed char minus = -3;
	const unsigned char byte = 250;

	KTRACE(plain, "%d %i %u %x %X %o", -1, INT_MIN, UINT_MAX, 0xbeefu,
	       0xbeefu, 8u);
	KTRACE(small, "%hhd %hhu %hd %hu %d %d", minus, byte, (short)-4,
	       (unsigned short)65000, minus, byte);
	KTRACE(wide, "%ld %lu %lld %llx", LONG_MIN, ULONG_MAX, LLONG_MIN,
	       1ull << 60);
	KTRACE(sizes, "%zu %zd %jd %td", sizeof(int), (ssize_t)-5, (intmax_t)-6,
	       (ptrdiff_t)7);
	KTRACE(cut, "%hhd %hd %hhx", 300, 70000, 0x1234);
	KTRACE(fields, "[%5d] [%-5d] [%05d] [%+d] [% d] [%.4d] [%8.3d]", 42, 42,
	       42, 42, 42, 42, 42);
	KTRACE(alternate, "%#x %#o %#X", 255u, 8u, 255u);
	KTRACE(stars, "[%*d] [%-*d] [%.*d] [%*d]", 6, 1, 6, 2, 3, 3, -6, 4);
	KTRACE(letters, "%c%c [%3c] [%-3c]", 'a', 'b', 'c', 'd');
	KTRACE(words, "100%% of %d%%", 7);
	KTRACE(yes, "%d", (_Bool)1);
}

static void others(void)
{
	char array[8] = "array", full[4] = {'f', 'u', 'l', 'l'};
	const char *text = "a longer text", *empty = "", *null = NULL;

	KTRACE(reals, "%f %e %g %F %G %E", 1.5, -2.25e10, 0.1, 3.0, 1e-9, 7.0);
	KTRACE(single, "%f %g", 0.1f, 1e10f);
	KTRACE(columns, "[%10.3f] [%-10.2e] [%+g] [%010.1f] [%.0f] [%#.0f]",
	       3.14159, 31415.9, 2.0, -2.5, 2.5, 3.0);
	KTRACE(special, "%f %F %g", __builtin_nan(""), __builtin_inf(),
	       -__builtin_inf());
	KTRACE(huge, "%f", 1e300);
	KTRACE(hexadecimal, "%a", 0.5);
	KTRACE(strings, "%s %s [%s]", text, array, empty);
	KTRACE(missing, "%s", null);
	KTRACE(bounded, "%.4s %.3s [%20s] [%-20s] [%5.2s]", full, text, text,
	       text, text);
	KTRACE(given, "[%.*s] [%*s]", 5, text, 16, text);
	KTRACE(pointer, "%p [%20p]", (void *)0x12345678, (void *)&null);
	KTRACE(nothing, "just text");
	errno = ENOENT;
	KTRACE(error, "%m %d", 5);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;

	if (!count) {
		integers();
		others();
	}
	for (int i = 0; i < count; i++)
		KTRACE(many, "number %d", i);
	return 0;
}
