/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel modules of ktrace: where they are, what events they have, loading
 * them.
 */
#ifndef KTRACE_MODULES_H
#define KTRACE_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include <ktrace/library.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The folder of the modules for the running kernel. */
struct ktrace_modules;

KTRACE_API int ktrace_modules_open(struct ktrace_modules **modules);
KTRACE_API void ktrace_modules_close(struct ktrace_modules *modules);
KTRACE_API const char *ktrace_modules_path(
	const struct ktrace_modules *modules);
/*
 * Loads a module by name (no ".ko"); 0 also if it is loaded already.  -ENOENT:
 * it needs a kernel module that is not loaded, and @with_others is false.
 */
KTRACE_API int ktrace_modules_load(struct ktrace_modules *modules,
				   const char *name, bool with_others);
/* Unloads all modules of ktrace. */
KTRACE_API int ktrace_modules_unload(void);

/* An event and the probe module that has it. */
struct ktrace_modules_event {
	const char *system;
	const char *name;
	const char *module;
};

KTRACE_API size_t
ktrace_modules_events(const struct ktrace_modules *modules,
		      const struct ktrace_modules_event **events);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_MODULES_H */
