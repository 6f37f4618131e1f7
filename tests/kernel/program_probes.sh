#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Probes in programs: kernel/source/probe.  The kernel's own uprobe events say what is right.
. tests/kernel/lib.sh

tracing=/sys/kernel/tracing
[ -e $tracing/uprobe_events ] || mount -t tracefs tracefs $tracing
file=$bin/probed
dir=/mnt/program_probes
mkdir -p $dir

load_module ktrace-probes

# at FUNCTION: its place
at() {
	echo "$file:$($bin/probed where "$1")/$1"
}

# record NUMBER: switches on, calls so often, switches off; what was recorded goes to $read
record() {
	put enabled 1
	$bin/probed calls "$1" >$dir/out
	put enabled 0
	read=$($bin/ktread -d $tree)
}

# payloads EVENT: of what was recorded
payloads() {
	echo "$read" | sed -n "s/^[0-9].* probe:$1 //p"
}

# ---- what is refused --------------------------------------------------------------

check "no offset" refuses probes "probe/x $file" 'FILE:0xOFFSET is wanted'
check "an offset that is none" refuses probes "probe/x $file:0xzz" 'are what may follow'
check "a semaphore that is none" refuses probes "probe/x $file:0x1000(12)" 'are what may follow'
check "a semaphore without an end" refuses probes "probe/x $file:0x1000(0x12" 'are what may follow'
check "an offset that ends early" refuses probes "probe/x $file:0x1(" 'are what may follow'
check "a label with control characters" refuses probes "$(printf 'probe/x %s:0x1000/a\033b' $file)" 'are what may follow'
check "a file that was not seen so" refuses probes "probe/x $file:0x1000{1:2:3.4}/x" 'has changed while'
check "what was seen is no file" refuses probes "probe/x $file:0x1000{1:2}/x" 'are what may follow'
# A label may be anything that somebody has written into a file: it does not become a place.
put probes "probe/x $file:0x1000/x:0x2000(0x3000)"
check "the path ends with the first colon" is "$(get probes)" "probe/x $file:0x1000/x:0x2000(0x3000)"
put probes '!probe/x'
# The control tree's own files are found without its lock being held.
check "a file of the control tree" refuses probes "probe/x $tree/sessions/none:0x1000" 'cannot be found'
check "an empty label" refuses probes "probe/x $file:0x1000/%return" 'are what may follow'
check "no file" refuses probes 'probe/x /no/such/file:0x1000' 'cannot be found'
check "a folder" refuses probes 'probe/x /usr:0x1000' 'is no file'
check "a device" refuses probes 'probe/x /dev/null:0x1000' 'is no file'
check "past its end" refuses probes "probe/x $file:0x10000000" 'has only'
check "a semaphore past its end" refuses probes "probe/x $file:0x1000(0x10000000)" 'has only'
check "an index that is none" refuses probes "probe/x $(at probed_text); u8 u8 a = di si 3 * +" 'are wanted'
check "nor is this" refuses probes "probe/x $(at probed_text); u8 u8 a = di si +" 'are wanted'
check "a file of the kernel's, without bytes" refuses probes 'probe/x /proc/version:0x0' 'has only 0'
check "nothing is defined by these" is "$(get probes)" ""

# Who may read the kernel may not therefore change programs.
put kernel_reads 1
check "without the right there are no probes in programs" not setpriv --bounding-set -perfmon,-sys_admin \
	sh -c "printf 'probe/x %s:0x1000\\n' $file 2>/dev/null >$tree/probes"
check "and the error says so" grep -q 'only root may change the code of programs' $tree/error
put kernel_reads 0

cp $file $dir/changing
put probes "probe/stale $dir/changing:$($bin/probed where probed_text)/probed_text"
echo more >>$dir/changing
put events/probe/stale/enabled 1
check "a file that has changed" refuses enabled 1 'probed_text: the file has changed'
put events/probe/stale/enabled 0
put probes '!probe/stale'
rm $dir/changing
put reset 1

# ---- hits, beside the kernel's own events -------------------------------------------

where=$($bin/probed where probed_many)
echo "p:kt_many $file:$where a=%di:u8 b=%si:u16 d=%cx:u64 first=+0(%r8):u32 g=+8(%sp):s64 h=+16(%sp):s64
r:kt_error $file:$($bin/probed where probed_error) ret=\$retval:s32
p:kt_text $file:$($bin/probed where probed_text) text=+0(%di):string" >$tracing/uprobe_events
put probes "probe/many $(at probed_many); u8 u8 a = di; u16 u16 b = si; u64 u64 d = cx; u32 u32 first = r8 @4; s64 s64 g = sp 8 + @8; s64 s64 h = sp 16 + @8; u32 u32 __values_unread = unread
probe/error $(at probed_error)%return; s32 int ret = ax
probe/text $(at probed_text); u64 string text = di
probe/element $(at probed_element); u32 u32 element = di si 4 * + @4; u64 u64 index = si"
check "what is defined is shown" is "$(get probes | grep -c "$file:0x.*/probed_")" 4
put capture 'probe/text: char __text_val: a0 string 256'
put events/probe/enabled 1
echo >$tracing/trace
echo 1 >$tracing/events/uprobes/enable
record 20
echo 0 >$tracing/events/uprobes/enable
for event in many error text element; do
	check "each hit is recorded: $event" is "$(count "$read" probe:$event)" 20
done
check "as the kernel's own are" is "$(grep -c 'kt_many:\|kt_error:\|kt_text:' $tracing/trace)" 60
check "values are the kernel's" is "$(grep -m 1 'kt_many:' $tracing/trace | sed 's/.*) //')" \
	'a=1 b=2 d=4 first=7 g=70 h=80'
check "of registers, memory and the stack" is "$(payloads many | sort -u)" \
	01020004000000000000000700000046000000000000005000000000000000"00000000"
check "what is returned" is "$(payloads error | sort -u | cut -c1-8)" eaffffff
check "elements by an index" is "$(payloads element | sort -u | cut -c1-24)" 0d0000000300000000000000
check "texts" is "$(payloads text | grep -c "$(printf 'a text of the program' | od -An -tx1 | tr -d ' \n')")" 20
check "probed is empty while it is off" is "$(get probed)" ""
put enabled 1
check "while it is on" is "$(sed -n 's/ hits.*//; s/^probe:error //p' $tree/probed)" \
	"$($bin/probed where probed_error) breakpoint"
put enabled 0
echo >$tracing/uprobe_events
put events/probe/enabled 0
put probes '!probe/many
!probe/error
!probe/element'
put reset 1

# ---- memory that is not there -------------------------------------------------------

# It is read as soon as the program runs: two pages, of which the text has the end and the begin.
head -c 4092 /dev/zero | tr '\0' . >$dir/text
printf 'over the edge of a page' >>$dir/text
head -c 4000 /dev/zero >>$dir/text
put capture 'probe/text: char __text_val: a0 string 256'
put events/probe/text/enabled 1
put enabled 1
sync
echo 3 >/proc/sys/vm/drop_caches
$bin/probed absent $dir/text
put enabled 0
read=$($bin/ktread -d $tree)
check "a text on pages that were not there" is \
	"$(payloads text | grep -c "$(printf 'over the edge of a page' | od -An -tx1 | tr -d ' \n')00")" 1
check "a bad address is no harm" is "$(count "$read" probe:text)" 2
put events/probe/enabled 0
put capture none
put capture 'probe/text: char __text_val: kernel a0 string 256' 2>/dev/null
check "a program of it reads nothing of the kernel" grep -q 'nothing of the kernel is read' $tree/error
put probes '!probe/text'
put reset 1

# What a program says of the kernel's memory is not read.
address=$(printf %016x $((0x$(awk '$3 == "linux_banner" { print $1 }' /proc/kallsyms))))
put probes "probe/deep $(at probed_deep); u64 u64 depth = di; u32 u32 kernel = di 0 & $((0x$address)) + @4; u32 u32 unread = unread"
put events/probe/deep/enabled 1
record 1
check "of the kernel a program's probe reads nothing" is "$(payloads deep)" "0000000000000000""00000000""02000000"
put events/probe/enabled 0
put probes '!probe/deep'
put reset 1

# ---- returns of nested calls, processes, semaphores ---------------------------------

put probes "probe/deep $(at probed_deep); u64 u64 depth = di
probe/back $(at probed_deep)%return; u64 u64 ret = ax"
put events/probe/enabled 1
put enabled 1
$bin/probed deep 40
put enabled 0
read=$($bin/ktread -d $tree)
check "each call and each return" is "$(count "$read" probe:deep) $(count "$read" probe:back)" "41 41"
check "the innermost returns first" is "$(payloads back | head -n 1 | cut -c1-16) $(payloads back | tail -n 1 | cut -c1-16)" \
	"0000000000000000 2800000000000000"
put reset 1

# The kernel hooks 64 returns of a task, of its own events, too.
echo "r:kt_back $file:$($bin/probed where probed_deep)" >$tracing/uprobe_events
echo >$tracing/trace
echo 1 >$tracing/events/uprobes/enable
put enabled 1
$bin/probed deep 99
check "calls that are too deep are missed" is "$(sed -n 's/^probe:back .* breakpoint //p' $tree/probed)" \
	"hits 64 missed nested 0 open 36 idle 0"
put enabled 0
echo 0 >$tracing/events/uprobes/enable
read=$($bin/ktread -d $tree)
check "the others are recorded, as the kernel's own are" is "$(count "$read" probe:back) $(grep -c kt_back: $tracing/trace)" "64 64"
check "all with their entries" is "$(count "$read" probe:deep)" 100
check "they are losses" grep -q '^source probe missed 36 nested 0 open 36 idle 0$' $tree/overflow
too_deep() { sed -n 's/^probe:back .* open \([0-9]*\) idle .*/\1/p' $tree/probed; }
put pids 1
put enabled 1
before=$(too_deep)
$bin/probed deep 99
check "but not in a process that the session leaves out" is "$(too_deep)" "${before:-none}"
put pids ''
put enabled 0
echo >$tracing/uprobe_events
put reset 1

# Frames and why there are no more, of the stack of each hit.
frames() {
	$bin/ktread -dq $tree | stack_ids probe:$1 | while read -r id; do
		od -An -v -j $((id * 8 + 4)) -N 2 -t u2 $tree/stacks
		od -An -v -j $((id * 8 + 6)) -N 1 -t u1 $tree/stacks
	done | awk '{ printf "%s%s", $1, NR % 2 ? " " : "\n" }'
}
# A stack of the program needs tables, which a recorder makes: tests/cmd/vm/program_probe.sh.
put events/probe/enabled 0
put stack 'probe/deep: kernel'
put events/probe/deep/enabled 1
put enabled 1
$bin/probed deep 3
put enabled 0
check "the stack of the kernel has no frames" is "$(frames deep | sort | uniq -c | xargs)" "4 0 0"
put stack none
put reset 1

put enabled 1
$bin/probed forks 3
put enabled 0
check "children have the probes of their parent" is "$(count "$($bin/ktread $tree)" probe:deep)" 4
# The shell that becomes the program is the process.
put pids $$
sh -c "echo \$\$ >$tree/pids; echo 1 >$tree/enabled; exec $bin/probed calls 2" >$dir/out &
wait
$bin/probed calls 5 >$dir/out
put enabled 0
check "only processes that are wanted" is "$(count "$($bin/ktread $tree)" probe:deep)" 2
put pids ''
put reset 1

put probes "probe/use $file:$($bin/probed where probed_text)($($bin/probed where semaphore))/probed:text; u64 u64 text = di"
put events/probe/enabled 0
put events/probe/use/enabled 1
$bin/probed calls 1 >$dir/out
check "nobody wants it" is "$(cat $dir/out)" 0
record 1
check "the semaphore is raised" is "$(cat $dir/out) $(count "$read" probe:use)" "1 1"
$bin/probed calls 1 >$dir/out
check "and lowered" is "$(cat $dir/out)" 0
put events/probe/enabled 0
put reset 1

# ---- how probes end -----------------------------------------------------------------

put events/probe/deep/enabled 1
put enabled 1
$bin/probed calls 3 >$dir/out
put probes '!probe/deep'
check "removed while it is recorded" grep -q '^event probe:deep ' $tree/gone
put reset 1
$bin/probed calls 3 >$dir/out
check "it is not hit any more" is "$($bin/ktread $tree | sed -n 's/^total events \([0-9]*\).*/\1/p')" 0
put enabled 0
put probes '!probe/back
!probe/use'
put reset 1

# While programs run into the probes, these come and go.
put probes "probe/deep $(at probed_deep); u64 u64 depth = di; u64 u64 top = sp @8
probe/back $(at probed_deep)%return; u64 u64 ret = ax"
put events/probe/enabled 1
$bin/probed calls 1000000000 >$dir/out &
one=$!
$bin/probed forks 1000000000 >$dir/out2 &
two=$!
for turn in 1 2 3 4 5 6 7 8 9 10; do
	put enabled 1
	sleep 0.1
	put enabled 0
done
kill $one
kill $two
wait $one 2>/dev/null
check "a program lives through that" is $? 143
wait $two 2>/dev/null
check "and so does one that forks" is $? 143
check "there was something to live through" at_least \
	"$($bin/ktread -q $tree | sed -n 's/^total events \([0-9]*\).*/\1/p')" 1000
put events/probe/enabled 0
put probes '!probe/deep
!probe/back'
put reset 1

# Who holds a line takes it along.
(
	exec 3>$tree/probes_held
	printf '%s\n' "probe/held $(at probed_text)" >&3
	get probes >$dir/while
)
check "a line is held" is "$(grep -c probe/held $dir/while)" 1
check "and goes with its holder" is "$(get probes)" ""

# A file system can be unmounted when no line needs it any more.
mkdir -p $dir/other
mount -t tmpfs tmpfs $dir/other
cp $file "$dir/other/with blank;x"
put probes "probe/moved $dir/other/with\\040blank\\073x:$($bin/probed where probed_text)/probed_text"
put events/probe/moved/enabled 1
put enabled 1
"$dir/other/with blank;x" calls 4 >$dir/out
put enabled 0
check "a path with a blank" is "$(count "$($bin/ktread $tree)" probe:moved)" 4
check "a line holds its file system" not umount $dir/other
put events/probe/moved/enabled 0
put probes '!probe/moved'
check "and gives it back" umount $dir/other
put reset 1

# A file of a container lies on another one.
mkdir -p $dir/upper $dir/lower $dir/over
mount -t tmpfs tmpfs $dir/upper
mkdir $dir/upper/up $dir/upper/work
cp $file $dir/lower/probed
if mount -t overlay overlay -o "lowerdir=$dir/lower,upperdir=$dir/upper/up,workdir=$dir/upper/work" $dir/over 2>/dev/null; then
	put probes "probe/over $dir/over/probed:$($bin/probed where probed_text)"
	put events/probe/over/enabled 1
	put enabled 1
	$dir/over/probed calls 3 >$dir/out
	put enabled 0
	check "in a file that lies on another one" is "$(count "$($bin/ktread $tree)" probe:over)" 3
	put events/probe/over/enabled 0
	put probes '!probe/over'
	umount $dir/over
else
	check "overlay file systems are there" false
fi
umount $dir/upper
check "nothing is left" is "$(get probes)" ""
rm -r $dir
put reset 1
rmmod ktrace-probes
