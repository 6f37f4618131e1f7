#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Functions (kernel/source/function): which can be chosen, what is recorded of their calls
# and returns, and that each call is recorded or counted as missed.  kernel/testmod/callee.c
# has functions of which all is known; the kernel's kprobes count calls of others.
# One kernel is enough: trampolines.sh runs this again on each.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
calls=/sys/module/ktrace_functions/parameters/calls

# word NUMBER: 4 bytes, as ktread prints them
word() {
	printf '%02x%02x%02x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) \
		$(($1 >> 24 & 255))
}

# The index of the function NAME that is on; of several, the first.  index NAME [SESSION]
index() {
	awk -v name="$1" '$2 == "on" && $5 == name { print $1; exit }' \
		"$tree/${2-}function_table"
}

# records DUMP EVENT NAME [SESSION]: payloads behind the index
records() {
	grep " function:$2 $(word "$(index "$3" "${4-}")")" "$1" | sed 's/.* [0-9a-f]\{8\}//'
}

number() {
	records "$@" | wc -l
}

# missed [SESSION [REASON]]
missed() {
	awk -v reason="${2:-missed}" '/^source function / {
		for (i = 3; i < NF; i += 2)
			if ($i == reason)
				print $(i + 1)
	}' "$tree/${1-}overflow"
}

states() {
	awk '{ print $2 }' "$tree/function_table" | sort | uniq -c | awk '{ printf "%s %s ", $2, $1 }'
}

dump=$(mktemp)
work=$(mktemp -d)

# ---- what there is ----------------------------------------------------------------

load_module ktrace-functions
mkdir $tree/sessions/other
asked=$(echo '+v*' >$tree/sessions/other/functions && cat $tree/sessions/other/function_table)
rmdir $tree/sessions/other && mkdir $tree/sessions/other
available=$(cat $tree/available_functions)
check "the kernel's functions are listed" at_least "$(echo "$available" | wc -l)" 20000
check "by name and module" is "$(echo "$available" | grep -cx 'vfs_read vmlinux')" 1
echo '+v*' >$tree/sessions/other/functions
check "what the kernel has told for that is kept, and is what it tells when asked" is \
	"$(cksum <$tree/sessions/other/function_table) $(echo "$asked" | grep -c ' vfs_read ')" \
	"$(echo "$asked" | cksum) 1"
rmdir $tree/sessions/other && mkdir $tree/sessions/other
check "what must not be traced is not" is "$(echo "$available" | grep -c '^rcu_is_watching ')" 0
check "nothing is chosen" is "$(get functions)$(get function_table)" ""
check "nothing was missed" is "$(missed) $(missed '' node)" "0 0"
put events/enabled 1
check "who enables all events does not mean functions" is "$(get events/function/enabled)" 0
put events/enabled 0

# ---- choosing ---------------------------------------------------------------------

check "nothing written" refuses functions ' ' 'is wanted'
check "no sign" refuses functions vfs_read '!FUNCTION or none is wanted'
check "no name" refuses functions + 'a function is missing'
check "no module" refuses functions +:vfs_read 'the module is missing'
check "a function that is not there" refuses functions +no_such_function \
	'no function "no_such_function" can be hooked'
check "one that must not be traced" refuses functions +rcu_is_watching 'can be hooked'
check "one that the module does not have" refuses functions '+ktrace_functions:vfs_read' \
	'no function "ktrace_functions:vfs_read"'
check "one less that is not there" refuses functions -nowhere:x 'can be hooked'
check "less of what may come" put functions '-nowhere_*'
check "that is forgotten, too" put functions none
check "too many arguments" refuses functions '+vfs_read 17' '"17" is not a number'
check "words that mean nothing" refuses functions '+vfs_read 3 long' '"long" is not'
check "a control character" refuses functions "$(printf '+vfs\001read')" 'no pattern'
long_line() {
	{ printf +; head -c 5000000 /dev/zero | tr '\0' a; } |
		dd bs=8M iflag=fullblock of=$tree/functions 2>/dev/null
}
warned=$(dmesg | grep -c 'WARNING:')
check "a line that is too long" not long_line
check "says so" is "$(get error | grep -o 'more than 65536')" 'more than 65536'
check "and the kernel warns of nothing" is "$(dmesg | grep -c 'WARNING:')" "$warned"
check "one bad line of three" refuses functions '+vfs_read
+vfs_write
+no_such_function' no_such
many=$(awk 'BEGIN { for (i = 0; i < 1025; i++) print "+a*" }')
check "more patterns than there may be" refuses functions "$many" 'more than 1024 lines with wildcards'
check "it has left nothing in the table" is "$(get function_table)" ""
many=$(echo "$available" | awk '$2 == "vmlinux" && !seen[$1]++ && ++n <= 5000 { print "+vmlinux:" $1 }')
# In one write: the shell would make several of so much.
put_many() {
	echo "$many" | dd bs=4M iflag=fullblock of=$tree/functions 2>/dev/null
}
check "many lines" put_many
check "all are kept" is "$(get functions | wc -l)" 5000
# Some functions have several of the names.
check "each means its function" at_least "$(awk '$2 == "on" { print $5 }' \
	$tree/function_table | sort -u | wc -l)" 4800
check "the last one counts" put functions '+vmlinux:vfs_read 2
+vmlinux:vfs_r* 1
+vfs_readv 3'
check "by name, by pattern, by name again" is "$(awk '$2 == "on" && $5 ~ /^vfs_readv?$/ {
	print $5, $6 }' $tree/function_table | sort | tr '\n' ' ')" "vfs_read 1 vfs_readv 3 "
check "lines that take the place of others do not count twice" put_many
put functions none
rmmod ktrace_functions
load_module ktrace-functions
check "several lines at once" put functions '+vfs_read 3
+vfs_write 3
-vfs_write'
check "they are kept as written" is "$(get functions)" "+vfs_read 3
+vfs_write 3
-vfs_write"
check "who sees the kernel's addresses sees them here" is "$(awk '{ print $3 }' $tree/function_table)" \
	"0x$(awk '$3 == "vfs_read" { print $1 }' /proc/kallsyms)"
check "others do not" is "$(setpriv --bounding-set -syslog awk '{ print $3 }' $tree/function_table |
	sort -u)" 0x0
check "the last line counts" is "$(awk '{ print $1, $2, $4, $5, $6, $7 }' $tree/function_table)" \
	"0 on vmlinux vfs_read 3 u64"
put functions '+vfs_write 3 void'
check "a line takes the place of what was said of the same" is "$(get functions)" "+vfs_read 3
+vfs_write 3 void"
put functions -vfs_read
check "a function that was chosen keeps its index" is "$(states)$(index vfs_write)" "off 1 on 1 1"
put functions '+vfs_write 2'
check "unless its records change" is "$(states)$(index vfs_write)" "gone 1 off 1 on 1 2"
check "a change that is refused changes nothing" refuses functions '+vfs_write 3
+no_such_function' no_such
check "nothing at all" is "$(states)$(index vfs_write)" "gone 1 off 1 on 1 2"
check "other sessions have their own" is "$(get sessions/other/function_table)" ""
check "none" put functions none
check "no line is left" is "$(get functions)" ""
check "but the table" is "$(states)" "gone 1 off 2 "

# ---- entries and returns ----------------------------------------------------------

check "a name without its module must be there now" refuses functions '+callee_nothing 1' can
check "functions of a module that will come" put functions '+ktrace_callee:callee_*
+ktrace_callee:callee_error 1
+ktrace_callee:callee_nothing 1 void
+ktrace_callee:callee_s??e 1'
put events/function/enabled 1
put enabled 1
load_module ktrace-callee
check "they are hooked when it comes" is "$(awk '$2 == "on" { print $5 }' $tree/function_table |
	sort | tr '\n' ' ')" "callee_deep callee_error callee_inner \
callee_middle callee_nothing callee_outer callee_pause callee_same callee_same callee_same_other \
callee_six callee_sleep "
echo calls 100 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "the buffers are sound" test $? = 0
for name in callee_six callee_error callee_nothing callee_same callee_same_other; do
	check "each call of $name is recorded, and its return" is \
		"$(number "$dump" entry $name) $(number "$dump" exit $name)" "100 100"
done
other=$(awk '$5 == "callee_same" { n = $1 } END { print n }' $tree/function_table)
check "so are those of another function of the same name" is \
	"$(grep -c " function:[a-z]* $(word "$other")" "$dump")" 200
# The fifth is an address.
check "arguments are what was passed" is "$(records "$dump" entry callee_six | cut -c 1-72,89- |
	sort | uniq -c | tr -s ' ')" \
	" 100 080030000100000000000000020000000000000003000000000000000400000000000000faffffffffffffff"
check "as many as were asked for" is "$(records "$dump" entry callee_error | sort -u)" \
	"080008001600000000000000"
check "what was returned" is "$(records "$dump" exit callee_six | sort -u)" 0800000000000000
check "a negative int" is "$(records "$dump" exit callee_error | sort -u | cut -c 1-8)" eaffffff
check "of void, nothing" is "$(records "$dump" exit callee_nothing | sort -u)" 0000000000000000
check "nothing was missed" is "$(missed)" 0

put functions '+ktrace_callee:typed_*
+ktrace_callee:typed_eight 8
+ktrace_callee:typed_large 5'
put enabled 1
echo types >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
# The caller has left bits above the sizes of the types.
check "words behind the sixth are those on the stack" is "$(records "$dump" entry typed_eight)" \
	08004000"$(printf '%sefbeadde' 01000000 02000000 03000000 04000000 05000000 faffffff \
		f9ff2143 08ffffff)"
check "fewer are recorded of others" is "$(records "$dump" entry typed_large | cut -c 1-10)" 0800280001
put functions '-typed_*'

put reset 1
put enabled 1
echo deep 100 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "a function that calls itself" is \
	"$(number "$dump" entry callee_deep) $(number "$dump" exit callee_deep) $(missed)" \
	"101 101 0"
check "the innermost call returns first" is "$(records "$dump" exit callee_deep |
	awk 'NR == 1 || NR == 101' | tr '\n' ' ')" "0000000000000000 6400000000000000 "

# ---- conditions and programs ------------------------------------------------------

put reset 1
put events/function/entry/filter "function == $(index callee_error)"
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "a filter" is "$(grep -c function:entry "$dump") $(grep -c function:exit "$dump")" "10 60"
put events/function/entry/filter none
put reset 1
put pids 1
put enabled 1
echo calls 10 >$run
put enabled 0
check "processes" is "$(count "$($bin/ktread $tree)" function:exit)" 0
put pids ''
put events/function/enabled 0
put capture 'function/entry: char text: kernel a4 string 9; u8 sum: a0 a1 + a2 + put 1'
put functions '+ktrace_callee:callee_six'
put functions '-callee_[!s]*
-callee_same*'
put events/function/enabled 1
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "a program has the registers as arguments" is \
	"$(records "$dump" entry callee_six | sort -u | cut -c 17-)" \
	"1400050019000100666976650006"
put events/function/enabled 0
check "there is no eighth" refuses capture 'function/entry: u8 x: a7 put 1' 'no such argument'
put capture none
put events/function/enabled 1

# ---- whole calls, decided at their return ------------------------------------------

put functions none
put functions '+ktrace_callee:callee_six 3
+ktrace_callee:callee_error 1 s32
+ktrace_callee:callee_nothing 1 void
+ktrace_callee:callee_pause 1'
put events/function/enabled 0
put events/call/function/enabled 1
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
# whole NAME: payloads of its calls behind the index
whole() {
	grep " call:function $(word "$(index "$1")")" "$dump" | sed 's/.* [0-9a-f]\{8\}//'
}
check "one record for a call, with what it was called with" is "$(whole callee_six |
	cut -c 1-8,25- | sort | uniq -c | tr -s ' ')" \
	" 10 180018000800000000000000010000000000000002000000000000000300000000000000"
check "a negative result" is "$(whole callee_error | cut -c 25-40 | sort -u)" eaffffffffffffff
check "none" is "$(whole callee_nothing | cut -c 25-40 | sort -u)" 0000000000000000
check "nothing else is recorded" is "$(grep -c ' function:' "$dump")" 0
put events/call/function/filter 'ret < 0'
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "only those that fail" is "$(whole callee_error | wc -l) $(grep -c ' call:' "$dump")" "10 10"
put events/call/function/filter "ret < 0 && comm == 'sh'"
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "of those, only a program's" is "$(whole callee_error | wc -l) $(grep -c ' call:' "$dump")" \
	"10 10"
put events/call/function/filter "ret < 0 && comm != 'sh'"
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
check "or all others'" is "$($bin/ktread -dq $tree | grep -c ' call:')" 0
put events/call/function/filter 'ret < 0'
put pids 1
put enabled 1
echo calls 10 >$run
put enabled 0
check "or those of other processes" is "$($bin/ktread -dq $tree | grep -c ' call:')" 0
put pids ''
# The emulator may stop for some milliseconds, in the middle of any call.
put events/call/function/filter 'duration >= 200000000'
put reset 1
put enabled 1
echo calls 10 >$run
echo pause 300 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "only those that take long" is "$(whole callee_pause | wc -l) $(whole callee_error | wc -l)" \
	"1 0"
# The lower four bytes, in order.
check "and how long" at_least "$(printf %d 0x"$(whole callee_pause | head -1 | cut -c 9-16 |
	sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/')")" 290000000
put events/call/function/enabled 0
put events/call/function/filter none
put events/function/enabled 1

# ---- programs of functions --------------------------------------------------------

check "a program that is missing" refuses functions '+vfs_read 3 :' 'a capture program is missing'
check "one with a wrong word" refuses functions '+vfs_read 3 : u8 x: a0 get 1' \
	'vfs_read: at character 10, "get 1": there is no such word'
check "one with an argument too many" refuses functions '+vfs_read 3 : u8 x: a7 put 1' 'no such argument'
check "one with a path" refuses functions '+vfs_read 3 : char x: a0 path 9' 'only system calls have paths'
check "two fields of one name" refuses functions '+vfs_read : u8 x: a0 put 1; u8 x: a1 put 1' 'two fields named "x"'
check "one for what is not recorded" refuses functions '-vfs_read : u8 x: a0 put 1' 'nothing to capture'
check "a good one beside a bad one" refuses functions '+vfs_read 3 : u8 x: a0 put 1
+vfs_write 3 : u8 x: ax put 1' 'no such word'
check "nothing of it stays" is "$(get function_programs)" ""
text='char text: kernel a4 string 9; u8 sum: a0 a1 + a2 + put 1; u64 bad: kernel 16 @8 put 8'
put functions "+ktrace_callee:callee_six 6 : $text
+ktrace_callee:callee_error 1 s32 : u16 half: a0 put 2
+ktrace_callee:callee_same 1 s32 : u16 half: a0 put 2"
check "they are kept as written" is "$(get functions | tail -3)" "+ktrace_callee:callee_six 6 : $text
+ktrace_callee:callee_error 1 s32 : u16 half: a0 put 2
+ktrace_callee:callee_same 1 s32 : u16 half: a0 put 2"
check "equal ones exist once" is "$(get function_programs)" "0 $text
1 u16 half: a0 put 2"
check "functions have their number" is "$(awk '$2 == "on" { print $5, $9 }' $tree/function_table |
	grep 'callee_[es]' | sort)" "callee_error 1
callee_same 1
callee_same 1
callee_six 0"
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "the buffers are sound" test $? = 0
# The third field is marked, and is nowhere: its memory cannot be read.
check "registers come first, then what the program captured" is \
	"$(records "$dump" entry callee_six | sort -u | cut -c 1-16,89-)" \
	"0800300001000000faffffffffffffff00000400480005004d00010000000000666976650006"
check "another function has its own" is "$(records "$dump" entry callee_error | sort -u)" \
	"080008001600000000000000000000001800020016"00
check "exits are as ever" is "$(number "$dump" exit callee_six)" 10
put functions '+ktrace_callee:callee_six 6'
put functions '-callee_[er]*
-callee_same'
put reset 1
put enabled 1
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "without a program, it has registers again" is "$(records "$dump" entry callee_six |
	sort -u | cut -c 1-16)" 0800300001000000

# ---- conditions at the entry -------------------------------------------------------

check "a condition that is missing" refuses functions '+vfs_rea? 3 if' 'a condition is missing'
check "one about what is no argument" refuses functions '+vfs_read 3 if count > 1' \
	'vfs_read: at character 1, "count > 1": there is no such field'
check "one about an argument on the stack" refuses functions '+vfs_read 9 if a6 == 1' 'no such field'
check "one about a type that is none" refuses functions '+vfs_read 3 if a0_s33 == 1' 'no such field'
check "one about nothing" refuses functions '+vfs_read 3 if a0_void == 1' 'no such field'
check "one without an end" refuses functions '+vfs_read 3 if (a0 == 1' 'not closed'
check "one for what is not recorded" refuses functions '!vfs_read if a0 == 1' 'there is nothing to decide'
put functions none
text="a3 == 4 && comm != 'a : b' : u64 x: a0 put 8"
put functions "+ktrace_callee:callee_six 6 if $text
+ktrace_callee:callee_error 1 s32 if a0_s32 != 22
+ktrace_callee:callee_nothing 1 void if a0 > 6
+ktrace_callee:callee_deep 1 if a0 > 97"
check "they are kept as written" is "$(get functions | sed 1d)" "+ktrace_callee:callee_error 1 s32 if a0_s32 != 22
+ktrace_callee:callee_nothing 1 void if a0 > 6
+ktrace_callee:callee_deep 1 if a0 > 97"
check "beside a program, too" is "$(get functions | sed -n 1p)" "+ktrace_callee:callee_six 6 if $text"
put functions '+ktrace_callee:callee_six 6 if a0_u8 == 1 && a1_u16 == 2 && a5_s64 < 0 && a5_s64 > -7'
put events/function/enabled 1
# run_calls: calls, and leaves what is recorded in the dump
run_calls() {
	put reset 1
	put enabled 1
	echo calls 10 >$run
	echo deep 100 >$run
	put enabled 0
	$bin/ktread -dq $tree >"$dump" || echo "# the buffers are not sound"
}
# both NAME: how many entries and exits
both() {
	echo "$(number "$dump" entry "$1") $(number "$dump" exit "$1")"
}
before=$(missed)
was=$(cat $calls)
put events/function/enabled 0
echo 3 >$calls
put events/function/enabled 1
run_calls
check "of each function, the calls that its own condition lets pass" is \
	"$(both callee_six) $(both callee_error) $(both callee_nothing) $(both callee_deep)" \
	"10 10 0 0 10 10 3 3"
check "returns of the others are not hooked, and they are not missed" is "$(($(missed) - before))" 0
check "the outermost calls returned last" is "$(records "$dump" exit callee_deep | cut -c 1-2 |
	tr '\n' ' ')" "62 63 64 "
put events/function/enabled 0
echo "$was" >$calls
put events/function/entry/enabled 1
run_calls
check "if entries alone are recorded" is "$(both callee_six) $(both callee_error) $(both callee_deep)" \
	"10 0 0 0 3 0"
put events/function/entry/enabled 0
put events/function/exit/enabled 1
run_calls
check "or returns alone" is "$(both callee_six) $(both callee_error) $(both callee_deep)" \
	"0 10 0 0 0 3"
put events/function/exit/enabled 0
put events/call/function/enabled 1
run_calls
check "or whole calls" is "$(whole callee_six | wc -l) $(whole callee_error | wc -l) $(whole callee_deep |
	wc -l)" "10 0 3"
put events/call/function/filter 'ret != 99'
run_calls
check "which must pass the filter at their return, too" is "$(whole callee_six | wc -l) $(whole callee_deep |
	cut -c 25-26 | tr '\n' ' ')" "10 62 64 "
put events/call/function/filter none
put events/call/function/enabled 0
put events/function/enabled 1
put functions "+ktrace_callee:callee_six 6 if comm == 'sh' && a3 >= 4
+ktrace_callee:callee_nothing 1 void if comm != 'sh' && a0 == 7
+ktrace_callee:callee_deep 1 if cpu < 4096 && (a0 == 3 || a0 == 4)"
run_calls
check "a condition may be about who calls" is "$(both callee_six) $(both callee_nothing) $(both callee_deep)" \
	"10 10 0 0 2 2"
was=$(index callee_six)
put functions '+ktrace_callee:callee_six 6 if a3 == 5'
run_calls
check "another condition" is "$(both callee_six)" "0 0"
put functions '+ktrace_callee:callee_six 6'
run_calls
check "none any more" is "$(both callee_six) $(index callee_six)" "10 10 $was"
put functions '+ktrace_callee:callee_six 6 if a3 == 4 : u8 sum: a0 a1 + a2 + put 1'
run_calls
check "a program is run for those that pass" is "$(both callee_six) $(records "$dump" entry callee_six |
	sort -u | sed 's/.*\(..\)$/\1/')" "10 10 06"
# Thrice the same, in one write each.
check "equal conditions exist once" is "$(for i in 1 2 3; do
	awk 'BEGIN { for (i = 0; i < 1000; i++) print "+ktrace_callee:callee_six 6 if a3 == " i }' |
		dd bs=4M iflag=fullblock of=$tree/functions 2>/dev/null || echo "$i is refused"
done)" ""
check "but not any number" refuses functions "$(awk 'BEGIN {
	for (i = 0; i < 30; i++) print "+ktrace_callee:callee_six 6 if a2 == " i }')" \
	'more than 1024 conditions'
check "what was refused has left none" put functions '+ktrace_callee:callee_six 6 if a1 == 2'
put functions none

# ---- an oracle --------------------------------------------------------------------

tracing=/sys/kernel/tracing
if [ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing 2>/dev/null; then
	put functions none
	put functions '+vfs_mkdir
+vfs_rmdir
+vfs_unlink'
	put reset 1
	for name in vfs_mkdir vfs_rmdir vfs_unlink; do
		echo "p:kt_$name $name" >>$tracing/kprobe_events
		echo 1 >$tracing/events/kprobes/kt_$name/enable
	done
	put enabled 1
	n=0
	while [ $n -lt 80 ]; do
		mkdir "$work/$n"
		: >"$work/file"
		rm "$work/file"
		rmdir "$work/$n"
		n=$((n + 1))
	done
	put enabled 0
	$bin/ktread -dq $tree >"$dump"
	for name in vfs_mkdir vfs_rmdir vfs_unlink; do
		hits=$(awk -v name=kt_$name '$1 == name { print $2 }' $tracing/kprobe_profile)
		check "$name is called as often as kprobes say" is \
			"$(number "$dump" entry $name) $(number "$dump" exit $name)" "$hits $hits"
		check "which is often" at_least "${hits:-0}" 80
		echo 0 >$tracing/events/kprobes/kt_$name/enable
	done
	echo >$tracing/kprobe_events
fi

# ---- open calls -------------------------------------------------------------------

# sleepers COUNT: so many tasks that sleep in callee_sleep() until they are killed
sleepers() {
	pids=
	while [ "$(echo $pids | wc -w)" -lt "$1" ]; do
		sh -c "echo sleep >$run" 2>/dev/null &
		pids="$pids $!"
	done
	while [ "$(cat /proc/[0-9]*/stack 2>/dev/null | grep -c callee_sleep)" -lt "$1" ]; do
		sleep 0.1
	done
}

# Kills the next COUNT of them.
wake() {
	for pid in $(echo $pids | cut -d ' ' -f "-$1"); do
		kill -9 "$pid"
		wait "$pid" 2>/dev/null
	done
	pids=$(echo $pids | cut -d ' ' -f "$(($1 + 1))-")
}

put functions none
put functions '+callee_sleep 0'
put events/function/enabled 1
put reset 1
put enabled 1
sleepers 20
wake 10
put enabled 0
read=$($bin/ktread $tree)
check "entries are exits and calls that are open" is \
	"$(count "$read" function:entry) $(count "$read" function:exit) $(missed)" "20 10 0"
put enabled 1
wake 10
put enabled 0
read=$($bin/ktread $tree)
check "calls that were open when hooks were taken away return unseen" is \
	"$(count "$read" function:exit) $(missed)" "0 0"
put events/function/enabled 0
echo 8 >$calls
put events/function/enabled 1
put reset 1
put enabled 1
sleepers 20
put enabled 0
entries=$(count "$($bin/ktread $tree)" function:entry)
put enabled 1
[ "${way-}" = direct ] ||
	check "there are as many nodes as were asked for" at_most "$entries" 8
check "calls without one are not recorded, but counted" is "$((entries + $(missed '' node)))" 20
wake 10
put enabled 0
put events/function/enabled 0
check "the source goes while tasks sleep in calls that it hooked" rmmod ktrace_functions
wake 10
check "and they return" is "$(pgrep -f "echo sleep" | wc -l)" 0
load_module ktrace-functions

# ---- modules ----------------------------------------------------------------------

put functions '+ktrace_callee:callee_* 6'
put events/function/enabled 1
put reset 1
put enabled 1
old=$(index callee_six)
check "a module goes with its functions hooked" rmmod ktrace_callee
check "they are gone" is "$(awk '$2 != "gone"' $tree/function_table)" ""
load_module ktrace-callee
check "they are hooked again, as others" test "$(index callee_six)" -gt "$old"
echo calls 10 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "and recorded" is "$(number "$dump" entry callee_six) $(number "$dump" exit callee_six)" \
	"10 10"

# ---- on and off under load --------------------------------------------------------

put functions none
put functions '+callee_six 2'
put reset 1
put buffer_size 16M
put enabled 1
other=sessions/other/
put ${other}events/function/enabled 1
put ${other}mode overwrite
put ${other}enabled 1
(n=0; while [ $n -lt 40 ]; do echo calls 2000 >$run; n=$((n + 1)); done) &
load=$!
while kill -0 $load 2>/dev/null; do
	put ${other}functions '+callee_* 3'
	put ${other}functions '-callee_six'
	put ${other}events/function/exit/enabled 0
	put ${other}functions 'none'
	put ${other}events/function/exit/enabled 1
done
wait
put enabled 0
put ${other}enabled 0
read=$($bin/ktread $tree)
check "what another session switches does not matter" is "$(count "$read" function:entry) \
$(count "$read" function:exit) $(missed)" "80000 80000 0"
put ${other}events/function/enabled 0
put events/function/enabled 0
put functions none

# ---- more calls than a stack has room for -----------------------------------------

put functions '+callee_deep 1'
put events/function/enabled 1
put reset 1
put enabled 1
echo deep 1000 >$run
put enabled 0
$bin/ktread -dq $tree >"$dump"
check "each of many nested calls is recorded or counted" is \
	"$(($(number "$dump" entry callee_deep) + $(missed '' stack)))" 1001
check "none is recorded by half" is "$(number "$dump" exit callee_deep)" \
	"$(number "$dump" entry callee_deep)"
put events/function/enabled 0
put functions none

# ---- interrupts -------------------------------------------------------------------

# irq_exit_rcu() is called in an interrupt, but when it returns the interrupt counts as ended,
# though a hook of callee_six() may be what it has interrupted.
put functions '+callee_six 0
+irq_exit_rcu 0'
put events/function/enabled 1
# Not this process, which switches: an interrupt may come between the two events.
mkfifo "$work/go"
exec 3<>"$work/go"
(
	read -r go <&3
	echo calls 1000000 >$run
) &
put pids $!
for event in entry exit; do
	put events/function/$event/filter "function == $(index irq_exit_rcu)"
done
put reset 1
put enabled 1
echo go >&3
wait $!
put enabled 0
exec 3>&-
read=$($bin/ktread $tree)
entries=$(count "$read" function:entry)
check "interrupts come while a hook runs" at_least "$entries" 20
check "none of their returns is missed" is "$(count "$read" function:exit)" "$entries"
put events/function/enabled 0
for event in entry exit; do
	put events/function/$event/filter ''
done
put pids ''
put functions none

# ---- stacks -----------------------------------------------------------------------

# ids NAME: of the stacks of its calls
ids() {
	records "$dump" entry "$1" | cut -c 9-16 | while read -r id; do
		echo $((0x$(echo $id | sed 's/\(..\)\(..\)\(..\)\(..\)/\4\3\2\1/')))
	done
}
# stacks NAME: how many functions they have, 1 if they are complete, where they begin
stacks() {
	ids "$1" | while read -r id; do
		od -An -v -j $((id * 8 + 4)) -N 2 -t u2 $tree/stacks
		od -An -v -j $((id * 8 + 6)) -N 1 -t u1 $tree/stacks
		od -An -v -j $((id * 8 + 8)) -N 8 -t x8 $tree/stacks
	done | awk '{ printf "%s%s", $1, NR % 3 ? " " : "\n" }' | awk '{ print $1, !$2, $3 }'
}
stacks_on() {
	put stack "function/entry: $1"
	put events/function/enabled 1
	put enabled 1
}
stacks_off() {
	put enabled 0
	$bin/ktread -dq $tree >"$dump"
}
way_now() {
	awk '$2 == "on" { print $10 }' $tree/function_table | sort -u
}
# Each call of callee_deep() is one function deeper, and the returns of all are hooked.
put functions '+ktrace_callee:callee_deep 1
+ktrace_callee:callee_six 8
+ktrace_callee:callee_error 1'
check "returns have no stacks" refuses stack 'function/exit: kernel' 'no stacks are recorded'
check "who may have none says so" is "$(grep -c 'event [a-z]*:[a-z]* .* stackless 1$' $tree/available)" 1
stacks_on kernel
check "functions with stacks have no trampoline" is "$(way_now)" ftrace
echo deep 20 >$run
echo calls 3 >$run
echo patch >$run
echo calls 3 >$run
stacks_off
check "a stack has each of the calls" is "$(stacks callee_deep |
	awk 'NR > 1 && $1 != before + 1 || !$2 { bad++ } { before = $1 } END { print NR, bad + 0 }')" "21 0"
check "equal calls have equal stacks" is "$(ids callee_six | wc -l) $(ids callee_six |
	sort -u | wc -l)" "6 1"
check "words of the stack are behind it" is "$(records "$dump" entry callee_six | cut -c 17- |
	sed 's/\(.\{16\}\).*\(.\{32\}\)$/\1 \2/' | cut -c -2 | sort -u)" 01
check "a patched function has its own stack" is "$(stacks callee_error | wc -l) $(stacks callee_error |
	sort -u | awk -v place="$(awk '$5 == "callee_error" { print substr($3, 3) }' $tree/function_table)" \
		'{ print $2, substr($3, 1, 15) == substr(place, 1, 15) }')" "6 1 1"
put events/function/enabled 0
put functions none
rmmod ktrace_callee
load_module ktrace-callee
put functions '+ktrace_callee:callee_error 1'
put stack none
put capture 'function/entry: u64 number: a0 put 8'
stacks_on both
echo calls 3 >$run
stacks_off
# 8 bytes, two masks, the place of the data, two ids, the data.
check "captured fields are behind the ids" is "$(records "$dump" entry callee_error | cut -c 9-24,41- |
	sort -u)" "00000000180008001600000000000000"
put events/function/enabled 0
put stack none
put capture none
put functions '+ktrace_callee:callee_error 1'
put events/function/entry/filter 'function == 77'
stacks_on kernel
echo calls 3 >$run
stacks_off
check "a filter is asked first" is "$(number "$dump" entry callee_error)" 0
put events/function/entry/filter 0
# Calls do not stop while the way changes to and fro.
put functions '+ktrace_callee:callee_six 6'
while [ -e $run ]; do echo calls 20; sleep 0.01; done >$run 2>/dev/null &
caller=$!
for i in 1 2 3 4 5 6; do
	put events/function/enabled 0
	put stack none
	put events/function/enabled 1
	put enabled 1
	sleep 0.1
	put events/function/entry/enabled 0
	put stack 'function/entry: both'
	put events/function/entry/enabled 1
	sleep 0.1
	put enabled 0
done
kill $caller
wait $caller 2>/dev/null
# Records of before have types that ktread does not know any more.
put events/function/enabled 0
put stack none
put reset 1
stacks_on both
echo calls 3 >$run
stacks_off
check "then calls have stacks" at_least "$(ids callee_six | grep -c '[1-9]')" 3
put events/function/enabled 0
put stack none
put events/function/enabled 1
put enabled 1
check "without stacks the way is as before" is "$(way_now)" "${way:-ftrace}"
put enabled 0
put events/function/enabled 0
put functions none
put reset 1

# ---- all of them: by a pattern, which is not direct -------------------------------

all_of_them() {
	put mode overwrite
	put reset 1
	put functions '+* 2'
	check "all functions are chosen" at_least "$(grep -c ' on ' $tree/function_table)" 20000
	put events/function/enabled 1
	check "and hooked" put enabled 1
	sysctl -w kernel.ftrace_enabled=0 >/dev/null 2>&1
	check "ftrace cannot be switched off below them" is "$(cat /proc/sys/kernel/ftrace_enabled)" 1
	echo calls 50 >$run
	echo deep 20 >$run
	ls -l /proc/self/ >/dev/null 2>&1
	# What hooks returns for a kretprobe must not be hooked at its own: rethook would return to a
	# wrong place, and say so.
	if [ -e /sys/kernel/tracing/kprobe_events ]; then
		echo 'r:kt_return vfs_write' >/sys/kernel/tracing/kprobe_events
		echo 1 >/sys/kernel/tracing/events/kprobes/kt_return/enable
		dd if=/dev/zero of="$dump" bs=1k count=200 2>/dev/null
		echo 0 >/sys/kernel/tracing/events/kprobes/kt_return/enable
		check "a kretprobe works beside them" at_least \
			"$(awk '{ print $2 }' /sys/kernel/tracing/kprobe_profile)" 200
		echo >/sys/kernel/tracing/kprobe_events
	fi
	put enabled 0
	$bin/ktread $tree >"$dump"
	check "the buffers are sound" test $? = 0
	check "much was recorded" at_least "$(count "$(cat "$dump")" function:entry)" 1000
	put events/function/enabled 0
}
[ "${way-}" = direct ] || all_of_them
put functions none
rmdir $tree/sessions/other
rmmod ktrace_callee
check "nothing holds the module" rmmod ktrace_functions
check "its files are gone" test ! -e $tree/functions -a ! -e $tree/available_functions
rm -rf "$work" "$dump"
clean
