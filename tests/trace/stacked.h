/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A trace of events with stacks of which all is known, for the tests of what shows them. */
#ifndef KT_TESTS_STACKED_H
#define KT_TESTS_STACKED_H

/*
 * Makes it in this directory, which must exist.
 *
 *	mm:alloc	{u64 bytes, s32 result, stack}
 *	sched:sched_switch with a stack
 *	mm:plain	{u64 bytes}, without
 *
 * 0 or -1.
 */
int stacked_make(const char *directory);
/*
 * A trace of the same kinds of events to compare that with: stacks have other ids, some are in
 * one of the two only, and mm:plain has not happened.
 */
int stacked_make_before(const char *directory);
/*
 * A trace with stacks of programs: whole ones and cut ones, with names of strangers.
 *
 *	mm:alloc	{u64 bytes, s32 result, the kernel's stack, the program's}
 *	mm:called	{u64 bytes, the program's stack}
 *	mm:plain	{u64 bytes}, without
 */
int stacked_make_programs(const char *directory);

#endif /* KT_TESTS_STACKED_H */
