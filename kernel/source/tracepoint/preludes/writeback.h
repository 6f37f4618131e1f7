/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/backing-dev.h>
#include <linux/memcontrol.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>
/* btf: wb_writeback_work */
#include "writeback.btf.h"

/* object: global_wb_domain */
extern struct wb_domain *kt_object_global_wb_domain;
#define global_wb_domain (*kt_object_global_wb_domain)
