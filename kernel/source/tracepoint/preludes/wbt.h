/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/backing-dev.h>
#include <linux/blkdev.h>
/* btf: rq_wait rq_wb */
#include "wbt.btf.h"
