// SPDX-License-Identifier: GPL-2.0-only
#include <linux/export.h>

#include "gate.h"

int kt_gate_update(struct kt_enabled *enabled)
{
	return 0;
}

void kt_gate_drop(struct kt_enabled *enabled)
{
}

void kt_pids_clear(struct kt_session *session)
{
}

void *kt_gate_begin(struct kt_write *w, struct kt_enabled *enabled, u32 size,
		    unsigned int flags)
{
	return NULL;
}
EXPORT_SYMBOL_GPL(kt_gate_begin);

void kt_gate_end(struct kt_write *w, struct kt_enabled *enabled,
		 unsigned int flags)
{
}
EXPORT_SYMBOL_GPL(kt_gate_end);

void kt_filter_show(struct seq_file *m, const struct kt_enabled *enabled)
{
}

int kt_filter_write(struct kt_session *session, struct kt_entry *entry,
		    const char *text)
{
	return -EOPNOTSUPP;
}

void kt_pids_show(struct seq_file *m, const struct kt_session *session)
{
}

int kt_pids_write(struct kt_session *session, char *text)
{
	return -EOPNOTSUPP;
}
