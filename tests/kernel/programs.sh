# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Stacks of programs (kernel/program).  The judge is a program without frame pointers that
# knows who called whom.
. tests/kernel/lib.sh

hit=events/ktrace_test/test_hit
tracing=/sys/kernel/tracing
work=$(mktemp -d)
mkfifo "$work/input"

# ids SYSTEM:NAME: of the events in the buffers
ids() {
	$bin/ktread -d $tree | stack_ids "$1"
}

event=ktrace_test:test_hit

# Runs COMMAND while the session records; the first stack of its events is then in the file
# stack, by paths, and what the program says in said.  walk COMMAND...
walk() {
	put reset 1
	put enabled 1
	"$@" >"$work/said"
	put enabled 0
	ids $event >"$work/ids"
	stack_show "$(head -n 1 "$work/ids")"
}

# Reads the stack of an id.
stack_show() {
	cat $tree/stacks >"$work/stacks"
	cat <&3 >>"$work/programs"
	$bin/tables show "$work/stacks" "$1" >"$work/raw"
	awk 'NR == FNR { path[$1] = $4; next }
		FNR == 1 { print; next }
		{ print ($1 ? path[$1] : "-"), $2, $3 }' "$work/programs" "$work/raw" >"$work/stack"
	end=$(head -n 1 "$work/stack")
}

# The number of the file that stands for the code in the stack.
code_number() {
	awk 'NR == FNR { is_code[$1] = $4 == "[jit]"; next } is_code[$1] { print $1 }' \
		"$work/programs" "$work/raw"
}

# The innermost frame.
innermost() {
	grep -m 1 ^/ "$1" | sed 's/ $//'
}

# Has the stack all frames that the program says, in this order, and no others above them but
# those of qsort() and of who called it?
same() {
	grep '^[/[]' "$work/said" | awk 'NR == FNR { said[++nr] = $0; next }
		FNR == 1 { next }
		{ frame = $1 " " $2 }
		frame == said[next_one + 1] { next_one++; next }
		next_one < nr && $1 != "-" { others++ }
		END { exit !(nr > 1 && next_one == nr && others <= 3) }' - "$work/stack" && return
	sed 's/^/# said: /' "$work/said"
	sed 's/^/# stack: /' "$work/stack"
	return 1
}

load_module ktrace-test
load_module ktrace-test-probes
clean

# ---- what is asked for -------------------------------------------------------------

put stack 'ktrace_test/test_hit: both'
check "the file says who has which" is "$(get stack)" 'ktrace_test/test_hit: both'
check "both have a field" is "$(grep -c 'field:u32 __\(kernel\|user\)_stack;' $tree/$hit/format)" 2
put stack 'ktrace_test/test_hit: user'
check "the program's alone has one" is "$(grep -o 'field:u32 __.*_stack;.*' $tree/$hit/format)" \
	'field:u32 __user_stack;	offset:16;	size:4;	signed:0;'

# ---- tables that are wrong ---------------------------------------------------------

put stack none
check "nobody wants tables" is "$($bin/tables refused $tree | tail -n 1)" 'again: ENXIO'
put stack 'ktrace_test/test_hit: user'
$bin/tables refused $tree >"$work/refused"
check "wrong tables are refused" is "$(tr '\n' ',' <"$work/refused")" \
	"short: EBADMSG,cut: EBADMSG,huge: ENOSPC,nowhere: EFAULT,no file: EBADF,a pipe: EINVAL,$(:
	)magic: EBADMSG,version: EPROTONOSUPPORT,number of a rule: EBADMSG,bucket: EBADMSG,$(:
	)rule: EBADMSG,right: taken,again: taken,"

# ---- stacks ------------------------------------------------------------------------

readelf -sW $bin/chain | awk -v path="$(realpath $bin/chain)" '
	$4 == "FUNC" && $8 ~ /^(leaf|aligned|variable|deep|sorted)$/ {
		print "r:returns/" $8, path ":0x" $2
	}' >"$work/returns"
check "the functions are there" is "$(wc -l <"$work/returns")" 5

exec 3<$tree/programs
put $hit/enabled 1
walk $bin/chain $test_dir/run "task 1"
check "without tables a stack ends at once, and says so" is "$end" "no table"
check "where it ends is right" is "$(innermost "$work/stack")" "$(innermost "$work/said")"

$bin/tables give $tree <"$work/input" >"$work/given" &
exec 4>"$work/input"
wait_until grep -q ready "$work/given"
# Is the stack of a program complete?  Its files were not known until it ran first.
known() {
	walk $bin/$1 $test_dir/run "task 1"
	[ "$end" = complete ]
}

for program in chain chain-static; do
	wait_until known $program
	walk $bin/$program $test_dir/run "task 1"
	check "$program: each frame is right" same
	check "$program: the stack is complete" is "$end" complete
	walk $bin/$program $test_dir/run "task 1" fork
	check "$program: also in a child" same
	check "$program: which is complete, too" is "$end" complete
done
walk $bin/chain $test_dir/run "task 1" vfork
check "a child that shares the memory" same
check "is complete as well" is "$end" complete
walk $bin/chain $test_dir/run "task 1" mapped:1000
check "among 1,000 mappings each frame is right" same
check "and the stack is complete" is "$end" complete
# What thousands of mappings cost is the same on each kernel.
many_mappings() {
	# Were all of them read each time, this would take minutes.  The C library is the last one.
	walk $bin/chain $test_dir/run "task 1" mapped:12000
	check "among 12,000 mappings each frame is right" same
	check "and that stack is complete" is "$end" complete
	walk $bin/chain $test_dir/run "task 1" changed:2000
	check "among mappings that have changed each frame is right" same
	check "also of code that was made between them" is "$end $(grep -c '^\[jit\]' "$work/stack")" \
		"complete 1"
	# What a process once had must not count for ever: the kernel's own tracer tells how much is allocated.
	echo >$tracing/trace
	echo 'bytes_req >= 16384 && comm == "left"' >$tracing/events/kmem/kmalloc/filter
	echo 1 >$tracing/events/kmem/kmalloc/enable
	walk $bin/chain $test_dir/run "task 1" left:4000
	echo 0 >$tracing/events/kmem/kmalloc/enable
	echo 0 >$tracing/events/kmem/kmalloc/filter
	grep -c '_ACCOUNT' $tracing/trace >"$work/charged"
	sed -n 's/.* bytes_req=\([0-9]*\) .*/\1/p' $tracing/trace |
		sort -n >"$work/sizes"
	echo >$tracing/trace
	check "what is left of many mappings is known" same
	check "and complete" is "$end $(grep -c '^\[jit\]' "$work/stack")" "complete 1"
	check "in memory for these" at_least "$(tail -n 1 "$work/sizes")" $((600 * 32))
	check "which is charged" is "$(cat "$work/charged")" "$(wc -l <"$work/sizes")"
	check "and not for those that went" at_least $((1300 * 32)) "$(tail -n 1 "$work/sizes")"
	walk $bin/chain $test_dir/run "task 1" moved:2000
	check "among many mappings what was moved is found later" same
	check "and that is complete" is "$end $(grep -c '^\[jit\]' "$work/stack")" "complete 1"
	# 300 children make more than 32 MiB of large maps, and replace none that is theirs alone.  At most 16 MiB
	# and one map may come before what has ended is retired, by one of them or by the sweep once a second.
	echo >$tracing/trace
	echo 'bytes_req >= 100000 && comm == "child"' >$tracing/events/kmem/kmalloc/filter
	echo 1 >$tracing/events/kmem/kmalloc/enable
	echo 1 >$tracing/events/workqueue/workqueue_queue_work/enable
	walk $bin/chain $test_dir/run "task 1" children:4000
	echo 0 >$tracing/events/workqueue/workqueue_queue_work/enable
	echo 0 >$tracing/events/kmem/kmalloc/enable
	echo 0 >$tracing/events/kmem/kmalloc/filter
	awk '/function=retired_free/ { made = 0 }
		match($0, / bytes_req=[0-9]+/) {
			made += bytes = substr($0, RSTART + 11, RLENGTH - 11)
			all += bytes
			if (made > most)
				most = made
		}
		END { print all + 0, most + 0 }' $tracing/trace >"$work/made"
	read -r all most <"$work/made"
	echo "# children made $all bytes, and $most before some were retired"
	echo >$tracing/trace
	check "children make many large maps" at_least "$all" $((32 << 20))
	check "and those of children that have ended are forgotten" at_least $((17 << 20)) "$most"
	check "and who had them is known" is "$end" complete
}
[ "${KTRACE_BRIEF-}" ] || many_mappings
walk $bin/chain $test_dir/run "task 1" deep
check "the innermost frames of many" same
check "a stack that is too deep says so" is "$end" truncated
walk $bin/chain $test_dir/run "task 1" gone
check "memory that is not there is told" is "$end" absent
for program in chain chain-static; do
	walk $bin/$program $test_dir/run "task 100" away
	check "$program: memory that comes when it is read is read later" same
	check "$program: then the stack is complete" is "$end" complete
	check "$program: once for all events since the program has entered the kernel" is \
		"$(sort -u "$work/ids" | wc -l) $(wc -l <"$work/ids")" "1 100"
done
walk $bin/chain $test_dir/run "task 1" jit
check "code without a file is crossed by rbp" same
check "and that is complete" is "$end $(grep -c guess "$work/stack")" "complete 1"
check "it counts as a file of this process" is "$(grep -c '^\[jit\]' "$work/stack")" 1
number=$(code_number)
walk $bin/chain $test_dir/run "task 1" jit
check "and not of another one" [ "$(code_number)" -gt "$number" ]
codes=$(grep -c '\[jit\]$' "$work/programs")
walk $bin/chain $test_dir/run "task 1" forked
check "a child that writes to code has its own" same
check "which counts as another file" is \
	"$(($(grep -c '\[jit\]$' "$work/programs") - codes)) $(code_number)" \
	"2 $(awk '$4 == "[jit]" { n = $1 } END { print n }' "$work/programs")"
walk $bin/chain $test_dir/run "task 100"
check "the same stack has the same id" is "$(sort -u "$work/ids" | wc -l)" 1
first=$(cat "$work/stack")
walk $bin/chain $test_dir/run "task 1"
check "also in processes that lie elsewhere" is "$(cat "$work/stack")" "$first"

# For these probes the kernel replaces return addresses on the program's stack.
for how in plain recursive; do
	walk $bin/chain $test_dir/run "task 1" $how
	mv "$work/stack" "$work/plain"
	cat "$work/returns" >$tracing/uprobe_events
	echo 1 >$tracing/events/returns/enable
	walk $bin/chain $test_dir/run "task 1" $how
	echo 0 >$tracing/events/returns/enable
	echo >$tracing/uprobe_events
	check "$how: what has a uretprobe is crossed" cmp "$work/stack" "$work/plain"
done

# In the entry of a system call, what was entered is the last instruction before.
load_module ktrace-syscalls
put $hit/enabled 0
put stack 'syscalls/sys_enter_write: user'
put events/syscalls/sys_enter_write/enabled 1
event=syscalls:sys_enter_write
walk sh -c 'echo $$ >$tree/pids; exec $bin/chain /dev/null "task 1"'
put pids ''
put events/syscalls/sys_enter_write/enabled 0
# The first one is of the shell, whose write it was.
stack_show "$(sed -n 2p "$work/ids")"
check "at a system call's entry" same
check "that is complete, too" is "$end" complete
event=ktrace_test:test_hit

# ---- from elsewhere ----------------------------------------------------------------

put $hit/enabled 0
load_module ktrace-sched
put stack 'sched/sched_switch: both'
put events/sched/sched_switch/enabled 1
# Records switches of many programs.
switches() {
	put reset 1
	put enabled 1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		$bin/chain /dev/null x >/dev/null
	done
	find /sys/kernel -maxdepth 3 >/dev/null
	# Processes that come and go.
	started=
	for i in $(seq 100); do
		/bin/true &
		started="$started $!"
	done
	wait $started
	put enabled 0
	ids sched:sched_switch >"$work/ids"
	cat $tree/stacks >"$work/stacks"
	$bin/tables ends "$work/stacks" <"$work/ids" | sort | uniq -c |
		sed 's/^ *//' >"$work/ends"
	sed 's/^/# sched_switch: /' "$work/ends"
}
# Threads of the kernel have no stack of a program, nor do tasks in an exec.
most_complete() {
	at_least "$(($(awk '/ complete$/ { n += $1 } END { print n }' "$work/ends") * 100))" \
		"$(($(awk '!/no frames| exec$/ { n += $1 } END { print n }' "$work/ends") * 90))"
}
# Their files become known when they run first: the more often they run, the fewer stacks come before
# the tables, and then none.
times=0
until switches && most_complete || [ $times = 10 ]; do
	times=$((times + 1))
done
check "at switches most are complete, and others say why" most_complete

# In the middle of a switch the CPU has the next task's memory, but the registers are of the one
# before.  Tasks that were forked have the same addresses, so what is read there looks right.
load_module ktrace-arch
put events/sched/sched_switch/enabled 0
put stack 'tlb/tlb_flush: user'
put events/tlb/tlb_flush/filter 'reason == 0'
put events/tlb/tlb_flush/enabled 1
put reset 1
# Not of others: who writes to the kernel's text has other memory for this, and then its own again.
loops=
for i in 1 2 3 4; do
	while [ ! -e "$work/enough" ]; do :; done &
	loops="$loops $!"
done
put pids "$loops"
put enabled 1
# switched COUNT: has somebody else taken the CPU from the loops so often?
switched() {
	local pid sum=0
	for pid in $loops; do
		sum=$((sum + $(sed -n 's/^nonvoluntary_ctxt_switches:[^0-9]*//p' /proc/$pid/status)))
	done
	[ $sum -ge $1 ]
}
wait_until switched 400
: >"$work/enough"
wait $loops
put enabled 0
put pids ''
put events/tlb/tlb_flush/enabled 0
put events/tlb/tlb_flush/filter none
ids tlb:tlb_flush >"$work/ids"
cat $tree/stacks >"$work/stacks"
$bin/tables ends "$work/stacks" <"$work/ids" | sort | uniq -c |
	sed 's/^ *//' >"$work/ends"
sed 's/^/# tlb_flush: /' "$work/ends"
check "the memory is changed by switches" at_least "$(wc -l <"$work/ids")" 10
check "and then no stack is taken for whole" is "$(grep complete "$work/ends")" ''
check "they say that it could not be read" at_least "$(sed -n 's/ context$//p' "$work/ends")" 10
put stack 'sched/sched_switch: both'
put events/sched/sched_switch/enabled 1

# ---- a page that is not there, and a task that sleeps -------------------------------

refs() {
	sed -n 's/^ktrace [0-9]* \([0-9]*\) .*/\1/p' /proc/modules
}
mkfifo "$work/pipe"
exec 5<>"$work/pipe"
# Runs a program that sleeps in its chain until somebody reads the pipe.
sleeper() {
	dd if=/dev/zero bs=4096 count=16 >&5 2>"$work/dd"
	put reset 1
	put enabled 1
	sh -c 'echo $$ >$tree/pids; exec "$@"' sh $bin/chain "$work/pipe" x away >"$work/said" &
	sleeper=$!
	wait_until sleeps_in pipe $sleeper
}
wake() {
	dd bs=4096 count=16 <&5 >/dev/null 2>"$work/dd"
	dd bs=1 count=1 <&5 >/dev/null 2>"$work/dd"
	wait $sleeper
	put enabled 0
}
sleeper
wake
ids sched:sched_switch | sort -un >"$work/ids"
found=
while read -r id; do
	stack_show "$id"
	same >/dev/null && [ "$end" = complete ] && found=$id
done <"$work/ids"
check "where it went to sleep is read when it wakes" [ "$found" ]
before=$(refs)
# If it is preempted before it sleeps, the pages come back too early: then once more.
for try in 1 2 3; do
	sleeper
	held=$(refs)
	[ "$held" = "$before" ] && [ $try != 3 ] || break
	wake
done
check "until then it holds the module" is "$held" $((before + 1))
put events/sched/sched_switch/enabled 0
put stack none
check "but not longer than somebody wants its stack" is "$(refs)" "$before"
wake
put pids ''
exec 5<&-
put stack 'sched/sched_switch: both'

# ---- many mappings at once ---------------------------------------------------------

# The kernel's own tracer counts the works that ask for a reading.
# How many works COMMAND, a run of mapper, asked for.  works_of COMMAND...
works_of() {
	local works status
	echo >$tracing/trace
	echo 'bytes_req == 24' >$tracing/events/kmem/kmalloc/filter
	echo 1 >$tracing/events/kmem/kmalloc/enable
	"$@"
	status=$?
	echo 0 >$tracing/events/kmem/kmalloc/enable
	echo 0 >$tracing/events/kmem/kmalloc/filter
	works=$(grep -c '^ *mapper-.*call_site=\(work_add\|mapped\)+' $tracing/trace)
	echo >$tracing/trace
	[ $status = 0 ] && echo "$works"
}
works=$(works_of $bin/mapper 500)
check "many mappings are to be read" at_least "$works" 1
# Those of its own text and of the libraries were mapped before, one after the other.
check "but not once for each" at_least 20 "$works"
works=$(works_of $bin/mapper 500 written)
check "code that is made is to be read" at_least "$works" 1
check "but not each time when it was written to" at_least 20 "$works"
works=$(works_of $bin/mapper-stack 500 deep)
check "an executable stack grows" at_least "$works" 1
check "and nothing is read for that" at_least 20 "$works"

# ---- the end -----------------------------------------------------------------------

exec 4>&-
wait
check "tables were made for all files" is \
	"$(awk 'NF == 3 && $3 != 0 && $2 != "[jit]"' "$work/given")" ""
put stack 'ktrace_test/test_hit: user'
put $hit/enabled 1
walk $bin/chain $test_dir/run "task 1"
check "the tables went with who gave them" is "$end" "no table"
exec 3<&-
clean
check "processes are followed" grep -q perf_event_mmap /sys/kernel/debug/kprobes/list
put stack none
check "and then not any more" not grep -q perf_event_mmap /sys/kernel/debug/kprobes/list
put reset 1
for module in sched syscalls; do
	rmmod ktrace-$module
done
rm -rf "$work"
