/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Programs that look at return addresses, so a probe must not replace one. */
#ifndef KT_LIB_PROBE_RETURN_ADDRESS_H
#define KT_LIB_PROBE_RETURN_ADDRESS_H

#include <libelf.h>
#include <stdbool.h>

/* Go moves stacks, and looks at the return addresses there: they must be its own. */
bool is_made_by_go(Elf *elf);
/*
 * C++ and Rust look for who handles an exception by the return addresses: at one that is not in the
 * program they end it.  Told by names of symbols or, where these are gone, by the tables of exceptions.
 * False for C, whose functions an exception may pass all the same.
 */
bool has_exceptions(Elf *elf);

#endif /* KT_LIB_PROBE_RETURN_ADDRESS_H */
