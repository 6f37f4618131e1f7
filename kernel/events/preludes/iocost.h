/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/blk-cgroup.h>
#include <linux/blkdev.h>
/* btf: rq_qos ioc_now ioc ioc_gq */
#include "iocost.btf.h"
