/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The option --cpu: a list of CPUs. */
#ifndef KT_CMD_COMMON_CPUS_H
#define KT_CMD_COMMON_CPUS_H

#include <stddef.h>
#include <stdint.h>

struct command;

/* All zero: none was named. */
struct cpus {
	uint32_t *list; /* each of them once */
	size_t nr;
};

/* Adds those that @text names, like "0,2-3".  Returns an exit status. */
int cpus_option(struct cpus *cpus, const struct command *command,
		const char *text);
void cpus_free(struct cpus *cpus);

#endif /* KT_CMD_COMMON_CPUS_H */
