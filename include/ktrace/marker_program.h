/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Markers in a program; included by marker.h.
 *
 * The program links with libktrace-marker (pkg-config ktrace-marker).  It records into
 * memory that it shares with the recorder: see ktrace-record(1).  All of it may be
 * called in signal handlers.
 */
#ifndef KTRACE_MARKER_PROGRAM_H
#define KTRACE_MARKER_PROGRAM_H

#include <ktrace/marker_types.h>

#ifdef __cplusplus
#include <type_traits>
extern "C" {
#endif

/* What on points to before the marker is known. */
extern const uint8_t ktrace_marker_off[1];

/*
 * Adds all markers of an object.  A second call with the same ones does
 * nothing.
 */
void ktrace_markers_add(struct ktrace_marker *const *begin,
			struct ktrace_marker *const *end);
void ktrace_markers_remove(struct ktrace_marker *const *begin,
			   struct ktrace_marker *const *end);

/*
 * A probe: a function that is called when markers are hit, and gets their arguments.
 *
 *	static void submitted(struct ktrace_marker_probe *probe,
 *			      const struct ktrace_marker *marker,
 *			      const uint64_t *values)
 *	{
 *		depth_sum += values[1];
 *	}
 *
 *	static struct ktrace_marker_probe probe = {"submit", submitted};
 *
 *	err = ktrace_marker_probe_register(&probe);
 *
 * A kernel module's is the same (marker_probe.h).  It may be in the program or
 * in any library, including preloaded ones; markers may become known before or
 * after it.
 *
 * marker->arguments describes the values; KTRACE_ARG_END is the last.  Each has
 * a kind, and numbers have a size.  Signed numbers are extended to 64 bits;
 * ktrace_probe_double() converts floating point.  For pointers, strings and
 * arrays the value is the address, which may be used until the function
 * returns.  A string may be NULL.  A string whose size is not 0 is an array,
 * which need not have a NUL.
 *
 * It is called at the marker, also in signal handlers, and has to return.  In a
 * thread where it runs already it is not called again; those hits are counted
 * (missed).
 */
struct ktrace_marker_probe {
	const char *pattern; /* as of ktrace record -M: "a*,!b" */
	void (*hit)(struct ktrace_marker_probe *probe,
		    const struct ktrace_marker *marker, const uint64_t *values);
	void *data; /* its owner's */
	uint64_t missed;
};

/*
 * 0, or -EINVAL, -EBUSY: it is registered, -ENOSPC: there are 31.  Not in
 * signal handlers.
 */
int ktrace_marker_probe_register(struct ktrace_marker_probe *probe);
/*
 * After it has returned 0, the function does not run in any thread any more.
 * -ENOENT: it is not registered; -EDEADLK: called by a probe.
 */
int ktrace_marker_probe_unregister(struct ktrace_marker_probe *probe);

/* Called through their addresses, not through the PLT. */
#ifdef __has_attribute
#if __has_attribute(noplt)
#define KTRACE_NEAR __attribute__((noplt))
#endif
#endif
#ifndef KTRACE_NEAR
#define KTRACE_NEAR
#endif

/* The payload of numbers that fit into this many words, in their order. */
KTRACE_NEAR void ktrace_words_0(struct ktrace_marker *);
KTRACE_NEAR void ktrace_words_1(struct ktrace_marker *, uint64_t);
KTRACE_NEAR void ktrace_words_2(struct ktrace_marker *, uint64_t, uint64_t);
KTRACE_NEAR void ktrace_words_3(struct ktrace_marker *, uint64_t, uint64_t,
				uint64_t);

/* One for each number of arguments; floating point as its bits. */
KTRACE_NEAR void ktrace_hit_0(struct ktrace_marker *);
KTRACE_NEAR void ktrace_hit_1(struct ktrace_marker *, uint64_t);
KTRACE_NEAR void ktrace_hit_2(struct ktrace_marker *, uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_3(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t);
KTRACE_NEAR void ktrace_hit_4(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_5(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_6(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_7(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_8(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			      uint64_t);
KTRACE_NEAR void ktrace_hit_9(struct ktrace_marker *, uint64_t, uint64_t,
			      uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			      uint64_t, uint64_t);
KTRACE_NEAR void ktrace_hit_10(struct ktrace_marker *, uint64_t, uint64_t,
			       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			       uint64_t, uint64_t, uint64_t);

static inline uint64_t ktrace_of_float(float x)
{
	union {
		float f;
		uint32_t bits;
	} u = {x};

	return u.bits;
}

static inline uint64_t ktrace_of_double(double x)
{
	union {
		double f;
		uint64_t bits;
	} u = {x};

	return u.bits;
}

/* For probes: a value of the kind KTRACE_ARG_FLOAT. */
static inline double ktrace_probe_double(const struct ktrace_argument *argument,
					 uint64_t value)
{
	union {
		uint64_t bits;
		double d;
	} u = {value};
	union {
		uint32_t bits;
		float f;
	} single = {(uint32_t)value};

	return argument->size == sizeof(float) ? (double)single.f : u.d;
}

/* What a number of @size bytes adds to a word, from @offset in bytes on. */
static inline __attribute__((always_inline, unused)) uint64_t ktrace_part(
	uint64_t value, int size, int offset, int word)
{
	int shift = 8 * (offset - 8 * word);

	if (!size || shift >= 64 || shift <= -64)
		return 0;
	value = value << (64 - 8 * size) >> (64 - 8 * size);
	return shift >= 0 ? value << shift : value >> -shift;
}

#define KTRACE_WORD(n)                                          \
	(ktrace_part(a, as, 0, n) | ktrace_part(b, bs, as, n) | \
	 ktrace_part(c, cs, as + bs, n))

/* The sizes are constants, so the compiler reduces all this to some shifts. */
static inline __attribute__((always_inline, unused)) void ktrace_put(
	struct ktrace_marker *marker, uint64_t a, int as, uint64_t b, int bs,
	uint64_t c, int cs)
{
	if (as + bs + cs <= 8)
		ktrace_words_1(marker, KTRACE_WORD(0));
	else if (as + bs + cs <= 16)
		ktrace_words_2(marker, KTRACE_WORD(0), KTRACE_WORD(1));
	else
		ktrace_words_3(marker, KTRACE_WORD(0), KTRACE_WORD(1),
			       KTRACE_WORD(2));
}

#ifdef __cplusplus
}
#endif

/* ---- values of arguments, and the types that they have in C++ ------------------- */

#ifdef __cplusplus

/*
 * The site of marker.h, of a type that no other file knows.  So it stays out of
 * the groups that the linker merges: these could not have entries in a section
 * that all files share.
 */
namespace
{
template <class, class... T> union ktrace_site {
	struct ktrace_marker marker;
	void (*types)(int, T...);
};
} // namespace

template <class T> struct ktrace_type {
	static constexpr uint8_t kind =
		std::is_same<T, bool>::value	   ? KTRACE_ARG_BOOL
		: std::is_floating_point<T>::value ? KTRACE_ARG_FLOAT
		: std::is_pointer<T>::value || std::is_null_pointer<T>::value
			? KTRACE_ARG_POINTER
		: std::is_enum<T>::value   ? ((T)-1 < (T)0 ? KTRACE_ARG_SIGNED
							   : KTRACE_ARG_UNSIGNED)
		: std::is_signed<T>::value ? KTRACE_ARG_SIGNED
					   : KTRACE_ARG_UNSIGNED;
	static constexpr uint16_t size = sizeof(T);
};
template <> struct ktrace_type<long double> : ktrace_type<double> {
};
template <> struct ktrace_type<char *> {
	static constexpr uint8_t kind = KTRACE_ARG_STRING;
	static constexpr uint16_t size = 0;
};
template <> struct ktrace_type<const char *> : ktrace_type<char *> {
};
template <unsigned long n> struct ktrace_type<char[n]> {
	static constexpr uint8_t kind = KTRACE_ARG_STRING;
	static constexpr uint16_t size = n < 65536 ? n : 65535;
};
template <unsigned long n>
struct ktrace_type<const char[n]> : ktrace_type<char[n]> {
};
template <unsigned long n> struct ktrace_type<unsigned char[n]> {
	static constexpr uint8_t kind = KTRACE_ARG_BYTES;
	static constexpr uint16_t size = n < 65536 ? n : 65535;
};
template <unsigned long n>
struct ktrace_type<const unsigned char[n]> : ktrace_type<unsigned char[n]> {
};

static inline uint64_t ktrace_value(float x)
{
	return ktrace_of_float(x);
}
static inline uint64_t ktrace_value(double x)
{
	return ktrace_of_double(x);
}
static inline uint64_t ktrace_value(long double x)
{
	return ktrace_of_double(x);
}
template <class T> static inline uint64_t ktrace_value(const T &x)
{
	return (uint64_t)x;
}

#define KTRACE_TYPE(x)                       \
	ktrace_type<typename std::remove_cv< \
		typename std::remove_reference<decltype((x))>::type>::type>
#define KTRACE_KIND(x) (KTRACE_TYPE(x)::kind)
/* Bytes in the record. */
#define KTRACE_SIZEOF(x) \
	(KTRACE_KIND(x) == KTRACE_ARG_FLOAT ? KTRACE_TYPE(x)::size : sizeof(x))
#define KTRACE_ARGUMENT(x)   {KTRACE_KIND(x), 0, KTRACE_TYPE(x)::size},
#define KTRACE_VALUE(x)	     ktrace_value(x)
#define KTRACE_STATIC_ASSERT static_assert
#define KTRACE_SITE(...) \
	ktrace_site<void KTRACE_EACH(KTRACE_PASS_TYPE, __VA_ARGS__)>
#define KTRACE_PASS_TYPE(x)        \
	, typename std::remove_cv< \
		  typename std::remove_reference<decltype((x))>::type>::type

#else

/* clang-format off */
/* The branches that are not chosen must compile too. */
#define KTRACE_IF(type, x) _Generic((x), type: (x), default: 0)

#define KTRACE_VALUE(x)							\
	_Generic((x),							\
		float: ktrace_of_float(KTRACE_IF(float, x)),		\
		double: ktrace_of_double(KTRACE_IF(double, x)),		\
		long double: ktrace_of_double(KTRACE_IF(long double, x)),\
		default: (uint64_t)(x))
/* clang-format on */

#endif

/* ---- hits ----------------------------------------------------------------------- */

/*
 * Up to three numbers are passed in words; everything else as separate values.
 */
#define KTRACE_NUMBERS(...)  (1 KTRACE_EACH(KTRACE_AND_NUMBER, __VA_ARGS__))
#define KTRACE_AND_NUMBER(x) &&KTRACE_IS_NUMBER(x)
#define KTRACE_IS_NUMBER(x)                     \
	(KTRACE_KIND(x) != KTRACE_ARG_STRING && \
	 KTRACE_KIND(x) != KTRACE_ARG_BYTES)
#define KTRACE_BYTES(x) (KTRACE_IS_NUMBER(x) ? (int)KTRACE_SIZEOF(x) : 8)
#define KTRACE_VALUES(n, m, ...) \
	ktrace_hit_##n(m KTRACE_EACH(KTRACE_PASS, __VA_ARGS__))

#define KTRACE_HIT_0(m, f) ktrace_words_0(m)
#define KTRACE_HIT_1(m, f, x)                                                  \
	(KTRACE_NUMBERS(f, x)                                                  \
		 ? ktrace_put(m, KTRACE_VALUE(x), KTRACE_BYTES(x), 0, 0, 0, 0) \
		 : KTRACE_VALUES(1, m, f, x))
#define KTRACE_HIT_2(m, f, x, y)                                      \
	(KTRACE_NUMBERS(f, x, y)                                      \
		 ? ktrace_put(m, KTRACE_VALUE(x), KTRACE_BYTES(x),    \
			      KTRACE_VALUE(y), KTRACE_BYTES(y), 0, 0) \
		 : KTRACE_VALUES(2, m, f, x, y))
#define KTRACE_HIT_3(m, f, x, y, z)                                \
	(KTRACE_NUMBERS(f, x, y, z)                                \
		 ? ktrace_put(m, KTRACE_VALUE(x), KTRACE_BYTES(x), \
			      KTRACE_VALUE(y), KTRACE_BYTES(y),    \
			      KTRACE_VALUE(z), KTRACE_BYTES(z))    \
		 : KTRACE_VALUES(3, m, f, x, y, z))
#define KTRACE_HIT_4(m, ...)  KTRACE_VALUES(4, m, __VA_ARGS__)
#define KTRACE_HIT_5(m, ...)  KTRACE_VALUES(5, m, __VA_ARGS__)
#define KTRACE_HIT_6(m, ...)  KTRACE_VALUES(6, m, __VA_ARGS__)
#define KTRACE_HIT_7(m, ...)  KTRACE_VALUES(7, m, __VA_ARGS__)
#define KTRACE_HIT_8(m, ...)  KTRACE_VALUES(8, m, __VA_ARGS__)
#define KTRACE_HIT_9(m, ...)  KTRACE_VALUES(9, m, __VA_ARGS__)
#define KTRACE_HIT_10(m, ...) KTRACE_VALUES(10, m, __VA_ARGS__)

#ifndef KTRACE_DISABLED

/*
 * Puts the site's address into the section that has all of them.  GCC forgets
 * the section of a variable in a template (its bug 41091), so the assembler
 * puts it in. It may meet one site several times, because functions are inlined
 * and loops unrolled.  (In the large code model addresses are not constants, so
 * there are no markers in templates.)
 */
#if defined(__cplusplus) && defined(__GNUC__) && !defined(__clang__) && \
	!defined(__code_model_large__)
#define KTRACE_ENTRY(site)                                        \
	__asm__ volatile(".ifndef .Lktrace_entry_%c0\n"           \
			 "	.pushsection ktrace_markers, \"aw\"\n" \
			 "	.balign	8\n"                           \
			 ".Lktrace_entry_%c0:\n"                  \
			 "	.8byte	%c0\n"                          \
			 "	.popsection\n"                         \
			 ".endif"                                 \
			 :                                        \
			 : "i"(&site))
#else
#define KTRACE_ENTRY(site)                                                \
	static __typeof__(site) *const ktrace_entry_                      \
		__attribute__((section("ktrace_markers"), used)) = &site; \
	(void)ktrace_entry_
#endif

#define KTRACE(name_, ...)                                                     \
	do {                                                                   \
		static const struct ktrace_argument ktrace_arguments_[] = {    \
			KTRACE_EACH(KTRACE_ARGUMENT,                           \
				    __VA_ARGS__){KTRACE_ARG_END, 0, 0}};       \
		static KTRACE_SITE(__VA_ARGS__)                                \
			ktrace_site_ = {{{0, 0},                               \
					 ktrace_marker_off,                    \
					 #name_,                               \
					 KTRACE_FIRST(__VA_ARGS__),            \
					 __FILE__,                             \
					 __func__,                             \
					 ktrace_arguments_,                    \
					 __LINE__,                             \
					 KTRACE_MARKER_VERSION,                \
					 KTRACE_FLAGS,                         \
					 0,                                    \
					 0,                                    \
					 0,                                    \
					 0,                                    \
					 0,                                    \
					 {0}}};                                \
		KTRACE_ENTRY(ktrace_site_);                                    \
		KTRACE_FITS(__VA_ARGS__);                                      \
		if (0)                                                         \
			ktrace_check_format(__VA_ARGS__);                      \
		KTRACE_HANDLER(name_, __VA_ARGS__);                            \
		if (__builtin_expect(                                          \
			    *(const volatile uint8_t *)ktrace_site_.marker.on, \
			    0))                                                \
			KTRACE_CAT(KTRACE_HIT_, KTRACE_COUNT(__VA_ARGS__))     \
		(&ktrace_site_.marker, __VA_ARGS__);                           \
	} while (0)

/*
 * The linker knows where an object's markers are.  Each file that has markers
 * adds those of the whole object; only the first call of an object has an
 * effect.
 */
extern struct ktrace_marker *const __start_ktrace_markers[]
	__attribute__((weak, visibility("hidden")));
extern struct ktrace_marker *const __stop_ktrace_markers[]
	__attribute__((weak, visibility("hidden")));

static __attribute__((constructor(101), unused)) void ktrace_markers_begin(void)
{
	ktrace_markers_add(__start_ktrace_markers, __stop_ktrace_markers);
}

static __attribute__((destructor(101), unused)) void ktrace_markers_end(void)
{
	ktrace_markers_remove(__start_ktrace_markers, __stop_ktrace_markers);
}

#endif /* KTRACE_DISABLED */

#endif /* KTRACE_MARKER_PROGRAM_H */
