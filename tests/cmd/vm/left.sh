# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# left.sh - sessions whose recorder has died: whatever stays switched on can be removed
# One kernel is enough: sessions are removed by ktrace itself.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/left && cd /mnt/left || exit 1
tree=/sys/kernel/ktrace
busy='while :; do ls / >/dev/null; done'

sessions()
{
	ls $tree/sessions
}

run bash -c "ktrace syscalls -- timeout 10 bash -c '$busy' 2>&1 | head -n 3"
check 'a reader that goes away' [ "$(wc -l <<<"$out")" = 3 ]
check 'leaves no session' [ -z "$(sessions)" ]

ktrace syscalls -q -o shown 2>/dev/null &
recorder=$!
until [ "$(cat $tree/sessions/syscalls-$recorder/enabled 2>/dev/null)" = 1 ]; do sleep 0.1; done
run ktrace doctor
check 'doctor says nothing of one that is read' [ -z "$(grep '^note  session' <<<"$out")" ]
kill -9 $recorder
wait $recorder 2>/dev/null
check 'one that is killed leaves its session' [ "$(sessions)" = syscalls-$recorder ]
run ktrace doctor
check 'doctor names it' grep -q "session.*syscalls-$recorder' records" <<<"$out"
ktrace record -q -S mine -e sched:sched_switch -o killed &
mine=$!
until [ "$(cat $tree/sessions/mine/enabled 2>/dev/null)" = 1 ]; do sleep 0.1; done
kill -9 $mine
wait $mine 2>/dev/null
run ktrace doctor
check 'and those of ktrace record' grep -q "session.*mine' records" <<<"$out"
run ktrace syscalls -q -- true
ends 0 'the next ktrace syscalls'
check 'takes away what is its own kind' [ "$(sessions)" = mine ]
run ktrace record -q -S mine --keep -e sched:sched_switch -o kept -- true
ends 0 'the other one can be gone on with'
rmdir $tree/sessions/mine
check 'and be removed' [ -z "$(sessions)" ]

# A child that has ended, but for which its parent does not wait: it will never run again.
# (bash would wait for a child that ends before sleep replaces it.)
bash -c 'sleep 5 & echo $! >zombie; exec sleep 100' &
parent=$!
until grep -qs '^State:.Z' "/proc/$(cat zombie 2>/dev/null)/status"; do sleep 0.1; done
run ktrace syscalls -q -d 60s -p "$(cat zombie)" --trace traced
ends 0 'a process that has ended, and is not waited for'
check 'its end is noticed' grep -q '"reason":"process"' traced/metadata
kill $parent

finish_vm left.sh
