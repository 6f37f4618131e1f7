# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# stacks.sh - events with their stacks; the kernel's own tracer is the judge
# One kernel is enough: tests/kernel/stacks.sh has the kernel's unwinder as judge on each.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
chain=$PWD/build/user/tests/kernel/chain-static
mkdir -p /mnt/stacks && cd /mnt/stacks || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
events="sched/sched_process_fork sched/sched_switch kmem/kmalloc"

# ---- of programs -----------------------------------------------------------------

# It has forked in main(), and nobody keeps frame pointers for us.
hold_in nanosleep "$chain" /dev/null x held 6000
run ktrace record -o both -e sched:sched_process_fork -g=both -- "$chain" /dev/null x fork
ends 0 'stacks of programs are recorded'
ktrace report -g both >report
grep -A40 'parent_comm=chain-static' report >of_chain
check 'the kernel is above the program' grep -q '^	kernel_clone+' of_chain
check 'functions have names and lines' grep -q '^	main+0x[0-9a-f]* (chain-static) at chain\.c:[0-9]*$' of_chain
check 'up to where the program began' grep -q '^	_start+0x[0-9a-f]* (chain-static)$' of_chain
ktrace report -F json both >json
check 'as JSON' grep -q '"user_stack":\[.*"main+0x[0-9a-f]* (chain-static) at chain\.c:[0-9]*"' json

# Its functions are named by its debug file, which is found by the build id.
strip -o bare "$chain"
id=$(readelf -n bare | awk '/Build ID/ { print $3 }')
let_go
hold_in nanosleep ./bare /dev/null x held 6000
for try in without with; do
	ktrace record -q -o $try -e sched:sched_process_fork -g=user -- \
		./bare /dev/null x fork >/dev/null
	ktrace report -g $try | grep -A40 'parent_comm=bare' >of_$try
	[ $try = with ] && break
	mount -t tmpfs tmpfs /usr/lib/debug
	mkdir -p "/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$chain" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
done
let_go
umount /usr/lib/debug
check 'a stripped program has no names' grep -q '^	bare+0x[0-9a-f]*$' of_without
check 'its debug file has' grep -q '^	main+0x[0-9a-f]* (bare) at chain\.c:[0-9]*$' of_with

# Or by a link in it, unless it is a stranger's: then the link leads where he wants.
objcopy --only-keep-debug "$chain" names.debug
objcopy --strip-all -R .note.gnu.build-id "$chain" linked 2>/dev/null
objcopy --add-gnu-debuglink=names.debug linked
hold_in nanosleep ./linked /dev/null x held 6000
for owner in 1234 0; do
	chown $owner linked
	ktrace record -q -o by_$owner -e sched:sched_process_fork -g=user -- \
		./linked /dev/null x fork >/dev/null
	ktrace report -g by_$owner | grep -A40 'parent_comm=linked' >of_$owner
done
let_go
check 'the link of a stranger is not followed' grep -q '^	linked+0x[0-9a-f]*$' of_1234
check 'that of root is' grep -q '^	main+0x[0-9a-f]* (linked) at chain\.c:[0-9]*$' of_0

# Code that was made at run time is named by the map that its maker writes: here, and where the
# maker has another root and another number.
# The recorder asks who makes it while that still runs, and then tells in the metadata that there is
# such code.
has_code() # TRACE
{
	grep -q '"path":"\[jit\]"' "$1/metadata"
}
export -f wait_until has_code
hold_in nanosleep "$chain" /dev/null x held 6000
run ktrace record -q -o made -e syscalls:sys_enter_write -g=user -- bash -c \
	'"$0" /dev/null x jit 6000 & wait_until has_code made; kill $!' "$chain"
ends 0 'stacks of code that is made are recorded'
ktrace report -g made | grep -B1 -A1 '(\[jit\])' >of_made
check 'it has a name' grep -q '^	calls what it gets+0x6 (\[jit\])' of_made
check 'it is between caller and callee' test "$(grep -c 'leaf+\|by_made+' of_made)" = 2
mkdir -p other/tmp other/dev other/proc && cp "$chain" other/chain && touch other/dev/null
mount -t proc proc other/proc
# It lives longer than the recorder: its root can still be asked for the map.
let_go
hold_in nanosleep other/chain /dev/null x held 6000
ktrace record -q -o other.trace -e syscalls:sys_enter_write -g=user -- bash -c \
	'unshare -fp chroot other /chain /dev/null x jit 6000 >/dev/null &
	wait_until test -s other/tmp/perf-1.map; wait_until has_code other.trace'
check 'it has another number there' test "$(ls other/tmp)" = perf-1.map
check 'but its names are found' sh -c \
	"ktrace report -g other.trace | grep -q '^	calls what it gets+0x6 (\[jit\])'"
pkill chain
wait $held 2>/dev/null
umount other/proc

# There are no tables for programs of 32 bits.
chain32=${chain%/*}/chain32
run ktrace record -q -o narrow -e compat_syscalls:sys_enter_write -g=user -- \
	sh -c '"$0" >/dev/null' "$chain32"
ends 0 'stacks of programs of 32 bits are recorded'
check 'they are guessed' test "$(ktrace report -g narrow | sed -n 's/+0x[0-9a-f]*//; s/ at chain32\.c:[0-9]*//; /^	/p' | tail -n 3)" = \
	'	second (chain32)
	first (chain32) [guess]
	_start (chain32) [guess]'

# ---- of the kernel ---------------------------------------------------------------

run ktrace record -e 'sched:*' -g=all -- true
ends 2 'so is what there is not' 'kernel, user or both'
run ktrace record -M 'x:*' -g -- true
ends 2 'stacks without events are refused' '-e or -F is missing'

# ---- of some events -------------------------------------------------------------

ktrace record -q -e sched:sched_process_fork,sched:sched_switch,kmem:kmalloc -o some \
	-g=user:'sched:*fork' -g=kernel:sched_switch -g=kernel:'sched:*' -- sh -c '/bin/true; /bin/true'
ktrace report -F json some | jq -r '[.event, has("stack"), has("user_stack")] | @csv' |
	sort -u >which
check 'each event has what fits' test "$(tr -d '"' <which)" = 'kmem:kmalloc,false,false
sched:sched_process_fork,true,true
sched:sched_switch,true,false'
ktrace record -q -e sched:sched_switch,kmem:kmalloc -o when \
	-g=both:'sched_switch if prev_comm == "sleep"' -- sleep 0.1
ktrace report -F json when | jq -r '[.event, (.fields.prev_comm == "sleep"), has("stack"),
	has("user_stack")] | @csv' | sort -u | tr -d '"' >which
check 'only events that pass the filter have a stack' test "$(cat which)" = \
	'kmem:kmalloc,false,false,false
sched:sched_switch,false,false,false
sched:sched_switch,true,true,true'
hold_in nanosleep "$chain" /dev/null x held 6000
ktrace record -q -e sched:sched_process_fork -o whenever -g=user:'*fork if parent_pid > 0' -- \
	"$chain" /dev/null x fork >said
let_go
check 'these are whole, and have names' sh -c "ktrace report --oneline -g whenever |
	grep -q 'parent_comm=chain-static.* <- main <- .* <- _start$'"
run ktrace record -e sched:sched_switch -g=$'user:sched_switch if prev_pid > 1\nsched/sched_switch: both' -- true
ends 2 'a filter is one line' 'are one line'
check 'the others say nothing of it' sh -c \
	"ktrace report -g when | grep -A1 'prev_comm=swapper' | grep -q 'no stack'; [ \$? = 1 ]"
run ktrace record -e sched:sched_switch -g=both:'sched_switch if prev = 1' -- true
ends 1 'a filter with an error is told' 'in the filter'
run ktrace record -e sched:sched_switch -g=kernel -g='user:sched_switch if prev_prio > 1' -- true
ends 1 'two conditions are refused' 'an event has one condition'
run ktrace record -e sched:sched_switch -g=user:kmalloc -- true
ends 1 'a pattern that fits nothing is told' 'none of the events that are recorded'
run ktrace record -e sched:sched_switch -g=user: -- true
ends 2 'so is none' 'names no event'

# ---- against the kernel's tracer ----------------------------------------------

# one_name < CHAINS: each of the functions in CHAINS has one name.  Some have several in the
# kernel (memcpy is __memcpy), and each of the tracers takes another one.
awk '$1 == address { print $3, name; next } { address = $1; name = $3 }' /proc/kallsyms >aliases
one_name()
{
	sort -u | awk '
		FNR == NR { first[$1] = $2; next }
		{
			n = split($0, name, ";")
			chain = name[1]
			for (i = 2; i <= n; i++)
				chain = chain ";" (name[i] in first ? first[name[i]] : name[i])
			print chain
		}' aliases - | sort -u
}

# What the kernel's tracer records meanwhile, ktrace must have too.
cat >load <<END
echo 0 >$tracing/tracing_on
for event in $events; do echo 1 >$tracing/events/\$event/enable; done
echo stacktrace >$tracing/trace_options
echo 1 >$tracing/tracing_on
ls -lR /etc/apt /etc/systemd >/dev/null
head -c 300000 /dev/zero >file && sync file
echo 0 >$tracing/tracing_on
END
echo 8192 >$tracing/buffer_size_kb
run ktrace record -g --size 32M -e sched:sched_process_fork,sched:sched_switch,kmem:kmalloc -- sh load
ends 0 'record -g' recorded
check 'nothing is left in the session' test -z "$(cat $tree/stack)"
for event in $events; do echo 0 >$tracing/events/$event/enable; done

# Chains of functions, outermost last, one a line, each once.
awk '
	function flush() { if (chain != "") print chain; chain = ""; begun = 0 }
	/<stack trace>/ { flush(); reading = 1; next }
	reading && $1 == "=>" {
		if (!begun && $2 ~ /^(trace_event_|__traceiter|__bpf_trace|perf_trace|event_trigger|ftrace_|__ftrace)/) next
		begun = 1
		chain = chain ";" $2
		next
	}
	{ flush(); reading = 0 }
	END { flush() }' $tracing/trace | one_name >theirs
echo nostacktrace >$tracing/trace_options
echo 1 >$tracing/tracing_on
echo >$tracing/trace
ktrace report -g >report
awk '
	function flush() { if (chain != "") print chain; chain = "" }
	/^\t\(/ { next }
	/^\t/ { sub(/\+.*/, "", $1); chain = chain ";" $1; next }
	{ flush() }
	END { flush() }' report | one_name >ours
echo "# $(wc -l <theirs) stacks of the kernel's tracer, $(wc -l <ours) of ours"
missing=$(comm -23 theirs ours | head -n 5)
check 'the kernel has seen many stacks' test "$(wc -l <theirs)" -ge 50
check 'each of them is in the trace' test -z "$missing"
printf '%s\n' "$missing" | sed '/./s/^/#   /'

# ---- of functions -----------------------------------------------------------

# Some of them call others, so returns that are hooked are on the stacks.  What came while that
# tracer itself ran is not compared: which tracer is asked first?
names=kfree,vfs_open,do_dentry_open,path_openat,lookup_fast
cat >load <<END
echo 0 >$tracing/tracing_on
echo $names | tr ',' '\n' >$tracing/set_ftrace_filter
echo function >$tracing/current_tracer
echo 1 >$tracing/options/func_stack_trace
echo 1 >$tracing/tracing_on
ls -lR /etc/apt >/dev/null
head -c 300000 /dev/zero >file && sync file
echo 0 >$tracing/tracing_on
END
run ktrace record -F $names -e kmem:kmalloc -g=kernel:function:entry --size 32M -o called -- sh load
ends 0 'functions are recorded with their stacks' recorded
awk -v names="$names" '
	BEGIN { split(names, list, ","); for (i in list) wanted[list[i]] = 1 }
	function flush() {
		if (chain != "" && chain !~ /ftrace_ops_list_func/) print chain
		chain = ""; begun = 0
	}
	/<stack trace>/ { flush(); reading = 1; next }
	reading && $1 == "=>" {
		begun = begun || $2 in wanted
		if (begun) chain = chain ";" $2
		next
	}
	{ flush(); reading = 0 }
	END { flush() }' $tracing/trace | one_name >theirs
echo 0 >$tracing/options/func_stack_trace
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
ktrace report -g called >calls
awk '
	function flush() { if (chain != "") print chain; chain = "" }
	/^\t\(/ { next }
	/^\t/ { sub(/\+.*/, "", $1); chain = chain ";" $1; next }
	{ flush() }
	END { flush() }' calls | one_name >ours
echo "# $(wc -l <theirs) stacks of the kernel's tracer, $(wc -l <ours) of ours"
missing=$(comm -23 theirs ours | head -n 5)
check 'the kernel has seen many stacks of functions' test "$(wc -l <theirs)" -ge 20
check 'each of them is in the trace, too' test -z "$missing"
printf '%s\n' "$missing" | sed '/./s/^/#   /'
check 'there are many' test "$(grep -c ' function:' calls)" -ge 500
check 'each begins with the function' test -z "$(awk '
	/^[^\t]/ { name = $0; sub(/.* function:/, "", name); sub(/:.*/, "", name); of = / function:/; next }
	of { sub(/\+.*/, "", $1); if ($1 != name) print; of = 0 }' calls)"
# If an interrupt comes while the kernel replaces a return address, nobody knows the true one.
check 'all are complete' test -z "$(awk '
	/^[^\t]/ { replaces = 0 }
	/^\t(arch_rethook_prepare|rethook_hook)\+/ { replaces = 1 }
	/^\t\(/ && !(replaces && /replaced the return address/)' calls)"
check 'returns have none, nor other events' test "$(ktrace report -F json called |
	jq -r 'select(.event | startswith("function:") | not) | has("stack")' | sort -u)" = false
check 'what could not be read says so' test "$(ktrace report called -e function:vfs_open |
	grep -c 'file=0x[0-9a-f]* ?$')" -gt 0
# What arguments point to lies behind the stacks: another program says what it is.
mkfifo fifo
exec 3<>fifo
hold_in pipe_read /usr/bin/cat fifo
run ktrace record -q -F do_sys_openat2,kfree -g=both -o called -- sh -c \
	'for i in 1 2 3; do /usr/bin/cat /etc/hostname; done'
let_go
exec 3<&-
ends 0 'with both stacks'
check 'texts are where they were' test "$(ktrace report called |
	grep -c '^cat-.* function:do_sys_openat2: .*filename=0x[0-9a-f]* "/etc/hostname"')" = 3
check 'the program is below' test "$(ktrace report -g called -e function:do_sys_openat2 |
	awk '/"\/etc\/hostname"/ { of = 1; next } /^[^\t]/ { of = 0 } of && /^\t__libc_start_main/' | wc -l)" = 3
check 'calls without a text have none' test -z "$(ktrace report called -e function:kfree | grep '"')"
run ktrace export --to ctf -o called.ctf called
run babeltrace2 called.ctf
check 'babeltrace2 reads the same' test "$(grep -c \
	'function:do_sys_openat2: .*filename = .*"/etc/hostname"' <<<"$out")" = 3
ktrace record -q -e function:kfree,kmem:kmalloc -g -o named -- true
check 'a function may be named as an event' test "$(ktrace report --oneline named | sed 's/.*\] [0-9.]* //; s/: .* <- do_syscall_64 <- .*/ stack/; s/ .*stack$/ stack/' |
	grep -E '^(function:kfree|kmem:kmalloc) stack$' | sort -u | wc -l)" = 2
run ktrace record -F kfree -g=kernel:sched_switch -- true
ends 1 'a pattern that fits no function is told' 'function:entry'
run ktrace record -F kfree -g='kernel:function:* if function == 1' -- true
ends 1 'so is a filter of theirs' 'cannot be chosen'
# The module is loaded, so its events are among all.
run ktrace record -g -o named -e 'function:*,call:*,sched:sched_switch' -- true
ends 0 'who wants stacks of all gets them where they can be'
run ktrace record -g=kernel:function:exit -e function:exit -- true
ends 1 'who wants those of returns is told' 'fits none'
run ktrace record -q -e function:entry,function:kfree -g -o named -- true
ends 0 'entries may be named twice'
check 'and have stacks' test "$(ktrace report -g named | grep -A1 ' function:kfree' | grep -c '^	kfree+')" -gt 0
for wrong in '-e sched:sched_switch -e function:kfree -f prev_pid>1' \
	'-e function:kfree,kmem:kmalloc -f bytes_alloc>100'; do
	run ktrace record $wrong -- true
	ends 2 "record $wrong" 'function'
done
echo 'function/exit: kernel' >$tree/stack 2>err
check 'returns have no stacks' grep -q 'no stacks are recorded of it' $tree/error
rm -r called called.ctf named

# ---- how they are shown -------------------------------------------------------

events=$(grep -vc '^	' report)
check 'each event has a stack' test "$events" -gt 0 -a "$(ktrace report --oneline |
	grep -c ' <- ')" = "$events"
check 'its number is not shown' test "$(grep -c __kernel_stack report)" = 0
check 'without -g there are none' test "$(ktrace report | grep -c '^	')" = 0
ktrace report -F json -e sched_process_fork -n 1 >json
check 'JSON has an array of frames' grep -q '"stack":\["[a-z_]*+0x[0-9a-f]*",.*\]}$' json
ktrace report --folded >folded
check 'folded stacks begin with the program' grep -q '^ls;.*;do_syscall_64;.* [0-9]*$' folded
check 'and count all events' test "$(awk '{ n += $NF } END { print n }' folded)" = \
	"$events"
run ktrace stat
ends 0 'stat shows such a trace'

# ---- as a stream, killed, full ------------------------------------------------

ktrace record -g -e sched:sched_process_fork -o - -- sh -c 'ls; ls' 2>err >stream
ktrace report -g - <stream >report
check 'a stream has the stacks' grep -q '^	kernel_clone+' report
hold_in nanosleep "$chain" /dev/null x held 6000
ktrace record -m overwrite -g=user -e sched:sched_process_fork -o - -- \
	"$chain" /dev/null x fork 2>err >stream.said
let_go
ktrace report --oneline -g - <stream.said >report
check 'with names of programs from the beginning' grep -q 'parent_comm=chain-static.* <- main <- .* <- _start$' report
ktrace record -g -e sched:sched_process_fork -o killed -- sleep 100 2>err &
pid=$!
wait_until grep -qx 1 $tree/enabled
has_stacks() # TRACE
{
	[ "$(stat -c %s "$1/stacks")" -gt 16 ]
}
for i in $(seq 50); do /bin/true; done
wait_until has_stacks killed
kill -KILL $pid
wait $pid 2>/dev/null
kill $(pgrep -x sleep)
check 'what a killed recorder leaves has its stacks' has_stacks killed
ktrace record -q -e sched:sched_process_fork -- true
echo 4096 >$tree/stack_size
run ktrace record -g -e kmem:kmalloc -o full -- ls -lR /etc
check 'events without room for their stack are told, and the remedy' grep -q \
	'missed [0-9,]* of stacks: events whose stack or branches found no room: .* --stack-size' <<<"$err"
run ktrace report -g full
check 'and say so' grep -q '(no stack: there was no room for it)' <<<"$out"
ktrace record -q -e sched:sched_process_fork -- true
echo 4194304 >$tree/stack_size
finish_vm stacks.sh
