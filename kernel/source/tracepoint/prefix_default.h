/* SPDX-License-Identifier: GPL-2.0-only */
/* The same, with the prelude that most families have. */
#include "prefix_base.h"
#include "source/tracepoint/preludes/default.h"
