/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Text whose first part may be packed: frames of zstd (RFC 8878), and behind them plain text.  What is packed
 * seldom changes, and is kept as it is; what is plain is appended when it is known.
 */
#ifndef KT_LIB_BASE_PACKED_H
#define KT_LIB_BASE_PACKED_H

#include <stddef.h>

struct text;

/* Appends a frame.  If there is no memory, @text has failed. */
void packed_add(struct text *text, const char *plain, size_t size);

/*
 * Unpacks untrusted bytes: replaces *@bytes, which was allocated, and *@size, by the whole text, with a NUL
 * behind it that *@size does not count.  Plain text stays as it is.  0; -ENOMEM; -EFBIG: it is larger than
 * @max; -EBADMSG: a frame is damaged.  After an error *@bytes is as it was.
 */
int packed_expand(char **bytes, size_t *size, size_t max);

#endif /* KT_LIB_BASE_PACKED_H */
