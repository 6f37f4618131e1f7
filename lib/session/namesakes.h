/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names that more than one function of the kernel's image has, or of a module.
 */
#ifndef KT_LIB_SESSION_NAMESAKES_H
#define KT_LIB_SESSION_NAMESAKES_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: not read. */
struct namesakes {
	char *text;
	const char **
		lines; /* "NAME MODULE", sorted; and " MODULE" for each module */
	size_t nr;
};

/*
 * Those of the kernel's image, or those of all modules.  @path: of other lines than
 * /proc/kallsyms has, for tests; or NULL.
 */
int namesakes_read(struct namesakes *namesakes, const char *path, bool image);
/*
 * Those of all modules, from the control tree's file `symbols', which is at @path.  The
 * kernel writes it much faster.  -errno: older modules have no such file, or we may not read it.
 */
int namesakes_read_moving(struct namesakes *namesakes, const char *path);
bool namesakes_has(const struct namesakes *namesakes, const char *module,
		   const char *name);
/* Was the module there when they were read? */
bool namesakes_know(const struct namesakes *namesakes, const char *module);
void namesakes_free(struct namesakes *namesakes);

#endif /* KT_LIB_SESSION_NAMESAKES_H */
