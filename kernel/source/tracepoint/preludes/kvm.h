/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/kvm_dirty_ring.h>
#include <linux/kvm_host.h>
