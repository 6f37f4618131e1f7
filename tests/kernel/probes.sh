#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Probes anywhere in the kernel's code: kernel/source/probe.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

load_module ktrace-probes
load_module ktrace-callee
check "nothing is defined" is "$(get probes)" ""

# hits EVENT: how many were recorded since the last time
hits() {
	count "$($bin/ktread $tree)" "probe:$1"
}

# hits_counted EVENT: those that the file `probed' says
hits_counted() {
	sed -n "s/^probe:$1 .* hits \([0-9]*\) .*/\1/p" $tree/probed
}

# hooked FUNCTION: does ftrace call anything there?
hooked() {
	grep -c "^$1 (" $tracing/enabled_functions
}

# ---- what is refused --------------------------------------------------------------

check "no place" refuses probes 'probe/x' 'PLACE is wanted'
check "no such function" refuses probes 'probe/x no_such_function' 'there is no function'
check "no module" refuses probes 'probe/x :f' 'name is missing'
check "no such function of a module" refuses probes 'probe/x ktrace_callee:no_such_function' 'ktrace_callee has no function'
check "a name that two functions have" refuses probes 'probe/x callee_same' '2 functions are called'
check "also of one module" refuses probes 'probe/x ktrace_callee:callee_same' '2 functions are called'
check "a module's is not the kernel's" refuses probes 'probe/x vmlinux:callee_six' 'there is no function'
check "a place that is too long" refuses probes "probe/x $(head -c 1000 /dev/zero | tr '\0' a)" 'too long'
check "past the end" refuses probes 'probe/x ktrace_callee:callee_six+9999' 'is past the end'
check "an offset that is none" refuses probes 'probe/x vfs_read+x' 'no number of bytes'
check "a return with an offset" refuses probes 'probe/x vfs_read+4%return' 'no offset'
check "an address that is none" refuses probes 'probe/x 0x12xy/vfs_read' 'no address'
check "a label with blanks" refuses probes 'probe/x 0x1234/vfs read' 'without blanks'
check "a label that is empty" refuses probes 'probe/x 0x1234/%return' 'without blanks'
check "no value" refuses probes 'probe/x vfs_read; u8 u8 a' 'value is missing'
check "no register" refuses probes 'probe/x vfs_read; u8 u8 a = rdi' 'begins with a register'
check "a number without an operator" refuses probes 'probe/x vfs_read; u8 u8 a = di 8' 'are wanted'
check "three bytes" refuses probes 'probe/x vfs_read; u8 u8 a = di @3' 'are wanted'
check "one byte has no order" refuses probes 'probe/x vfs_read; u8 u8 a = di swap1' 'are wanted'
check "nor have three" refuses probes 'probe/x vfs_read; u8 u8 a = di swap3' 'are wanted'
check "something behind unread" refuses probes 'probe/x vfs_read; u8 u8 a = unread 1 +' 'nothing can follow'
check "nothing is defined by these" is "$(get probes)" ""

# What the kernel refuses is known when it is armed.  A function begins with an instruction of four
# bytes or five.
put probes 'probe/within ktrace_callee:callee_six+3
probe/forbidden do_int3
probe/fine vfs_read'
put events/probe/within/enabled 1
check "within an instruction" refuses enabled 1 'no instruction begins there'
put events/probe/within/enabled 0
put events/probe/forbidden/enabled 1
put events/probe/fine/enabled 1
check "one that is forbidden" refuses enabled 1 'must not be stopped there'
check "none of the batch is left" is "$(grep -c . /sys/kernel/debug/kprobes/list) $(hooked vfs_read)" "0 0"
put events/probe/forbidden/enabled 0
check "the others can be" put enabled 1
check "which the kernel shows" is "$(hooked vfs_read)" 1
put enabled 0
put events/probe/enabled 0
check "and goes" is "$(grep -c . /sys/kernel/debug/kprobes/list) $(hooked vfs_read)" "0 0"
put probes '!probe/within
!probe/forbidden
!probe/fine'
check "all go" is "$(get probes)" ""
put reset 1

# Returns that the kernel would hook, and break.  An address may be that behind the landing pad.
for function in __switch_to do_idle arch_cpu_idle_dead bpf_throw; do
	address=$(awk -v name=$function '$3 == name { print $1; exit }' /proc/kallsyms)
	[ "$address" ] || continue
	for place in $function 0x$address/$function 0xffffffff$(printf %x $((0x${address#ffffffff} + 4)))/$function; do
		put probes "probe/return $place%return"
		put events/probe/return/enabled 1
		check "no return of $place is hooked" refuses enabled 1 "$function%return: this return must not be hooked: it "
		put events/probe/return/enabled 0
		put probes '!probe/return'
	done
	returns=$((${returns-0} + 1))
done
check "of some functions" at_least "${returns-0}" 2
check "nothing is hooked for them" is "$(grep -c . /sys/kernel/debug/kprobes/list) $(hooked __switch_to) $(hooked do_idle)" "0 0 0"
put reset 1

# Who may not know where the kernel is does not learn it here.
put probes "probe/where 0x$(awk '$3 == "vfs_read" { print $1 }' /proc/kallsyms)/vfs_read; u64 u64 a = di"
before=$(cat /proc/sys/kernel/kptr_restrict)
echo 2 >/proc/sys/kernel/kptr_restrict
check "addresses are hidden" is "$(get probes)" 'probe/where 0x0/vfs_read; u64 u64 a = di'
echo "$before" >/proc/sys/kernel/kptr_restrict
check "but to those who may see them" is "$(get probes | grep -c '^probe/where 0xffffffff[0-9a-f]*/vfs_read;')" 1
put probes '!probe/where'

# ---- hits -------------------------------------------------------------------------

put probes 'probe/six ktrace_callee:callee_six; u8 u8 a = di; u16 u16 b = si; u32 u32 c = dx; u64 u64 d = cx; s64 s64 f = r9; u32 u32 five = r8 @4; u16 u16 unread = unread
probe/ret ktrace_callee:callee_error%return; s32 int ret = ax
probe/plain ktrace_callee:callee_nothing'
put events/probe/enabled 1
put enabled 1
echo calls 100 >$run
read=$($bin/ktread $tree)
check "each hit is recorded" is "$(count "$read" probe:six) $(count "$read" probe:ret) $(count "$read" probe:plain)" \
	"100 100 100"
check "and counted with its probe" is "$(hits_counted six) $(hits_counted ret) $(hits_counted plain)" "100 100 100"
echo calls 1 >$run
check "with values of registers and of memory" is "$($bin/ktread -dq $tree | sed -n 's/.* probe:six *//p')" \
	"$(printf %s 01 0200 03000000 0400000000000000 faffffffffffffff 66697665 0000)"
put events/probe/enabled 0
put enabled 0

put probes '!probe/six
!probe/ret'
put reset 1

address=0x$(awk '$3 == "callee_error" { print $1 }' /proc/kallsyms)
labelled="probe/named $address/callee_error+0x0
probe/named_ret $address/callee_error%return; s32 int ret = ax"
put probes "$labelled"
check "a label is shown with its address" is "$(get probes | tail -n 2)" "$labelled"
put events/probe/named/enabled 1
put events/probe/named_ret/enabled 1
put enabled 1
echo calls 3 >$run
put enabled 0
put events/probe/enabled 0
read=$($bin/ktread $tree)
check "and it is hit there" is "$(count "$read" probe:named) $(count "$read" probe:named_ret)" "3 3"
put probes '!probe/named
!probe/named_ret
probe/nothing 0xffffffffffff0000/nothing'
put events/probe/nothing/enabled 1
check "also a refusal shows it" refuses enabled 1 'nothing: there is no code'
put events/probe/nothing/enabled 0
put probes '!probe/nothing'
check "what is defined is shown" is "$(get probes)" 'probe/plain ktrace_callee:callee_nothing'
put probes '!probe/plain'
put reset 1

# ---- what sessions ask of all events -----------------------------------------------

put probes 'probe/six ktrace_callee:callee_six; u32 u32 c = dx; u64 u64 text = r8'
put events/probe/six/filter 'c == 4'
put events/probe/six/enabled 1
put enabled 1
echo calls 5 >$run
check "a filter refuses" is "$(hits six)" 0
put events/probe/six/filter 'c == 3'
echo calls 5 >$run
check "or lets pass" is "$(hits six)" 5
check "both are hits of the probe" is "$(hits_counted six)" 10
put events/probe/six/filter 0
put enabled 0
put events/probe/six/enabled 0
# The first argument is 1, where no memory is.
put probes 'probe/bad ktrace_callee:callee_six; u8 u8 a = di; u32 u32 none = di @4; u16 u16 unread = unread'
put events/probe/bad/enabled 1
put enabled 1
echo calls 1 >$run
put events/probe/bad/filter 'a == 1'
echo calls 1 >$run
check "memory that cannot be read is marked" is "$($bin/ktread -dq $tree | sed -n 's/.* probe:bad *//p' |
	sort | uniq -c | awk '{ print $1, $2 }')" "2 01000000000200"
put enabled 0
put events/probe/bad/enabled 0
put probes '!probe/bad'
# A write by this shell: its text is memory of the program.
put probes 'probe/write vfs_write; u64 u64 size = dx; u32 u32 text = si @4; u16 u16 unread = unread
probe/nowhere vfs_write; u32 u32 text = si 47 >> 140737488355328 + @4; u16 u16 unread = unread
probe/swap ktrace_callee:callee_six; u32 u32 two = r8 @4 swap2; u64 u64 four = r8 @8 swap4; u64 u64 eight = cx swap8; u16 u16 b = si swap2'
put events/probe/write/filter 'size == 8 && text == 0x6c6c6163'
put events/probe/enabled 1
put enabled 1
echo calls 1 >$run
put enabled 0
put events/probe/enabled 0
put events/probe/write/filter 0
$bin/ktread -dq $tree >/run/probe.records
check "memory of a program is read" is "$(sed -n 's/.* probe:write *//p' /run/probe.records)" \
	"$(printf %s 0800000000000000 63616c6c 0000)"
check "between both there is none" is "$(sed -n 's/.* probe:nowhere *//p' /run/probe.records | sort -u)" 000000000100
check "bytes are swapped" is "$(sed -n 's/.* probe:swap *//p' /run/probe.records)" \
	"$(printf %s 69660000 6576696600000000 0000000000000004 0002)"
put probes '!probe/write
!probe/nowhere
!probe/swap'
put reset 1
check "a program has the fields" put capture 'probe/six: char word: kernel a1 string 16; u8 sum: a0 a0 + put 1'
put events/probe/six/enabled 1
put enabled 1
echo calls 1 >$run
check "and reads what they point to" is "$($bin/ktread -dq $tree | sed -n 's/.* probe:six .*\(.\{12\}\)$/\1/p')" \
	"$(printf five | od -An -tx1 | tr -d ' ')0006"
put enabled 0
put events/probe/six/enabled 0
put capture none
put probes '!probe/six'
put reset 1

# Each call of callee_deep() is one function deeper: at its begin, within it, and where it returns to.
within=$(objdump -d --no-show-raw-insn "$KTRACE_MODULES/ktrace-callee.ko" | awk '
	/<callee_deep>:/ { begin = $1; next }
	# The first call is that which ftrace changes.
	begin && $2 == "call" && n++ { print begin, substr($1, 1, length($1) - 1); exit }' |
	(read -r begin at; echo $((0x$at - 0x$begin))))
put probes "probe/begin ktrace_callee:callee_deep
probe/within ktrace_callee:callee_deep+$within
probe/return ktrace_callee:callee_deep%return"
for event in begin within return; do
	put stack "probe/$event: kernel"
	put events/probe/$event/enabled 1
	put enabled 1
	echo deep 20 >$run
	put enabled 0
	put events/probe/$event/enabled 0
	$bin/ktread -dq $tree | stack_ids probe:$event | while read -r id; do
		od -An -v -j $((id * 8 + 4)) -N 2 -t u2 $tree/stacks
		od -An -v -j $((id * 8 + 6)) -N 1 -t u1 $tree/stacks
		od -An -v -j $((id * 8 + 8)) -N 8 -t x8 $tree/stacks
	done | awk '{ printf "%s%s", $1, NR % 3 ? " " : "\n" }' >/run/probe.stacks
	check "a stack has each of the calls ($event)" is "$(awk -v event=$event '
		{ step = event == "return" ? -1 : 1 }
		NR > 1 && $1 != before + step || $2 { bad++ }
		{ before = $1 }
		END { print (NR >= 20), bad + 0 }' /run/probe.stacks)" "1 0"
done
put stack none
put probes '!probe/begin
!probe/within
!probe/return'
put reset 1

# ---- as the kernel's own probes ---------------------------------------------------

# At each byte of a function: both must refuse the same, and what is hit must have the same
# registers, as many times.
sort /proc/kallsyms >/run/symbols
registers="ax bx cx dx si di bp sp r8 r9 r12 flags"
fetches=$(for register in $registers; do printf '; u64 u64 %s = %s' $register $register; done)
theirs=$(for register in $registers; do printf ' %s=%%%s:x64' $register $register; done)
# Bytes up to the next symbol, which may be that of the next function's padding.
size_of() {
	awk -v name="$1" '$3 == name { begin = substr($1, 9); next }
		begin && substr($1, 9) != begin { print "0x" begin, "0x" substr($1, 9); exit }' /run/symbols |
		(read -r begin end; echo $((end - begin)))
}
# NAME and the registers, one a line: in the order of each place.
their_hits() {
	sed -n 's/^.*: \([a-z_0-9]*\): (.*) ax=/\1 ax=/p' $tracing/trace | sed 's/ [a-z0-9]*=0x/ /g' |
		sort -s -k 1,1
}
our_hits() {
	$bin/ktread -dq $tree | awk 'function word(at, i, text) {
			text = ""
			for (i = 14; i >= 0; i -= 2)
				text = text substr($NF, at * 16 + i + 1, 2)
			sub(/^0+/, "", text)
			return text == "" ? "0" : text
		}
		/ probe:/ {
			line = substr($4, 7)
			for (at = 0; at < length($NF) / 16; at++)
				line = line " " word(at)
			print line
		}' | sort -s -k 1,1
}
put reset 1
put enabled 1
for function in callee_six callee_deep callee_middle callee_outer; do
	for offset in $(seq 0 $(($(size_of $function) - 1))); do
		name=${function}_$offset
		echo "p:kt/$name ktrace_callee:$function+$offset$theirs" >>$tracing/kprobe_events 2>/dev/null &&
			echo $name >>/run/their.places
		put probes "probe/$name ktrace_callee:$function+$offset$fetches"
		echo 1 2>/dev/null >$tree/events/probe/$name/enabled && echo $name >>/run/our.places
	done
done
check "at dozens of instructions" at_least "$(wc -l </run/our.places)" 30
check "the kernel takes the same places from its own" cmp /run/our.places /run/their.places
echo 1 >$tracing/events/kt/enable
echo >$tracing/trace
echo deep 3 >$run
echo calls 2 >$run
echo nest 2 >$run
echo 0 >$tracing/events/kt/enable
put enabled 0
their_hits >/run/their.hits
our_hits >/run/our.hits
check "what both have hit" at_least "$(wc -l </run/our.hits)" 100
check "had the same registers" cmp /run/our.hits /run/their.hits
cmp -s /run/our.hits /run/their.hits || { head -n 3 /run/our.hits /run/their.hits; wc -l /run/our.hits /run/their.hits; }
echo >$tracing/kprobe_events
put events/probe/enabled 0
put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
put reset 1

# ---- how they are armed -------------------------------------------------------------

# Behind the call that ftrace changes at the beginning of a function, if there is one.
behind=$(objdump -d --no-show-raw-insn "$KTRACE_MODULES/ktrace-callee.ko" | awk '
	/<callee_six>:/ { begin = $1; next }
	begin && called { print begin, substr($1, 1, length($1) - 1); exit }
	begin && $2 == "call" { called = 1 }' |
	(read -r begin at; echo $((0x$at - 0x$begin))))
check "without probes nothing is armed" is "$(get probed)" ""
put probes "probe/begin ktrace_callee:callee_deep
probe/within ktrace_callee:callee_deep+$within
probe/behind ktrace_callee:callee_six+$behind
probe/return ktrace_callee:callee_deep%return
probe/vfs vfs_read"
mkdir $tree/sessions/other
put sessions/other/events/probe/behind/enabled 1
put sessions/other/enabled 1
put events/probe/enabled 1
check "nor while the session is off" is "$(get probed)" ""
put enabled 1
ways() {
	cat $tree/probed $tree/sessions/other/probed | awk '!/^probe:vfs / { print substr($2, 3), $3 }' | sort -u
}
# The kernel shows what is queued, too.
theirs() {
	awk '{ print $1, /OPTIMIZED/ ? "jump" : /FTRACE/ ? "ftrace" : "breakpoint" }' /sys/kernel/debug/kprobes/list |
		sort -u
}
for i in $(seq 100); do
	[ "$(ways)" = "$(theirs)" ] && get probed | grep -q ' jump ' && break
	sleep 0.1
done
check "each is, as the kernel says" is "$(ways)" "$(theirs)"
check "some by jumps" grep -q '^probe:behind 0x[0-9a-f]* jump hits [0-9]* missed nested 0 open 0 idle 0$' $tree/probed
check "some by ftrace" grep -q '^probe:begin 0x[0-9a-f]* ftrace hits' $tree/probed
check "which needs no kprobe in the kernel itself" is "$(grep -c '^probe:vfs 0x[0-9a-f]* ftrace hits' $tree/probed) $(
	hooked vfs_read) $(grep -c vfs_read /sys/kernel/debug/kprobes/list)" "1 1 0"
check "in each session" is "$(sed 's/ .*//' $tree/probed | xargs) $(sed 's/ .*//' $tree/sessions/other/probed)" \
	"probe:begin probe:within probe:behind probe:return probe:vfs probe:behind"
echo 0 >/proc/sys/debug/kprobes-optimization
check "without jumps, by breakpoints" grep -q '^probe:behind 0x[0-9a-f]* breakpoint hits' $tree/sessions/other/probed
echo 1 >/proc/sys/debug/kprobes-optimization
put enabled 0
echo 0 >/sys/kernel/debug/kprobes/enabled
check "none that would not be hit is taken" refuses enabled 1 'probes are off'
echo 1 >/sys/kernel/debug/kprobes/enabled
put events/probe/enabled 0
put events/probe/within/enabled 1
# 7.3 does not let anybody switch it off.
if echo 0 2>/dev/null >/proc/sys/kernel/ftrace_enabled; then
	check "where ftrace does not call, it need not be on" put enabled 1
	put enabled 0
	put events/probe/vfs/enabled 1
	check "where it does, it must" refuses enabled 1 'function tracer is off'
	check "and nothing stays" is "$(hooked vfs_read)" 0
	echo 1 >/proc/sys/kernel/ftrace_enabled
fi
check "which leaves only that of the other session" is "$(theirs | wc -l)" 1
check "and then all goes well" put enabled 1
put enabled 0
check "and none when it is off" is "$(get probed)" ""
put events/probe/enabled 0
rmdir $tree/sessions/other
put probes "$(sed 's/^\([^ ]*\) .*/!\1/' $tree/probes)"
put reset 1

# ---- where functions of the kernel's image begin ----------------------------------------

sysctl=/proc/sys/kernel/ftrace_enabled
put probes 'probe/sync ksys_sync
probe/again ksys_sync; u64 u64 a = di
probe/supers iterate_supers; u64 u64 a = di'
mkdir $tree/sessions/other
put events/probe/enabled 1
put sessions/other/events/probe/sync/enabled 1
put enabled 1
put sessions/other/enabled 1
check "ftrace calls for all of them" is "$(cat $tree/probed $tree/sessions/other/probed | grep -c ' ftrace ') $(
	hooked ksys_sync) $(hooked iterate_supers)" "4 1 1"
# syncs N
syncs() {
	for i in $(seq "$1"); do sync; done
}
syncs 3
read=$($bin/ktread $tree)
check "two events of one place are hit" is "$(count "$read" probe:sync) $(count "$read" probe:again)" "3 3"
supers=$(count "$read" probe:supers)
check "and another one" at_least "$supers" 3
check "and another session" is "$(count "$($bin/ktread $tree/sessions/other)" probe:sync)" 3
put enabled 0
syncs 2
check "which goes on alone" is "$(count "$($bin/ktread $tree/sessions/other)" probe:sync)" 2
check "there, and nowhere else" is "$(hooked ksys_sync) $(hooked iterate_supers)" "1 0"
put enabled 1
syncs 1
read=$($bin/ktread $tree)
check "others come back" is "$(count "$read" probe:sync) $(count "$read" probe:again)" "1 1"
put events/probe/again/enabled 0
syncs 1
read=$($bin/ktread $tree)
check "one goes from beside another" is "$(count "$read" probe:sync) $(count "$read" probe:again)" "1 0"
# 7.3 does not let anybody switch it off.
echo 0 2>/dev/null >$sysctl
check "ftrace is not switched off below them" is "$(cat $sysctl)" 1
syncs 1
check "they are hit nevertheless" is "$(hits sync)" 1
put enabled 0
check "none was missed" is "$(awk '{ s += $8 + $10 + $12 } END { print s }' $tree/sessions/other/probed)" 0
put sessions/other/enabled 0
check "all go" is "$(hooked ksys_sync)" 0
put events/probe/enabled 0
rmdir $tree/sessions/other
put probes '!probe/sync
!probe/again
!probe/supers'
put reset 1

# Kprobe events beside them: the same registers, as many times.
registers="ax bx cx dx si di bp sp r8 r9 flags ip"
fetches=$(for register in $registers; do printf '; u64 u64 %s = %s' $register $register; done)
theirs=$(for register in $registers; do printf ' %s=%%%s:x64' $register $register; done)
for function in ksys_sync iterate_supers; do
	echo "p:kt/$function $function$theirs" >>$tracing/kprobe_events
	put probes "probe/$function $function$fetches"
done
put events/probe/enabled 1
put enabled 1
echo 1 >$tracing/events/kt/enable
echo >$tracing/trace
syncs 3
echo 0 >$tracing/events/kt/enable
put enabled 0
# Each comes from its own task.
their_hits | sort >/run/their.hits
our_hits | sort >/run/our.hits
check "a kprobe event beside them is hit" at_least "$(grep -c . /run/their.hits)" 6
check "with the same registers" cmp /run/our.hits /run/their.hits
cmp -s /run/our.hits /run/their.hits || { head -n 3 /run/our.hits /run/their.hits; wc -l /run/our.hits /run/their.hits; }
put enabled 1
echo 1 >$tracing/events/kt/enable
put enabled 0
echo >$tracing/trace
syncs 2
check "it goes on without them" is "$(grep -c ' ksys_sync: ' $tracing/trace)" 2
echo 0 >$tracing/events/kt/enable
echo >$tracing/kprobe_events
put events/probe/enabled 0
put probes '!probe/ksys_sync
!probe/iterate_supers'
put reset 1

# The handler reads memory that is not there, and the kernel's handler of that fault is probed, too.
put probes 'probe/fault fixup_exception
probe/bad ktrace_callee:callee_six; u32 u32 none = di @4; u16 u16 unread = unread
probe/sync ksys_sync; u32 u32 none = sp 47 >> @4; u16 u16 unread = unread'
put events/probe/enabled 1
put enabled 1
nested() {
	sed -n 's/^probe:fault .* nested \([0-9]*\) .*/\1/p' $tree/probed
}
echo calls 1 >$run
before=$(nested)
echo calls 7 >$run
check "what a kprobe hits is missed" is "$(($(nested) - before))" 7
syncs 2
check "and what such a probe hits" is "$(($(nested) - before))" 9
read=$($bin/ktread $tree)
check "the others are recorded" is "$(count "$read" probe:bad) $(count "$read" probe:sync)" "8 2"
put enabled 0
put events/probe/enabled 0
put probes '!probe/fault
!probe/bad
!probe/sync'
put reset 1

while :; do
	cat /proc/self/status /proc/stat
	dd if=/dev/zero bs=4k count=100
	sync
done >/dev/null 2>&1 &
load=$!
put probes 'probe/read vfs_read; u64 u64 a = dx
probe/also vfs_read; u64 u64 a = dx'
put events/probe/read/filter 'a == 1'
put events/probe/read/enabled 1
put enabled 1
for i in $(seq 20); do
	dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null &
	put events/probe/also/enabled 1
	put events/probe/also/enabled 0
	wait $!
done
check "it stays while another one comes and goes" is "$(hits read)" 6000
for i in $(seq 20); do
	put events/probe/read/enabled 0
	put events/probe/read/enabled 1
done
dd if=/dev/zero of=/dev/null bs=1 count=300 2>/dev/null
check "taken away while it is hit, and put back" at_least "$(hits read)" 300
kill $load
wait $load 2>/dev/null
put enabled 0
put events/probe/read/filter 0
put events/probe/enabled 0
put probes '!probe/read
!probe/also'
put reset 1

# ---- breakpoints ---------------------------------------------------------------------

# Within the entry of a system call: one of these is the second or third instruction.
echo 0 >/proc/sys/debug/kprobes-optimization
put enabled 1
for offset in 9 5 4 7 8; do
	put probes "probe/call __x64_sys_write+$offset; u64 u64 text = di 104 + @8; u64 u64 size = di 96 + @8; u16 u16 unread = unread"
	put capture 'probe/call: char word: a0 string 16'
	put stack 'probe/call: user'
	put events/probe/call/filter 'size == 8'
	echo 1 2>/dev/null >$tree/events/probe/call/enabled &&
		grep -q ' breakpoint ' $tree/probed && break
	put events/probe/call/enabled 0
	put stack none
	put capture none
	put probes '!probe/call'
done
check "a probe is hit by a breakpoint" grep -q '^probe:call 0x[0-9a-f]* breakpoint ' $tree/probed
echo calls 1 >$run
put enabled 0
$bin/ktread -dq $tree >/run/probe.records
check "there a string of the program is read" grep -q "probe:call .*$(printf 'calls 1\n' | od -An -tx1 | tr -d ' ')" \
	/run/probe.records
# Of the first: frames, why there are no more (10: it cannot be had in this context), and of what.
check "and its stack" is "$(od -An -v -j 12 -N 4 -t u1 $tree/stacks | awk '{ print ($1 > 0), ($3 != 10), $4 }')" \
	"1 1 2"
echo 1 >/proc/sys/debug/kprobes-optimization
put events/probe/enabled 0
put stack none
put capture none
put probes '!probe/call'
put reset 1

# ---- held by an open file ----------------------------------------------------------

held='probe/held ktrace_callee:callee_six; u8 u8 a = di'
kept='probe/kept ktrace_callee:callee_error'
mkdir $tree/sessions/other
exec 7>$tree/probes_held
printf '%s\n' "$held" 'probe/more vfs_read' >&7
put probes "$kept"
check "what is held is shown" is "$(get probes_held)" "$held
probe/more vfs_read"
check "and among all" is "$(get probes)" "$held
probe/more vfs_read
$kept"
check "another open file holds nothing of it" put probes_held '!probe/more
probe/short vfs_read'
check "but can remove it" is "$(get probes)" "$held
$kept"
check "as the other file can" put probes "!probe/held
$held"
check "which holds nothing" is "$(get probes_held)" ""
put probes '!probe/held'
printf '%s\n' "$held" >&7
check "a bad line is refused" not eval "printf '%s\n' probe/good\ vfs_read probe/bad >&7" 2>/dev/null
check "also a name that is taken" refuses probes_held "$kept" 'one of that name already'
check "and all stays" is "$(get probes)" "$kept
$held"
for session in . sessions/other; do
	put $session/events/probe/enabled 1
	put $session/enabled 1
done
echo calls 5 >$run
check "the event is attached for each session" is "$(grep -c callee_six /sys/kernel/debug/kprobes/list)" 2
read=$($bin/ktread $tree)
check "and hit" is "$(count "$read" probe:held) $(count "$read" probe:kept)" "5 5"
exec 7>&-
echo calls 5 >$run
check "it goes with the file" is "$(get probes)" "$kept"
check "from sessions, too" is "$(cd $tree && ls -d events/probe/* sessions/other/events/probe/* | xargs)" \
	"events/probe/enabled events/probe/kept sessions/other/events/probe/enabled sessions/other/events/probe/kept"
check "and nothing is left in the code" is "$(grep -c callee_six /sys/kernel/debug/kprobes/list)" 0
check "its type is kept for its records" grep -q '^event probe:held ' $tree/gone
check "others go on" is "$(hits kept)" 5
put enabled 0
put events/probe/enabled 0
rmdir $tree/sessions/other

# A child that has the file open holds it as well.
(
	exec 7>$tree/probes_held
	echo "$held" >&7
	sleep 1000 &
	echo $! >/run/holder
	exec sleep 1000
) &
holder=$!
while [ -z "$(get probes_held)" ] || [ ! -s /run/holder ]; do sleep 0.1; done
kill -9 $holder
wait $holder 2>/dev/null
check "a child still holds it" is "$(get probes_held)" "$held"
check "the source stays while something may be held" not rmmod ktrace_probes 2>/dev/null
kill -9 "$(cat /run/holder)"
for i in $(seq 100); do
	[ "$(get probes_held)" ] || break
	sleep 0.1
done
check "until it is killed" is "$(get probes_held) $(get probes)" " $kept"
put probes '!probe/kept'
put reset 1

# ---- life -------------------------------------------------------------------------

put probes 'probe/six ktrace_callee:callee_six; u8 u8 a = di'
put events/probe/six/enabled 1
put enabled 1
rmmod ktrace_callee
check "a module goes with its probes" put enabled 0
check "without it they wait (probe_modules.sh)" put enabled 1
load_module ktrace-callee
echo calls 10 >$run
check "and are hit" is "$(hits six)" 10
check "the source stays while it is used" not rmmod ktrace_probes 2>/dev/null
put enabled 0
put events/probe/enabled 0
check "and goes" rmmod ktrace_probes
load_module ktrace-probes
check "with what was defined" is "$(get probes)" ""
rmmod ktrace_probes
rmmod ktrace_callee
clean
