#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Samples of what runs (kernel/source/profile): the rate, CPUs that come and go, sessions
# beside each other.  tests/cmd/vm/profile.sh looks at what the samples say.
# One kernel is enough: each has the same timers.
. tests/kernel/lib.sh

event=profile:sample
cpu1=/sys/devices/system/cpu/cpu1/online

# on CPU MS: takes so much time of that CPU
on() {
	taskset -c "$1" $bin/spin "$2"
}

# samples OUTPUT CPU: how many periods of that CPU its samples stand for.  If the machine stood still,
# those that ended meanwhile are one sample, which says how many they are.
samples() {
	printf '%s\n' "$1" | grep "^$2 " | last_words $event | awk '{ n += $1 } END { print n + 0 }'
}

load_module ktrace-profile
mkdir $tree/sessions/other

# ---- the rate ---------------------------------------------------------------------

check "samples are taken 99 times a second" is "$(get profile_rate)" 99
for rate in 0 -1 100001 x ''; do
	check "no rate: '$rate'" refuses profile_rate "$rate" '1 to 100000'
done
put sessions/other/profile_rate 1000
check "each session has its own" is "$(get profile_rate) $(get sessions/other/profile_rate)" \
	"99 1000"
put events/enabled 1
check "who enables all events does not mean samples" is "$(get events/profile/enabled)" 0
put events/enabled 0

# ---- samples ----------------------------------------------------------------------

put profile_rate 200
put events/profile/sample/enabled 1
put sessions/other/events/profile/sample/enabled 1
put enabled 1
put sessions/other/enabled 1
check "the rate stays while samples are taken" refuses profile_rate 100 'disable profile/sample'
check "the module stays meanwhile" not rmmod ktrace-profile 2>/dev/null
on 0 600
on 1 600
put enabled 0
put sessions/other/enabled 0
read=$($bin/ktread -d $tree)
check "a busy CPU is sampled" at_least "$(samples "$read" 0)" 50
check "and another one" at_least "$(samples "$read" 1)" 50
other=$($bin/ktread -d $tree/sessions/other)
check "more often in the session that wants it" at_least "$(samples "$other" 0)" \
	"$(($(samples "$read" 0) * 2))"
check "no tick was without registers" is "$(sed -n 's/^source profile missed //p' $tree/overflow)" 0
put reset 1
put enabled 1
sleep 1
put enabled 0
check "idle CPUs are not sampled" at_most "$(count "$($bin/ktread $tree)" $event)" 100

# ---- stacks -----------------------------------------------------------------------

# Prints "KIND END FRAMES ADDRESS..." for each stack, in hexadecimal.
stacks() {
	od -An -v -tx8 -w8 $tree/stacks | awk '
		function number(hex,   n, i) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		NR == 1 { next }
		!left {
			left = number(substr($1, 5, 4))
			line = substr($1, 1, 2) " " substr($1, 3, 2) " " substr($1, 5, 4)
			if (!left) print line
			next
		}
		{ line = line " " $1; if (!--left) print line }'
}

put reset 1
put events/profile/sample/enabled 0
put stack 'profile/sample: kernel'
put events/profile/sample/enabled 1
end=$(sort /proc/kallsyms | sed -n '/ [tT] vfs_read$/{n;p;}' | cut -d' ' -f1)
# How many of the stacks lead through vfs_read().
leads() {
	awk -v end="$end" -v begin="$(sed -n 's/ [tT] vfs_read$//p' /proc/kallsyms)" '
		{ for (i = 4; i <= NF; i++) if ($i > begin && $i <= end) { n++; next } }
		END { print n + 0 }' /tmp/profile.stacks
}
# Different stacks are counted, and nearly all samples have the same one.  They stay from one time
# to the next: it goes on until there are some.
times=0
: >/tmp/profile.stacks
until [ "$(leads)" -ge 3 ] && grep -q '^08 00 0000$' /tmp/profile.stacks || [ $times = 10 ]; do
	times=$((times + 1))
	put enabled 1
	taskset -c 0 $bin/spin 2000 kernel
	$bin/spin 200
	put enabled 0
	stacks >/tmp/profile.stacks
done
echo "# stacks: $times times"
check "stacks begin with what was interrupted" is "$(cut -c1-2 /tmp/profile.stacks | sort -u)" 08
check "they are complete" is "$(cut -c4-5 /tmp/profile.stacks | sort -u)" 00
check "that of a program that was interrupted has no frames" is \
	"$(grep -c '^08 00 0000$' /tmp/profile.stacks)" 1
check "the kernel's lead through a system call" at_least "$(leads)" 3
put events/profile/sample/enabled 0
put stack none
put events/profile/sample/enabled 1

# ---- CPUs that come and go --------------------------------------------------------

put reset 1
put enabled 1
echo 0 >$cpu1
on 0 200
echo 1 >$cpu1
on 1 600
put enabled 0
read=$($bin/ktread -d $tree)
check "a CPU that comes back is sampled" at_least "$(samples "$read" 1)" 50
put reset 1
echo 0 >$cpu1
put enabled 1
echo 1 >$cpu1
on 1 600
n=0
while [ $n -lt 3 ]; do
	n=$((n + 1))
	echo 0 >$cpu1
	echo 1 >$cpu1
done
put enabled 0
read=$($bin/ktread -d $tree)
check "so is one that was off at the beginning" at_least "$(samples "$read" 1)" 50
put reset 1
put enabled 1
echo 0 >$cpu1
put enabled 0
# It may take a while until the CPU is off.
put reset 1
echo 1 >$cpu1
on 1 200
check "nothing comes when all is off" is "$(samples "$($bin/ktread -d $tree)" 1)" 0

# ---- the end ----------------------------------------------------------------------

put events/profile/enabled 0
rmdir $tree/sessions/other
check "the module can go" rmmod ktrace-profile
check "and its file goes with it" test ! -e $tree/profile_rate
clean
