// SPDX-License-Identifier: GPL-2.0-only
/* The module: one family, and nothing that is not exported. */
#define KT_FAMILIES(apply) apply(ktrace_test)
#define KT_TEXTS(apply)
#define KT_OBJECTS(apply)
#include "source/tracepoint/module.h"

MODULE_DESCRIPTION("Probes for ktrace's test module");
