#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Conditions: filters and processes.
# One kernel is enough: conditions are evaluated by ktrace itself.
. tests/kernel/lib.sh

load_module ktrace-test
load_module ktrace-test-probes
hit=events/ktrace_test/test_hit
string=events/ktrace_test/test_string

check "no filter at first" is "$(get $hit/filter)" none
check "accepted" put $hit/filter 'number > 100 && number <= 200'
check "read back" is "$(get $hit/filter)" 'number > 100 && number <= 200'
check "an unknown field" refuses $hit/filter 'nummer == 1' \
	'at character 1, "nummer == 1": there is no such field'
check "a missing number" refuses $hit/filter 'number ==' 'a number is missing'
check "an array" refuses $string/filter 'array == 1' 'cannot be compared'
check "a number for a string" put $string/filter 'text == 5'
check "a filter alone gives no id" is "$(get $string/id)" 0

# passed FILTER: how many of 1000 hits pass
passed() {
	put $hit/filter "$1" || return
	put reset 1
	put enabled 1
	test_run reset
	test_run 'task 1000'
	put enabled 0
	count "$($bin/ktread $tree)" ktrace_test:test_hit
}
put $hit/enabled 1
check "a range" is "$(passed 'number > 100 && number <= 200')" 100
check "bits" is "$(passed 'number & 1 && !(number & 2)')" 250
check "all" is "$(passed 'context == 0')" 1000
check "none" is "$(passed 'context != 0')" 0
check "the command" is "$(passed 'comm ~ "[a-s]h"')" 1000
check "another command" is "$(passed 'comm == bash')" 0
check "removed by 0" is "$(passed 0)" 1000
put $hit/enabled 0

strings() {
	put $string/filter "$1" || return
	put reset 1
	put enabled 1
	test_run reset
	test_run 'string 10 3'
	test_run 'string 10 30'
	test_run 'string 10 3000'
	put enabled 0
	count "$($bin/ktread $tree)" ktrace_test:test_string
}
put $string/enabled 1
check "a string" is "$(strings 'text == "abc"')" 10
check "not a string" is "$(strings 'text != "abc"')" 20
check "a pattern" is "$(strings 'text ~ "abc?*"')" 20
check "a string in an array" is "$(strings 'fixed == fixed')" 30
check "two" is "$(strings 'text ~ "*z*" && tail == tail')" 20

# Their texts are the begin of this one.
letters=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz
lengths() {
	put reset 1
	put enabled 1
	test_run reset
	for length in $(seq 1 40); do
		text=$(printf "%.${length}s" $letters)
		put $string/filter "text == \"$text\" && tail == tail" || return
		test_run "string 1 $length"
	done
	put enabled 0
	count "$($bin/ktread $tree)" ktrace_test:test_string
}
check "strings of all lengths are whole" is "$(lengths)" 40

# Other sessions do not see it.
mkdir $tree/sessions/f
check "a filter is its session's own" is "$(get sessions/f/$string/filter)" none
rmdir $tree/sessions/f

# The largest record that fits, with a filter and without.
large() {
	put $string/filter "$1"
	put reset 1
	put enabled 1
	for length in 21000 21769 21770 21771 21772 21773 21774 21775 30000; do
		test_run "string 1 $length"
	done
	put enabled 0
	$bin/ktread -q $tree
}
check "what is too large is so with a filter too" \
	is "$(large 'number > 0')" "$(large 0)"
put $string/enabled 0

# Filters are changed while they run.
put $hit/enabled 1
put $hit/filter 'number & 1'
put enabled 1
test_run 'storm 200000' &
n=0
while [ $n -lt 30 ]; do
	n=$((n + 1))
	put $hit/filter "number & $n"
	put $hit/filter 0
	put $hit/filter "comm ~ \"*$n*\" || number > $n"
done
wait
put enabled 0
$bin/ktread -q $tree >/dev/null
check "filters can change at any time" test $? = 0
put $hit/filter 0

# A filter uses the fields of the event, so they do not change while it exists.
put $hit/enabled 0
put define 'raw/hit test_hit; u32 unsigned context; u64 u64 number'
check "a program" put capture 'raw/hit: char word: kernel a0 string 8'
check "a filter on what it says" put events/raw/hit/filter '__unread == 1'
check "the program cannot go" refuses capture none "has a filter: remove it first"
check "nor one by one" refuses capture 'raw/hit:' "has a filter: remove it first"
put events/raw/hit/enabled 1
put reset 1
put enabled 1
test_run 'task 10'
put enabled 0
put events/raw/hit/enabled 0
check "the filter has its field" is "$(count "$($bin/ktread $tree)" raw:hit)" 10
put events/raw/hit/filter 0
check "without the filter the program can" put capture none
put define '!raw/hit'
put $hit/enabled 1

# Processes.
for text in foo -1 0 99999999 '1 x'; do
	check "pids: $text" refuses pids "$text" "is not a process's number"
done
put pids "$$, 1"
# The process that reads the file is a child of this shell, so it is listed too.
check "read back" is "$(get pids | head -n 2 | tr '\n' ' ')" "1 $$ "
put pids ''
check "an empty line removes them" is "$(get pids)" ""

put reset 1
put enabled 1
sh -c 'sleep 0.3; echo "task 100" >$test_dir/run; sh -c "echo task 10 >\$test_dir/run"' &
child=$!
put pids $child
test_run 'task 1000'
wait $child
put pids ''
put enabled 0
check "only those processes, and their children" is \
	"$(count "$($bin/ktread $tree)" ktrace_test:test_hit)" 110
put reset 1
put pids 1
put $hit/filter 'number > 0'
put enabled 1
test_run 'task 100'
put pids $$
test_run 'task 10'
put pids ''
test_run 'task 1'
put $hit/filter 0
put enabled 0
check "pids and a filter together" at_least 11 \
	"$(count "$($bin/ktread $tree)" ktrace_test:test_hit)"

# ---- all of them ----------------------------------------------------------------------

put reset 1
check "no event has a filter" is "$(get filtered)" ''
put $hit/filter 'number > 3'
check "which have one, and which" is "$(get filtered)" 'ktrace_test/test_hit: number > 3'
check "only all are removed" refuses filtered "$hit" '"none" is wanted'
check "and it has its own" is "$(get $hit/filter)" 'number > 3'
put filtered none
check "none is left" is "$(get filtered)$(get $hit/filter)" none

rmmod ktrace-test-probes 2>/dev/null
put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
