#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# guest.sh VMLINUX FOLDER - records the places of FOLDER (judge.py) with ktrace and as kprobe events of
# the kernel, of the same run, and prints of each how many values are the same.  Runs in the guest.

set -u
vmlinux=$1 folder=$2
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
cd /mnt || exit 1
# A place where the kernel takes no probe is none for ktrace, too.
options=()
while IFS= read -r event && IFS= read -r text <&3; do
	if (echo "$event" >>$tracing/kprobe_events) 2>/dev/null; then
		options+=(-P "$text")
	elif ktrace probe check --vmlinux "$vmlinux" "$text" >checked 2>&1; then
		echo "the kernel refuses, and ktrace does not: $event"
		cat checked
		exit 1
	else
		echo "both refuse ${event#* }: $(grep -v '^ *$' checked | head -n 1)"
	fi
done <"$folder/events" 3<"$folder/texts"
# A task that is made or ended while one of both records only.
cat >work.sh <<'END'
for i in 1 2 3; do
	dd if=/dev/zero of=/mnt/data bs=1234 count=3
	cat /mnt/data | wc -c
	stat /mnt/data
done
END
echo 1 >$tracing/events/kt/enable
ktrace record -q --vmlinux "$vmlinux" "${options[@]}" --only -o t -- bash work.sh >log 2>&1 || {
	cat log
	exit 1
}
echo 0 >$tracing/events/kt/enable
# "PID EVENT VALUES", of the tasks that only run within: ftrace calls a task by its last name.
ktrace report t >report
sed -n 's/^\(dd\|wc\|stat\)-\([0-9]*\) .*/\2/p' report | sort -u >pids
of_pids() {
	awk 'NR == FNR { wanted[$1]; next } $1 in wanted' pids - | sort
}
sed -n 's/^[^ ]*-\([0-9]*\) .* probe:\(at[0-9]*\): /\1 \2 /p' report | of_pids >ours
sed -n 's/^.*-\([0-9]*\) *\[.* \(at[0-9]*\): ([^)]*) /\1 \2 /p' $tracing/trace | of_pids >theirs
echo "hits $(grep -c . ours) $(grep -c . theirs) places $(cut -d ' ' -f 2 ours | sort -u | grep -c .)"
cut -d ' ' -f 2 ours | sort -u | sed 's/^/hit /'
echo "same $(comm -12 ours theirs | grep -c .)"
comm -3 ours theirs | head -6 | sed 's/^/# /'
