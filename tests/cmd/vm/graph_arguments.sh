# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# graph_arguments.sh - what is recorded of the arguments of 50 functions of the kernel, while files
# are made, listed and read: where the kernel's function_graph shows arguments, it shows the same
# values; elsewhere the kernel's kprobes, which are told where each argument is and how large, have
# them
# Only in check-all, on each kernel: it takes long, and kernels have different judges.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/graph_arguments && cd /mnt/graph_arguments || exit 1
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

mkdir -p tree/{1..10}
touch tree/{1..10}/{a..j}
# What the shell's children do is recorded from their begin to their end.
cat >workload <<'END'
if [ $# -gt 0 ]; then
	echo $BASHPID >shell
	echo $BASHPID >/sys/kernel/tracing/$1
	echo 1 >/sys/kernel/tracing/tracing_on
fi
ls -R tree >/dev/null
perl -e 'for (1 .. 40) { open F, "+>", "file"; syswrite F, "x" x 5000; sysseek F, -10, 1; sysseek F, -1, 0;
	truncate F, 4000; chmod 0640, "file"; setpriority 0, 0, 5; kill 0, $$;
	mkdir "folder", 0705; rmdir "folder"; utime 1, 2, "file"; rename "file", "other"; stat "none";
	open G, "<", "other"; read G, $x, 100; link "other", "link"; symlink "link", "sym"; readlink "sym";
	unlink "other", "link", "sym"; close F; close G }'
[ $# = 0 ] || echo 0 >/sys/kernel/tracing/tracing_on
END

# ---- which functions, and what types their arguments have ------------------------------------

patterns='vfs_*,shmem_*,simple_*,generic_*,filemap_*,path_*,lookup_*,d_*,do_dentry_open,inode_*,may_*'
patterns+=',security_*,mnt_*,do_sys*,ksys_*,filename_*,user_path*,notify_*,do_truncate,chmod_common'
patterns+=',__x64_sys_*,do_filp*,alloc_*,copy_process,wake_up_new_task,kernel_clone,do_wait,do_mmap'
patterns+=',mmap_region,do_brk_flags,handle_mm_fault,set_pte_range,iov_iter_*,rw_verify_area,do_fcntl'
run ktrace record -q --only --plain --size 64M -F "$(patterns_here "$patterns")" -o t -- bash workload
ends 0 'a run that tells which functions are called'
functions_once >once
ktrace stat --spans -j t | jq -r '.spans[] | select(.count < 4000) | .name' | grep -xFf once >called
rm -r t
ktrace list -F "$(paste -sd, called)" -v >prototypes 2>/dev/null

# What C's types are on this machine, as kprobes call them.
cat >types.pl <<'END'
my %size = ('int' => 's32', 'unsigned int' => 'u32', 'u32' => 'u32', '__u32' => 'u32', 'u64' => 'u64',
	'__u64' => 'u64', 'long int' => 's64', 'long unsigned int' => 'u64', 'size_t' => 'u64',
	'ssize_t' => 's64', 'loff_t' => 's64', 'umode_t' => 'u16', 'bool' => 'u8', 'u8' => 'u8',
	'char' => 's8', 'unsigned char' => 'u8', 'short unsigned int' => 'u16', 'short int' => 's16',
	'u16' => 'u16', 'gfp_t' => 'u32', 'fmode_t' => 'u32', 'pgoff_t' => 'u64', 'sector_t' => 'u64',
	'pid_t' => 's32', 'rwf_t' => 's32', 'vm_flags_t' => 'u64', 'blk_opf_t' => 'u32');
my (@functions, %often);
while (<STDIN>) {
	/^ +\S.*?([A-Za-z0-9_.]+)\(([^()]*)\)  \[/ or next;
	my ($name, @arguments) = ($1, split /, /, $2);
	my (@types, $bad, $numbers);
	for (@arguments) {
		if (/^.*\*(\w+)$/) {
			push @types, "$1:x64";
		} elsif (/^enum \w+ (\w+)$/) {
			push @types, "$1:s32";
		} elsif (/^(.*) (\w+)$/ && $size{$1}) {
			push @types, "$2:$size{$1}";
			$numbers++;
			$often{$size{$1}}++;
		} else {
			$bad = 1;
		}
	}
	push @functions, [$name, @types] unless $bad || !$numbers || @types > 6;
}
# Those with types that are rare come first.
sub rarest {
	my ($best) = sort { $a <=> $b } map { /:(.*)/ && $often{$1} // 1e9 } @{$_[0]}[1 .. $#{$_[0]}];
	return $best;
}
print join(' ', @$_), "\n" for sort { rarest($a) <=> rarest($b) || $a->[0] cmp $b->[0] } @functions;
END
perl types.pl <prototypes >typed
check 'many functions have numbers as arguments' [ "$(wc -l <typed)" -ge 50 ]

# Lines "TASK FUNCTION NAME=NUMBER ..." in the order of each: what is no number is left out.  Which
# arguments there are, and their sizes and signs, is in the file `typed'.
cat >values.pl <<'END'
use warnings;
my ($shell, $kind) = @ARGV;
my (%types, %lines);
open my $typed, '<', 'typed' or die;
while (<$typed>) {
	my ($name, @types) = split;
	$types{$name} = [map { [split /:/] } @types];
}
# In the range of the type: the kernel's graph shows whole registers.
sub cut {
	my ($text, $type) = @_;
	my ($sign, $bits) = $type =~ /(.)(\d+)/;
	no warnings 'portable';
	my $value = $text =~ /^0x/ ? hex $text : $text + 0;
	return $value if $sign eq 'x';
	$value &= $bits == 64 ? ~0 : (1 << $bits) - 1;
	$value = unpack 'q', pack 'Q', $value if $bits == 64 && $sign eq 's';
	$value -= 1 << $bits if $bits < 64 && $sign eq 's' && $value >> ($bits - 1);
	return $value;
}
while (<STDIN>) {
	my ($pid, $name, %value);
	if ($kind eq 'ours') {
		/"tid":(\d+),.*"event":"function:([^"]+)","fields":\{(.*?)\}/ or next;
		($pid, $name) = ($1, $2);
		my $fields = $3;
		while ($fields =~ /"(\w+)":(?:"([^"]*)"|(-?\w+))/g) {
			my ($key, $text) = ($1, $2 // $3);
			$value{$key} = $text eq 'true' ? 1 : $text eq 'false' ? 0 : $text;
		}
	} elsif ($kind eq 'kprobes') {
		/^ *\S.*?-(\d+) +\[.*?: ([^ :]+): \([^)]*\) (.*)/ or next;
		($pid, $name) = ($1, $2);
		%value = map { split /=/, $_, 2 } split / /, $3;
	} else {
		/^ *\d+\) +\S.*-(\d+) +\|[^|]*\| +([A-Za-z0-9_.]+)\((.+)\)(?:;| \{)/ or next;
		($pid, $name) = ($1, $2);
		%value = map { /^(\w+)=(-?\w+)/ ? ($1, $2) : () } split /, /, $3;
	}
	next if $pid == $shell || !$types{$name};
	my $line = "$pid $name";
	for (@{$types{$name}}) {
		my ($argument, $type) = @$_;
		my $text = $value{$argument};
		$text = '?' if !defined $text || $text !~ /^(?:-?\d+|0x[0-9a-f]+)$/;
		$line .= " $argument:$type=" . ($text eq '?' ? '?' : cut($text, $type));
	}
	push @{$lines{"$pid $name"}}, $line;
}
print "$_\n" for map { @{$lines{$_}} } sort keys %lines;
END

# While a kprobe's handler runs, another kprobe that an interrupt hits is skipped.  The kernel counts
# this, for all tasks, and we record the call.  So of each function, as many of our calls may be
# without one of theirs, and are left out.  A call of theirs without ours, or with other values,
# finds no partner, and stays.
cat >paired.pl <<'END'
use warnings;
my (%missed, %theirs);
open my $missed, '<', 'missed' or die;
while (<$missed>) {
	my ($name, $count) = split;
	$missed{$name} = $count;
}
open my $theirs, '<', 'theirs' or die;
while (<$theirs>) {
	push @{$theirs{"@{[(split)[0, 1]]}"}}, $_;
}
# What one of them has not as a number may be anything.
sub same {
	my ($ours, @theirs) = ($_[0], split ' ', $_[1]);
	for (split ' ', $ours) {
		my $other = shift @theirs;
		return if $_ ne $other && $_ !~ /=\?$/ && $other !~ /=\?$/;
	}
	return 1;
}
while (my $line = <STDIN>) {
	my ($task, $name) = split ' ', $line;
	my $expected = $theirs{"$task $name"} // [];
	if (@$expected && same($line, $expected->[0])) {
		shift @$expected;
	} elsif ($missed{$name}) {
		$missed{$name}--;
		next;
	}
	print $line;
}
END

# Compares ours with theirs, and leaves in `values' all that both have as numbers.
compare()
{
	local shell
	shell=$(cat shell)
	ktrace report -F json t | perl values.pl "$shell" ours >ours.more
	perl values.pl "$shell" "$1" <theirs.all >theirs
	grep -f <(awk '{ print "^" $1 " " }' theirs | sort -u) ours.more | perl paired.pl >ours
	out=$(diff <(cut -d ' ' -f 1,2 ours) <(cut -d ' ' -f 1,2 theirs) | head -10)
	check "$1: the same calls" [ -z "$out" ]
	check "$1: many" [ "$(wc -l <theirs)" -gt 1000 ]
	# Of a value that one shows by name, nothing is said.
	paste -d '\n' ours theirs | awk '
		NR % 2 { n = split($0, ours, " "); next }
		{
			for (i = 3; i <= n; i++) {
				if (ours[i] ~ /=\?$/ || $i ~ /=\?$/)
					continue
				print $2, $i >"values"
				if (ours[i] != $i)
					print $2, ours[i], "instead of", $i
			}
		}' >differ
	out=$(head -10 differ)
	check "$1: the same values" [ ! -s differ ]
	out=$(grep -v ':x64=' values | cut -d ' ' -f 1 | sort | uniq -c)
	check "$1: of numbers" [ "$(grep -cv ':x64=' values)" -gt 1000 ]
	check "$1: and of pointers" [ "$(grep -c ':x64=' values)" -gt 1000 ]
	check "$1: of functions" [ "$(grep -v ':x64=' values | cut -d ' ' -f 1 | sort -u | wc -l)" -ge 50 ]
	check "$1: of several sizes" [ "$(grep -o ':[su][0-9]*=' values | sort -u | wc -l)" -ge 5 ]
	check "$1: some are negative" grep -q ':s[0-9]*=-' values
	# A caller leaves there what it likes.
	check "$1: some are small" grep -q ':u\(8\|16\)=' values
}

both()	# FILE FOR THE TASK
{
	run ktrace record -q --only --plain --size 64M -F "$(cut -d ' ' -f 1 typed | paste -sd,)" \
		-o t -- bash workload "$1"
	ends 0 'both record'
	check 'we lose nothing' [ -z "$err" ]
	grep -v '^#' $tracing/trace >theirs.all
	check 'nor does the kernel' [ "$(awk '/^(overrun|dropped events|commit overrun):/ { n += $NF }
		END { print n }' $tracing/per_cpu/cpu*/stats)" = 0 ]
}

echo 0 >$tracing/tracing_on
echo >$tracing/trace
echo 32768 >$tracing/buffer_size_kb

beside_graph()
{
	head -n 120 typed >chosen
	mv chosen typed
	cut -d ' ' -f 1 typed >$tracing/set_ftrace_filter
	echo 1 >$tracing/options/function-fork
	echo funcgraph-proc >$tracing/trace_options
	echo funcgraph-args >$tracing/trace_options
	both set_ftrace_pid
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	echo >$tracing/set_ftrace_pid
	echo 0 >$tracing/options/function-fork
	: >missed
	compare graph
}

beside_kprobes()
{
	local registers=(%di %si %dx %cx %r8 %r9) name arguments argument definition i
	# The first that they can probe. Some of them, only the shell calls.
	: >probed
	while read -r name arguments; do
		definition="p:kt/$name $name" i=0
		for argument in $arguments; do
			definition+=" ${argument%:*}=${registers[i++]}:${argument#*:}"
		done
		# Names of events have no dots.
		[[ $name != *.* ]] && echo "$definition" >>$tracing/kprobe_events 2>/dev/null &&
			echo "$name $arguments" >>probed
		[ "$(wc -l <probed)" -lt 75 ] || break
	done <typed
	cp probed typed
	check 'kprobes are at many functions' [ "$(wc -l <typed)" -ge 60 ]
	echo 1 >$tracing/options/event-fork
	echo 1 >$tracing/events/kt/enable
	both set_event_pid
	echo 0 >$tracing/events/kt/enable
	awk '$3 { print $1, $3 }' $tracing/kprobe_profile >missed
	echo 0 >$tracing/options/event-fork
	echo >$tracing/set_event_pid
	echo >$tracing/kprobe_events
	compare kprobes
}

# Its options exist only when it is the tracer.  One function is enough to ask: to hook all takes an
# emulated processor so long that the kernel may complain.
echo vfs_read >$tracing/set_ftrace_filter
echo function_graph >$tracing/current_tracer
if [ -e $tracing/options/funcgraph-args ]; then
	beside_graph
else
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	beside_kprobes
fi
echo 1408 >$tracing/buffer_size_kb
echo 1 >$tracing/tracing_on
finish_vm graph_arguments.sh
