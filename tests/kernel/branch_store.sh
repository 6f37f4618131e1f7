#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Branches by the processor's branch trace store (kernel/source/branch/store.c), which the module
# ktrace-store plays: each context gets its own, also while others come and go; and what is refused where
# there is no such store.
. tests/kernel/lib.sh

work=$(mktemp -d)
stored=$bin/stored
store=/sys/kernel/debug/ktrace-store
cpu1=/sys/devices/system/cpu/cpu1/online
tracing=/sys/kernel/tracing
[ -e $tracing/enabled_functions ] || mount -t tracefs tracefs $tracing
rmmod ktrace-branch 2>/dev/null
load_module ktrace-branch

# buffers COMMAND...: each buffer has what is wanted, and nothing else
buffers() {
	"$@" >$work/said
	check "it runs: ${*#"$bin"/}" test $? = 0
	sed -n 's/^#/# #/p' $work/said
	while read -r name _ found _ wanted _ strange _ lost; do
		case $name in
		'#' | opened | locked) continue ;;
		esac
		check "$name: all is there" is "$found" "$wanted"
		check "$name: in order, and nothing else" is "$strange" 0
		check "$name: nothing is lost" is "$lost" 0
	done <$work/said
	check "no memory is left" is "$(sed -n 's/^locked //p' $work/said)" 0
}

# misses COMMAND...: each buffer has in order what was found, and tells that something was lost
misses() {
	"$@" >$work/said
	check "it runs: ${*#"$bin"/}" test $? = 0
	sed -n 's/^#/# #/p' $work/said
	while read -r name _ found _ wanted _ strange _ lost; do
		case $name in
		'#' | locked) continue ;;
		esac
		echo "# $name: $found of $wanted, $lost lost"
		check "$name: in order, and nothing else" is "$strange" 0
		check "$name: it is told that some are lost" at_least "$lost" 1
		# Each is counted, and by those who want it.
		case $name in
		burst*) check "$name: of all" is $((found + lost)) "$wanted" ;;
		missing*) check "$name: nothing comes" is "$found" 0 ;;
		esac
	done <$work/said
	check "no memory is left" is "$(sed -n 's/^locked //p' $work/said)" 0
}

# state WORD: of the module that plays the store
state() {
	sed -n "s/^$1 //p" $store/state
}

# hold WORDS: somebody has a context until he is killed
hold() {
	rm -f $work/ready
	sh -c "exec 3<>$tree/branches; echo $1 >&3; cat <&3 >$work/ready; exec sleep 1000" &
	holder=$!
	wait_until test -s $work/ready
}

release() {
	kill -9 $holder
	wait $holder 2>/dev/null
}

# ---- a machine without one ----------------------------------------------------------

lacks='this machine has no branch trace store'
would='user branches are traced by single-stepping (by step)'
check "who serves is told" is "$(get branches | sed -n 's/^step: //p')" user
check "and why the other one does not" is "$(get branches | grep -c "^bts: no: $lacks")" 1
for line in 'all by bts' "pid $$ by bts" 'cpu 0 user by bts' 'all kernel' "pid $$ kernel user"; do
	check "refused: '$line'" refuses branches "$line" "$lacks"
	check "and it is told what would do" is "$(get error | grep -cF "$would")" 1
done
check "kernel branches by steps" refuses branches 'all kernel by step' 'by bts, or leave out "kernel"'
check "by whom?" refuses branches "pid $$ by" 'by step, by bts, or by lbr, not by ""'
check "by somebody else" refuses branches "pid $$ by magic" 'not by "magic"'
check "events by the store" refuses branches "pid $$ events by bts" 'not known by bts'
check "mappings by the store" refuses branches 'all mappings by bts' 'not known by bts'
check "events of the kernel" refuses branches "pid $$ events kernel" 'leave out "kernel"'
check "branches of the kernel are for root" is "$(setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin \
	sh -c "echo pid $$ kernel >$tree/branches && echo it has" 2>/dev/null)" ''
check "and the error says so" is "$(get error | grep -c 'for root (CAP_SYS_ADMIN)')" 1
hold 'cpu 1 by step'
check "who serves a context is told" is "$(head -n 1 $work/ready)" 'by step'
release

# ---- one that is played -------------------------------------------------------------

load_module ktrace-store
check "it serves" is "$(get branches | sed -n 's/^bts: //p')" 'user kernel'
hold all
check "steps come first" is "$(head -n 1 $work/ready)" 'by step'
release
hold 'all user by bts'
check "unless they are not wanted" is "$(head -n 1 $work/ready)" 'by bts'
release
hold 'all kernel'
check "or cannot do it" is "$(head -n 1 $work/ready)" 'by bts'
check "the store stays while somebody traces" not rmmod ktrace-store 2>/dev/null
check "perf's function is hooked" is "$(grep -c intel_pmu_drain_bts_buffer $tracing/enabled_functions)" 1
release
check "and is not when nobody does" is "$(grep -c intel_pmu_drain_bts_buffer $tracing/enabled_functions)" 0

count=1000000
buffers $stored all $count
sed 's/^/# /' $store/state
check "the processor had room for all" is "$(state dropped)" 0
check "NMIs came" at_least "$(state nmis)" 100
check "what nobody wants is not recorded" at_least "$(state unwanted)" 10000
buffers $stored churn $((count / 4))
check "contexts came and went" at_least "$(sed -n 's/^opened //p' $work/said)" 3
buffers $stored hotplug 5000 $cpu1
buffers $stored running 40

misses $stored burst 20000
misses $stored missing 5000 $cpu1
misses $stored away 3000
check "perf's function found what it was to find" is "$(state broken)" 0

# a CPU whose store does not begin
hooks() {
	cat $tracing/enabled_functions /sys/devices/system/cpu/hotplug/states | grep -c 'intel_pmu_drain_bts_buffer\|ktrace/branch'
}
echo 'fail 1 16' >$store/play
check "another user of the hardware" refuses branches 'all kernel' 'is a perf event with Intel PT or branches open'
check "leaves nothing" is "$(hooks)" 0
echo 'fail 1 95' >$store/play
check "whatever perf says" refuses branches "pid $$ by bts" 'perf does not give the branch trace store: error -95'
check "leaves nothing" is "$(hooks)" 0
echo 'fail 1 0' >$store/play
hold 'all kernel'
check "and the next one has it" is "$(head -n 1 $work/ready)" 'by bts'
check "with two hooks" is "$(hooks)" 2
release

# kinds: of branches at which there are instructions
$bin/branches cpus -w 'all kernel' /bin/sh -c "echo kinds >$store/play" >$work/kinds
check "of what kind they are" is "$(awk '$2 !~ /^(arrives|leaves|begins|time|end)$/ && $1 ~ /^[0-9]+$/ { printf "%s ", $2 }' $work/kinds)" \
	'jump conditional indirect call indirect_call return unknown unknown unknown sent '

# Both producers, of the same programs.
fibonacci=$(nm $bin/branched | awk '$3 == "fibonacci" { printf "%x", "0x" $1 }')
# calls FILE: of one function
calls() {
	grep -c " call .* $fibonacci\$" "$1"
}
$bin/branches trace -s 4194304 $bin/branched >$work/alone
hold 'all user kernel by bts'
$bin/branches trace -s 4194304 $bin/branched >$work/both
release
check "steps of a program are the same beside the store" is "$(calls $work/both)" "$(calls $work/alone)"
check "and there are many" at_least "$(calls $work/alone)" 100

# ---- the end ------------------------------------------------------------------------

hold 'all kernel by bts'
# Less than a record is none.
echo part >$store/play
check "the module stays while somebody traces" not rmmod ktrace-branch 2>/dev/null
release
wait_until rmmod ktrace-store 2>/dev/null
check "the store goes, and is not there any more" is "$(get branches | grep -c "^bts: no: $lacks")" 1
wait_until rmmod ktrace-branch 2>/dev/null
check "the module goes" not test -e /sys/module/ktrace_branch
rm -rf "$work"
