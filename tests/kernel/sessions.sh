#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Several sessions, which are independent of each other.
# One kernel is enough: they share no interface of the kernel but that which changes code.
. tests/kernel/lib.sh

load_module ktrace-test
load_module ktrace-test-probes
event=events/ktrace_test/test_hit

check "mkdir" mkdir $tree/sessions/a
check "not twice" not mkdir $tree/sessions/a 2>/dev/null
mkdir $tree/sessions/b
check "listed" is "$(ls $tree/sessions | tr '\n' ' ')" "a b "
check "a long name" not mkdir $tree/sessions/$(printf %064d 0) 2>/dev/null
check "a name with a blank" not mkdir "$tree/sessions/a b" 2>/dev/null
check "a session has no sessions" not mkdir $tree/sessions/a/sessions 2>/dev/null
check "it has all that the root has, but what is global" \
	is "$(ls $tree/sessions/a | tr '\n' ' ')" \
	"$(ls $tree | grep -vE '^(sessions|define|kernel_reads|markers|print|printed|programs|symbols|undefined|unwinder|version)$' | tr '\n' ' ')"

put sessions/a/mode overwrite
put sessions/a/buffer_size 131072
check "modes are each session's own" \
	is "$(get mode) $(get sessions/a/mode) $(get sessions/b/mode)" \
	"discard overwrite discard"
check "sizes too" is "$(get sessions/a/buffer_size) $(get sessions/b/buffer_size)" \
	"131072 4194304"
check "traces have their own numbers" not is \
	"$(head -n 1 $tree/sessions/a/trace)" "$(head -n 1 $tree/trace)" >/dev/null

put sessions/a/$event/enabled 1
put sessions/b/events/ktrace_test/test_string/enabled 1
put sessions/b/$event/enabled 1
check "ids are each session's own" \
	is "$(get $event/id) $(get sessions/a/$event/id) $(get sessions/b/$event/id)" \
	"0 16 17"
check "errors are each session's own" refuses sessions/a/enabled foo "0 or 1"
check "another session has none" is "$(get sessions/b/error)" ""

put sessions/a/enabled 1
test_run reset
test_run 'task 1000'
put sessions/b/enabled 1
test_run 'task 1000'
put sessions/a/enabled 0
test_run 'task 1000'
put sessions/b/enabled 0
test_run 'task 1000'
a=$($bin/ktread $tree/sessions/a)
check "the first session's buffers are sound" test $? = 0
b=$($bin/ktread $tree/sessions/b)
check "the second session's buffers are sound" test $? = 0
check "the first session has what was while it was enabled" \
	is "$(count "$a" ktrace_test:test_hit)" 2000
check "the second session too" is "$(count "$b" ktrace_test:test_hit)" 2000
check "the root has nothing" is "$(get overflow | tail -n 1)" \
	"total events 0 full 0 overwritten 0 nested 0 large 0 task 0 recursion 0"

put sessions/b/enabled 1
check "an enabled session can be removed" rmdir $tree/sessions/b
test_run 'task 1000'
check "it is gone" not test -e $tree/sessions/b
check "a new one of this name begins anew" \
	sh -c "mkdir $tree/sessions/b && [ \$(cat $tree/sessions/b/$event/id) = 0 ]"
rmdir $tree/sessions/b

# A process in the directory keeps only the inode of the old session.
(cd $tree/sessions/a && exec sleep 1000) &
sleeper=$!
sleep 0.2
check "a session can be removed under somebody's feet" rmdir $tree/sessions/a
check "and made again" mkdir $tree/sessions/a
check "it is the new one" is "$(get sessions/a/mode)" discard
kill $sleeper
wait $sleeper 2>/dev/null
rmdir $tree/sessions/a

n=0
while [ $n -lt 20 ] && mkdir $tree/sessions/s$n; do
	put sessions/s$n/buffer_size 1048576
	put sessions/s$n/$event/enabled 1
	put sessions/s$n/enabled 1 || break
	n=$((n + 1))
done
check "twenty sessions" is $n 20
test_run 'task 100'
good=0
while [ $n -gt 0 ]; do
	n=$((n - 1))
	read=$($bin/ktread $tree/sessions/s$n)
	[ "$(count "$read" ktrace_test:test_hit)" = 100 ] && good=$((good + 1))
	rmdir $tree/sessions/s$n
done
check "each has recorded the same" is $good 20

rmmod ktrace-test-probes
rmmod ktrace-test
clean

# The file `types' has the events that may be in the buffers, and no others.
put define 'kttypes/a sched_waking; ptr struct task_struct *p'
put define 'kttypes/b sched_waking; ptr struct task_struct *p'
put define 'kttypes/c sched_waking; ptr struct task_struct *p'
put reset 1
types() {
	get types | sed -n 's/^event kttypes:\([a-z]\) id .*/\1/p' | sort | tr '\n' ' '
}
next_id() {
	get trace | sed -n 's/^next_id //p'
}
check "without an id, no event has a type" is "$(types)" ''
first=$(next_id)
put events/kttypes/a/enabled 1
put events/kttypes/b/enabled 1
check "the next id tells how many are new" is $(($(next_id) - first)) 2
check "they have types" is "$(types)" 'a b '
check "as info has them" is "$(get types)" \
	"$(get info | sed -n '/^event kttypes:[ab] /,/^$/p')"
put events/kttypes/b/enabled 0
put define '!kttypes/b'
check "also what is gone" is "$(types)" 'a b '
put events/kttypes/a/filter 'p != 0'
check "what is available, and has a filter" \
	is "$(get available | sed -n 's/ id [0-9]*//; /^event kttypes:/p')" \
	"event kttypes:a enabled 1 module vmlinux filter 1
event kttypes:c enabled 0 module vmlinux"
check "as many are available as info has" \
	is "$(get available | wc -l)" "$(get info | grep -c '^event ')"
put events/kttypes/a/enabled 0
put events/kttypes/a/filter 0
put define '!kttypes/a'
put define '!kttypes/c'
put reset 1

# With the records removed, ids start again, and events that are gone are forgotten.
gone_nr() {
	get gone | grep -c '^event ktids:'
}
define_often() {
	n=0
	while [ $n -lt 20 ]; do
		n=$((n + 1))
		put define 'ktids/a sched_waking; ptr struct task_struct *p'
		put events/ktids/a/enabled 1
		put define '!ktids/a'
	done
}
put define 'ktids/b sched_waking; ptr struct task_struct *p'
put define 'ktids/c sched_waking; ptr struct task_struct *p'
put reset 1
ids="events/ktids/b/id events/ktids/c/id"
define_often
put events/ktids/c/enabled 1
put events/ktids/b/enabled 1
check "each definition that had records is kept" is "$(gone_nr)" 20
check "each event has another id" is "$(cd $tree; cat $ids | tr '\n' ' ')" "37 36 "
put mode overwrite
check "another mode: no records, no descriptions" is "$(gone_nr)" 0
check "ids begin anew, in their order" is "$(cd $tree; cat $ids | tr '\n' ' ')" "17 16 "
define_often
put buffer_size 1M
check "so does another size" is "$(gone_nr)" 0
put enabled 1
define_often
put events/ktids/c/enabled 0
check "an event that was disabled keeps its id" is "$(get events/ktids/c/id)" 16
put reset 1
check "a reset forgets them" is "$(gone_nr)" 0
check "an event that is off has no id then" is "$(cd $tree; cat $ids | tr '\n' ' ')" "16 0 "
put events/ktids/c/enabled 1
check "the next one is the next" is "$(cd $tree; cat $ids | tr '\n' ' ')" "16 17 "
$bin/ktread $tree >/tmp/read
check "what is recorded has the new ids" test $? = 0
check "and is there" at_least "$(count "$(cat /tmp/read)" ktids:b)" 1
put enabled 0
put define '!ktids/b'
put define '!ktids/c'

# Each event that is switched on changes code, which makes hits of others: the kernel's own tracer
# sees them.
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
probes="ktrace-arch ktrace-mm ktrace-sched"
rmmod $probes 2>/dev/null
for module in $probes; do
	load_module $module
done
mkdir $tree/sessions/quiet
put sessions/quiet/buffer_size 16M
put sessions/quiet/events/enabled 1
events=$(cat $tree/sessions/quiet/events/*/*/enabled | grep -c 1)
echo >$tracing/trace
echo 1 >$tracing/events/tlb/tlb_flush/enable
put sessions/quiet/enabled 1
cat /proc/self/stat >/dev/null
put sessions/quiet/enabled 0
echo 0 >$tracing/events/tlb/tlb_flush/enable
theirs=$(grep -c ' tlb_flush: ' $tracing/trace)
echo >$tracing/trace
read=$($bin/ktread $tree/sessions/quiet)
ours=$(count "$read" tlb:tlb_flush)
ours=${ours:-0}
echo "# $theirs flushes while $events events are switched on and off, $ours recorded"
check "many events" at_least "$events" 100
check "each flushes" at_least "$theirs" "$events"
check "none of a batch is recorded before all are on, nor after the first is off" \
	test "$ours" -lt $((events / 4))
check "what is between is" at_least "$(count "$read" sched:sched_process_exec)" 1
check "and no more of it is lost" is "$(sed -n 's/^total events [0-9]* //p' $tree/sessions/quiet/overflow)" \
	"full 0 overwritten 0 nested 0 large 0 task 0 recursion 0"
rmdir $tree/sessions/quiet
rmmod $probes
clean
