/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Captures arguments whose meaning depends on the call's command; see
 * commands.c.
 */
#ifndef KT_LIB_SESSION_COMMANDS_H
#define KT_LIB_SESSION_COMMANDS_H

#include "maker.h"

void command_make(struct maker *m, const struct ktrace_word *word);
/* The paths of those that are descriptors. */
void command_paths(struct maker *m);

/* Descriptors: paths.c.  Those of the current argument, of an array of two, and of the result. */
void argument_paths(struct maker *m, const struct ktrace_word *word);
void pair_paths(struct maker *m);
void result_paths(struct maker *m, const struct ktrace_call *call);

#endif /* KT_LIB_SESSION_COMMANDS_H */
