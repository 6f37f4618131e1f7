# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# source_probe.sh - record -P and ktrace probe at lines of the kernel's source, with variables, by
# debugging information: of a module of ours, whose values are known.  tests/variables has the kernel
# itself.
# One kernel is enough: debugging information is the compiler's.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/source_probe && source=$PWD/kernel/testmod/callee.c && cd /mnt/source_probe || exit 1
tree=/sys/kernel/ktrace
[ -e /sys/kernel/debug/kprobes ] || mount -t debugfs debugfs /sys/kernel/debug
# Those beside the command have no debugging information.
built=$KTRACE_MODULES/kernel/testmod
module=$built/ktrace-callee.ko
lsmod | grep -q '^ktrace_callee ' || insmod "$KTRACE_MODULES/ktrace-callee.ko"

nest()
{
	echo "echo nest $1 >/sys/kernel/debug/ktrace-callee/run"
}

# Prints the line of the file on which the text is, behind where the function begins.
line_of()	# FUNCTION TEXT
{
	awk -v function_="CALLEE.* $1[(].*[^;]$" -v text="$2" '
		$0 ~ function_ { inside = 1 }
		inside && index($0, text) { print NR; exit }' "$source"
}

middle=$(line_of callee_middle 'CALLEE')
inner=$(line_of callee_middle 'return result - 1;')
outer=$(line_of callee_outer 'return result + callee_inner')
minus=$(line_of callee_inner 'return -number;')

# ---- values -------------------------------------------------------------------------

run ktrace record --vmlinux "$module" -P "callee_middle:$((inner - middle)) result" \
	-P "ktrace_callee:callee.c:$outer result number" -P "ktrace_callee:testmod/callee.c:$minus number" \
	-P 'callee_middle:0 number patched dir->d_name.name patch.func' -P 'ktrace_callee:run text:string' -o t -- \
	sh -c "$(nest 3)"
ends 0 'lines of a module' 'recorded'
check 'the probes go with the recording' [ -z "$(cat $tree/probes)" ]
run ktrace report t
check 'FUNCTION:LINE, with a local variable' [ "$(grep -c "probe:callee_middle_$((inner - middle)): result=-11$" <<<"$out")" = 3 ]
check 'MODULE:FILE:LINE, with a parameter, too' [ "$(grep -c "probe:callee_c_$outer: result=-12 number=10$" <<<"$out")" = 3 ]
check 'each call has its own value' [ "$(sed -n "s/.* probe:callee_c_$minus: number=//p" <<<"$out" | tr '\n' ' ')" = '11 20 30 11 20 30 11 20 30 ' ]
check 'global variables, and what they point to' [ "$(grep -c \
	'probe:callee_middle_0: number=10 patched=false name=0x[0-9a-f]* "ktrace-callee" func=.*patch_hit' <<<"$out")" = 3 ]
check 'a function that was put into another' grep -q 'probe:run: text=.*"nest 3' <<<"$out"
rm -r t

# ---- places -------------------------------------------------------------------------

run ktrace probe check -v --vmlinux "$module" "callee_middle:$((inner - middle)) result"
check 'it is an instruction of the function' grep -q '^ktrace_callee:callee_middle+0x[0-9a-f]*: result=(' <<<"$out"
place=$(sed -n 's/^ktrace_callee:\([^:]*\): .*/\1/p' <<<"$out")
run ktrace probe check -v --vmlinux "$module" "$place result"
check 'the same instruction has the same variable' grep -q "^ktrace_callee:$place: result=(" <<<"$out"
run ktrace probe check -v --vmlinux "$module" 'callee_six e d'
check 'where a function begins, nothing of it is needed' grep -q '^ktrace_callee:callee_six: e=(.*) d=(' <<<"$out"

# ---- what cannot be -----------------------------------------------------------------

refused()	# WHAT WORDS OF STDERR... -- ARGUMENTS
{
	local what=$1 words=()
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	run ktrace probe check "$@"
	ends 1 "$what" "${words[@]}"
}

at="callee_middle:$((inner - middle))"
refused 'without the file' 'debugging information of the module ktrace_callee is not here' '--vmlinux' -- "$at result"
refused 'the kernel has none' "'s debugging information is not here" "linux-image-$(uname -r)-dbg" -- 'vfs_read:20 ret'
refused 'nor for a variable' "\`ret': parameters are known only where" '--vmlinux' -- 'vfs_read+0x40 ret'
refused 'nor for a name that is wrong' "vfs_read has no parameter \`cuont': it has file, buf, count, pos" -- 'vfs_read cuont'
refused 'a line without code' 'has no code: ' -- --vmlinux "$module" 'callee_middle:4444'
refused 'no such variable' "there is no variable \`nothing' here, but " 'result' -- --vmlinux "$module" "$at nothing"
refused 'no such file' "no file \`nothing.c'" -- --vmlinux "$module" 'ktrace_callee:nothing.c:3'
refused 'a line has no offset' 'a line has no offset' -- --vmlinux "$module" "$at+3"
refused 'a stripped file' 'has no debugging information' -- --vmlinux "$KTRACE_MODULES/ktrace-callee.ko" "$at result"
refused 'a file that is of nothing' 'is not of this kernel, nor of a module that is loaded: its build id is ' \
	"the kernel's is " -- --vmlinux "$built/ktrace-client1.ko" "$at result"
refused 'no file' 'No such file' -- --vmlinux /nothing "$at result"
run ktrace record --vmlinux "$module" -e sched_switch -- true
ends 2 'a file for nothing' '--vmlinux is about -P'
run ktrace probe list --vmlinux "$module"
ends 2 'a file for a list' '--vmlinux is for add, check and explain'
check 'nothing stays' [ -z "$(cat $tree/probes)" ]

# ---- where it is found --------------------------------------------------------------

id=$(readelf -n "$module" | sed -n 's/.*Build ID: //p')
mkdir -p "/usr/lib/debug/.build-id/${id:0:2}"
cp "$module" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
run ktrace probe add "$at result"
ends 0 'a debug file is found by its build id' "probe:callee_middle_$((inner - middle)) is at ktrace_callee:callee_middle+"
run ktrace probe remove '*'
rm -r "/usr/lib/debug/.build-id/${id:0:2}"
finish_vm source_probe.sh
