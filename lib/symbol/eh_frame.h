/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * .eh_frame: how each function of a file is unwound, as compilers write it.
 *
 * A section consists of entries: CIEs (common information entries), which have what several
 * functions share, and FDEs (frame description entries), one for each function.  Both
 * contain instructions.  Running them from a function's first byte to its last gives the state
 * of each place in between.
 */
#ifndef KT_LIB_SYMBOL_EH_FRAME_H
#define KT_LIB_SYMBOL_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_rows;

/* A segment that can be executed. */
struct eh_frame_text {
	uint64_t address, size;
	uint64_t offset; /* in the file */
};

#define EH_FRAME_TEXTS_MAX 8
#define EH_FRAME_READ_MAX  128

struct eh_frame {
	/* The section, and its address. */
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
	/* Only functions in these count. */
	struct eh_frame_text texts[EH_FRAME_TEXTS_MAX];
	unsigned int nr_texts;
	uint64_t entry; /* where the kernel starts it */
	/*
	 * Reads at most EH_FRAME_READ_MAX bytes of the file; offsets grow from
	 * call to call.  False: they are not there.
	 */
	bool (*read)(void *source, uint64_t offset, void *to, size_t size);
	void *source;
};

/*
 * Adds the rows of all functions.  All bytes may be anything: what makes no sense is left out.
 * The time it takes is proportional to the size of the section, but for sorting the functions.
 * 0 or -errno of unwind_rows_add().
 */
int eh_frame_rows(const struct eh_frame *frame, struct unwind_rows *rows);

#endif /* KT_LIB_SYMBOL_EH_FRAME_H */
