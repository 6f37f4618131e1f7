#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Probes where others are, too: BPF programs and ftrace's tracers at the same function, a debugger at
# the same instruction, CPUs that go, and a library of many processes.
# One kernel is enough: it is the kernel that shares a place.
# Only in check-all: it takes minutes.
. tests/kernel/lib.sh
. tests/wait.sh

tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing
dir=/run/probes_beside
mkdir -p $dir
load_module ktrace-probes

# recorded EVENT: how often, since the session was switched on
recorded() {
	put enabled 0
	count "$($bin/ktread $tree)" "probe:$1"
}

# ---- the kernel -------------------------------------------------------------------

# A position that nobody else uses.
seek="perl -e 'open F, \"/etc/hostname\"; sysseek F, 4242, 0 for 1 .. 500'"
put probes 'probe/seek vfs_llseek; s64 s64 offset = si'
put events/probe/seek/filter 'offset == 4242'
put events/probe/seek/enabled 1
put enabled 1
check "a BPF program may come" is "$($bin/fentry vfs_llseek 4242 sh -c "$seek")" '500 500 2121000'
check "the probe was hit as often" is "$(recorded seek)" 500
check "a BPF program may be there before" is \
	"$($bin/fentry vfs_llseek 4242 sh -c "echo 1 >$tree/enabled; $seek; echo 0 >$tree/enabled")" '500 500 2121000'
check "and so may the probe" is "$(recorded seek)" 500
for tracer in function function_graph; do
	put enabled 1
	echo vfs_llseek >$tracing/set_ftrace_filter
	echo >$tracing/trace
	echo $tracer >$tracing/current_tracer
	sh -c "$seek"
	check "ftrace's $tracer sees each call" at_least "$(grep -c vfs_llseek $tracing/trace)" 500
	echo nop >$tracing/current_tracer
	sh -c "$seek"
	check "the probe is hit beside it and after it" is "$(recorded seek)" 1000
done
echo >$tracing/set_ftrace_filter

# A place within the function is a jump, which the kernel rewrites while CPUs come and go.  It is the
# first instruction behind ftrace's.
for at in 9 5; do
	put probes "probe/within vfs_llseek+$at; s64 s64 offset = si" 2>/dev/null && break
done
put events/probe/within/filter 'offset == 4242'
put events/probe/within/enabled 1
cpu1=/sys/devices/system/cpu/cpu1/online
# away 0|1: takes the second CPU away, or brings it back
away() {
	echo $((1 - $1)) >$cpu1
	check "the second CPU is $([ $1 = 1 ] && echo away || echo there)" is "$(cat $cpu1)" $((1 - $1))
}
put enabled 1
sh -c "$seek"
away 1
sh -c "$seek"
away 0
taskset 2 sh -c "$seek"
check "CPUs go and come back" is "$(recorded seek) $(count "$($bin/ktread $tree)" probe:within)" "1500 0"
put enabled 1
sh -c "$seek"
away 1
sh -c "$seek"
away 0
taskset 2 sh -c "$seek"
check "also of a jump" is "$(recorded within)" 1500
away 1
put enabled 1
away 0
taskset 2 sh -c "$seek"
away 1
check "it comes while a CPU is away, and goes" is "$(recorded within)" 500
away 0
put events/probe/seek/enabled 0
put events/probe/within/enabled 0
put probes '!probe/seek
!probe/within'

# ---- a debugger -------------------------------------------------------------------

file=$bin/probed
put probes "probe/error $file:$($bin/probed where probed_error)/probed_error; s32 s32 number = di"
put events/probe/error/enabled 1

# debug COMMAND...: in gdb, of a program that calls each function five times
debug() {
	for command; do
		echo "$command"
	done >$dir/commands
	gdb -q -batch -nx -x $dir/commands --args $file calls 5 >$dir/gdb 2>&1
}

put enabled 1
debug 'break main' run 'set $n = 0' \
	'while (unsigned long)$pc != (unsigned long)&probed_error && $n < 20000' stepi 'set $n = $n + 1' end \
	'info symbol $pc' 'stepi 4' 'info symbol $pc' delete continue
check "a debugger steps to a probe" grep -q '^probed_error in section' $dir/gdb
check "and over it" grep -q '^probed_error + [0-9]* in section' $dir/gdb
check "to the end" grep -q 'exited normally' $dir/gdb
check "it is hit each time" is "$(recorded error)" 5
put enabled 1
debug 'break main' run 'break *probed_error' 'continue'
check "its breakpoint may be at the same instruction" grep -q '^Breakpoint 2 at' $dir/gdb
check "the kernel takes it for the probe's" is "$(grep -c 'Breakpoint 2,' $dir/gdb) $(grep -c 'exited normally' $dir/gdb)" '0 1'
check "which is hit nevertheless" is "$(recorded error)" 5
put events/probe/error/enabled 0
put probes '!probe/error'

# ---- many processes ---------------------------------------------------------------

# Each has the library before the probe is there, and calls it once afterwards.
many=200
[ -z "${KTRACE_LONG-}" ] || many=1000
library=$(ldd /bin/dash | awk '$1 ~ /^libc\.so/ { print $3 }')
offset=$(readelf -W --dyn-syms "$library" | awk '$8 ~ /^umask@/ { print "0x" $2; exit }')
put probes "probe/umask $library:$offset/umask; s32 s32 mask = di"
put events/probe/umask/filter 'mask == 63'
put events/probe/umask/enabled 1
mkfifo $dir/gate
# Who opens it does not wait, and each takes one of the bytes.
exec 9<>$dir/gate
for i in $(seq $many); do
	/bin/dash -c "echo >>$dir/there; read line <$dir/gate; umask 077" &
done
all_there() {
	[ "$(grep -c '' $dir/there)" = $many ]
}
wait_until all_there
put enabled 1
head -c $many /dev/zero | tr '\0' '\n' >&9
wait
exec 9>&-
check "a library of $many processes: each is probed" is "$(recorded umask)" $many
put events/probe/umask/enabled 0
put probes '!probe/umask'
check "nothing was missed in all of it" is "$(get overflow | grep -c 'probe missed [1-9]')" 0
rm -r $dir
clean
