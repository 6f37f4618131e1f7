#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events appear, are enabled, and disappear.
# One kernel is enough: which events there are is known to ktrace itself.
. tests/kernel/lib.sh

tests=events/ktrace_test

check "a tracepoint that is not there has no event" \
	sh -c "insmod $KTRACE_MODULES/ktrace-test-probes.ko && ! [ -e $tree/$tests ]"
check "and is not undefined" not grep -q '^test_hit ' $tree/undefined
load_module ktrace-test
check "the event appears with its tracepoint" test -d $tree/$tests/test_hit
rmmod ktrace-test
check "and vanishes with it" not test -e $tree/$tests
rmmod ktrace-test-probes
load_module ktrace-test
check "a tracepoint without an event is undefined" \
	grep -qx 'test_hit ktrace_test' $tree/undefined
load_module ktrace-test-probes
check "with one it is not" not grep -q '^test_hit ' $tree/undefined

check "an event has no id before it is enabled" is "$(get $tests/test_hit/id)" 0
put $tests/test_hit/enabled 1
id=$(get $tests/test_hit/id)
check "then it has" at_least $id 16
check "some events of the system" is "$(get $tests/enabled)" X
check "some events" is "$(get events/enabled)" X
put $tests/enabled 1
check "all events of the system" is "$(get $tests/enabled)" 1
check "ids are dense" is "$(get $tests/test_string/id)" $((id + 1))
check "an id in format" grep -qx "ID: $((id + 1))" $tree/$tests/test_string/format
put $tests/test_hit/enabled 0
put $tests/test_hit/enabled 1
check "an id stays" is "$(get $tests/test_hit/id)" $id
check "info knows what is enabled" grep -qx \
	"event ktrace_test:test_hit id $id enabled 1 module ktrace_test" $tree/info
put events/enabled 0
check "none" is "$(get events/enabled) $(get $tests/enabled)" "0 0"

# The format that tracefs shows, without the common fields.
format_of() {
	sed -n -e "s/^\tfield:.*/&/p" -e '/common_/d' -e 's/^print fmt:.*/&/p' "$1" |
		grep -v common_ |
		awk -v less="$2" '{
			if (match($0, /offset:[0-9]+/)) {
				at = substr($0, RSTART + 7, RLENGTH - 7) - less
				sub(/offset:[0-9]+/, "offset:" at)
			}
			print
		}'
}
for event in test_hit test_string test_name; do
	check "$event: format as in tracefs" is \
		"$(format_of $tree/$tests/$event/format 0)" \
		"$(format_of /sys/kernel/tracing/events/ktrace_test/$event/format 8)"
done

# A module that is in use.
put $tests/test_hit/enabled 1
check "a probe module cannot go while its event is enabled" \
	not rmmod ktrace-test-probes 2>/dev/null
put enabled 1
test_run reset
test_run 'task 1000'
check "the tracepoint's module can" rmmod ktrace-test
check "the event is disabled and gone" \
	is "$(get events/enabled) $(ls $tree/events)" "0 enabled"
check "the session goes on" is "$(get enabled)" 1
load_module ktrace-test
check "it comes back disabled" is "$(get $tests/test_hit/enabled)" 0
check "under its old id" is "$(get $tests/test_hit/id)" $id
put $tests/test_hit/enabled 1
test_run 'task 500'
put enabled 0
read=$($bin/ktread $tree)
check "what was recorded before is there" \
	is "$(count "$read" ktrace_test:test_hit)" 1500
put $tests/test_hit/enabled 0
check "a probe module can go when none of its events is enabled" \
	rmmod ktrace-test-probes
check "its events are gone" not test -e $tree/$tests
load_module ktrace-test-probes
check "a new event has a new id" \
	sh -c "echo 1 >$tree/$tests/test_hit/enabled && [ \$(cat $tree/$tests/test_hit/id) -gt $((id + 1)) ]"
put $tests/test_hit/enabled 0
rmmod ktrace-test-probes

# The same name with another format.
put define 'ktrace_test/test_hit test_hit; u32 u32 context; u64 u64 number'
dmesg -C
load_module ktrace-test-probes
check "the same name with another format is refused" grep -q \
	'size:4;' $tree/$tests/test_hit/format
check "and logged" sh -c \
	"dmesg | grep -q 'test_hit refused: there is one of that name with another format'"
check "the module's other events are there" test -d $tree/$tests/test_string
rmmod ktrace-test-probes
put define '!ktrace_test/test_hit'

# Modules are loaded and unloaded while events are switched.
put enabled 1
n=0
while [ $n -lt 20 ]; do
	n=$((n + 1))
	load_module ktrace-test-probes
	put events/enabled 1
	test_run 'task 100' &
	[ $((n % 2)) = 0 ] || put events/enabled 0
	wait
	put events/enabled 0
	rmmod ktrace-test-probes || break
done
check "modules come and go" is $n 20
put enabled 0

# Strings of all lengths, one after the other, with nothing between and behind them that was there
# before: poison is found if a byte is not written.
umount $tree
rmmod ktrace
insmod "$KTRACE_MODULES/ktrace.ko" poison=90
mount -t ktracefs none $tree
load_module ktrace-test-probes
names_expected() {
	for length in $(seq 0 70); do
		byte=6e
		[ $((length % 3)) -ne 0 ] || byte=ee
		text=$(seq $length | sed "s/.*/$byte/" | tr -d '\n')
		printf '%02x000000070000000c00%02x00%s00\n' $length $((length + 1)) "$text"
	done
}
names() {
	for length in $(seq 0 70); do
		test_run "name $length"
	done
	put enabled 0
	$bin/ktread -d $tree | awk '$4 == "ktrace_test:test_name" { print $5 }'
}
put $tests/test_name/enabled 1
put enabled 1
check "strings of all lengths are whole" is "$(names)" "$(names_expected)"
put $tests/test_name/filter 'kind == 7'
put enabled 1
check "also behind a filter" is "$(names)" "$(names_expected)"
clean
umount $tree
rmmod ktrace-test-probes
rmmod ktrace
load_module ktrace
mount -t ktracefs none $tree
# Records are built in a shorter way while nothing is poisoned.
load_module ktrace-test-probes
put $tests/test_name/filter 'kind == 7'
put $tests/test_name/enabled 1
put enabled 1
check "also where nothing is poisoned" is "$(names)" "$(names_expected)"
put enabled 0
put $tests/test_name/enabled 0
put $tests/test_name/filter 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
