// SPDX-License-Identifier: GPL-2.0-only
/* A client (client.h) whose marker has numbers.  For tests only; never installed. */
#include <ktrace/marker.h>

#include "client.h"

static void client_hit(unsigned int context, u64 number)
{
	KTRACE(hit, "context %u number %llu", context, number);
}

KT_TEST_CLIENT(0);
