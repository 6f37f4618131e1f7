/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/mm_inline.h>
#include <linux/pagemap.h>
