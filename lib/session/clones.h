/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Prototypes of the copies that the compiler has made of functions of the kernel, such as
 * NAME.isra.0, from the kernel's debug information (DWARF): clones.c.
 */
#ifndef KT_LIB_SESSION_CLONES_H
#define KT_LIB_SESSION_CLONES_H

#include <bpf/btf.h>
#include <stdbool.h>

struct clones;

/* Is it the name of a copy? */
bool is_clone(const char *name);
/*
 * Does it return what the original returns?  If it was made for constant arguments alone
 * (NAME.constprop.0).  Of others, the compiler may have left it out.
 */
bool clone_returns(const char *name);

/*
 * @kernel: the kernel's type information, which is copied; @fd: of the file with the debug information, which is
 * closed with the clones.  NULL: it has none, or there is no memory; then it is closed, too.
 */
struct clones *clones_open(const struct btf *kernel, int fd);
/* May be NULL. */
void clones_close(struct clones *clones);

/*
 * The prototype as the copy is called, and the type information that it belongs to.  An argument
 * of which nothing is known but that others are behind it is called as its register.  -ENOENT:
 * nothing is known, or several copies have the name.
 */
int clones_find(struct clones *clones, const char *name, const struct btf **btf,
		const struct btf_type **proto);

#endif /* KT_LIB_SESSION_CLONES_H */
