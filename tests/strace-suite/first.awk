# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Of what ktrace syscalls has shown, the lines of the first process, as strace without -f has
# them: ktrace follows all processes, so a call of it may be in two lines.  These are joined, and
# the result is aligned to column COLUMN again.  The first process has the lowest number; the line of
# another one may come first.

{
	pid = $2 + 0
	sub(/^\[pid +[0-9]+\] /, "")
	pids[NR] = pid
	lines[NR] = $0
	if (!first || pid < first)
		first = pid
}

END {
	for (i = 1; i <= NR; i++) {
		if (pids[i] == first)
			show(lines[i])
	}
}

function show(line,    call, result) {
	if (sub(/ <unfinished \.\.\.>$/, "", line)) {
		begun = line
		return
	}
	if (sub(/^<\.\.\. [a-z0-9_]+ resumed>/, "", line)) {
		if (match(line, /\) += /)) {
			call = begun substr(line, 1, RSTART)
			result = substr(line, RSTART + RLENGTH)
			do
				call = call " "
			while (length(call) < COLUMN)
			line = call "= " result
		} else {
			line = begun line
		}
	}
	print line
}
