/* SPDX-License-Identifier: GPL-2.0-only */
/* btf: SCAN_FAIL */
#include "huge_memory.btf.h"
