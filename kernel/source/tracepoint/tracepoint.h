/* SPDX-License-Identifier: GPL-2.0-only */
/* The source of tracepoints' events: see tracepoint.c. */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_H
#define KT_KERNEL_SOURCE_TRACEPOINT_H

#include "event/source.h"

/* Of events that headers of the kernel describe. */
extern struct kt_source kt_tracepoint_source;

void kt_tracepoint_init(void);
void kt_tracepoint_exit(void);

/*
 * For all sources whose events have a tracepoint: the class's probe, with the event as it
 * is enabled as its data.
 */
int kt_tracepoint_attach(struct kt_enabled *enabled);
void kt_tracepoint_detach(struct kt_enabled *enabled);
/* For who attaches probes of his own: says that the kernel refused one, with @err. */
int kt_tracepoint_refuse(const struct kt_enabled *enabled, int err);

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_H */
