/* SPDX-License-Identifier: GPL-2.0-only */
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
