/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bytes in a page: compressed (zlib, RFC 1950) and then as base64 (RFC 4648).  Browsers inflate
 * this by themselves (DecompressionStream "deflate"), and it has no character that means something
 * in HTML.
 */
#ifndef KT_SHOW_HTML_EMBED_H
#define KT_SHOW_HTML_EMBED_H

#include <zlib.h>

#include "output.h"

struct embed {
	z_stream stream;
	struct output *output;
	uint8_t rest[3]; /* not written yet: no whole group of base64 */
	unsigned int nr_rest;
};

/* 0, or a negative errno, as all of them.  Nothing is to be freed after an error. */
int embed_begin(struct embed *embed, struct output *output);
int embed_add(struct embed *embed, const void *bytes, size_t size);
/* The end of what was begun, which must be called in any case. */
int embed_end(struct embed *embed);

#endif /* KT_SHOW_HTML_EMBED_H */
