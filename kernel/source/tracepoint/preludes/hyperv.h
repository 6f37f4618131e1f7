/* SPDX-License-Identifier: GPL-2.0-only */
#include <asm/mshyperv.h>
#include <asm/tlbflush.h>
/* btf: flush_tlb_info */
#include "hyperv.btf.h"
