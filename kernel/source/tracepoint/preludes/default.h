/* SPDX-License-Identifier: GPL-2.0-only */
/* What most subsystems know: block devices and network devices. */
#include <linux/blkdev.h>
#include <linux/netdevice.h>
