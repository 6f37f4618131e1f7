/* SPDX-License-Identifier: GPL-2.0-only */
#include <net/mptcp.h>
#include <net/tcp.h>
/* btf: +rb_root mptcp_subflow_context mptcp_skb_cb mptcp_sock */
#include "mptcp.btf.h"

#define MPTCP_SKB_CB(skb) ((struct mptcp_skb_cb *)(skb)->cb)

/* The socket of the connection is its first member. */
#define mptcp_sk(sk) ((struct mptcp_sock *)(sk))

static inline struct mptcp_subflow_context *
mptcp_subflow_ctx(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ulp_data;
}

static inline struct sock *
mptcp_subflow_tcp_sock(const struct mptcp_subflow_context *subflow)
{
	return subflow->tcp_sock;
}

bool mptcp_subflow_active(struct mptcp_subflow_context *subflow);
