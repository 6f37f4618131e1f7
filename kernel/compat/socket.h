/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: sockets. */
#ifndef KT_KERNEL_COMPAT_SOCKET_H
#define KT_KERNEL_COMPAT_SOCKET_H

#include <linux/in.h>
#include <net/sock.h>

/* Since 6.11, SMC sockets may be of the Internet's families; not all kernels make them inet_socks. */
#ifdef IPPROTO_SMC
#define kt_socket_is_smc(sk) ((sk)->sk_protocol == IPPROTO_SMC)
#else
#define kt_socket_is_smc(sk) false
#endif

#endif /* KT_KERNEL_COMPAT_SOCKET_H */
