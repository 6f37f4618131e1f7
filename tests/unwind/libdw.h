/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* One step to the caller, as libdw makes it: the oracle of the unwind tables. */
#ifndef KT_TESTS_UNWIND_LIBDW_H
#define KT_TESTS_UNWIND_LIBDW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#define LIBDW_REGISTERS 17 /* DWARF's numbers; the last one is rip */

/* What a step reads. */
struct libdw_world {
	uint64_t registers[LIBDW_REGISTERS];
	uint64_t (*word)(uint64_t from);
};

struct libdw_caller {
	enum {
		LIBDW_FOUND,
		LIBDW_NONE,    /* nobody called */
		LIBDW_UNKNOWN, /* this file cannot compute it */
	} how;
	uint64_t ip;
	bool rbp_known, rbx_known;
	uint64_t rbp, rbx;
};

void libdw_step(Dwarf_Frame *frame, const struct libdw_world *world,
		struct libdw_caller *caller);

#endif /* KT_TESTS_UNWIND_LIBDW_H */
