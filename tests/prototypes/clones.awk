# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# clones.awk - compares what ktrace says of the compiler's copies (clones.c) with what gdb says:
#
#	awk -f clones.awk CLONES GDB
#
# GDB has, for each copy, a line "@NAME ADDRESS" and the output of `info scope *ADDRESS'.  Output:
# a line for each difference, and the sums.  Where the code of an inlined function stands first, gdb
# shows only what is in scope there: arguments of the copy are unseen.

function number(hex,	i, sum)
{
	hex = tolower(hex)
	sum = 0
	# The upper half is the same for all: a number of 64 bits would not be exact.
	for (i = length(hex) - 7; i <= length(hex); i++)
		sum = sum * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return sum
}

# The argument has a register when the copy begins.
function theirs(argument, register)
{
	register = substr(register, 2)
	sub(/[^a-z0-9].*/, "", register)
	if (!index(" rdi rsi rdx rcx r8 r9 ", " " register " "))
		return
	their[name, argument] = their[name, argument] " " register
}

FNR == NR && NF == 4 && $2 != "=" { our[$1, $2] = $3; bytes[$1, $2] = $4; arguments++; next }
FNR == NR && NF == 1 { known[$1] = 1; next }
FNR == NR { next }

/^@/ { name = substr($1, 2); entry = number($2); symbol = ""; copies++; next }
/^Symbol .* is a function at address / { inlined[name] = 1 }
/^Symbol / { symbol = $2 }
/^Symbol .* is a variable in \$/ { theirs(symbol, $7) }
/^  .*Range 0x[0-9a-f]*-0x[0-9a-f]*: a variable in \$/ {
	text = $0
	sub(/.*Range 0x/, "", text)
	split(text, range, /-0x|:/)
	if (entry >= number(range[1]) && entry < number(range[2]))
		theirs(symbol, $NF)
}
/, length [0-9]*\.$/ { size[name, symbol] = $NF + 0 }

END {
	for (key in our) {
		split(key, of, SUBSEP)
		if (of[1] in inlined || !(key in size))
			unseen++
		else if (!index(their[key] " ", " " our[key] " ")) {
			print of[1] ": " of[2] " is not in " our[key] ", but in" their[key]
			wrong++
		} else if (size[key] != bytes[key]) {
			print of[1] ": " of[2] " has " size[key] " bytes, not " bytes[key]
			wrong++
		}
	}
	for (name in known)
		nr++
	print "copies " copies + 0 ": known " nr + 0
	print "their arguments " arguments + 0 ": unseen " unseen + 0 ", wrong " wrong + 0
}
