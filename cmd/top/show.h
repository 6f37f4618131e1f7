/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ktrace top: the lines of a table, and JSON. */
#ifndef KT_CMD_TOP_SHOW_H
#define KT_CMD_TOP_SHOW_H

#include <stdio.h>

#include "rows.h"

/* When the interval was, and what the machine did: two lines, with a line feed each. */
void rows_summary_show(FILE *f, const struct rows *rows);
/* The names of columns; that by which rows are sorted is in brackets. */
void rows_titles_show(FILE *f, const struct rows *rows, unsigned int sorted);
void rows_row_show(FILE *f, const struct rows *rows, const struct row *row);
/* The whole table with at most @head rows (0: all), and an empty line behind it. */
void rows_show(FILE *f, const struct rows *rows, unsigned int sorted,
	       uint64_t head);
/* One object in a line. */
void rows_json(FILE *f, const struct rows *rows);

#endif /* KT_CMD_TOP_SHOW_H */
