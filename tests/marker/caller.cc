// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A program in C++; prints what its markers must record, as program.c does. */
#include <cstdint>
#include <cstdio>
#include <string>

#include <ktrace/marker.h>

enum color { RED, GREEN = 5 };
enum class mode : uint8_t { A, B = 200 };

inline void inlined(int n)
{
	KTRACE(inlined, "n %d", n);
	std::printf("inlined n=%d\n", n);
}

namespace space
{
struct thing {
	int a;
	void method() const
	{
		const void *self = this;

		KTRACE(method, "a %d self %p", a, self);
		std::printf("method a=%d self=%p\n", a, self);
	}
};
} // namespace space

int main()
{
	const std::string text = "text";
	const char *null = nullptr;
	const unsigned char mac[3] = {1, 2, 255};
	char array[8] = "array", full[4] = {'f', 'u', 'l', 'l'};
	const bool yes = true;
	auto lambda = [](int x) { KTRACE(lambda, "x %d", x); };

	KTRACE(strings, "s %s array %s full %.4s null %s", text.c_str(), array,
	       full, null);
	std::puts("strings s=text array=array full=full null=(null)");
	KTRACE(others, "mac %p yes %d color %d single %f double %f long %Lf",
	       mac, yes, GREEN, 1.5f, 2.25, 2.5L);
	std::puts(
		"others mac=0102ff yes=true color=5 single=1.5 double=2.25 long=2.5");
	KTRACE(numbers, "minus %hhd wide %lu mode %d", (signed char)-1, ~0ul,
	       (int)mode::B);
	std::puts("numbers minus=-1 wide=18446744073709551615 mode=200");
	inlined(3);
	space::thing{4}.method();
	lambda(9);
	std::puts("lambda x=9");
}
