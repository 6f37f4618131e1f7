#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Branches of programs (kernel/source/branch): the same as ptrace sees, whatever the program does;
# contexts beside each other, and beside those who stop programs too.
. tests/kernel/lib.sh

work=$(mktemp -d)
branches=$bin/branches
branched=$bin/branched
tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing
# More than the program takes.
all=4194304

# trace WORDS ARGUMENT...: of $program, to $work/trace; prints what it says
trace() {
	local words=$1
	shift
	$branches trace -s $all -w "$words" $program "$@" >$work/trace 2>&1 ||
		echo "it failed: $(tail -n 3 $work/trace)"
	grep -v '^[0-9]' $work/trace
}

# same PROGRAM: its branches are those that ptrace has seen
same() {
	program=$1
	$branches step $program >$work/steps
	check "${1##*/}: it does not see that it is stopped" is "$(trace '')" ''
	check "all of it is there" is "$(threads)" "1 1"
	compared=$(perl tests/kernel/programs/branches.pl $program.disassembly $work/steps $work/trace)
	echo "# $compared"
	check "the branches are those that ptrace has seen" is "${compared##* }" equal
	check "none is unknown" is "$(kinds unknown)" 0
}

# threads: how many were traced, and whether all of each is there
threads() {
	awk '$2 == "end" { n++; whole += $4 == 0 && $8 == 0 && $12 == 1 } END { print n, whole }' $work/trace
}

# kinds KIND...: how many of these there are
kinds() {
	awk -v kinds=" $* " 'index(kinds, " " $2 " ") { n++ } END { print n + 0 }' $work/trace
}

# Whatever an earlier test has loaded.
rmmod ktrace-branch 2>/dev/null
event=syscalls/sys_enter_exit_group
loaded=
[ -e /sys/module/ktrace_syscalls ] || { load_module ktrace-syscalls && loaded=yes; }
check "branches of events: who would know them?" refuses stack "$event: branches 4" 'load the module ktrace-branch'
load_module ktrace-branch

# ---- branches of events -----------------------------------------------------------

for line in branches 'branches 0' 'branches 33' 'both branches x' 'branches -1'; do
	check "refused: '$line'" refuses stack "$event: $line" '1 to 32 branches'
done
for line in 'all branches 4' 'kernelbranches 4' 'branches 4 kernel' 'kernel user' 'branches 4 branches 4'; do
	check "refused: '$line'" refuses stack "$event: $line" 'kernel, user, both, branches N'
done
check "nobody without CAP_SYS_PTRACE has them" is "$(setpriv --inh-caps=-sys_ptrace \
	--bounding-set=-sys_ptrace sh -c "echo '$event: branches 4' >$tree/stack" 2>/dev/null && echo it has)" ''
check "and the error says so" is "$(get error | grep -c 'only root')" 1
put stack "$event:	both  branches	 8	 if error_code > 5"
check "blanks and tabs do not matter" is "$(get stack)" "$event: both branches 8 if error_code > 5"
for line in 'branches 32' 'kernel branches 1' 'user branches 2' 'both branches 16 if error_code > 5'; do
	put stack "$event: $line"
	check "'$line' is kept" is "$(get stack)" "$event: $line"
done
check "its id is in front of those of the stacks" is "$(grep -o '__[a-z_]*;' $tree/events/$event/format | tail -n 3 | tr -d '\n')" \
	'__branches;__kernel_stack;__user_stack;'
# The module may go while events are to have them.
put stack "$event: branches 8"
put events/$event/enabled 1
put enabled 1
$bin/branches trace -w 'children events' $branched fork >/dev/null
check "they were stored" at_least "$(wc -c <$tree/stacks)" 100
check "the module can go" rmmod ktrace-branch
sleep 0.1
put enabled 0
put events/$event/enabled 0
put stack none
put reset 1
# Other tests look at which events there are.
[ -z "$loaded" ] || rmmod ktrace-syscalls
load_module ktrace-branch

# ---- what may be asked ------------------------------------------------------------

refuses_line() {
	check "refused: '$1'" refuses branches "$1" "$2"
}
refuses_line 'pid' 'a number is wanted behind "pid"'
refuses_line 'pid x' 'not "x"'
refuses_line 'pid 0' 'pid PID, cpu NUMBER or all is missing'
refuses_line 'size 65536' 'pid PID, cpu NUMBER or all is missing'
refuses_line 'pid 99999999' 'there is no thread 99999999'
refuses_line 'pid 99999999999' 'there is no thread'
refuses_line 'pid 2' 'runs no program'
refuses_line 'pid 1 size 4095' '4096 to 67108864'
refuses_line 'pid 1 size 67108865' '4096 to 67108864'
refuses_line 'pid 1 cpus' 'pid, cpu, all, size, threads, children, mappings, events, user, kernel or by is wanted, not "cpus"'
check "nobody without CAP_SYS_PTRACE opens it" not setpriv --inh-caps=-sys_ptrace \
	--bounding-set=-sys_ptrace sh -c "exec 3<>$tree/branches" 2>/dev/null
check "locked memory is limited" is "$(setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock \
	sh -c "ulimit -l 64; echo pid 1 size 131072 >$tree/branches" 2>/dev/null && echo it is not)" ''
check "and the error says so" is "$(get error | grep -c 'locked memory')" 1

# ---- the same as ptrace -----------------------------------------------------------

same ${branched}32
check "many of them" at_least "$(kinds call conditional return)" 200
same $branched
check "many of them" at_least "$(kinds call conditional return)" 3000
check "signals have sent it" at_least "$(kinds sent)" 8
check "stamps say when it was traced" is "$(kinds begins) $(kinds ends)" "1 1"

# ---- a short buffer ---------------------------------------------------------------

cp $work/trace $work/long
$branches trace -s 4096 $branched >$work/short
check "a buffer keeps the newest" is "$(grep -v 'arrives\|leaves\|time\|end' $work/short | tail -n 100 | md5sum)" \
	"$(grep -v 'arrives\|leaves\|time\|end' $work/long | tail -n 100 | md5sum)"
check "and tells how many went before" at_least "$(awk '$2 == "end" { print $4 }' $work/short)" 3000

# ---- sleep -------------------------------------------------------------------------

trace '' sleep 3 >/dev/null
check "stamps say when it slept" at_least "$(kinds leaves)" 3
check "and when it came back" at_least "$(kinds arrives)" 3

# ---- threads and children ---------------------------------------------------------

trace '' thread >/dev/null
check "threads only if asked for" is "$(threads)" "1 1"
check "with threads" is "$(trace threads thread)$(threads)" "2 2"
check "children only if asked for" is "$(trace threads fork)$(threads)" "1 1"
check "with children" is "$(trace children fork)$(threads)" "2 2"

# ---- what was mapped --------------------------------------------------------------

program=$branched
trace '' >/dev/null
check "what was mapped only if asked for" is "$(kinds map)" 0
# While somebody follows programs, files keep their numbers.
sleep 600 &
sleeper=$!
exec 3<>$tree/branches
echo "pid $sleeper mappings" >&3
trace mappings >/dev/null
timeout 60 cat $tree/programs >$work/programs
exec 3>&-
kill $sleeper
wait $sleeper 2>/dev/null
fibonacci=$(nm $branched | awk '$3 == "fibonacci" { print $1 }')
offset=$(printf '0x%x' $((0x$fibonacci - 0x$(objdump -h $branched | awk '$2 == ".text" { print $4 }') + \
	0x$(objdump -h $branched | awk '$2 == ".text" { print $6 }'))))
set -- $(perl tests/kernel/programs/mapped.pl $work/trace $work/programs $fibonacci)
echo "# $1 places"
check "each place of a branch was mapped" is "$2" 0
check "and there are many" at_least "$1" 7000
check "which file is known, and where in it" is "$3 $4" "$branched $offset"
# changes: how many are kept, how many there were, and how often some are missing
changes() {
	awk '$2 == "map" && !seen[$3]++ { n++; if (n > 1 && $3 != last + 1) gaps++; last = $3 }
		END { print n + 0, last + 1, gaps + 0 }' $work/trace
}
set -- $(changes)
check "all changes are kept" is "$1 $3" "$2 0"
trace mappings map 40 >/dev/null
set -- $(changes)
check "of many, the first two and the last ones" is "$1 $3" "18 1"
check "there were many" at_least "$2" 40
trace mappings exec >/dev/null
check "an exec is a change" at_least "$(awk '$2 == "map" { file[$3] = $8 } END { for (n in file) all++; print all }' $work/trace)" 3

# ---- beside others who stop it ----------------------------------------------------

check "a program that stops itself" is "$(trace '' own)" "stops: 7"
check "and without us" is "$($branched own)" "stops: 7"
$branched own 1000 >$work/own &
pid=$!
check "contexts come and go while it does so" $branches open 100 $pid
wait $pid
check "and it has all its stops" is "$(cat $work/own)" "stops: 7000"
$branched flags 100000 &
pid=$!
check "and with one that pushes its flags" $branches open 200 $pid
check "which never sees a stop" wait $pid
# The debugger is traced, too.
$branches step ${branched}32 >$work/alone
$branches trace -s $all -w children $branches step ${branched}32 >$work/both
check "under a debugger, who sees the same" is "$(awk 'NF < 3' $work/both | cmp - $work/alone 2>&1)" ''
nm $branched >$work/names
# A debugger's watchpoints are not tried: in QEMU a step onto one stops the kernel, also without us.
for place in break_push break_pop; do
	address=$(awk -v name=$place '$3 == name { print $1 }' $work/names)
	alone=$($branches debug "$address" $branched)
	check "there is something to debug: $place" is "$alone" '1 0'
	check "a debugger has its stops: $place" is "$($branches debug "$address" -t $branched)" "$alone"
done
echo "p:ktrace_test/fibonacci $branched:$offset" >$tracing/uprobe_events
echo 1 >$tracing/events/ktrace_test/enable
check "with a uprobe" is "$(trace '')$(threads)" "1 1"
with=$(kinds call)
echo 0 >$tracing/events/ktrace_test/enable
hits=$(awk '$2 == "fibonacci" { print $3 }' $tracing/uprobe_profile)
echo >$tracing/uprobe_events
check "which is hit as often as it was called" is "$hits" \
	"$(grep -c " call .* $(printf '%x' 0x$fibonacci)\$" $work/long)"
check "and has all its calls" is "$with" "$(awk '$2 == "call" { n++ } END { print n }' $work/long)"

# ---- contexts that come and go ----------------------------------------------------

pids=
for i in 1 2 3 4; do
	$branched many 20 &
	pids="$pids $!"
done
check "contexts come and go" $branches open-mappings 100 $pids
for pid in $pids; do
	wait "$pid" || echo "not ok - a program that was traced ended with $?"
done
said=$($bin/contexts 3)
echo "${said%%
*}"
check "of ten over four tasks each read is a whole stretch, and no memory is left" \
	is "${said##*
}" '0 kB left'
$branched many 30 &
pid=$!
# The shell holds the context until it is killed.
sh -c "exec 3<>$tree/branches; echo pid $pid >&3; echo >$work/ready; exec sleep 100" &
holder=$!
until [ -e $work/ready ]; do sleep 0.1; done
check "the module stays while somebody traces" not rmmod ktrace-branch 2>/dev/null
kill -9 $holder
wait $holder 2>/dev/null
check "who traces may be killed" wait $pid
sleep 0.5
check "the module goes" rmmod ktrace-branch
check "and leaves no probe" is "$(grep -c 'user_disable_single_step\|sigreturn\|perf_event_mmap' /sys/kernel/debug/kprobes/list)" 0
rm -rf "$work"
