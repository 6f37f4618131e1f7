/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* --columns LIST: what lines of an output have. */
#ifndef KT_CMD_COMMON_COLUMNS_H
#define KT_CMD_COMMON_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ktrace/trace.h>

#include "cmd.h"
#include "select.h"

struct column_name {
	const char *name; /* NULL: behind the last one */
	uint32_t column;  /* of enum ktrace_output_columns; 0: none */
};

struct columns {
	bool given;
	uint32_t set;  /* the sum of the columns */
	char **fields; /* words that are no columns, then NULL */
	size_t nr_fields;
	bool only; /* events without any of these fields have no line */
};

/*
 * Parses the list.  @fields: words that are no columns are names of fields, and so are those with a dot in
 * front; else they are an error.
 * Returns an exit status.
 */
int columns_option(struct columns *columns, const struct command *command,
		   const struct column_name *names, bool fields,
		   const char *list);
/* Is each field one of an event that is selected?  Returns an exit status. */
int columns_check(const struct columns *columns,
		  const struct column_name *names, const struct selection *s,
		  const struct ktrace_types *types);
/* Have events of this type a line? */
bool columns_match(const struct columns *columns,
		   const struct ktrace_type *type);
void columns_free(struct columns *columns);

#endif /* KT_CMD_COMMON_COLUMNS_H */
