/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What stands behind the `=' of -e, but for calls: names as strace has them. */
#ifndef KT_CMD_SYSCALLS_H
#define KT_CMD_SYSCALLS_H

#include <stdint.h>

/*
 * "usr1,SIGTERM,12", "!chld", "all", "none": *@set gets a bit for each signal, bit 0 for signal 1.
 * 0, -EINVAL (it is no such list) or -ENOMEM.
 */
int signals_parse(const char *text, uint64_t *set);
/* "failed,detached": *@set gets bits of enum ktrace_output_statuses.  The same errors. */
int statuses_parse(const char *text, uint32_t *set);
/*
 * If @text is something of strace's that a tracer that does not stop programs cannot do, or that
 * this one does not do: why.  NULL: it is not.
 */
const char *expression_refused(const char *text);

#endif /* KT_CMD_SYSCALLS_H */
