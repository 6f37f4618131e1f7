/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/sunrpc/auth_gss.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/gss_api.h>
#include <linux/sunrpc/gss_err.h>
#include <linux/sunrpc/svcauth_gss.h>
