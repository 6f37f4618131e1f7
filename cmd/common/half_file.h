/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The file that a command writes: if a signal ends the command, half a file does not stay. */
#ifndef KT_CMD_COMMON_HALF_FILE_H
#define KT_CMD_COMMON_HALF_FILE_H

#include <stdbool.h>

/*
 * From now on, signals that end the process remove the file first.  Those that are ignored or have
 * a handler stay as they are.  A file that becomes too large is an error of writing.
 */
void half_file_watch(void);
/* The same of one signal, whatever its handler was; may be called in that. */
void half_file_watch_signal(int number);
/*
 * A signal that comes between these two waits: whoever makes the file must say its name in
 * between.
 */
void half_file_begin(void);
/* @path: the file was made, and must live until half_file_end(); NULL: it was not. */
void half_file_made(const char *path);
/* It is whole, or was removed. */
void half_file_end(void);
/* Is there a line of progress on stderr?  It is removed, too. */
void half_file_progress(bool shown);

#endif /* KT_CMD_COMMON_HALF_FILE_H */
