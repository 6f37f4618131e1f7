/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/rpc_rdma.h>
#include <linux/sunrpc/svc_rdma.h>
/* btf rpcrdma: +list_head +rpc_xprt +rpc_rqst +xdr_buf +xdr_stream +ib_device +rpcrdma_connect_private rpcrdma_noch rpcrdma_regbuf rpcrdma_mr_seg rpcrdma_mr rpcrdma_rep rpcrdma_req rpcrdma_ep rpcrdma_buffer rpcrdma_xprt rpcrdma_sendctx */
#include "rpcrdma.btf.h"
