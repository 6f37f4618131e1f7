# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# spans.sh - the number of paired system calls is what strace counts, and the strace view
# shows the same durations as the report
# One kernel is enough: pairs are made by the reader.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/spans && cd /mnt/spans || exit 1

cat >work <<'END'
i=0
while [ $i -lt 10 ]; do
	/bin/true
	/bin/cat /etc/passwd >/dev/null
	i=$((i + 1))
done
dd if=/dev/zero of=zeros bs=4k count=300 2>/dev/null
ls /etc | sort | head -n 1 >/dev/null
END

# "NAME COUNT" from `ktrace report --durations -F json', without ktrace's own.
counts()
{
	grep -v '"comm":"ktrace"' |
		sed -n 's/.*"span":{"kind":"syscall","name":"\([^"]*\)".*/\1/p' |
		sort | uniq -c | awk '{ print $2, $1 }' | sort
}

run strace -f -c -o counted sh work
ends 0 'strace counts'
awk '$4 ~ /^[0-9]+$/ && $NF != "total" { print $NF, $4 }' counted | sort >want
run ktrace record -e 'syscalls:*' -o t -- sh work
ends 0 'the same is recorded'
ktrace report -q --durations -F json t | counts >got
check "strace counts $(wc -l <want) calls" [ "$(wc -l <want)" -gt 20 ]
# The number of signals for children that end at once varies between runs.
run diff <(grep -v '^rt_sigreturn ' want) <(grep -v '^rt_sigreturn ' got)
ends 0 'spans are as many of each call'

# In microseconds, as strace prints them.
ktrace report -q --durations -e 'syscalls:sys_exit_*' t |
	sed -n 's/.* <\([0-9]*\.[0-9]\{6\}\)[0-9]*>$/\1/p' | sort >report
ktrace report -q -F strace --durations t | sed -n 's/.* <\([0-9.]*\)>$/\1/p' | sort >view
check 'they have durations' [ "$(wc -l <report)" -gt 100 ]
run cmp report view
ends 0 'the strace view has the same'

# Interrupts may be nested in other spans, but times on a CPU never overlap.
run ktrace record -a -e 'irq:*,irq_vectors:*,sched:sched_switch' -o all -- sh work
ends 0 'interrupts are recorded'
run ktrace stat -q --spans all
for kind in 'cpu      on CPU' 'softirq  TIMER' 'irq      local_timer'; do
	check "there are times of: $kind" grep -q "  $kind\$" <<<"$out"
done
ktrace report -q --durations -F json -e sched:sched_switch all |
	sed -n 's/.*"cpu":\([0-9]*\),.*"span":{"kind":"cpu",.*"begin":\([0-9]*\),"ns":\([0-9]*\),.*/\1 \2 \3/p' \
	>cpu
check 'no two threads have a CPU at once' awk '
	($1 in end) && $2 < end[$1] { exit 1 }
	{ end[$1] = $2 + $3 }' cpu
finish_vm spans.sh
