/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Most traces have more of sched_switch than of anything else: 48 bytes instead of 60.  The
 * last byte of a command's name is always NUL.
 */
#include <linux/sched/prio.h>

#define KT_PACKED_sched_switch ~, __packed
#define KT_NARROW_prev_comm    ~, 15
#define KT_NARROW_prev_prio    ~, short
#define KT_NARROW_prev_state   ~, short
#define KT_NARROW_next_comm    ~, 15
#define KT_NARROW_next_prio    ~, short

/* The priority of a deadline task is -1.  A state is one bit, at most TASK_REPORT_MAX. */
static_assert(TASK_COMM_LEN == 16);
static_assert(MAX_PRIO <= S16_MAX);
static_assert(TASK_REPORT_MAX <= S16_MAX);

#undef memcpy
#define memcpy kt_copy_fitting
