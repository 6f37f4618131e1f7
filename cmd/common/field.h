/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A field in the form of a C declaration. */
#ifndef KT_CMD_COMMON_FIELD_H
#define KT_CMD_COMMON_FIELD_H

#include <ktrace/types.h>

#define FIELD_TEXT 256

struct field_text {
	char s[FIELD_TEXT];
};

/*
 * Writes "__data_loc char[] name" as "char name[]".  Cuts the text if it is
 * long.
 */
struct field_text field_text(const struct ktrace_field *field);

#endif /* KT_CMD_COMMON_FIELD_H */
