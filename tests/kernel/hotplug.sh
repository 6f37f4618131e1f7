#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# CPUs that go offline and come back.
. tests/kernel/lib.sh

cpu1=/sys/devices/system/cpu/cpu1/online
load_module ktrace-test
load_module ktrace-test-probes
hit=events/ktrace_test/test_hit

put $hit/enabled 1
put buffer_size 32M
put enabled 1
test_run reset
test_run 'storm 10000'
echo 0 >$cpu1
test_run 'storm 10000'
check "the buffer of a CPU that is off stays" test -e $tree/buffers/cpu1
echo 1 >$cpu1
test_run 'storm 10000'
echo 0 >$cpu1
put enabled 0
all=$(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
read=$($bin/ktread $tree)
check "it can be read, and flushed" test $? = 0
check "nothing is missing" is "$(count "$read" ktrace_test:test_hit)" $all
echo 1 >$cpu1

# A reader that flushes for an offline CPU runs on another one.
clean
put buffer_size 8M
put enabled 1
echo 0 >$cpu1
$bin/ktread $tree >/dev/null
echo 1 >$cpu1
put enabled 0
check "a CPU that comes back begins with its idle task" is \
	"$($bin/ktread -d $tree | sed -n '/^1 /{s/^1 [0-9]* \([0-9]*\) .*/\1/p;q}')" 0

# A session that starts while a CPU is offline.
clean
echo 0 >$cpu1
put $hit/enabled 1
put enabled 1
check "no buffer of a CPU that was never on" \
	is "$(get overflow | grep -c ^cpu)" 1
test_run reset
echo 1 >$cpu1
check "one when it comes on" is "$(get overflow | grep -c ^cpu)" 2
test_run 'storm 10000'
put enabled 0
all=$(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
read=$($bin/ktread $tree)
check "its events are there" is "$(count "$read" ktrace_test:test_hit)" $all

# A reader that opened it while it was offline.
clean
echo 0 >$cpu1
put $hit/enabled 1
put enabled 1
test_run reset
$bin/ktread -w 600 $tree >/tmp/read &
reader=$!
wait_until reads $reader
n=0
while [ $n -lt 6 ]; do
	n=$((n + 1))
	echo $((n % 2)) >$cpu1
	test_run 'task 1000'
done
echo 1 >$cpu1
# It may take long on a busy machine: tell the reader when it is over.
kill -USR1 $reader
wait $reader
check "CPUs come and go before a reader's eyes" test $? = 0
put enabled 0
check "all was read" is "$(count "$(cat /tmp/read)" ktrace_test:test_hit)" \
	"$(hits task)"

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
