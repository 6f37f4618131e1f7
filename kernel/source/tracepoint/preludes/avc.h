/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/lsm_audit.h>
/* btf: selinux_audit_data */
#include "avc.btf.h"
