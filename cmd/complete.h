/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the files in completion/ ask for, beside the table of options (common/option.h). */
#ifndef KT_CMD_COMPLETE_H
#define KT_CMD_COMPLETE_H

/*
 * Prints the functions of the kernel that begin with @prefix, NAME or MODULE:NAME, one a
 * line.  Returns an exit status.
 */
int complete_functions(const char *prefix);

/*
 * Prints the texts of probes that begin with @text, one a line: of the first word, the functions, USDT
 * probes and, behind a colon, lines; of others, what has a name there.  @file: the program or library,
 * "-": the kernel.  Returns an exit status.
 */
int complete_probe(const char *file, const char *text);

#endif /* KT_CMD_COMPLETE_H */
