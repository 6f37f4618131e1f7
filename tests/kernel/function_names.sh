#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Functions of the kernel that share a name with several others (kernel/source/function): each is
# hooked, and has its own index; the kernel's kprobes count the calls of each place.
# One kernel is enough: names are not the kernel's business.
. tests/kernel/lib.sh

tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
dump=$(mktemp)

load_module ktrace-functions
# Those of files that list something: reading calls them.  Three names, because each kprobe takes long.
names=$(awk '$2 == "vmlinux" && $1 ~ /^[a-z]_next$/ { n[$1]++ }
	END { for (name in n) if (n[name] >= 3) print n[name], name }' $tree/available_functions |
	sort -rn | sed 's/.* //; 3q')
check "there are names that three functions have, or more" at_least "$(echo "$names" | wc -w)" 2
put functions "$(for name in $names; do echo "+vmlinux:$name 0"; done)"
awk '$2 == "on" { print $1, $3, $5 }' $tree/function_table >$dump.table
check "all of them are on" is "$(awk '{ print $3 }' $dump.table | sort | uniq -c | awk '{ print $1, $2 }')" \
	"$(awk '$2 == "vmlinux" { print $1 }' $tree/available_functions | grep -xF "$names" | sort | uniq -c |
		awk '{ print $1, $2 }')"
check "each at its own place" is "$(awk '{ print $2 }' $dump.table | sort -u | wc -l)" "$(wc -l <$dump.table)"
awk '{ print "p:kt_" $1, $2 }' $dump.table | dd bs=1M iflag=fullblock of=$tracing/kprobe_events 2>/dev/null
check "kprobes are at all" is "$(wc -l <$tracing/kprobe_events)" "$(wc -l <$dump.table)"
put events/function/enabled 1
echo 1 >$tracing/events/kprobes/enable
put reset 1
put enabled 1
for file in /proc/kallsyms /proc/slabinfo /proc/vmallocinfo /proc/swaps /proc/cpuinfo /proc/devices \
	/proc/crypto /proc/mounts /proc/self/maps /proc/zoneinfo /proc/buddyinfo /proc/iomem /proc/modules \
	/proc/timer_list /proc/locks /proc/consoles $tracing/available_events $tracing/set_event \
	$tracing/trace $tracing/printk_formats $tracing/set_ftrace_filter $tracing/saved_cmdlines; do
	[ ! -r $file ] || dd if=$file of=/dev/null bs=4k count=2 2>/dev/null
done
put enabled 0
echo 0 >$tracing/events/kprobes/enable
$bin/ktread -dq $tree >$dump || echo "not ok - the buffers are not sound"
# INDEX CALLS NAME, of both
awk -v digits=0123456789abcdef '
	FNR == NR { name[$1] = $3; next }
	/ function:entry / {
		i = 0
		for (k = 7; k > 0; k -= 2) {
			i = i * 16 + index(digits, substr($NF, k, 1)) - 1
			i = i * 16 + index(digits, substr($NF, k + 1, 1)) - 1
		}
		n[i]++
	}
	END { for (i in name) print i, n[i] + 0, name[i] }' $dump.table $dump | sort -n >$dump.ours
awk 'FNR == NR { name[$1] = $3; next }
	sub(/^ *kt_/, "") { print $1, $2, name[$1] }' $dump.table $tracing/kprobe_profile | sort -n >$dump.theirs
check "each is called as often as its kprobe says" is "$(cat $dump.ours)" "$(cat $dump.theirs)"
check "of one name, several are called" at_least "$(awk '$2 { n[$3]++ }
	END { for (x in n) if (n[x] > most) most = n[x]; print most }' $dump.theirs)" 3
check "often" at_least "$(awk '{ n += $2 } END { print n }' $dump.theirs)" 50
echo >$tracing/kprobe_events
put events/function/enabled 0
put functions none
rm $dump*
rmmod ktrace_functions
clean
