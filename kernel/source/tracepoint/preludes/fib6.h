/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/rtnetlink.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>

/* The kernel does not export its table of this; the values are user-space ABI. */
static inline int ip6_rt_type_to_error(u8 type)
{
	switch (type) {
	case RTN_BLACKHOLE:
	case RTN_NAT:
	case RTN_XRESOLVE:
		return -EINVAL;
	case RTN_UNREACHABLE:
		return -EHOSTUNREACH;
	case RTN_PROHIBIT:
		return -EACCES;
	case RTN_THROW:
		return -EAGAIN;
	default:
		return 0;
	}
}
