# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branches.pl DISASSEMBLY LOG TRACE - compares the branches of a trace with the instructions that the
# emulator has seen
#
# DISASSEMBLY is objdump's, LOG what instructions.c has written, TRACE the output of `branches trace'.
# All instructions of the program are gone through, thread by thread: each must be where the one before
# leads to, unless the trace has a branch there; and where the trace has one, it must have been executed,
# be one of this kind, and lead where the next one was.  Prints "N branches, N instructions, N threads
# equal", or the first difference.
use strict;
use warnings;
no warnings 'portable'; # addresses have 64 bits

my ($disassembly, $log, $trace) = @ARGV;
my ($here) = "./$0" =~ m{^(?:\./(?=/))?(.*)/};
require "$here/../kernel/programs/disassembly.pl";
my ($lengths, $kinds) = read_disassembly($disassembly);
my (%behind, %kind);
for (keys %$lengths) {
	$behind{hex $_} = hex($_) + $lengths->{$_};
	$kind{hex $_} = $kinds->{$_};
}
my ($lo, $hi) = (sort { $a <=> $b } keys %behind)[0, -1];

sub is_ours { return $_[0] >= $lo && $_[0] <= $hi }

# ---- what the emulator has seen: the addresses of each thread, packed, in the order of the threads

my (@threads, %number);
open my $in, '<:raw', $log or die "$log: $!\n";
while (read $in, my $part, 16 << 16) {
	my @words = unpack 'Q<*', $part;
	for (my $i = 0; $i < @words; $i += 2) {
		my ($address, $thread) = @words[$i, $i + 1];
		next unless is_ours($address);
		# The first thread has no data at first.
		$number{$thread} //= $thread && @threads == 1 && !defined $number{first}
			? ($number{first} = 0) : scalar @threads;
		$threads[$number{$thread}] .= pack 'Q<', $address;
	}
}
close $in;

# ---- going along a thread -----------------------------------------------------------

my ($addresses, $nr, $next); # of the thread, and the next one of them
my $thread;

sub seen { return $next < $nr ? unpack('Q<', substr $$addresses, $next * 8, 8) : -1 }

sub differs {
	my ($text, @places) = @_;
	printf "thread %d, instruction %d of %d: $text\n", $thread, $next, $nr, @places;
	exit 1;
}

# Executes the instruction at $at, which must be the next one.  It may fault and begin again, repeat
# itself, or be a system call that the kernel begins again; a branch to itself is no such thing.
sub execute {
	my ($at, $to) = @_;
	my $ip = seen();
	differs('nothing more was executed, and %x is in the trace', $at) if $ip < 0;
	differs('%x was executed, and not %x', $ip, $at) if $ip != $at;
	differs('%x is no instruction', $ip) unless defined $behind{$ip};
	$next++;
	return if defined $to && $to == $ip;
	$next++ while seen() == $ip;
}

# Executes what is not taken, from $at up to $from; to the end if that is not defined.
sub advance {
	my ($at, $from) = @_;
	while (defined $from ? $at != $from : $next < $nr) {
		execute($at);
		differs('the branch at %x is missing', $at) if $kind{$at} !~ /^(|conditional|syscall)$/;
		$at = $behind{$at};
	}
}

my (@entries, $whole);
my ($branches, $instructions) = (0, 0);

sub thread_compare {
	$addresses = \$threads[$thread];
	$nr = length($$addresses // '') / 8;
	$next = 0;
	differs('nothing of it was executed') unless $nr;
	my $at;
	for (@{$entries[$thread]}) {
		my ($kind, $from, $to) = @$_;
		# Of the main thread, the way to its first instruction.
		if (!defined $at) {
			if ($kind eq 'sent' && is_ours($to)) { $at = $to; next }
			next unless is_ours($from);
			$at = seen();
		}
		if ($kind eq 'sent') {
			if (is_ours($from)) {
				advance($at, $from);
				# It was begun, and has faulted.
				$next++ while seen() == $from && $to != $from;
			}
		} elsif (is_ours($from)) {
			advance($at, $from);
			execute($from, $to);
			differs("%x is %s and not $kind", $from, $kind{$from} || 'no branch')
				if $kind{$from} ne $kind;
			$branches++;
		}
		$at = is_ours($to) ? $to : 0;
		differs("the $kind at %x went to %x, and not to %x", $from, seen(), $to)
			if $at && seen() != $to && seen() != -1 && $kind ne 'sent' && !signalled($to);
	}
	advance($at) if $at;
	differs('%d instructions behind the end', $nr - $next) if $next < $nr;
	$instructions += $nr;
}

# The next entry may send it away from there, before anything of it has run.
my %sent_from;
sub signalled { return $sent_from{$_[0]} }

open $in, '<', $trace or die "$trace: $!\n";
while (<$in>) {
	my ($number, $kind, $from, $to) = split;
	next unless defined $to && $number =~ /^\d+$/;
	if ($kind eq 'end') {
		differs("not all of thread $number was kept: $_") unless /first 0 .* skip 0 unread 0 ended 1/;
		next;
	}
	next if $kind =~ /^(arrives|leaves|begins|ends|time|last|map)$/;
	push @{$entries[$number]}, [$kind, hex $from, hex $to];
	$sent_from{hex $from} = 1 if $kind eq 'sent';
}
close $in;
for my $number (0 .. ($#entries > $#threads ? $#entries : $#threads)) {
	$thread = $number;
	thread_compare();
}
printf "%d branches, %d instructions, %d threads equal\n", $branches, $instructions, scalar @threads;
