/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which events the user means: -e PATTERN,PATTERN... and -f FILTER.
 *
 * An event is meant if one of the patterns matches it (any event, if there are
 * only patterns with a `!'), and none of those with a `!' does.  A filter belongs
 * to the patterns of the -e before it; where several match, the last one counts.
 */
#ifndef KT_CMD_COMMON_SELECT_H
#define KT_CMD_COMMON_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/session.h>

#include "cmd.h"

struct choice {
	char *pattern;
	bool exclude;
	const char *filter;
	unsigned int group; /* of one -e */
	bool used;	    /* it matched something */
};

struct selection {
	struct choice *choices;
	size_t nr;
	unsigned int groups;
	const char **patterns; /* those to make known, see selection_patterns */
};

#define SELECTION_EMPTY \
	{               \
		0       \
	}

/* The argument of an -e. -EINVAL: there is none between two commas. */
int selection_add(struct selection *s, const char *patterns);
/* The same of the command line.  Returns an exit status. */
int selection_option(struct selection *s, const struct command *command,
		     const char *patterns);
/* -EINVAL: no -e before it. */
int selection_filter(struct selection *s, const char *filter);
/* The patterns of @from as well, which is empty then.  -ENOMEM. */
int selection_append(struct selection *s, struct selection *from);
void selection_free(struct selection *s);

/* Every event is meant. */
bool selection_is_all(const struct selection *s);
/* What ktrace_session_prepare() wants to know. */
const char *const *selection_patterns(struct selection *s, size_t *nr);
bool selection_match(const struct selection *s, const char *system,
		     const char *name);
/* The filter of an event that matches; NULL: none. */
const char *selection_filter_of(const struct selection *s, const char *system,
				const char *name);

/*
 * Complains about each pattern that matches nothing of what there is, and says
 * which names are near or why the event cannot be had.  Returns an exit status.
 */
int selection_check_known(struct selection *s, const struct ktrace_known *known,
			  size_t nr, const struct ktrace_session *session);
int selection_check_types(struct selection *s,
			  const struct ktrace_types *types);

/* A ktrace_cursor_options.want, with a selection as data. */
bool selection_wants(const struct ktrace_type *type, void *data);

#endif /* KT_CMD_COMMON_SELECT_H */
