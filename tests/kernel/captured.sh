#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Whole calls with what their arguments point to (kernel/source/function/captured.c): it is read
# at the entry, and kept until the call returns, in one of a limited number of places.  Without a
# place the call is recorded all the same, is marked, and counted.  Each place comes back, however
# the call ends.
# One kernel is enough: trampolines.sh checks on each that both ways work.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
parameters=/sys/module/ktrace_functions/parameters
work=$(mktemp -d)
dump=$work/dump

# word NUMBER: 4 bytes, as ktread prints them
word() {
	printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) \
		$(($1 >> 24 & 255))
}

index() {
	awk -v name="$1" '$2 == "on" && $5 == name { print $1; exit }' $tree/function_table
}

# whole NAME: payloads of its calls behind the index, without the duration
whole() {
	grep " call:function $(word "$(index "$1")")" "$dump" |
		sed 's/.* [0-9a-f]\{8\}//; s/^\(.\{8\}\).\{16\}/\1/'
}

# uncaptured: how many calls are without it
uncaptured() {
	number "$(get overflow | grep '^source captures ')" 'source captures' missed
}

# begin and end: what is recorded in between is in the dump
begin() {
	put reset 1
	put enabled 1
}

end() {
	put enabled 0
	$bin/ktread -dq $tree >"$dump" || echo "not ok - the buffers are not sound"
}

# hold COUNT: so many processes sleep in altered_sleep()
hold() {
	local n=0
	held=
	while [ $n -lt "$1" ]; do
		sh -c "echo hold >$run" 2>/dev/null &
		held="$held $!"
		n=$((n + 1))
	done
	for n in $held; do
		until [ "$(cut -d ' ' -f 3 /proc/"$n"/stat)" = S ] && grep -q altered_sleep /proc/"$n"/stack; do
			[ -e /proc/"$n" ] || { echo "not ok - process $n stays in the call"; return; }
			sleep 0.05
		done
	done
}

let_go() {
	kill -9 $held
	wait $held 2>/dev/null
}

# at_entry and nothing: what altered_text()'s record has behind the duration, captured or not: ret,
# two words of which the first is an address, the masks, where the text is, the text
at_entry='18001000f9ffffffffffffff ADDRESS 0700000000000000 00000000 30000d00 617420746865 20656e74727900'
nothing='18001000f9ffffffffffffff ADDRESS 0700000000000000 00000100 00000000'
texts() {
	whole altered_text | sed 's/^\(.\{24\}\).\{16\}\(.\{16\}\)\(.\{8\}\)\(.\{8\}\)/\1 ADDRESS \2 \3 \4 /
		s/ \(617420746865\)\(20656e74727900\)0*$/ \1 \2/; s/ *$//' | sort | uniq -c | sed 's/^ *//'
}

text=': char text: kernel a0 string 16'
altered="+ktrace_callee:altered_text 2 s32 $text
+ktrace_callee:altered_sleep 1 s32 $text"

load_module ktrace-functions
load_module ktrace-callee

# ---- what is recorded ---------------------------------------------------------------

# recorded WAY: with functions that may be hooked that way
recorded() {
	put functions none
	put functions "+ktrace_callee:altered_text 2 s32 $1 $text
+ktrace_callee:callee_error 1 s32 $1"
	put events/call/function/enabled 1
	begin
	echo alter 10 >$run
	echo calls 10 >$run
	end
	check "$1 what arguments point to is that of the entry" is "$(texts)" "10 $at_entry"
	check "$1 a call without a program is as ever" is "$(whole callee_error | sort | uniq -c |
		tr -s ' ')" " 10 18000800eaffffffffffffff1600000000000000"
	put events/call/function/filter 'ret > 0'
	begin
	echo alter 10 >$run
	end
	check "$1 a filter refuses at the return" is "$(grep -c call: "$dump")" 0
	put events/call/function/filter "ret < 0 && comm == 'sh'"
	begin
	echo alter 10 >$run
	end
	check "$1 and lets pass" is "$(texts)" "10 $at_entry"
	put events/call/function/filter "ret < 0 && comm != 'sh'"
	begin
	echo alter 10 >$run
	end
	check "$1 by tasks, too" is "$(grep -c call: "$dump")" 0
	put events/call/function/filter none
	put pids 1
	begin
	echo alter 10 >$run
	end
	check "$1 of other processes, nothing" is "$(grep -c call: "$dump")" 0
	put pids ''
	put events/function/enabled 1
	begin
	echo alter 10 >$run
	end
	check "$1 beside entries and exits" is "$(texts) $(grep -c function:entry "$dump") \
$(grep -c function:exit "$dump")" "10 $at_entry 10 10"
	put events/call/function/enabled 0
	put events/call/function/enabled 1
	put events/function/enabled 0
	put functions "+ktrace_callee:altered_text 2 s32 $1 if a1_s32 == 8 $text"
	begin
	echo alter 10 >$run
	end
	check "$1 a condition at the entry refuses" is "$(grep -c call: "$dump")" 0
	put functions "+ktrace_callee:altered_text 2 s32 $1 if a1_s32 == 7 $text"
	begin
	echo alter 10 >$run
	end
	check "$1 or lets pass" is "$(texts)" "10 $at_entry"
	put functions "+ktrace_callee:altered_text 2 s32 inside $1 $text
+vfs_write 3"
	begin
	echo alter 10 >$run
	end
	check "$1 within a root" is "$(texts)" "10 $at_entry"
	put functions '-vfs_write'
	begin
	echo alter 10 >$run
	end
	check "$1 but not without" is "$(grep -c call: "$dump")" 0
	put events/call/function/enabled 0
	check "$1 nothing is missing" is "$(uncaptured)" 0
}
recorded ''
recorded direct

put functions none
put events/call/function/enabled 1
put functions "$altered"
begin
echo alter 10 >$run
end
check "functions that are chosen later" is "$(texts)" "10 $at_entry"
put functions '+ktrace_callee:altered_text 2 s32'
begin
echo alter 10 >$run
end
check "without a program any more" is "$(whole altered_text | cut -c 1-24,41- | sort -u)" \
	"18001000f9ffffffffffffff0700000000000000"

# ---- what is too large --------------------------------------------------------------

large='+ktrace_callee:altered_text 2 s32 : char text: kernel a0 string 4096'
# rows: of functions and of programs, also of those that are gone
rows() {
	get function_table | wc -l
	get function_programs | wc -l
}
begin
before=$(rows)
check "a program that may put too much" refuses functions "$large" 'bytes too many'
check "nothing has changed" is "$(get functions | grep altered_text)" '+ktrace_callee:altered_text 2 s32'
check "it takes no room" is "$(rows)" "$before"
check "nor may one wait for its module" refuses functions \
	'+no_such_module:text 2 s32 : char text: kernel a0 string 4096' 'bytes too many'
put enabled 0
put functions "$large"
check "so it is if the session begins later" not put enabled 1
check "says why" is "$(get error | grep -c 'altered_text: its program may put [0-9]* bytes too many')" 1
put functions none

# ---- more calls than places ---------------------------------------------------------

# Without a pause: a session that begins has a new pool.
echo 3 >$parameters/captured_calls
put functions "$altered"
put events/call/function/filter 'ret != 1'
before=$(uncaptured)
begin
round=0
while [ $round -lt 3 ]; do
	hold 5
	echo alter 1 >$run
	let_go
	round=$((round + 1))
done
echo alter 100 >$run
end
check "of 5 calls at a time, 3 have their text, and the others are marked" is \
	"$(whole altered_sleep | cut -c 41-56 | sort | uniq -c | tr -s ' \n' ' ')" \
	" 9 0000000028000500 6 0000010000000000 "
check "the text is that of the entry" is \
	"$(whole altered_sleep | cut -c 57-66 | grep . | sort -u)" 68656c6400
check "so are calls meanwhile, and all places come back" is "$(texts | tr '\n' ';')" \
	"100 $at_entry;3 $nothing;"
check "they are counted" is "$(($(uncaptured) - before)) $(get overflow | grep captures | cut -d ' ' -f 5-)" \
	"9 open 9 nested 0"
before=$(uncaptured)
put events/call/function/filter 'ret == 1'
begin
hold 5
let_go
end
check "of calls that are refused, none counts" is "$(grep -c call: "$dump") $(($(uncaptured) - before))" "0 0"
put events/call/function/filter none

# ---- calls that never return --------------------------------------------------------

# Here, because a task that was killed is one, too.
put functions '+do_exit 1 : u64 code: a0 put 8'
check "do_exit() is hooked" is "$(awk '$2 == "on" && $5 == "do_exit" { print $9 != "-" }' \
	$tree/function_table)" 1
begin
for i in $(seq 40); do
	sh -c :
done
# A task is freed after a grace period or two.
sleep 3
echo alter 100 >$run
end
check "tasks that end in a call give back its place" is "$(texts)" "100 $at_entry"
put functions '-do_exit'

# ---- calls that reading memory makes ------------------------------------------------

# A system call's program cannot read the address: this leads to functions.
load_module ktrace-syscalls
mkdir $tree/sessions/other
put events/call/function/enabled 0
put events/call/function/enabled 1
put functions '+search_exception_tables 1 : u64 address: a0 put 8'
put sessions/other/capture 'syscalls/sys_enter_openat: char name: a1 string 64'
put sessions/other/events/syscalls/sys_enter_openat/enabled 1
put sessions/other/enabled 1
before=$(uncaptured)
begin
perl -e 'syscall 257, -100, 16, 0 for 1 .. 20'
end
put sessions/other/enabled 0
rmdir $tree/sessions/other
rmmod ktrace_syscalls
check "are recorded, but their own memory is not read" is "$(whole search_exception_tables | cut -c 41- |
	sort | uniq -c | grep ' 0000010000000000$' | tr -s ' ')" " $(($(uncaptured) - before)) 0000010000000000"
check "are counted" at_least $(($(uncaptured) - before)) 20
check "for that reason" is "$(get overflow | grep -o 'nested.*' | tail -1)" "nested $(($(uncaptured) - before))"
put functions '-search_exception_tables'

# ---- sessions that end while calls are open -----------------------------------------

begin
hold 3
put events/call/function/enabled 0
put events/call/function/enabled 1
before=$(uncaptured)
begin
echo alter 10 >$run
let_go
end
check "a session that begins anew has all places" is "$(texts) $(($(uncaptured) - before))" "10 $at_entry 0"
check "calls from before are not its own" is "$(whole altered_sleep | wc -l)" 0
hold 3
put events/call/function/enabled 0
put functions none
check "the module may go while such calls are open" rmmod ktrace_functions
let_go
load_module ktrace-functions
put functions "$altered"
put events/call/function/enabled 1
begin
echo alter 10 >$run
end
check "and comes back" is "$(texts)" "10 $at_entry"
put events/call/function/enabled 0
put functions none

rmmod ktrace_functions
rmmod ktrace_callee
rm -r "$work"
clean
