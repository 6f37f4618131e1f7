#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Memory is short: each allocation of an operation fails once. Then the operation is refused and
# leaves nothing, or does without, and the next one works.
# One kernel is enough: what is done when memory is short is the same.
# Only in check-all: it takes minutes.
. tests/kernel/lib.sh

fault=/sys/kernel/debug/ktrace-fault
load_module ktrace-probes
load_module ktrace-callee
load_module ktrace-fault

# What an operation that has failed must not change.
state() {
	# In few processes, and without each event's own files: this runs some hundred times.  An
	# event keeps the number that it got when it was enabled first.
	cat $tree/probes $tree/define $tree/enabled $tree/capture $tree/functions $tree/buffer_size \
		$tree/available /sys/kernel/tracing/enabled_functions \
		/sys/kernel/debug/kprobes/list 2>/dev/null |
		sed 's/\[OPTIMIZED\]//; s/ *$//; s/^\(event .*\) id [0-9]*/\1/' | sort | uniq -c
	ls $tree/events $tree/sessions
}

# tries WHAT UNDO COMMAND...
tries() {
	local what=$1 undo=$2 n=0 tried=0 refused=0 left= without= before status hit at= last= same=0
	shift 2
	before=$(state)
	while :; do
		# Of thousands at one place, not each: 6.1 allocates each instance of a return probe.
		n=$((n + 1 + (same > 16 ? (same - 16) * 20 : 0)))
		echo $n >$fault/nth
		"$@" 2>/dev/null
		status=$?
		read -r hit <$fault/hit
		echo 0 >$fault/nth
		[ "$hit" = 1 ] || break
		tried=$((tried + 1))
		at=$(cat $fault/where)
		[ "$at" = "$last" ] && same=$((same + 1)) || same=0
		last=$at
		if [ $status = 0 ]; then
			without="$without $at"
			$undo
		else
			refused=$((refused + 1))
		fi
		[ "$(state)" = "$before" ] || left="$left $at"
		[ $n -lt 100000 ] || break
	done
	[ $status = 0 ] || get error
	echo "# $what: $tried allocations failed, $refused refused it, without others it went on:"
	[ -z "$without" ] || printf '%s\n' $without | sort | uniq -c | sed 's/^/# /'
	check "$what: works if none fails" is $status 0
	check "$what: allocates" at_least $n 2
	check "$what: is refused then" at_least $refused 1
	check "$what: what is refused leaves nothing" is "$left" ""
	$undo
	check "$what: what works can be undone" is "$(state)" "$before"
}

# ---- probes -------------------------------------------------------------------------

file=$bin/probed
lines='probe/entry vfs_read; u64 u64 a = di
probe/return vfs_read%return; s64 long ret = ax
probe/within ktrace_callee:callee_six; u32 u32 c = dx
probe/leaves ktrace_callee:callee_error%return; s32 int ret = ax'"
probe/program $file:$($bin/probed where probed_text)/probed_text; u64 u64 a = di
probe/finished $file:$($bin/probed where probed_text)/probed_text%return; u64 u64 a = ax"
remove() {
	put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
}
tries 'to add probes' remove put probes "$lines"
put probes "$lines"
check "what is compared has each event" is "$(state | grep -c 'event probe:')" 6
off() {
	put events/probe/enabled 0
}
tries 'to switch events on' off put events/probe/enabled 1
put events/probe/enabled 1
stop() {
	put enabled 0
}
tries 'to arm probes' stop put enabled 1
put enabled 1
check "then they are hit" put reset 1
echo calls 10 >/sys/kernel/debug/ktrace-callee/run
check "all of them" is "$(count "$($bin/ktread $tree)" probe:within)" 10
put enabled 0
put events/probe/enabled 0

# ---- filters, captures, sessions --------------------------------------------------------

unfilter() {
	put events/probe/entry/filter none
}
tries 'to set a filter' unfilter put events/probe/entry/filter 'a > 5 && a < 1000000'
uncapture() {
	put capture none
}
tries 'to capture' uncapture put capture 'probe/entry: u64 twice: a0 a0 + put 8'
unstack() {
	put stack none
}
tries 'to have stacks' unstack put stack 'probe/entry: both if a > 5'
put stack 'probe/entry: both'
put events/probe/entry/enabled 1
tries 'to arm one with stacks' stop put enabled 1
put events/probe/enabled 0
put stack none
undefine() {
	put define '!raw/switch'
}
tries 'to define an event' undefine put define 'raw/switch sched_switch; u32 unsigned preempt'
unmake() {
	rmdir $tree/sessions/other
}
tries 'to make a session' unmake mkdir $tree/sessions/other
remove

# ---- functions ---------------------------------------------------------------------------

load_module ktrace-functions
unchoose() {
	put functions none
}
tries 'to choose functions' unchoose put functions '+vfs_read 3
+vfs_write 3
+callee_* 2
+vfs_open 2 if a1 > 5'
put functions '+vfs_read 3
+vfs_write 3'
put events/function/entry/enabled 1
put events/call/function/enabled 1
tries 'to arm functions and calls' stop put enabled 1
put events/function/entry/enabled 0
put events/call/function/enabled 0
put functions none
rmmod ktrace_functions

# ---- a module that comes ------------------------------------------------------------------

# A probe that cannot be armed then is refused, and says so; the module comes all the same.
rmmod ktrace_callee
put probes 'probe/six ktrace_callee:callee_six; u32 u32 c = dx'
put events/probe/six/enabled 1
put enabled 1
n=0
lost=0
refused=0
while :; do
	n=$((n + 1))
	echo $n >$fault/nth
	load_module ktrace-callee 2>/dev/null
	read -r hit <$fault/hit
	echo 0 >$fault/nth
	way=$(sed -n 's/^probe:six 0x[0-9a-f]* \([a-z]*\) .*/\1/p' $tree/probed)
	[ -d /sys/module/ktrace_callee ] || lost=$((lost + 1))
	case $way in
	waiting | '') lost=$((lost + 1)) ;;
	refused) refused=$((refused + 1)) ;;
	esac
	rmmod ktrace_callee 2>/dev/null
	[ "$hit" = 1 ] && [ $n -lt 300 ] || break
done
echo "# $((n - 1)) allocations failed while a module came"
check "arming what waited for it allocates" at_least $n 2
check "and is refused then" at_least $refused 1
check "a module comes, whatever fails, and its probe says how it is" is $lost 0
check "and is armed if nothing fails" is "$(echo $way | sed 's/ftrace\|jump\|breakpoint/armed/')" armed
put enabled 0
put events/probe/enabled 0
remove
rmmod ktrace_probes

# ---- branches -----------------------------------------------------------------------

load_module ktrace-branch
$bin/branched many 1000000 &
busy=$!
# The hooks go some time after the context.
trace() {
	local status
	$bin/branches open 1 $busy
	status=$?
	while grep -q 'sigreturn\|user_.*_step' /sys/kernel/debug/kprobes/list; do sleep 0.1; done
	return $status
}
tries 'to trace branches' true trace
kill $busy
wait $busy 2>/dev/null
rmmod ktrace_branch
rmmod ktrace_fault
clean
