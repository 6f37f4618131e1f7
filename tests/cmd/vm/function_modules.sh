# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# function_modules.sh - record -F and graph -f: functions of modules that are loaded meanwhile
# One kernel is enough: the kernel's part is in tests/kernel/functions.sh.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/function_modules && cd /mnt/function_modules || exit 1
module=$KTRACE_MODULES/ktrace-callee.ko
callee=/sys/kernel/debug/ktrace-callee/run
[ -e /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
# callee_six() has types if the module's type information can refer to the kernel's.
insmod "$module"
types='a=1 b=2 c=3 d=4 e=0x[0-9a-f]* \("five" \)*f=-6'
[ -e /sys/kernel/btf/ktrace_callee ] || types=
words='rdi=0x1 rsi=0x2 rdx=0x3 rcx=0x4 r8=0x[0-9a-f]* r9=0x[0-9a-f]*'
# So many calls are recorded with words, if one of two has types.
plain=1
[ "$types" ] || plain=2
rmmod ktrace_callee

# says NUMBER PATTERN: that many lines of the last output have it
says()
{
	[ "$(grep -c "$2" <<<"$out")" = "$1" ]
}

# ---- patterns ----------------------------------------------------------------------

run ktrace record -F 'ktrace_callee:*' -o t -- sh -c "insmod $module; echo calls 3 >$callee"
ends 0 'functions of a module that is loaded later are recorded'
check 'that they are waited for is said' grep -q \
	'^ktrace: the module ktrace_callee is not loaded: its functions are recorded when it is$' <<<"$err"
run ktrace report t
check 'all their calls' says 3 ' function:callee_six: '
check 'and returns' says 3 ' return:callee_six: '
check 'with types' says 3 " function:callee_six: ${types:-$words}\$"
rm -r t

run ktrace record -F 'callee_s*' -o t -- sh -c "rmmod ktrace_callee; insmod $module; echo calls 3 >$callee"
ends 0 'a pattern of names also means modules that are loaded later'
check 'of this, nothing is said' [ "$(grep -c 'not loaded' <<<"$err")" = 0 ]
run ktrace report t
check 'their calls, too' says 3 ' function:callee_six: '
check 'but no others' says 0 'callee_error'
rm -r t

run ktrace record -q -F 'ktrace_callee:*' -o t -- \
	sh -c "echo calls 1 >$callee; rmmod ktrace_callee; insmod $module; echo calls 1 >$callee; rmmod ktrace_callee"
ends 0 'a module goes, comes, and goes'
run ktrace report t
check 'what it was called at first has its types' grep -q " function:callee_six: ${types:-$words}" <<<"$out"
check 'when it has gone again, nobody knows the types of what came' says $plain " function:callee_six: $words"
rm -r t

rm -rf t
run ktrace record -F 'c*,!*_s*' -o t -- sh -c "insmod $module; echo calls 3 >$callee; rmmod ktrace_callee"
ends 0 'some of a module that is loaded later are left out'
run ktrace report t
check 'which have no calls' says 0 ' function:callee_six: '
check 'the others do' says 3 ' function:callee_error: '
rm -r t

# ---- graph -------------------------------------------------------------------------

run ktrace graph --alone -f 'ktrace_callee:*' -- \
	sh -c "insmod $module; echo calls 2 >$callee; rmmod ktrace_callee; insmod $module; echo calls 1 >$callee"
ends 0 'a graph of a module that is loaded while it is shown, twice'
check 'has its calls' says 3 ' callee_six('
check 'and what they returned' says 3 ' callee_six(.*) = \(8\|0x8\)$'
rmmod ktrace_callee

run ktrace graph --alone -f 'ktrace_callee:*' -- sh -c "insmod $module; echo calls 2 >$callee; rmmod ktrace_callee"
ends 0 'a graph of a module that has gone when it is shown'
check 'has its calls, too' says 2 ' callee_six('

run ktrace graph --alone -f 'ktrace_callee:callee_*' --no 'ktrace_callee:callee_s*' -- \
	sh -c "insmod $module; echo calls 1 >$callee; rmmod ktrace_callee"
ends 0 'some of a module that comes are cut'
check 'which are not shown' says 0 ' callee_s[a-z_]*('
check 'the others are' says 1 ' callee_error('

run ktrace graph --alone -f 'vfs_read' --in 'ktrace_callee:*' -- cat /etc/hostname
ends 0 'within functions of a module that does not come'
check 'there are none' says 0 'vfs_read('
check 'which is said, too' grep -q \
	'^ktrace: the module ktrace_callee is not loaded: nothing is recorded within its functions before it is$' <<<"$err"
run ktrace graph --alone -f vfs_read --no 'ktrace_callee:*' -- true
check 'nor is a slip in what is cut left unsaid' grep -q \
	'^ktrace: the module ktrace_callee is not loaded: its functions are cut when it is$' <<<"$err"

# ---- what cannot wait --------------------------------------------------------------

for option in "--entered 'number > 3'" "--returns 'ret < 0'"; do
	eval "run ktrace graph -f 'ktrace_callee:*' $option -- true"
	ends 1 "${option%% *} needs types"
	check 'it is said what to do' grep -q 'ktrace_callee.*the module is not loaded.*load it first' <<<"$err"
done
run ktrace graph -f 'ktrace-callee:*' -- true
ends 1 'a name that no module can have'
run ktrace graph -f 'callee_six' -- true
ends 1 'a name without a module is not waited for'
# With a folder in /sys/module, and without one.
while read -r name; do
	[ -d "/sys/module/$name" ] && with=$name || without=$name
done < <(sed -n 's/^.*\/\([a-z0-9]*\)\.ko$/\1/p' "/lib/modules/$(uname -r)/modules.builtin")
for name in "$with" "$without"; do
	run ktrace graph -f "$name:nothing_there" -- true
	ends 1 "nor are functions of what is built into the kernel, as $name"
done
check 'none is left' [ ! -d /sys/module/ktrace_callee ]
finish_vm function_modules.sh
