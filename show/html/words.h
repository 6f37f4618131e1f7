/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Texts by numbers: each text is there once, and they are counted from 0. */
#ifndef KT_SHOW_HTML_WORDS_H
#define KT_SHOW_HTML_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

struct word {
	uint32_t number;
	uint32_t size;
	char text[];
};

/* All zero: none. */
struct words {
	struct arena arena;
	struct table table;
	struct word **list;
	uint32_t nr;
	uint64_t size;	 /* bytes of all of them */
	uint64_t factor; /* nobody can choose texts that have one hash */
};

/* 0 or -ENOMEM. */
int words_get(struct words *words, const char *text, size_t size,
	      uint32_t *number);
void words_free(struct words *words);

#endif /* KT_SHOW_HTML_WORDS_H */
