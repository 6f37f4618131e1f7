/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/mmc/core.h>
#include <linux/mmc/host.h>
