#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Most calls go a short way through the hooks (kernel/source/function: entered_plain()). What else a
# session wants of calls takes it away and gives it back, while functions are called: each call is
# recorded all the same, once.
# One kernel is enough: the two ways are the same on each.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
load_module ktrace-functions
load_module ktrace-callee

work=$(mktemp -d)

wish() {
	put "$@" || refused=$((refused + 1))
}

# switched WAY: calls that are hooked that way are made while the session's wishes change
switched() {
	local read load calls rounds=0
	refused=0
	put functions none
	put functions "+ktrace_callee:callee_six 2${1:+ $1}"
	put events/function/enabled 1
	put reset 1
	put enabled 1
	rm -f $work/enough
	(n=0; until [ -e $work/enough ]; do echo calls 200 >$run; n=$((n + 200)); sleep 0.05; done; echo $n >$work/calls) &
	load=$!
	while [ $rounds -lt 5 ]; do
		# A condition, and a scope, of other functions.
		wish functions '+ktrace_callee:callee_error 1 if a0 == 987654321'
		wish functions '-ktrace_callee:callee_error'
		wish functions '+ktrace_callee:callee_deep 1 inside'
		wish functions '-ktrace_callee:callee_deep'
		# Gates that let all pass.
		wish events/function/exit/filter 'ret != 123456789'
		wish events/function/exit/filter none
		wish events/function/entry/filter 'function < 100000'
		wish events/function/entry/filter none
		# Whole calls beside.
		wish events/call/function/filter 'duration > 1000000000000'
		wish events/call/function/enabled 1
		wish events/call/function/enabled 0
		wish events/call/function/filter none
		rounds=$((rounds + 1))
	done
	touch $work/enough
	wait $load
	read -r calls <$work/calls
	put enabled 0
	read=$($bin/ktread $tree)
	check "${1:-by ftrace}: no wish was refused" is $refused 0
	check "${1:-by ftrace}: there were calls" at_least $calls 1000
	check "${1:-by ftrace}: each is recorded once" is \
		"$(count "$read" function:entry) $(count "$read" function:exit) \
$(number "$(get overflow | grep '^source function ')" 'source function' missed)" "$calls $calls 0"
	put events/function/enabled 0
	put functions none
}

put buffer_size 64M
switched ''
switched direct
rmmod ktrace_functions
rmmod ktrace_callee
rm -r $work
clean
