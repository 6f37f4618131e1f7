/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Distributions of durations, as text and as JSON, by powers of two ns.  They are not empty. */
#ifndef KT_CMD_COMMON_HISTOGRAM_SHOW_H
#define KT_CMD_COMMON_HISTOGRAM_SHOW_H

#include "base/histogram.h"

/* A line for each power. */
void histogram_print(const struct histogram *h);
/* Prints a member of a JSON object. */
void histogram_json(const struct histogram *h);

#endif /* KT_CMD_COMMON_HISTOGRAM_SHOW_H */
