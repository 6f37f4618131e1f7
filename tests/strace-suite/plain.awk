# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tests in strace's list of tests that can be compared as they are: "NAME COLUMN CALL,...
# OPTION... REDIRECTION..."; a line of the list is NAME OPTION...; the other lines go to the file
# `left', as they are.  What strace calls -v is --no-abbrev.

NF && $1 !~ /^#/ {
	column = 40
	calls = $1
	plain = 1
	others = redirections = ""
	for (i = 2; i <= NF; i++) {
		option = $i
		# The argument may be a word of its own.
		if (option ~ /^-[aeXsP]$/)
			option = option $(++i)
		gsub(/"/, "", option)
		if (option ~ /^-a[0-9]+$/)
			column = substr(option, 3)
		else if (option ~ /^-etrace=[a-z0-9_,]+$/)
			calls = substr(option, 9)
		else if (option ~ /^--trace=[a-z0-9_,]+$/)
			calls = substr(option, 9)
		else if (option ~ /^(-v|--no-abbrev)$/)
			others = others " --no-abbrev"
		else if (option ~ /^(-X(raw|abbrev|verbose)|-s[0-9]+|-yy?|-xx?|-esignal=none)$/)
			others = others " " option
		else if (option ~ /^(-P|--trace-path=)[\/A-Za-z.]+$/)
			others = others " " option
		else if (option ~ /^[0-9]*(<|>|>>)\/dev\/[a-z]+$/)
			redirections = redirections " " option
		else if (option ~ /^[0-9]*(<|>|>>)$/)
			redirections = redirections " " option $(++i)
		else
			plain = 0
	}
	if (plain)
		print $1, column, calls others redirections
	else
		print >left
}
