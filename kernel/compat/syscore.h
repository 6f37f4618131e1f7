/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: the last steps before sleep. */
#ifndef KT_KERNEL_COMPAT_SYSCORE_H
#define KT_KERNEL_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

/*
 * KT_SYSCORE(name, suspend, resume): takes functions without arguments, and defines @name
 * for register_syscore(&name).
 */
#ifdef KT_HAS_SYSCORE
#define KT_SYSCORE(name, do_suspend, do_resume)        \
	static int name##_suspend(void *unused)        \
	{                                              \
		return do_suspend();                   \
	}                                              \
	static void name##_resume(void *unused)        \
	{                                              \
		do_resume();                           \
	}                                              \
	static const struct syscore_ops name##_ops = { \
		.suspend = name##_suspend,             \
		.resume = name##_resume,               \
	};                                             \
	static struct syscore name = {.ops = &name##_ops}
#else
#define KT_SYSCORE(name, do_suspend, do_resume) \
	static struct syscore_ops name = {      \
		.suspend = do_suspend,          \
		.resume = do_resume,            \
	}
#define register_syscore   register_syscore_ops
#define unregister_syscore unregister_syscore_ops
#endif

#endif /* KT_KERNEL_COMPAT_SYSCORE_H */
