/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The events that the user selects: -e PATTERN,PATTERN... and -f FILTER.
 *
 * An event is selected if one of the patterns matches it, and none of those
 * with a `!'.  If all patterns have a `!', all other events are selected.  A
 * filter belongs to the patterns of the -e before it.  If several filters match
 * an event, the last one is used.
 */
#ifndef KT_CMD_COMMON_SELECT_H
#define KT_CMD_COMMON_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/session.h>

#include "cmd.h"

struct near;

struct choice {
	char *pattern;
	bool exclude;
	bool calls; /* names calls, by what programs call them: see call_name.h */
	bool optional; /* there may be no such event */
	const char *filter;
	unsigned int group; /* number of the -e */
	bool used;	    /* it matched something */
};

struct selection {
	struct choice *choices;
	size_t nr;
	unsigned int groups;
	bool calls;		     /* some choices are about calls */
	struct ktrace_patterns *set; /* of the choices; NULL: there are none */
	const char **patterns;	     /* see selection_patterns() */
};

#define SELECTION_EMPTY \
	{               \
		0       \
	}

/* Adds the argument of an -e.  -EINVAL: a pattern is empty. */
int selection_add(struct selection *s, const char *patterns);
/*
 * The same, of events of calls by the names that programs know.  @optional: that there are no such
 * events is no mistake.
 */
int selection_add_calls(struct selection *s, const char *patterns,
			bool optional);
/* The same as selection_add(), for the command line.  Returns an exit status. */
int selection_option(struct selection *s, const struct command *command,
		     const char *patterns);
/* Adds a filter to the last -e.  -EINVAL: there is none, or it only excludes; -EEXIST: it has one. */
int selection_filter(struct selection *s, const char *filter);
/* Moves the patterns of @from to @s.  -ENOMEM. */
int selection_append(struct selection *s, struct selection *from);
/*
 * Removes the patterns that mean nothing known; calls @tell with each.  What only excludes goes, too,
 * if nothing else is left: alone it would select all other events.  -ENOMEM.
 */
int selection_drop_unknown(struct selection *s,
			   const struct ktrace_known *known, size_t nr,
			   void (*tell)(const char *pattern, void *data),
			   void *data);
void selection_free(struct selection *s);

/* Are all events selected? */
bool selection_is_all(const struct selection *s);
/* The patterns for ktrace_session_prepare(). */
const char *const *selection_patterns(struct selection *s, size_t *nr);
bool selection_match(const struct selection *s, const char *system,
		     const char *name);
/* The filter for an event; NULL: none. */
const char *selection_filter_of(const struct selection *s, const char *system,
				const char *name);

/*
 * Prints a message for each pattern that matches nothing: names that are
 * similar, or why the event cannot be recorded.  Returns an exit status.
 */
int selection_check_known(struct selection *s, const struct ktrace_known *known,
			  size_t nr, const struct ktrace_session *session);
int selection_check_types(struct selection *s,
			  const struct ktrace_types *types);

/* Has an event that is selected such a field? */
bool selection_has_field(const struct selection *s,
			 const struct ktrace_types *types, const char *name);
/* Adds the names of fields of such events. */
void selection_near_fields(const struct selection *s,
			   const struct ktrace_types *types, struct near *near);

/* For ktrace_cursor_options.want; @data is a selection. */
bool selection_wants(const struct ktrace_type *type, void *data);

#endif /* KT_CMD_COMMON_SELECT_H */
