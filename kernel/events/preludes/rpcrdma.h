/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/svc_rdma.h>
