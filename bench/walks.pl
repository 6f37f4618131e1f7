#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# bench/walks.pl EVENTS SYMBOLS INSTRUCTIONS - which functions an event calls, and how long they are
#
# SYMBOLS is /proc/kallsyms, INSTRUCTIONS what tests/emulator/instructions.c has written while EVENTS
# events came. Prints the functions of ktrace that were called once for each event (or some times
# more, by others), each with its instructions, and their sum.
use strict;
use warnings;
no warnings 'portable';

my ($events, $symbols, $instructions) = @ARGV;
my (@symbols, %at, %begun, %within);

open my $file, '<', $symbols or die "$symbols: $!\n";
while (<$file>) {
	my ($address, undef, $name, $module) = split;
	push @symbols, [hex $address, $name, $module // ''];
}
@symbols = sort { $a->[0] <=> $b->[0] } @symbols;

open $file, '<:raw', $instructions or die "$instructions: $!\n";
# Each has an address and a thread (tests/emulator/log.h).
while (read $file, my $bytes, 16 << 16) {
	my @words = unpack 'Q*', $bytes;
	$at{$words[2 * $_]}++ for 0 .. @words / 2 - 1;
}

my $next = 0;
for my $address (sort { $a <=> $b } keys %at) {
	$next++ while $next < @symbols && $symbols[$next][0] <= $address;
	my ($begin, $name, $module) = @{$symbols[$next - 1]};
	next unless $next && $module =~ /^\[ktrace/ && $module ne '[ktrace_bench]';
	$begun{$name} += $at{$address} if $address == $begin;
	$within{$name} += $at{$address};
}

my $sum = 0;
for my $name (sort { $within{$b} <=> $within{$a} } keys %within) {
	my $times = $begun{$name} // 0;
	next if $times < $events || $times > $events * 1.01;
	printf "%.1f\t%s\n", $within{$name} / $times, $name;
	$sum += $within{$name} / $times;
}
die "no function was called for each of $events events\n" unless $sum;
printf "%.1f\tall\n", $sum;
