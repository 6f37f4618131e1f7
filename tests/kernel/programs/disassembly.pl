# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# disassembly.pl - what objdump knows of a program's instructions; for other scripts
use strict;
use warnings;

sub branch_kind {
	my ($name, $indirect) = @_;
	return $indirect ? 'indirect' : 'jump' if $name =~ /^l?jmp/;
	return $indirect ? 'indirect_call' : 'call' if $name =~ /^l?call/;
	return 'conditional' if $name =~ /^(j|loop)/;
	return 'return' if $name =~ /^(l?ret|iret)/;
	return 'syscall' if $name =~ /^(syscall|sysenter|int)/;
	return '';
}

# read_disassembly(FILE): by address, in hexadecimal: its length; its kind, "" for none; and whether
# there may be no stop behind it
sub read_disassembly {
	my ($file) = @_;
	my (%length, %kind, %quiet);
	open my $in, '<', $file or die "$file: $!\n";
	while (<$in>) {
		next unless /^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)/;
		my ($address, $bytes, $text) = ($1, $2, $3);
		$length{$address} = length($bytes) / 3;
		$text =~ s/^((bnd|notrack|rep\w*|data16|cs|ds|lock|addr32) )*//;
		$text =~ /^(\S*)\s*(\*?)/;
		$kind{$address} = branch_kind($1, $2);
		# Behind these there may be no stop: QEMU has none behind the last two.
		$quiet{$address} = 1 if $text =~ /^mov.*,%ss|^(cpuid|pause)/;
	}
	close $in;
	return (\%length, \%kind, \%quiet);
}

1;
