# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# function.sh - record -F: which functions, with what arguments and results; kprobes of the
# kernel say what is right

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/function && cd /mnt/function || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

hooked()	# by anybody
{
	wc -l <$tracing/enabled_functions
}

# ---- one function ------------------------------------------------------------------

# The module is loaded when it is needed.
rmmod ktrace-functions 2>/dev/null
before=$(hooked)
run ktrace record -F vfs_read -o t -- dd if=/dev/zero of=/dev/null bs=4321 count=1000
ends 0 'a function' 'recorded'
check 'no hook stays' [ "$(hooked)" = "$before" ]
check 'no choice stays' [ -z "$(cat $tree/functions)" ]
run ktrace report t
check 'each call has its arguments' [ "$(grep -c \
	'^dd-.* function:vfs_read: file=0xffff[0-9a-f]* "zero" buf=0x[0-9a-f]* count=4321 pos=0x[0-9a-f]* [0-9]*$' \
	<<<"$out")" = 1000 ]
check 'and its result' [ "$(grep -c '^dd-.* return:vfs_read: ret=4321$' <<<"$out")" = 1000 ]
check 'nothing else is there' [ -z "$(grep -v '^\*\*\*\| \(function\|return\):vfs_read: ' \
	<<<"$out")" ]
lines=$(grep -c ' [0-9.]* [a-z]*:vfs_read: ' <<<"$out")
run ktrace report -e return:vfs_read t
check 'returns alone can be shown' [ "$(grep -c 'ret=4321$' <<<"$out")" = 1000 ]
check 'without the calls' [ -z "$(grep ' function:' <<<"$out")" ]
run ktrace report -F json t
check 'JSON has fields by their names' [ "$(grep -c \
	'"event":"function:vfs_read","fields":{"file":"0xffff[0-9a-f]*","buf":"0x[0-9a-f]*","count":4321,"pos":' \
	<<<"$out")" = 1000 ]
run ktrace report -F kernel t
check 'the kernel has no format for them' [ "$(grep -c \
	'^ *dd-.* function:vfs_read: .*count=4321' <<<"$out")" = 1000 ]
run ktrace report --durations t
check 'returns say how long it took' [ "$(grep -c \
	'return:vfs_read: ret=4321 <[0-9.]*>$' <<<"$out")" = 1000 ]
run ktrace stat --spans t
check 'so does the summary' grep -qE '^ +1,[0-9]{3} .* function +vfs_read$' <<<"$out"
run ktrace report --graph t
check 'a call that calls nothing has one line' [ "$(grep -c \
	'^dd-.* us | vfs_read(file=0xffff[0-9a-f]* "zero", buf=0x[0-9a-f]*, count=4321, pos=0x[0-9a-f]* [0-9]*) = 4321$' \
	<<<"$out")" = 1000 ]
run ktrace export --to ctf -o ctf t
ends 0 'export to CTF'
run babeltrace2 ctf
check 'babeltrace2 reads as many' [ "$(wc -l <<<"$out")" = "$lines" ]
check 'and the same' [ "$(grep -c 'function:vfs_read: .*count = 4321, ' <<<"$out")" = 1000 ]
rm -r t ctf

# ---- as kprobes have it ------------------------------------------------------------

printf 'p:kt_write vfs_write count=%%dx\nr:kt_wrote vfs_write ret=$retval:s64\n' \
	>$tracing/kprobe_events
echo 'mono' >$tracing/trace_clock
cat >work <<'END'
echo $BASHPID >pid
echo 1 >/sys/kernel/tracing/events/kprobes/enable
for ((i = 1; i <= 200; i++)); do
	printf "%${i}s" x >out
	printf x >/dev/full
done 2>/dev/null
echo 0 >/sys/kernel/tracing/events/kprobes/enable
END
run ktrace record -q -F 'vfs_write' -o t -- bash work
ends 0 'beside kprobes'
pid=$(cat pid)
# The kernel does not know the name of each thread: it may be <...>.
sed -n "s/^ *[^ ]*-$pid .*kt_write: .*count=\(0x[0-9a-f]*\)$/\1/p; \
	s/^ *[^ ]*-$pid .*kt_wrote: .*ret=\(-\{0,1\}[0-9]*\)$/ret \1/p" $tracing/trace |
	while read -r a b; do
		[ "$a" = ret ] && echo "ret $b" || echo "count $((a))"
	done >kprobes
ktrace report t | sed -n "s/^bash-$pid .*function:vfs_write: .* count=\([0-9]*\) .*/count \1/p; \
	s/^bash-$pid .*return:vfs_write: ret=/ret /p" >ours.all
# The write that switches the kprobes on comes before them; the one that switches them off
# returns after them.
sed '1,/^ret 2$/d' ours.all | head -n "$(wc -l <kprobes)" >ours
out=$(diff kprobes ours)
check 'there are many' [ "$(wc -l <kprobes)" -gt 700 ]
check 'the same calls, arguments and results' [ -z "$out" ]
check 'errors are negative' grep -qx 'ret -28' ours
echo >$tracing/kprobe_events
rm -r t

# ---- as the kernel's own graph has it ----------------------------------------------

# Both record what the same command does.
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
# Its options exist only now.
echo function_graph >$tracing/current_tracer
echo funcgraph-proc >$tracing/trace_options
run ktrace record -q -F "$(paste -sd, names)" -o t -- bash work
ends 0 'beside the kernel'"'"'s graph'
echo 0 >$tracing/tracing_on
pid=$(cat pid)
grep -- "-$pid " $tracing/trace >theirs.all
echo nop >$tracing/current_tracer
echo 1 >$tracing/tracing_on
echo >$tracing/set_ftrace_filter
# The names of all calls, in their order.
sed -n "s/^ *[0-9]*) .*-$pid  *|[^|]*|  *\([a-z_]*\)() *[;{].*/\1/p" theirs.all >theirs
ktrace report --graph t >ours.all
sed -n "s/^bash-$pid .* | *\([a-z_]*\)(.*/\1/p" ours.all >ours
# The kernel has recorded for longer, and drops what is older than its buffer.
lines=$(wc -l <theirs)
[ "$lines" -le "$(wc -l <ours)" ] || sed -i "1,$((lines - $(wc -l <ours)))d" theirs
lines=$(wc -l <theirs)
out=$(diff <(tail -n "$lines" ours) theirs | head -20)
check 'there are many' [ "$lines" -gt 500 ]
check 'the same calls in the same order' [ -z "$out" ]
rm -r t

# ---- beside other events, to a pipe, many -------------------------------------------

run ktrace record -q -F 'vfs_op*n' -e sched_process_exec -o t -- /bin/cat /etc/hostname
ends 0 'beside -e'
run ktrace report t
check 'both are there' grep -q ' function:vfs_open: path=.* file=' <<<"$out"
check 'in one order' grep -q ' sched:sched_process_exec: ' <<<"$out"
rm -r t
ktrace record -q -F vfs_open -o - -- /bin/cat /etc/hostname | ktrace report - >piped
check 'a pipe knows the names too' grep -q '^cat-.* function:vfs_open: path=' piped

run ktrace record -v -F 's*' -o t -- /bin/cat /etc/hostname
ends 0 'thousands of functions'
count=$(sed -n 's/.* \([0-9]*\) functions$/\1/p' <<<"$err")
check 'really' [ "${count:-0}" -gt 2000 ]
run ktrace report -e 'function:security_file_open' t
check 'their arguments have names' \
	grep -q '^cat-.* function:security_file_open: file=0xffff' <<<"$out"
check 'no hook stays of them' [ "$(hooked)" = "$before" ]
rm -r t

# ---- left out ----------------------------------------------------------------------

# What is meant, as grep says it.
recorded=$(awk '$2 == "vmlinux" { print $1 }' $tree/available_functions | sort -u)
wanted=$(grep '^vfs_' <<<"$recorded" | grep -v '^vfs_r')
wanted=$(printf '%s\n' "$wanted" $(grep -x vfs_readlink <<<"$recorded") | sort -u)
left_out='vmlinux:vfs_*,!vfs_r*,vfs_readlink'
out=$(ktrace list -j -F "$left_out" | jq -r '.[] | select(.missing == null).name' | sort -u)
check 'list: some are left out, and one of those is not' [ "$out" = "$wanted" ]
chosen()	# FILE
{
	sed -n 's/^+\(vmlinux:\)\{0,1\}\(vfs_[^ *]*\)\( .*\)*$/\2/p' "$1" | sort -u
}
run ktrace record -q -F "$left_out" -o t -- bash -c "cat $tree/functions >chosen; /bin/cat /etc/hostname"
ends 0 'recorded, too'
out=$(chosen chosen)
check 'the kernel is asked for the same' [ "$out" = "$wanted" ]
run ktrace stat -n 0 t
check 'what is left out has no calls' [ "$(grep -c 'function:vfs_read$' <<<"$out")" = 0 ]
check 'the others have' grep -q 'function:vfs_open$' <<<"$out"
rm -r t
run ktrace record -q -F '__x64_sys_*,!syscalls:open*' -o t -- /bin/cat /etc/hostname
ends 0 'functions of system calls'
run ktrace stat -n 0 t
check 'without some' [ "$(grep -c 'function:__x64_sys_open' <<<"$out")" = 0 ]
check 'not without others' grep -q 'function:__x64_sys_read$' <<<"$out"
rm -r t
run ktrace record -q -e 'function:vfs_*,!function:vfs_read' -o t -- /bin/cat /etc/hostname
ends 0 'by -e'
run ktrace stat -n 0 t
check 'it means the same' [ "$(grep -c 'function:vfs_read$' <<<"$out")/$(grep -c 'function:vfs_open$' <<<"$out")" = 0/1 ]
rm -r t
run ktrace record -F 'vfs_*,!vfs_raed' -o t -- true
ends 1 'a slip in what is left out' "no function \`vfs_raed'" 'Is it one of these? vfs_read'
run ktrace record -q -F 'vfs_*,!asm_exc_page_*' -o t -- true
ends 0 'what cannot be recorded may be left out, too'
rm -r t
run ktrace record -F 'vfs_*,!no_module:*' -o t -- true
ends 1 'of a module that is not there' "\`!no_module:*': the module is not loaded"
run ktrace record -F '!vfs_*' -o t -- true
ends 1 'of nothing' "'*,!vfs_*'"
run ktrace list -F '!vfs_*'
ends 1 'a list of nothing' "'*,!vfs_*'"
run ktrace graph -f 'vfs_*,!vfs_read' -- true
ends 2 'a graph cuts' "named by --no"
run ktrace graph -f vfs_open --no '!vfs_read' -- true
ends 1 'or does not' "\`!vfs_read' leaves functions out"

# ---- chosen by hand ----------------------------------------------------------------

by_hand()	# TRACE COMMANDS...
{
	ktrace record -q -e function:entry,function:exit -o "$1" -- bash -c "
		cd $tree
		$2
		/bin/cat /etc/hostname >/dev/null"
	ktrace report "$1" >report
	rm -r "$1"
}
by_hand t 'echo +vfs_read >functions'
check 'names are known without -F, too' grep -q '^cat-.* function:vfs_read: file=0x' report
by_hand t 'echo +vfs_read >functions
	echo 0 >events/function/entry/enabled
	echo "function/entry: u64 size: a2" >capture
	echo 1 >events/function/entry/enabled'
check 'a capture program has its own fields' grep -q '^cat-.* function:entry: .*size=' report
check 'returns have their names' grep -q '^cat-.* return:vfs_read: ret=' report

# ---- mistakes ----------------------------------------------------------------------

run ktrace record -F vfs_read,no_such_function -o t -- true
ends 1 'a function that is not there' "no function \`no_such_function'" 'inlined'
run ktrace record -F vfs_raed -o t -- true
ends 1 'a function with a wrong letter' 'Is it one of these? vfs_read'
check 'nothing is chosen' [ -z "$(cat $tree/functions)" ]
check 'nothing is recorded' [ ! -e t ]
run ktrace record -F , -o t -- true
ends 2 'no function' '-F names no function'
run ktrace record -F 'no_module:*' -o t -- true
ends 0 'a module that is not there' 'the module no_module is not loaded' 'no event came'

echo "# end of function.sh"
