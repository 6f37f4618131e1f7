# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# function_types.sh - record -F: types of arguments and results.  kernel/testmod/callee_typed.c
# has functions of all kinds; kprobes of the kernel, which are told where each argument is,
# say what is right
# One kernel is enough: types are the work of the command.
# Only in check-all: tests/prototypes runs there, too.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/function_types && cd /mnt/function_types || exit 1
tracing=/sys/kernel/tracing
callee=/sys/kernel/debug/ktrace-callee/run
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
[ -e "$(dirname "$(dirname $callee)")/tracing" ] || mount -t debugfs debugfs /sys/kernel/debug
insmod "$KTRACE_MODULES/ktrace-callee.ko"

# The build for 6.1 has nothing that a module's type information could refer to.
known=/sys/kernel/btf/ktrace_callee
if [ ! -e $known ]; then
	echo "# the test module has no type information here: only registers are tested"
	run ktrace record -q -F ktrace_callee:typed_color -o t -- sh -c "echo types >$callee"
	run ktrace report t
	check 'without type information there are registers' grep -q \
		' function:typed_color: rdi=0xff rsi=0x[0-9a-f]* .* r9=0x[0-9a-f]*$' <<<"$out"
	rm -r t
fi

types_test()
{
# ---- as kprobes have it ------------------------------------------------------------

cat >kprobes <<'END'
small a=%di:u8 b=%si:s16 c=%dx:u8 d=%cx:s32 e=%r8:u32 f=%r9:s8
flags gfp=%di:x32 mode=%si:u16 dev=%dx:u32 flags=%cx:x32 uid=%r8:u32
eight a=%di:s32 b=%si:s32 c=%dx:s32 d=%cx:s32 e=%r8:s32 f=%r9:s32 g=$stack1:s16 h=$stack2:u8
pair before=%di:u8 pair_first=%si:s64 pair_second=%dx:u16 pair_third=%dx:b8@16/64 behind=%cx:u8
crossing a=%di:u64 b=%si:u64 c=%dx:u64 d=%cx:u64 e=%r8:u64 pair_first=+8(%sp):s64 pair_second=+16(%sp):u16 pair_third=+18(%sp):u8 behind=%r9:u32
large before=%di:u8 large_words=+8(%sp):u64[3] behind=%si:u8
packed before=%di:u8 packed_before=+8(%sp):u8 packed_behind=+9(%sp):u32 behind=%si:u8
empty before=%di:u8 behind=%si:u8
makes_large number=%si:u64
makes_pair number=%di:u64
pointer error=%di:s64
color number=%di:u8
END
sed 's/^\([a-z_]*\) /p:kt\/\1 ktrace_callee:typed_\1 /' kprobes >$tracing/kprobe_events
for name in small:s8 flags:u8 eight:s16 pair:u64 color:s32; do
	echo "r:kt/${name%:*}_ret ktrace_callee:typed_${name%:*} ret=\$retval:${name#*:}"
done >>$tracing/kprobe_events
check 'the kernel takes all kprobes' [ "$(wc -l <$tracing/kprobe_events)" = 17 ]
echo >$tracing/trace
echo 1 >$tracing/events/kt/enable
run ktrace record -q -F 'ktrace_callee:typed_*' -o t -- sh -c "echo types >$callee"
ends 0 'functions of all types, which return what they should'
echo 0 >$tracing/events/kt/enable
sed -n 's/.*: \([a-z_]*\): (.*) /\1 /p' $tracing/trace >theirs
run ktrace report t
# Words in the place of numbers are checked below.
sed -n 's/.* function:typed_\([a-z_]*\): /\1 /p
	s/.* return:typed_\([a-z_]*\): /\1_ret /p' <<<"$out" |
	grep -f <(sed -n 's/^\([a-z_]*\) .*/^\1 /p' theirs) |
	sed 's/\([a-z]\)\.\([a-z]*=\)/\1_\2/g; s/=true/=1/g; s/CALLEE_BLUE/7/
		s/CALLEE_ONE|CALLEE_FOUR/5/; s/gfp=[^ ]*/gfp=GFP/; s/ compare=.*//
		s/mode=0640/mode=416/; s/dev=8:17/dev=8388625/' >ours
sed -i 's/gfp=[^ ]*/gfp=GFP/' theirs
# Newer kernels have no type information of functions with a hidden argument.
sed -i 's/^makes_large rdi=.* rsi=0x29 .*/makes_large number=41/' ours
out=$(cat theirs)
check 'kprobes have recorded all' [ "$(wc -l <theirs)" = 19 ]
out=$(diff theirs ours)
check 'the same arguments and results' [ -z "$out" ]
echo >$tracing/kprobe_events

# ---- as they are shown -------------------------------------------------------------

run ktrace report t
check 'values of enums have names, bits of enums too' grep -q \
	' function:typed_small: a=5 b=-2 c=true d=CALLEE_BLUE e=CALLEE_ONE|CALLEE_FOUR f=-128$' <<<"$out"
check 'so have flags; modes are octal, devices have two numbers' grep -q \
	' function:typed_flags: gfp=GFP_ATOMIC|__GFP_ZERO mode=0640 dev=8:17 flags=0x84 uid=1000 compare=compare$' <<<"$out"
check 'a bool is returned' grep -q ' return:typed_flags: ret=true$' <<<"$out"
check 'a value that has no name is a number' grep -q ' return:typed_color: ret=255$' <<<"$out"
check 'another has one' grep -q ' return:typed_color: ret=CALLEE_BLUE$' <<<"$out"
check 'a large struct is returned by its address' grep -q \
	' return:typed_makes_large: ret=0xffff[0-9a-f]*$' <<<"$out"
check 'half of a struct is no result' grep -q ' return:typed_makes_pair: ret=?$' <<<"$out"
check 'what a caller adds is not guessed' grep -q \
	' function:typed_many: format=0xffff[0-9a-f]* "four %d %s %d" \.\.\.=?$' <<<"$out"
run ktrace report -F json t
check 'JSON has null for it' grep -q \
	'"function:typed_many","fields":{"format":"0xffff[0-9a-f]*","\.\.\.":null,' <<<"$out"
run ktrace report --graph t
check 'an address may be an error' grep -q ' typed_pointer(error=-2) = -2 ENOENT$' <<<"$out"
run ktrace report -F kernel t
check 'with formats of the kernel, the same' grep -q ' function:typed_many: .*\.\.\.=?$' <<<"$out"
run ktrace export --to ctf -o ctf t
run babeltrace2 ctf
check 'in CTF' grep -q \
	'typed_pair: .* before = 1, pair_first = -11, pair_second = 12, pair_third = 1, behind = 2' <<<"$out"
rm -r t ctf
}

[ ! -e $known ] || types_test

# ---- where nothing is known --------------------------------------------------------

fields()	# NAME: of the function's arguments in the trace t
{
	sed -n "/\"type\":\"variant\".*\"system\":\"function\",\"name\":\"$1\"/p" t/metadata |
		grep -o '{"name":"[^"]*"' | cut -d '"' -f 4 | tr '\n' ' '
}
# The compiler has changed their arguments.
clones=$(awk '$1 ~ /\.(isra|constprop|part)\./ && $2 == "vmlinux" { print $1 }' \
	/sys/kernel/ktrace/available_functions | sort -u | head -50)
check 'the kernel has clones' [ "$(wc -w <<<"$clones")" -gt 20 ]
run ktrace record -q -F "$(paste -sd, <<<"$clones")" -o t -- true
ends 0 'clones'
out=$(fields '[^"]*\.[^"]*' | tr -s ' ' '\n' | sort -u | tr '\n' ' ')
check 'have registers, and no names of arguments' [ "$out" = 'r8 r9 rcx rdi rdx rsi ' ]
rm -r t
if [ -e $known ]; then
	# The lines of a user say less than the type information.
	run ktrace record -q -e function:entry,function:exit -o t -- bash -c "
	echo '+ktrace_callee:typed_eight 7' >/sys/kernel/ktrace/functions
	echo types >$callee"
	run ktrace report t
	check 'words that are not recorded are not guessed' grep -q \
		' function:typed_eight: a=1 b=2 c=3 d=4 e=5 f=-6 g=-7 h=?$' <<<"$out"
	rm -r t
	run ktrace record -q -F ktrace_callee:callee_same -o t -- sh -c "echo calls 1 >$callee"
	# If the type information may have dropped one of two that differ, none has types.
	registers='rdi rsi rdx rcx r8 r9 '
	grep -qaw bpf_kfunc /sys/kernel/btf/vmlinux && same='number number ' || same=$registers$registers
	out=$(fields callee_same)
	check 'two functions of one name and type have it, if that is known' [ "$out" = "$same" ]
fi

rmmod ktrace-callee
echo "# end of function_types.sh"
