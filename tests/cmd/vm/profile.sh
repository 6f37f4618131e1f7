# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# profile.sh - samples of what runs: a program that knows where it runs is the judge of places,
# the clock is that of how many there must be
# One kernel is enough: tests/kernel/profile.sh takes samples and stacks on each.

. "$(dirname "$0")/../check.sh"
spin=$PWD/build/user/tests/kernel/spin
tree=/sys/kernel/ktrace
mkdir -p /mnt/profile && cd /mnt/profile || exit 1

# ---- what is asked for ------------------------------------------------------------

for rate in 0 100001 9x 99999999999999999999; do
	run ktrace record -F $rate true
	ends 2 "no rate: $rate" 'samples per second are wanted, 1 to 100000'
done
run ktrace record -q -F 1000 -o other -- true
ends 0 'samples without stacks'
check 'have no stacks' test "$(ktrace report -F json other | jq -c 'has("stack")' | sort -u)" = false
ktrace record -q -e profile:sample -o other -- true
check 'a rate is that of one recording' test "$(cat $tree/profile_rate)" = 99
ktrace record -q -e profile:sample -g -o other -- "$spin" 100
check 'and has both stacks' test "$(ktrace report -F json other |
	jq -c '[has("stack"), has("user_stack")]' | sort -u)" = '[true,true]'
run ktrace record -F 500 -f 'user == 1' -- true
ends 2 'a filter is about an -e' 'belongs to the -e before it'
ktrace record -q -F 500 -g=kernel -e sched:sched_process_exec -o other -- "$spin" 100
ktrace report -F json other | jq -r '[.event, has("stack"), has("user_stack")] | @csv' |
	sort -u >which
check 'beside other events' test "$(tr -d '"' <which)" = 'profile:sample,true,false
sched:sched_process_exec,true,false'

# ---- where it runs ----------------------------------------------------------------

"$spin" 1 # its file is known from now on
run ktrace record -F 500 -g -o user -- sh -c 'sleep 0.5; exec taskset -c 0 "$0" 1000' "$spin"
ends 0 'a program is sampled' 'profile:sample'
# within TRACE FUNCTION: from the first to the last sample of CPU 0 in that function of a program.
# The CPU has nothing else to do meanwhile.
within() {
	ktrace report -F json "$1" | jq -cs --arg begin "$2+" 'map(select(.cpu == 0)) |
		map(.user_stack | any(startswith($begin))) as $in |
		.[($in | index(true)):($in | rindex(true)) + 1][]'
}
within user spin >of_spin
# weigh FILE PATTERN: ticks of the samples that fit; a line has the ticks and the functions
weigh() {
	awk -v pattern="$2" '$0 ~ pattern { n += $1 } END { print n + 0 }' "$1"
}
jq -r '[.fields.ticks] + (.user_stack | map(sub("\\+0x.*"; ""))) | join(" ")' of_spin >chains
within=$(weigh chains ' spin middle outer main ')
all=$(weigh chains .)
echo "# $within of $all ticks in spin()"
check 'nearly all of its time is in one place' test "$within" -ge $((all * 9 / 10)) -a "$all" -ge 200
check 'then nothing of the kernel was on the stack' \
	test "$(jq -c 'select(.fields.user == 1) | .stack' of_spin | sort -u)" = '[]'

# Each period of the CPU is counted, also if the sample came late.  The two clocks are not read
# at the same moment: if the machine stands still between, the time is far behind.  Then the next sample
# has many ticks, so it is counted from one to another that have few, and are followed by few.
# ticks_off NANOSECONDS: prints by how much ticks and periods differ, and how many periods there were
ticks_off() {
	jq -rs --argjson period "$1" 'map(.fields.ticks) as $ticks |
		($ticks | sort | .[length / 2 | floor]) as $few |
		[range(length - 1) | select($ticks[.] <= $few and $ticks[. + 1] <= $few)] as $calm |
		((.[$calm[-1]].time - .[$calm[0]].time) / $period | round) as $periods |
		($ticks[$calm[0] + 1:$calm[-1] + 1] | add) - $periods | "\(fabs) \($periods)"'
}
read -r off periods < <(ticks_off 2000000 <of_spin)
echo "# ticks and periods differ by $off of $periods"
check 'ticks are as many as periods' test "$off" -le 5 -a "$periods" -ge 100

run ktrace record -F 500 -g -o kernel -- taskset -c 0 "$spin" 1000 kernel
ends 0 'a program is sampled in the kernel' 'profile:sample'
within kernel fill >of_spin
jq -r '[.fields.ticks] + (.stack | map(sub("\\+0x.*"; ""))) | join(" ")' of_spin >chains
within=$(weigh chains ' vfs_read ksys_read .*do_syscall_64 entry_SYSCALL_64_after_hwframe$')
all=$(weigh chains .)
echo "# $within of $all ticks in read()"
check 'the kernel is where the time is' test "$within" -ge $((all * 9 / 10)) -a "$all" -ge 200
jq -r '[.fields.ticks] + .user_stack | join(" ")' of_spin >chains
check 'and the program is below' test \
	"$(weigh chains ' fill\\+[^ ]* .spin. at [^ ]* middle\\+[^ ]* .spin. at [^ ]* outer\\+')" -ge $((within * 9 / 10))

# A stack begins with the instruction itself, even if that is a function's first one.
ktrace report -F perf-script kernel | awk '
	/^[^ \t].* user=0 / { sub(/.* ip=0x/, ""); sub(/ .*/, ""); ip = $0; next }
	ip != "" { n++; if ($1 != ip) bad++; ip = "" }
	END { print n + 0, bad + 0 }' >first
check 'stacks begin with what was interrupted' test "$(cut -d' ' -f2 first)" = 0 -a \
	"$(cut -d' ' -f1 first)" -ge 50
ktrace report -F perf-script kernel | awk '/^[^ \t].* user=0 / { first = 1; next }
	first { print $1, $2; first = 0 }' | sed 's/+.*//' | sort -u | head -n 40 >names
# A place may have any name of the last address that has one.  Both lists are in order.
sort /proc/kallsyms | awk '
	function before(limit) {
		while (i < n && (limit == "" || at[i + 1] "" < limit "")) {
			i++
			if (!index(names " ", " " name[i] " "))
				print "# at " at[i] ": " name[i] ", not" names
		}
	}
	NR == FNR { at[++n] = $1; name[n] = $2; next }
	$2 ~ /[tTwW]/ {
		if ($1 != last)
			before($1)
		names = ($1 == last ? names : "") " " $3
		last = $1
	}
	END { before("") }' names - >wrong
cat wrong
check 'and have its name' test ! -s wrong -a "$(wc -l <names)" -ge 3

# ---- too often --------------------------------------------------------------------

# Where a sample takes longer than a period, others still have their time, and nothing is missing.
run ktrace record -F 100000 -g -s 16M -o often -- taskset -c 0 "$spin" 300
ends 0 'a program is sampled more often than can be' 'profile:sample'
read -r off periods < <(within often spin | ticks_off 10000)
echo "# ticks and periods differ by $off of $periods"
check 'all periods are told' test "$off" -le $((periods * 3 / 100)) -a "$periods" -ge 10000

# ---- how it is shown --------------------------------------------------------------

ktrace report --folded user >folded
check 'folded stacks count samples' test "$(awk '{ n += $NF } END { print n }' folded)" = \
	"$(ktrace report user | wc -l)"
check 'one of them is that of the program' grep -q '^spin;.*;main;outer;middle;spin [0-9]*$' folded
ktrace report --folded --weight ticks user >weighed
check 'ticks are weights' test "$(awk '{ n += $NF } END { print n }' weighed)" -ge \
	"$(awk '{ n += $NF } END { print n }' folded)"
ktrace report --flame user >flame.html
check 'a flame graph' grep -q middle flame.html
ktrace record -q -F 500 --only -o only -- "$spin" 100
check 'only those of the command' test "$(ktrace report -F json only | jq .pid | sort -u | wc -l)" = 1

finish_vm profile.sh
