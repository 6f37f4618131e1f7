/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The names and values of the kernel's enums, from its BTF; the layouts of its
 * structs, from BTF or, for the running kernel, from layouts.tab.
 */
#ifndef KT_LIB_KERNEL_BTF_H
#define KT_LIB_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include <ktrace/types.h>

struct btf;
struct btf_type;
struct enums;
struct format_cache;

/* The type behind typedefs and qualifiers. */
const struct btf_type *type_resolve(const struct btf *btf, uint32_t id);

/*
 * @path NULL: of the running kernel.  It is read when it is first needed; if it
 * cannot be had, nothing is known.  NULL: no memory.
 */
struct enums *enums_open(const char *path);
void enums_close(struct enums *enums);

/* What is known about events of the running kernel; NULL: it is another kernel. */
struct format_cache *enums_formats(struct enums *enums);

/* False: no enumerator has this name, or several with different values do. */
bool enums_value(struct enums *enums, const char *name, size_t len,
		 int64_t *value);

/* Names of the values of "enum NAME", made in @arena; NULL: none. */
struct ktrace_names *enums_names(struct enums *enums, const char *name,
				 struct arena *arena);

/* Names of the values of an enum of @btf; as above. */
struct ktrace_names *enum_type_names(const struct btf *btf,
				     const struct btf_type *t,
				     struct arena *arena);
bool enum_is_signed(const struct btf_type *t);
/* Is each value a bit of its own, and more than 1 and 2? */
bool enum_is_flags(const struct btf_type *t);

/*
 * Bytes of "struct NAME" or union, or the room for one that grows; 0: not
 * known.  @enums may be NULL.
 */
uint32_t enums_struct_size(struct enums *enums, const char *name);
/*
 * The place of a member in it.  As in C, the members of structs without a name
 * are members too.  For a member that is such a struct, the name is
 * "MEMBER.ITS".
 */
bool enums_member(struct enums *enums, const char *name, const char *member,
		  uint32_t *offset);
/* Adds the layout of the struct, and of those in it, if it is known. */
int enums_layout(struct enums *enums, const char *name,
		 struct ktrace_types *types);

/* The whole type information, which is the enums'.  NULL: it cannot be had. */
const struct btf *enums_btf(struct enums *enums);

#endif /* KT_LIB_KERNEL_BTF_H */
