/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The directory that a recording goes to. */
#ifndef KT_CMD_COMMON_OUTPUT_H
#define KT_CMD_COMMON_OUTPUT_H

/*
 * Makes the place free: an older trace there is renamed to PATH.old, as is usual;
 * anything else that is not empty is left alone and refused.  Returns an exit
 * status.
 */
int output_prepare(const char *path);
/* Under sudo: the trace is to belong to whoever called it. */
void output_hand_over(const char *path);

#endif /* KT_CMD_COMMON_OUTPUT_H */
