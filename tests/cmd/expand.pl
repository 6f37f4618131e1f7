# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# expand.pl - counts the branches of `ktrace branch' on standard input: what repeats itself counts as
# often as it does, and so do parts of it
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my (@open, $all);
while (<>) {
	next unless / → /;
	chomp;
	my @corners = split //, substr $_, 0, 3;
	my @times; # innermost first
	unshift @times, $1 while s/  ×(\d+)$//;
	push @open, 0 for grep { $_ eq '┌' } @corners;
	my $ends = grep { $_ eq '└' } @corners;
	my $count = @times > $ends ? shift @times : 1;
	$count = ($count + pop @open) * shift @times for 1 .. $ends;
	if (@open) {
		$open[-1] += $count;
	} else {
		$all += $count;
	}
}
print $all // 0, "\n";
