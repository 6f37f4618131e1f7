# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tests in strace's list of tests that can be compared as they are: "NAME COLUMN CALL,...
# OPTION..."; a line of the list is NAME OPTION...; the other lines go to the file `left', as they
# are.

NF && $1 !~ /^#/ {
	column = 40
	calls = $1
	plain = 1
	others = ""
	for (i = 2; i <= NF; i++) {
		option = $i
		# The argument may be a word of its own.
		if (option ~ /^-[aeX]$/)
			option = option $(++i)
		if (option ~ /^-a[0-9]+$/)
			column = substr(option, 3)
		else if (option ~ /^-etrace=[a-z0-9_,]+$/)
			calls = substr(option, 9)
		else if (option ~ /^--trace=[a-z0-9_,]+$/)
			calls = substr(option, 9)
		else if (option ~ /^(-X(raw|abbrev|verbose)|-s[0-9]+|-y|-esignal=none)$/)
			others = others " " option
		else
			plain = 0
	}
	if (plain)
		print $1, column, calls others
	else
		print >left
}
