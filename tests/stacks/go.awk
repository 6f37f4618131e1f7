# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# go.awk - does ktrace know the stacks that chain.go has printed?
#
#   awk -f go.awk SAID REPORT
#
# REPORT is the output of `ktrace report -g'.  Go's programs have no .eh_frame, so all frames but the
# innermost one are guesses; each must be marked, and a stack must not be called complete.  The
# frames from leaf() on must be those that the program has said, but for what runtime.Callers()
# hides.

NR == FNR {
	said[$1] = $0
	sub(/^[0-9]* /, "", said[$1])
	nr_said++
	next
}

function judge() {
	if (number in said) {
		nr++
		if (frames == said[number] && unmarked == 1 && ended)
			right++
		else if (wrong++ < 5)
			printf "# %d (%d unmarked, %s):\n#  said %s\n#  has %s\n", number,
				unmarked, ended ? "marked" : "not marked", said[number], frames
	}
	number = frames = ""
	unmarked = ended = 0
}

/^[^ \t]/ {
	judge()
	if (match($0, /sys_enter_close: fd=[0-9]+/))
		number = substr($0, RSTART + 20, RLENGTH - 20)
	switches += /sched_switch/
	next
}

/^[ \t]+\[/ {
	ended = 1
	next
}

{
	unmarked += !/\[guess\]$/
	name = $1
	sub(/\+0x.*/, "", name)
	sub(/\.abi0$/, "", name)
	if (name == "main.leaf")
		frames = name
	else if (frames != "" && name !~ /^runtime\.(deferCallSave|runOpenDeferFrame)$/)
		frames = frames " " name
}

END {
	judge()
	printf "# go: %d calls, %d switches\n", nr, switches
	print (nr_said >= 40 && nr == nr_said ? "ok" : "not ok"), "go: all calls are there"
	print (nr && right == nr ? "ok" : "not ok"), "go: each stack is right and says what is guessed"
}
