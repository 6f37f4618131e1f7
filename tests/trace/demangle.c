// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of C++ and Rust functions, and names that nobody should have. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

#include "read/demangle.h"

static const struct {
	const char *mangled, *name;
} names[] = {
	/* C++ */
	{"_ZNSt6vectorIiSaIiEE9push_backEOi",
	 "std::vector<int, std::allocator<int> >::push_back"},
	{"_Z3fooIiEvT_", "foo<int>"},
	{"_ZN1AC2Ev", "A::A"},
	{"_ZN1AD1Ev", "A::~A"},
	{"_Znwm", "operator new"},
	{"_ZNSt3mapIiiEixEOi", "std::map<int, int>::operator[]"},
	{"_ZN1AcvbEv", "A::operator bool"},
	{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()"},
	{"_ZN12_GLOBAL__N_14workEv", "(anonymous namespace)::work"},
	{"_ZTV1A", "vtable for A"},
	{"_ZThn16_N1A4workEv", "non-virtual thunk to A::work()"},
	/* What the compiler has split or changed. */
	{"_ZN1A4workEv.cold", "A::work"},
	{"_ZNK1A3barIiEEvT_.isra.0", "A::bar<int>"},
	{"_ZN1A4workEi.constprop.0.part.12", "A::work"},
	/* Rust, v0. */
	{"_RNvCs5QyN9jGNUOp_4core4main", "core::main"},
	{"_RNvC7mycrateu8gdel_5qa", "mycrate::g\xc3\xb6"
				    "del"},
	{"_RNvMs_NtCs5QyN9jGNUOp_4core3vecINtB4_3VechE4push",
	 "<core::vec::Vec<u8>>::push"},
	{"_RNCNvC4main1f0", "main::f::{closure#0}"},
	{"_RINvC4main3runFG_RL0_hEuE", "main::run::<for<'a> fn(&'a u8)>"},
	{"_RNvC4main4work.llvm.1234567", "main::work"},
	{"_RINvC03runuE", "::run::<()>"},
	/* The hash of a crate may look like a number of lifetimes. */
	{"_RNvCsFGab5QyN9j_4core4main", "core::main"},
	/* Rust, with a hash at the end. */
	{"_ZN4core3ptr13drop_in_place17h0123456789abcdefE",
	 "core::ptr::drop_in_place"},
	{"_ZN4core3ptr13drop_in_place17h0123456789abcdefE.llvm.99",
	 "core::ptr::drop_in_place"},
	{"_ZN54_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$my..Trait$GT$4push"
	 "17h0123456789abcdefE",
	 "<alloc::vec::Vec<T> as my::Trait>::push"},
};

TEST(names)
{
	char text[DEMANGLED_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		CHECK(demangle(names[i].mangled, text));
		CHECK_STR(text, names[i].name);
	}
}

TEST(not_mangled)
{
	static const char *const plain[] = {
		"",
		"_",
		"main",
		"_Z",
		"_R",
		"_start",
		"_ZN1A",
		"_Z_foo",
		"_RNvC4",
		"_RFoo",
		"__libc_start_main",
		"i",
		"_ZN1A4work\xff\xff",
	};
	char text[DEMANGLED_MAX];

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		CHECK(!demangle(plain[i], text));
}

/* ---- hostile names -------------------------------------------------------- */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Returns whether it was demangled, which must not take long. */
static bool try(const char *name, char text[DEMANGLED_MAX])
{
	double begin = seconds();
	bool done = demangle(name, text);

	CHECK(!done || strlen(text) < DEMANGLED_MAX);
	CHECK(seconds() - begin < 1);
	return done;
}

/* @number: of a part of the name that it repeats. */
static char *reference(char *at, int number)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	*at++ = 'S';
	if (number)
		*at++ = digits[number - 1];
	*at++ = '_';
	return at;
}

static char *add(char *at, const char *text)
{
	return stpcpy(at, text);
}

/* A function's type that has itself in it, twice in each of @depth steps. */
static char *doubled(char *at, int depth)
{
	for (int i = 0; i < depth; i++)
		at = add(at, "Fv");
	at = add(at, "1A");
	for (int i = 1; i <= depth; i++) {
		at = reference(at, i);
		*at++ = 'E';
	}
	return at;
}

/* 2^30 words: cut, and nobody waits for the others. */
TEST(endless_text)
{
	char name[1024], text[DEMANGLED_MAX], *at = add(name, "_Z1gI");

	at = doubled(at, 30);
	add(at, "EvT_");
	CHECK(try(name, text));
	CHECK_EQ(strlen(text), DEMANGLED_MAX - 1);
	CHECK(!strncmp(text, "g<void (void (", 14));
	CHECK_STR(text + DEMANGLED_MAX - 4, "...");
	/* The same in Rust: pairs of pairs, of which the second one is where the first is. */
	at = add(name, "_RINvC1a1b");
	for (int i = 0; i < 30; i++)
		*at++ = 'T';
	at = add(at, "hhE");
	for (int i = 29; i; i--) {
		/* Behind "_R", in base 62 without 0: 10 is "a". */
		*at++ = 'B';
		*at++ = 7 + i < 10 ? '0' + 7 + i
				   : (7 + i < 36 ? 'a' - 10 : 'A' - 36) + 7 + i;
		at = add(at, "_E");
	}
	add(at, "E");
	CHECK(try(name, text));
	CHECK_EQ(strlen(text), DEMANGLED_MAX - 1);
	CHECK(!strncmp(text, "a::b::<((((", 11));
}

/* Searched through for nothing: no text comes meanwhile. */
TEST(endless_search)
{
	static const char *const before[] = {"_Z1gIJEXsZcv", "_Z1gIJEDp"};
	static const char *const behind[] = {"_EEEvT_", "EvT_"};
	char name[1024], text[DEMANGLED_MAX], *at;

	for (int i = 0; i < 2; i++) {
		at = doubled(add(name, before[i]), 34);
		add(at, behind[i]);
		CHECK(!try(name, text));
		at = doubled(add(name, before[i]), 4);
		add(at, behind[i]);
		CHECK(try(name, text));
	}
}

/* Each of them is read twice, with all that is in it. */
TEST(endless_reading)
{
	char name[1024], text[DEMANGLED_MAX], *at = add(name, "_ZN1A");

	for (int i = 0; i < 40; i++)
		at = add(at, "cvT_IN1A");
	at = add(at, "cvi");
	for (int i = 0; i < 40; i++)
		at = add(at, "EE");
	add(at, "EEv");
	CHECK(!try(name, text));
}

/* 62^8 lifetimes, in a type that is not shown. */
TEST(endless_count)
{
	char text[DEMANGLED_MAX];

	CHECK(!try("_RNvMINvC1a1bFGzzzzzzzz_EuEu1c", text));
	CHECK(!try("_RNvMINvC1a1bDGzzzzzzzz_EL_Eu1c", text));
	/* Counted before they are seen to make no sense, also if they look like a crate. */
	CHECK(!try("_RNvMINvC1a1bFGzzzzzzzz_0", text));
	CHECK(!try("_RNvMINvC1a3aCsFGzzzzzzzz_0", text));
	CHECK(!try("_RNvMINvC1a3aCsDGzzzzzzzz_EL_Eu1c", text));
	CHECK(try("_RNvMINvC1a1bFGz_EuEu1c", text));
	CHECK_STR(text, "<()>::c");
}

TEST(deep)
{
	static char name[200000];
	char text[DEMANGLED_MAX];

	for (size_t length = 10; length < sizeof(name); length *= 3) {
		memset(name, 'P', length);
		memcpy(name, "_Z1fI", 5);
		strcpy(name + length, "iEvT_");
		try(name, text);
		memset(name, 'R', length);
		memcpy(name, "_RINvC1a1b", 10);
		strcpy(name + length, "hE");
		try(name, text);
	}
	CHECK(!try(name, text));
}

CHECK_MAIN
