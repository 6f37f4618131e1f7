/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Filters: conditions on the fields of an event, in the language of `ktrace record -f'
 * (FILTERS in ktrace(1)), for events of a trace.  They decide as the kernel does while it records,
 * but know no structures and no floating-point numbers, which the kernel takes for whole numbers.
 *
 *	err = ktrace_filter_create(event->type, "prev_prio < 100", NULL, &filter);
 *	if (!err && ktrace_filter_match(filter, event))
 *		puts("it has this priority");
 *	ktrace_filter_destroy(filter);
 *
 * A filter belongs to one type.  Several threads may use it at once.
 */
#ifndef KTRACE_FILTER_H
#define KTRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/library.h>
#include <ktrace/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ktrace_filter;

/*
 * 0; -ENOMEM; -ENOENT: the type has no field of this name; -EINVAL: it is no filter, or not one of this type;
 * -E2BIG: it is too long.  ktrace_last_error() says what is wrong and where; *@at is the offset of
 * that in @text (@at may be NULL).  The filter keeps neither @text nor @type.
 */
KTRACE_API int ktrace_filter_create(const struct ktrace_type *type,
				    const char *text, size_t *at,
				    struct ktrace_filter **filter);
/* @event: of the filter's type. */
KTRACE_API bool ktrace_filter_match(const struct ktrace_filter *filter,
				    const struct ktrace_event *event);
KTRACE_API void ktrace_filter_destroy(struct ktrace_filter *filter);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_FILTER_H */
