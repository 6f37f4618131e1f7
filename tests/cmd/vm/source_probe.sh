# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# source_probe.sh - record -P and ktrace probe at lines of the kernel's source, with variables, by
# debugging information: of a module of ours, whose values are known.  tests/variables has the kernel
# itself.
# One kernel is enough: debugging information is the compiler's.
# Only in check-all: it takes a minute, and tests/variables runs there, too.

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
run ktrace probe check -v --vmlinux "$module" "callee.c:$outer number"
ends 0 'a file of a module, which nobody has named'
check 'is found' grep -q '^ktrace_callee:callee_outer+0x[0-9a-f]*: number=(' <<<"$out"
run ktrace probe check --vmlinux "$module" 'no_such_file.c:12'
ends 1 'a file of none' "the kernel's debugging information is not here"
run ktrace probe check --vmlinux "$module" 'callee.c:1'
ends 1 'a line of a module that has no code' 'line 1 has no code'
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

# ---- several places -----------------------------------------------------------------

# Each has its own way.  The kernel's own kprobe events at the same addresses are the judge; they
# take no functions that ftrace does not know.
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
explained()	# FILE TEXT: a line "ADDRESS WAY" for each place
{
	ktrace probe explain -j --vmlinux "$1" "$2" | python3 -c '
import json, sys
for p in json.load(sys.stdin):
    print(p["address"], "refused" if p["refused"] else p["way"])'
}
judged()	# ADDRESS...: the same, by kprobe events
{
	local address line way taken=()
	for address; do
		if echo "p:k/at_$address $address" 2>/dev/null >>$tracing/kprobe_events; then
			taken+=("$address")
		else
			echo "$address refused"
		fi
	done
	echo 1 >$tracing/events/k/enable
	sleep 3
	for address in "${taken[@]}"; do
		line=$(grep -i "${address#0x}" /sys/kernel/debug/kprobes/list)
		way=breakpoint
		[[ $line != *'[OPTIMIZED]'* ]] || way=jump
		[[ $line != *'[FTRACE]'* ]] || way=ftrace
		echo "$address $way"
	done
	echo 0 >$tracing/events/k/enable
	echo >$tracing/kprobe_events
}
for name in queue printed; do
	lsmod | grep -q "^ktrace_$name " || insmod "$KTRACE_MODULES/ktrace-$name.ko"
done
several()	# FILE TEXT...: each is in several places, which are armed as the judge says
{
	local file=$1 text
	shift
	for text; do
		explained "$file" "$text" >places
		check "$text is in several places" [ "$(wc -l <places)" -ge 2 ]
		check 'each is armed as a kprobe event is' diff <(sort places) <(judged $(cut -d' ' -f1 places) | sort)
	done
}
several "$module" ktrace_callee:constant_test_bit ktrace_callee:test_ti_thread_flag
# It may sleep: the kernel changes that call while it runs.
queue=ktrace_queue:queue.c:$(awk '/wait_event_interruptible/ { print NR }' "${source%/*}/queue.c")
several "$built/ktrace-queue.ko" "$queue"
check 'one is refused' [ "$(grep -c ' refused$' places)" = 1 ]
refused_at()	# FILE TEXT: as many as in the file places, and each has the reason of its own place
{
	run ktrace probe check --vmlinux "$1" "$2 %di"
	ends 1 "$2 is refused"
	check 'with a reason for each place' [ "$(sed -n 's/^\([^ ]*\): .*  refused$/\1/p' <<<"$out")" = \
		"$(sed -n 's/^ktrace: \([^ ]*\): the kernel must not.*/\1/p' <<<"$err")" ]
	check 'as many as explain says' [ "$(grep -c '  refused$' <<<"$out")" = "$(grep -c ' refused$' places)" ]
	check 'the others have their ways' [ "$(grep -c '  \(a jump\|a call\|an exception\)' <<<"$out")" = \
		"$(grep -vc ' refused$' places)" ]
	run ktrace probe add --vmlinux "$1" "$2 %di"
	ends 1 'it is not added' 'the kernel must not be stopped there'
}
refused_at "$built/ktrace-queue.ko" "$queue"
explained "$built/ktrace-printed.ko" ktrace_printed:arch_static_branch >places
refused_at "$built/ktrace-printed.ko" ktrace_printed:arch_static_branch
check 'and nothing is left of the trials' [ -z "$(cat $tree/probes)$(ls $tree/sessions)" ]
rmmod ktrace_queue ktrace_printed
rm places

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
