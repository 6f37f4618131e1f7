/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/clk-provider.h>
/* btf: clk_core +clk_hw */
#include "clk.btf.h"
