#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The clock of a machine that slept, and a TSC that loses the kernel's trust. It runs in
# a separate guest, because the trust does not come back.
. tests/kernel/lib.sh

load_module ktrace-sleep
# Everything but the last step, which needs the firmware.
echo core >/sys/power/pm_test
echo deep >/sys/power/mem_sleep
echo 1 >/sys/module/suspend/parameters/pm_test_delay

# clock_now: prints the clock
clock_now() {
	sed -n 's/^sync \([0-9]*\) .*/\1/p' $tree/trace
}

# Records events before, during and after a sleep.
sleep_recording() {
	load_module ktrace-test
	load_module ktrace-test-probes
	clean
	put buffer_size 8M
	put define 'ktsleep/resume suspend_resume; ptr const char *action'
	put events/ktsleep/resume/enabled 1
	put events/ktrace_test/test_hit/enabled 1
	put enabled 1
	test_run reset
	test_run 'task 5000'
	before=$(clock_now)
	check "$1: it sleeps and wakes up" sh -c 'echo mem >/sys/power/state'
	check "$1: the clock went on" at_least "$(clock_now)" $((before + 1))
	test_run 'task 5000'
	put enabled 0
	read=$($bin/ktread $tree)
	check "$1: the buffers are sound, times among them" test $? = 0
	check "$1: nothing is lost" is "$(count "$read" ktrace_test:test_hit)" 10000
	check "$1: nor what happened on the way" \
		at_least "$(count "$read" ktsleep:resume)" 10
	put events/enabled 0
	put define '!ktsleep/resume'
	rmmod ktrace-test-probes
	rmmod ktrace-test
}

# Programs read the plain TSC; events during the sleep are not checked, only those after
# it.
sleep_both() {
	load_module ktrace-test
	load_module ktrace-test-probes
	rm -rf /tmp/both
	build/user/tests/marker/marker-program wait &
	program=$!
	ktrace record -q -o /tmp/both -e 'ktrace_test:test_hit' -M 'marker-program:*' &
	recorder=$!
	until [ "$(get enabled)" = 1 ]; do sleep 0.1; done
	test_run reset
	test_run 'task 1'
	if [ "$1" = asleep ]; then
		echo mem >/sys/power/state
		sleep 1
		test_run 'task 1'
	fi
	sleep 1
	kill -INT $recorder
	wait $recorder
	kill $program
	ktrace report /tmp/both >/tmp/both.txt 2>/tmp/both.err
	check "markers, $1: nothing to complain of" is "$(cat /tmp/both.err)" ""
	check "markers, $1: they meet the kernel's clock" \
		sh -c 'tail -n 1 /tmp/both.txt | grep -q marker-program:'
	rmmod ktrace-test-probes
	rmmod ktrace-test
}

# now_ns: prints CLOCK_MONOTONIC and CLOCK_REALTIME in ns
now_ns() {
	sed -n 's/^sync [0-9]* \([0-9]* [0-9]*\)$/\1/p' $tree/trace
}

# event_in N BEGIN END: the N-th of two events of the trace is between these times
event_in() {
	ktrace report -F json /tmp/slept | sed -n "$1"'s/.*"time":\([0-9]*\).*/\1/p' |
		awk -v begin="${2% *}" -v end="${3% *}" '
		$1 < begin || $1 > end { print "# " $1 " is not in " begin ".." end; bad = 1 }
		END { exit bad || NR != 1 }'
}

# Events before and after a sleep have the correct times.
sleep_times() {
	load_module ktrace-test
	load_module ktrace-test-probes
	rm -rf /tmp/slept
	ktrace record -q -o /tmp/slept -e 'ktrace_test:test_hit' &
	recorder=$!
	until [ "$(get enabled)" = 1 ]; do sleep 0.1; done
	test_run reset
	sleep 1
	a=$(now_ns)
	test_run 'task 1'
	b=$(now_ns)
	sleep 1
	echo mem >/sys/power/state
	c=$(now_ns)
	test_run 'task 1'
	d=$(now_ns)
	sleep 1
	kill -INT $recorder
	wait $recorder
	check "$1: the event before it has its time" event_in 1 "$a" "$b"
	check "$1: the one after it, too" event_in 2 "$c" "$d"
	check "$1: nothing to complain of" is "$(ktrace report -q /tmp/slept 2>&1 >/dev/null)" ""
	rmmod ktrace-test-probes
	rmmod ktrace-test
}

# The same for a live view, and for the wall clock.
sleep_watched() {
	cat >/tmp/watched.sh <<-'END'
		cd /
		sleep 1
		echo mem >/sys/power/state
		cat "$tree/trace" >/tmp/slept.begin
		cd /tmp
		cat "$tree/trace" >/tmp/slept.end
		sleep 1
	END
	ktrace syscalls -ttt -e chdir -o /tmp/slept.calls -- sh /tmp/watched.sh
	check "$1: who looks on sees the time of day" sh -c '
		cat /tmp/slept.begin /tmp/slept.end /tmp/slept.calls | awk "
			/^sync / { at[++nr] = \$4 / 1e9 }
			/chdir\(\"\/tmp\"\)/ { \$0 = substr(\$0, match(\$0, /[0-9]+\\./)); now = \$1 + 0 }
			END {
				printf \"# %f in %f..%f\\n\", now, at[1], at[2]
				exit !(now >= at[1] - 0.002 && now <= at[2] + 0.002)
			}"'
	rmmod ktrace-syscalls
}

# Calls that are open in firmware never return; so no return is hooked near it.
sleep_functions() {
	load_module ktrace-functions
	put functions 'none'
	put functions '+suspend_devices_and_enter
+vfs_write'
	check "$1: functions can be recorded" put events/function/enabled 1
	put reset 1
	put enabled 1
	echo mem >/sys/power/state
	put enabled 0
	read=$($bin/ktread -d $tree)
	index=$(awk '$5 == "suspend_devices_and_enter" { printf "%02x000000", $1 }' $tree/function_table)
	check "$1: no return is hooked while it sleeps" is "$(echo "$read" |
		grep -c " function:[a-z]* $index")" 0
	check "$1: which is counted" at_least "$(sed -n \
		's/^source function .* sleep \([0-9]*\).*/\1/p' $tree/overflow)" 1
	check "$1: but before and after it" at_least "$(count "$read" function:exit)" 1
	put events/function/enabled 0
	put functions none
	rmmod ktrace-functions
}

check "the clock is the TSC" grep -qx 'clock tsc' $tree/trace
sleep_recording "the TSC goes on"
sleep_recording "and once more"
sleep_times "the TSC goes on"
sleep_watched "the TSC goes on"
sleep_functions "the TSC goes on"

umount $tree
rmmod ktrace
insmod "$KTRACE_MODULES/ktrace.ko" clock_restart=1
mount -t ktracefs none $tree
sleep_recording "the TSC begins anew"
sleep_recording "twice"
sleep_times "the TSC begins anew"
sleep_functions "the TSC began anew"
sleep_both awake
sleep_both asleep
umount $tree
rmmod ktrace
load_module ktrace
mount -t ktracefs none $tree

check "the TSC is trusted" grep -qx 'trusted 1' $tree/trace
rmmod ktrace-sleep
insmod "$KTRACE_MODULES/ktrace-sleep.ko" unstable=1
check "it no longer is" grep -qx 'trusted 0' $tree/trace
check "the clock is what it was" grep -qx 'clock tsc' $tree/trace
check "doctor tells" sh -c "ktrace doctor | grep -q 'has stopped trusting'"
put define 'ktsleep/waking sched_waking; ptr struct task_struct *p'
ktrace record -q -o /tmp/distrusted -e 'ktsleep:waking' -- sleep 0.1 2>/dev/null
check "so do who reads what is recorded then" sh -c \
	"ktrace report /tmp/distrusted 2>&1 >/dev/null | grep -q 'do not agree on the clock'"
put define '!ktsleep/waking'
clean
