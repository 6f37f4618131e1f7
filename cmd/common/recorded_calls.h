/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef KT_CMD_COMMON_RECORDED_CALLS_H
#define KT_CMD_COMMON_RECORDED_CALLS_H

#include "select.h"

/* If the trace has no system calls that are selected, or only their registers, says how to record them. */
void recorded_calls_check(const struct ktrace_types *types,
			  const struct selection *selection);
/* Says so if the trace has system calls, but only their registers. */
void recorded_calls_check_words(const struct ktrace_types *types);

#endif /* KT_CMD_COMMON_RECORDED_CALLS_H */
