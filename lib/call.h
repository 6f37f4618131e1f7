/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the tables of system calls say of events' fields. */
#ifndef KT_LIB_CALL_H
#define KT_LIB_CALL_H

#include "type.h"

/* Gives the fields of system calls the names of their values. */
void calls_annotate(struct ktrace_types *types);

#endif /* KT_LIB_CALL_H */
