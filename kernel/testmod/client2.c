// SPDX-License-Identifier: GPL-2.0-only
/* A client (client.h) whose marker has a string.  For tests only; never installed. */

/* As a module without the GPL must do; it uses no symbol of ktrace. */
#define KTRACE_NO_BPF
#include <ktrace/marker.h>

#include "client.h"

static const char *const names[] = {"task", "softirq", "irq", "nmi"};

static void client_hit(unsigned int context, u64 number)
{
	KTRACE(hit, "context %s number %llu", names[context], number);
}

KT_TEST_CLIENT(1);
