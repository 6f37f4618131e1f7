#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Where the TSC is not to be trusted: the kernel's clock, which NMIs read too.
. tests/kernel/lib.sh

load_module ktrace-test
load_module ktrace-test-probes

check "the clock is the kernel's" grep -qx 'clock mono' $tree/trace
ktrace record -e 'ktrace_test:test_hit' -M '*' -o /tmp/both -- true >/tmp/both.said 2>&1
check "who records markers of programs, too, is told" \
	grep -q 'markers of programs read the TSC, which this kernel does not trust' /tmp/both.said
clean
put buffer_size 32M
put events/ktrace_test/test_hit/enabled 1
put enabled 1
test_run reset
test_run 'storm 200000'
put enabled 0
read=$($bin/ktread $tree)
# ktread complains of a time that is before the one before it.
check "the buffers are sound, times among them" test $? = 0
all=$(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
echo "# $all hits, $(hits nmi) of them in NMIs"
check "there were NMIs" at_least "$(hits nmi)" 100
check "nothing was lost" is "$(count "$read" ktrace_test:test_hit)" $all

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
