/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What print formats and type information say about the fields of events (print_format.h,
 * btf.h), kept for the running kernel until the next boot: finding it out takes 300 million
 * instructions for all events.
 */
#ifndef KT_LIB_KERNEL_FORMAT_CACHE_H
#define KT_LIB_KERNEL_FORMAT_CACHE_H

#include "cache.h"
#include "type/type.h"

struct format_cache;

/* The text of an event in `info', from its second line on: it decides what is said. */
struct format_text {
	const char *s;
	size_t len;
};

/* Never fails: what cannot be read is not known.  NULL: no memory. */
struct format_cache *format_cache_open(const struct cache *cache);
/* Writes what was added. */
void format_cache_close(struct format_cache *formats);

/*
 * Sets @type's print format, and what is said about its @fields.  False: it is not known,
 * and nothing was changed.
 */
bool format_cache_find(struct format_cache *formats,
		       const struct format_text *text, struct ktrace_type *type,
		       struct ktrace_field *fields, struct arena *arena);
void format_cache_add(struct format_cache *formats,
		      const struct format_text *text,
		      const struct ktrace_type *type);

#endif /* KT_LIB_KERNEL_FORMAT_CACHE_H */
