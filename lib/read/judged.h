/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The event that is being judged: to the core's filters, its task is the one that runs. */
#ifndef KT_LIB_READ_JUDGED_H
#define KT_LIB_READ_JUDGED_H

#include <ktrace/trace.h>

extern __thread const struct ktrace_event *judged_event;

#endif /* KT_LIB_READ_JUDGED_H */
