# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Of what ktrace syscalls has shown, the lines of the first process, as strace without -f has
# them: ktrace follows all processes, so a call of it may be in two lines.  These are joined, and
# the result is aligned to column COLUMN again.

{
	pid = $2 + 0
	sub(/^\[pid +[0-9]+\] /, "")
	if (!first)
		first = pid
	if (pid != first)
		next
}

/ <unfinished \.\.\.>$/ {
	sub(/ <unfinished \.\.\.>$/, "")
	begun = $0
	next
}

/^<\.\.\. [a-z0-9_]+ resumed>/ {
	sub(/^<\.\.\. [a-z0-9_]+ resumed>/, "")
	if (match($0, /\) += /)) {
		call = begun substr($0, 1, RSTART)
		result = substr($0, RSTART + RLENGTH)
		do
			call = call " "
		while (length(call) < COLUMN)
		$0 = call "= " result
	} else {
		$0 = begun $0
	}
}

{ print }
