/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of functions as C++ and Rust programs have them: mangled, that is with all types. */
#ifndef KT_LIB_READ_DEMANGLE_H
#define KT_LIB_READ_DEMANGLE_H

#include <stdbool.h>

/* With the NUL.  A longer name is cut and ends with "...". */
#define DEMANGLED_MAX 512

/*
 * Sets @text to what the programmer called the function: "std::vector<int>::size", without
 * parameters, without the compiler's endings such as .cold, and without Rust's hashes.  @name
 * may be anything.  False: it is not mangled, or it would take too long; @text is undefined.
 */
bool demangle(const char *name, char text[DEMANGLED_MAX]);

#endif /* KT_LIB_READ_DEMANGLE_H */
