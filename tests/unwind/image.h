/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A process that was saved: an ELF core file has the registers of its threads, its memory, and
 * which files it had mapped (core(5), elf(5)).  One at a time.
 */
#ifndef KT_TESTS_UNWIND_IMAGE_H
#define KT_TESTS_UNWIND_IMAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "walked.h"

/*
 * Makes tables of the files that the process had mapped, as far as they are there.  Returns why
 * it cannot; NULL: it could.
 */
const char *image_open(const char *path);
void image_close(void);

u32 image_threads(void);
pid_t image_thread(u32 number);
/* Frames are addresses of the process.  @shift: how far the stack begins behind where it does. */
void image_walk(u32 number, u64 shift, struct walked *stack);

#endif /* KT_TESTS_UNWIND_IMAGE_H */
