# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# mapped.pl TRACE PROGRAMS ADDRESS - looks up the places of branches in what was mapped
#
# TRACE is the output of `branches trace -w mappings', PROGRAMS the file `programs' of the control tree.
# Prints how many places were looked up, how many of them lie in no file, and which path and
# offset ADDRESS has.
use strict;
use warnings;
no warnings "portable"; # addresses have 64 bits

my ($trace, $programs, $address) = @ARGV;
my (@entries, %changes, %path);

open my $in, '<', $trace or die;
while (<$in>) {
	my ($thread, $kind, @rest) = split;
	next unless defined $kind && $thread eq '0' && $kind ne 'end';
	if ($kind eq 'map') {
		my ($number, $since, $begin, $end, $offset, $file) = @rest;
		$changes{$number}{since} = $since;
		push @{$changes{$number}{maps}}, [hex $begin, hex $end, hex $offset, $file];
	} else {
		push @entries, [$kind, map hex, @rest];
	}
}
close $in;
open $in, '<', $programs or die;
/^(\d+) \d+ \S+ (.*)/ and $path{$1} = $2 while <$in>;
close $in;

my @numbers = sort { $a <=> $b } keys %changes;
sub find {
	my ($place, $number) = @_;
	my ($last) = grep { $changes{$_}{since} <= $number } reverse @numbers;
	return undef unless defined $last;
	for (@{$changes{$last}{maps}}) {
		my ($begin, $end, $offset, $file) = @$_;
		return [$file, $place - $begin + $offset] if $place >= $begin && $place < $end;
	}
	return undef;
}

my ($all, $missing, $found) = (0, 0, '');
for my $i ($changes{$numbers[0]}{since} .. $#entries) {
	my ($kind, $from, $to) = @{$entries[$i]};
	next if $kind =~ /^(arrives|leaves|begins|ends|time)$/;
	# Of the last instruction, there is the signal.
	for ([$from, $i], $kind eq 'last' ? () : [$to, $i + 1]) {
		my $place = find(@$_);
		$all++;
		$missing++ unless $place;
		$found = sprintf '%s 0x%x', $path{$place->[0]} // '?', $place->[1]
			if $place && $_->[0] == hex $address;
	}
}
print "$all $missing $found\n";
