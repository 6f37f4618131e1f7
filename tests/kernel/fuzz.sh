#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Random and hostile use of the control tree; see programs/fuzz.c. It takes KTRACE_FUZZ_SECONDS of
# the guest's time, and starts with KTRACE_FUZZ_SEED; a failure prints the seed.
# KTRACE_FUZZ_VERBOSE=-v prints each step.
# One kernel is enough: it needs minutes, and debug kernels say more.
. tests/kernel/lib.sh

# If an emulated processor waits for its turn in an NMI, the NMI takes long, and the kernel
# prints that in the NMI. 6.1 must not do so if printk:console is enabled.
echo 60000000000 >/sys/kernel/debug/x86/nmi_longest_ns

seed=${KTRACE_FUZZ_SEED:-1}
seconds=${KTRACE_FUZZ_SECONDS:-40}

umount $tree
mount -t ktracefs -o mode=770,gid=44 none $tree
load_module ktrace-test
load_module ktrace-test-probes
load_module ktrace-syscalls
load_module ktrace-profile
load_module ktrace-branch
load_module ktrace-functions
load_module ktrace-probes
check "the tree in hostile hands (seed $seed)" timeout $((seconds + 300)) \
	$bin/fuzz ${KTRACE_FUZZ_VERBOSE-} -s "$seed" -t "$seconds" -g 44 -m "$KTRACE_MODULES" \
	-d $test_dir $tree tests/kernel/*.sh tests/syscalls/events.sh fuzz/capture-seeds/*

# Afterwards everything can be used as before.
echo 1 >/sys/devices/system/cpu/cpu1/online
put enabled 0
check "sessions can be removed" sh -c "for s in $tree/sessions/*; do
	[ ! -e \$s ] || rmdir \"\$s\" || exit; done"
clean
for filter in $(grep -L '^none$' $tree/events/*/*/filter); do
	echo none >"$filter"
done
put print '!*'
put marked ''
put capture none
check "definitions can be removed" sh -c "sed 's/^\([^ ]*\) .*/!\1/' $tree/define |
	while read -r line; do echo \"\$line\" >$tree/define || exit; done"
check "none is left" is "$(get define)" ''
lsmod | grep -q '^ktrace_probes ' || load_module ktrace-probes
check "and probes" sh -c "sed 's/^\([^ ]*\) .*/!\1/' $tree/probes |
	while read -r line; do echo \"\$line\" >$tree/probes || exit; done"
check "there, too, none is left" is "$(get probes)" ''
lsmod | grep -q '^ktrace_functions ' || load_module ktrace-functions
check "and functions" put functions none
# A module that another one uses is unloaded in the next round.
for round in 1 2 3; do
	rmmod $(lsmod | grep -o '^ktrace_[^ ]*') 2>/dev/null
done
# ktrace-trampoline stays for ever once it was used, as by a test before this one.
check "all modules can be unloaded" is \
	"$(lsmod | grep -o '^ktrace_[^ ]*' | grep -vx ktrace_trampoline)" ''
check "and ktrace" sh -c "umount $tree && rmmod ktrace"
check "and loaded again" load_module ktrace
mount -t ktracefs none $tree
load_module ktrace-test
load_module ktrace-test-probes
put events/ktrace_test/test_hit/enabled 1
put enabled 1
test_run reset
test_run 'storm 2000'
put enabled 0
all=$(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
check "everything is recorded then" is \
	"$(count "$($bin/ktread $tree)" ktrace_test:test_hit)" $all
put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
