#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Stacks that the kernel prints by itself go through hooked calls to the system call, on both ways
# (kernel/source/function): of a warning, and of what another CPU is doing (sysrq-l).  By trampolines
# they are those of the same calls without hooks.  By ftrace the kernel prints the place of rethook
# where a hooked call returns to, as it does for its own kretprobes; all else is there.
# One kernel is enough: how a stack is walked is tested on each by trampolines.sh and stacks.sh.
. tests/kernel/lib.sh

run=/sys/kernel/debug/ktrace-callee/run
functions='warning_outer warning_inner callee_pause'

work=$(mktemp -d)
load_module ktrace-functions
load_module ktrace-callee

# The guest ends at a warning, and a warning on its console is a failure: not these ones.
levels=$(cat /proc/sys/kernel/printk)
echo 0 >/proc/sys/kernel/panic_on_warn
echo 1 >/proc/sys/kernel/printk
sysrq=$(cat /proc/sys/kernel/sysrq)
echo 1 >/proc/sys/kernel/sysrq

# stack FUNCTION: of the first trace in dmesg of what is in it, the functions that are no guess, from
# what has called FUNCTION on; without our trampolines, and * for rethook's: this is the end of the
# function in front of it, because the kernel prints where a call was made.
stack() {
	dmesg | awk -v name="$1" '
		{ sub(/^\[[^]]*\] */, "") }
		/^RIP: 0010:/ { seen = index($0, ":" name "+") }
		/^Call Trace:/ { on = 1; trace = "" }
		/^<\/TASK>/ { if (seen) { print trace; exit } on = 0 }
		!on || !/^[a-zA-Z0-9_.]+\+0x/ { next }
		{
			n = split($1, part, /[+\/]/)
			$0 = part[2] == part[3] || part[1] == "arch_rethook_trampoline" ? "*" : part[1]
		}
		/^kt_trampolines$/ { next }
		seen { trace = trace $0 " " }
		$0 == name { seen = 1 }'
}

# frames: how many frames of the traces are our trampolines
frames() {
	dmesg | grep -c '^\[[^]]*\]  kt_trampolines+'
}

warn() {
	dmesg -c >/dev/null
	echo warn >$run
	warnings=$((warnings + $(dmesg | grep -c 'WARNING:')))
}

# Shows what the other CPU does while it is in callee_pause(), again and again.
show() {
	local pid tries=0
	dmesg -c >/dev/null
	rm -f $work/enough
	taskset 2 sh -c "until [ -e $work/enough ]; do echo 'pause 300' >$run; done" &
	pid=$!
	until [ "$(stack callee_pause)" ] || [ $tries -ge 50 ]; do
		tries=$((tries + 1))
		taskset 1 sh -c 'echo l >/proc/sysrq-trigger'
		sleep 0.1
	done
	: >$work/enough
	wait $pid
}

warnings=0
warn
plain_warning=$(stack warning_inner)
show
plain_pause=$(stack callee_pause)
check "a warning's stack goes to the system call" is "$(echo "$plain_warning" |
	grep -c '^warning_outer run_write .*vfs_write ksys_write do_syscall_64 entry_SYSCALL_64_after_hwframe $')" 1
check "so does that of what runs" is "$(echo "$plain_pause" |
	grep -c '^run_write .*vfs_write ksys_write do_syscall_64 entry_SYSCALL_64_after_hwframe $')" 1

# hooked WORDS WAY WARNING PAUSE FRAMES: the stacks, and how many trampolines are in the first
hooked() {
	local name lines="+vfs_write 3$1
+ksys_write 3$1"
	for name in $functions; do
		lines="$lines
+ktrace_callee:$name 1$1"
	done
	put functions none
	put functions "$lines"
	put events/function/enabled 1
	put enabled 1
	check "$2: all are hooked this way" is "$(awk '$2 == "on" { print $10 }' $tree/function_table |
		sort | uniq -c | tr -s ' ')" " 5 $2"
	warn
	check "$2: a warning below hooked calls has this stack" is "$(stack warning_inner)" "$3"
	check "$2: with so many frames of ours" is "$(frames)" "$5"
	show
	check "$2: so has what runs in one" is "$(stack callee_pause)" "$4"
	put enabled 0
	check "$2: they were recorded" at_least "$(count "$($bin/ktread $tree)" function:exit)" 4
	put events/function/enabled 0
}

put reset 1
hooked ' direct' direct "$plain_warning" "$plain_pause" 4
# Who has called a function that is hooked.
behind() {
	echo "$1" | sed 's/\<warning_outer\>/*/; s/\<run_write\>/*/; s/\<ksys_write\>/*/; s/\<do_syscall_64\>/*/'
}
hooked '' ftrace "$(behind "$plain_warning")" "$(behind "$plain_pause")" 0
put functions none
check "nothing else has warned" is "$warnings $(dmesg | grep -c 'WARNING:')" "3 0"

echo "$sysrq" >/proc/sys/kernel/sysrq
echo "$levels" >/proc/sys/kernel/printk
echo 1 >/proc/sys/kernel/panic_on_warn
rm -r $work
rmmod ktrace_callee
rmmod ktrace_functions
clean
