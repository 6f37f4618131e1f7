#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A thousand probes at once, where functions begin: kernel/source/probe/entries.c.
# One kernel is enough: probes.sh arms some of them on each.
# Only in check-all: it takes minutes.
. tests/kernel/lib.sh

tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
load_module ktrace-probes

# Functions that ftrace calls, and kprobes may be at.
awk '
	BEGIN { nr = 0 }
	FILENAME ~ /blacklist/ { sub(/-.*/, "", $1); forbidden[substr($1, 3)]; next }
	FILENAME ~ /available/ { if (NF == 1) calls[$1]; next }
	{ symbols[$3]++ }
	# Parts of functions may be forbidden by the name of the whole.
	$3 in calls && $3 !~ /[.]/ && tolower($2) == "t" && NF == 3 && !($1 in forbidden) {
		name[nr] = $3
		address[nr++] = $1
	}
	END {
		# Of several with a name, ftrace may call one only.
		for (i = 0; i < nr; i++)
			if (symbols[name[i]] == 1)
				print name[i], address[i]
	}' /sys/kernel/debug/kprobes/blacklist $tracing/available_filter_functions /proc/kallsyms >/run/candidates
# many REGEX NR SKIP: lines for some of them
many() {
	awk -v regex="$1" -v nr="$2" -v every="$3" '
		$1 ~ regex && n++ % every == 0 && nr-- > 0 { print "many/" $1 " 0x" $2 "/" $1 }' /run/candidates
}
# lines SED: as one write
lines() {
	sed "$1" /run/many >/run/many.lines
	dd if=/run/many.lines of=$tree/probes bs=1M 2>/dev/null
}
# In ms.
clock() {
	awk '{ printf "%d", $1 * 1000 }' /proc/uptime
}
many '^(acpi|pci|usb|tty|tcp|udp|inet|pnp|efi|iommu|intel|cgroup|audit|bio|blk|dma|dev|key|irq|proc|kernfs|sysfs|of|ring)_' 999 1 >/run/many
echo 'many/ksys_sync ksys_sync' >>/run/many
check "a thousand lines" is "$(wc -l </run/many)" 1000
at=$(clock)
lines ''
echo "# 1000 probes: defined in $(($(clock) - at)) ms"
put events/many/enabled 1
at=$(clock)
check "are armed" put enabled 1
echo "# armed in $(($(clock) - at)) ms"
check "each where ftrace calls" is "$(grep -c ' ftrace ' $tree/probed)" 1000
check "which calls for so many" is "$(grep -c ' (1) R' $tracing/enabled_functions)" 1000
$bin/ktread $tree >/dev/null
for i in 1 2 3 4 5; do sync; done
check "and are hit" is "$(count "$($bin/ktread $tree)" many:ksys_sync)" 5
at=$(clock)
put enabled 0
echo "# taken away in $(($(clock) - at)) ms"
check "all go at once" is "$(grep -c . $tracing/enabled_functions) $(get probed)" "0 "
put events/many/enabled 0
lines 's/^\([^ ]*\) .*/!\1/'
put reset 1

# Their returns: ftrace calls, too, and no kretprobe is registered.
both='ksys_sync kernfs_seq_start kernfs_seq_show'
{
	printf 'many/%s %s\n' ksys_sync ksys_sync kernfs_seq_start kernfs_seq_start kernfs_seq_show kernfs_seq_show
	grep -vE '^many/(ksys_sync|kernfs_seq_start|kernfs_seq_show) ' /run/many
} | sed -n '1,1000s/$/%return/p' >/run/returns
mv /run/returns /run/many
lines ''
put events/many/enabled 1
# None of them can become a jump, so the kernel's optimizer has nothing to do.  That is a work
# or, in newer kernels, a thread.
echo 'next_comm ~ "kprobe-optimiz*"' >$tracing/events/sched/sched_switch/filter
passes_watch() {
	echo "$1" >$tracing/events/workqueue/workqueue_execute_start/enable
	echo "$1" >$tracing/events/sched/sched_switch/enable
}
passes() {
	grep -c 'function kprobe_optimizer\|next_comm=kprobe-optimiz' $tracing/trace
}
passes_watch 1
# In KiB: what rethook keeps for open calls is in one of these.
memory() {
	awk '$1 == "VmallocUsed:" || $1 == "SUnreclaim:" { nr += $2 } END { print nr }' /proc/meminfo
}
before=$(memory)
at=$(clock)
check "a thousand returns are armed, too" put enabled 1
echo "# 1000 returns: armed in $(($(clock) - at)) ms"
took=$(($(memory) - before))
echo "# they take $took KiB"
check "with memory for 64 pools of open calls" at_most "$took" 9000
check "each where ftrace calls ktrace" is "$(grep -c ' ftrace ' $tree/probed) $(
	grep -c ' (1) R' $tracing/enabled_functions)" "1000 1000"
check "and no kprobe" is "$(grep -c . /sys/kernel/debug/kprobes/list)" 0
sleep 1
check "no pass of the optimizer is needed" is "$(passes)" 0
# The kernel's own probe within a function, which becomes a jump if its instruction can be moved.
for offset in $(seq 5 40); do
	echo "p:kt/within ksys_sync+$offset" 2>/dev/null >>$tracing/kprobe_events || continue
	echo 1 2>/dev/null >$tracing/events/kt/within/enable
	for i in $(seq 50); do
		[ "$(passes)" -gt 0 ] && break 2
		sleep 0.1
	done
	echo 0 >$tracing/events/kt/within/enable
	echo '-:kt/within' >>$tracing/kprobe_events
done
check "of the kernel's own probe, one is seen" at_least "$(passes)" 1
passes_watch 0
echo 0 >$tracing/events/sched/sched_switch/filter
echo 0 >$tracing/events/kt/enable
echo >$tracing/kprobe_events
jump=ksys_sync+$offset
echo >$tracing/trace
# The kernel's own events of returns, at the same functions, say how often.
for function in $both; do
	echo "r:kt/$function $function" >>$tracing/kprobe_events
done
before=$(get probe_hits | sort)
echo 1 >$tracing/events/kt/enable
for i in 1 2 3 4 5; do sync; cat /sys/kernel/notes /sys/kernel/fscaps /sys/kernel/profiling >/dev/null 2>&1; done
echo 0 >$tracing/events/kt/enable
hits() {
	get probe_hits | awk -v both=" $both " -v before="$before" '
		BEGIN { n = split(before, line, "\n"); for (i = 1; i <= n; i++) { split(line[i], word, " "); had[word[1]] = word[3] } }
		{ function_ = substr($1, 6); if (index(both, " " function_ " ")) print function_, $3 - had[$1], $6 + $8 + $10 }' | sort
}
theirs() {
	awk '$1 != "" { print $1, $2, $3 }' $tracing/kprobe_profile | sort
}
check "all are hit as often as the kernel's own" is "$(hits)" "$(theirs)"
check "which are hit" at_least "$(theirs | awk '$2 >= 5' | wc -l)" 3
echo >$tracing/kprobe_events
$bin/ktread $tree >/dev/null
for i in 1 2 3 4 5; do sync; done
check "and are recorded" is "$(count "$($bin/ktread $tree)" many:ksys_sync)" 5
at=$(clock)
put enabled 0
echo "# taken away in $(($(clock) - at)) ms"
check "all go at once" is "$(grep -c . $tracing/enabled_functions) $(grep -c . /sys/kernel/debug/kprobes/list)" "0 0"
# One more has a pool with others.
put probes 'many/slept hrtimer_nanosleep%return'
put events/many/enabled 1
put enabled 1
pids=
for i in $(seq 1060); do
	sleep 1000 &
	pids="$pids $!"
done
slept() {
	sed -n "s/^many:slept \(.* \)*$1 \([0-9]*\).*/\2/p" $tree/probe_hits
}
for i in $(seq 300); do
	[ "$(slept open)" -ge 36 ] && break
	sleep 0.1
done
kill $pids
wait
check "when a pool is empty, calls are missed" at_least "$(slept open)" 36
check "the others are hit" at_least "$(($(slept hits) + $(slept open)))" 1060
check "as many as a pool has" at_most "$(slept open)" 200
put enabled 0
put events/many/enabled 0
put probes '!many/slept'
lines 's/^\([^ ]*\) .*/!\1/'
put reset 1

# Within functions, probes are armed one by one.  The optimizer, which is at work for a probe of the
# kernel's own, must not make a pass between any two of them: each waits once for RCU's tasks.
load_module ktrace-callee
objdump -d --no-show-raw-insn "$KTRACE_MODULES/ktrace-callee.ko" | awk '
	/^[0-9a-f]* <.*>:$/ { name = substr($2, 2, length($2) - 3); begin = $1; next }
	name ~ /^callee_(six|deep|middle|outer)$/ && /^ .*:/ { print name, begin, substr($1, 1, length($1) - 1) }' |
	while read -r name begin at; do
		for i in 1 2 3 4; do
			echo "many/${name}_${at}_$i ktrace_callee:$name+$((0x$at - 0x$begin))"
		done
	done >/run/many
lines ''
check "there are many places within functions" at_least "$(wc -l </run/many)" 120
put events/many/enabled 1
echo "p:kt/within $jump" >>$tracing/kprobe_events
echo 'p:kt/waits synchronize_rcu_tasks' >>$tracing/kprobe_events
echo 'comm ~ "k*"' >$tracing/events/kt/waits/filter
echo 1 >$tracing/events/kt/waits/enable
echo >$tracing/trace
waits() {
	grep -c ' waits: ' $tracing/trace
}
at=$(clock)
echo 1 >$tracing/events/kt/within/enable
check "they are armed" put enabled 1
took=$(($(clock) - at))
echo "# $(wc -l </run/many) probes within functions: armed in $took ms, $(waits) passes"
check "with few passes of the optimizer" at_most "$(waits)" $((4 + took / 5000))
for i in $(seq 100); do
	grep -q ' jump ' $tree/probed && break
	sleep 0.1
done
check "then it makes jumps of them" grep -q ' jump ' $tree/probed
put enabled 0
echo 0 >$tracing/events/kt/enable
echo 0 >$tracing/events/kt/waits/filter
echo >$tracing/kprobe_events
put events/many/enabled 0
lines 's/^\([^ ]*\) .*/!\1/'
put reset 1
rmmod ktrace_callee

# Now functions that are called all the time.
many . 1000 17 >/run/many
grep -q 'many/vfs_read ' /run/many || echo 'many/vfs_read vfs_read' >>/run/many
while :; do
	cat /proc/self/status /proc/stat
	dd if=/dev/zero bs=4k count=100
	sync
done >/dev/null 2>&1 &
load=$!
for i in 1 2; do
	lines ''
	put events/many/enabled 1
	put enabled 1 || get error
	$bin/ktread $tree >/dev/null
	cat /proc/stat >/dev/null
	put events/many/vfs_read/enabled 0
	put events/many/vfs_read/enabled 1
	check "under load they are hit ($i)" at_least "$($bin/ktread $tree | awk '/^event many:/ { n += $3 } END { print n + 0 }')" 1000
	[ $((i % 2)) = 0 ] || put enabled 0
	check "and go ($i)" lines 's/^\([^ ]*\) .*/!\1/'
	check "all ($i)" is "$(grep -c . $tracing/enabled_functions)" 0
	put enabled 0
done
put reset 1
kill $load
wait $load 2>/dev/null
rmmod ktrace_probes
clean
