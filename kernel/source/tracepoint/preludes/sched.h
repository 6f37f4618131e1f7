/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sched_switch is what most traces have most of: 48 bytes instead of 60.  The
 * last byte of a command's name is always NUL.
 */
#include <linux/sched/prio.h>

#define KT_PACKED_sched_switch ~, __packed
#define KT_NARROW_prev_comm    ~, 15
#define KT_NARROW_prev_prio    ~, short
#define KT_NARROW_prev_state   ~, short
#define KT_NARROW_next_comm    ~, 15
#define KT_NARROW_next_prio    ~, short

/* -1 is a deadline's; a state is one bit, or the one above all that are told. */
static_assert(TASK_COMM_LEN == 16);
static_assert(MAX_PRIO <= S16_MAX);
static_assert(TASK_REPORT_MAX <= S16_MAX);

#undef memcpy
#define memcpy kt_copy_fitting
