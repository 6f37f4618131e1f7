# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# gdb.awk - makes of what stops.gdb prints the form that judge.c reads
#
#   awk -f gdb.awk FILE FILE
#
# It reads twice, because the mappings are at the end.

# Numbers above 2^53 are not exact: those of programs are below 2^47.
function number(text,	i, n) {
	sub(/^0x/, "", text)
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}

NR == FNR {
	if ($1 ~ /^0x/ && NF >= 6) {
		begin[++nr] = number($1)
		end[nr] = number($2)
		offset[nr] = number($4)
		file[nr] = $6
	}
	next
}

/Current thread/ {
	tid = $0
	sub(/.*(LWP|process) /, "", tid)
	sub(/[^0-9].*/, "", tid)
}

$1 == "call" {
	printf "%s%s raw_syscalls:sys_enter: NR %s (%s, %s, %s, %s, %s, %s)\n",
		(begun++ ? "\n" : ""), tid, $2, $3, $4, $5, $6, $7, $8
	ended = last = 0
}

# A function that is inlined has the same place as its caller.  Behind the dynamic linker's
# _start, gdb takes what the kernel has put on the stack for addresses.
$1 == "frame" && !ended && last != $2 " " $3 {
	last = $2 " " $3
	address = number($2)
	for (i = nr; i && !(address >= begin[i] && address < end[i]);)
		i--
	if (file[i] ~ /^(\/|\[vdso)/)
		printf "\t%x ? (%s)\n", address - begin[i] + offset[i], file[i]
	else
		ended = 1
}
