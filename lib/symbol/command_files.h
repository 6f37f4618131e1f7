/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which files the kernel maps when a command is run: known before it runs. */
#ifndef KT_LIB_SYMBOL_COMMAND_FILES_H
#define KT_LIB_SYMBOL_COMMAND_FILES_H

/*
 * Calls @use with the path of each: the program, or the script and who interprets it ("#!" in its first
 * line, execve(2)), and the dynamic linker that it asks for.  @command: as execvp(3) takes it.  What
 * cannot be found or read is left out.
 */
void command_files(const char *command,
		   void (*use)(void *data, const char *path), void *data);

#endif /* KT_LIB_SYMBOL_COMMAND_FILES_H */
