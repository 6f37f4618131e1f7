#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Two tracepoints of one name, in different modules and with different arguments; and a
# tracepoint that refuses probes.
# One kernel is enough: names are told apart by ktrace itself.
. tests/kernel/lib.sh

twin=/sys/module/ktrace_twin/parameters

# visible NAME: whether there is this event
visible() {
	test -d $tree/events/$1
}

# ---- two of one name --------------------------------------------------------------

# The other module is loaded first: ktrace-test's event is not for its tracepoint.
load_module ktrace-twin
load_module ktrace-test-probes
check "a probe waits for its own module" not visible ktrace_test/test_hit
check "the other's tracepoint has no event" is "$(get undefined | grep test_hit)" \
	"test_hit ktrace_twin"
check "it can be defined" put define 'twin/one test_hit; ptr char * text'
load_module ktrace-test
check "its module comes" visible ktrace_test/test_hit
check "both are known, and have events" is "$(get undefined | grep test_hit)" ""
check "each event says whose it is" is \
	"$(sed -n 's/^event \([a-z_:]*\) .* module \([a-z_]*\)$/\1 \2/p' $tree/info | grep '^twin\|hit')" \
	"ktrace_test:test_hit ktrace_test
twin:one ktrace_twin"
check "one that may be either is refused" refuses define 'twin/two test_hit; u32 u32 context' \
	'name the module'
check "one of a module that has none, too" refuses define 'twin/two test_hit vmlinux' \
	'there is no tracepoint "test_hit" in vmlinux'
check "a module can be named" put define \
	'twin/two test_hit ktrace_test; u32 u32 context; u64 u64 number'
check "that is read back" is "$(get define | grep two)" \
	'twin/two test_hit ktrace_test; u32 u32 context; u64 u64 number'
put events/ktrace_test/test_hit/enabled 1
put events/twin/enabled 1
put enabled 1
echo 5 >$twin/hit
test_run reset
test_run 'task 20'
put enabled 0
read=$($bin/ktread $tree)
check "the buffers are sound" test $? = 0
check "each has its own hits" is \
	"$(count "$read" ktrace_test:test_hit) $(count "$read" twin:one) $(count "$read" twin:two)" \
	"20 5 20"
put enabled 1
rmmod ktrace_test
check "the first of the two goes, with its events" \
	test ! -e $tree/events/ktrace_test
check "the other stays" is "$(ls $tree/events/twin | tr '\n' ' ')" "enabled one "
echo 5 >$twin/hit
put enabled 0
check "and is recorded" is "$(count "$($bin/ktread $tree)" twin:one)" 5
put define '!twin/one'
check "without its event it is undefined" is "$(get undefined | grep test_hit)" \
	"test_hit ktrace_twin"
check "and can be defined without its module's name" put define \
	'twin/one test_hit; ptr char * text'
load_module ktrace-test
check "what was defined for a module is back with it" visible twin/two
rmmod ktrace_twin
check "what was defined without one was meant for the one there was" not visible twin/one
load_module ktrace-twin
check "and is back with that" visible twin/one
put define "$(printf '!twin/one\n!twin/two')"
put reset 1

# ---- one that refuses -------------------------------------------------------------

put define "$(printf 'choosy/first test_hit ktrace_twin\nchoosy/second test_choosy\nchoosy/third test_hit ktrace_test')"
why='choosy:second: the kernel does not let us attach to its tracepoint: error -11'
echo 1 >$twin/refuse
put events/choosy/enabled 1
ids=$(cat $tree/events/choosy/*/id)
check "a session that cannot attach an event is not switched on" refuses enabled 1 "$why"
check "what it was to record is as it was" is "$(get events/choosy/enabled)" 1
check "also its ids" is "$(cat $tree/events/choosy/*/id)" "$ids"
put reset 1
echo 5 >$twin/hit
test_run 'task 5'
check "nothing is left attached" is "$(get overflow | tail -n 1)" \
	"total events 0 full 0 overwritten 0 nested 0 large 0 task 0 recursion 0"
echo 0 >$twin/refuse
check "it is when it can" put enabled 1
put events/choosy/enabled 0
put events/choosy/third/enabled 1
echo 1 >$twin/refuse
check "nor can it be added while the session is on" \
	refuses events/choosy/second/enabled 1 "$why"
check "nor with others" refuses events/choosy/enabled 1 "$why"
check "of which none is on that was off" is \
	"$(cat $tree/events/choosy/first/enabled $tree/events/choosy/second/enabled)" "0
0"
check "and none off that was on" is "$(get events/choosy/third/enabled)" 1
check "nor with all there are" refuses events/enabled 1 "$why"
check "of which none is on, either" is "$(cat $tree/events/*/*/enabled | sort | uniq -c | tr -s ' \n' ' ')" \
	" $(($(cat $tree/events/*/*/enabled | wc -l) - 1)) 0 1 1 "
put reset 1
echo 5 >$twin/hit
test_run 'task 5'
put enabled 0
check "what was on goes on" is "$(sum "$($bin/ktread $tree)")" 5
echo 0 >$twin/refuse
put define "$(printf '!choosy/first\n!choosy/second\n!choosy/third')"
rmmod ktrace_twin ktrace_test_probes ktrace_test
clean
