/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/memcontrol.h>
#include <linux/mm_inline.h>
#include <linux/swap.h>
