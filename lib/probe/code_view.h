/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The instructions around a place, and the nearest ones where a probe can be. */
#ifndef KT_LIB_PROBE_CODE_VIEW_H
#define KT_LIB_PROBE_CODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "instruction.h"

/* Where code is read, and what is known of it. */
struct code_source {
	bool is_32;
	/* How many bytes there are at the address, @size at most; 0: none. */
	size_t (*read)(void *data, uint64_t address, void *to, size_t size);
	/* Appends what is at the address, "NAME+0xOFFSET", or nothing. */
	void (*name)(void *data, uint64_t address, struct text *text);
	/* NULL: it could have a probe; else why it cannot.  Valid until the next call. */
	const char *(*refuse)(void *data, uint64_t address, const uint8_t *code,
			      size_t size);
	void *data;
};

/* A function, or a section, in which instructions follow each other from @begin on. */
struct code_part {
	uint64_t begin;
	uint64_t size;	/* 0: not known */
	uint64_t place; /* an address in it, or behind it */
};

/* So many on each side. */
#define CODE_VIEW_SIDE 8
#define CODE_VIEW_MAX  (2 * CODE_VIEW_SIDE + 1)

struct code_line {
	uint64_t address;
	uint8_t bytes[INSTRUCTION_MAX];
	uint8_t size;
	struct text text; /* the instruction, with what its target is called */
};

struct code_view {
	struct code_line lines[CODE_VIEW_MAX];
	unsigned int nr;
	unsigned int
		at;    /* the line that has the place; @nr: it is behind all */
	bool begins;   /* an instruction begins at the place */
	bool is_taken; /* and could have a probe */
	/* The nearest ones that could have one, but for that of the place. */
	bool has_before, has_behind;
	uint64_t before, behind;
};

/* -EIO, -ENOMEM, with a message.  To be freed also then. */
int code_view_make(struct code_view *view, const struct code_source *source,
		   const struct code_part *part);
void code_view_free(struct code_view *view);

/*
 * Why the kernel cannot replace the instructions at the place by a jump, by what is in the function
 * (arch/x86/kernel/kprobes/opt.c); NULL: nothing is known.  @begin and @size: the function's code.
 */
const char *code_jump_obstacle(const uint8_t *code,
			       const struct code_part *part, char *room,
			       size_t size);

#endif /* KT_LIB_PROBE_CODE_VIEW_H */
