/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/device.h>
#include <linux/swiotlb.h>
