/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory of capture programs: @memory_bytes lie at MEMORY_BASE, and nothing elsewhere.
 * Kernel memory has the same bytes, MEMORY_KERNEL higher.
 */
#ifndef KT_TESTS_CAPTURE_MEMORY_H
#define KT_TESTS_CAPTURE_MEMORY_H

#include "capture.h"

#define MEMORY_BASE   0x10000ull
#define MEMORY_SIZE   16384u
#define MEMORY_KERNEL 0xffff000000000000ull

/* The process ends with this. */
#define MEMORY_EXIT_CODE 15

extern u8 memory_bytes[MEMORY_SIZE];

#endif /* KT_TESTS_CAPTURE_MEMORY_H */
