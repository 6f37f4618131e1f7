#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Branches of all programs that run on a CPU, or on all: the same as a context of one of them has,
# and nothing of what it does elsewhere.
# One kernel is enough: branches.sh steps programs on each.
. tests/kernel/lib.sh

work=$(mktemp -d)
branches=$bin/branches
branched=$bin/branched
taskset=$(command -v taskset)
size=4194304
entry=$(readelf -h $branched | awk '/Entry point/ { print $4 }')
rmmod ktrace-branch 2>/dev/null
load_module ktrace-branch

# ---- what is asked for --------------------------------------------------------------

check "a CPU that is not there" refuses branches 'cpu 999' 'there is no cpu 999'
check "nor this one" refuses branches 'cpu 99999999999' 'there is no cpu'
check "which CPU?" refuses branches 'cpu' 'a number is wanted behind "cpu"'
check "two CPUs" refuses branches 'cpu 0 cpu 1' 'one cpu, or all'
check "a CPU and all" refuses branches 'cpu 0 all' 'one cpu, or all'
check "all and a CPU" refuses branches 'all cpu 0' 'one cpu, or all'
check "no thread and all" refuses branches 'pid 0 all' 'one of these'
check "a CPU and a thread" refuses branches "cpu 0 pid $$" 'one of these'
check "all, and a thread" refuses branches "all pid $$" 'one of these'
for word in threads children; do
	check "all, with $word" refuses branches "all $word" 'need pid PID'
done
check "a CPU, with events" refuses branches 'cpu 0 events' 'events that or all'
check "all, with events" refuses branches 'all events' 'this machine has no last branch records'
check "of whom?" refuses branches 'size 4096' 'pid PID, cpu NUMBER or all is missing'
check "more memory than a context has" refuses branches 'all size 99999999999' 'a buffer has 4096 to'
check "not without CAP_SYS_ADMIN" is "$(setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin \
	sh -c "echo all >$tree/branches && echo it has" 2>/dev/null)" ''
check "and the error says so" is "$(get error | grep -c 'for root (CAP_SYS_ADMIN)')" 1
check "nor beyond the limit of locked memory" is "$(setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock \
	sh -c "ulimit -l 64; echo all size 65536 >$tree/branches && echo it has" 2>/dev/null)" ''
check "which the error says, too" is "$(get error | grep -c 'of locked memory are not allowed')" 1

# ---- what is there ------------------------------------------------------------------

# see WORDS ARGUMENT...: the program, by a context of CPUs, to $work/cpus; by one of it, to $work/thread
see() {
	local words=$1
	shift
	$branches cpus -s $size -w "$words" $branched "$@" >$work/cpus
	check "the program does not see it" test $? = 0
	$branches trace -s $size $branched "$@" >$work/thread
	set -- $(perl tests/kernel/programs/branches_cpus.pl "$entry" $work/cpus $work/thread)
	echo "# $1 stretches"
	stretches=$1 all=$2 strange=$3 foreign=$4
	check "nothing is of others" is "$foreign" 0
	check "each stretch is the program's" is "$strange" 0
	check "no memory is left" is "$(awk '$1 == "locked" { print $2 }' $work/cpus)" 0
}

see all
check "all CPUs: all of its branches" is "$all" 1
see all move 40
check "all CPUs: of one that moves, too" is "$all" 1
check "which it does" at_least "$stretches" 40
see 'cpu 1' move 40
check "the second CPU: not all of them" is "$all" 0
check "but its part" at_least "$stretches" 20
check "of half the time" at_least "$(grep -c ' call ' $work/cpus)" $(($(grep -c ' call ' $work/thread) / 3))
$branches cpus -s $size -w 'cpu 1' "$taskset" 1 $branched >$work/cpus
fibonacci=$(nm $branched | awk '$3 == "fibonacci" { printf "%x", "0x" $1 }')
check "what runs on the first CPU is not there" is "$(grep -c " call .* $fibonacci\$" $work/cpus)" 0
$branches cpus -s $size -w 'cpu 1' "$taskset" 2 $branched >$work/cpus
check "what runs on the second is" at_least "$(grep -c " call .* $fibonacci\$" $work/cpus)" 100

# Another one wants the same CPU, so it is interrupted anywhere, also right behind a system call.
$taskset 2 chrt -f 10 $branched naps 100000 &
runs=$!
$branches cpus -s 16777216 -w 'cpu 1' "$taskset" 2 $branched calls 10000 >$work/cpus
kill $runs
wait $runs 2>/dev/null
$branches trace -s $size $branched calls 10000 >$work/thread
set -- $(perl tests/kernel/programs/branches_cpus.pl "$entry" $work/cpus $work/thread)
echo "# $1 stretches"
check "of one that calls the kernel and is interrupted, all is there" is "$2" 1
check "and it was interrupted" at_least "$1" 20

# It runs already.  Somebody on the other CPU watches until it has left its own three times.
$taskset 2 $branched many 100000 &
runs=$!
wait_until grep -q branched /proc/$runs/comm
cat >$work/watch <<END
. tests/wait.sh
enough=\$((\$(rests $runs) + 3))
until [ "\$(rests $runs)" -ge \$enough ]; do :; done
END
$branches cpus -s 16777216 -w 'cpu 1' "$taskset" 1 sh $work/watch >$work/cpus
kill $runs
wait $runs 2>/dev/null
check "what runs there already is traced" at_least "$(grep -c " call .* $fibonacci\$" $work/cpus)" 100
check "and it is told from when on" at_least "$(awk -v pid=$runs '$2 == "begins" && substr($3, 1, length($3) - 8) == sprintf("%x", pid) { n++ } END { print n + 0 }' $work/cpus)" 1

# ---- beside others ------------------------------------------------------------------

$branches step ${branched}32 >$work/steps
# hold WORDS: somebody has a context until he is killed
hold() {
	rm -f $work/ready
	sh -c "exec 3<>$tree/branches; echo $1 >&3; echo >$work/ready; exec sleep 1000" &
	holder=$!
	until [ -e $work/ready ]; do sleep 0.1; done
}

hold all
check "a program that stops itself" is "$($branched own 100)" "stops: 700"
check "one that pushes its flags" $branched flags 1000
check "one that forks, and executes another" $branched fork
$branches step ${branched}32 >$work/both
check "a debugger sees the same" cmp $work/both $work/steps
kill -9 $holder
wait $holder 2>/dev/null
# From now on this shell is on the first CPU, where nobody looks.
$taskset -p 1 $$ >/dev/null
hold 'cpu 1'
# calls: of one function
calls() {
	grep -c " call .* $fibonacci\$" $work/trace
}
$branches trace -s $size $branched >$work/trace
alone=$(calls)
$branches trace -s $size "$taskset" 2 $branched >$work/trace
check "a context of a thread has all" is "$(calls)" "$alone"
check "which is much" at_least "$alone" 100
# It is asleep when the context ends: nobody waits for it.
$taskset 2 sleep 1000 &
sleeper=$!
sleep 1
# A thread's own context ends while it sleeps, and then that of the CPUs: nothing may stop it when it wakes.
mkfifo $work/fifo
$taskset 2 cat <$work/fifo >$work/read &
reader=$!
exec 4>$work/fifo
sh -c "exec 3<>$tree/branches; echo pid $reader >&3; exec sleep 1000" &
own=$!
sleep 0.5
echo one >&4
sleep 0.5
kill -9 $own
wait $own 2>/dev/null
check "the module stays while somebody traces" not rmmod ktrace-branch 2>/dev/null
kill -9 $holder
wait $holder 2>/dev/null
sleep 0.5
echo two >&4
exec 4>&-
check "nor is who slept stopped when nobody traces any more" wait $reader
check "and it has read all" is "$(cat $work/read)" "one
two"
check "who traces may be killed, and the module goes" rmmod ktrace-branch
kill $sleeper
wait $sleeper 2>/dev/null
check "who slept ends as always" test $? = 143
rm -rf "$work"
