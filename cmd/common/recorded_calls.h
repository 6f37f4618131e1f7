/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_COMMON_RECORDED_CALLS_H
#define KT_CMD_COMMON_RECORDED_CALLS_H

#include "select.h"

/* If the trace has no system calls that are selected, or only their registers, says how to record them. */
void recorded_calls_check(const struct ktrace_types *types,
			  const struct selection *selection);

#endif /* KT_CMD_COMMON_RECORDED_CALLS_H */
