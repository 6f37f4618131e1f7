/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text, built in the seq_file's own buffer: a file may have ten thousand lines.  A format string would take
 * four times as long, and a call of seq_puts() for each word twice.
 */
#ifndef KT_KERNEL_BASE_LINE_H
#define KT_KERNEL_BASE_LINE_H

#include <linux/seq_file.h>
#include <linux/string.h>

struct line {
	char *to;
	char *end;
};

static inline struct line line_begin(struct seq_file *m)
{
	struct line line;
	size_t room = seq_get_buf(m, &line.to);

	line.end = line.to + room;
	return line;
}

/* If it did not fit, seq_file calls us again with a larger buffer. */
static inline void line_end(struct line *line, struct seq_file *m,
			    const char *begin)
{
	seq_commit(m, line->to < line->end ? line->to - begin : -1);
}

/* If the text does not fit, the line is full. */
static inline void line_add(struct line *line, const char *text)
{
	ssize_t length = strscpy(line->to, text, line->end - line->to);

	line->to = length < 0 ? line->end : line->to + length;
}

static __always_inline void line_add_bytes(struct line *line, const char *from,
					   size_t size)
{
	if (size > line->end - line->to) {
		line->to = line->end;
		return;
	}
	memcpy(line->to, from, size);
	line->to += size;
}

/* A string literal, whose length the compiler knows. */
#define line_add_literal(line, text) \
	line_add_bytes(line, "" text, sizeof(text) - 1)

static inline void line_add_number(struct line *line, u32 number)
{
	unsigned int digits = 1;
	char *at;

	for (u32 rest = number; rest >= 10; rest /= 10)
		digits++;
	if (digits > line->end - line->to) {
		line->to = line->end;
		return;
	}
	line->to = at = line->to + digits;
	do {
		*--at = '0' + number % 10;
		number /= 10;
	} while (number);
}

#endif /* KT_KERNEL_BASE_LINE_H */
