/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of the kernel's flags, by the C type of a value: flags.c. */
#ifndef KT_LIB_KERNEL_FLAGS_H
#define KT_LIB_KERNEL_FLAGS_H

#include "btf.h"

struct flags;

/* @btf is the kernel's, and stays the caller's.  NULL: out of memory. */
struct flags *flags_open(const struct btf *btf);
void flags_close(struct flags *flags);

/* Has the type @ctype names, if the kernel tells them? */
bool flags_know(const char *ctype);
/* Names of the bits of type @ctype, such as "gfp_t"; they live as long as @flags.  NULL: none. */
const struct ktrace_names *flags_find(struct flags *flags, const char *ctype);

#endif /* KT_LIB_KERNEL_FLAGS_H */
