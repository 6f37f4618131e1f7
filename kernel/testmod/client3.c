// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client (client.h) whose marker has an array, at two places of one name.  For tests
 * only; never installed.
 */
#include <ktrace/marker.h>

#include "client.h"

static void client_hit(unsigned int context, u64 number)
{
	u8 bytes[6] = {context, number >> 8, number};

	if (number % 2)
		KTRACE(hit, "bytes %pM number %llu", bytes, number);
	else
		KTRACE(hit, "bytes %pM number %llu", bytes, number);
}

KT_TEST_CLIENT(2);
