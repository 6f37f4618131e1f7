/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of code that processes make at run time: from what their just-in-time compilers write
 * for tracers.
 *
 * Sources: tools/perf/Documentation/jit-interface.txt of the kernel describes
 * /tmp/perf-PID.map, jitdump-specification.txt there describes jit-PID.dump.
 */
#ifndef KT_LIB_SYMBOL_JIT_NAMES_H
#define KT_LIB_SYMBOL_JIT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who makes the code. */
struct jit_process {
	pid_t pid;
	pid_t named; /* as it knows itself, in its own namespace */
	uid_t user;
	bool here; /* it has the same root directory and mounts as we */
};

/* Asks /proc.  False: the process has ended. */
bool jit_process_find(struct jit_process *process, pid_t pid);

struct jit_frame {
	uint64_t address; /* an instruction of the function */
	uint64_t begin;	  /* of the function */
	char *name;	  /* for free(); NULL: not known */
};

/*
 * What a caller gives to all processes together as @left: how many functions may be read, or a
 * process could make us read forever.
 */
#define JIT_FUNCTIONS_MAX (16u << 20)

/*
 * Sets names of @frames, which are in the order of their addresses and have none.  If a place was
 * used by several functions, the name is that of the last one.  @dump: the path of a jitdump
 * file; NULL: the process has none.
 *
 * Files are read only if they belong to the process's user or to root, because anybody can make
 * a file of this name.
 */
void jit_names_find(const struct jit_process *process, const char *dump,
		    struct jit_frame *frames, size_t nr, size_t *left);

#endif /* KT_LIB_SYMBOL_JIT_NAMES_H */
