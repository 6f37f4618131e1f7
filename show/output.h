/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Text output without stdio: a large buffer, a function that writes it, and fast
 * conversions of numbers.
 *
 * Before text is added, output_room() must be called with the most bytes that
 * the text can have (at most OUTPUT_ROOM); then the caller stores at output->p.
 * If writing fails, the error is kept in output->err and all further text is
 * dropped. A caller that wants to stop early checks output->err.
 */
#ifndef KT_SHOW_OUTPUT_H
#define KT_SHOW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef OUTPUT_SIZE /* small in the fuzzers, so that it is often flushed */
#define OUTPUT_SIZE (1u << 20)
#endif
#define OUTPUT_ROOM 4096

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct output {
	char *p;
	char *end; /* of the buffer */
	char *buf;
	int (*write)(void *data, const char *text, size_t size);
	void *data;
	int err;
};

/* @write NULL: the text stays in the buffer, and must be taken before that is full. */
int output_init(struct output *output,
		int (*write)(void *data, const char *text, size_t size),
		void *data);
void output_destroy(struct output *output);
/* Returns output->err. */
int output_flush(struct output *output);

static inline void output_room(struct output *output, size_t n)
{
	if (unlikely((size_t)(output->end - output->p) < n))
		output_flush(output);
}

/* At most OUTPUT_ROOM bytes. */
static inline void output_add(struct output *output, const void *s, size_t n)
{
	output_room(output, n);
	memcpy(output->p, s, n);
	output->p += n;
}

static inline void output_puts(struct output *output, const char *s)
{
	output_add(output, s, strlen(s));
}

/* Any number of bytes. */
void output_write(struct output *output, const char *s, size_t n);

/*
 * Conversions of numbers.  They store at @p and return the end of the text.
 * The text has at most 20 characters, but up to 24 bytes are overwritten.
 */
extern const char digit_pairs[];

static inline char *put_u64_long(char *p, uint64_t v)
{
	uint64_t limit = 100000;
	unsigned int n = 5;
	char *end, *q;

	while (n < 20 && v >= limit) {
		limit *= 10;
		n++;
	}
	end = q = p + n;
	while (v >= 100) {
		q -= 2;
		memcpy(q, digit_pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(q - 2, digit_pairs + v * 2, 2);
	else
		q[-1] = '0' + v;
	return end;
}

static inline char *put_u64(char *p, uint64_t v)
{
	if (v < 10) {
		*p = '0' + v;
		return p + 1;
	}
	if (v < 100) {
		memcpy(p, digit_pairs + v * 2, 2);
		return p + 2;
	}
	if (v < 1000) {
		*p = '0' + v / 100;
		memcpy(p + 1, digit_pairs + v % 100 * 2, 2);
		return p + 3;
	}
	if (v < 10000) {
		memcpy(p, digit_pairs + v / 100 * 2, 2);
		memcpy(p + 2, digit_pairs + v % 100 * 2, 2);
		return p + 4;
	}
	return put_u64_long(p, v);
}

static inline char *put_s64(char *p, int64_t v)
{
	if (v >= 0)
		return put_u64(p, v);
	*p++ = '-';
	return put_u64(p, -(uint64_t)v);
}

/* The eight hexadecimal digits of @v, the highest in the lowest byte. */
static inline uint64_t hex_digits(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x | x << 16) & 0x0000ffff0000ffffull;
	x = (x | x << 8) & 0x00ff00ff00ff00ffull;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
	letters = (x + 0x0606060606060606ull) >> 4 & 0x0101010101010101ull;
	return __builtin_bswap64(x + 0x3030303030303030ull + letters * 0x27);
}

/* With 0x in front. */
static inline char *put_hex(char *p, uint64_t v)
{
	unsigned int digits = v ? (67 - __builtin_clzll(v)) / 4 : 1;
	uint64_t high, low;

	v <<= 64 - 4 * digits;
	high = hex_digits(v >> 32);
	low = hex_digits(v);
	memcpy(p, "0x", 2);
	memcpy(p + 2, &high, 8);
	memcpy(p + 10, &low, 8);
	return p + 2 + digits;
}

/* Exactly nine digits. */
static inline char *put_nanoseconds(char *p, uint32_t ns)
{
	uint32_t high = ns / 10000, low = ns % 10000;
	uint32_t top = high / 10000;

	high %= 10000;
	p[0] = '0' + top;
	memcpy(p + 1, digit_pairs + high / 100 * 2, 2);
	memcpy(p + 3, digit_pairs + high % 100 * 2, 2);
	memcpy(p + 5, digit_pairs + low / 100 * 2, 2);
	memcpy(p + 7, digit_pairs + low % 100 * 2, 2);
	return p + 9;
}

/* seconds.nanoseconds */
static inline char *put_time(char *p, uint64_t ns)
{
	p = put_u64(p, ns / 1000000000);
	*p++ = '.';
	return put_nanoseconds(p, ns % 1000000000);
}

#endif /* KT_SHOW_OUTPUT_H */
