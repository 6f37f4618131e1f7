# SPDX-License-Identifier: GPL-2.0-only OR MIT
# What probes were hit and have missed, by event: the file probe_hits.  The kernel's own kprobe
# events, beside them, say how many.
. tests/kernel/lib.sh

tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
load_module ktrace-callee
load_module ktrace-probes
run=/sys/kernel/debug/ktrace-callee/run

# The words behind an event's name.  counted EVENT
counted() {
	sed -n "s/^probe:$1 //p" $tree/probe_hits
}
# Hits and misses, as the kernel has them of its own probes.
theirs() {
	awk -v name="$1" '$1 == name { print $2, $3 }' $tracing/kprobe_profile
}
# Ours, all reasons together.
ours() {
	counted "$1" | awk '{ print $2, $5 + $7 + $9 }'
}

# ---- nested: a handler reads memory that is not there --------------------------------

check "without probes, there are no hits" is "$(get probe_hits)" ""
put probes 'probe/fault fixup_exception
probe/bad ktrace_callee:callee_six; u32 u32 none = di @4; u16 u16 unread = unread
probe/never ksys_sync'
echo 'p:kt/fault fixup_exception' >$tracing/kprobe_events
echo 1 >$tracing/events/kt/enable
put events/probe/enabled 1
put enabled 1
echo calls 7 >$run
put enabled 0
echo 0 >$tracing/events/kt/enable
check "what is recorded is hit" is "$(counted bad)" "hits 7 missed nested 0 open 0 idle 0"
check "what a handler causes is missed" is "$(counted fault | sed 's/^hits [0-9]* //')" "missed nested 7 open 0 idle 0"
check "as often as by the kernel's own probe" is "$(ours fault)" "$(theirs fault)"
check "and what was not reached is there" is "$(counted never)" "hits 0 missed nested 0 open 0 idle 0"
check "they are in the sum of all" grep -q '^source probe missed 7 nested 7 open 0 idle 0$' $tree/overflow
echo >$tracing/kprobe_events

put enabled 1
echo calls 3 >$run
check "while it is on, hits go on" is "$(counted bad)" "hits 10 missed nested 0 open 0 idle 0"
check "probed has those since it is on" grep -q '^probe:bad .* hits 3 missed ' $tree/probed
mkdir $tree/sessions/other
check "each session has its own" is "$(get sessions/other/probe_hits)" ""
put sessions/other/events/probe/bad/enabled 1
put sessions/other/enabled 1
echo calls 2 >$run
check "of what it records" is "$(get sessions/other/probe_hits)" "probe:bad hits 2 missed nested 0 open 0 idle 0"
put events/probe/bad/enabled 0
echo calls 2 >$run
check "what is switched off keeps its number" is "$(counted bad)" "hits 12 missed nested 0 open 0 idle 0"
put probes '!probe/bad'
check "what is removed has none" is "$(counted bad)$(get sessions/other/probe_hits)" ""
rmdir $tree/sessions/other
put probes 'probe/bad ktrace_callee:callee_six'
put events/probe/bad/enabled 1
echo calls 1 >$run
check "and what is made anew begins with 0" is "$(counted bad)" "hits 1 missed nested 0 open 0 idle 0"
put enabled 0
put events/probe/enabled 0
put probes '!probe/fault
!probe/bad
!probe/never'
put reset 1

# ---- open: more than 1024 calls that have not returned -------------------------------

put probes 'probe/slept hrtimer_nanosleep%return'
echo 'r1024:kt/slept hrtimer_nanosleep' >$tracing/kprobe_events
echo 1 >$tracing/events/kt/enable
put events/probe/enabled 1
put enabled 1
pids=
for i in $(seq 1060); do
	sleep 1000 &
	pids="$pids $!"
done
# The last one has called it.
for i in $(seq 300); do
	[ "$(counted slept | awk '{ print $7 }')" -ge 36 ] && break
	sleep 0.1
done
kill $pids
wait
put enabled 0
echo 0 >$tracing/events/kt/enable
check "returns are missed while too many calls are open" at_least "$(counted slept | awk '{ print $7 }')" 36
check "others are hit" at_least "$(counted slept | awk '{ print $2 }')" 1024
check "both as the kernel's own has it" is "$(ours slept)" "$(theirs slept)"
echo >$tracing/kprobe_events
put events/probe/enabled 0
put probes '!probe/slept'
put reset 1

# ---- idle: returns of what is only called where RCU is idle ---------------------------

# In newer kernels ftrace calls none of these.
idle=
for function in arch_cpu_idle default_idle poll_idle; do
	grep -qx $function $tracing/available_filter_functions || continue
	put probes "probe/$function $function%return"
	idle=yes
done
put events/probe/enabled 1
[ ! "$idle" ] || check "returns of what idle CPUs call are armed" put enabled 1
if grep -q '^probe:arch_cpu_idle ' $tree/probe_hits; then
	for i in $(seq 100); do
		[ "$(counted arch_cpu_idle | awk '{ print $9 }')" -ge 10 ] && break
		sleep 0.1
	done
	check "they are missed" at_least "$(counted arch_cpu_idle | awk '{ print $9 }')" 10
	# While it is on, one may have been counted as a hit, and not yet as missed.
	check "and are no hits" grep -q '^probe:arch_cpu_idle .* hits [0-9]\{1,6\} missed nested 0 open 0 idle [1-9]' $tree/probed
	put enabled 0
	check "as is seen when it is off" is "$(counted arch_cpu_idle | sed 's/ idle .*//')" "hits 0 missed nested 0 open 0"
fi
put enabled 0
put events/probe/enabled 0
check "nor of any are there more hits than calls" is "$(get probe_hits | awk 'length($3) > 12')" ""
put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
put reset 1
rmmod ktrace_probes
rmmod ktrace_callee
clean
