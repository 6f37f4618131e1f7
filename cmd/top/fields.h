/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace top: the columns of rows, by which they can be sorted. */
#ifndef KT_CMD_TOP_FIELDS_H
#define KT_CMD_TOP_FIELDS_H

#include "rows.h"

enum field_kind {
	FIELD_NUMBER,  /* as it is */
	FIELD_PERCENT, /* ns, of the interval */
	FIELD_RATE,    /* a count, per second */
	FIELD_TIME,    /* ns */
	FIELD_NAME,
	FIELD_WAITS,
};

struct field {
	const char *word;  /* on the command line */
	const char *title; /* of the column */
	enum field_kind kind;
	unsigned int width; /* 0: the rest of the line */
	unsigned int by;    /* bits: which rows have it */
	uint64_t (*value)(
		const struct row *row); /* FIELD_NAME and _WAITS: NULL */
};

/* In the order of columns; ends with a word that is NULL. */
extern const struct field fields[];

/* Has a table of such rows this column? */
bool field_is_shown(const struct field *field, const struct rows *rows);
/* The column by which such rows are sorted unless the user says something else. */
unsigned int field_default(enum rows_by by);
/* < 0 if @a comes first. */
int field_compare(unsigned int field, const struct row *a, const struct row *b);

#endif /* KT_CMD_TOP_FIELDS_H */
