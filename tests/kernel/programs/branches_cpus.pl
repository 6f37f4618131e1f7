#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branches_cpus.pl ENTRY CPUS THREAD - what a context of CPUs has of a program, beside one of its thread
#
# CPUS is what `branches cpus' wrote, THREAD what `branches trace' wrote of the same program another
# time. Both are compared from the program's first instruction on, which is at ENTRY. A stretch in the
# buffer of a CPU goes from where the thread arrives, or where it is traced first, to where it leaves.
# Prints
#
#	STRETCHES ALL STRANGE FOREIGN
#
# ALL		1: the stretches of all CPUs, in the order of time, are the thread's branches
# STRANGE	stretches that are none of the thread's, at a later place than the one before
# FOREIGN	entries of others than threads that have arrived
use strict;
use warnings;
no warnings 'portable';

my ($entry, $cpus, $thread) = @ARGV;
my (%here, @stretches, $tid, @thread);
my $foreign = 0;

# What is behind the way to the program's first instruction.
sub program {
	my @branches = @_;

	for my $i (reverse 0 .. $#branches) {
		my ($kind, undef, $to) = split ' ', $branches[$i];
		return @branches[$i + 1 .. $#branches] if $kind eq 'sent' && hex $to == hex $entry;
	}
	return @branches;
}

open my $file, '<', $thread or die "$thread: $!\n";
while (<$file>) {
	my ($number, $kind, $from, $to) = split;
	push @thread, "$kind $from $to"
		if defined $to && $kind !~ /^(map|end|arrives|leaves|ends|begins|time)$/;
}
@thread = program(@thread);

open $file, '<', $cpus or die "$cpus: $!\n";
while (<$file>) {
	my ($cpu, $kind, $from, $to) = split;
	$tid = $kind if $cpu eq 'thread';
	next if !defined $to || $kind eq 'end';
	my $whose = $kind =~ /^(arrives|leaves|ends|begins|time)$/ ? hex($from) >> 32 : undef;
	if ($kind =~ /^(arrives|begins)$/) {
		# Behind an arrival, it may be told that tracing begins.
		next if $kind eq 'begins' && $here{$cpu} && $here{$cpu}{tid} == $whose;
		$here{$cpu} = {tid => $whose, time => hex $to, branches => []};
		push @stretches, $here{$cpu};
	} elsif (defined $whose) {
		$foreign++ if $here{$cpu} && $here{$cpu}{tid} != $whose;
		delete $here{$cpu} if $kind eq 'leaves';
	} elsif ($here{$cpu}) {
		push @{$here{$cpu}{branches}}, "$kind $from $to";
	} else {
		$foreign++;
	}
}
my @own = grep { @{$_->{branches}} } sort { $a->{time} <=> $b->{time} } grep { $_->{tid} == $tid } @stretches;
my @all = program(map { @{$_->{branches}} } @own);
my $all = @thread && join("\n", @all) eq join("\n", @thread) ? 1 : 0;
if (!$all) {
	my $i = 0;
	$i++ while $i < @all && $i < @thread && $all[$i] eq $thread[$i];
	# On the output of the script, which has its own words.
	print STDERR "# entry $i of ", scalar(@all), ' and ', scalar(@thread), ': ', $all[$i] // 'none',
		' instead of ', $thread[$i] // 'none', "\n";
}

my $text = "\n" . join("\n", @thread) . "\n";
my ($at, $strange) = (0, 0);
for my $stretch (@own) {
	my $what = "\n" . join("\n", program(@{$stretch->{branches}})) . "\n";
	my $place = index $text, $what, $at;
	if ($place >= 0) {
		$at = $place + length($what) - 1;
	} elsif ($at > 0) {
		$strange++;
	}
}
print scalar(@own), " $all $strange $foreign\n";
