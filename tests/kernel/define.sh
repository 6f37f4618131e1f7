#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Events defined at run time.
# One kernel is enough: the text is parsed by ktrace itself.
. tests/kernel/lib.sh

load_module ktrace-test

check "define" put define 'raw/hit test_hit; u32 enum kt_test_context context; u64 u64 number'
check "read back" is "$(get define)" \
	'raw/hit test_hit; u32 enum kt_test_context context; u64 u64 number'
check "its format" is "$(sed -n 's/^	//p' $tree/events/raw/hit/format | tr -d '\t\n')" \
	"field:enum kt_test_context context;offset:0;size:4;signed:0;field:u64 number;offset:4;size:8;signed:0;"
check "its print format" grep -qxF \
	'print fmt: "context=%u number=%llu", REC->context, REC->number' \
	$tree/events/raw/hit/format
check "info names the tracepoint's module" \
	grep -qx 'event raw:hit id 0 enabled 0 module ktrace_test' $tree/info

for bad in \
	'raw:x test_hit::SYSTEM/EVENT TRACEPOINT' \
	'raw/x::SYSTEM/EVENT TRACEPOINT' \
	'/x test_hit::not one that a file can have' \
	'raw/ test_hit::not one that a file can have' \
	'raw/../x test_hit::SYSTEM/EVENT TRACEPOINT' \
	'raw/enabled test_hit::not one that a file can have' \
	'raw/a*b test_hit::not one that a file can have' \
	"$(printf 'raw/\344 test_hit::not one that a file can have')" \
	"$(printf 'raw/x test_hit; u32 \344 a::is not a type')" \
	"$(printf 'raw/x test_hit; u32 u32 \344::a kind, a type and a name')" \
	'raw/x no_such_tracepoint::there is no tracepoint' \
	"$(printf 'raw/x test_hit \033[1m::there is no tracepoint "test_hit" in \\e[1m')" \
	'raw/x test_hit; u33 int a::is not u8 to u64' \
	'raw/x test_hit; u32 a::a kind, a type and a name' \
	'raw/x test_hit; u32::a kind, a type and a name' \
	'raw/x test_hit; u32 int 5a::a kind, a type and a name' \
	'raw/x test_hit;; u32 int a::is not u8 to u64' \
	'raw/x test_hit; u32 int a; u32 int a::two arguments named' \
	'raw/x test_hit; u8 u8 a; u8 u8 b; u8 u8 c; u8 u8 d; u8 u8 e; u8 u8 f; u8 u8 g; u8 u8 h; u8 u8 i; u8 u8 j; u8 u8 k; u8 u8 l; u8 u8 m::more than 12' \
	'raw/x irq_work_entry; s32 int a; u64 u64 b; u64 u64 c; u64 u64 d; u64 u64 e; u64 u64 f; u64 u64 g; u64 u64 h::passes 1, not 8 arguments' \
	'raw/x test_hit; u32 u32 a; u64 u64 b; u64 u64 c::passes 2, not 3 arguments' \
	'raw/hit test_hit; u32 u32 context::of that name with another format' \
	'!raw/none::is not defined here' \
	'!ktrace_test/test_hit::is not defined here' \
	'!::is not defined here'; do
	check "refused: ${bad%::*}" refuses define "${bad%::*}" "${bad##*::}"
done
check "of many lines none counts if one is bad" refuses define \
	"$(printf 'raw/one test_hit\n!raw/hit\nraw/two test_hit\nbad')" "SYSTEM/EVENT"
check "nothing of them is left" is "$(ls $tree/events/raw | tr '\n' ' ')" \
	"enabled hit "

# A refused write does not change what it would have removed: enabled, filtered, captured.
put capture 'raw/hit: u64 twice: a1 a1 + put 8'
put events/raw/hit/filter 'context == 0'
put events/raw/hit/enabled 1
state() {
	cat $tree/events/raw/hit/enabled $tree/events/raw/hit/filter \
		$tree/events/raw/hit/id $tree/capture $tree/gone
}
before=$(state)
put enabled 1
test_run reset
test_run 'task 200'
for bad in "$(printf '!raw/hit\nbad')" \
	"$(printf '!raw/hit\nraw/hit test_hit\nraw/hit test_hit; u8 u8 a')" \
	"$(printf '!raw/hit\n!raw/hit')" \
	"$(printf 'raw/more test_hit\n!raw/more\n!raw/more')"; do
	check "refused: $(echo "$bad" | tr '\n' '|')" refuses define "$bad" ""
	check "the event that it removes is as it was" is "$(state)" "$before"
done
test_run 'task 200'
put enabled 0
check "and goes on recording" is "$(count "$($bin/ktread $tree)" raw:hit)" 400
put events/raw/hit/enabled 0
put events/raw/hit/filter none
put capture none
check "what a write adds it may remove" put define "$(printf 'raw/more test_hit\n!raw/more')"
check "and nothing is left of it" is "$(ls $tree/events/raw | tr '\n' ' ')" "enabled hit "
put reset 1

check "many lines" put define \
	"$(printf '\n raw/one  test_hit ; u32 unsigned int  context;\nraw/none test_hit\n\n!raw/hit\nraw/hit test_hit; u8 u8 context')"
check "they are there" is "$(ls $tree/events/raw | tr '\n' ' ')" \
	"enabled hit none one "

put define 'raw/signed test_hit; s8 s8 context; s16 s16 number'
put events/raw/enabled 1
put enabled 1
test_run reset
test_run 'task 500'
test_run 'task 500'
put enabled 0
read=$($bin/ktread -d $tree)
check "the buffers are sound" test $? = 0
check "all hits were recorded" is \
	"$(count "$read" raw:one) $(count "$read" raw:hit) $(count "$read" raw:signed)" \
	"1000 1000 1000"
# They are numbered from 1; the thread may have migrated to another CPU.
echo "$read" | awk '$4 == "raw:signed" { print $5 }' | sort >/tmp/got
for i in $(seq 1000); do
	printf '00%02x%02x\n' $((i & 255)) $((i >> 8))
done | sort >/tmp/wanted
check "small values are cut to their size" cmp /tmp/got /tmp/wanted
put enabled 1
test_run 'task 500'
check "an enabled one can be removed" put define '!raw/none'
test_run 'task 500'
put reset 1
test_run 'task 500'
put enabled 0
check "the others go on" is "$(count "$($bin/ktread $tree)" raw:one)" 500
put events/enabled 0
rmmod ktrace-test
check "a definition waits for its tracepoint" \
	is "$(get define | wc -l) $(ls $tree/events)" "3 enabled"
load_module ktrace-test
check "and is back with it" test -d $tree/events/raw/one
check "of the kernel's own: one too many" refuses define \
	'raw/x sys_exit; u64 u64 a; u64 u64 b; u64 u64 c' "passes 2, not 3 arguments"
check "all that there are" put define 'raw/all sys_exit; ptr void* regs; s64 long ret'
put define "$(get define | sed 's/^\([^ ]*\) .*/!\1/')"
check "all removed" is "$(get define)$(ls $tree/events)" enabled

# All existing tracepoints, without arguments: each can be attached.
get undefined | awk '{ print "every/" $1 " " $1 }' >/tmp/every
n=$(wc -l </tmp/every)
check "every tracepoint can be defined" cp /tmp/every $tree/define
check "none is undefined then" is "$(get undefined)" ""
put events/enabled 1
put enabled 1
sleep 1
put enabled 0
check "every one can be enabled ($n)" is \
	"$(grep -c '^event every:.* enabled 1 ' $tree/info)" "$n"
read=$($bin/ktread -q $tree)
check "the buffers are sound" test $? = 0
check "there were some" at_least "$(sum "$read")" 100
put define "$(sed 's/^\([^ ]*\) .*/!\1/' /tmp/every)"
check "all removed" is "$(get define)" ""

# One write waits only once for the probes that may still run, not forty times. The kernel
# itself waits some times more while it changes its tracepoints: up to twelve were seen.
head -n 40 /tmp/every >/tmp/some
cp /tmp/some $tree/define
put events/every/enabled 1
put enabled 1
sed 's/^\([^ ]*\) .*/!\1/' /tmp/some >/tmp/remove
check "forty that are recorded are removed at once" at_most \
	"$(graces cp /tmp/remove $tree/define)" 20
check "all removed" is "$(get define)" ""
put enabled 0
rmmod ktrace-test
clean
