/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/fscache.h>
#include <linux/netfs.h>
