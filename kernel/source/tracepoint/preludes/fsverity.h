/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/fsverity.h>
/* btf: merkle_tree_params fsverity_info */
#include "fsverity.btf.h"
