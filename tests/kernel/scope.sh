#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Functions that are recorded only within others (kernel/source/function/scope.c): what roots
# call, down to a depth, without what is cut and without interrupts; and roots themselves.  The
# functions of
# kernel/testmod/callee.c call each other in a known way; the kernel's function_graph is the
# judge of the others.
# One kernel is enough: trampolines.sh runs this again on each.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
dump=$(mktemp)
work=$(mktemp -d)

# calls EVENT: "NAME COUNT ..." of what is recorded, by name
calls() {
	awk -v event="function:$1" -v digits=0123456789abcdef '
		FNR == NR { if ($2 == "on") name[$1] = $5; next }
		$0 ~ event {
			i = index($0, event) + length(event) + 1
			hex = substr($0, i, 8)
			n = 0
			for (k = 7; k > 0; k -= 2) {
				n = n * 16 + index(digits, substr(hex, k, 1)) - 1
				n = n * 16 + index(digits, substr(hex, k + 1, 1)) - 1
			}
			count[name[n]]++
		}
		END { for (x in count) print x, count[x] }' $tree/function_table "$dump" |
		sort | tr '\n' ' '
}

# record COMMAND: runs it, and leaves what is recorded in the dump
record() {
	put reset 1
	put enabled 1
	"$@"
	put enabled 0
	$bin/ktread -dq $tree >"$dump" || echo "# the buffers are not sound"
}

nest() {
	echo nest 10 >$run
}

missed() {
	awk '/^source function / { print $4 }' $tree/overflow
}

load_module ktrace-functions
load_module ktrace-callee

# ---- the files --------------------------------------------------------------------

check "a scope has no limits at first" is "$(get function_scope)" "depth 0
interrupts yes"
check "a depth that is no number" refuses function_scope 'depth deep' 'a number is wanted'
check "interrupts are had or not" refuses function_scope 'interrupts perhaps' 'yes or no is wanted'
check "there is nothing else" refuses function_scope 'width 3' 'depth or interrupts is wanted'
check "one bad line of two" refuses function_scope 'depth 3
width 3' width
check "has changed nothing" is "$(get function_scope | head -1)" "depth 0"
put functions '+ktrace_callee:callee_* 1 s32 inside
+ktrace_callee:callee_outer 1 s32'
check "lines are kept as written" is "$(get functions)" "+ktrace_callee:callee_* 1 s32 inside
+ktrace_callee:callee_outer 1 s32"
check "the table has their parts" is "$(awk '$5 ~ /outer|inner/ { print $5, $6, $7, $8 }' \
	$tree/function_table | sort | tr '\n' ' ')" "callee_inner 1 s32 inside callee_outer 1 s32 root "

# ---- roots and what they call -----------------------------------------------------

put events/function/enabled 1
record nest
check "what a root calls is recorded, the same elsewhere is not" is "$(calls entry)" \
	"callee_inner 20 callee_middle 10 callee_outer 10 "
check "so are the returns" is "$(calls exit)" "callee_inner 20 callee_middle 10 callee_outer 10 "
check "results have the size that was asked for" is "$(grep ' function:exit' "$dump" |
	sed 's/.* [0-9a-f]\{8\}\([0-9a-f]\{16\}\).*/\1/' | sort | uniq -c | tr -s ' ' | tr '\n' ' ')" \
	" 10 e0ffffffffffffff  10 ecffffffffffffff  10 f4ffffffffffffff  10 f5ffffffffffffff "
put function_scope 'depth 2'
record nest
check "down to a depth" is "$(calls entry)" "callee_inner 10 callee_middle 10 callee_outer 10 "
put function_scope 'depth 1'
record nest
check "roots alone" is "$(calls entry)$(calls exit)" "callee_outer 10 callee_outer 10 "
put function_scope 'depth 0'
put functions '!ktrace_callee:callee_middle'
record nest
check "neither what is cut, nor what it calls" is "$(calls entry)" "callee_inner 10 callee_outer 10 "
put functions '+ktrace_callee:callee_inner 1'
record nest
check "not even if that is a root" is "$(calls entry)" "callee_inner 20 callee_outer 10 "
put functions '+ktrace_callee:callee_middle 1 inside
+ktrace_callee:callee_inner 1 inside'
put events/function/exit/enabled 0
record nest
check "entries alone have a scope, too" is "$(calls entry)" \
	"callee_inner 20 callee_middle 10 callee_outer 10 "
put events/function/exit/enabled 1
put events/function/entry/enabled 0
record nest
check "and returns alone" is "$(calls exit)" "callee_inner 20 callee_middle 10 callee_outer 10 "
put events/function/entry/enabled 1
put pids 1
record nest
check "other processes have none" is "$(calls entry)" ""
put pids ''

# ---- conditions at the entry ------------------------------------------------------

put functions none
put function_scope 'depth 0'
put functions '+ktrace_callee:callee_* 1 s32 inside
+ktrace_callee:callee_outer 1 s32 if a0_s32 == 10'
record nest
check "a root that passes has its scope" is "$(calls entry)$(calls exit)" \
	"callee_inner 20 callee_middle 10 callee_outer 10 callee_inner 20 callee_middle 10 callee_outer 10 "
put functions '+ktrace_callee:callee_outer 1 s32 if a0_s32 == 11'
record nest
check "one that is refused has none" is "$(calls entry)$(calls exit)" ""
put functions '+ktrace_callee:callee_outer 1 s32
+ktrace_callee:callee_middle 1 s32 inside if a0_s32 == 11'
put function_scope 'depth 2'
record nest
check "a call within a root that is refused is no level, but what it calls is" is "$(calls entry)$(calls exit)" \
	"callee_inner 20 callee_outer 10 callee_inner 20 callee_outer 10 "
put functions '+ktrace_callee:callee_outer 1 s32 if a0_s32 == 11
+ktrace_callee:callee_middle 1 s32 inside
+ktrace_callee:callee_inner 1 s32 if a0_s32 == 30 || a0_s32 == 20'
record nest
check "another root is one wherever it is called" is "$(calls entry)$(calls exit)" \
	"callee_inner 20 callee_inner 20 "
put function_scope 'depth 0'
put functions none

# ---- roots within other functions -------------------------------------------------

put functions none
put functions '+ktrace_callee:callee_inner 1 s32
+ktrace_callee:callee_middle 1 around'
check "lines that choose what is around are kept" is "$(get functions)" \
	"+ktrace_callee:callee_inner 1 s32
+ktrace_callee:callee_middle 1 around"
check "the table says it" is "$(awk '$5 == "callee_middle" { print $8 }' $tree/function_table | tail -n 1)" around
record nest
check "roots are recorded within it, and it is not" is "$(calls entry)$(calls exit)" \
	"callee_inner 10 callee_inner 10 "
put events/function/exit/enabled 0
record nest
check "entries alone, too" is "$(calls entry)" "callee_inner 10 "
put events/function/enabled 0
put events/call/function/enabled 1
record nest
check "and whole calls" is "$(grep -c ' call:function ' "$dump")" 10
put events/call/function/enabled 0
put events/function/enabled 1
put functions '+ktrace_callee:callee_* 1 inside
+ktrace_callee:callee_middle 1
+ktrace_callee:callee_outer 1 around'
record nest
check "a root that is within it has its scope" is "$(calls entry)" "callee_inner 10 callee_middle 10 "
put functions '!ktrace_callee:callee_middle'
put functions '+ktrace_callee:callee_inner 1'
record nest
check "what is cut is, there as well" is "$(calls entry)" "callee_inner 10 "
put functions none
put functions '+ktrace_callee:callee_inner 1
+ktrace_callee:callee_outer 1 around if a0_s32 == 11'
record nest
check "a call that is refused is not around" is "$(calls entry)" ""
put functions '+ktrace_callee:callee_outer 1 around if a0_s32 == 10'
record nest
check "one that passes is" is "$(calls entry)" "callee_inner 20 "
put functions '+ktrace_callee:callee_outer 1 around
+ktrace_callee:callee_middle 1 around'
record nest
check "one within another makes no difference" is "$(calls entry)" "callee_inner 20 "
put functions '-ktrace_callee:callee_outer
-ktrace_callee:callee_middle'
record nest
check "if there are none any more, roots are recorded everywhere" is "$(calls entry)" \
	"callee_inner 30 "
put functions '+ktrace_callee:callee_inner 1
+ktrace_callee:callee_outer 1 around'
put functions '-ktrace_callee:*outer'
record nest
check "also if another line takes them away" is "$(calls entry)" "callee_inner 30 "
put functions '+ktrace_callee:callee_outer 1 around
+no_such_module:function 1 around'
put functions '-ktrace_callee:*outer'
record nest
check "but not if one waits for its module" is "$(calls entry)" ""
put functions none
put functions '+ktrace_callee:callee_inner 1'
record nest
check "until all lines are forgotten" is "$(calls entry)" "callee_inner 30 "
check "nothing is captured of it" refuses functions '+ktrace_callee:callee_outer 1 around : a0 : 1' \
	'nothing to capture'

# ---- roots within roots -----------------------------------------------------------

put functions none
put functions '+ktrace_callee:callee_deep 1'
deep() { echo deep 20 >$run; }
put functions '+ktrace_callee:callee_* 1 inside
+ktrace_callee:callee_deep 1'
put function_scope 'depth 3'
record deep
check "a root that calls itself is recorded at any depth" is "$(calls entry)" "callee_deep 21 "
put functions '+ktrace_callee:callee_deep 1 inside
+ktrace_callee:run_write 0'
record deep
check "what is no root is not" is "$(calls entry)" "callee_deep 2 run_write 1 "
put function_scope 'depth 0'

# ---- calls that never return, and tasks that end ----------------------------------

put functions none
put functions '+ktrace_callee:callee_* 1 inside
+do_exit 1'
exits() {
	n=0
	while [ $n -lt 200 ]; do
		(:)
		n=$((n + 1))
	done
	nest
}
record exits
check "tasks that ended in a root have left it" is "$(calls entry | sed 's/do_exit [0-9]*/many/')" \
	"many "
put functions none
put functions '+ktrace_callee:callee_* 1
+do_exit 1 around'
# New tasks have the memory of those that have ended.
exits_and_others() {
	exits
	n=0
	while [ $n -lt 100 ]; do
		(nest)
		n=$((n + 1))
	done
}
record exits_and_others
check "and what was around their roots" is "$(calls entry)" ""
check "nothing was missed" is "$(missed)" 0

# ---- interrupts -------------------------------------------------------------------

put functions none
put functions '+hrtimer_interrupt 0 inside
+ktrace_callee:run_write 0'
busy() { echo calls 300000 >$run; }
put events/function/entry/enabled 1
record busy
check "what interrupts a root is recorded" at_least "$(calls entry |
	sed -n 's/.*hrtimer_interrupt \([0-9]*\).*/\1/p')" 1
put function_scope 'interrupts no'
record busy
check "or it is not" is "$(calls entry)" "run_write 1 "
put functions '+hrtimer_interrupt 0
+ktrace_callee:run_write 0 around'
record busy
check "a root of an interrupt is not within what that interrupts" is "$(calls entry)" ""
put function_scope 'interrupts yes'
record busy
check "unless interrupts are had" at_least "$(calls entry |
	sed -n 's/.*hrtimer_interrupt \([0-9]*\).*/\1/p')" 1
put function_scope 'interrupts no'
put functions '+ktime_get_update_offsets_now 0
+hrtimer_interrupt 0 around'
record busy
check "one that is within a function of the interrupt is" at_least "$(calls entry |
	sed -n 's/.*ktime_get_update_offsets_now \([0-9]*\).*/\1/p')" 1
put functions none
put functions '+ktrace_callee:run_write 0
+hrtimer_interrupt 0'
# Of this process alone, which is in the root nearly all the time.
put pids $$
busy() { echo calls 2000000 >$run; }
record busy
put pids ''
check "but roots of interrupts are, whatever they interrupt" at_least "$(calls entry |
	sed -n 's/.*hrtimer_interrupt \([0-9]*\).*/\1/p')" 10
put function_scope 'interrupts yes'

# The number of a task changes when a thread that is not the first executes a program.  (It is
# executed itself before.)
put functions none
put functions '+__x64_sys_execve 1
+setup_new_exec 1 inside
+finalize_exec 1 inside'
put function_scope 'depth 0
interrupts yes'
record $bin/exec /bin/true
check "a thread that becomes the first of its process stays in its root" is \
	"$(calls entry | grep -o 'finalize_exec 2 setup_new_exec 2')" \
	'finalize_exec 2 setup_new_exec 2'

# ---- the kernel's function_graph as oracle ----------------------------------------

# graph_calls [NAME]: the calls of graph's output, by name; not of NAME
graph_calls() {
	sed -n 's/.*| *\([a-z_][a-z0-9_.]*\)() *[;{].*/\1/p' $tracing/trace |
		grep -vx "${1:-none}" | sort | uniq -c |
		awk '{ print $2, $1 }' | tr '\n' ' '
}

# worker: a process, $worker, that waits for a line in descriptor 3
worker() {
	(
		read -r go <&3
		n=0
		while [ $n -lt 50 ]; do
			: >"$work/file"
			n=$((n + 1))
		done
	) &
	worker=$!
}

work_on() {
	echo go >&3
	wait $worker
}

tracing=/sys/kernel/tracing
if [ -e $tracing/set_graph_function ] || mount -t tracefs tracefs $tracing 2>/dev/null &&
	[ -e $tracing/set_graph_function ]; then
	filter='vfs_* do_dentry_open path_* shmem_* may_open* security_inode_* security_file_*'
	mkfifo "$work/fifo"
	exec 3<>"$work/fifo"
	# The third time, path_openat is around the roots.
	for depth in 0 2 around; do
		worker
		put functions none
		lines=
		role=inside
		[ $depth != around ] || role=
		for pattern in $filter; do
			lines="$lines+vmlinux:$pattern 1 $role
"
		done
		role=
		[ $depth != around ] || role=around depth=0
		put functions "$lines+path_openat 1 $role"
		put function_scope "depth $depth
interrupts no"
		echo $filter >$tracing/set_ftrace_filter
		echo path_openat >$tracing/set_graph_function
		echo $depth >$tracing/max_graph_depth
		echo 0 >$tracing/options/funcgraph-irqs
		echo $worker >$tracing/set_ftrace_pid
		put pids $worker
		echo function_graph >$tracing/current_tracer
		echo >$tracing/trace
		record work_on
		echo 0 >$tracing/tracing_on
		check "it calls much (depth $depth $role)" at_least "$(calls entry | wc -w)" 12
		check "function_graph saw the same calls (depth $depth $role)" is "$(calls entry)" \
			"$(graph_calls ${role:+path_openat})"
		echo nop >$tracing/current_tracer
		echo 1 >$tracing/tracing_on
	done
	exec 3>&-
	echo >$tracing/set_ftrace_filter
	echo >$tracing/set_graph_function
	echo 0 >$tracing/max_graph_depth
	echo >$tracing/set_ftrace_pid
	put pids ''
fi

# ---- events that are switched on while it runs -----------------------------------------

put events/function/enabled 0
put functions none
put functions '+callee_six'
put events/function/entry/enabled 1
put reset 1
put enabled 1
echo calls 10 >$run
put events/function/exit/enabled 1
echo calls 10 >$run
put events/call/function/enabled 1
echo calls 10 >$run
put events/function/exit/enabled 0
echo calls 10 >$run
put enabled 0
read=$($bin/ktread $tree)
check "each has all that follows, and nothing from before" is "$(count "$read" function:entry) \
$(count "$read" function:exit) $(count "$read" call:function)" "40 20 20"

put events/call/enabled 0
put events/function/enabled 0
put functions none
check "nothing was missed in all of this" is "$(missed)" 0
rmmod ktrace_callee
check "nothing holds the module" rmmod ktrace_functions
rm -rf "$work" "$dump"
clean
