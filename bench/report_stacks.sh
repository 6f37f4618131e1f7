#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bench/report_stacks.sh - how long it takes to read a recording with stacks, beside perf
#
#   bench/report_stacks.sh [KERNEL]     default: 6.12
#
# In a virtual machine, ktrace and then perf record a million system calls' entries and exits
# with the stacks of the kernel and of the program (perf's by frame pointers, which end in the
# C library). Outside, all text goes to /dev/null; the times are processor time (user + system).

set -eu
. "$(dirname "$0")/../tools/common.sh"

case ${1-} in
-h | --help)
	usage
	exit
	;;
esac
cd "$top"
kernel=${1:-6.12}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

tools/vm -k "$kernel" -m 3G -o "$out" -- bash -c '
	workload="dd if=/dev/zero of=/dev/null bs=1 count=250000 status=none"
	build/user/cmd/ktrace record -q -e "syscalls:sys_*" -g=both -s 64M -o /mnt/out/ktrace.data -- $workload
	perf record -q -e raw_syscalls:sys_enter,raw_syscalls:sys_exit --call-graph fp -m 64M \
		-o /mnt/out/perf.data -- $workload' >&2

TIMEFORMAT='%U %S'
# row NAME COMMAND...: prints a row of the table
row() {
	local name=$1 seconds
	shift
	seconds=$({ time "$@" >/dev/null 2>"$out/errors"; } 2>&1)
	printf '| %s | %.1f |\n' "$name" "$(awk '{ print $1 + $2 }' <<<"$seconds")"
}
ktrace=build/user/cmd/ktrace
du -sm "$out"/ktrace.data "$out"/perf.data | sed "s|$out/||" >&2
echo '| | CPU s |'
echo '|---|---:|'
row 'perf script' perf script -i "$out/perf.data"
row 'perf report --stdio' perf report -i "$out/perf.data" --stdio
row 'ktrace report --format perf-script' $ktrace report -F perf-script "$out/ktrace.data"
row 'ktrace report -g' $ktrace report -g "$out/ktrace.data"
row 'ktrace report --by-stack' $ktrace report --by-stack "$out/ktrace.data"
row 'ktrace report --flame' $ktrace report --flame "$out/ktrace.data"
