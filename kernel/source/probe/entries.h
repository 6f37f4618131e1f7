/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes where functions begin, hooked by ftrace: see entries.c. */
#ifndef KT_KERNEL_SOURCE_ENTRIES_H
#define KT_KERNEL_SOURCE_ENTRIES_H

#include <linux/errno.h>
#include <linux/list.h>

struct probe;

/* It tells 0 of all addresses without this one. */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

/* @lacks: what the kernel lacks to hook returns (base/rethook.h); NULL: nothing. */
void entries_init(const char *lacks);
/* None is armed. */
void entries_exit(void);
/*
 * Can calls be hooked where functions begin, also by a kprobe there?  Then this takes room for them
 * (returns.h): 0, or refused with the reason.
 */
bool entry_hooks_returns(void);
/* 0: a function begins there; or why it does not.  Only where entry_hooks_returns(). */
int entry_begins(unsigned long address);
int entry_returns_take(struct probe *probe);

/*
 * Where ftrace calls what is at @address; 0: that cannot be armed here, or its return not be hooked
 * if that is wanted.  May wait.
 */
unsigned long entry_location(unsigned long address, bool returns);
/* Does ftrace call there, also in a module?  A kprobe there never becomes a jump. */
bool entry_is_called(unsigned long address);

/*
 * Those of the list that have a location (struct probe) and are not armed.  If it is refused, they
 * are to be taken away.
 */
int entries_arm(struct list_head *probes);
/* Takes those of the list away that are armed, and waits for hits. */
void entries_disarm(struct list_head *probes);

#else

static inline void entries_init(const char *lacks)
{
}

static inline void entries_exit(void)
{
}

static inline bool entry_hooks_returns(void)
{
	return false;
}

static inline int entry_begins(unsigned long address)
{
	return -EOPNOTSUPP;
}

static inline int entry_returns_take(struct probe *probe)
{
	return -EOPNOTSUPP;
}

static inline unsigned long entry_location(unsigned long address, bool returns)
{
	return 0;
}

static inline bool entry_is_called(unsigned long address)
{
	return false;
}

static inline int entries_arm(struct list_head *probes)
{
	return 0;
}

static inline void entries_disarm(struct list_head *probes)
{
}

#endif

#endif /* KT_KERNEL_SOURCE_ENTRIES_H */
