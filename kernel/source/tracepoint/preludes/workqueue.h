/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/workqueue.h>
/* btf: workqueue_struct worker_pool pool_workqueue */
#include "workqueue.btf.h"
