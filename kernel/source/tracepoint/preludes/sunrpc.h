/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/sched.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/sunrpc/svcsock.h>
#include <linux/sunrpc/xprtsock.h>

/* Like two functions that sunrpc does not export. */
static inline const char *kt_rpc_proc_name(const struct rpc_task *task)
{
	const struct rpc_procinfo *procedure = task->tk_msg.rpc_proc;

	if (!procedure)
		return "no proc";
	return procedure->p_name ?: "NULL";
}

static inline const char *kt_svc_proc_name(const struct svc_rqst *request)
{
	if (request && request->rq_procinfo)
		return request->rq_procinfo->pc_name;
	return "unknown";
}

#define rpc_proc_name kt_rpc_proc_name
#define svc_proc_name kt_svc_proc_name
