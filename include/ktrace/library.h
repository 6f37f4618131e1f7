/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shared by all headers of libktrace: the version, and how errors are reported.
 *
 * Functions return 0 (or another value, as their comments say) or a negative
 * errno. Then ktrace_last_error() says what happened and what to do about it.
 */
#ifndef KTRACE_LIBRARY_H
#define KTRACE_LIBRARY_H

#ifdef __cplusplus
extern "C" {
#endif

#define KTRACE_API __attribute__((visibility("default")))

/*
 * The version of the library: of these headers, and of what the program runs
 * with, which may be newer.  doc/compatibility.md says what is stable between
 * them.  Structs that begin with a size may grow, and so may those that the
 * library hands out one by one; elements of arrays do not.
 */
#define KTRACE_LIB_MAJOR 0
#define KTRACE_LIB_MINOR 1
#define KTRACE_LIB_PATCH 0
#define KTRACE_LIB_VERSION                                      \
	(KTRACE_LIB_MAJOR * 1000000 + KTRACE_LIB_MINOR * 1000 + \
	 KTRACE_LIB_PATCH)
KTRACE_API unsigned int ktrace_lib_version(void);

/* The message of this thread's last failed call; "" if none has failed. */
KTRACE_API const char *ktrace_last_error(void);

#ifdef __cplusplus
}
#endif

#endif /* KTRACE_LIBRARY_H */
