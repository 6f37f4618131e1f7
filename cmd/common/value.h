/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sizes, durations and numbers in the form in which people write them. */
#ifndef KT_CMD_COMMON_VALUE_H
#define KT_CMD_COMMON_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Parses "512", "64K", "4M", "1GiB": bytes.  0 or -EINVAL. */
int size_parse(const char *text, uint64_t *bytes);
/* Parses "10", "1.5s", "300ms", "2min", "1h": ns.  0 or -EINVAL. */
int duration_parse(const char *text, uint64_t *ns);
int number_parse(const char *text, uint64_t *number);

/* Large enough for the texts below. */
struct value_text {
	char s[32];
};

struct value_text bytes_text(uint64_t bytes); /* 12.3 MB */
struct value_text count_text(uint64_t count); /* 1,234,567 */
struct value_text rough_text(double count);   /* 1.23 M */
struct value_text ns_text(uint64_t ns);	      /* 1.23 ms */
struct value_text duration_text(uint64_t ns); /* 1.234 s */

/* Prints an untrusted string: control characters as "\x1b". */
void print_text(FILE *f, const char *s);
/* Prints a JSON string with its quotes; NULL: null. */
void print_json(FILE *f, const char *s);

#endif /* KT_CMD_COMMON_VALUE_H */
