// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module whose marker the storm hits: an array, at two places of one name.
 * For tests only; never installed.
 */
#include <linux/module.h>

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

static struct kt_test_client client = {.nr = 2, .hit = client_hit};

static int __init client_init(void)
{
	return kt_test_client_add(&client);
}

static void __exit client_exit(void)
{
	kt_test_client_remove(&client);
}

module_init(client_init);
module_exit(client_exit);
MODULE_DESCRIPTION("A marker that is hit in every context, for tests");
MODULE_LICENSE("GPL");
