/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <net/xdp.h>
