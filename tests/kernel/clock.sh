#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# If the TSC cannot be trusted, the clock is the kernel's, which NMIs read too.
. tests/kernel/lib.sh

load_module ktrace-test
load_module ktrace-test-probes

check "the clock is the kernel's" grep -qx 'clock mono' $tree/trace

# Nanoseconds since the machine began.
uptime_ns() {
	sed 's/\([0-9]*\)\.\([0-9]*\) .*/\1\20000000/' /proc/uptime
}

# event_times TRACE: prints the times of events, in the order of the report
event_times() {
	ktrace report -F json "$1" 2>/dev/null | sed -n 's/.*"time":\([0-9]*\).*/\1/p'
}

# between BEGIN END TRACE: all its events are between these times
between() {
	event_times "$3" | awk -v begin="$1" -v end="$2" '
		$1 < begin || $1 > end { print "# " $1 " is not in " begin ".." end; bad = 1; exit }
		END { exit bad || !NR }'
}

# Programs use it too: their fast path would read the TSC.
cat >/tmp/both.sh <<'END'
echo "task 1" >"$test_dir/run"
build/user/tests/marker/marker-program threads 100
echo "task 1" >"$test_dir/run"
END
test_run reset
begin=$(uptime_ns)
ktrace record -q -e 'ktrace_test:test_hit' -M 'marker-program:*' -o /tmp/both -- \
	sh /tmp/both.sh >/dev/null
end=$(uptime_ns)
ktrace report /tmp/both >/tmp/both.txt 2>/tmp/both.err
check "markers: nothing to complain of" is "$(cat /tmp/both.err)" ""
check "markers: all are there" is "$(grep -c marker-program: /tmp/both.txt)" 800
check "markers: they lie between the kernel's events" is \
	"$(sed -n '1p; $p' /tmp/both.txt | grep -c ktrace_test:test_hit)" 2
check "markers: the times are right" between $begin $((end + 10000000)) /tmp/both
begin=$(uptime_ns)
ktrace record -q -M 'marker-program:*' -o /tmp/programs -- \
	build/user/tests/marker/marker-program threads 100 >/dev/null
end=$(uptime_ns)
check "programs alone: so is their clock" grep -q '"name":"mono"' /tmp/programs/metadata
check "programs alone: the times are right" \
	between $begin $((end + 10000000)) /tmp/programs
# Reading this clock calls functions that ftrace can hook.
load_module ktrace-functions
check "functions are refused" refuses events/function/entry/enabled 1 "it needs the processor's TSC"
rmmod ktrace_functions
clean
put buffer_size 32M
put events/ktrace_test/test_hit/enabled 1
put enabled 1
test_run reset
test_run 'storm 200000'
put enabled 0
read=$($bin/ktread $tree)
# ktread complains if a time is less than the one before.
check "the buffers are sound, times among them" test $? = 0
all=$(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
echo "# $all hits, $(hits nmi) of them in NMIs"
check "there were NMIs" at_least "$(hits nmi)" 100
check "nothing was lost" is "$(count "$read" ktrace_test:test_hit)" $all

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
