/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The directory of a recording, and other files that a command makes. */
#ifndef KT_CMD_COMMON_OUTPUT_H
#define KT_CMD_COMMON_OUTPUT_H

#include <stdint.h>

/*
 * Prepares the place: renames an older trace to PATH.old.  If anything else
 * that is not empty is there, refuses it and leaves it alone.  Returns an exit
 * status.
 */
int output_prepare(const char *path);
/*
 * Traces PATH.NUMBER, beside the one that is written at PATH.  All return an exit status.
 */

/* *@highest: of those that are there; 0: there are none. */
int output_numbers(const char *path, uint64_t *highest);
/* PATH becomes PATH.NUMBER, which must not exist; and back. */
int output_number(const char *path, uint64_t number);
int output_unnumber(const char *path, uint64_t number);
/* Removes PATH.NUMBER, if it is a trace. */
int output_remove(const char *path, uint64_t number);

/* Under sudo: makes the caller the owner of the trace. */
void output_hand_over(const char *path);
/* The same for a file that the command has made itself. */
void output_file_hand_over(int fd);

#endif /* KT_CMD_COMMON_OUTPUT_H */
