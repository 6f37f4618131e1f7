#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# All of the kernel's functions are hooked and let go, again and again, under a load: another session
# beside, whose functions are among them, misses no call (kernel/source/function).
# One kernel is enough: the hooks are the same on each.
# Only in check-all: it takes minutes.  Without KTRACE_LONG it does nothing.
. tests/kernel/lib.sh

[ "${KTRACE_LONG-}" ] || exit 0

run=/sys/kernel/debug/ktrace-callee/run
other=sessions/storm/
work=$(mktemp -d)

load_module ktrace-functions
load_module ktrace-callee
mkdir $tree/sessions/storm
put ${other}mode overwrite
put ${other}events/function/enabled 1
put ${other}enabled 1
put buffer_size 32M

wish() {
	put "$@" || refused=$((refused + 1))
}

# storm WORDS WAY: of the session that stays
storm() {
	local read calls lists rounds=0
	refused=0
	put functions none
	put functions "+ktrace_callee:callee_six 2$1
+ktrace_callee:callee_error 1$1"
	put events/function/enabled 1
	put reset 1
	put enabled 1
	check "$2: it is the way" is "$(awk '$2 == "on" { print $10 }' $tree/function_table | sort -u)" $2
	rm -f $work/enough
	(n=0; until [ -e $work/enough ]; do echo calls 100 >$run; n=$((n + 100)); sleep 0.02; done; echo $n >$work/calls) &
	calls=$!
	(until [ -e $work/enough ]; do ls -lR /sys/kernel/debug/ktrace* $work; : >$work/file; rm $work/file; done >/dev/null 2>&1) &
	lists=$!
	while [ $rounds -lt 2 ]; do
		wish ${other}functions '+* 1'
		wish ${other}functions none
		rounds=$((rounds + 1))
	done
	touch $work/enough
	wait $calls $lists
	read -r calls <$work/calls
	put enabled 0
	read=$($bin/ktread $tree)
	check "$2: no wish was refused" is $refused 0
	check "$2: the other session's calls went on" at_least $calls 500
	check "$2: each of them is recorded" is "$(count "$read" function:entry) $(count "$read" function:exit) \
$(awk '/^source function / { print $4 }' $tree/overflow)" "$((2 * calls)) $((2 * calls)) 0"
	put events/function/enabled 0
	put functions none
}

put ${other}functions '+* 1'
check "all functions can be hooked" at_least "$(awk '$10 == "ftrace"' $tree/${other}function_table | wc -l)" 20000
put ${other}functions none
storm ' direct' direct
storm '' ftrace
check "nothing is hooked any more" is "$(grep -c ' on ' $tree/${other}function_table)" 0
check "the other session has recorded" at_least "$(count "$($bin/ktread $tree/$other)" function:entry)" 1000
put ${other}enabled 0
rmdir $tree/sessions/storm
rmmod ktrace_callee
rmmod ktrace_functions
rm -r $work
clean
