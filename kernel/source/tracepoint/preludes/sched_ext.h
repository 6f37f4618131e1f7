/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/blkdev.h>
#include <linux/netdevice.h>
/* btf: sched_ext_ops scx_sched */
#include "sched_ext.btf.h"

/* Without schedulers for control groups there is only the root's. */
#ifdef KT_HAS_scx_sched_cgrp_path
#define sch_cgrp_path(sch) ((sch)->cgrp_path)
#else
#define sch_cgrp_path(sch) "/"
#endif
