/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/blkdev.h>
/* btf: compact_control */
#include "compaction.btf.h"
