#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# What Secure Boot does to a kernel.  The last of all: there is no way back.
. tests/kernel/lib.sh

mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
load_module ktrace-test
load_module ktrace-test-probes
echo integrity >/sys/kernel/security/lockdown
check "the kernel is locked down" grep -q '\[integrity\]' \
	/sys/kernel/security/lockdown
check "debugfs refuses" not sh -c "echo 'task 1' >$test_dir/run" 2>/dev/null

put define 'locked/waking sched_waking; ptr struct task_struct *p'
check "events can be enabled" put events/locked/waking/enabled 1
check "a session can be enabled" put enabled 1
sleep 0.5
read=$($bin/ktread $tree)
check "buffers can be mapped" test $? = 0
check "and are filled" at_least "$(count "$read" locked:waking)" 1
check "a session can be made" mkdir $tree/sessions/locked
rmdir $tree/sessions/locked
clean
