# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# count.sh - records a workload with all events, for tests/cmd/count to count
# One kernel is enough: events are counted by readers.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/count && cd /mnt/count || exit 1

# A short load, so that an emulated processor gets through it.
head -n 20000 /usr/share/dbench/client.txt >load

record()	# NAME OPTION... -- COMMAND...
{
	local name=$1
	shift
	run ktrace record -o "$name" "$@"
	ends 0 "$name: record -- dbench" recorded
	sed 's/^/#   /' <<<"$err"
	check "$name: is kept" mv "$name" /mnt/out
}

record discard --size 32M -- dbench -c load -t 5 -D . 2
# Small buffers, and a recorder that is stopped until much was lost.
full()
{
	[ "$(sed -n 's/^total.* full \([0-9]*\).*/\1/p' /sys/kernel/ktrace/overflow)" -gt 2000 ]
}
export -f wait_until full
record lossy --size 256K -- bash -c '
	(kill -STOP $PPID; wait_until full; kill -CONT $PPID) &
	dbench -c load -t 4 -D . 2
	wait'
record overwrite --size 2M --mode overwrite -- dbench -c load -t 5 -D . 2
finish_vm count.sh
