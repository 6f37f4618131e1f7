#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Hits from all contexts on all CPUs: every hit must be accounted for.
# One kernel is enough: the ring is the same on each, and toggle.sh attaches on each.
. tests/kernel/lib.sh

load_module ktrace-test
load_module ktrace-test-probes
hit=events/ktrace_test/test_hit

hits_all() {
	echo $(($(hits task) + $(hits softirq) + $(hits irq) + $(hits nmi)))
}

# storm NAME MODE SIZE READER [FILTER]: all hits are read, or lost and counted
storm() {
	clean
	put mode $2
	put buffer_size $3
	put $hit/enabled 1
	put $hit/filter "${5-0}"
	put enabled 1
	test_run reset
	if [ "$4" ]; then
		$bin/ktread -w 600 $tree >/tmp/read &
		reader=$!
		wait_until reads $reader
	fi
	test_run "storm ${count:-400000}"
	put enabled 0
	if [ "$4" ]; then
		# The storm may take long on a busy machine: tell the reader when it is
		# over.
		kill -USR1 $reader
		wait $reader
	else
		$bin/ktread $tree >/tmp/read
	fi
	check "$1: the buffers are sound" test $? = 0
	read=$(cat /tmp/read)
	echo "# $(hits_all) hits, $(hits softirq) in softirq, $(hits irq) in irq," \
		"$(hits nmi) in nmi: $(echo "$read" | tail -n 1)"
	check "$1: all hits are accounted for" is "$(sum "$read")" "$(hits_all)"
}

storm "roomy" discard 32M ''
check "roomy: nothing was lost" is "$(count "$read" ktrace_test:test_hit)" \
	"$(hits_all)"
check "there were interrupts" at_least "$(hits irq)" 100
check "there were softirqs" at_least "$(hits softirq)" 100
check "there were NMIs" at_least "$(hits nmi)" 100
storm "full" discard 128k ''
check "full: something was lost" at_least "$(number "$read" total full)" 1000
storm "discard, with a reader" discard 256k reader
storm "overwrite" overwrite 128k ''
check "overwrite: something was" at_least \
	"$(number "$read" total overwritten)" 1000
storm "overwrite, with a reader" overwrite 256k reader
storm "roomy, with a filter" discard 32M '' 'number > 0'
check "roomy, with a filter: nothing was lost" is \
	"$(count "$read" ktrace_test:test_hit)" "$(hits_all)"
storm "full, with a filter" discard 128k '' 'check != 5'

# Numbers of a CPU and context are consecutive if none was lost.
clean
put buffer_size 32M
put $hit/enabled 1
put enabled 1
test_run reset
test_run 'storm 100000'
put enabled 0
$bin/ktread -d $tree | awk '
	function word(at) { # 4 bytes, little endian
		return substr($5, at + 7, 2) substr($5, at + 5, 2) \
			substr($5, at + 3, 2) substr($5, at + 1, 2)
	}
	$4 == "ktrace_test:test_hit" {
		key = $1 " " word(0)
		number = "n" word(16)
		if (key in last && number <= last[key])
			bad++
		last[key] = number
		seen++
	}
	END { print seen + 0, bad + 0 }' >/tmp/order
read seen bad </tmp/order
check "hits of a context are in order" is "$bad" 0
check "all of them were seen" is "$seen" "$(hits_all)"

# Probes are attached and detached during the storm.
clean
put mode overwrite
put buffer_size 1M
put enabled 1
test_run 'storm 2000000' &
n=0
while [ $n -lt 40 ]; do
	n=$((n + 1))
	put events/enabled $((n % 2))
	[ $((n % 7)) != 0 ] || put enabled 0
	[ $((n % 11)) != 0 ] || put reset 1
	put enabled 1
done
wait
put enabled 0
$bin/ktread -q $tree >/dev/null
check "events and sessions are switched in the middle" test $? = 0

put events/enabled 0
rmmod ktrace-test-probes
rmmod ktrace-test
clean
