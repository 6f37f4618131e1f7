// SPDX-License-Identifier: GPL-2.0-only
/* A module whose marker the storm hits: numbers.  For tests only; never installed. */
#include <linux/module.h>

#include <ktrace/marker.h>

#include "client.h"

static void client_hit(unsigned int context, u64 number)
{
	KTRACE(hit, "context %u number %llu", context, number);
}

static struct kt_test_client client = {.nr = 0, .hit = client_hit};

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
