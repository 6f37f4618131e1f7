/* SPDX-License-Identifier: GPL-2.0-only */
/* The source of the kernel's tracepoints: see tracepoint.c. */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_H
#define KT_KERNEL_SOURCE_TRACEPOINT_H

#include "event/source.h"

/* For events that the kernel's headers describe. */
extern struct kt_source kt_tracepoint_source;

void kt_tracepoint_init(void);
void kt_tracepoint_exit(void);

/*
 * For all sources whose events have a tracepoint: attaches the class's probe, with @enabled
 * as its data.
 */
int kt_tracepoint_attach(struct kt_enabled *enabled);
void kt_tracepoint_detach(struct kt_enabled *enabled);
/* For sources that attach probes themselves: says that the kernel refused one with @err. */
int kt_tracepoint_refuse(const struct kt_enabled *enabled, int err);

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_H */
