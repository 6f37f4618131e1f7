/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/pgtable.h>
#include <xen/interface/xen.h>
#include <xen/xen-ops.h>
