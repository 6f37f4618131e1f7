// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* See packed.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zstd.h>

#include "packed.h"
#include "text.h"

/* Higher ones take longer, and save little of lists of names. */
#define LEVEL 9

static const unsigned char magic[] = {0x28, 0xb5, 0x2f, 0xfd};

static bool is_frame(const char *bytes, size_t size)
{
	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

void packed_add(struct text *text, const char *plain, size_t size)
{
	size_t room = ZSTD_compressBound(size), length;
	char *frame = malloc(room);

	length = frame ? ZSTD_compress(frame, room, plain, size, LEVEL) : 0;
	if (!frame || ZSTD_isError(length))
		text->failed = true;
	else
		text_add(text, frame, length);
	free(frame);
}

/* Appends what a frame at the begin of @bytes has.  Returns its length, or -errno. */
static ssize_t frame_expand(const char *bytes, size_t size, size_t max,
			    struct text *text)
{
	size_t length = ZSTD_findFrameCompressedSize(bytes, size);
	/* Each frame of ours says this; if one does not, the number is larger than any. */
	unsigned long long plain = ZSTD_getFrameContentSize(bytes, size);
	char *s;

	if (ZSTD_isError(length) || plain == ZSTD_CONTENTSIZE_ERROR)
		return -EBADMSG;
	if (plain > max - text->len)
		return -EFBIG;
	s = realloc(text->s, text->len + plain + 1);
	if (!s)
		return -ENOMEM;
	text->s = s;
	text->room = text->len + plain + 1;
	if (ZSTD_decompress(s + text->len, plain, bytes, length) != plain)
		return -EBADMSG;
	text->len += plain;
	s[text->len] = '\0';
	return length;
}

int packed_expand(char **bytes, size_t *size, size_t max)
{
	struct text text = {0};
	size_t at = 0;
	ssize_t n = 0;

	if (!is_frame(*bytes, *size))
		return 0;
	for (; n >= 0 && is_frame(*bytes + at, *size - at); at += n) {
		n = frame_expand(*bytes + at, *size - at, max, &text);
		if (n < 0)
			break;
	}
	if (n >= 0 && *size - at > max - text.len)
		n = -EFBIG;
	if (n >= 0)
		text_add(&text, *bytes + at, *size - at);
	if (n >= 0 && (text.failed || !text.s))
		n = -ENOMEM;
	if (n < 0) {
		text_free(&text);
		return n;
	}
	free(*bytes);
	*bytes = text.s;
	*size = text.len;
	return 0;
}
