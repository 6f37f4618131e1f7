// SPDX-License-Identifier: GPL-2.0-only
/* The probes, generated from the trace header. */
#define KT_HEADER	"ktrace_test.h"
#define KT_FAMILY	ktrace_test
#define KT_POINT_MODULE "ktrace_test"
#include "source/tracepoint/base.h"
#include "source/tracepoint/stages.h"
