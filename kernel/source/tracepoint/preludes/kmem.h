/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/slab.h>
/* btf: kmem_cache */
#include "kmem.btf.h"
