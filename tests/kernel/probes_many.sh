#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A thousand probes at once, where functions begin: kernel/source/probe/entries.c.
# One kernel is enough: probes.sh arms some of them on each.
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

# Their returns: kretprobes that are never armed themselves, which ftrace would do one by one.
sed -n '701,$ s/$/%return/p' /run/many >/run/returns
mv /run/returns /run/many
check "three hundred returns" is "$(wc -l </run/many)" 300
lines ''
put events/many/enabled 1
# None of them can become a jump, so the kernel's optimizer has nothing to do.
echo 1 >$tracing/events/workqueue/workqueue_execute_start/enable
at=$(clock)
check "are armed, too" put enabled 1
echo "# 300 returns: armed in $(($(clock) - at)) ms"
check "each where ftrace calls ktrace" is "$(grep -c ' ftrace ' $tree/probed) $(
	grep -c ' (1) R' $tracing/enabled_functions)" "300 300"
check "and no kretprobe" is "$(grep -c . /sys/kernel/debug/kprobes/list) $(
	grep -c '\[DISABLED\]' /sys/kernel/debug/kprobes/list)" "300 300"
sleep 1
echo 0 >$tracing/events/workqueue/workqueue_execute_start/enable
check "works are seen" at_least "$(grep -c workqueue_execute_start: $tracing/trace)" 1
check "but no pass of the optimizer" is "$(grep -c 'function kprobe_optimizer' $tracing/trace)" 0
echo >$tracing/trace
$bin/ktread $tree >/dev/null
for i in 1 2 3 4 5; do sync; done
check "and are hit" is "$(count "$($bin/ktread $tree)" many:ksys_sync)" 5
at=$(clock)
put enabled 0
echo "# taken away in $(($(clock) - at)) ms"
check "all go at once" is "$(grep -c . $tracing/enabled_functions) $(grep -c . /sys/kernel/debug/kprobes/list)" "0 0"
# They share what there is for open calls: 131072 / 302 for each.
put probes 'many/slept hrtimer_nanosleep%return'
put events/many/enabled 1
put enabled 1
pids=
for i in $(seq 450); do
	sleep 1000 &
	pids="$pids $!"
done
slept() {
	sed -n "s/^many:slept \(.* \)*$1 \([0-9]*\).*/\2/p" $tree/probe_hits
}
for i in $(seq 300); do
	[ "$(slept open)" -ge 16 ] && break
	sleep 0.1
done
kill $pids
wait
check "of many returns, fewer calls may be open" at_least "$(slept open)" 16
check "the others are hit" at_least "$(slept hits)" 434
put enabled 0
put events/many/enabled 0
put probes '!many/slept'
lines 's/^\([^ ]*\) .*/!\1/'
put reset 1

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
