// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Times with a date behind them, as a comment. */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "call.h"

#define NS 1000000000u
#define US 1000000u

bool value_date(struct line *line, int64_t seconds, uint64_t part,
		unsigned int digits)
{
	char date[64], zone[16];
	time_t time = seconds;
	struct tm tm;

	if (!seconds && !part)
		return false;
	if (!localtime_r(&time, &tm) ||
	    !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) ||
	    !strftime(zone, sizeof(zone), "%z", &tm))
		return false;
	line_puts(line, date);
	if (part)
		line_printf(line, ".%0*" PRIu64, (int)digits, part);
	line_puts(line, zone);
	return true;
}

/* Not for what is no time, as too many nanoseconds. */
static void put_date(struct line *line, int64_t seconds, uint64_t part,
		     uint64_t limit)
{
	size_t begin = line->len;

	line_puts(line, " /* ");
	if (part < limit &&
	    value_date(line, seconds, part, limit == NS ? 9 : 6))
		line_puts(line, " */");
	else
		line->len = begin;
}

void value_date_comment(struct line *line, int64_t seconds, uint64_t ns)
{
	put_date(line, seconds, ns, NS);
}

static void put_time(struct line *line, const int64_t *v, uint64_t limit)
{
	line_printf(line, "{tv_sec=%" PRId64 ", tv_%s=%" PRIu64 "}", v[0],
		    limit == NS ? "nsec" : "usec", (uint64_t)v[1]);
	put_date(line, v[0], v[1], limit);
}

/* A time of a file that the kernel chooses, or does not change. */
static void put_special_time(struct line *line, const int64_t *v)
{
	struct constant constant = constant_begin(line);

	line_puts(line, v[1] == 0x3fffffff ? "UTIME_NOW" : "UTIME_OMIT");
	constant_end(line, &constant,
		     "{tv_sec=%" PRId64 ", tv_nsec=%" PRId64 "}", v[0], v[1]);
}

/* Two times of a file. */
static void put_pair(struct line *line, const int64_t *v, uint64_t limit)
{
	line_puts(line, "[");
	for (int i = 0; i < 4; i += 2) {
		if (limit == NS &&
		    (v[i + 1] == 0x3fffffff || v[i + 1] == 0x3ffffffe))
			put_special_time(line, &v[i]);
		else
			put_time(line, &v[i], limit);
		line_puts(line, i ? "]" : ", ");
	}
}

static void put_utime(struct line *line, const int64_t *v)
{
	line_printf(line, "{actime=%" PRId64, v[0]);
	put_date(line, v[0], 0, 1);
	line_printf(line, ", modtime=%" PRId64, v[1]);
	put_date(line, v[1], 0, 1);
	line_puts(line, "}");
}

static void put_seconds(struct line *line, int64_t seconds)
{
	line_printf(line, "[%" PRId64, seconds);
	put_date(line, seconds, 0, 1);
	line_puts(line, "]");
}

/* How many numbers of 64 bits a word needs; 0: it is no time. */
static size_t numbers_of(const struct ktrace_word *word)
{
	if (word_is(word, "timespecs") || word_is(word, "timevals"))
		return 4;
	if (word_is(word, "times"))
		return 2;
	return word_is(word, "time");
}

bool time_print(struct line *line, const struct call_view *view,
		unsigned int argument, bool exit)
{
	const struct ktrace_word *word = call_word(view, argument);
	size_t nr = numbers_of(word), size;
	struct captured c;
	int64_t v[4];
	int32_t small;

	/* Old calls of 32-bit programs have smaller numbers. */
	size = nr * (*word->set ? sizeof(small) : sizeof(*v));
	if (!size)
		return false;
	c = captured_get(view, exit, argument, "");
	if (!c.there || c.size < size || (exit && call_failed(view))) {
		value_address(line, call_argument(view, argument));
		return true;
	}
	for (size_t i = 0; i < nr; i++) {
		memcpy(&small, c.bytes + i * sizeof(small), sizeof(small));
		/* Only seconds have a sign. */
		v[i] = nr == 4 && i % 2 ? (int64_t)(uint32_t)small : small;
	}
	if (!*word->set)
		memcpy(v, c.bytes, size);
	if (word_is(word, "timespecs"))
		put_pair(line, v, NS);
	else if (word_is(word, "timevals"))
		put_pair(line, v, US);
	else if (word_is(word, "times"))
		put_utime(line, v);
	else
		put_seconds(line, v[0]);
	return true;
}
