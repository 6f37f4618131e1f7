# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# count.sh - with everything on under a workload, all that count agree to the last event

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/count && cd /mnt/count || exit 1

# A short load, so that an emulated processor gets through it.
head -n 20000 /usr/share/dbench/client.txt >load

one_count()	# NAME RECORD-OPTION...
{
	local name=$1
	shift
	run ktrace record -o "$name" "$@" -- dbench -c load -t 5 -D . 2
	ends 0 "$name: record -- dbench" recorded
	sed 's/^/#   /' <<<"$err"
	counted=$(ktrace stat --json -q "$name" | sed -n '1s/^{"events":\([0-9]*\).*/\1/p')
	# The recorder's own account.
	written=$(tail -n 1 "$name/metadata" | grep -o '"events":[0-9]*' |
		cut -d: -f2 | paste -sd+ | bc)
	lines=$(ktrace report -q "$name" | grep -vc '^\*\*\*')
	json=$(ktrace report -q -F json "$name" | grep -c '"event":')
	run ktrace export -q --to ctf -o "$name.ctf" "$name"
	ends 0 "$name: export --to ctf"
	ctf=$(babeltrace2 "$name.ctf" 2>err | wc -l)
	err=$(grep -v -i 'discarded' err) out="stat $counted account $written report $lines json $json ctf $ctf"
	echo "# $out"
	check "$name: tens of thousands of events" [ "$counted" -gt 20000 ]
	check "$name: stat = account of the recorder" [ "$counted" -eq "$written" ]
	check "$name: stat = report | wc -l" [ "$counted" -eq "$lines" ]
	check "$name: stat = report --format json | wc -l" [ "$counted" -eq "$json" ]
	check "$name: stat = babeltrace2 | wc -l" [ "$counted" -eq "$ctf" ]
	rm -rf "$name" "$name.ctf"
}

one_count discard --size 32M
one_count lossy --size 256K
one_count overwrite --size 2M --mode overwrite
finish_vm count.sh
