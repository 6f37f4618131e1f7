#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Markers of three modules are hit in task, softirq, interrupt and NMI. Meanwhile their uses
# are switched at random, and the modules are loaded and unloaded.
#
#   STORM   seconds, in the environment of tests/kernel/run (10); the long run is STORM=300
#
# A recorder wants the markers all the time, and one probe counts them. What each of them
# got and lost must be all hits that the test module has counted, which is never unloaded.
# Another session, printing, and another probe are switched at random.
. tests/kernel/lib.sh
# On some kernels, the paths of sources in markers begin in this folder.  From another one, each
# module's file would be looked for in all of /lib/modules.
cd "$KTRACE_MODULES/kernel" || exit 1

seconds=${KTRACE_STORM:-10}
maybe=sessions/maybe
watch=/sys/module/ktrace_watch/parameters
work=$(mktemp -d)

# total KEY: sum over the CPUs, as the recorder had it at the end
total() {
	tail -n 1 $work/surely/metadata | grep -o "\"$1\":[0-9]*" |
		awk -F: '{ sum += $2 } END { print sum + 0 }'
}

client_hits() {
	echo $(($(hits client1) + $(hits client2) + $(hits client3)))
}

# If an emulated processor waits for its turn in an NMI, the NMI takes long, and the
# kernel reports it.
echo 60000000000 >/sys/kernel/debug/x86/nmi_longest_ns
dmesg -C
load_module ktrace-test
mkdir "$tree/$maybe"
put $maybe/buffer_size 16M
check "a probe on what is not there yet" insmod $KTRACE_MODULES/ktrace-watch.ko \
	'pattern=ktrace_client*:hit' quiet=1
for n in 1 2 3; do
	load_module ktrace-client$n
done
test_run reset

# This recorder wants the markers of all modules, also of those that are loaded later.
ktrace record -q -S surely -M 'ktrace_client*:hit' -s 16M -o $work/surely -- \
	sh -c "until [ -e $work/done ]; do sleep 0.2; done" &
recorder=$!
until [ "$(get sessions/surely/enabled 2>/dev/null)" = 1 ]; do
	kill -0 $recorder 2>/dev/null || break
	sleep 0.1
done
(
	until [ -e $work/enough ]; do
		test_run 'storm 300'
	done
) &
storm=$!
# With a higher priority than the storm, or it would run only now and then.
renice -n -10 $$ >/dev/null

# Everything is on for a while, whatever the random numbers say.
put print 'ktrace_client*'
put $maybe/marked 'ktrace_client*'
put $maybe/enabled 1
sleep 0.5

# What to do, to which marker, on or off, and how long to rest: all random numbers are drawn
# in advance.
awk 'BEGIN {
	srand()
	for (i = 0; i < 50000; i++)
		print int(rand() * 10), int(rand() * 3) + 1, rand() < 0.6, int(rand() * 4)
}' >$work/dice
exec 3<$work/dice
switches=0
loads=0
passed=0
began=$(date +%s)
while [ $passed -lt $seconds ] || [ $loads -lt 3 ]; do
	read -r what n on rest <&3 || break
	case $what in
	0)	put $maybe/enabled $on ;;
	1)	put $maybe/events/ktrace_client$n/hit/enabled $on 2>/dev/null ;;
	2)	put $maybe/marked "ktrace_client$n:*" ;;
	3)	put $maybe/marked "!ktrace_client$n:hit" ;;
	4)	put print "ktrace_client$n:*" ;;
	5)	put print "!*" ;;
	6 | 7)	echo $on >$watch/second ;;
	8)	put $maybe/reset 1 ;;
	9)	rmmod ktrace_client$n && load_module ktrace-client$n &&
			loads=$((loads + 1)) ;;
	esac
	switches=$((switches + 1))
	[ $rest != 0 ] || sleep 0.01
	[ $((switches % 8)) != 0 ] || passed=$(($(date +%s) - began))
done
passed=$(($(date +%s) - began))
renice -n 0 $$ >/dev/null
touch $work/enough
wait $storm
put $maybe/enabled 0
touch $work/done
wait $recorder
check "a recording" test $? = 0
recorded=$(total recorded)
lost=$(($(total full) + $(total overwritten) + $(total nested) + $(total large)))
in_trace=$(ktrace stat --json $work/surely | sed -n '1s/^{"events":\([0-9]*\).*/\1/p')
echo "# $switches switches, $loads loads in $passed s;" \
	"hits: $(tr '\n' ' ' <$test_dir/hits)"
echo "# recorded $recorded, in the trace $in_trace, lost $lost; probe $(cat $watch/hits)," \
	"second probe $(cat $watch/seconds), print lines $(dmesg -t | grep -c '^ktrace_client')"
check "hits are recorded, or lost and counted" is $((recorded + lost)) "$(client_hits)"
check "what is recorded is in the trace" is "$in_trace" "$recorded"
check "the probe has seen each" is "$(cat $watch/hits)" "$(client_hits)"
for context in softirq irq nmi; do
	check "there were hits in $context" at_least "$(hits $context)" 20
done
check "markers were printed" at_least "$(dmesg -t | grep -c '^ktrace_client.*number')" 1

# Everything is on: all counts agree.
test_run reset
put print '!*'
put print 'ktrace_client*'
put $maybe/marked ''
put $maybe/reset 1
put $maybe/marked 'ktrace_client*:hit'
echo 0 >$watch/second
seconds_before=$(cat $watch/seconds)
echo 1 >$watch/second
put $maybe/enabled 1
test_run 'storm 2000'
put $maybe/enabled 0
check "all on: a session has all" is "$(sum "$($bin/ktread $tree/$maybe)")" "$(client_hits)"
check "all on: a probe has" is $(($(cat $watch/seconds) - seconds_before)) "$(client_hits)"
check "all on: what is printed and what is left out are all" is \
	"$(get printed | awk '{ sum += $4 + $6 } END { print sum }')" "$(client_hits)"
# tools/vm judges KCSAN's reports: the kernel has races of its own.
check "the kernel has nothing to complain about" is \
	"$(dmesg -t | grep -v 'BUG: KCSAN:' | grep -E 'WARNING|BUG|Oops|left attached|is not (printed|recorded)')" ''

put print ''
rmmod ktrace_watch
for n in 1 2 3; do
	rmmod ktrace_client$n
done
rmmod ktrace_test
rmdir $tree/$maybe
rm -rf "$work"
