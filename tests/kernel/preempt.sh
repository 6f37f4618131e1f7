#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# On a fully preemptible kernel (preempt=full): syscalls whose hooks could preempt each
# other while their paths are captured. Since 6.13 the kernel allows this; our hooks must
# prevent it.
. tests/kernel/lib.sh

check "the kernel preempts itself" grep -q '(full)' /sys/kernel/debug/sched/preempt
load_module ktrace-syscalls
openat=syscalls/sys_enter_openat
check "a path is captured" put capture "$openat: char name: a1 string 4095"
put buffer_size 64M
put events/$openat/enabled 1
put events/syscalls/sys_exit_openat/enabled 1
put enabled 1
sh -c 'echo $$ >'"$tree/pids; exec $bin/preempt ${KTRACE_CALLS:-20000}" >/tmp/made
put enabled 0
$bin/ktread -d $tree >/tmp/read
check "the buffers are sound" test $? = 0
put pids ''
check "nothing is lost" is "$(get overflow | sed -n 's/^total events [0-9]* //p')" \
	"full 0 overwritten 0 nested 0 large 0 task 0 recursion 0"
sed 's/ [0-9a-f]*$//; s/^/# calls: /' /tmp/made
check "others have interrupted" at_least "$(sed -n 's/^urgent \([0-9]*\) .*/\1/p' /tmp/made)" 100
while read -r kind count path; do
	check "$kind: each call has its own path" is "$(grep -c "openat .*$path$" /tmp/read)" $count
done </tmp/made
check "as many ends as begins" is "$(grep -c 'sys_exit_openat' /tmp/read)" \
	"$(grep -c 'sys_enter_openat' /tmp/read)"
put events/enabled 0
clean
put capture none
rmmod ktrace-syscalls
