// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Blocks within blocks, each with a variable. */
volatile int sink;

/* clang-format off */
#define BEGIN { int middle = sink; sink = middle + 1;
#define BEGIN_10 BEGIN BEGIN BEGIN BEGIN BEGIN BEGIN BEGIN BEGIN BEGIN BEGIN
#define BEGIN_100 BEGIN_10 BEGIN_10 BEGIN_10 BEGIN_10 BEGIN_10 BEGIN_10 \
	BEGIN_10 BEGIN_10 BEGIN_10 BEGIN_10
#define END_10 } } } } } } } } } }
#define END_100 END_10 END_10 END_10 END_10 END_10 END_10 END_10 END_10 \
	END_10 END_10

int deep(int outermost)
{
	BEGIN_100
	int innermost = outermost;
	sink = innermost;
	END_100
	return outermost;
}

int endless(int outermost)
{
	BEGIN_100 BEGIN_100 BEGIN_100
	int innermost = outermost;
	sink = innermost;
	END_100 END_100 END_100
	return outermost;
}
/* clang-format on */

int main(int argc, char **argv)
{
	return deep(argc) + endless(argc) - 2 * argc;
}
