#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The buffer files, and recorders that start and end.
# One kernel is enough: recorders meet the rings of ktrace itself.
. tests/kernel/lib.sh

put define 'ktbuffer/waking sched_waking; ptr struct task_struct *p'
put events/enabled 1
put enabled 1
$bin/buffer | grep -v '^1\.\.'
put enabled 0

load_module ktrace-test
load_module ktrace-test-probes
put events/enabled 0
put events/ktrace_test/test_hit/enabled 1
put reset 1
put enabled 1
test_run reset
check "no owner" is "$(get owner)" 0
$bin/ktread -w 1000 $tree >/dev/null &
recorder=$!
owner_is() {
	[ "$(get owner)" = "$1" ]
}
check "the recorder is the owner" wait_until owner_is $recorder
check "a second recorder is refused" not $bin/ktread $tree 2>/dev/null
check "and told why" sh -c \
	"grep -q 'process $recorder is recording already' $tree/error"
check "nobody else may reset" refuses reset 1 "process $recorder is recording"
check "the session is still enabled then" is "$(get enabled)" 1
put enabled 0
check "nor change the size" refuses buffer_size 1M "process $recorder"
put enabled 1
# The recorder must not read anything, because that would be missing below.
kill -STOP $recorder
until grep -q '^State:.T' /proc/$recorder/status; do sleep 0.1; done
test_run 'task 1000'
kill -9 $recorder
wait $recorder 2>/dev/null
check "no owner after it was killed" is "$(get owner)" 0
test_run 'task 1000'
put enabled 0
read=$($bin/ktread $tree)
check "the buffers stay readable" test $? = 0
check "with all that was recorded" is "$(count "$read" ktrace_test:test_hit)" 2000

# Resetting.
put enabled 1
test_run 'task 1000'
before=$(head -n 1 $tree/trace)
check "reset while enabled" put reset 1
check "it is another trace" not is "$(head -n 1 $tree/trace)" "$before" >/dev/null
test_run 'task 10'
put enabled 0
check "only what came later is there" is \
	"$(count "$($bin/ktread $tree)" ktrace_test:test_hit)" 10

# A directory that somebody is in.
check "unmounting is refused while files are open" sh -c \
	"exec 3<$tree/buffers/cpu0; ! umount $tree 2>/dev/null"
put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
put define '!ktbuffer/waking'
clean

# A buffer as large as the memory: the largest power of two that fits.
size=1048576
available=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1000))
while [ $((size * 2)) -lt $available ]; do
	size=$((size * 2))
done
# No process was killed for lack of memory.
none_killed() {
	! dmesg | grep -iE 'oom-kill|out of memory|page allocation failure'
}
echo "# $size bytes of $available"
put buffer_size $size
check "no two buffers that large" not sh -c "exec 3<$tree/buffers/cpu0
	echo first >/tmp/opened
	exec 4<$tree/buffers/cpu1" 2>/dev/null
check "one there is" is "$(cat /tmp/opened)" first
check "the error tells why" grep -q 'buffers/cpu1: no memory for the buffer' $tree/error
check "nor can the session begin" refuses enabled 1 "no memory for the buffers"
check "nobody was killed for them" none_killed
put buffer_size 4194304
cpu1=/sys/devices/system/cpu/cpu1/online
echo 0 >$cpu1
put buffer_size $size
check "a session begins with one CPU" put enabled 1
check "no CPU comes up that has no room" not sh -c "echo 1 2>/dev/null >$cpu1"
check "nobody was killed for that" none_killed
check "the session goes on" is "$(get enabled) $(get overflow | grep -c ^cpu)" "1 1"
put enabled 0
put buffer_size 4194304
echo 1 >$cpu1
check "it comes up with smaller ones" put enabled 1
clean

# A process cannot leave the limit of its control group.
groups=/run/ktrace-groups
mkdir $groups
mount -t cgroup2 none $groups
echo +memory >$groups/cgroup.subtree_control
mkdir $groups/small
echo 32M >$groups/small/memory.max
put buffer_size 64M
check "the memory of buffers is charged" not sh -c "echo \$\$ >$groups/small/cgroup.procs
	exec 3<$tree/buffers/cpu0" 2>/dev/null
check "this too is told" grep -q 'buffers/cpu0: no memory for the buffer' $tree/error
put buffer_size 8M
check "what may be used can be had" sh -c "echo \$\$ >$groups/small/cgroup.procs
	exec 3<$tree/buffers/cpu0"
check "and is charged" at_least "$(cat $groups/small/memory.current)" 8388608
clean
check "until it is given back" at_least 4194304 "$(cat $groups/small/memory.current)"
check "nobody was killed in the group" none_killed
rmdir $groups/small
umount $groups
rmdir $groups

# One thread flushes while another one resets.  Poison makes a reset slow, so that they
# meet.
umount $tree
rmmod ktrace
insmod "$KTRACE_MODULES/ktrace.ko" poison=90
mount -t ktracefs none $tree
load_module ktrace-test
load_module ktrace-test-probes
put buffer_size 128M
put events/ktrace_test/test_hit/enabled 1
check "flushing while it is reset" $bin/reset $tree $test_dir/run
put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
umount $tree
rmmod ktrace
load_module ktrace
mount -t ktracefs none $tree
clean
