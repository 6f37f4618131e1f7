#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# For each function, entries are exits, calls that are open, and calls that are counted as missed
# (kernel/source/function), on both ways: with many tasks asleep in hooked calls, of which half are
# killed; with functions that do not return; and with functions that end with a jump to another one.
# How often functions were called is known from the test module, from the kernel's tracepoints and
# from its kprobes.
# One kernel is enough: trampolines.sh checks on each that both ways work.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
parameters=/sys/module/ktrace_functions/parameters
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
work=$(mktemp -d)

load_module ktrace-functions
load_module ktrace-callee

# each: "NAME ENTRIES EXITS" of the functions that are on, in their order
each() {
	awk -v digits=0123456789abcdef '
		FNR == NR { if ($2 == "on") { name[$1] = $5; order[++n] = $1 } next }
		/ function:(entry|exit) / {
			i = 0
			for (k = 7; k > 0; k -= 2) {
				i = i * 16 + index(digits, substr($NF, k, 1)) - 1
				i = i * 16 + index(digits, substr($NF, k + 1, 1)) - 1
			}
			count[i, $0 ~ /:entry /]++
		}
		END {
			for (k = 1; k <= n; k++)
				print name[order[k]], count[order[k], 1] + 0, count[order[k], 0] + 0
		}' $tree/function_table $work/dump
}

# counts NAME: its entries and exits
counts() {
	sed -n "s/^$1 //p" $work/each
}

entries() {
	counts "$1" | cut -d ' ' -f 1
}

exits() {
	counts "$1" | cut -d ' ' -f 2
}

# How many were missed since the recording began.
missed() {
	echo $(($(awk '/^source function / { print $4 }' $tree/overflow) - missed_before))
}

# choose WORDS NAME...: hooks these
choose() {
	local lines='' name
	local how=$1
	shift
	for name; do
		lines="$lines
+$name 1$how"
	done
	put functions none
	put functions "${lines#?}"
	put events/function/enabled 1
}

begin() {
	missed_before=0
	missed_before=$(missed)
	put reset 1
	put enabled 1
}

end() {
	put enabled 0
	$bin/ktread -dq $tree >$work/dump || echo "not ok - the buffers are not sound"
	each >$work/each
}

# How functions are hooked now.
ways() {
	awk '$2 == "on" { print $10 }' $tree/function_table | sort -u
}

# asleep COUNT: so many tasks sleep in callee_sleep() until they are killed
asleep() {
	local n=0
	pids=
	while [ $n -lt "$1" ]; do
		# No program is executed: a shell of its own, and its builtin.
		(echo sleep >$run) 2>/dev/null &
		pids="$pids $!"
		n=$((n + 1))
	done
	wait_until are_asleep "$1"
}

are_asleep() {
	[ "$(cat /proc/[0-9]*/stack 2>/dev/null | grep -c 'callee_sleep')" -ge "$1" ]
}

# Kills the next COUNT of them.
wake() {
	local now
	now=$(echo $pids | cut -d ' ' -f "-$1")
	kill -9 $now
	for pid in $now; do
		wait "$pid" 2>/dev/null
	done
	pids=$(echo $pids | cut -d ' ' -f "$(($1 + 1))-")
}

# The kernel's own counts: a kprobe, and a kretprobe for returns.  probes NAME
probes() {
	printf 'p:kt_%s %s\nr200:kr_%s %s\n' "$1" "$1" "$1" "$1" >$tracing/kprobe_events
	echo 1 >$tracing/events/kprobes/enable
}

# probe_hits NAME: how often it was called, and returned
probe_hits() {
	awk -v name="$1" '$1 == "kt_" name { p = $2 } $1 == "kr_" name { r = $2 }
		END { print p + 0, r + 0 }' $tracing/kprobe_profile
}

probes_end() {
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
}

# ---- tasks asleep, half of them killed ---------------------------------------------

# sleepers WORDS WAY: 200 of them
sleepers() {
	local how=$1 way=$2 open
	choose "$how" ktrace_callee:callee_sleep vfs_write do_exit
	[ $way = direct ] || probes callee_sleep
	begin
	check "$way: it is the way" is "$(ways)" $way
	asleep 200
	wake 100
	# This write has begun, and returns when nothing is recorded any more.
	end
	check "$way: of 200 calls 100 are open" is "$(counts callee_sleep)" "200 100"
	# The writes of those that are asleep, and that of who has switched it off.
	open=101
	check "$way: so it is further out" is "$(entries vfs_write)" $(($(exits vfs_write) + open))
	check "$way: nothing was missed" is "$(missed)" 0
	check "$way: who was killed does not return from its exit" is "$(counts do_exit)" "$(entries do_exit) 0"
	check "$way: all of them exit" at_least "$(entries do_exit)" 100
	if [ "$way" = ftrace ]; then
		# Kretprobes return for those that were called while they were there.
		check "$way: kprobes have counted the same" is "$(probe_hits callee_sleep)" "200 100"
		probes_end
	fi
	begin
	wake 100
	end
	check "$way: calls that were open when the hooks went return unseen" is "$(counts callee_sleep)" "0 0"
	put events/function/enabled 0
}

# starved: with nodes for 50 calls
starved() {
	local was
	was=$(cat $parameters/calls)
	echo 50 >$parameters/calls
	choose '' ktrace_callee:callee_sleep
	begin
	asleep 200
	put enabled 0
	open=$(count "$($bin/ktread $tree)" function:entry)
	check "without nodes for all, calls are recorded or missed" is "$((open + $(missed)))" 200
	check "and not more than there are nodes for" at_most "$open" 50
	put enabled 1
	# Those with a node first; they return unseen, because the hooks had gone.
	wake 200
	put events/function/enabled 0
	echo "$was" >$parameters/calls
}

# ---- functions that do not return ---------------------------------------------------

# exit_counted COUNT: so many tasks exit; the kernel's own count of those that do is in $exited
exit_counted() {
	local exiting=$tracing/events/sched/sched_process_exit n=0
	begin
	put enabled 0
	# From here on this shell alone makes tasks, and waits for them.
	echo 'hist:keys=common_type' >$exiting/trigger
	put enabled 1
	while [ $n -lt "$1" ]; do
		(:)
		n=$((n + 1))
	done
	put enabled 0
	exited=$(sed -n 's/^{.*hitcount: *\([0-9]*\).*/\1/p' $exiting/hist)
	echo '!hist:keys=common_type' >$exiting/trigger
	end
}

# without_return WORDS WAY
without_return() {
	local way=$2
	choose "$1" do_exit do_group_exit
	begin
	check "$way: functions that do not return have it as well" is "$(ways)" $way
	put enabled 0
	exit_counted 300
	check "$way: each task's exit is shown, and is open" is "$(counts do_exit)" "$exited 0"
	check "$way: so is what calls it" is "$(counts do_group_exit)" "$exited 0"
	check "$way: there are many" at_least "$exited" 300
	check "$way: and none counts as missed" is "$(missed)" 0
	put events/function/enabled 0
}

# Does a task that ends now find a node?
misses_nothing() {
	begin
	(:)
	end
	[ "$(missed)" = 0 ]
}

# With nodes for few of them: a task gives its nodes back when the kernel frees it.
few_nodes() {
	local was
	was=$(cat $parameters/calls)
	echo 40 >$parameters/calls
	choose '' do_exit
	exit_counted 300
	check "without nodes for all, exits are recorded or missed" is \
		"$(($(entries do_exit) + $(missed)))" "$exited"
	wait_until misses_nothing
	check "what a task held comes back when it is gone" is "$(missed) $(exits do_exit)" "0 0"
	check "and serves others" at_least "$(entries do_exit)" 1
	put events/function/enabled 0
	echo "$was" >$parameters/calls
}

# ---- functions that end with a jump -------------------------------------------------

# The compiler has made jumps of their calls, or nothing is tested.
code=$(objdump -dr --no-show-raw-insn $KTRACE_MODULES/ktrace-callee.ko)
# ends_with NAME OTHER: is its only way to the other one a jump?
ends_with() {
	is "$(echo "$code" | awk -v name="<$1>:" -v other="[<\t ]$2[->]" '
		$2 == name { on = 1; next }
		!NF { on = 0 }
		!on { next }
		/^ *[0-9a-f]+:\t(jmp|call) / { what = $2 }
		$0 ~ other { print what }')" jmp
}

# jumps WHAT LINES: of functions that are hooked as the lines say
jumps() {
	put functions none
	put functions "$2"
	put events/function/enabled 1
	begin
	echo 'jump 50' >$run
	end
	put events/function/enabled 0
	check "$1: each is called and returns" is "$(counts jump_first), $(counts jump_second), $(counts \
		jump_last) $(missed)" "50 50, 50 50, 50 50 0"
	check "$1: one within the other" is "$(awk -v digits=0123456789abcdef '
		FNR == NR { if ($2 == "on") name[$1] = $5; next }
		/ function:(entry|exit) / {
			i = index(digits, substr($NF, 1, 1)) * 16 + index(digits, substr($NF, 2, 1)) - 17
			printf "%s %s%s", $0 ~ /:entry / ? "+" : "-", name[i],
				$0 ~ /:exit / && name[i] == "jump_first" ? "\n" : " "
		}' $tree/function_table $work/dump | sort | uniq -c | tr -s ' ')" \
		" 50 + jump_first + jump_second + jump_last - jump_last - jump_second - jump_first"
	check "$1: all return what the last one does" is "$(grep ' function:exit ' $work/dump |
		sed 's/.* [0-9a-f]\{8\}//' | cut -c 1-8 | sort -u)" f4ffffff
}

put buffer_size 64M
sleepers ' direct' direct
sleepers '' ftrace
starved
without_return ' direct' direct
without_return '' ftrace
few_nodes

check "the compiler has made a jump" ends_with jump_first jump_second
check "and another" ends_with jump_second jump_last
jumps 'jumps, direct' '+ktrace_callee:jump_[!a]* 1 s32
+ktrace_callee:jump_first 1 s32 direct
+ktrace_callee:jump_second 1 s32 direct
+ktrace_callee:jump_last 1 s32 direct'
jumps 'jumps, by ftrace' '+ktrace_callee:jump_[!a]* 1 s32'
jumps 'jumps, to ftrace and back' '+ktrace_callee:jump_first 1 s32 direct
+ktrace_callee:jump_second 1 s32
+ktrace_callee:jump_last 1 s32 direct'
jumps 'jumps, from ftrace and back' '+ktrace_callee:jump_first 1 s32
+ktrace_callee:jump_second 1 s32 direct
+ktrace_callee:jump_last 1 s32'

put functions none
rmmod ktrace_callee
rmmod ktrace_functions
rm -r $work
clean
