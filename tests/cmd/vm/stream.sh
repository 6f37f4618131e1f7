# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# stream.sh - a recording through a pipe: the same events arrive as in a directory, in
# order, with little memory; and it ends if either side ends
# One kernel is enough: a stream is made by the command.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/stream && cd /mnt/stream || exit 1
tree=/sys/kernel/ktrace

nothing_enabled()
{
	[ "$(cat $tree/enabled)$(cat $tree/events/enabled)$(cat $tree/owner)" = 000 ]
}

# How many events were recorded, as the recorder reports.
recorded()	# FILE
{
	sed -n 's/^ktrace: recorded \([0-9,]*\) events.*/\1/p' "$1" | tr -d ,
}

events()	# FILE
{
	grep -c ' \[[0-9]*\] [0-9.]* [a-z0-9_]*:' "$1"
}

in_order()	# FILE
{
	sed -nE 's/.* \[[0-9]+\] ([0-9]+\.[0-9]+) .*/\1/p' "$1" | sort -c -n
}

# ---- through a pipe, while it is recorded ----------------------------------------

ktrace record -e 'sched:*' -d 3s -o - 2>account -- \
	bash -c 'echo said; for i in {1..40}; do /bin/true; sleep 0.02; done' |
	ktrace report - >shown 2>complaints
check 'what is recorded arrives' [ "$(recorded account)" -gt 200 ]
check 'all of it, to the last event' [ "$(recorded account)" = "$(events shown)" ]
check 'in the order of time, across CPUs' in_order shown
check 'report knows who it was' grep -qE '^true-[0-9]+ .*sched:sched_process_exit' shown
check 'what the command says is not in the stream' grep -qx said account
check 'nothing is complained about' [ ! -s complaints ]
check 'nothing stays enabled' nothing_enabled

# ---- a CPU that comes meanwhile ---------------------------------------------

# Its events are shown among those of the others, and when they happened.  With every
# switch to it, CPU 1 does something long before the recording ends.  (For a CPU that is not
# even present at first see tests/trace/recording.c.)
cpu1=/sys/devices/system/cpu/cpu1/online
echo 0 >$cpu1
ktrace record -S late -e sched:sched_switch -d 8s -o - 2>account | ktrace report -q - >shown &
reader=$!
until [ "$(cat $tree/sessions/late/enabled 2>/dev/null)" = 1 ]; do sleep 0.1; done
sleep 1
echo 1 >$cpu1
taskset -c 1 bash -c 'for i in {1..20}; do sleep 0.05; done'
echo 0 >$cpu1
wait $reader
echo 1 >$cpu1
check 'a CPU that comes: all events arrive' [ "$(recorded account)" = "$(events shown)" ]
check 'a CPU that comes: it has some' [ "$(grep -c '\[001\]' shown)" -gt 20 ]
check 'a CPU that comes: in order' in_order shown
# Those that come late have the time of the last one before them.
check 'a CPU that comes: each has its time' \
	[ "$(sed -nE 's/.* \[001\] ([0-9]+\.[0-9]+) .*/\1/p' shown | sort -u | wc -l)" -gt 20 ]

# ---- through a file, against the same events --------------------------------------

ktrace record -q -e sched_switch -o - -- sleep 0.3 >file
run ktrace report -q - <file
ends 0 'report - of a file'
printf '%s\n' "$out" >shown
run ktrace stat - <file
ends 0 'stat -'
check 'stat counts what report shows' \
	[ "$(sed -n '1s/ .*//p' <<<"$out" | tr -d ,)" = "$(events shown)" ]
run ktrace export -q --to json - <file
ends 0 'export --to json -'
check 'json has as many lines' [ "$(wc -l <<<"$out")" = "$(events shown)" ]

# ---- the flight recorder -----------------------------------------------------------

ktrace record -m overwrite -s 256K -e 'sched:*,irq:*,timer:*' -d 2s -o - 2>account |
	ktrace report -q - >shown
check 'overwrite: all that is left arrives' \
	[ "$(recorded account)" = "$(events shown)" ]
check 'overwrite: in order' in_order shown

# ---- who leaves ends it --------------------------------------------------------------

ktrace record -e 'sched:*,timer:*' -o - 2>account | ktrace report -q - | head -3 >shown
status=${PIPESTATUS[0]}
check 'a reader that leaves ends the recording' [ "$status" = 1 ]
check 'and it says so' grep -q 'whoever read it has ended' account
check 'the account is whole' [ -z "$(grep 'fault of ktrace' account)" ]
check 'nothing stays enabled after that' nothing_enabled

finish_vm stream.sh
