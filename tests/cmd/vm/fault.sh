# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# fault.sh - failures are reported, and what was recorded stays readable
# One kernel is enough: the faults are those of files and processes.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/fault && cd /mnt/fault || exit 1
tree=/sys/kernel/ktrace

nothing_enabled()
{
	[ "$(cat $tree/enabled)$(cat $tree/events/enabled)$(cat $tree/owner)" = 000 ]
}

wait_enabled()
{
	local tries=600
	until [ "$(cat $tree/enabled)" = 1 ] || ! ((tries--)); do sleep 0.1; done
}

busy='while :; do ls / >/dev/null; done'

# ---- a full disk -------------------------------------------------------------

mkdir -p full && mount -t tmpfs -o size=3M tmpfs full
run timeout 120 ktrace record -o full/t -d 100s -- timeout 60 bash -c "$busy"
ends 124 'a full disk: the status is the command'\''s' 'the disk is full' 'could not be written'
status=0
run ktrace stat full/t
ends 0 'a full disk: the trace can be read'
check 'a full disk: there is something in it' grep -q '^ *[0-9,]* events in' <<<"$out"
check 'a full disk: stat tells the loss' grep -q 'could not be written' <<<"$out"
counted=$(ktrace stat --json -q full/t | sed -n '1s/^{"events":\([0-9]*\).*/\1/p')
lines=$(ktrace report -q full/t | grep -vc '^\*\*\*')
check 'a full disk: report agrees' [ "$counted" -eq "$lines" ]
check 'a full disk: nothing stays enabled' nothing_enabled
run bash -c 'ktrace report full/t >/dev/full'
ends 1 'a full disk: report tells of its own' 'No space left on device'
umount full
mount -t tmpfs -o size=16k tmpfs full
run timeout 60 ktrace record -o full/t -d 1s
ends 1 'no room for the begin of a trace'
umount full
run bash -c 'ulimit -f 3000; ktrace record -o limit -d 60s -- timeout 30 bash -c "'"$busy"'"'
ends 124 'a limit of file size' 'ulimit -f'
run ktrace stat -q limit
ends 0 'a limit of file size: the trace can be read'

# ---- a recorder that is killed ---------------------------------------------------

ktrace record -o killed --size 1M -e 'sched:*' -e raw_syscalls -- bash -c "timeout 20 bash -c '$busy'" 2>/dev/null &
recorder=$!
wait_enabled
sleep 2
kill -9 $recorder
wait $recorder 2>/dev/null
check 'killed: the session goes on' [ "$(cat $tree/enabled)" = 1 ]
check 'killed: nobody owns it' [ "$(cat $tree/owner)" = 0 ]
run ktrace stat killed
ends 0 'killed: its trace can be read'
sleep 1
run ktrace record -o after -e sched_switch -- true
ends 0 'record after that' 'did not come to its end' 'dropped'
check 'and goes on' [ "$(ktrace report -q after | wc -l)" -gt 0 ]
check 'with its own events only' \
	[ "$(ktrace report -q after | grep -vc 'sched:sched_switch\|^\*\*\*')" = 0 ]

ktrace record -q -o killed --size 1M -e sched:sched_wakeup -- sleep 20 2>/dev/null &
recorder=$!
wait_enabled
sleep 1
kill -9 $recorder
wait $recorder 2>/dev/null
sleep 0.5
run ktrace record --keep -o kept -e sched:sched_switch -- true
ends 0 '--keep' 'begin this trace'
run ktrace report -q kept
check '--keep: what was left' grep -q sched:sched_wakeup <<<"$out"
check '--keep: and what is new' grep -q sched:sched_switch <<<"$out"

# It recorded one process: who takes the rest has not chosen this one.
sleep 1000 &
alone=$!
ktrace record -q -o killed -p $alone -e sched:sched_wakeup,sched:sched_switch 2>/dev/null &
recorder=$!
wait_enabled
kill $alone
wait $alone 2>/dev/null
kill -9 $recorder
wait $recorder 2>/dev/null
run ktrace record --keep -o anew -e sched:sched_process_exit -- true
ends 0 '--keep after -p' 'begin this trace'
check '--keep: of all processes' grep -q '^ *true-.*sched_process_exit' <<<"$(ktrace report -q anew)"
check '--keep: with what was left of one' grep -q 'sched:sched_switch' <<<"$(ktrace report -q anew)"
run ktrace record -o clean -e sched_switch -- true
check 'nothing is left after a good end' [ -z "$(grep 'did not come' <<<"$err")" ]

# ---- two at once -----------------------------------------------------------------

ktrace record -q -o first -e sched_switch &
recorder=$!
wait_enabled
run ktrace record -o second -e sched_switch -- true
ends 1 'two recorders' 'records already' '--session'
check 'two recorders: nothing was made' [ ! -e second ]
run ktrace record -q -o beside --session beside -e sched_switch -- true
ends 0 'a second session beside it'
run ktrace unload
ends 1 'unload meanwhile' 'in use'
kill -INT $recorder
wait $recorder
status=$? out= err=
ends 0 'the first is not disturbed'
check 'the first has its events' [ "$(ktrace report -q first | wc -l)" -gt 0 ]

# ---- CPUs come and go --------------------------------------------------------------

if [ -e /sys/devices/system/cpu/cpu1/online ]; then
	ktrace record -o cpu -e 'sched:*' -e 'irq*' -- bash -c '
		for i in 1 2 3; do
			echo 0 >/sys/devices/system/cpu/cpu1/online
			ls / >/dev/null
			echo 1 >/sys/devices/system/cpu/cpu1/online
			taskset -c 1 ls / >/dev/null
		done' 2>cpu.err
	status=$? out= err=$(cat cpu.err)
	ends 0 'a CPU goes and comes'
	run ktrace stat cpu
	check 'both CPUs have events' [ "$(ktrace stat --json -q cpu | grep -c '"cpu":[01],"events":[1-9]')" = 2 ]
	check 'nothing was lost' grep -q 'nothing was lost' <<<"$out"
	echo 0 >/sys/devices/system/cpu/cpu1/online
	run ktrace record -q -o cpu -e 'sched:*' -- bash -c '
		echo 1 >/sys/devices/system/cpu/cpu1/online; taskset -c 1 ls / >/dev/null'
	ends 0 'a CPU comes during a recording'
	check 'and is in the trace' [ "$(ktrace stat --json -q cpu | grep -c '"cpu":1,"events":[1-9]')" = 1 ]
	echo 1 >/sys/devices/system/cpu/cpu1/online
fi

# ---- others ------------------------------------------------------------------------

run ktrace record -e sched_switch --size 100G -- true
ends 1 'more memory than there is' '--size'
check 'nothing stays enabled' nothing_enabled
cp -r first cut && truncate -s -1000 cut/cpu0 && truncate -s -100 cut/metadata
run ktrace report cut
ends 0 'a trace that was cut off' 'cut off'
if user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }; user true; then
	run user ktrace record -- true
	ends 1 'a user' 'use sudo'
	mount -o remount,gid=65534,mode=770 $tree
	run user ktrace record -q -o /tmp/user.trace -e sched_switch -- true
	ends 0 'a user, by the tree'\''s group'
	mount -o remount,gid=0,mode=750 $tree
fi

finish_vm fault.sh
