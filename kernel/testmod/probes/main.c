// SPDX-License-Identifier: GPL-2.0-only
/* The probe module: one family, which needs no hidden symbols. */
#define KT_FAMILIES(apply) apply(ktrace_test)
#define KT_TEXTS(apply)
#define KT_OBJECTS(apply)
#include "source/tracepoint/module.h"

MODULE_DESCRIPTION("Probes for ktrace's test module");
