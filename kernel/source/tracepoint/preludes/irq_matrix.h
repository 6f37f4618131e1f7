/* SPDX-License-Identifier: GPL-2.0-only */
/* btf: cpumap irq_matrix */
#include "irq_matrix.btf.h"
