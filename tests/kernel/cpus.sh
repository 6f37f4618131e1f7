#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A session that records on some CPUs only, while CPUs go offline and come back.
. tests/kernel/lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online
load_module ktrace-test
load_module ktrace-test-probes
hit=events/ktrace_test/test_hit

# The kernel does not take the text.  refused FILE TEXT
refused() {
	check "'$2' is refused" not put "$1" "$2"
}

check "all at first" is "$(get cpus)" all
check "both have files" is "$(ls $tree/buffers | tr '\n' ' ')" "cpu0 cpu1 "
put cpus 1
check "one of them" is "$(get cpus)" 1
check "has a file" is "$(ls $tree/buffers)" cpu1
check "the other one cannot be opened" not test -e $tree/buffers/cpu0
memory_free() {
	sed -n 's/^MemFree: *\([0-9]*\) .*/\1/p' /proc/meminfo
}
put $hit/enabled 1
put buffer_size 32M
before=$(memory_free)
put enabled 1
taken=$((before - $(memory_free)))
check "the other one takes no memory: $taken kB" test $taken -lt 50000
check "nor is it counted" is "$(get overflow | grep -o '^cpu[0-9]*')" cpu1
refused cpus 0
check "it cannot change while the session is on" is "$(get cpus)" 1

test_run reset
taskset 1 sh -c "echo 'task 1000' >$test_dir/run"
taskset 2 sh -c "echo 'task 500' >$test_dir/run"
put enabled 0
read=$($bin/ktread $tree)
check "it can be read" test $? = 0
check "events of that CPU are there, and no others" \
	is "$(count "$read" ktrace_test:test_hit)" 500

# Storms in all contexts, with a CPU that goes and comes.
clean
put cpus 1
put $hit/enabled 1
put enabled 1
n=0
while [ $n -lt 6 ]; do
	n=$((n + 1))
	test_run 'storm 3000'
	echo $((n % 2)) >$cpu1
	test_run 'storm 3000'
done
echo 1 >$cpu1
put enabled 0
check "nothing of the other CPU, whatever comes and goes" \
	is "$(get overflow | grep -o '^cpu[0-9]*')" cpu1
$bin/ktread $tree >/dev/null
check "it can be read" test $? = 0

# The CPU that is wanted is not there yet, and the one that is not wanted comes later.
clean
echo 0 >$cpu1
put cpus 1
put $hit/enabled 1
put enabled 1
check "no buffer before it comes" is "$(get overflow | grep -c ^cpu)" 0
test_run 'task 1000'
echo 1 >$cpu1
check "one when it comes" is "$(get overflow | grep -o '^cpu[0-9]*')" cpu1
taskset 2 sh -c "echo 'task 300' >$test_dir/run"
put enabled 0
read=$($bin/ktread $tree)
check "its events are there" is "$(count "$read" ktrace_test:test_hit)" 300
clean
echo 0 >$cpu1
put cpus 0
put $hit/enabled 1
put enabled 1
echo 1 >$cpu1
taskset 2 sh -c "echo 'task 300' >$test_dir/run"
taskset 1 sh -c "echo 'task 200' >$test_dir/run"
put enabled 0
read=$($bin/ktread $tree)
check "a CPU that comes and is not wanted has none" \
	is "$(count "$read" ktrace_test:test_hit)" 200

# Events with a condition use a scratch area, which such a CPU does not have.
clean
put cpus 0
put $hit/enabled 1
put $hit/filter 'number >= 0'
put enabled 1
test_run reset
taskset 2 sh -c "echo 'task 300' >$test_dir/run"
taskset 1 sh -c "echo 'task 200' >$test_dir/run"
put enabled 0
read=$($bin/ktread $tree)
check "events with a filter" is "$(count "$read" ktrace_test:test_hit)" 200
put $hit/filter none

# Other sessions have theirs.
mkdir $tree/sessions/other
check "a new session has all" is "$(cat $tree/sessions/other/cpus)" all
rmdir $tree/sessions/other

for bad in '' x -1 99999 1- 0,x 0-99999 4096 '0 1 x'; do
	refused cpus "$bad"
	check "'$bad' is refused, and changes nothing" is "$(get cpus)" 0
done
put cpus 0-1
check "a range" is "$(ls $tree/buffers | tr '\n' ' ')" "cpu0 cpu1 "
put cpus all
check "all again" is "$(get cpus)" all

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
