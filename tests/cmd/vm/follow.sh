# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# follow.sh - a recording of the kernel that another process reads meanwhile: the same events and losses, in
# the same order, as the trace has when it is complete
# One kernel is enough: recorder and reader do not depend on it.
# Only in check-all: it takes minutes, and tests/cmd/follow asks the same of programs' markers natively.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/follow && cd /mnt/follow || exit 1

# Times are calibrated better when a recording has ended.
timeless() { sed -E 's/^(.*\[[0-9]+\]) [0-9]+\.[0-9]+ /\1 /'; }
times() { sed -nE 's/^.*\[[0-9]+\] ([0-9]+\.[0-9]+) .*/\1/p'; }
records() { [ -s "$1/metadata" ]; }
has_lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }
has() { grep -q "$1" "$2"; }
parts() { ls -d "$1".[0-9]* 2>/dev/null | sort -t. -k2n; echo "$1"; }

# Records what COMMAND does into t, and reads it meanwhile into shown.
follow()	# COMMAND OPTION...
{
	rm -rf t t.*
	ktrace record -q -e 'sched:sched_process_*' -o t "${@:2}" 2>account &
	recorder=$!
	wait_until records t
	ktrace report --follow t >shown 2>complaints &
	reader=$!
	wait_until has_lines shown 1
	sh -c "$1"
}

over()	# WHAT
{
	kill -INT $recorder
	wait $recorder
	wait $reader
	check "$1: the reader ends with the recording" [ $? = 0 ]
	for trace in $(parts t); do
		ktrace report -q $trace
	done >all
	check "$1: the same as of the complete trace ($(wc -l <all) lines)" cmp -s <(timeless <all) <(timeless <shown)
	check "$1: in the order of time" sort -c -n <(times <shown)
}

burst='for i in 1 2 3; do for j in $(seq 50); do /bin/true; done; sleep 0.5; done'

follow "$burst"
# One process on one CPU, while the other has nothing to do.
taskset 1 sh -c 'printf seen >/proc/self/comm; sleep 0.01'
wait_until has 'comm=seen' shown
check 'an event is shown before the recording ends' kill -0 $recorder
cp shown before
over 'some processes'
check 'what was shown stays' cmp -s before <(head -n "$(wc -l <before)" shown)
check 'nothing is complained about' [ ! -s complaints ]

follow "$burst" --size 64K
wait_until has_lines shown 500
# Nobody takes the packets of a recorder that stands still.
kill -STOP $recorder
sh -c 'for i in $(seq 500); do /bin/true; done'
kill -CONT $recorder
sleep 1
over 'losses'
check 'there are losses' has '^\*\*\* cpu' shown

follow : --rotate 1s
for part in 1 2 3; do
	sh -c "$burst"
	wait_until records t.$part
done
over 'parts'

# Two who read, one of them only what comes.
follow "$burst"
ktrace report --follow --tail 0 -e sched:sched_process_exit -F json t >json 2>&1 &
tail=$!
sleep 1
sh -c 'printf last >/proc/self/comm; sleep 0.01'
wait_until has '"comm":"last"' json
over 'two readers'
wait $tail
check 'both end' [ $? = 0 ]
check 'they are a part of the events, in order' cmp -s <(jq -r .tid json) \
	<(ktrace report -q -e sched:sched_process_exit -F json t | jq -r .tid | tail -n "$(wc -l <json)")

# Who reads is killed: the recorder goes on, and writes no points any more.
follow "$burst"
kill -KILL $reader
wait $reader 2>/dev/null
sleep 1
points=$(grep -c '"type":"point"' t/metadata)
sleep 2
check 'without a reader there are no points' [ "$(grep -c '"type":"point"' t/metadata)" = "$points" ]
check 'with one there were' [ "$points" -gt 0 ]
kill -INT $recorder
wait $recorder
check 'the recording is fine' [ $? = 0 ]

# The flight recorder: its snapshot, and the rest at its end.
rm -rf t t.*
ktrace record -q -e 'sched:sched_process_*' --mode overwrite -o t 2>account &
recorder=$!
wait_until records t
ktrace report --follow t >shown 2>complaints &
reader=$!
sh -c "$burst"
kill -USR2 $recorder
wait_until records t.1
wait_until has_lines shown 10
check 'a snapshot is shown while the flight recorder goes on' kill -0 $recorder
over 'a flight recorder'

cd / && rm -rf /mnt/follow
finish_vm follow.sh
