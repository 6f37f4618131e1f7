/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The world of programs: the library, the tests, the benchmarks.  A "CPU" is a
 * thread, an interrupt is a signal handler that runs on it.
 */
#ifndef KT_CORE_ENV_USER_H
#define KT_CORE_ENV_USER_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#define noinline __attribute__((noinline))

struct kt_ring;

/* ThreadSanitizer does not see through assembler. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && \
	!defined(KT_PORTABLE_ATOMICS)
#include "arch/x86/local.h"
#else
#include "arch/any/local.h"
#endif

static __always_inline bool env_cmpxchg(u64 *p, u64 *old, u64 new)
{
	return __atomic_compare_exchange_n(p, old, new, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

#ifdef __x86_64__
static __always_inline u64 env_clock(void)
{
	return __builtin_ia32_rdtsc();
}
#else
#include <time.h>
static inline u64 env_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}
#endif

static inline void env_poison(void *at, size_t size)
{
	(void)at;
	(void)size;
}

/* Supplied by whoever owns the rings. */
void env_current_task(u32 *tid, u32 *tgid, char *comm);
void env_wake(struct kt_ring *ring);

/* Supplied by whoever runs capture programs. */
int env_copy(void *to, u64 from, u32 size, bool kernel);
long env_copy_string(void *to, u64 from, u32 max, bool kernel);
long env_copy_path(void *to, int fd, u32 max);
long env_copy_file(void *to, int fd, u32 max);
u32 env_exit_code(void);

/* Supplied by whoever walks stacks. */
bool env_stack_begin(u64 *limit);
bool env_stack_word(u64 from, u64 *word);
void env_stack_end(void);
u64 env_register(const void *registers, u32 number);

/* Programs have no secrets from themselves. */
static __always_inline u64 env_index(u64 index, u64 size)
{
	return index < size ? index : 0;
}

#endif /* KT_CORE_ENV_USER_H */
