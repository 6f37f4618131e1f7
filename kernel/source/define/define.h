/* SPDX-License-Identifier: GPL-2.0-only */
/* Events defined at run time: see define.c. */
#ifndef KT_KERNEL_SOURCE_DEFINE_H
#define KT_KERNEL_SOURCE_DEFINE_H

void kt_define_init(void);
void kt_define_exit(void);

#endif /* KT_KERNEL_SOURCE_DEFINE_H */
