# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# calls.sh - how often functions are called, on which paths, and with what errors: the
# kernel's function_graph says what is right. What sources miss is in the trace.
# One kernel is enough: they are counted by the reader.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/calls && cd /mnt/calls || exit 1
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
work=/dev/shm/calls
mkdir -p $work

# ---- as the kernel's graph has them ---------------------------------------------------

functions_once >once
# What was do_mkdirat() is filename_mkdirat() in newer kernels, and so on.
as=do
grep -qx filename_mkdirat once && as=filename
# Nobody else calls these while the test runs; most call others of them.
printf '%s\n' ${as}_mkdirat vfs_mkdir shmem_mkdir ${as}_rmdir vfs_rmdir shmem_rmdir \
	${as}_symlinkat vfs_symlink shmem_symlink ${as}_unlinkat vfs_unlink shmem_unlink \
	${as}_renameat2 vfs_rename shmem_rename2 shmem_mknod >wanted
grep -xFf once wanted >names
check 'the kernel has most of them' [ "$(wc -l <names)" -ge 10 ]
cat >load <<END
for ((i = 0; i < 40; i++)); do
	mkdir $work/a\$i
	ln -s x $work/l\$i
	mv $work/a\$i $work/b\$i
done
mkdir $work/b0 $work/b1 $work/b2
rmdir $work/none
rm $work/l*
rmdir $work/b*
exit 0
END

# "CALLS PATH" for each path of function_graph's lines.
paths_of_graph()
{
	awk '
	match($0, / [^ ]+-[0-9]+ /) { who = substr($0, RSTART, RLENGTH) }
	/\(\);|\(\) \{/ {
		name = $0
		sub(/.*\| */, "", name)
		sub(/\(\).*/, "", name)
		path = depth[who] ? stack[who, depth[who]] ";" name : name
		calls[path]++
		if (/\{/)
			stack[who, ++depth[who]] = path
		next
	}
	/\|  *\}/ { depth[who]-- }
	END { for (path in calls) print calls[path], path }' "$@" | sort
}

# The same of a tree in JSON, without threads, and without ktrace's own.
paths_of_tree()
{
	jq -r '.tree[] | [.depth, .name, .calls, .kind] | map(tostring) | join(" ")' | awk '
	$4 == "thread" { own = $2 == "ktrace"; base = 1; next }
	own { next }
	{
		path[$1] = $1 > base ? path[$1 - 1] ";" $2 : $2
		calls[path[$1]] += $3
	}
	END { for (one in calls) print calls[one], one }' | sort
}

echo 0 >$tracing/tracing_on
echo 8192 >$tracing/buffer_size_kb
echo >$tracing/trace
cat names >$tracing/set_ftrace_filter
echo function_graph >$tracing/current_tracer
echo funcgraph-proc >$tracing/trace_options
names=$(paste -sd, names)
: >said
# Not run(): it makes and removes files.
echo 1 >$tracing/tracing_on
ktrace record -q -F "$names" -o t -- bash load 2>said
status=$?
echo 0 >$tracing/tracing_on
out='' err=$(cat said)
ends 0 'beside the kernel'"'"'s graph' 'File exists'
# The kernel has recorded for longer, and so what ktrace does for itself.
grep -v '^#\| ktrace-[0-9]* ' $tracing/trace >graph
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter
echo 1408 >$tracing/buffer_size_kb
echo 1 >$tracing/tracing_on

paths_of_graph graph >theirs
ktrace stat -q --tree --by thread -j t | paths_of_tree >ours
out=$(diff theirs ours)
check 'the same paths, as often' [ -z "$out" ]
check 'there are some' [ "$(grep -c ';' ours)" -ge 8 ]
# Of all threads: the same from two tables.
run ktrace stat -q --spans --by function -j t
jq -r '.spans[] | "\(.count) \(.name)"' <<<"$out" | sort >functions
run ktrace stat -q --tree -j t
out=$(diff functions <(paths_of_tree <<<"$out" | awk '{ sub(/.*;/, "", $2); calls[$2] += $1 }
	END { for (name in calls) print calls[name], name }' | sort))
check 'the same functions, as often' [ -z "$out" ]
run ktrace stat -q --callers -j t
out=$(paths_of_tree <<<"$out" | grep -v ';' | diff functions -)
check 'as callers, too' [ -z "$out" ]

# What the programs were told.
run ktrace stat -q --spans --by function -j t
errors()	# NAME
{
	jq ".spans[] | select(.name == \"$1\") | .errors" <<<"$out"
}
check 'three directories existed' [ "$(errors ${as}_mkdirat)" = 3 ]
check 'one did not' [ "$(errors ${as}_rmdir)" = 1 ]
check 'links were made' [ "$(errors ${as}_symlinkat)" = 0 ]
run ktrace stat -q --tree -j t
check 'all own times are the total of the outermost' [ "$(jq '([.tree[].self] | add) ==
	([.tree[] | select(.depth == 0) | .total] | add)' <<<"$out")" = true ]

# ---- below syscalls and interrupts ----------------------------------------------------

mkdir $work/c
run ktrace record -q -F ${as}_rmdir,vfs_rmdir -e 'syscalls:sys_*_rmdir' -o s -- rmdir $work/c
ends 0 'with syscalls'
run ktrace stat -q --tree -j s
check 'the syscall is their caller' [ "$(paths_of_tree <<<"$out")" = "1 rmdir
1 rmdir;${as}_rmdir
1 rmdir;${as}_rmdir;vfs_rmdir" ]
check 'it took longer' [ "$(jq '.tree | .[0].total >= .[1].total and
	.[1].total >= .[2].total and .[0].self == .[0].total - .[1].total' <<<"$out")" = true ]
run ktrace stat -q --diff s t
check 'two traces' grep -q " ${as}_rmdir$" <<<"$out"
check 'of which something is known' grep -q " ${as}_mkdirat$" <<<"$out"

# ---- misses ---------------------------------------------------------------------------

missed()	# REASON
{
	jq ".missed[] | select(.source == \"function\" and .reason == \"$1\") | .count" <<<"$out"
}
run ktrace stat -q -j s
check 'nothing was missed' [ "$(missed node)" = 0 ]

rmmod ktrace-functions
# By a trampoline, as many calls may be open as there are.
modprobe_calls()	# COUNT
{
	ktrace load 2>/dev/null
	insmod "$KTRACE_MODULES/ktrace-functions.ko" calls="$1" direct=0
}
modprobe_calls 4
# All sleep at the same time before one ends.  Waiting for that must not sleep, or it would count.
cat >sleepers <<'END'
for ((i = 0; i < 20; i++)); do
	sleep 6000 &
	pids+=" $!"
done
for pid in $pids; do
	until sleeps_in nanosleep $pid; do :; done
done
kill $pids
wait 2>/dev/null
END
export -f sleeps_in
for time in first second; do
	run ktrace record -F hrtimer_nanosleep -o "$time" -- bash sleepers
	ends 0 "the $time time" 'missed ' 'of function: calls while too many were open'
	say=$err
	run ktrace stat -q -j "$time"
	entries=$(jq '.types[] | select(.system == "function") | .events' <<<"$out")
	exits=$(jq '.types[] | select(.system == "return") | .events' <<<"$out")
	node=$(missed node)
	check "each call is recorded or missed, the $time time ($entries + $node)" \
		[ $((entries + node)) -ge 20 ]
	check 'not again those of before' [ $((entries + node)) -lt 30 ]
	check 'some were missed' [ "$node" -ge 5 ]
	check 'all that were recorded have returned' [ "$entries" = "$exits" ]
	check 'record said so' grep -q "missed $node of function" <<<"$say"
done
run ktrace report first
check 'so does report' grep -q 'of function: calls while too many' <<<"$err"
ktrace record -q -F hrtimer_nanosleep -o - -- bash sleepers | ktrace stat -q -j - >piped
out=$(cat piped)
check 'and a pipe' [ "$(missed node)" -ge 5 ]
rmmod ktrace-functions

echo "# end of calls.sh"
