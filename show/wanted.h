/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which types of a trace are shown: who asked for the output decides, once for each type. */
#ifndef KT_SHOW_WANTED_H
#define KT_SHOW_WANTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

/* All zero: nothing is decided yet. */
struct wanted {
	uint8_t *answers; /* by the number of the type; see wanted.c */
	size_t nr;
};

/*
 * @want's answer: all calls have the same @want and @data, which may take long and are asked only
 * once.  Without @want, each type is wanted.
 */
bool type_is_wanted(struct wanted *wanted, const struct ktrace_type *type,
		    bool (*want)(const struct ktrace_type *type, void *data),
		    void *data);
void wanted_destroy(struct wanted *wanted);

#endif /* KT_SHOW_WANTED_H */
