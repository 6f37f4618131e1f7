/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clients: modules whose markers are hit by the test module's storm.  They are loaded and
 * unloaded during a storm.  Their hits are counted in the test module, which stays loaded.
 */
#ifndef KT_KERNEL_TESTMOD_CLIENT_H
#define KT_KERNEL_TESTMOD_CLIENT_H

#include <linux/module.h>
#include <linux/types.h>

#define KT_TEST_CLIENTS 3

struct kt_test_client {
	unsigned int nr; /* 0 .. KT_TEST_CLIENTS - 1 */
	/* Called in any context; @number counts the hits of the context and CPU. */
	void (*hit)(unsigned int context, u64 number);
};

int kt_test_client_add(struct kt_test_client *client);
/* When it returns, the client is not called any more. */
void kt_test_client_remove(struct kt_test_client *client);

/* All that such a module needs, except client_hit(). */
#define KT_TEST_CLIENT(number)                                       \
	static struct kt_test_client client = {.nr = (number),       \
					       .hit = client_hit};   \
	static int __init client_init(void)                          \
	{                                                            \
		return kt_test_client_add(&client);                  \
	}                                                            \
	static void __exit client_exit(void)                         \
	{                                                            \
		kt_test_client_remove(&client);                      \
	}                                                            \
	module_init(client_init);                                    \
	module_exit(client_exit);                                    \
	MODULE_DESCRIPTION(                                          \
		"A marker that is hit in every context, for tests"); \
	MODULE_LICENSE("GPL")

#endif /* KT_KERNEL_TESTMOD_CLIENT_H */
