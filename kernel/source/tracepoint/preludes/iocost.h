/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/blk-cgroup.h>
#include <linux/blkdev.h>
/* btf: rq_qos ioc_now ioc ioc_gq */
#include "iocost.btf.h"

static inline const char *ioc_name(struct ioc *ioc)
{
#ifdef KT_HAS_rq_qos_disk
	struct gendisk *disk = ioc->rqos.disk;
#else
	struct gendisk *disk = ioc->rqos.q->disk;
#endif

	return disk ? disk->disk_name : "<unknown>";
}
