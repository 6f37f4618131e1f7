/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The code of the running kernel and its modules, and what the kernel keeps probes out of. */
#ifndef KT_LIB_PROBE_KERNEL_CODE_H
#define KT_LIB_PROBE_KERNEL_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct kernel_segment {
	uint64_t address, size, offset; /* in /proc/kcore */
};

struct kernel_range {
	uint64_t begin, end;
};

enum kernel_area {
	AREA_JUMPS, /* tables */
	AREA_CALLS,
	AREA_EXCEPTIONS,
	AREA_INIT, /* code */
	AREA_NOINSTR,
	AREA_ENTRY,
	AREA_KPROBES,
	AREAS,
};

/* All zero but for @fd, which is negative: nothing is known. */
struct kernel_code {
	int fd;	 /* /proc/kcore */
	int err; /* why it cannot be read */
	struct kernel_segment *segments;
	size_t nr_segments;
	const char *symbols; /* lines "ADDRESS NAME [MODULE]", by address */
	size_t symbols_size;

	/* kernel_code_reasons() */
	struct kernel_range areas[AREAS];
	uint64_t *patched; /* places of static branches and calls, by address */
	uint64_t *exceptions; /* those that may fault, by address */
	size_t nr_patched, nr_exceptions;
	struct kernel_range *blacklist; /* debugfs kprobes/blacklist */
	size_t nr_blacklist;
};

/* @symbols must stay. */
void kernel_code_open(struct kernel_code *k, const struct text *symbols);
void kernel_code_close(struct kernel_code *k);

/* How many bytes could be read. */
size_t kernel_code_read(const struct kernel_code *k, uint64_t address, void *to,
			size_t size);
/* Appends "NAME+0xOFFSET [MODULE]"; nothing, if it is in no function. */
void kernel_code_name(const struct kernel_code *k, uint64_t address,
		      struct text *text);

/*
 * Reads the kernel's tables of places that it changes itself, or where it must not be stopped: it
 * takes about a second.  What is not known is not there.  Those of modules are not read.
 */
void kernel_code_reasons(struct kernel_code *k);
/* NULL: nothing is known that keeps the kernel from having a probe there. */
const char *kernel_code_refuse(const struct kernel_code *k, uint64_t address,
			       const uint8_t *code, size_t size);
/* Why the return of a function of the kernel's image must not be hooked; NULL: it may. */
const char *kernel_code_refuse_return(const char *function);
/* May an instruction of the function fault, and be mended by the kernel's table? */
bool kernel_code_faults(const struct kernel_code *k, uint64_t begin,
			uint64_t size);

#endif /* KT_LIB_PROBE_KERNEL_CODE_H */
