// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Markers whose arguments are enumerations; C and C++. See enums. */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <ktrace/marker.h>

enum color { RED, GREEN = 5, BLUE = 70000 };
typedef enum { LESS = -1, SAME, MORE } order;

#ifdef __cplusplus
enum wide { LARGE = 0x123456789all };

namespace space
{
enum class mode : uint8_t { A, B = 200 };
}
struct thing {
	static void method(space::mode m)
	{
		KTRACE(method, "mode %d", (int)m);
		KTRACE(scoped, "mode %d", m == space::mode::B ? GREEN : RED);
	}
};
#endif

static inline void inlined(enum color c)
{
	KTRACE(inlined, "color %d", c);
}

/* Within two seconds, so that a reader that polls sometimes can keep up. */
static void many(void)
{
	const enum color c = GREEN;

	for (int i = 0; i < 400000; i++) {
		KTRACE(many, "color %d i %d", c, i);
		if (i % 1000 == 999)
			usleep(5000);
	}
}

int main(int argc, char **argv)
{
	const enum color colors[] = {RED, GREEN, BLUE, (enum color)3};
	const order orders[] = {LESS, SAME, MORE, SAME};

	if (argc > 1 && *argv[1] == 'm') {
		many();
		return 0;
	}
	for (int i = 0; i < 4; i++) {
		enum color c = colors[i];
		const volatile order o = orders[i];

		KTRACE(enums, "color %u order %d i %d name %s", c, o, i,
		       argc > 1 ? "x" : "y");
	}
	inlined(BLUE);
#ifdef __cplusplus
	thing::method(space::mode::B);
	KTRACE(wide, "wide %lx", LARGE);
#endif
	if (argc > 1)
		pause();
	return 0;
}
