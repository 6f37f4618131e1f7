#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The buffer files, and recorders that come and go.
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
sleep 0.5
check "the recorder is the owner" is "$(get owner)" $recorder
check "a second recorder is refused" not $bin/ktread $tree 2>/dev/null
check "and told why" sh -c \
	"grep -q 'process $recorder is recording already' $tree/error"
check "nobody else may reset" refuses reset 1 "process $recorder is recording"
check "the session is still enabled then" is "$(get enabled)" 1
put enabled 0
check "nor change the size" refuses buffer_size 1M "process $recorder"
put enabled 1
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
	"sleep 30 <$tree/buffers/cpu0 & sleep 0.2; ! umount $tree 2>/dev/null; gone=\$?
	kill \$!; wait \$!; exit \$gone"
put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
put define '!ktbuffer/waking'
clean
