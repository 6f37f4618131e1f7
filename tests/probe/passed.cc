// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Parameters that are passed otherwise than they look, each with a plain one behind it. */
volatile long sink;

struct empty {
};

struct object {
	long first;
	long second;
	void call(int);
};

__attribute__((noinline)) static long no_bytes(empty, long behind)
{
	sink = behind;
	return behind;
}

__attribute__((noinline)) static long member(long object::*which, long behind)
{
	sink = behind;
	return behind + (which != nullptr);
}

__attribute__((noinline)) static long method(void (object::*which)(int),
					     long behind)
{
	sink = behind;
	return behind + (which != nullptr);
}

__attribute__((noinline)) static long wide_complex(_Complex double c,
						   long behind)
{
	sink = behind;
	return behind + (long)__real__ c;
}

__attribute__((noinline)) static long narrow_complex(_Complex float c,
						     long behind)
{
	sink = behind;
	return behind + (long)__real__ c;
}

__attribute__((noinline)) static long whole_complex(_Complex int c, long behind)
{
	sink = behind;
	return behind + __real__ c;
}

__attribute__((noinline)) static long long_double(long double c, long behind)
{
	sink = behind;
	return behind + (long)c;
}

__attribute__((noinline)) static long large(__int128 c, long behind)
{
	sink = behind;
	return behind + (long)c;
}

void object::call(int number)
{
	sink = number + first;
}

int main(int argc, char **)
{
	return no_bytes(empty(), argc + 10) +
	       member(&object::second, argc + 20) +
	       method(&object::call, argc + 30) +
	       wide_complex(argc, argc + 40) + narrow_complex(argc, argc + 50) +
	       whole_complex(argc, argc + 60) + long_double(argc, argc + 70) +
	       large(argc, argc + 80);
}
