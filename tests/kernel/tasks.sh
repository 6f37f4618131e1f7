#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Which task ran: task records are compared with what is known to have run.
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

# While a session's sched_switch is switched on and off, its task records of switches are
# switched off and on: one of them always exists. Another session, which has the event all
# the time, is the reference.
load_module ktrace-sched
mkdir $tree/sessions/oracle
switch=events/sched/sched_switch
next=$(sed -n 's/.*next_pid;.offset:\([0-9]*\);.*/\1/p' $tree/$switch/format)
for session in . sessions/oracle; do
	put $session/buffer_size 16M
	put $session/reset 1
done
put sessions/oracle/$switch/enabled 1
put enabled 1
put sessions/oracle/enabled 1
busy=
for task in 1 2 3; do
	while :; do :; done &
	busy="$busy $!"
done
n=0
while [ $n -lt 15 ]; do
	n=$((n + 1))
	put $switch/enabled 1
	put $switch/filter 'prev_pid & 1'
	put $switch/filter 0
	[ $((n % 5)) != 0 ] || put pids 1
	put $switch/enabled 0
	put pids ''
done
put $switch/enabled 1
sleep 0.2
put sessions/oracle/enabled 0
put enabled 0
kill $busy
wait 2>/dev/null

# The tasks of each CPU in order, one line for each CPU. The same task twice in a row is one
# switch.
turns() {
	$bin/ktread -d $tree/$1 | awk -v at=$next '
		function digit(hex, i) {
			return index("0123456789abcdef", substr(hex, i, 1)) - 1
		}
		function number(hex, i, value) {
			for (i = 7; i > 0; i -= 2)
				value = value * 256 + digit(hex, i) * 16 + digit(hex, i + 1)
			return value
		}
		$4 == "switch" { now = $5 }
		$4 == "sched:sched_switch" { now = number(substr($5, 2 * at + 1, 8)) }
		$4 == "switch" || $4 == "sched:sched_switch" {
			if (!($1 in last) || last[$1] != now)
				turns[$1] = turns[$1] " " now
			last[$1] = now
		}
		END {
			for (cpu in turns)
				print cpu turns[cpu] " "
		}' | sort
}
turns . >/tmp/turns
turns sessions/oracle >/tmp/oracle
rmdir $tree/sessions/oracle
check "there were switches" at_least "$(wc -w </tmp/oracle)" 500
check "each of them is told" is "$(awk '
	{ cpu = $1; sub(/^[^ ]*/, "") }
	NR == FNR { told[cpu] = $0; next }
	!index(told[cpu], $0) { print "cpu " cpu }' /tmp/turns /tmp/oracle)" ""

put events/enabled 0
rmmod ktrace-sched
rmmod ktrace-test-probes
rmmod ktrace-test
clean
