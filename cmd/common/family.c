// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "family.h"

int family_add(struct family *f, uint32_t pid)
{
	return family_has(f, pid) ? 0 : table_add(&f->members, pid, f);
}

bool family_has(const struct family *f, uint32_t pid)
{
	return table_find(&f->members, pid);
}

void family_remove(struct family *f, uint32_t tid)
{
	if (family_has(f, tid))
		table_remove(&f->members, tid, f);
}

void family_free(struct family *f)
{
	table_free(&f->members);
}
