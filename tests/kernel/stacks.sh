#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Stacks of events (kernel/base/unwind.c, kernel/event/depot.c).  The kernel's own unwinder is
# the judge of the walk: the module ktrace-stacks compares both at the same place.
. tests/kernel/lib.sh

stacks_dir=/sys/kernel/debug/ktrace-stacks
hit=events/ktrace_test/test_hit
dump=$(mktemp)
work=$(mktemp -d)

compare_run() {
	echo "$1" >$stacks_dir/run
}

# counts CONTEXT WORD
counts() {
	number "$(cat $stacks_dir/counts)" "$1" "$2"
}

# record TREE COMMAND...: runs it while TREE records, and leaves the events in the dump
record() {
	local dir=$1
	shift
	echo 1 >$dir/enabled
	"$@"
	echo 0 >$dir/enabled
	$bin/ktread -d $dir >"$dump" || echo "# the buffers are not sound"
}

# ids SYSTEM:NAME: of the events in the dump
ids() {
	stack_ids "$1" <"$dump"
}

# words FILE ID: the head and the addresses of a stack
words() {
	local frames
	frames=$(od -An -v -j $(($2 * 8 + 4)) -N 2 -t u2 "$1" | tr -d ' ')
	od -An -v -w8 -j $(($2 * 8)) -N $(((1 + frames) * 8)) -t x8 "$1" | tr -d ' '
}

# functions FILE ID: the names of its functions, innermost first
functions() {
	{
		grep -i ' t ' /proc/kallsyms | awk '{ print $1, "0", $3 }'
		words "$1" "$2" | awk 'NR > 1 { print $1, "1", NR }'
	} | sort | awk '$2 == 0 { name = $3 } $2 == 1 { print $3, name }' | sort -n |
		awk '{ print $2 }'
}

# ends FILE ID: the number that says why the stack ends
ends() {
	od -An -v -j $(($2 * 8 + 6)) -N 1 -t u1 "$1" | tr -d ' '
}

load_module ktrace-test
load_module ktrace-test-probes
load_module ktrace-stacks

# ---- the walk ---------------------------------------------------------------------

check "the kernel's tables are used" is "$(get unwinder)" orc
compare_run reset
compare_run "deep 60"
check "a deep stack is the same" is "$(counts task differ)" 0
for how in hooked returned; do
	before=$(counts task same)
	check "a return address can be replaced ($how)" compare_run "$how 5"
	check "it was" at_least $(($(counts task same) - before)) 5
	check "a stack with it is the same" is "$(counts task differ)" 0
done
# Only these, because the kernel's unwinder complains of interrupts at their returns.
tracing=/sys/kernel/tracing
echo vfs_write ksys_write full_proxy_write >$tracing/set_ftrace_filter
echo function_graph >$tracing/current_tracer
test_run "task 1000"
compare_run "deep 10"
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
check "so are those below the kernel's function graph" is "$(counts task differ)" 0
test_run "storm 10000"
# On a busy machine even fewer NMIs come.
for try in 1 2 3 4 5 6 7 8 9; do
	[ "$(counts nmi same)" -ge 20 ] || test_run "storm 10000"
done
find /usr/bin /sys/kernel -maxdepth 3 >/dev/null
(for i in 1 2 3 4 5 6 7 8; do /bin/true; done)
for context in task softirq irq nmi; do
	echo "# $(grep "^$context" $stacks_dir/counts)"
	check "in $context: all are the same" is "$(counts $context differ)" 0
	# Two NMIs may be merged into one, and an emulator has few.
	check "in $context: there were many" at_least "$(counts $context same)" 20
done
check "most of tasks are complete" at_least $(($(counts task complete) * 100)) \
	$(($(counts task same) * 90))
grep '^# ' $stacks_dir/counts
rmmod ktrace-stacks

# ---- the files --------------------------------------------------------------------

clean
check "no event has a stack at first" is "$(get stack)" ""
check "of an event that there is not" refuses stack 'no/such: kernel' 'there is no event'
check "of something else" refuses stack 'ktrace_test/test_hit: deep' 'is wanted, not'
check "without a colon" refuses stack 'ktrace_test/test_hit' 'both or branches N is wanted'
check "one bad line of two" refuses stack 'ktrace_test/test_hit: kernel
no/such: kernel' 'there is no event'
format=$(get $hit/format)
put stack 'ktrace_test/test_hit: kernel'
check "the file says who has one" is "$(get stack)" 'ktrace_test/test_hit: kernel'
check "the event has a field more" grep -q 'field:u32 __kernel_stack;	offset:16;	size:4;' \
	$tree/$hit/format
put stack 'ktrace_test/test_hit:'
check "and not afterwards" is "$(get stack)$(get $hit/format)" "$format"
check "a filter with an error" refuses stack 'ktrace_test/test_hit: kernel if number =' 'in the filter'
check "of a field that there is not" refuses stack 'ktrace_test/test_hit: kernel if no == 1' 'in the filter'
check "a filter without a stack" refuses stack 'ktrace_test/test_hit: if number == 1' 'no stack is wanted'
check "a refused one leaves nothing" is "$(get stack)" ''
put $hit/enabled 1
check "an event that is enabled" refuses stack 'ktrace_test/test_hit: kernel' 'disable it first'
put $hit/enabled 0
check "a size that is no number" refuses stack_size many 'a number of bytes is wanted'
check "a size that is too small" refuses stack_size 100 'are possible'

# ---- stacks of events -------------------------------------------------------------

put stack 'ktrace_test/test_hit: kernel
ktrace_test/test_string: kernel'
put $hit/enabled 1
put events/ktrace_test/test_string/enabled 1
record $tree eval 'test_run "task 100"; test_run "string 3 40"'
cat $tree/stacks >"$work/stacks"
check "each event has an id" is "$(ids ktrace_test:test_hit | grep -cv '^0$')" 100
check "the same stack has the same id" is "$(ids ktrace_test:test_hit | sort -u | wc -l)" 1
id=$(ids ktrace_test:test_hit | head -n 1)
names=$(functions "$work/stacks" "$id" | tr '\n' ' ')
check "it begins where the tracepoint is" expr "$names" : '\(hit\|run\)\>.*vfs_write ' >/dev/null
check "nothing of ktrace's is in it" not expr "$names" : '.*\(kt_\|__traceiter\)' >/dev/null
echo "# $names"
check "it is complete" is "$(ends "$work/stacks" "$id")" 0
check "data behind the fields has moved with its places" is "$(grep ktrace_test:test_string "$dump" |
	awk '{ print $NF }' | grep -c '6162636465.*7461696c00')" 3

clean
put $hit/filter 'context == 3'
put $hit/enabled 1
put events/ktrace_test/test_string/enabled 0
record $tree test_run "storm 5000"
cat $tree/stacks >"$work/stacks"
check "a filter passes what it did" is "$(awk '$4 == "ktrace_test:test_hit"' "$dump" |
	grep -vc ' 03000000')" 0
for id in $(ids ktrace_test:test_hit); do
	ends "$work/stacks" "$id"
done | sort | uniq -c >"$work/ends"
sed 's/^/# in NMIs: /' "$work/ends"
check "stacks of NMIs cross what they interrupt" at_least \
	"$(($(awk '$2 == 0 { print $1 }' "$work/ends") * 100))" \
	"$(($(awk '{ n += $1 } END { print n }' "$work/ends") * 80))"
# In the middle of a context switch the stack is the next task's already, and the current task is
# the one before: so nothing tells what stack that is (KT_STACK_BROKEN).
check "but the middle of a switch, and say so" is \
	"$(awk '$2 != 0 && $2 != 4' "$work/ends")" ''
put $hit/filter none

# ---- for some hits ----------------------------------------------------------------

clean
put reset 1
test_run reset
put stack 'ktrace_test/test_hit: both if number > 90'
check "the file says for which" is "$(get stack)" 'ktrace_test/test_hit: both if number > 90
ktrace_test/test_string: kernel'
put $hit/enabled 1
record $tree test_run "task 100"
check "only those have a stack" is "$(ids ktrace_test:test_hit | grep -c '^4294967295$')" 90
check "the others have" is "$(ids ktrace_test:test_hit | grep -cv '^4294967295$\|^0$')" 10
check "that is no loss" is "$(grep stacks $tree/overflow)" 'source stacks missed 0 full 0 nested 0 away 0'
put $hit/enabled 0
put stack 'ktrace_test/test_hit: kernel'

# ---- sessions, modes, off and on --------------------------------------------------

mkdir $tree/sessions/other
echo 'ktrace_test/test_hit: kernel' >$tree/sessions/other/stack
echo 1 >$tree/sessions/other/$hit/enabled
clean
put $hit/enabled 1
put enabled 1
record $tree/sessions/other test_run "task 10"
put enabled 0
check "another session has its own stacks" at_least \
	"$(ids ktrace_test:test_hit | grep -cv '^0$')" 10
id=$(ids ktrace_test:test_hit | head -n 1)
names=$(functions $tree/sessions/other/stacks "$id" | tr '\n' ' ')
check "also if two probes are at the tracepoint" expr "$names" : '\(hit\|run\)\>' >/dev/null
put stack none 2>/dev/null
rmdir $tree/sessions/other

clean
put mode overwrite
put buffer_size 128k
put $hit/enabled 1
record $tree test_run "task 50000"
check "overwritten events leave their stack" is "$(ids ktrace_test:test_hit | sort -u | grep -cv '^0$')" 1
size=$(wc -c <$tree/stacks)
record $tree test_run "task 10"
check "off and on, the stacks stay" at_least "$(wc -c <$tree/stacks)" "$size"
put reset 1
check "a reset forgets them" is "$(wc -c <$tree/stacks)" 8

# ---- a full depot -----------------------------------------------------------------

clean
put stack none
put reset 1
put stack_size 4096
put stack 'ktrace_test/test_hit: kernel'
check "the size is fixed while there are stacks" refuses stack_size 8192 'has stacks'
put $hit/enabled 1
record $tree test_run "storm 20000"
lost=$(ids ktrace_test:test_hit | grep -c '^0$')
all=$(ids ktrace_test:test_hit | wc -l)
check "if there is no room, events have no stack" at_least "$lost" 1
echo "# $(grep stacks $tree/overflow), $all events"
check "no more than the size is used" at_least 4096 "$(wc -c <$tree/stacks)"
clean
put stack none
put reset 1
put stack_size 4194304
check "nothing is left" is "$(get stack)$(wc -c <$tree/stacks)" 0
rm -rf "$dump" "$work"
