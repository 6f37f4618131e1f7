#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The clock of a machine that slept, and a TSC that loses the kernel's trust. In a guest
# of its own, as trust does not come back.
. tests/kernel/lib.sh

load_module ktrace-sleep
# Nearly all the way: the step that is left out needs the firmware.
echo core >/sys/power/pm_test
echo deep >/sys/power/mem_sleep
echo 1 >/sys/module/suspend/parameters/pm_test_delay

# The clock now. clock_now
clock_now() {
	sed -n 's/^sync \([0-9]*\) .*/\1/p' $tree/trace
}

# Events before, while and after the machine sleeps.
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

# Programs read the TSC as it is; what is on the way is not asked, only what is after it.
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

check "the clock is the TSC" grep -qx 'clock tsc' $tree/trace
sleep_recording "the TSC goes on"
sleep_recording "and once more"

umount $tree
rmmod ktrace
insmod "$KTRACE_MODULES/ktrace.ko" clock_restart=1
mount -t ktracefs none $tree
sleep_recording "the TSC begins anew"
sleep_recording "twice"
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
