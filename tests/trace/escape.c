// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Strings from unknown sources: what is UTF-8, and what neither a terminal nor JSON may get. */
#include "check.h"

#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"

static size_t length(const char *s)
{
	return utf8_length((const uint8_t *)s, strlen(s));
}

TEST(well_formed)
{
	CHECK_EQ(length("a"), 1);
	CHECK_EQ(length("\x7f"), 1);
	CHECK_EQ(length("\xc2\x80"), 2);
	CHECK_EQ(length("\xdf\xbf"), 2);
	CHECK_EQ(length("\xe0\xa0\x80"), 3);
	CHECK_EQ(length("\xed\x9f\xbf"), 3);
	CHECK_EQ(length("\xef\xbf\xbf"), 3);
	CHECK_EQ(length("\xf0\x90\x80\x80"), 4);
	CHECK_EQ(length("\xf4\x8f\xbf\xbf"), 4);
	/* Later bytes are not read. */
	CHECK_EQ(length("\xc3\xa4\xff"), 2);
}

TEST(ill_formed)
{
	static const char *const bad[] = {
		"\x80",
		"\xbf",
		"\xc0\x80", /* overlong */
		"\xc1\xbf",
		"\xe0\x9f\xbf",
		"\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80",
		/* a surrogate */ "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xc3", /* cut */
		"\xe2\x82",
		"\xf0\x9f\x98",
		"\xc3(",
		"\xe2(\xac",
		"\xf0\x9f(\x80",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (length(bad[i]))
			check_fail("%zu is not well-formed", i);
	/* Of four bytes, only two exist. */
	CHECK_EQ(utf8_length((const uint8_t *)"\xf0\x9f\x98\x80", 2), 0);
}

/* Every code point, compared with one table for all outputs. */
TEST(controls)
{
	for (unsigned int c = 1; c < 0x800; c++) {
		uint8_t s[2] = {c};

		if (c >= 0x80) {
			s[0] = 0xc0 | c >> 6;
			s[1] = 0x80 | (c & 0x3f);
		}
		CHECK_EQ(utf8_is_control(s),
			 c < 0x20 || (c >= 0x7f && c < 0xa0));
	}
}

static void check_both(const char *s, const char *text, const char *json)
{
	char *escaped = escape_text(s);

	CHECK_STR(escaped, text);
	free(escaped);
	escaped = escape_json(s);
	CHECK_STR(escaped, json);
	free(escaped);
}

TEST(escapes)
{
	check_both("", "", "");
	check_both("bash", "bash", "bash");
	check_both("\xc3\xa4\xe2\x82\xac", "\xc3\xa4\xe2\x82\xac",
		   "\xc3\xa4\xe2\x82\xac");
	check_both("a\"b\\", "a\"b\\", "a\\\"b\\\\");
	check_both("\x1b[2J\x7f", "\\x1b[2J\\x7f", "\\u001b[2J\\u007f");
	/* C1: a terminal takes U+009B as the begin of a command. */
	check_both("\xc2\x9b", "\\xc2\\x9b", "\\u009b");
	check_both("\xc2\xa0", "\xc2\xa0", "\xc2\xa0");
	check_both("\x9b\xc3", "\\x9b\\xc3", "\\ufffd\\ufffd");
}

/* The same for metadata, which people read with cat. */
TEST(strings_of_the_metadata)
{
	struct text text = {0};

	text_json(&text, "a \"\\\n\x7f\xc2\x85\xc3\xa4\xff\xe2\x82");
	CHECK(!text.failed);
	CHECK_STR(text.s, "\"a \\\"\\\\\\u000a\\u007f\\u0085\xc3\xa4"
			  "\\ufffd\\ufffd\\ufffd\"");
	text_free(&text);
}

/* A plain text is copied in one piece.  Texts of all lengths meet each end of the memory. */
TEST(plain_strings_of_the_metadata)
{
	char s[600];

	memset(s, '~', sizeof(s));
	for (size_t n = 0; n < sizeof(s); n++) {
		struct text text = {0};

		s[n] = '\0';
		text_json(&text, s);
		CHECK_EQ(text.len, n + 2);
		CHECK(text.room > text.len);
		CHECK_EQ(strlen(text.s), n + 2);
		CHECK(text.s[0] == '"' && text.s[n + 1] == '"');
		CHECK(!memcmp(text.s + 1, s, n));
		text_free(&text);
		s[n] = '~';
	}
}

CHECK_MAIN
