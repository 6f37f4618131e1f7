#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bench/report.sh [-n EVENTS] [-r RUNS] [-d FOLDER] [-t TRACE.DAT] [TRACE]
#
# How fast traces are read: ktrace report and export, compared to babeltrace2 on the
# same events (exported) and to trace-cmd report on similar ones.
#
#   -n EVENTS     number of events to record (10000000) if there is no TRACE
#   -r RUNS       number of runs of each, of which the best one counts (3)
#   -d FOLDER     for traces (2 GB for 10 million events); default: a temporary folder
#   -t TRACE.DAT  a recording of ftrace, for trace-cmd
#   BUILD         in the environment: the build folder (build/user)
#
# It counts processor time (user + system), so that other work on the machine has little
# influence. All write their text to /dev/null.
set -eu
. "$(dirname "$0")/../tools/common.sh"

events=10000000
runs=3
folder=
dat=
while getopts hn:r:d:t: option; do
	case $option in
	h) usage; exit ;;
	n) events=$OPTARG ;;
	r) runs=$OPTARG ;;
	d) folder=$OPTARG ;;
	t) dat=$OPTARG ;;
	*) usage >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))

build=${BUILD:-$build/user}
ktrace=$build/cmd/ktrace
if [ -z "$folder" ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
fi
mkdir -p "$folder"

if [ $# -gt 0 ]; then
	trace=$1
else
	trace=$folder/trace
	[ -d "$trace" ] ||
		"$build/tests/trace/trace-make" "$trace" "$events" 2
fi

# seconds COMMAND...: processor time of the best run
seconds()
{
	for _ in $(seq "$runs"); do
		rm -rf "$folder/again"
		(
			"$@" >/dev/null 2>"$folder/errors" || {
				cat "$folder/errors" >&2
				exit 1
			}
			times >"$folder/times"
		)
		# The second line has the times of the children: user, system.
		awk 'NR == 2 {
			sum = 0
			for (i = 1; i <= 2; i++) {
				split($i, t, /[ms]/)
				sum += t[1] * 60 + t[2]
			}
			print sum
		}' "$folder/times"
	done | sort -n | head -n 1
}

# row WHAT EVENTS SECONDS
row()
{
	awk -v what="$1" -v n="$2" -v s="$3" -v base="${4:-0}" 'BEGIN {
		printf "%-34s %11d %9.2f %12.2f", what, n, s, n / s / 1e6
		if (base > 0)
			printf " %8.1fx", n / s / base
		print ""
	}'
}

rm -rf "$folder/ctf"
"$ktrace" export --to ctf -o "$folder/ctf" "$trace" >/dev/null 2>&1
count=$("$ktrace" report -q "$trace" | grep -vc '^\*\*\*')
bt=$(seconds babeltrace2 "$folder/ctf")
base=$(awk -v n="$count" -v s="$bt" 'BEGIN { print n / s }')

printf '%-34s %11s %9s %12s %9s\n' "" events "CPU s" "M events/s" \
	"babeltrace2"
row "babeltrace2 (CTF, text)" "$count" "$bt" "$base"
row "ktrace report" "$count" \
	"$(seconds "$ktrace" report -q "$trace")" "$base"
row "ktrace report --format json" "$count" \
	"$(seconds "$ktrace" report -q --format json "$trace")" "$base"
row "ktrace report --format kernel" "$count" \
	"$(seconds "$ktrace" report -q --format kernel "$trace")" "$base"
row "ktrace export --to ctf" "$count" \
	"$(seconds "$ktrace" export --to ctf -o "$folder/again" "$trace")" \
	"$base"
if [ -n "$dat" ]; then
	lines=$(trace-cmd report -i "$dat" 2>/dev/null | grep -c ': ')
	row "trace-cmd report" "$lines" \
		"$(seconds trace-cmd report -i "$dat")" "$base"
fi
