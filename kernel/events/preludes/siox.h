/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/siox.h>
/* btf siox_core: siox_master */
#include "siox.btf.h"
