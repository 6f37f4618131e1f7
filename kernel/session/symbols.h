/* SPDX-License-Identifier: GPL-2.0-only */
/* The file `symbols' of the control tree's root: see symbols.c. */
#ifndef KT_KERNEL_SESSION_SYMBOLS_H
#define KT_KERNEL_SESSION_SYMBOLS_H

struct kt_kind;

extern const struct kt_kind kt_symbols_file;

#endif /* KT_KERNEL_SESSION_SYMBOLS_H */
