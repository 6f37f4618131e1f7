# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# parts.sh - a recording in several traces, and snapshots of the flight recorder
# One kernel is enough: the recorder parts them.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/parts && cd /mnt/parts || exit 1
tree=/sys/kernel/ktrace
seek=syscalls:sys_enter_lseek

# Seeks to FIRST, FIRST + 1 ... LAST: the offsets are the numbers of the events.  With a FILE
# until there is one, but not longer than LAST; prints the last number then.
cat >seek.py <<'EOF'
import os, sys, time
file = os.open('/etc/passwd', os.O_RDONLY)
first, last = int(sys.argv[1]), int(sys.argv[2])
until = sys.argv[3] if len(sys.argv) > 3 else None
for i in range(first, last + 1):
    os.lseek(file, i, os.SEEK_SET)
    if until and not i % 100:
        if os.path.exists(until):
            break
        time.sleep(0.02)
if until:
    print(i)
EOF
seeker()	# FIRST LAST
{
	python3 seek.py "$1" "$2"
}

# The traces of a recording, in order.
parts()	# TRACE
{
	ls -d "$1".[0-9]* 2>/dev/null | sort -t. -k2n
	echo "$1"
}

offsets()	# TRACE...
{
	local trace
	for trace; do
		ktrace report -q -e $seek "$trace" | grep python3 | grep -o 'offset=[0-9]*' | cut -d= -f2
	done
}

# Are there all numbers from FIRST to LAST, each once, in order?
is_whole()	# FIRST LAST TRACE...
{
	cmp <(seq "$1" "$2") <(offsets "${@:3}" | awk -v a="$1" -v b="$2" '$1 >= a && $1 <= b')
}

events_of()	# TRACE...
{
	local trace sum=0
	for trace; do
		((sum += $(ktrace stat -j "$trace" | grep -o '"events": *[0-9]*' | head -n 1 | grep -o '[0-9]*')))
	done
	echo $sum
}

nothing_lost()	# TRACE...
{
	local trace
	for trace; do
		ktrace stat "$trace" 2>&1 | grep -q 'nothing was lost' || return
	done
}

# ---- rotation by size --------------------------------------------------------------

run ktrace record -e 'syscalls:*,sched:*' -s 8M --rotate 150K -o size -- python3 seek.py 1000000 1999999 size.4
ends 0 '--rotate SIZE' 'size.1 has' 'in ' 'parts: size.1 to .'
last=$out
total=$(grep -o 'recorded [0-9,]* events' <<<"$err" | tr -dc 0-9)
mapfile -t traces < <(parts size)
check 'there are several' [ ${#traces[@]} -ge 4 -a $last -lt 1999999 ]
check 'no event is missing between two, none is doubled, and their order stays' \
	is_whole 1000000 $last "${traces[@]}"
check 'they have as many events as were recorded' [ "$(events_of "${traces[@]}")" = "$total" ]
check 'nothing was lost, says each' nothing_lost "${traces[@]}"
for trace in "${traces[@]}"; do
	run ktrace report -q "$trace"
	ends 0 "report $trace"
	check "$trace: all tasks have names" [ "$(grep -c '^<\.\.\.>' <<<"$out")" = 0 ]
done
check 'why a trace ends' grep -q rotation size.1/metadata
check 'packets go on' python3 - "${traces[@]}" <<'EOF'
import struct, sys, glob, os
# struct kt_packet: seq is behind magic, version, header_size, packet_size and used
next = {}
for trace in sys.argv[1:]:
    for path in sorted(glob.glob(trace + '/cpu*')):
        cpu, at = os.path.basename(path), 0
        data = open(path, 'rb').read()
        while at < len(data):
            magic, version, head, size, used, seq = struct.unpack_from('<IHHIIQ', data, at)
            assert magic == 0x4b50544b
            assert seq == next.get(cpu, 0), (path, seq, next.get(cpu))
            next[cpu] = seq + 1
            at += (used + 7) & ~7
EOF

# ---- by time, with stacks, as many as are kept -----------------------------------------

run ktrace record -e $seek -g=both -F vfs_read -s 4M --rotate 700ms --max-parts 2 -o time -- \
	python3 seek.py 2000000 2999999 time.4
last=$out
ends 0 '--rotate TIME' 'were removed'
mapfile -t traces < <(parts time)
check '--max-parts: two, and the newest one' [ ${#traces[@]} = 3 ]
first=$(offsets "${traces[0]}" | grep '^2[0-9]\{6\}$' | head -n 1)
check '--max-parts: the oldest are gone' [ ! -e time.1 ]
check 'the others are whole' is_whole "$first" $last "${traces[@]}"
for trace in "${traces[@]}"; do
	run ktrace report -q -g -e $seek "$trace"
	check "$trace: stacks of the kernel have names" grep -q '  *[a-z_0-9]*sys_lseek\|do_syscall_64' <<<"$out"
	check "$trace: stacks of programs have names" grep -q 'lseek.*(.*libc' <<<"$out"
	check "$trace: functions have types" [ "$(ktrace report -q -e function:vfs_read "$trace" | grep -c 'count=')" -gt 0 ]
done
run ktrace record -q -e $seek --rotate 300ms -o again -- sleep 1
before=$(parts again | tail -n 2 | head -n 1)
run ktrace record -e $seek --rotate 300ms -o again -- sleep 1
check 'numbers go on where older ones end' grep -q "again.$((${before#*.} + 1)) has" <<<"$err"
check 'nothing is replaced' [ -e again.old -a -e $before ]
check 'all of them are traces' eval 'for t in again again.*; do [ "$t" = again.old ] || ktrace stat $t; done >/dev/null 2>&1'
SUDO_UID=65534 SUDO_GID=65534 run ktrace record -q -e $seek --rotate 300ms -o sudo -- sleep 1
check 'under sudo all are the caller'\''s' [ "$(stat -c %u sudo sudo/* sudo.1 sudo.1/* | sort -u)" = 65534 ]

# ---- the end of a large one -----------------------------------------------------------------

run timeout 300 ktrace record -e $seek -s 1M --max-size 300K -o large -- python3 seek.py 1 100000 nothing
ends 0 '--max-size' 'has reached the size'
size=$(du -sb large/cpu* | awk '{ sum += $1 } END { print sum }')
check '--max-size: not much more' [ "$size" -ge 250000 -a "$size" -lt 1200000 ]
check '--max-size: its end says so' grep -q '"reason":"size"' large/metadata

# ---- snapshots ------------------------------------------------------------------------------

ktrace record -m overwrite -e $seek -s 1M -o flight 2>err.flight &
recorder=$!
wait_until grep -qx 1 $tree/enabled
seeker 3000000 3000099
kill -USR2 $recorder
wait_until grep -q 'flight.1 has' err.flight
seeker 3000100 3000199
kill -USR2 $recorder
wait_until grep -q 'flight.2 has' err.flight
seeker 3000200 3000299
kill -INT $recorder
wait $recorder
status=$? out='' err=$(cat err.flight)
ends 0 'SIGUSR2 takes snapshots, and does not end it' 'in 3 parts'
check 'the first one has what came before it' is_whole 3000000 3000099 flight.1
check 'the second one has what came since' is_whole 3000100 3000199 flight.2
check 'the last one has the rest' is_whole 3000200 3000299 flight
check 'each has nothing else' [ "$(offsets flight.1 flight.2 flight | grep -c '^30')" = 300 ]
check 'nothing was overwritten' nothing_lost flight.1 flight.2 flight

# What is overwritten between two snapshots is counted in the second one.
ktrace record -m overwrite -e raw_syscalls -p $$ -s 128K -o small 2>err.small &
recorder=$!
wait_until grep -qx 1 $tree/enabled
seeker 1 30000
kill -USR2 $recorder
wait_until grep -q 'small.1 has' err.small
seeker 1 30000
kill -USR2 $recorder
wait_until grep -q 'small.2 has' err.small
kill -INT $recorder
wait $recorder
status=$? out='' err=$(cat err.small)
ends 0 'snapshots that do not have all'
for trace in small.1 small.2; do
	run ktrace stat "$trace"
	lost=$(grep 'overwritten by' <<<"$out" | grep -o '^ *[0-9,]*' | tr -dc 0-9)
	has=$(events_of $trace)
	check "$trace: events and losses are the seeks, which are two events each" [ $((has + ${lost:-0})) -ge 60000 -a $((has + ${lost:-0})) -lt 90000 ]
done

run ktrace record -e $seek -s 1M --snapshot-on "$seek if offset == 4000050" -o trigger -- sh -c '
	python3 seek.py 4000000 4000049; python3 seek.py 4000050 4000050
	until [ -e trigger.1/metadata ] && grep -q snapshot trigger.1/metadata; do sleep 0.1; done
	until grep -qx 1 /sys/kernel/ktrace/sessions/snapshot-*/enabled; do sleep 0.1; done
	python3 seek.py 4000051 4000070; python3 seek.py 4000050 4000050
	until [ -e trigger.2/metadata ] && grep -q snapshot trigger.2/metadata; do sleep 0.1; done
	python3 seek.py 4000071 4000080'
ends 0 '--snapshot-on' 'trigger.1 has' 'trigger.2 has' 'in 3 parts'
check 'the first one has what led to it' is_whole 4000000 4000050 trigger.1
check 'the second one, too' [ "$(offsets trigger.2 | grep -c '^40000[5-7]')" = 21 ]
check 'and the last one the rest' is_whole 4000071 4000080 trigger
check 'its session is gone' [ -z "$(ls $tree/sessions)" ]
run ktrace record -e $seek --snapshot-on 'no:such_event' -o none -- true
ends 1 'a trigger that is not there' 'no:such_event'
run ktrace record -e $seek --snapshot-on "$seek if nothing == 1" -o none -- true
ends 1 'a filter that does not fit' nothing
check 'nothing was made' [ ! -e none ]

# Who may not take snapshots is not ended by the signal.
ktrace record -e $seek -o plain 2>err.plain &
recorder=$!
wait_until grep -qx 1 $tree/enabled
kill -USR2 $recorder
wait_until grep -q 'SIGUSR2 asks' err.plain
kill -INT $recorder
wait $recorder
status=$? out='' err=$(cat err.plain)
ends 0 'SIGUSR2 in mode discard' 'it takes --mode overwrite or --rotate'
check 'nothing stays enabled' [ "$(cat $tree/enabled)$(cat $tree/events/enabled)" = 00 ]

# A full disk ends it, and what was written can be read.
mkdir disk && mount -t tmpfs -o size=5000k none disk
run ktrace record -e 'syscalls:*,sched:*' -s 4M --rotate 300K -o disk/t -- timeout 60 python3 seek.py 1 60000 nothing
ends 1 'a full disk' 'disk'
for trace in $(parts disk/t); do
	[ ! -e "$trace" ] || check "$trace can be read" ktrace stat -q "$trace"
done >log.disk 2>&1
grep '^not ok' log.disk && cat log.disk
check 'the first one can be read' [ "$(ktrace report -q disk/t.1 | wc -l)" -gt 100 ]
umount disk

finish_vm parts.sh
