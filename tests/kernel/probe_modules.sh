#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Probes in modules that are not loaded yet, and that go and come again: kernel/source/probe.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

load_module ktrace-probes

# hits EVENT [SESSION]: how many were recorded since the last time
hits() {
	count "$($bin/ktread "$tree/${2-}")" "probe:$1"
}

# way EVENT [SESSION]: how it is armed
way() {
	sed -n "s/^probe:$1 0x[0-9a-f]* \([a-z]*\) .*/\1/p" "$tree/${2-.}/probed"
}

# In the code of the module, by whomever.
in_code() {
	grep -cE 'callee_|init_module' /sys/kernel/debug/kprobes/list
}

# What the kernel's own probes have seen.
theirs() {
	grep -c " $1: (" $tracing/trace
}

# ---- before the module comes --------------------------------------------------------

put probes 'probe/six ktrace_callee:callee_six; u32 u32 c = dx
probe/dash ktrace-callee:callee_six
probe/begin ktrace_callee:callee_init
probe/began ktrace_callee:callee_init%return; s32 int ret = ax
probe/end ktrace_callee:callee_exit
probe/error ktrace_callee:callee_error%return; s32 int ret = ax
probe/read vfs_read'
check "a module need not be there" is "$(get probes | wc -l)" 7
put events/probe/enabled 1
check "nor when its probes are switched on" put enabled 1
check "they wait" is "$(for event in six dash begin began end error; do way $event; done | xargs)" \
	"waiting waiting waiting waiting waiting waiting"
check "with no address, and nothing missed" grep -qx 'probe:six 0x0 waiting hits 0 missed nested 0 open 0 idle 0' $tree/probed
check "others do not" is "$(way read)" ftrace
put events/probe/read/enabled 0
$bin/ktread $tree >/dev/null

for line in 'p:kt/begin ktrace_callee:callee_init' 'r:kt/began ktrace_callee:callee_init' \
	'p:kt/six ktrace_callee:callee_six' \
	'r:kt/error ktrace_callee:callee_error'; do
	echo "$line" >>$tracing/kprobe_events
done
echo 1 >$tracing/events/kt/enable
echo >$tracing/trace

# ---- it comes, goes, and comes again --------------------------------------------------

ours=$($bin/ktread $tree)
for i in 1 2 3; do
	load_module ktrace-callee
	[ $i = 1 ] && check "when it has come they are armed" is "$(for event in six dash end error; do
		way $event; done | sed 's/jump\|breakpoint/code/' | xargs)" "ftrace ftrace code ftrace"
	[ $i = 1 ] && check "but for what is gone when it has begun" is "$(way begin) $(way began)" "waiting waiting"
	[ $i = 1 ] && check "other events can still be switched on" put events/probe/read/enabled 1
	put events/probe/read/enabled 0
	echo calls 10 >$run
	rmmod ktrace_callee
	check "when it has gone they wait ($i)" is "$(for event in six dash begin began end error; do
		way $event; done | sort | uniq -c | xargs)" "6 waiting"
done
ours=$($bin/ktread $tree)
check "each of its calls was recorded" is "$(count "$ours" probe:six) $(count "$ours" probe:dash) $(
	count "$ours" probe:error)" "30 30 30"
check "from the first function on, to the last" is "$(count "$ours" probe:begin) $(
	count "$ours" probe:began) $(count "$ours" probe:end)" "3 3 3"
check "as by the kernel's own probes" is "$(theirs six) $(theirs error) $(theirs begin) $(
	theirs began)" "30 30 3 3"
check "nothing was missed" is "$(grep -c ' nested 0 open 0 idle 0$' $tree/probed)" 6
echo 0 >$tracing/events/kt/enable
echo >$tracing/kprobe_events
check "no probe is left in the kernel" is "$(in_code) $(grep -c callee_ $tracing/enabled_functions)" "0 0"


put events/probe/enabled 0
put probes 'probe/within ktrace_callee:callee_error; u64 u64 a = di'
put events/probe/within/enabled 1
for i in 1 2; do
	load_module ktrace-callee
	echo calls 5 >$run
	rmmod ktrace_callee
done
check "one that is switched on later, too" is "$(hits within)" 10
put enabled 0
check "while the session is off" is "$(get probed)" ""
load_module ktrace-callee
check "nothing comes" is "$(in_code)" 0
put enabled 1
check "switched on while it is there, it is armed" is "$(way within)" ftrace
echo calls 5 >$run
put events/probe/within/enabled 0
check "and hit" is "$(hits within)" 5
put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
put enabled 0
put reset 1

# A name without its module: it waits for the one that it was in.
put probes 'probe/plain callee_middle'
put events/probe/plain/enabled 1
put enabled 1
rmmod ktrace_callee
check "a name that has lost its module waits" is "$(way plain)" waiting
load_module ktrace-callee
echo nest 4 >$run
check "and is armed again" is "$(way plain) $(hits plain)" "ftrace 4"
rmmod ktrace_callee
put enabled 0
put events/probe/enabled 0
put probes '!probe/plain'
put reset 1

# ---- one build of a module ----------------------------------------------------------------

load_module ktrace-callee
build=$(od -An -v -tx1 -j16 /sys/module/ktrace_callee/notes/.note.gnu.build-id | tr -d ' \n')
other=$(printf %s "$build" | tr 0-9a-f 1-9a-f0)
put probes "probe/this ktrace_callee{$build}:callee_six"
put events/probe/this/enabled 1
check "a probe can be for one build of a module" put enabled 1
echo calls 3 >$run
check "that build has it" is "$(way this) $(hits this)" "ftrace 3"
that="probe/that ktrace_callee{$other}:callee_six"
parts="probe/parts ktrace_callee{$(printf %s "$build" | cut -c1-16)}:callee_six"
check "another has not" refuses probes "$that" 'the module ktrace_callee is another build'
check "nor one whose id only begins so" refuses probes "$parts" 'another build'
rmmod ktrace_callee
check "nobody knows which will come" put probes "$that
$parts"
put events/probe/that/enabled 1
put events/probe/parts/enabled 1
load_module ktrace-callee
echo calls 4 >$run
check "that build has it when it comes" is "$(way this) $(hits this)" "ftrace 4"
check "and another has not" is "$(way that) $(way parts)" "refused refused"
rmmod ktrace_callee
for bad in '{}' '{12345678}' '{0123456789abcdeg}' '{0123456789abcdef' '{0123456789abcdef}x' \
	"{0123456789abcde}" "{$build$build}"; do
	check "no build id: $bad" refuses probes "probe/bad ktrace_callee$bad:callee_six" 'build id in braces'
done
put enabled 0
put events/probe/enabled 0
put probes '!probe/this
!probe/that
!probe/parts'
put reset 1

# ---- several sessions -------------------------------------------------------------------

mkdir $tree/sessions/other
put probes 'probe/six ktrace_callee:callee_six'
for session in . sessions/other; do
	put $session/events/probe/six/enabled 1
	put $session/enabled 1
done
load_module ktrace-callee
echo calls 3 >$run
put enabled 0
echo calls 3 >$run
rmmod ktrace_callee
load_module ktrace-callee
echo calls 3 >$run
check "each session has its own" is "$(hits six) $(hits six sessions/other)" "3 9"
rmmod ktrace_callee
put sessions/other/enabled 0
rmdir $tree/sessions/other
put events/probe/enabled 0
put probes '!probe/six'
put reset 1

# ---- what is refused when the module comes -------------------------------------------------

put probes 'probe/none ktrace_callee:no_such_function
probe/inside ktrace_callee:callee_six+3
probe/two ktrace_callee:callee_same
probe/past ktrace_callee:callee_six+9999
probe/six ktrace_callee:callee_six'
put probes 'probe/bad bad' && echo "# accepted"
error=$(get error)
put events/probe/enabled 1
put enabled 1
load_module ktrace-callee
# reason EVENT
reason() {
	sed -n "s/^probe:$1 0x0 refused hits 0 missed nested 0 open 0 idle 0: //p" $tree/probed
}
check "the reason is with the probe" is "$(reason none | cut -d'(' -f1)" \
	"the module ktrace_callee has no function no_such_function "
check "within an instruction" is "$(reason inside)" "ktrace_callee:callee_six+3: no instruction begins there"
check "two of one name" is "$(reason two | cut -d: -f1)" "2 functions are called callee_same"
check "past the end" is "$(reason past | cut -d' ' -f1-6)" "+9999 is past the end: callee_six"
check "that of the last write stays" is "$(get error)" "$error"
echo calls 3 >$run
check "the others are recorded" is "$(hits six)" 3
put events/probe/six/enabled 0
check "and can go, and come" put events/probe/six/enabled 1
rmmod ktrace_callee
check "all wait for it again" is "$(grep -c ' 0x0 waiting ' $tree/probed)" 5
load_module ktrace-callee
check "and are refused again" is "$(grep -c ' 0x0 refused ' $tree/probed)" 4
put enabled 0
put events/probe/enabled 0
put events/probe/none/enabled 1
check "while the module is there, at once" refuses enabled 1 'has no function'
put events/probe/enabled 0
rmmod ktrace_callee
put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
put reset 1

# ---- again and again -----------------------------------------------------------------------

# STORM, as of toggle.sh, is for more.
rounds=${KTRACE_STORM:-40}
put probes 'probe/begin ktrace_callee:callee_init
probe/end ktrace_callee:callee_exit%return'
mkdir $tree/sessions/other
put sessions/other/events/probe/begin/enabled 1
put sessions/other/events/probe/end/enabled 1
put sessions/other/enabled 1
(
	for i in $(seq $rounds); do
		load_module ktrace-callee
		echo calls 1 >$run
		# While a probe is armed, the kernel holds the module.
		until rmmod ktrace_callee 2>/dev/null; do :; done
	done
) &
loads=$!
n=0
bad=0
while [ -d /proc/$loads ] && ! grep -q '^State:.Z' /proc/$loads/status; do
	put probes 'probe/six ktrace_callee:callee_six; u32 u32 c = dx
probe/jump ktrace_callee:callee_exit
probe/error ktrace_callee:callee_error%return' || bad=$((bad + 1))
	put events/probe/six/enabled 1
	put events/probe/error/enabled 1
	put events/probe/jump/enabled 1
	put enabled 1 || { bad=$((bad + 1)); get error; }
	[ $((n % 3)) = 0 ] || put enabled 0
	put probes '!probe/six
!probe/jump
!probe/error' || bad=$((bad + 1))
	put enabled 0
	put reset 1
	n=$((n + 1))
done
wait $loads
check "while it comes and goes, probes come and go" is "$bad" 0
echo "# $n times"
check "often" at_least $n 50
read=$($bin/ktread $tree/sessions/other)
check "each load was recorded" is "$(count "$read" probe:begin)" $rounds
check "and each end" is "$(count "$read" probe:end)" $rounds
check "they are counted while they wait, too" is "$(sed -n 's/.* hits \([0-9]*\) .*/\1/p' $tree/sessions/other/probed | xargs)" "$rounds $rounds"
check "nothing was missed meanwhile" is "$(grep -c ' waiting hits [0-9]* missed nested 0 open 0 idle 0$' $tree/sessions/other/probed)" 2
put sessions/other/enabled 0
rmdir $tree/sessions/other
put probes '!probe/begin
!probe/end'
check "nothing is left" is "$(in_code) $(grep -c . $tracing/enabled_functions)" "0 0"
check "the source goes" rmmod ktrace_probes
clean
