#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Functions that are hooked by trampolines (kernel/source/function/direct.c): when they are
# used, that others may hook the same functions, and that stacks are shown completely.  With
# KTRACE_LONG, all that functions.sh and scope.sh check must then be the same.
way=direct
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
direct=/sys/module/ktrace_functions/parameters/direct
tracing=/sys/kernel/tracing
other=sessions/other/
dump=/run/trampolines.dump
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

# ways [SESSION]: how functions are hooked now, of those that are on
ways() {
	awk '$2 == "on" { print $10 }' "$tree/${1-}function_table" | sort | uniq -c |
		awk '{ printf "%s %s ", $1, $2 }'
}

# calls COUNT [SESSION]: makes calls; prints how many entries and exits are recorded
calls() {
	local read
	echo "calls $1" >$run
	read=$($bin/ktread "$tree/${2-}")
	echo "$(count "$read" function:entry) $(count "$read" function:exit)"
}

# choose SESSION: chooses and enables
choose() {
	put "${1}functions" '+ktrace_callee:callee_six 6
+ktrace_callee:callee_error 1'
	put "${1}events/function/enabled" 1
	put "${1}enabled" 1
}

load_module ktrace-functions
# Here, because these tests run on each kernel.  only A B: names in the list A that are not in
# B, nor at an address of one that is.
only() {
	awk 'FNR == 1 { file++ }
		file == 1 { other[$1]; next }
		file == 2 {
			if ($3 in other)
				known[$1]
			at[$3] = at[$3] " " $1
			next
		}
		!($1 in other) {
			n = split(at[$1], places, " ")
			for (i = 1; i <= n && !(places[i] in known); i++)
				;
			if (i > n)
				print $1
		}' "$2" /proc/kallsyms "$1"
}
list=$(mktemp -d)
cat $tree/available_functions >$list/ours
cat $tracing/available_filter_functions >$list/theirs
# Of the kernel's image, but for those that must not be hooked: core/hooked_return.h says why.  A clone of a
# function where there may be no kprobe must have none, either.
{
	awk '{ print $2 }' /sys/kernel/debug/kprobes/blacklist
	sed -n 's/^\t{"\([^"]*\)", KT_RETURN_.*/\1/p' core/hooked_return.h
} >$list/forbidden
check "our own list is read" at_least "$(grep -c '^__switch_to$\|^do_idle$' $list/forbidden)" 2
awk 'NR == FNR { forbidden[$1]; next }
	/\[|^__ftrace_invalid_address/ { next }
	{ name = $1; sub(/\..*/, "", name) }
	!(name in forbidden)' $list/forbidden $list/theirs >$list/theirs.image
check "what can be hooked is ftrace's, or another name of it" is "$(only $list/ours $list/theirs)" ""
check "what is ftrace's can be hooked" is "$(only $list/theirs.image $list/ours)" ""
rm -r $list
load_module ktrace-callee
mkdir $tree/sessions/other
check "what has wildcards cannot be direct" refuses functions '+callee_* 1 direct' 'wildcards'
choose ''
check "the short way is taken" is "$(ways)" "2 direct "
check "the kernel shows it, too" is \
	"$(grep -c 'callee_.*tramp: kt_trampolines.*function_hit' $tracing/enabled_functions)" 2
check "calls are recorded" is "$(calls 100)" "200 200"

# ---- others at the same functions -------------------------------------------------

choose $other
check "two sessions share functions by ftrace" is "$(ways)$(ways $other)" "2 ftrace 2 ftrace "
check "both record" is "$(calls 100) $($bin/ktread $tree/$other | sed -n 's/^event function:[a-z]* //p' |
	tr '\n' ' ')" "200 200 200 200 "
put ${other}enabled 0
check "the one that is left has the short way again" is "$(ways)" "2 direct "
put ${other}events/function/enabled 0

echo 'p:kt_six callee_six' >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/kt_six/enable
check "a kprobe may be there" is "$(ways)" "1 direct 1 ftrace "
check "and all is recorded" is "$(calls 100) $(awk '{ print $2 }' $tracing/kprobe_profile)" \
	"200 200 100"
echo 0 >$tracing/events/kprobes/kt_six/enable
echo >$tracing/kprobe_events
check "it goes" is "$(ways)" "2 direct "

for tracer in function function_graph; do
	echo callee_six >$tracing/set_ftrace_filter
	echo $tracer >$tracing/current_tracer 2>/dev/null || continue
	check "so may ftrace's $tracer" is "$(ways) $(calls 100)" "1 direct 1 ftrace  200 200"
	check "which traces it" at_least "$(grep -c 'callee_six' $tracing/trace)" 100
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
done
check "and goes" is "$(ways) $(calls 100)" "2 direct  200 200"
put enabled 0
put events/function/enabled 0
echo 0 >$direct
choose ''
check "the short way can be forbidden" is "$(ways) $(calls 100)" "2 ftrace  200 200"
put enabled 0
echo 1 >$direct
put events/function/enabled 0
put reset 1

# BPF programs, which hook by a trampoline of their own: two of them at one function, which is
# called with a number that nobody else uses.
seek="perl -e 'open F, \"/etc/hostname\"; sysseek F, 4242, 0 for 1 .. 500'"
# with_bpf COMMAND: how functions are hooked meanwhile; what BPF has counted; entries and exits
with_bpf() {
	local seen read
	seen=$($bin/fentry vfs_llseek 4242 sh -c "$1"'; awk '\''$2 == "on" { print $10 }'\'" $tree/function_table >&2" 2>$dump)
	read=$($bin/ktread $tree)
	echo "$(cat $dump) $seen $(count "$read" function:entry) $(count "$read" function:exit)"
}
put functions none
put functions '+vfs_llseek 3 s64 direct if a1_u64 == 4242'
put events/function/enabled 1
check "BPF programs may come" is "$(put enabled 1; with_bpf "$seek")" "ftrace 500 500 2121000 500 500"
check "and go" is "$(ways) $(sh -c "$seek"; count "$($bin/ktread $tree)" function:exit)" "1 direct  500"
put enabled 0
check "or be there before" is "$(with_bpf "echo 1 >$tree/enabled; $seek")" \
	"ftrace 500 500 2121000 500 500"
check "and leave it alone" is "$(ways)" "1 direct "
put enabled 0
check "and stay longer" is "$(put enabled 1; with_bpf "$seek; echo 0 >$tree/enabled; $seek; echo 1 >$tree/enabled")" \
	"ftrace 1000 1000 4242000 500 500"
put enabled 0
put events/function/enabled 0
put functions none
put reset 1
choose ''
put enabled 0
put events/function/enabled 0

# ---- of whom it is not believed ---------------------------------------------------

rights=-sys_admin,-sys_module
setpriv --bounding-set $rights --inh-caps $rights \
	sh -c "echo '+ktrace_callee:callee_six 6 direct' >$tree/functions"
put events/function/enabled 1
put enabled 1
check "it counts only if it comes from who may load modules" is \
	"$(ways) $(grep -c direct $tree/functions)" "1 direct 1 ftrace  1"
put enabled 0
put functions none
put functions "+ktrace_callee:callee_same 1"
put enabled 1
check "it does not count of names that occur twice" is "$(ways)" "2 ftrace "
put enabled 0
check "what is not hooked has no way" is "$(ways)" "2 - "
put functions none
rmmod ktrace_callee
put functions '+ktrace_callee:callee_six 6'
put enabled 1
load_module ktrace-callee
check "nor of modules that come later" is "$(ways)" "1 ftrace "
put functions '+ktrace_callee:callee_six 6'
check "but when they are there" is "$(ways)" "1 direct "
put enabled 0
put events/function/enabled 0
put reset 1

# ---- changes while it is called ---------------------------------------------------

put functions none
put events/function/enabled 1
put enabled 1
# With pauses, or it is mostly the calls that take the time, and reading them.
while [ -e $run ]; do echo calls 20; sleep 0.01; done >$run 2>/dev/null &
caller=$!
program=': u64 x: a4 kernel 8'
for i in 1 2 3 4 5 6 7 8; do
	put functions '+ktrace_callee:callee_six 6'
	put functions "+ktrace_callee:callee_six 6 $program"
	put functions '+ktrace_callee:callee_six 16'
	put functions '+ktrace_callee:callee_six 2'
	put functions '-ktrace_callee:callee_six'
done
kill $caller
wait $caller 2>/dev/null
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "calls were recorded meanwhile" at_least "$(grep -c ' function:entry ' "$dump")" 100
# At most 127 bytes, at most 255 functions.
check "each has the words of its function, and no others" is "$(awk '
	function digit(at) {
		return index("0123456789abcdef", substr($NF, at, 1)) - 1
	}
	function byte(at) {
		return 16 * digit(at) + digit(at + 1)
	}
	FNR == NR { words[$1] = $6; programs[$1] = $9; next }
	/ function:entry / {
		n = words[byte(1)]
		more = length($NF) - 16 - 16 * n
		good += byte(9) == 8 && byte(13) == 8 * n && byte(17) == 1 &&
			(n < 2 || byte(33) == 2) &&
			(programs[byte(1)] == "-" ? !more : more)
		all++
	}
	END { print all - good }' $tree/function_table "$dump")" 0
put events/function/enabled 0
put reset 1

# Others keep the hooks in place, so only the function's own change could lose calls.
put functions none
put functions '+ktrace_callee:callee_six 6
+ktrace_callee:callee_nothing 1'
put events/function/enabled 1
put enabled 1
(for i in 1 2 3 4 5 6 7 8 9 10; do echo calls 3000; sleep 0.05; done >$run) &
caller=$!
for i in 1 2 3 4 5 6; do
	put functions "+ktrace_callee:callee_six $((i % 3 + 2))"
done
wait $caller
put enabled 0
$bin/ktread -dq $tree >"$dump"
sixes=$(awk '$5 == "callee_six" { printf " %02x", $1 }' $tree/function_table)
check "no call is lost if only words change" is "$(awk -v sixes="$sixes " '
	/ function:entry / { n += index(sixes, " " substr($NF, 1, 2) " ") > 0 }
	END { print n }' "$dump") $(awk '/^total/ { print $5 + $7 }' $tree/overflow)" "30000 0"
put events/function/enabled 0
put functions none
put reset 1

# ---- stacks -----------------------------------------------------------------------

# Those of a task that sleeps in two hooked functions: from where it sleeps to its system call.
put functions none
put functions '+ktrace_callee:callee_sleep 0
+vfs_write 3'
put events/function/enabled 1
put enabled 1
check "functions of the kernel, too" is "$(ways)" "2 direct "
pids=
while [ "$(echo $pids | wc -w)" -lt 200 ]; do
	sh -c "echo sleep >$run" 2>/dev/null &
	pids="$pids $!"
done
while [ "$(cat /proc/[0-9]*/stack 2>/dev/null | grep -c callee_sleep)" -lt 200 ]; do
	sleep 0.1
done
pid=${pids##* }
check "a stack goes through hooked calls to the system call" is \
	"$(awk '{ sub(/\+.*/, "", $2); print $2 }' /proc/$pid/stack |
	grep -xE 'callee_sleep|kt_trampolines|vfs_write|ksys_write|do_syscall_64' | tr '\n' ' ')" \
	"callee_sleep kt_trampolines vfs_write kt_trampolines ksys_write do_syscall_64 "
dmesg -c >/dev/null
echo t >/proc/sysrq-trigger
check "what the kernel prints is no guess" is "$(dmesg | awk '
	/ task:/ { below = 0 }
	/ callee_sleep\+/ && !/\?/ { n++; below = 1 }
	/ ksys_write\+/ && !/\?/ && below { whole++; below = 0 }
	END { print (n >= 10), (n - whole <= 1) }')" "1 1"

# ---- what goes while tasks sleep in hooked calls ----------------------------------

for pid in $(echo $pids | cut -d ' ' -f -100); do
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
done
put enabled 0
read=$($bin/ktread $tree)
check "half of them have returned" at_least "$(count "$read" function:exit)" 200
put events/function/enabled 0
put functions none
rmdir $tree/sessions/other
check "the source goes" rmmod ktrace_functions
check "the trampolines stay" not rmmod ktrace_trampoline 2>/dev/null
load_module ktrace-functions
choose ''
check "another takes them" is "$(ways) $(calls 100)" "2 direct  200 200"
for pid in $(echo $pids | cut -d ' ' -f 101-); do
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
done
read=$($bin/ktread $tree)
check "calls of before return unseen" is "$(count "$read" function:exit)" 0
put enabled 0
put events/function/enabled 0
put functions none
clean
rmmod ktrace_callee
rmmod ktrace_functions

# ---- all the rest -----------------------------------------------------------------

if [ "${KTRACE_LONG-}" ]; then
	. tests/kernel/functions.sh
	. tests/kernel/scope.sh
fi
