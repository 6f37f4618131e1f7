/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/i2c.h>
