#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Who ran: task records against what is known to have run.
. tests/kernel/lib.sh

check "tasks knows us" grep -qx "$$ $$ $PPID sh" $tree/tasks
check "tasks knows kernel threads" grep -qx '2 2 0 kthreadd' $tree/tasks
check "tasks knows all" at_least "$(get tasks | wc -l)" \
	"$(ls -d /proc/[0-9]*/task/[0-9]* | grep -vc "/proc/$$/")"

load_module ktrace-test
load_module ktrace-test-probes
put events/ktrace_test/test_hit/enabled 1
put enabled 1
sh -c 'echo "task 1000" >$test_dir/run; echo $$ >/tmp/pid; exec true'
read pid </tmp/pid
sh -c 'printf renamed >/proc/self/comm; echo "task 10" >$test_dir/run; echo $$ >/tmp/pid'
read renamed </tmp/pid
put enabled 0
$bin/ktread -d $tree >/tmp/unsorted
check "the buffers are sound" test $? = 0
sort -s -n -k 2,2 /tmp/unsorted >/tmp/read

check "a fork" grep -q "task $pid $pid $$ sh$" /tmp/read
check "an exec" is "$(sed -n "s/.* task $pid $pid $$ //p" /tmp/read | tail -n 1)" \
	true
check "a new name" is \
	"$(sed -n "s/.* task $renamed $renamed $$ //p" /tmp/read | tail -n 1)" renamed
check "an exit" grep -q " $renamed exit $renamed $renamed $$ renamed$" /tmp/read
check "events belong to who ran" is \
	"$(awk '$4 == "ktrace_test:test_hit" { print $3 }' /tmp/read | sort | uniq -c |
		awk '{ print $2, $1 }')" \
	"$(printf '%s 1000\n%s 10' $pid $renamed | sort)"
check "who leaves is who ran" is "$(awk '$4 == "switch" { last[$1] = $5 }
	$4 == "exit" && $3 != $5 { bad++ } END { print bad + 0 }' /tmp/read)" 0

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
