# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branches.pl DISASSEMBLY STEPS TRACE - compares the branches of a trace with the steps that ptrace saw
#
# DISASSEMBLY is objdump's, STEPS is the output of `branches step', TRACE that of `branches trace'.
# Prints "N branches equal" or the first difference.
use strict;
use warnings;
no warnings "portable"; # addresses have 64 bits

my ($disassembly, $steps, $trace) = @ARGV;
my ($here) = "./$0" =~ m{^(?:\./(?=/))?(.*)/};
require "$here/disassembly.pl";
my ($lengths, $kinds, $quiets) = read_disassembly($disassembly);
my %length = %$lengths;
my %kind = %$kinds;
my %quiet = %$quiets;

sub behind {
	my ($ip) = @_;
	return sprintf '%x', hex($ip) + $length{$ip};
}

# What the trace has from the program's first instruction on; of signals, where they lead.
open my $in, '<', $steps or die;
chomp(my @lines = <$in>);
close $in;
my @ips = map { (split)[0] } @lines;
my @wanted;
for my $i (0 .. $#ips - 1) {
	my ($ip, $next) = @ips[$i, $i + 1];
	if ($lines[$i + 1] =~ /signal/) {
		push @wanted, "sent $next";
		next;
	}
	# Of the vDSO there is no disassembly.
	next unless defined $length{$ip};
	my $behind = behind($ip);
	$behind = behind($ip = $behind) if $quiet{$ip} && $next ne $behind;
	my $kind = $kind{$ip};
	if ($kind eq 'syscall') {
		push @wanted, $next ne $behind ? "sent $next" : "syscall $ip $behind";
	} elsif ($kind eq '') {
		next if $next eq $behind || $next eq $ip;
		push @wanted, "unknown $ip $next";
	} elsif ($kind ne 'conditional' || $next ne $behind) {
		push @wanted, "$kind $ip $next";
	}
}

open $in, '<', $trace or die;
my @got;
my $on = 0;
while (<$in>) {
	my ($thread, $kind, $from, $to) = split;
	next if $thread ne '0' || $kind =~ /^(arrives|leaves|begins|ends|time|end|last)$/;
	# Conditional branches to the next instruction: steps do not tell whether they were taken.
	next if $kind eq 'conditional' && hex($from) + ($length{$from} // 0) == hex($to);
	next if $kind ne 'sent' && !defined $length{$from};
	if (!$on) {
		$on = $kind eq 'sent' && $to eq $ips[0];
		next;
	}
	push @got, $kind eq 'sent' ? "sent $to" : "$kind $from $to";
}
close $in;
for my $i (0 .. ($#wanted > $#got ? $#wanted : $#got)) {
	my ($wanted, $got) = ($wanted[$i] // 'nothing', $got[$i] // 'nothing');
	next if $wanted eq $got;
	print "branch $i: $got instead of $wanted\n";
	print "  before: $got[$_]\n" for ($i > 5 ? $i - 5 : 0) .. $i - 1;
	exit 1;
}
print scalar(@got), " branches equal\n";
