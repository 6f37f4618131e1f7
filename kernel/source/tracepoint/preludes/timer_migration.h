/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/timerqueue.h>
/* btf: +timerqueue_node tmigr_hierarchy tmigr_state tmigr_event tmigr_group tmigr_cpu */
#include "timer_migration.btf.h"
