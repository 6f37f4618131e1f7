#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Who may look into the kernel: a group that the mount options let in; and what lockdown
# still allows. This script runs last, because lockdown cannot be undone.
. tests/kernel/lib.sh

mountpoint -q /sys/kernel/security || mount -t securityfs none /sys/kernel/security
load_module ktrace-test
load_module ktrace-test-probes

# ---- a group that the mount lets in -----------------------------------------------

# The restrictions must hold for events and for the memory that they point to.
own='locked/waking: u8 stack: a0 8 bytes 8'
kernels='locked/waking: u8 task: kernel a0 8 bytes 8'
user() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
# user_put FILE TEXT
user_put() {
	user sh -c 'echo "$2" >"$1"' sh "$tree/$1" "$2" 2>/dev/null
}
# error_says WORDS
error_says() {
	get error | grep -q "$1"
}

put define 'locked/waking sched_waking; ptr struct task_struct *p'
check "nobody but root is let in" not user ls $tree 2>/dev/null
mount -o remount,gid=65534,mode=770 $tree
check "a group may be" user_put events/locked/waking/enabled 1
user_put events/locked/waking/enabled 0
check "it may capture programs' memory" user_put capture "$own"
check "not the kernel's" not user_put capture "$kernels"
check "and is told" error_says 'only root may read kernel memory'
check "what was captured is as it was" is "$(get capture)" "$own"
check "root may" put capture "$kernels"
check "it can change that to what it may" user_put capture "$own"
check "and not back" not user_put capture "$kernels"
check "who opened the file counts" user sh -c "echo '$kernels' >&9" 9>$tree/capture
check "the group cannot let itself" not user_put kernel_reads 1
mount -o remount,uid=65534,gid=65534,mode=770 $tree
check "nor can the tree's owner, who is not root" not user_put kernel_reads 1
check "and is told, too" error_says 'only root may let others'
check "root can" put kernel_reads 1
check "then the group may" user_put capture "$kernels"
put kernel_reads 0
put capture none
check "until root takes it back" not user_put capture "$kernels"
put kernel_reads 1
user_put capture "$kernels"
put kernel_reads 0
check "what was let in stays" is "$(get capture)" "$kernels"
check "until it is taken away" put capture none
check "then it does not come back" not user_put capture "$kernels"
put capture none
mount -o remount,uid=0,gid=0,mode=700 $tree

# ---- locked down, for integrity ---------------------------------------------------

echo integrity >/sys/kernel/security/lockdown
check "the kernel is locked down" grep -q '\[integrity\]' \
	/sys/kernel/security/lockdown
check "debugfs refuses" not sh -c "echo 'task 1' >$test_dir/run" 2>/dev/null

check "events can be enabled" put events/locked/waking/enabled 1
check "a session can be enabled" put enabled 1
sleep 0.5
read=$($bin/ktread $tree)
check "buffers can be mapped" test $? = 0
check "and are filled" at_least "$(count "$read" locked:waking)" 1
check "a session can be made" mkdir $tree/sessions/locked
rmdir $tree/sessions/locked
put events/locked/waking/enabled 0
check "kernel memory can be read" put capture "$kernels"
put capture none
clean

# ---- and for confidentiality ------------------------------------------------------

exec 7<$tree/error 8>$tree/capture
echo confidentiality >/sys/kernel/security/lockdown
check "the kernel is locked down" grep -q '\[confidentiality\]' \
	/sys/kernel/security/lockdown
for file in info enabled buffers/cpu0 events/locked/waking/format; do
	check "$file cannot be opened" not sh -c "cat $tree/$file >/dev/null 2>&1"
done
check "nor written" not put enabled 1
check "who has opened before captures programs' memory" sh -c "echo '$own' >&8"
check "but not the kernel's any more" not sh -c "echo '$kernels' >&8" 2>/dev/null
check "and is told" grep -q 'the kernel is locked down' <&7
check "the command says so" sh -c \
	"ktrace record -o /tmp/locked -e sched_switch -- true 2>&1 | grep -q 'lockdown=integrity'"
exec 7<&- 8>&-
