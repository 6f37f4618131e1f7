/* SPDX-License-Identifier: GPL-2.0-only */
/* syscall_get_arguments() stores all six. */
#include "preludes/default.h"

#define KT_FILLED_args ~, 1
