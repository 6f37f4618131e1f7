# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# graph.sh - ktrace graph: calls while they happen; the kernel's function_graph says which
# there were
# One kernel is enough: what hooks record is tested by tests/kernel.

. "$(dirname "$0")/../check.sh"
program=$PWD/build/user/tests/marker/marker-program
mkdir -p /mnt/graph && cd /mnt/graph || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/set_ftrace_filter ] || mount -t tracefs tracefs $tracing

hooked()	# by anybody
{
	wc -l <$tracing/enabled_functions
}

sessions()
{
	ls $tree/sessions
}

# The lines of a task without task, CPU and time.
calls_of()	# COMM FILE
{
	sed -n "s/^$1-[0-9]* *\[[0-9]*\] [0-9.]* //p" "$2"
}

# The calls of lines, without what depends on when they were shown: a call that lasts long
# gets a line for its end.
calls_alone()
{
	sed -n 's/^\(.*\] [0-9.]*\) .*[|hs] \( *[a-zA-Z0-9_.]*([^)]*)\).*/\1 \2/p' "$@"
}

# Are they the same, but for 1 us?  A trace compares its clock with the system's once more at its
# end, which moves all times by some 0.1 us.
alike()	# FILE FILE
{
	paste -d '\n' <(calls_alone "$1") <(calls_alone "$2") | awk '
		{
			rest = $0
			time = 0
			if (match(rest, /\] [0-9.]+ /)) {
				time = substr(rest, RSTART + 2, RLENGTH - 3)
				rest = substr(rest, 1, RSTART) substr(rest, RSTART + RLENGTH)
			}
		}
		NR % 2 { other = rest; before = time; next }
		rest != other || time - before > 1e-6 || before - time > 1e-6 { exit bad = 1 }
		END { exit bad || NR < 2 }'
}

# Like run, but until a line fits.
graph_until()	# PATTERN OPTION...
{
	local pattern=$1 recorder
	shift
	ktrace graph "$@" >shown 2>told &
	recorder=$!
	wait_until grep -q "$pattern" shown
	kill -INT $recorder
	wait $recorder
	status=$? out=$(cat shown) err=$(cat told)
}

# ---- a command -----------------------------------------------------------------------

rmmod ktrace-functions 2>/dev/null
before=$(hooked)
run ktrace graph -f vfs_read -f rw_verify_area,no_function_of_this_name* -- true
ends 1 'a pattern that means nothing' 'no_function_of_this_name'
run ktrace graph -q --alone -f vfs_read -f rw_verify_area -o calls --trace t -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=1000
ends 0 'a command'
check 'no hook stays' [ "$(hooked)" = "$before" ]
check 'no session stays' [ -z "$(sessions)" ]
ktrace graph -i t >again
check 'the trace shows the same again' alike calls again
calls_of dd again >lines
check 'each call has its arguments' [ "$(grep -c \
	'^ *| vfs_read(file=0xffff[0-9a-f]* "zero", buf=0x[0-9a-f]*, count=4321, pos=0x[0-9a-f]* [0-9]*) {$' \
	lines)" = 1000 ]
check 'what it calls is below it' [ "$(grep -A1 ' | vfs_read(.*count=4321' lines | grep -c \
	' us |   rw_verify_area(read_write=0, file=0xffff[0-9a-f]* "zero", ppos=0x[0-9a-f]* [0-9]*, count=4321) = 0$')" = 1000 ]
check 'and its result behind that' [ "$(grep -c ' us | } = 4321$' lines)" = 1000 ]
check 'with all events, as the report does' \
	cmp <(ktrace graph -i t -e '*') <(ktrace report --graph t)
first=$(sed -n '1s/.*\] \([0-9.]*\) .*/\1/p' again)
check 'a part of it' [ "$(ktrace graph -i t --until "$first" | wc -l)" = 1 ]
run ktrace graph -i t -C dd --columns duration
check 'of a task' cmp lines - <<<"$out"
run ktrace graph -i t -p 1
check 'of a process that was not there' [ -z "$out" ]
run ktrace graph -i t -o file
check 'into a file' cmp again file
rm -r t
run ktrace graph -q --alone -f vfs_read -- sh -c 'exit 7'
ends 7 'the exit status is that of the command'
run bash -c 'ktrace graph -q --alone -f vfs_read -- dd if=/dev/zero of=/dev/null bs=1 count=10000 | head -n 3'
check 'a reader that goes away' [ "$(wc -l <<<"$out")" = 3 ]
check 'leaves no session either' [ -z "$(sessions)" ]

# ---- other events, processes, time --------------------------------------------------------

run ktrace graph -q --alone -f vfs_open -e sched_process_exec -o calls -- /bin/cat /etc/hostname
ends 0 'with another event'
check 'which is a comment' grep -q '^cat-.* | */\* sched:sched_process_exec: filename=.* \*/$' calls
sleep 1000 &
sleeper=$!
bash -c 'while :; do /bin/cat /proc/version; done' >/dev/null &
busy=$!
run ktrace graph --alone -f vfs_read -p $sleeper -d 1s
ends 0 'a process that does nothing' 'Ctrl-C ends it'
check 'calls nothing' [ -z "$out" ]
graph_until '^cat-.* vfs_read(' -q --alone -f vfs_read -p $busy
ends 0 'a process'
check 'its children' grep -q '^cat-.* vfs_read(' <<<"$out"
check 'and nobody else' [ -z "$(grep -v '^cat-\|^bash-\|^ktrace-' <<<"$out")" ]
kill $busy $sleeper

# ---- as the kernel's own graph has it ---------------------------------------------------

printf '%s\n' vfs_read vfs_write vfs_open do_dentry_open security_file_permission \
	rw_verify_area vfs_getattr vfs_statx path_openat link_path_walk >chosen
functions_once >once
grep -xFf once chosen >names
check 'the kernel has most of them' [ "$(wc -l <names)" -ge 7 ]
cat >work <<'END'
echo $BASHPID >pid
for ((i = 0; i < 50; i++)); do
	echo "$i" >out
	read -r x <out
	[ -e "none$i" ]
done
exit 0
END
echo >$tracing/trace
cat names >$tracing/set_ftrace_filter
# It records from before ours begins until after its end, and must have room for that.
echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/tracing_on
# Its options exist only now.
echo function_graph >$tracing/current_tracer
echo funcgraph-proc >$tracing/trace_options
run ktrace graph -q --alone -f "$(paste -sd, names)" -o calls -- bash work
ends 0 "beside the kernel's graph"
echo 0 >$tracing/tracing_on
pid=$(cat pid)
grep -- "-$pid " $tracing/trace >theirs.all
echo nop >$tracing/current_tracer
echo 1 >$tracing/tracing_on
echo >$tracing/set_ftrace_filter
# Names in order, as deep as they are: two columns a level, in both.
sed -n "s/^ *[0-9]*) .*-$pid  *|[^|]*|  \( *[a-z_]*\)() *[;{].*/\1/p" theirs.all >theirs
sed -n "s/^bash-$pid .*| \( *[a-z_]*\)(.*/\1/p" calls >ours
# The kernel has recorded for longer, and drops what is older than its buffer.
lines=$(wc -l <theirs)
[ "$lines" -le "$(wc -l <ours)" ] || sed -i "1,$((lines - $(wc -l <ours)))d" theirs
lines=$(wc -l <theirs)
out=$(diff <(tail -n "$lines" ours) theirs | head -20)
check 'there are many' [ "$lines" -gt 500 ]
check 'the same calls, in the same order, at the same depth' [ -z "$out" ]

# ---- what functions call, to a depth ---------------------------------------------------

# The kernel's graph of the same command, from the same function on.
cat >work <<'END'
echo $BASHPID >pid
echo $BASHPID >/sys/kernel/tracing/set_ftrace_pid
echo 1 >/sys/kernel/tracing/tracing_on
for ((i = 0; i < 20; i++)); do
	[ -e "none$i" ]
done
echo 0 >/sys/kernel/tracing/tracing_on
END
echo 0 >$tracing/tracing_on
echo >$tracing/trace
echo vfs_statx >$tracing/set_graph_function
echo 3 >$tracing/max_graph_depth
echo function_graph >$tracing/current_tracer
echo funcgraph-proc >$tracing/trace_options
echo nofuncgraph-irqs >$tracing/trace_options
run ktrace graph -q -f vfs_statx --depth 3 --no-irq -o calls -- bash work
ends 0 'to a depth of 3'
pid=$(cat pid)
grep -- "-$pid " $tracing/trace >theirs.all
echo nop >$tracing/current_tracer
echo 1 >$tracing/tracing_on
echo >$tracing/set_graph_function
echo >$tracing/set_ftrace_pid
echo 0 >$tracing/max_graph_depth
# Names may differ in what the compiler has added (.isra.0), and what the kernel's tracer or we
# miss is missed at random; but in most of these twenty nothing is.
graphs()	# of lines: one for each call of vfs_statx
{
	sed 's/\.[a-z]*\.[0-9]*$//; s/  /./g' | awk '
		/^[^.]/ { if (NR > 1) print ""; printf "%s", $0; next }
		{ printf " %s", $0 }
		END { print "" }'
}
# A tick enters by functions that are no interrupt yet.
sed -n "s/^ *[0-9]*) .*-$pid  *|[^|]*|  \( *[a-zA-Z0-9_.]*\)() *[;{].*/\1/p" theirs.all |
	grep -v '^ *irq' | graphs | sort | uniq -c | sort -n | tail -n 1 >theirs
sed -n "s/^bash-$pid .*| \( *[a-zA-Z0-9_.]*\)(.*/\1/p" calls | grep -v '^ *irq' | graphs |
	sort | uniq -c | sort -n | tail -n 1 >ours
out=$(cat theirs ours)
check 'it is as deep' grep -q ' \.\.[a-z]' ours
check 'and no deeper' [ -z "$(grep ' \.\.\.[a-z]' ours)" ]
check 'most calls call the same' [ "$(awk '{ print $1 }' ours)" -ge 10 ]
check "as in the kernel's graph" cmp <(sed 's/^ *[0-9]* //' theirs) <(sed 's/^ *[0-9]* //' ours)
run ktrace graph -q -f vfs_statx --depth 3 --no 'security_*,filename_*' -o calls -- test -e none
out=$(cat calls)
check 'what is cut is not there' [ -z "$(grep ' security_\| filename_' calls)" ]
check 'what is beside it is' grep -q '^test-.*| vfs_statx(' calls
run ktrace graph -q -f vfs_statx --depth 1 -o calls -- test -e none
check 'a depth of 1 is the function alone' \
	[ -z "$(calls_alone calls | grep '^test' | grep -v ' vfs_statx(')" ]

# More than the kernel gets as names: it gets these as patterns.
run ktrace graph -q -f '*' --no '[a-tv]*,syscalls:close' -o calls -- cat /etc/hostname
out=
check 'system calls are cut among all functions' [ "$(grep '^cat' calls |
	grep -oE '__x64_sys_(openat|close)\(' | sort -u)" = '__x64_sys_openat(' ]

# ---- the same of a trace ----------------------------------------------------------------

names_of()	# of calls, as deep as they are: OPTION...
{
	ktrace graph -q -i t -C test --columns none "$@" | sed -n 's/^| \( *[a-zA-Z0-9_.]*\)(.*/\1/p'
}
# Not all functions: each of the reports would read the types of all.
run ktrace graph -q --alone -f 'vfs_statx,filename_lookup,path_lookupat,path_init,link_path_walk*' \
	-f 'inode_permission,security_inode_permission,lookup_fast*,__d_lookup_rcu,dput,terminate_walk' \
	--in syscalls:newfstatat --no-irq --trace t -o calls -- test -e none
ends 1 'a trace of what a function calls'
check 'that this kernel has' [ -z "$err" ]
names_of >all
check 'a part of it to a depth' cmp <(grep -v '^      ' all) <(names_of -f vfs_statx --depth 3)
check 'which is less' [ "$(grep -c '^      ' all)" -gt 5 ]
check 'the outermost calls to a depth' cmp <(grep -v '^      ' all) <(names_of --depth 3)
check 'without what is cut' cmp <(awk '
	{ match($0, /^ */) }
	cut != "" && RLENGTH > cut { next }
	{ cut = "" }
	/^ *link_path_walk/ { cut = RLENGTH; next }
	{ print }' all) <(names_of --no 'link_path_walk*')
check 'which is there' grep -q '^ *link_path_walk' all
check 'functions alone' cmp <(sed -n 's/^ *\(security_.*\)/\1/p' all) \
	<(names_of -f 'security_*' --alone | sed 's/^ *//')
check 'of which there are some' grep -q '^ *security_' all
run ktrace graph -i t -f vfs_statx,no_such_function
ends 1 'a function that is not in a trace' "no call of a function \`no_such_function' is in the trace"
run ktrace graph -i t -f 'vmlinux:vfs_statx'
ends 2 'modules of functions are not' 'a trace does not say in which module'
rm -r t

# ---- only within others -------------------------------------------------------------------

# Names of files come from programs in openat, and in many other calls.  strace says in how many.
# On newer kernels, those of openat come by do_getname.
names='getname_flags*' name=getname_flags all_names=$names
if grep -q '^do_getname ' $tree/available_functions; then
	names=do_getname name=do_getname all_names+=,do_getname
fi
cat >work <<'END'
for ((i = 0; i < 50; i++)); do
	: >out
	[ -e "none$i" ]
done
exit 0
END
strace -o theirs bash work
opens=$(grep -c '^openat(' theirs)
others=$(grep -c '^\(newfstatat\|access\|readlink\|execve\)(' theirs)
check 'names come in many system calls' [ "$opens" -gt 50 -a "$others" -gt 50 ]
names_got()	# FILE: by bash
{
	grep -c "^bash-.* $name[.(]" "$1"
}
run ktrace graph -q --alone -f "$names" --in syscalls:openat -o calls -- bash work
ends 0 'calls within a system call'
check 'are as many as the system call' [ "$(names_got calls)" = "$opens" ]
check 'which is not shown itself' [ -z "$(grep sys_ calls)" ]
run ktrace graph -q --alone -f "$names" --in 'syscalls:openat,do_sys_open*' -o calls -- bash work
check 'within several' [ "$(names_got calls)" = "$opens" ]
run ktrace record -q -F "$names" --in syscalls:openat -o t -- bash work
ends 0 'so it is in a trace'
ktrace graph -i t -o calls
check 'that is of nothing else' [ "$(names_got calls)" = "$opens" ]
rm -r t
run ktrace record -q -F "$all_names,do_sys_openat2" -e 'syscalls:*' --only -o t -- bash work
ends 0 'a trace of all'
ktrace graph -i t -f "$all_names" -o calls
check 'has all of them' [ "$(grep -cE '^bash-.* (do_getname|getname_flags)[.(]' calls)" -ge $((opens + others)) ]
ktrace graph -i t -f "$names" --in do_sys_openat2 -o within
check 'it shows those within a function' [ "$(names_got within)" = "$opens" ]
ktrace graph -i t -f "$names" --in syscalls:openat -o calls
check 'and within the events of a system call' cmp calls within
ktrace graph -i t --in syscalls:openat -o calls
check 'whatever it is' [ "$(grep -c '^bash-.* | do_sys_openat2(' calls)" = "$opens" ]
run ktrace graph -i t --in syscalls:mount
ends 1 'a system call that is not in the trace' 'syscalls:mount'
rm -r t
run ktrace record -q -F vfs_read --entered 'count == 4321' -o t -- dd if=/dev/zero of=/dev/null bs=4321 count=7
ends 0 'certain arguments in a trace'
check 'and no others' [ "$(ktrace report t | grep -c 'function:vfs_read:.* count=4321') $(ktrace report t |
	grep -c 'function:vfs_read:')" = '7 7' ]
rm -r t
run ktrace graph -f vfs_read --in syscalls:opnat -- true
ends 1 'a system call that is not there' "no system call \`opnat'" 'openat'
run ktrace record -e sched --in vfs_read -o t -- true
ends 2 'within what, if there are no functions' '--in is about functions: -F is missing'
run ktrace record -e sched --entered 'count > 1' -o t -- true
ends 2 'nor conditions on arguments' '--entered is about functions'

# ---- conditions, interrupts, columns ------------------------------------------------------

run ktrace graph -q -f vfs_statx --returns 'ret == -2' --columns task,duration -o calls -- \
	bash -c 'for i in {1..50}; do [ -e none$i ]; [ -e /etc ]; done'
ends 0 'calls that return something'
calls_of bash calls >lines
lines=$(sed -n 's/^bash-[0-9]* *//p' calls)
check 'they are there' [ "$(grep -c ' us | vfs_statx(.*) = -2 ENOENT$' <<<"$lines")" -ge 50 ]
check 'and no other' [ -z "$(grep -v ' = -2 ENOENT$' calls)" ]
run ktrace graph -q -f 'vfs_statx,hrtimer_nanosleep' --longer 50ms --columns none -- sleep 0.1
check 'calls that take long' grep -qE '^\| hrtimer_nanosleep\(.*\) = 0$' <<<"$out"
check 'and no others' [ -z "$(grep -v '^| hrtimer_nanosleep(' <<<"$out")" ]
# When they return, the position is 5.
cat >work <<'END'
for i in 1 2 3; do
	echo text >"file $i"
	read -r line <"file $i"
	mv "file $i" gone
done
END
run ktrace graph -q -f vfs_read --entered 'comm == bash' --returns 'ret == 5' --trace t \
	--columns none -o calls -- bash work
ends 0 'what arguments point to, of calls that are written when they return'
for i in 1 2 3; do
	check "file $i has its name, and its position is that of the entry" grep -qE \
		'^\| vfs_read\(file=0x[0-9a-f]* "file '$i'", buf=.*, pos=0x[0-9a-f]* 0\) = 5$' calls
done
run ktrace report -q -e call:vfs_read t
check 'so it is in an event' grep -qE ' call:vfs_read: file=0x[0-9a-f]* "file 1" .* ret=5 duration=[0-9]+$' <<<"$out"
run ktrace report -q -F json -e call:vfs_read t
check 'and in JSON' grep -q '"__cut":0,"__unread":0,"__file_val":"file 1","__pos_val":\[\?0\]\?,"ret":5,"duration":' <<<"$out"
rm -r t gone
# Three places for five calls that last.
was=$(cat /sys/module/ktrace_functions/parameters/captured_calls)
echo 3 >/sys/module/ktrace_functions/parameters/captured_calls
mkfifo pipe
cat >work <<'END'
exec 3<>pipe
for i in 1 2 3 4 5; do
	dd if=pipe of=/dev/null bs=5 count=1 2>/dev/null &
	pids+=" $!"
done
for pid in $pids; do wait_until sleeps_in pipe_read $pid; done
# All of them last longer than a second from now on.
sleep 1.1
printf '12345%.0s' 1 2 3 4 5 >&3
wait
END
export -f wait_until sleeps_in
run ktrace graph -f vfs_read --entered 'comm == dd' --longer 1s --columns none -o calls -- bash work
check 'calls for which there is no place say so' [ "$(grep -c '^| vfs_read(file=0x[0-9a-f]* "pipe", ' calls) \
$(grep -c '^| vfs_read(file=0x[0-9a-f]* ?, ' calls)" = '3 2' ]
check 'and so does the end' grep -q 'missed 2 of captures: .*captured_calls' <<<"$err"
echo "$was" >/sys/module/ktrace_functions/parameters/captured_calls
rm pipe
# dd reads and writes as much at a time as it is told.
cat >work <<'END'
dd if=/dev/zero of=/dev/null bs=100000 count=5 2>/dev/null
dd if=/dev/zero of=/dev/null bs=10 count=5 2>/dev/null
END
run ktrace graph -q --alone -f vfs_read,vfs_write --entered 'count > 65536 && comm == dd' \
	--columns none -o calls -- bash work
ends 0 'calls with certain arguments'
check 'of each function, by its own' [ "$(grep -c '^| vfs_read(.*count=100000' calls) $(grep -c \
	'^| vfs_write(.*count=100000' calls)" = '5 5' ]
check 'and no other' [ -z "$(grep -v 'count=100000' calls)" ]
run ktrace graph -q -f vfs_read --entered 'count > 65536' --depth 2 --no-irq --columns none -o calls -- bash work
ends 0 'and what they call'
check 'is within them' [ "$(grep -c '^| vfs_read(' calls)" = "$(grep -c '^| } = ' calls)" ]
check 'all of it' [ "$(grep -A1 '^| vfs_read(.*count=100000' calls | grep -c '^|   ')" = 5 ]
run ktrace graph -q -f vfs_read --entered 'count == 100000' --returns 'ret == 100000' --longer 1us \
	--columns none -o calls -- bash work
check 'with conditions at the return' [ "$(grep -c '^| vfs_read(.*) = 100000$' calls) $(wc -l <calls)" = '5 5' ]
run ktrace graph -f vfs_read,vfs_open --entered 'count > 65536' -- true
ends 1 'a function without such an argument' "vfs_open has no argument \`count'" 'it has path, file'
run ktrace graph -f 'vfs_*' --entered 'count > 65536' -- true
ends 1 'many of them' 'more functions lack it'
run ktrace graph -f vfs_read --entered 'count >' -- true
ends 1 'half a condition' 'a number is missing'
check 'none of them is hooked' [ -z "$(sessions)" ]
# Functions have the higher ids, so nothing but their source says that they are detached first.
rmmod ktrace_functions
ktrace load irq_vectors
graph_until ' us h hrtimer_interrupt(' -q -f hrtimer_interrupt --alone
ends 0 'interrupts'
check 'their calls are marked' grep -q ' us h hrtimer_interrupt(' <<<"$out"
# On each CPU, one may have been running when the recording began.
check 'all of them' [ "$(grep -c ' | hrtimer_interrupt(' <<<"$out")" -le "$(nproc)" ]
check 'their events are not shown' [ -z "$(grep 'irq_vectors' <<<"$out")" ]
graph_until '<=.* us | */\* irq_vectors:local_timer_exit' -q -f hrtimer_interrupt --alone \
	-e 'irq_vectors:local_timer*'
check 'but if they are wanted' grep -q '=>  *| */\* irq_vectors:local_timer_entry' <<<"$out"
check 'with the time that they took' grep -q '<=.* us | */\* irq_vectors:local_timer_exit' <<<"$out"

# ---- pauses -------------------------------------------------------------------------------

took()	# FILE: microseconds of the call
{
	sed -n 's/^sleep-.* \([0-9]*\)\.[0-9]* us | hrtimer_nanosleep(.*/\1/p' "$1"
}
run ktrace graph -q --alone -f hrtimer_nanosleep --trace t -o calls -- sleep 0.2
check 'a call that sleeps takes long' [ "$(took calls)" -ge 200000 ]
ktrace graph -i t --no-sleep -o calls
check 'but not without its sleep' [ "$(took calls)" -lt 100000 ]
ktrace stat --spans --no-sleep -f hrtimer_nanosleep -j t >spans
check 'stat says the same' [ "$(jq '.spans[0].total / 1000 | floor' spans)" = "$(took calls)" ]
rm -r t
run ktrace graph -q --alone -f hrtimer_nanosleep --no-sleep -o calls -- sleep 0.2
check 'nor while it is recorded' [ "$(took calls)" -lt 100000 ]
run ktrace graph -f vfs_read --no-sleep --longer 1ms -- true
ends 2 'what is told at the end keeps its sleep' 'leave out --no-sleep'
# The buffers of programs say who writes to them, not who has a CPU.
run ktrace record -q -F 'hrtimer_nanosleep,do_nanosleep' -M tick -o t -- timeout 3 "$program" wait
check 'with markers beside' [ "$(ktrace report -q t | grep -c ':tick: ')" -ge 3 ]
read -r with without < <(for o in '' --no-sleep; do
	ktrace stat --spans -f do_nanosleep $o -j t | jq '.spans[0].total'
done | xargs)
check 'sleep is as known' [ "$without" -lt $((with / 4)) ]
rm -r t
# The time of an interrupt that comes in a long call, as the call says it and as all say it.
run ktrace graph -q --alone -f vfs_read --trace t -o calls -- dd if=/dev/zero of=/dev/null bs=64M count=4
read -r with without < <(for o in '' --no-irq; do
	ktrace stat --spans -f vfs_read $o -j t | jq '.spans[0].total'
done | xargs)
check 'interrupts take some of it' [ "$without" -lt "$with" -a "$without" -gt $((with / 2)) ]
rm -r t

# ---- misses and mistakes -----------------------------------------------------------------

calls=/sys/module/ktrace_functions/parameters/calls
was=$(cat $calls)
echo 1 >$calls
run ktrace graph --alone -f vfs_read,rw_verify_area -o calls -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
ends 0 'with room for one open call' 'calls while too many were open'
missed=$(sed -n 's/^ktrace: missed \([0-9,]*\) of .*calls while too many were open.*/\1/p' \
	<<<"$err" | tr -d ,)
check 'the calls within others are missed' [ "${missed:-0}" -ge 100 ]
run ktrace record -F vfs_read,rw_verify_area -o t -- \
	dd if=/dev/zero of=/dev/null bs=1 count=100
ends 0 'record says so, too' 'calls while too many were open'
run ktrace graph -i t -o calls
ends 0 'and its trace' 'calls while too many were open'
echo "$was" >$calls
run ktrace graph -q --alone -f vfs_read,rw_verify_area -o calls -- true
check 'no misses are no news' [ -z "$err" ]

run ktrace graph -f vfs_raed -- true
ends 1 'a function with a wrong letter' 'Is it one of these? vfs_read' 'ktrace probe check vfs_raed'
run ktrace graph -f 'no-module:*' -- true
ends 1 'a module that cannot be there' "no function \`no-module:*'"
run ktrace graph -f vfs_read -e sched_swich -- true
ends 1 'an event that is not there' "there is no event \`sched_swich'"
run ktrace graph -f vfs_statx --no vfs_staty -- true
ends 1 'a function to be cut that is not there' "no function \`vfs_staty'" 'vfs_statx'
run ktrace graph -f vfs_read --returns 'value < 0' -- true
ends 1 'a condition about something else' 'value < 0' 'no such field'
run ktrace graph -f vfs_read -o /no/such/file -- true
ends 1 'a file that cannot be made' '/no/such/file'
run ktrace graph -f vfs_read -- no-such-command-anywhere
ends 127 'a command that is not there'
check 'nothing stays' [ "$(hooked)$(sessions)" = "$before" ]

ktrace graph -q --alone -f vfs_read -o calls &
recorder=$!
until [ "$(cat $tree/sessions/graph-$recorder/enabled 2>/dev/null)" = 1 ]; do sleep 0.1; done
kill -9 $recorder
wait $recorder 2>/dev/null
check 'one that is killed leaves its session' [ "$(sessions)" = graph-$recorder ]
run ktrace graph -q --alone -f vfs_read -o calls -- true
check 'the next one takes it away' [ -z "$(sessions)" ]
check 'with its hooks' [ "$(hooked)" = "$before" ]

# ---- completion --------------------------------------------------------------------------

ktrace complete-functions vfs_re | sort >offered
sed -n 's/^\(vfs_re[^ ]*\) .*/\1/p' $tree/available_functions | sort >there
check 'completion offers what can be recorded' cmp offered there
check 'which is something' grep -qx vfs_read offered

finish_vm graph.sh
