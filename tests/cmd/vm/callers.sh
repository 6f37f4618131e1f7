# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# callers.sh - who called a function, of calls that are recorded when they return: the same as at their
# entry, on both ways of hooking. What is recorded at the entry is the judge where both sessions hook
# the function; the kernel's own unwinder, by kprobes behind the function's first instruction, where
# our trampoline does.
# Only in check-all, on each kernel: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/callers && cd /mnt/callers || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
work=/dev/shm/callers
mkdir -p $work

# Nobody else calls these while the test runs; most call others of them, and none itself.
functions_once >once
as=do
grep -qx filename_mkdirat once && as=filename
printf '%s\n' ${as}_mkdirat vfs_mkdir shmem_mkdir ${as}_rmdir vfs_rmdir shmem_rmdir ${as}_symlinkat \
	vfs_symlink shmem_symlink ${as}_unlinkat vfs_unlink shmem_unlink ${as}_renameat2 vfs_rename \
	shmem_rename2 shmem_mknod security_path_mkdir security_inode_mkdir d_instantiate >wanted
grep -xFf once wanted >names
check 'the kernel has most of them' [ "$(wc -l <names)" -ge 12 ]
cat >load <<END
cat $tree/sessions/*/function_table >tables
for ((i = 0; i < 30; i++)); do
	mkdir $work/a\$i
	ln -s x $work/l\$i
	mv $work/a\$i $work/b\$i
done
rmdir $work/none
rm $work/l*
rmdir $work/b*
exit 0
END

# "TID FUNCTION NTH FRAMES": the stacks of the trace, of a task's calls of a function in their order.
# None of these functions calls itself, so this is also the order in which they return.
stacks_of()	# TRACE SYSTEM
{
	ktrace report -F json "$1" | jq -r --arg system "$2" '
		(.event | split(":")) as $name | select($name[0] == $system) |
		"\(.tid) \($name[1]) \((.stack // ["none"]) | join(" "))"' |
		sed 's/ kt_trampolines+[^ ]* \[ktrace_trampoline\]//g' |
		awk '{ $2 = $2 " " ++nth[$1, $2]; print }' | sort
}

# Calls that other tasks have made are left out: one session began before the other.
compare()	# WHAT THEIRS OURS
{
	cut -d ' ' -f 1 "$3" | sort -u | sed 's/$/ /; s/^/^/' >tids
	grep -f tids "$2" >theirs.same
	out=$(diff theirs.same "$3" | head -20)
	check "$1: there are many calls" [ "$(wc -l <"$3")" -gt 300 ]
	check "$1: they have called each other" \
		[ "$(grep -c '.*vfs_mkdir.*mkdirat.*do_syscall_64' "$3")" -gt 50 ]
	check "$1: the same stacks" [ -z "$out" ]
}

# ---- by ftrace, beside entries with stacks ---------------------------------------------------

beside()	# WHAT OPTION...
{
	local what=$1
	shift
	run ktrace record -q --only --plain -F "$(paste -sd, names)" -g -o entries -- \
		ktrace graph -f "$(paste -sd, names)" --longer 1us --callers "$@" --trace calls -o shown -- bash load
	ends 0 "$what: two sessions record"
	check "$what: ftrace calls both" [ "$(awk '{ print $10 }' tables | sort -u)" = ftrace ]
	stacks_of entries function >theirs
	stacks_of calls call >ours
	compare "$what" theirs ours
}
beside 'as registers have the arguments' --plain
rm -r entries calls
# What arguments point to is kept in another place.
beside 'with what arguments point to'
check 'which is there, too' grep -q ' vfs_mkdir(.*"a7"' shown
check 'the graph has a line for who called' grep -qE "^mkdir-.* \| /\* <- ${as}_mkdirat <- .* <- do_syscall_64" shown
run ktrace graph -i calls --columns none -o shown
check 'of a trace, only if it is wanted' [ "$(grep -c ' vfs_mkdir(' shown) $(grep -c '<-' shown)" = '30 0' ]
ktrace report --graph -g calls >shown
check 'as in a report' grep -q "| /\* <- ${as}_mkdirat <-" shown
ktrace stat --spans calls >shown
check 'durations are there all the same' grep -q ' function vfs_mkdir$' shown
rm -r entries calls

# ---- by trampolines, beside kprobes -----------------------------------------------------------

# Behind what calls the hook, which there is a landing pad in front of, or not. At the function's
# first instruction a kprobe would be a user of ftrace, and there would be no trampoline. To the
# kernel's unwinder the function is a byte further, so that this must be the same instruction.
probe_put()	# NAME: at an instruction of several bytes
{
	local at
	for at in 9 5; do
		! echo "p:kt/p_$1 $1+$at" >>$tracing/kprobe_events || {
			! echo "p:kt/n_$1 $1+$((at + 1))" >>$tracing/kprobe_events && return
			echo "-:kt/n_$1" >>$tracing/kprobe_events
			echo "-:kt/p_$1" >>$tracing/kprobe_events
		}
	done 2>/dev/null
	return 1
}
: >probed
while read -r name; do
	! probe_put "$name" || echo "$name" >>probed
done <names
check 'kprobes are in many of them' [ "$(wc -l <probed)" -ge 8 ]
# Nor can the kernel unwind from a jump that took the place of a breakpoint.
echo 0 >/proc/sys/debug/kprobes-optimization
first_plain()	# the kprobe is elsewhere in the function
{
	sed -E 's/^([^ ]+ [^ ]+ [^ ]+ [^ +]+)\+[^ ]+/\1/'
}
echo >$tracing/trace
echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/options/stacktrace
echo 1 >$tracing/options/sym-offset
echo 1 >$tracing/events/kt/enable
run ktrace graph -f "$(paste -sd, probed)" --plain --returns 'duration > 0' --callers --trace calls -o shown -- bash load
ends 0 'by trampolines'
echo 0 >$tracing/events/kt/enable
check 'which all of them have' [ "$(awk '{ print $10 }' tables | sort -u)" = direct ]
# Such a line is the first frame.
awk '
	function put() {
		if (stack)
			print who, name, ++nth[who, name], stack
		stack = ""
	}
	/<stack trace>/ { next }
	/^ => / {
		sub(/\/0x[0-9a-f]+/, "", $2)
		if ($2 !~ /^kt_trampolines\+/)
			stack = stack (stack ? " " : "") $2 ($3 ? " " $3 : "")
		next
	}
	match($0, /-[0-9]+ +\[/) {
		put()
		who = substr($0, RSTART + 1, RLENGTH - 2) + 0
		name = $0
		sub(/.*: p_/, "", name)
		sub(/:.*/, "", name)
	}
	END { put() }' $tracing/trace | first_plain | sort >theirs
check 'no kprobe was missed' [ -z "$(awk '$1 ~ /^p_/ && $3' $tracing/kprobe_profile)" ]
echo 0 >$tracing/options/sym-offset
echo 0 >$tracing/options/stacktrace
echo >$tracing/kprobe_events
echo >$tracing/trace
echo 1408 >$tracing/buffer_size_kb
echo 1 >/proc/sys/debug/kprobes-optimization
stacks_of calls call | first_plain >ours
compare 'by trampolines' theirs ours
rm -r calls

# ---- what a condition refuses -------------------------------------------------------------------

# A stack is stored when it is walked for the first time: here is none.
session=$tree/sessions/callers
refused()	# WAY
{
	mkdir $session
	sed "s/.*/+vmlinux:& 2${1/ftrace/}/" names >$session/functions
	echo 'call/function: kernel' >$session/stack
	empty=$(wc -c <$session/stacks)
	echo 'duration > 100000000000' >$session/events/call/function/filter
	echo 1 >$session/events/call/function/enabled
	echo 1 >$session/enabled
	bash load 2>/dev/null
	check "$1: all have this way" [ "$(awk '{ print $10 }' $session/function_table | sort -u)" = "${1# }" ]
	out=$(wc -c <$session/stacks)
	check "$1: what is refused is not walked" [ "$out" = "$empty" ]
	echo 'ret != 1234567' >$session/events/call/function/filter
	bash load 2>/dev/null
	out=$(wc -c <$session/stacks)
	check "$1: what is recorded is" [ "$out" -gt "$empty" ]
	echo 0 >$session/enabled
	echo 0 >$session/events/call/function/enabled
	rmdir $session
}
refused ' direct'
refused ftrace

# ---- what does not fit --------------------------------------------------------------------------

run ktrace graph -f vfs_mkdir --callers -- true
ends 2 'what functions call has its callers in the graph' '--callers is about the functions of -f alone' '--alone'
run ktrace graph -f vfs_mkdir --callers --alone --columns none -o shown -- mkdir $work/one
ends 0 'of calls that are recorded as they begin'
check 'it says who called, too' grep -q "^| /\* <- ${as}_mkdirat <-" shown
rmdir $work/one
finish_vm callers.sh
