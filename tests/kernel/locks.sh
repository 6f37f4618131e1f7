#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# The order of locks: the kernel's tracer and its modules with tracepoints before ours.
. tests/kernel/lib.sh

hold=/sys/kernel/debug/ktrace-hold
tracing=/sys/kernel/tracing

# soon COMMAND...: it succeeds within about ten seconds
soon() {
	local tries=100
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		sleep 0.1
	done
}

# sleeps PID: it sleeps in the kernel, and no signal wakes it
sleeps() {
	grep -q '^State:.*D' /proc/$1/status 2>/dev/null
}

# gone PID
gone() {
	! [ -d /proc/$1 ] || grep -q '^State:.*Z' /proc/$1/status 2>/dev/null
}

# ends COMMAND...: it does not wait for the mutex that is held
ends() {
	"$@" >/dev/null &
	soon gone $!
}

load_module ktrace-test
load_module ktrace-test-probes
load_module ktrace-hold
put define 'locks/hit test_hit'
put events/locks/hit/enabled 1
put enabled 1
test_run 'task 5'
for file in info events/ktrace_test/test_hit/format; do
	echo 1 >$hold/hold 2>/dev/null &
	holder=$!
	soon grep -q Y $hold/held
	cat $tree/$file >/tmp/shown &
	reader=$!
	check "$file waits for the kernel's tracer" soon sleeps $reader
	check "others do not wait for $file" ends cat $tree/enabled
	check "nor for the tracer, to see what is gone" ends cat $tree/gone
	check "nor to define" ends put define "$(printf '!locks/hit\nlocks/hit test_hit')"
	kill $holder
	wait $reader
	check "$file is shown then, as the tracer has it" grep -q \
		'^print fmt: "context=%s.*{ 3, "nmi" }' /tmp/shown
done
wait
rmmod ktrace_hold
clean

# A process in a deadlock is found because it never ends.
rounds=20
(for n in $(seq $rounds); do
	cat $tree/info >/dev/null
	cat $tree/gone >/dev/null
done; echo info >>/tmp/ended) &
(for n in $(seq $rounds); do
	echo 1 >$tracing/events/sched/sched_wakeup/enable
	# Not all kernels have this.
	echo "t:kt_locks$n sched_waking" >>$tracing/dynamic_events
	echo 0 >$tracing/events/sched/sched_wakeup/enable
	echo "-:kt_locks$n" >>$tracing/dynamic_events
done 2>/dev/null; echo tracer >>/tmp/ended) &
(for n in $(seq $rounds); do
	rmmod ktrace_test
	load_module ktrace-test
	put events/locks/hit/enabled 1
	put enabled 1
	test_run 'task 5'
	put enabled 0
done; echo modules >>/tmp/ended) &
wait
check "showing, the tracer and modules come to their ends" is \
	"$(sort /tmp/ended | tr '\n' ' ')" "info modules tracer "
put define '!locks/hit'
rmmod ktrace_test_probes ktrace_test
clean

# A kernel with lockdep reports a lock order that can deadlock as soon as it has seen both
# directions, not only when they meet. So check that it has seen the allowed order; tools/vm
# checks that it reports nothing.
if [ -e /proc/lockdep_chains ]; then
	awk '/^irq_context/ { n = 0 }
		$2 ~ /^(event_mutex|kt_mutex|tracepoints_mutex|tracepoint_module_list_mutex)$/ {
			for (i = 1; i <= n; i++)
				seen[held[i] " before " $2]
			held[++n] = $2
		}
		END { for (order in seen) print order }' /proc/lockdep_chains | sort >/tmp/orders
	sed 's/^/# lockdep: /' /tmp/orders
	for order in "event_mutex before kt_mutex" \
		"tracepoint_module_list_mutex before kt_mutex" \
		"kt_mutex before tracepoints_mutex"; do
		check "lockdep has seen $order" grep -qx "$order" /tmp/orders
	done
	check "lockdep watches still" grep -q '^ *debug_locks: *1$' /proc/lockdep_stats
fi
