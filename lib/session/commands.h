/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Captures arguments whose meaning depends on the call's command; see
 * commands.c.
 */
#ifndef KT_LIB_SESSION_COMMANDS_H
#define KT_LIB_SESSION_COMMANDS_H

#include "maker.h"

struct call_command;

/* The word of the current argument for the command.  NULL: it has none. */
const struct ktrace_word *command_word(const struct maker *m,
				       const struct call_command *command);
/* Begins "TYPE __NAME_val_MEMBER: ", for what a member of the argument's struct points to. */
void member_begin(struct maker *m, const char *type, const char *member);

void command_make(struct maker *m, const struct ktrace_word *word);
/* The paths of those that are descriptors. */
void command_paths(struct maker *m);
/* The path of the result, for commands that return a descriptor. */
void command_result_path(struct maker *m);

/* Descriptors: paths.c.  Those of the current argument, of an array of two, and of the result. */
void argument_paths(struct maker *m, const struct ktrace_word *word);
void pair_paths(struct maker *m);
void result_paths(struct maker *m, const struct ktrace_call *call);

/*
 * Members of structs: members.c.  The paths of those that are descriptors, and the instructions to
 * which they point.
 */
void members_paths(struct maker *m, const struct ktrace_word *word);
/* What a call has made of those that it may change, when it ends. */
void members_moved(struct maker *m, const struct ktrace_word *word);
void members_insns(struct maker *m, const struct ktrace_word *word);
/* The instructions of socket options that set a filter, and get it. */
void filter_set_make(struct maker *m);
void filter_get_make(struct maker *m);

#endif /* KT_LIB_SESSION_COMMANDS_H */
