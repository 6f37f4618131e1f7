// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library that exports a mark, which is where a variable of its own begins. */
extern char mark[];

__asm__(".pushsection apart, \"aw\"\n"
	".globl mark\n"
	"mark:\n"
	".popsection");
static int own __attribute__((section("apart"))) = 1;

volatile long sink;

__attribute__((noinline)) long marked(int by)
{
	own += by;
	sink = (long)mark;
	return own;
}
