/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Modules whose markers the test module's storm hits: they come and go in the middle of
 * it, and how often each was hit is counted where it stays.
 */
#ifndef KT_KERNEL_TESTMOD_CLIENT_H
#define KT_KERNEL_TESTMOD_CLIENT_H

#include <linux/types.h>

#define KT_TEST_CLIENTS 3

struct kt_test_client {
	unsigned int nr; /* 0 .. KT_TEST_CLIENTS - 1 */
	/* In any context; @number counts those of the context and CPU. */
	void (*hit)(unsigned int context, u64 number);
};

int kt_test_client_add(struct kt_test_client *client);
/* When it returns it is not hit any more. */
void kt_test_client_remove(struct kt_test_client *client);

#endif /* KT_KERNEL_TESTMOD_CLIENT_H */
