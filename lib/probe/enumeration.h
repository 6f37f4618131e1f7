/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of the values of programs' enumerations.
 *
 * The line of a probe says only "enum NAME" (<ktrace/probes.h>), and whoever records it later may be
 * another process than that which made it.  So the names are looked up when it is recorded, in the
 * program's debugging information, in the same way as when it was made.
 */
#ifndef KT_LIB_PROBE_ENUMERATION_H
#define KT_LIB_PROBE_ENUMERATION_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_code;
struct ktrace_session;
struct ktrace_types;

/* Without the NUL. */
#define ENUMERATION_NAME_MAX 47

/*
 * The name by which probe_enumerations() will find the type, of what is at @address; as a typedef
 * has it, if it has none of its own.  Other units and namespaces may have one of the same name: "" if
 * it would find another one, or if it is no enumeration.  Types that were looked at before may have
 * moved.
 */
void enumeration_name(struct debug_code *code, uint64_t address, __u32 type,
		      char name[ENUMERATION_NAME_MAX + 1]);

/* Is it the only one of its name in the kernel's own type information, or none at all? */
bool enumeration_is_known(const struct debug_code *code, __u32 type);

/* Gives the fields of programs' probes their names.  Without these, values are shown as numbers. */
void probe_enumerations(struct ktrace_session *session,
			struct ktrace_types *types);

#endif /* KT_LIB_PROBE_ENUMERATION_H */
