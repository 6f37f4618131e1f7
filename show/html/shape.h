/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shapes: what slices and events of one kind have in common - their name, and which fields they
 * have.  Each shape has a column for each field; a slice is a row of them.  Which row is not
 * written: it is counted.
 */
#ifndef KT_SHOW_HTML_SHAPE_H
#define KT_SHOW_HTML_SHAPE_H

#include "html/column.h"
#include "html/words.h"
#include "viewer.h"

/* What its rows are of. */
enum shape_of {
	SHAPE_SLICE,
	SHAPE_POINT,
	SHAPE_WAKE,
};

struct shape {
	uint32_t number; /* from 0 */
	enum shape_of of;
	uint32_t name, category; /* words */
	uint32_t nr;		 /* fields */
	uint64_t rows;
	struct value_column *columns;
	uint32_t names[]; /* words: the fields' */
};

/* Fields of a slice or event, with their values. */
struct row {
	uint32_t nr;
	uint32_t *names;
	struct value *values;
};

/* All zero: none. */
struct shapes {
	struct words words; /* names */
	struct words texts; /* values */
	struct table table;
	struct shape **list;
	uint32_t nr;
	uint64_t size; /* bytes of all shapes and their columns */
};

/* 0 or -ENOMEM, all that return a number. */

/* Adds these to the row. */
int row_add(struct shapes *shapes, struct row *row,
	    const struct arguments *arguments);
int row_add_text(struct shapes *shapes, struct row *row, const char *name,
		 const char *text);
/* Adds what another one has. */
int row_join(struct row *row, const struct row *more);
void row_free(struct row *row);

/* Adds a row to the shape that it has. */
int shapes_put(struct shapes *shapes, enum shape_of of, const char *name,
	       const char *category, const struct row *row, uint32_t *number);
void shapes_free(struct shapes *shapes);

#endif /* KT_SHOW_HTML_SHAPE_H */
