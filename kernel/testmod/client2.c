// SPDX-License-Identifier: GPL-2.0-only
/* A module whose marker the storm hits: a string.  For tests only; never installed. */
#include <linux/module.h>

/* As modules must that are not under the GPL; it takes nothing from ktrace. */
#define KTRACE_NO_BPF
#include <ktrace/marker.h>

#include "client.h"

static const char *const names[] = {"task", "softirq", "irq", "nmi"};

static void client_hit(unsigned int context, u64 number)
{
	KTRACE(hit, "context %s number %llu", names[context], number);
}

static struct kt_test_client client = {.nr = 1, .hit = client_hit};

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
