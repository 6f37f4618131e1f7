# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# graph_oracle.sh - the graph of 200 functions while ls -R and dbench run: the kernel's
# function_graph, which records the same run, says which calls there were, in what order, how deep,
# and how long they took
# One kernel is enough: what hooks record is tested by tests/kernel.
# Only in check-all: it takes long.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/graph_oracle && cd /mnt/graph_oracle || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/set_ftrace_filter ] || mount -t tracefs tracefs $tracing

mkdir -p tree/{1..20}
touch tree/{1..20}/{a..j}
head -n 1500 /usr/share/dbench/client.txt >load
# It writes how many tasks there are before and behind.
cat >workload <<'END'
if [ $# -gt 0 ]; then
	echo $BASHPID >shell
	echo $BASHPID >/sys/kernel/tracing/set_ftrace_pid
	echo 1 >/sys/kernel/tracing/tracing_on
fi
ls -R tree >/dev/null
dbench -c load -t 1 1 >/dev/null
[ $# = 0 ] || echo 0 >/sys/kernel/tracing/tracing_on
END

# ---- which functions ---------------------------------------------------------------------

# What is called, and not in interrupts, but not so often that buffers would overflow. An
# interrupt may come between the two hooks of a call, which then do not agree where it was.
interrupts='irq_vectors:*,irq:*'
patterns='vfs_*,shmem_*,simple_*,generic_*,filemap_*,file_*,path_*,link_path_walk*,lookup_*,walk_component*'
patterns+=',d_*,__d_*,dput*,dentry_*,do_dentry_open,inode_*,iput*,may_*,security_*,mnt_*,do_sys*,do_filp*'
patterns+=',__x64_sys_*,ksys_*,filename_*,getname*,user_path*,alloc_*,fput*,set_*,touch_*,notify_*'
patterns+=',step_into*,try_to_*,complete_walk*,terminate_walk*,open_*,get_*,put_*,fd_*,find_*'
run ktrace record -q --only --plain --size 64M -F "$(patterns_here "$patterns")" -e "$interrupts" -o t -- bash workload
ends 0 'a run that tells which functions are called'
in_interrupts()	# of the trace t: their names
{
	ktrace graph -i t --columns none | sed -n 's/^[hs]  *\([a-zA-Z0-9_.]*\)(.*/\1/p' | sort -u
}
in_interrupts >marked
functions_once >once
ktrace stat --spans -j t | jq -r '.spans[] | select(.count < 3000) | "\(.count) \(.name)"' |
	sort -rn | sed 's/.* //' | grep -vxFf marked | grep -xFf once | head -n 200 >names
check 'there are 200' [ "$(wc -l <names)" = 200 ]
rm -r t

# ---- both at once ------------------------------------------------------------------------

echo 0 >$tracing/tracing_on
echo >$tracing/trace
cat names >$tracing/set_ftrace_filter
echo 65536 >$tracing/buffer_size_kb
# Of tasks that begin and end in between, all is recorded.
echo 1 >$tracing/options/function-fork
echo function_graph >$tracing/current_tracer
echo funcgraph-proc >$tracing/trace_options
# Its graph leaves out functions that have a trampoline: while both hook them, none has one.
run ktrace record -q --only --plain --size 64M -F "$(paste -sd, names)" -e "$interrupts" \
	-o t -- bash workload both
ends 0 'both record'
grep -v '^#' $tracing/trace >theirs.all
lost=$(awk '/^(overrun|dropped events|commit overrun):/ { n += $NF } END { print n }' \
	$tracing/per_cpu/cpu*/stats)
check 'nor does the kernel' [ "$lost" = 0 ]
echo nop >$tracing/current_tracer
echo 1 >$tracing/tracing_on
echo 0 >$tracing/options/function-fork
echo >$tracing/set_ftrace_filter
echo >$tracing/set_ftrace_pid
echo 1408 >$tracing/buffer_size_kb
run ktrace graph -i t --columns task,duration -o ours.all
check 'we lose nothing' [ -z "$err" ]

# Of each task that both saw from its begin to its end: the calls as they begin, with their depth,
# and, when they have returned, how many ns they took.
cat >calls.pl <<'END'
my $shell = shift;
my (%tasks, %open);
while (<STDIN>) {
	my ($pid, $time, $unit, $indent, $what);
	if (/^ *\d+\) +\S.*-(\d+) +\|[^|0-9]*(?:([\d.]+) (us))? *\|  ( *)(.*)$/ ||
	    /^\S.*-(\d+) +[^|0-9]*(?:([\d.]+) (us))? \| ( *)(.*)$/) {
		($pid, $time, $unit, $indent, $what) = ($1, $2, $3, length($4) / 2, $5);
	} else {
		next;
	}
	next if $pid == $shell;
	my $calls = $tasks{$pid} //= [];
	my $stack = $open{$pid} //= [];
	if ($what =~ /^\}/) {
		my $call = pop @$stack;
		next unless $call;
		$call->[2] = $time * 1000;
		$call->[3] = 'outer';
	} elsif ($what =~ /^([A-Za-z0-9_.]+)\(/) {
		my $call = [$indent, $1, undef, 'leaf'];
		push @$calls, $call;
		if (defined $time) {
			$call->[2] = $time * 1000;
		} else {
			push @$stack, $call;
		}
	}
}
for my $pid (sort { $a <=> $b } keys %tasks) {
	printf "%d %d %s %s %s\n", $pid, $_->[0], $_->[1], defined $_->[2] ? int $_->[2] : '-',
		$_->[3] for @{$tasks{$pid}};
}
END
perl calls.pl "$(cat shell)" <theirs.all >theirs.more
perl calls.pl "$(cat shell)" <ours.all >ours.more
# Neither the command before it becomes the shell, nor what interrupts have called this time.
in_interrupts >marked
awk 'FILENAME == "marked" { drop[$1]; next }
	FILENAME == "theirs.more" { task[$1] }
	$1 in task && !($3 in drop) { print >(FILENAME == "ours.more" ? "ours" : "theirs") }' \
	marked theirs.more ours.more
out=$(diff <(cut -d ' ' -f 1-3 theirs) <(cut -d ' ' -f 1-3 ours) | head -20)
check 'there are many calls' [ "$(wc -l <theirs)" -gt 5000 ]
check 'of most functions' [ "$(cut -d ' ' -f 3 theirs | sort -u | wc -l)" -gt 150 ]
check 'at several depths' [ "$(cut -d ' ' -f 2 theirs | sort -u | wc -l)" -ge 5 ]
check 'of ls and of dbench' [ "$(cut -d ' ' -f 1 theirs | sort -u | wc -l)" -ge 3 ]
check 'the same calls of each task, in the same order, at the same depth' [ -z "$out" ]

# ---- how long ------------------------------------------------------------------------------

# One hook is around the other, so a call takes longer for it, by the other's cost, and by all that
# comes in between.  (Both clocks are made of the same counter, and differ by less than 0.1 %.)  The
# shortest call that the outer one has seen took no less than that cost.
paste -d ' ' theirs ours | awk '$4 != "-" && $9 != "-" { print $4, $9, $9 - $4 }' >durations
read -r number shorter longer median outer < <(sort -n -k 3 durations | awk '
	{
		slack = 100 + $1 / 1000
		shorter += $3 < -slack
		longer += $3 > slack
		d[NR] = $3
		least = NR == 1 || $1 < least ? $1 : least
		least_ours = NR == 1 || $2 < least_ours ? $2 : least_ours
	}
	END {
		median = d[int(NR / 2) + 1]
		print NR, shorter + 0, longer + 0, median < 0 ? -median : median, median < 0 ? least : least_ours
	}')
out="$number calls: ours is shorter in $shorter, longer in $longer; median difference $median ns, shortest $outer ns"
echo "# $out"
check 'all that have returned are timed by both' [ "$number" -gt $(($(wc -l <theirs) * 9 / 10)) ]
check 'one is always around the other' [ "$shorter" = 0 -o "$longer" = 0 ]
check 'and takes longer by what a hook costs' [ "${median%.*}" -le $((10 * outer)) ]
finish_vm graph_oracle.sh
