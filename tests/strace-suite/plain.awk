# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The plain tests in strace's list of tests: "NAME COLUMN CALL,..."; a line of the list is
# NAME OPTION...; the lines that are no plain test go to the file `left', as they are.

NF && $1 !~ /^#/ {
	column = 40
	calls = $1
	plain = 1
	for (i = 2; i <= NF; i++) {
		option = $i
		# The argument may be a word of its own.
		if (option ~ /^-[ae]$/)
			option = option $(++i)
		if (option ~ /^-a[0-9]+$/)
			column = substr(option, 3)
		else if (option ~ /^-etrace=[a-z0-9_,]+$/)
			calls = substr(option, 9)
		else
			plain = 0
	}
	if (plain)
		print $1, column, calls
	else
		print >left
}
