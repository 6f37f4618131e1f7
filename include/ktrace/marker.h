/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Markers: one line at a place where something interesting happens.
 *
 *	#include <ktrace/marker.h>
 *
 *	KTRACE(submit, "queue %s depth %u", q->name, depth);
 *
 * No declaration, no registration, no id.  A marker is off until a recorder wants
 * it; until then it costs a program a test of one byte, a kernel module a no-op, and its
 * arguments are not evaluated.
 *
 * The compiler checks the format, which is that of printf, against the
 * arguments. But nothing is printed: arguments are recorded as they are, and
 * have the names in front of their conversions ("queue" and "depth" here).
 * There may be ten of them:
 *
 *	integers, enums, bool	of 1 to 8 bytes
 *	float, double		as they are; a long double as a double (programs)
 *	char *, char[]		copied up to the NUL, KTRACE_STRING_MAX bytes at most
 *	unsigned char[N]	N bytes (for %p)
 *	other pointers		the address
 *
 * A file may define, before it includes this:
 *
 *	KTRACE_DISABLED		its markers compile to nothing
 *	KTRACE_FORCED		every recorder gets its markers, wanted or not
 *	KTRACE_HANDLER(name, format, ...)
 *				code that also runs at each of its markers, on or off
 *
 * This header has what programs (marker_program.h) and kernel modules
 * (marker_kernel.h) have in common.
 */
#ifndef KTRACE_MARKER_H
#define KTRACE_MARKER_H

#include <ktrace/marker_types.h>

static inline __attribute__((unused, format(printf, 1, 2))) void
ktrace_check_format(const char *format, ...)
{
	(void)format;
}

/* ---- lists of arguments ------------------------------------------------------- */

#define KTRACE_CAT(a, b)  KTRACE_CAT_(a, b)
#define KTRACE_CAT_(a, b) a##b

/* Of what follows the name: the format, and the number of arguments. */
#define KTRACE_FIRST(...)	   KTRACE_FIRST_(__VA_ARGS__, )
#define KTRACE_FIRST_(format, ...) format
#define KTRACE_COUNT(...) \
	KTRACE_COUNT_(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define KTRACE_COUNT_(format, a, b, c, d, e, f, g, h, i, j, n, ...) n

/* m(x) for each argument. */
#define KTRACE_EACH(m, ...) \
	KTRACE_CAT(KTRACE_EACH_, KTRACE_COUNT(__VA_ARGS__))(m, __VA_ARGS__)
#define KTRACE_EACH_0(m, f)
#define KTRACE_EACH_1(m, f, x)	     m(x)
#define KTRACE_EACH_2(m, f, x, ...)  m(x) KTRACE_EACH_1(m, f, __VA_ARGS__)
#define KTRACE_EACH_3(m, f, x, ...)  m(x) KTRACE_EACH_2(m, f, __VA_ARGS__)
#define KTRACE_EACH_4(m, f, x, ...)  m(x) KTRACE_EACH_3(m, f, __VA_ARGS__)
#define KTRACE_EACH_5(m, f, x, ...)  m(x) KTRACE_EACH_4(m, f, __VA_ARGS__)
#define KTRACE_EACH_6(m, f, x, ...)  m(x) KTRACE_EACH_5(m, f, __VA_ARGS__)
#define KTRACE_EACH_7(m, f, x, ...)  m(x) KTRACE_EACH_6(m, f, __VA_ARGS__)
#define KTRACE_EACH_8(m, f, x, ...)  m(x) KTRACE_EACH_7(m, f, __VA_ARGS__)
#define KTRACE_EACH_9(m, f, x, ...)  m(x) KTRACE_EACH_8(m, f, __VA_ARGS__)
#define KTRACE_EACH_10(m, f, x, ...) m(x) KTRACE_EACH_9(m, f, __VA_ARGS__)
#define KTRACE_PASS(x)		     , KTRACE_VALUE(x)

/* ---- types of arguments; of C++, see marker_program.h ------------------------- */

#ifndef __cplusplus

/* clang-format off */
/* In _Generic an array is a pointer to its elements. */
#define KTRACE_IS_ARRAY_OF(x, element)                              \
	(!__builtin_types_compatible_p(__typeof__(x), element *) && \
	 !__builtin_types_compatible_p(__typeof__(x), const element *))

#define KTRACE_KIND(x)							\
	_Generic((x),							\
		_Bool: KTRACE_ARG_BOOL,					\
		char: (char)-1 < 0 ? KTRACE_ARG_SIGNED : KTRACE_ARG_UNSIGNED,\
		signed char: KTRACE_ARG_SIGNED,				\
		short: KTRACE_ARG_SIGNED,				\
		int: KTRACE_ARG_SIGNED,					\
		long: KTRACE_ARG_SIGNED,				\
		long long: KTRACE_ARG_SIGNED,				\
		unsigned char: KTRACE_ARG_UNSIGNED,			\
		unsigned short: KTRACE_ARG_UNSIGNED,			\
		unsigned int: KTRACE_ARG_UNSIGNED,			\
		unsigned long: KTRACE_ARG_UNSIGNED,			\
		unsigned long long: KTRACE_ARG_UNSIGNED,		\
		float: KTRACE_ARG_FLOAT,				\
		double: KTRACE_ARG_FLOAT,				\
		long double: KTRACE_ARG_FLOAT,				\
		char *: KTRACE_ARG_STRING,				\
		const char *: KTRACE_ARG_STRING,			\
		unsigned char *: KTRACE_IS_ARRAY_OF(x, unsigned char)	\
			? KTRACE_ARG_BYTES : KTRACE_ARG_POINTER,	\
		const unsigned char *: KTRACE_IS_ARRAY_OF(x, unsigned char)\
			? KTRACE_ARG_BYTES : KTRACE_ARG_POINTER,	\
		default: KTRACE_ARG_POINTER)

/* Bytes in the record. */
#define KTRACE_SIZEOF(x) _Generic((x), long double: 8, default: sizeof(x))

#define KTRACE_SIZE(x)							\
	(KTRACE_KIND(x) == KTRACE_ARG_STRING && !KTRACE_IS_ARRAY_OF(x, char)\
		 ? 0							\
	 : sizeof(x) > 65535 ? 65535 : KTRACE_SIZEOF(x))

#define KTRACE_ARGUMENT(x)   {KTRACE_KIND(x), 0, KTRACE_SIZE(x)},
#define KTRACE_STATIC_ASSERT _Static_assert

/* clang-format on */

/*
 * A site is a marker.  The other members of the union are never used: they only
 * put the types of the arguments into the debug information, where enumerations
 * have their names.
 */
#define KTRACE_SITE(...)                                                       \
	union {                                                                \
		struct ktrace_marker marker;                                   \
		void (*types)(int KTRACE_EACH(KTRACE_PASS_TYPE, __VA_ARGS__)); \
	}
#define KTRACE_PASS_TYPE(x) , __typeof__(x)

#endif

#define KTRACE_PLUS_SIZE(x) \
	+(KTRACE_KIND(x) == KTRACE_ARG_STRING ? 4 : KTRACE_SIZEOF(x))
#define KTRACE_FITS(...)                                                     \
	KTRACE_STATIC_ASSERT(0 KTRACE_EACH(KTRACE_PLUS_SIZE, __VA_ARGS__) <= \
				     KTRACE_FIXED_MAX,                       \
			     "arguments are too large for a marker")

/* ---- the macro ---------------------------------------------------------------- */

#ifdef KTRACE_FORCED
#define KTRACE_FLAGS KTRACE_FLAG_FORCED
#else
#define KTRACE_FLAGS 0
#endif

#ifndef KTRACE_HANDLER
#define KTRACE_HANDLER(name, ...) \
	do {                      \
	} while (0)
#endif

#ifdef KTRACE_DISABLED
#define KTRACE(name, ...)                                 \
	do {                                              \
		if (0)                                    \
			ktrace_check_format(__VA_ARGS__); \
	} while (0)
#endif

#ifdef __KERNEL__
#include <ktrace/marker_kernel.h>
#else
#include <ktrace/marker_program.h>
#endif

#endif /* KTRACE_MARKER_H */
