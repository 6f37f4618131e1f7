# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# probe.sh - record -P and ktrace probe: events anywhere in the kernel's code; the kernel's own
# kprobe events say what is right
# One kernel is enough: tests/kernel/probes.sh asks each kernel for places and values.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/probe && cd /mnt/probe || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing
[ -e /sys/kernel/debug/kprobes/list ] || mount -t debugfs debugfs /sys/kernel/debug

# ---- of one recording ---------------------------------------------------------------

rmmod ktrace-probes 2>/dev/null
run ktrace record -P 'vfs_read file->f_path.dentry->d_name.name count' -o t -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=100
ends 0 'a probe' 'recorded'
check 'it goes with the recording' [ -z "$(cat $tree/probes)" ]
check 'nothing stays in the kernel' [ -z "$(cat /sys/kernel/debug/kprobes/list $tracing/enabled_functions)" ]
run ktrace report t
check 'a member is read, and a parameter' [ "$(grep -c \
	'^dd-.* probe:vfs_read: name=0xffff[0-9a-f]* "zero" count=4321$' <<<"$out")" = 100 ]
check 'nothing else is recorded' [ -z "$(grep -v '^\*\*\*\| probe:vfs_read: ' <<<"$out")" ]
run ktrace report -F json t
check 'JSON has the values' [ "$(grep -c \
	'"event":"probe:vfs_read","fields":{"name":"0xffff[0-9a-f]*","count":4321,.*"__name_val":"zero"' \
	<<<"$out")" = 100 ]
run ktrace export --to ctf -o ctf t
ends 0 'export to CTF'
run babeltrace2 ctf
check 'babeltrace2 reads as many' [ "$(grep -c ' vfs_read: .*count = 4321' <<<"$out")" = 100 ]
rm -r t ctf

run ktrace record -P vfs_read -P 'vfs_read%return' -P 'wrote=vfs_write%return $retval:s64' \
	-f 'ret == 7' -o t -- sh -c 'printf seven77 >f; printf eight888 >f'
run ktrace report t
check 'without values it has all parameters' grep -q \
	' probe:vfs_read: file=0xffff[0-9a-f]* buf=0x[0-9a-f]* count=[0-9]* pos=0x[0-9a-f]*$' <<<"$out"
check 'and what is returned' grep -q ' probe:vfs_read_return: ret=[0-9-]*$' <<<"$out"
check 'a name of its own, and a filter' [ "$(grep -c '^sh-.* probe:wrote: ret=7$' <<<"$out")" = 1 ]
check 'which refuses the others' [ -z "$(grep 'probe:wrote: ret=[^7]' <<<"$out")" ]
rm -r t f

run ktrace record -q -P 'filename_lookup%return $retval:s64 narrow=$retval:u8' -o t2 -- stat /nothing
check 'a result keeps its sign' grep -q '^stat-.* probe:filename_lookup_return: ret=-2 narrow=254$' <<<"$(ktrace report t2)"
rm -r t2

run ktrace record -P 'vfs_read count' -g -e sched:sched_process_exit -o t -- dd if=/dev/zero of=/dev/null bs=7 count=2
run ktrace report -g t
check 'stacks begin with the place' [ "$(grep -A 2 '^dd-.* probe:vfs_read: count=7$' <<<"$out" |
	grep -c '^	\(vfs\|ksys\)_read+0')" = 4 ]
check 'beside events of -e' grep -q '^dd-.* sched:sched_process_exit:' <<<"$out"
rm -r t

# ---- by type ------------------------------------------------------------------------

gcc -O2 -o send -xc - <<'END'
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(4660),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return connect(fd, (struct sockaddr *)&to, sizeof(to)) || write(fd, "x", 1) != 1;
}
END
ip link set lo up 2>/dev/null || ifconfig lo up
run ktrace record -P 'udp_sendmsg sk->__sk_common.skc_dport raw=sk->__sk_common.skc_dport:u16 be=sk->__sk_common.skc_daddr:be32 state=sk->__sk_common.skc_state:x8 len' \
	-P 'get_page_from_freelist gfp_mask order' -P 'hrtimer_start_range_ns mode' \
	-P 'no_such_function' -o t -- ./send
check 'one of several that is wrong is said' grep -q 'no_such_function' <<<"$err"
check 'and nothing is recorded' [ ! -e t ]
run ktrace record -P 'udp_sendmsg sk->__sk_common.skc_dport raw=sk->__sk_common.skc_dport:u16 be=sk->__sk_common.skc_daddr:be32 state=sk->__sk_common.skc_state:x8 len' \
	-P 'get_page_from_freelist gfp_mask order' -P 'hrtimer_start_range_ns mode timer->function' -o t -- ./send
run ktrace report t
check 'ports are numbers as networks have them' grep -q \
	'^send-.* probe:udp_sendmsg: skc_dport=4660 raw=13330 be=2130706433 state=0x[0-9a-f]* len=1$' <<<"$out"
check 'flags have names' grep -qE ' probe:get_page_from_freelist: gfp_mask=[A-Z_|]*GFP_[A-Z_|]+ order=[0-9]' <<<"$out"
check 'so have enumerations' grep -q ' probe:hrtimer_start_range_ns: mode=HRTIMER_MODE_' <<<"$out"
check 'and functions' grep -qE ' function=[a-z_]+[a-z0-9_.]*$' <<<"$out"
rm -r t

# ---- as kprobe events have it ------------------------------------------------------------

# Both at the same hits: values of registers, the stack, members and elements of arrays.
opens=do_filp_open # since 7.2: do_file_open
grep -q ' do_filp_open$' /proc/kallsyms || opens=do_file_open
sed "s/OPENS/$opens/" >$tracing/kprobe_events <<'END'
p:k/entry vfs_write a=%di:x64 b=%si:x64 c=%dx:u64 d=%cx:x64 e=$stack1:x64 f=$stack3:x64 g=+0(%di):x64 h=+4(%di):u32
p:k/filp OPENS a=%di:s32 b=+0(+0(%si)):string c=+1(+0(%si)):u8 d=+0(%si):x64
r:k/ret vfs_write a=$retval:s64
p:k/open do_sys_openat2 a=%di:s32 b=+0(%si):ustring c=%si:x64
END
echo 1 >$tracing/events/k/enable
echo >$tracing/trace
run ktrace record \
	-P 'entry=vfs_write a=%di b=%rsi c=count d=pos:x64 e=$stack1 f=$stack3:x64 g=*(unsigned long *)file:x64 h=((unsigned int *)%di)[1]' \
	-P "filp=$opens a=dfd b=pathname->name c=pathname->name[1]:u8 d=pathname->name:x64" \
	-P 'ret=vfs_write%return a=$retval:s64' -P 'open=do_sys_openat2 a=dfd b=filename c=$arg2:x64' \
	-o t -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do head -c ${i}0 /etc/passwd >f; done; cat f; cat /nothing' 2>/dev/null
echo 0 >$tracing/events/k/enable
cp $tracing/trace kprobes
echo >$tracing/kprobe_events
ktrace report t >events
oracle()	# EVENT: values of kprobe events
{
	sed -n "s/^ *\(sh\|head\|cat\)-[0-9]* .* $1: ([^)]*) //p" kprobes | sed 's/(fault)/?/g'
}
ours()
{
	sed -n "s/^\(sh\|head\|cat\)-[0-9]* .* probe:$1: //p" events
}
check 'there is what to compare' [ "$(oracle entry | wc -l)" -ge 5 ]
check 'entries have the same values' diff <(oracle entry) <(ours entry)
check 'and returns' diff <(oracle ret) <(ours ret)
# ftrace calls a process by its last name, also before its exec.
files='"\(f\|/etc/passwd\|/nothing\)"'
check 'and texts of the kernel' diff <(oracle filp | grep "b=$files") \
	<(ours filp | sed 's/ b=0x[0-9a-f]* / b=/' | grep "b=$files")
check 'and texts of programs' diff <(oracle open | grep "b=$files") \
	<(ours open | sed 's/ b=0x[0-9a-f]* / b=/' | grep "b=$files")
rm -r t events kprobes

# ---- probes that stay ------------------------------------------------------------------

run ktrace probe list
ends 0 'no probes' 'there are no probes'
run ktrace probe add 'vfs_read count' vfs_read 'net:sent=udp_sendmsg len'
ends 0 'three that stay' 'probe:vfs_read_2 is at vfs_read: ktrace record -e probe:vfs_read_2'
run ktrace probe list
check 'are listed' [ "$out" = "probe:vfs_read  vfs_read  count
probe:vfs_read_2  vfs_read  file buf count pos
net:sent  udp_sendmsg  len" ]
run ktrace probe list -v net:sent
check 'with where values come from' [ "$out" = 'net:sent  udp_sendmsg  len=(dx)' ]
run ktrace probe list -j 'probe:*'
check 'as JSON' [ "$(grep -c '"system":"probe","name":"vfs_read' <<<"$out")" = 2 ]
run ktrace record -e net:sent -f 'len == 1' -o t -- ./send
run ktrace report t
check 'they are recorded as other events' grep -q '^send-.* net:sent: len=1$' <<<"$out"
rm -r t
run ktrace probe add 'net:sent=vfs_read'
ends 1 'a name that is taken' 'sent'
run ktrace probe remove 'probe:*'
ends 0 'some are removed' '2 probes removed'
run ktrace probe add 'named=vfs_read+0 file->f_path.dentry->d_name.name'
run ktrace record -q -e sched:sched_process_exec -o t -- true
ends 0 'others do not mind texts'
run ktrace list 'probe:*'
check 'nor does a list' [ -z "$(cat $tree/capture)" ]
run ktrace record -q -e probe:named -f 'comm == "dd"' -g -o t2 -- dd if=/dev/zero of=/dev/null bs=1 count=1
run ktrace report t2
check 'they are recorded with filters and stacks' grep -q '^dd-.* probe:named: name=0x[0-9a-f]* "zero"$' <<<"$out"
rm -r t t2
run ktrace probe remove probe:named
run ktrace probe remove 'nothing'
ends 1 'a pattern that means none' 'there is no probe `nothing'
run ktrace probe remove '*'
check 'then all' [ -z "$(cat $tree/probes)" ]

# ---- what is refused -----------------------------------------------------------------------

refuses()	# PROBE MESSAGE
{
	run ktrace probe add "$1"
	ends 1 "refused: $1" "$2"
}
refuses '' 'a place is missing'
refuses no_such_function 'there is no such function'
refuses no_such_module:f 'is not loaded, and this kernel has none of that name'
refuses dummy:no_such_function 'dummy, which is not loaded, has no such function'
refuses dummy:dummy_xmit+9999 'is past the end: dummy_xmit has'
refuses 'dummy:dummy_xmit nope' 'has no parameter `nope'\'': it has skb, dev'
refuses 'vfs_read+999999' 'is past the end: vfs_read has'
refuses 'vfs_read+2%return' 'a return has no offset'
refuses 'vfs_read:37' 'debugging information is not here'
refuses 'vfs_*+4' 'an offset is of one function'
refuses 0x1000 'is in no function'
refuses '!=vfs_read' "the event's name"
refuses 'vfs_read nope' 'has no parameter `nope'\'': it has file, buf, count, pos'
refuses 'vfs_read file->nope' 'struct file has no member `nope'
refuses 'vfs_read file.f_pos' 'a pointer'\''s members are behind an arrow: ->f_pos'
refuses 'vfs_read file->f_path.dentry->d_name.name[3]x' 'nobody understands `x'
refuses 'vfs_read count:u7' 'u8 to u64'
refuses 'vfs_read count:be8' 'u8 to u64'
refuses 'vfs_read *file' 'more than 11 values'
refuses 'vfs_read %zz' 'is no register'
refuses 'vfs_read $zz' '$retval, $arg1'
refuses 'vfs_read $comm' 'filters know it as `comm'
refuses 'vfs_read $retval' 'probe FUNCTION%return'
refuses 'vfs_read%return count' 'its parameters are gone'
refuses 'vfs_read+1 count' 'name registers, as %di'
refuses 'vfs_read count; u8 u8 x' 'nobody understands'
refuses 'vfs_read __x=count' "ktrace's own"
refuses 'vfs_read count:u8x' 'u8 to u64'
refuses 'vfs_read (unsigned char)count:be16' 'it has only 1 bytes'
refuses 'vfs_read count:string:x' 'u8 to u64'
refuses 'vfs_read file->f_mode:string' 'no address of a text'
refuses 'vfs_read (struct nothing *)file' 'this kernel has no type `struct nothing'
check 'nothing is there of these' [ -z "$(cat $tree/probes)" ]
run ktrace probe add vfs_raed
ends 1 'a slip of the pen' 'vfs_read'
run ktrace probe
ends 2 'no action' 'add, check, explain, list or remove?'
run ktrace probe nonsense
ends 2 'an action that is none' 'add, check, explain, list or remove is wanted'
run ktrace probe add
ends 2 'nothing to add' 'which?'
run ktrace record -P '' -- true
ends 2 'an empty probe' 'needs a place'
run ktrace record -P do_int3 -o t -- true
ends 1 'where the kernel must not be stopped' 'do_int3: the kernel must not be stopped there'

# ---- how the kernel would stop there ------------------------------------------------------

run ktrace probe check vfs_read 'vfs_read%return $retval' 'exit=do_exit code'
ends 0 'three places'
check 'where a function begins, ftrace calls' grep -qx 'vfs_read: file buf count pos  a call of ftrace.*' <<<"$out"
check 'also for a return' grep -qx 'vfs_read%return: ret  a call of ftrace.*' <<<"$out"
run ktrace probe check do_int3 vfs_read
ends 1 'one that is refused' 'do_int3: the kernel must not be stopped there'
check 'beside one that is not' grep -q '^vfs_read: .* a call of ftrace' <<<"$out"
# An instruction that a jump can replace: behind the prologue there is one.
run ktrace probe check $(for i in $(seq 5 20); do echo "vfs_read+$i"; done)
check 'some by a jump' grep -q '^vfs_read+0x[0-9a-f]*:  a jump' <<<"$out"
check 'some are no instructions' grep -q 'no instruction begins there' <<<"$err"
run ktrace probe add 'vfs_read+3 %di'
ends 1 'within an instruction' 'vfs_read+0x3: no instruction begins there' \
	'One can be at vfs_read+0x0 and vfs_read+0x'
check 'the code there is shown' grep -q '^       > +0x0 ' <<<"$err"
run ktrace probe add vfs_read vfs_read+99999
ends 1 'a text is not taken for one that begins as it does' "\`vfs_read+99999'" 'One can be at vfs_read+0x'
check 'nothing of it stays' [ -z "$(cat $tree/probes)$(ls $tree/sessions)" ]
run ktrace probe add do_int3
ends 1 'what the kernel refuses is not added' 'the kernel must not be stopped there'
check 'it is not there' [ -z "$(cat $tree/probes)" ]

# ---- what there is at a place -------------------------------------------------------------

run ktrace probe explain 'vfs_read file->f_path.dentry->d_name.name count'
ends 0 'a place is explained'
check 'where it is' grep -q '^  address 0xffffffff[0-9a-f]*, byte 0x0 of 0x[0-9a-f]* of vfs_read, in the kernel$' <<<"$out"
check 'parameters and their registers' grep -qx '    count: size_t, in %dx' <<<"$out"
check 'values and their steps' grep -q \
	'^    name: u64, shown as string: %di, +0x[0-9a-f]*, 8 bytes at that address, +0x[0-9a-f]*, 8 bytes at that address, the text' <<<"$out"
check 'how it would be armed' grep -q '^  armed by a call of ftrace, where the function begins, about 120 instructions' <<<"$out"
# gdb reads the same memory.
begin=$(sed -n 's/^\([0-9a-f]*\) T vfs_read$/0x\1/p' /proc/kallsyms)
gdb -nx -batch -ex "x/9i $begin" /proc/self/exe /proc/kcore >gdb 2>/dev/null
run ktrace probe explain -j vfs_read
check 'instructions begin where gdb has them' [ "$(sed -n 's/^ *\(0x[0-9a-f]*\).*:\t.*/\1/p' gdb)" = \
	"$(grep -o '"address":"0x[0-9a-f]*","offset":[0-9]*,"bytes"' <<<"$out" | sed 's/.*"\(0x[0-9a-f]*\)".*/\1/')" ]
run ktrace probe explain vfs_read+3
check 'within an instruction' grep -q '^  refused: no instruction begins there' <<<"$out"
check 'the nearest places' grep -q '^  One can be at vfs_read+0x0 and vfs_read+0x' <<<"$out"
run ktrace probe explain do_int3
check 'where the kernel must not be stopped, the reason' grep -qE '^  refused: (the function is noinstr|it is where the kernel|the function is listed)' <<<"$out"
# What code that concerns is kept, behind a head of 112 bytes; noinstr code is the fifth pair.
kept=/run/ktrace/areas
check 'where that is is kept, for root alone' [ "$(stat -c '%u %a' $kept)" = '0 600' ]
cp $kept areas
ino=$(stat -c %i $kept)
run ktrace probe explain exc_page_fault
check 'it is used' grep -q '^  refused: the function is noinstr' <<<"$out"
check 'and not made anew' [ "$(stat -c %i $kept)" = "$ino" ]
printf x | dd of=$kept bs=1 seek=180 conv=notrunc status=none
run ktrace probe explain exc_page_fault
check 'if it is damaged, it is not' grep -q '^  refused: the function is noinstr' <<<"$out"
check 'but made anew' cmp areas $kept
run ktrace probe explain 'vfs_read+99999'
check 'past the end' grep -q '^  refused: +99999 is past the end: vfs_read has' <<<"$out"
run ktrace probe explain $(for i in $(seq 9 20); do echo "vfs_read+$i"; done)
check 'what a jump costs' grep -q '^  armed by a jump: the cheapest way, about 214 instructions' <<<"$out"
run ktrace probe explain dummy:dummy_xmit dummy:dummy_xmit+99999
ends 0 'a module that is not loaded'
check 'is said not to be' grep -q '^  address not known, byte 0x0 of 0x[0-9a-f]* of dummy_xmit, in the module dummy, which is not loaded$' <<<"$out"
check 'no code is shown' [ "$(grep -c '^  code: not known: its module is not loaded$' <<<"$out")" = 2 ]
check 'nor an address' [ -z "$(grep '0x0 *$\|behind the end\|No place near' <<<"$out")" ]
check 'its parameters are' grep -q '^    skb: struct sk_buff \*, in %di$' <<<"$out"
check 'it is armed later' [ "$(grep -c '^  armed when its module comes$' <<<"$out")" = 1 ]
run ktrace probe explain -j dummy:dummy_xmit
check 'as JSON' grep -q '"address":null,.*"code":null,"no_code":"its module is not loaded".*"way":"waiting"' <<<"$out"
run ktrace probe add do_int3
ends 1 'a refusal' 'There, '
check 'nothing of it stays' [ -z "$(cat $tree/probes)$(ls $tree/sessions)" ]

# ---- modules that are not loaded -------------------------------------------------------------

run ktrace record -P 'dummy:dummy_setup dev->mtu' -P 'dummy:dummy_init_module%return $retval:s32' -o t -- \
	sh -c 'modprobe dummy numdummies=3; rmmod dummy; modprobe dummy numdummies=2'
ends 0 'a module that comes' 'probe:dummy_setup waits for the module of dummy:dummy_setup, which is not loaded'
run ktrace report t
check 'its parameters are known, and it is probed from the first function on' [ "$(grep -c \
	'^modprobe-.* probe:dummy_setup: mtu=0$' <<<"$out")" = 5 ]
check 'also that function' [ "$(grep -c '^modprobe-.* probe:dummy_init_module_return: ret=0$' <<<"$out")" = 2 ]
rm -r t
rmmod dummy
run ktrace record -P 'dummy:dummy_setup dev->mtu' -o t -- sh -c 'modprobe dummy numdummies=2; rmmod dummy'
ends 0 'a module that goes again' 'probe:dummy_setup waits for its module'
check 'was there' [ "$(ktrace report t | grep -c '^modprobe-.* probe:dummy_setup: mtu=0$')" = 2 ]
rm -r t
run ktrace probe add 'dummy:dummy_xmit skb->len'
ends 0 'one that stays' 'probe:dummy_xmit waits for the module of dummy:dummy_xmit, which is not loaded'
ktrace record -q -e probe:dummy_xmit -o t &
recorder=$!
for _ in $(seq 100); do
	[ "$(cat $tree/enabled)" = 1 ] && break
	sleep 0.1
done
run ktrace probe list -v
check 'it is shown to wait' grep -qx 'probe:dummy_xmit  dummy:dummy_xmit  len=(.*)  \[waiting for its module; 0 hits\]' <<<"$out"
modprobe dummy numdummies=1
# Who has this address is asked for through it.
ip link set dummy0 up
ip address add 10.99.0.1/24 dev dummy0
echo >/dev/udp/10.99.0.2/9
for _ in $(seq 50); do
	ktrace probe list -v | grep -q '; 0 hits\]' || break
	sleep 0.1
done
run ktrace probe list -v
check 'and to be armed' grep -q '^probe:dummy_xmit .*  \[\(ftrace\|breakpoint\|jump\); [0-9]* hits*\]$' <<<"$out"
hits=$(sed -n 's/^probe:dummy_xmit .*; \([0-9]*\) hits*\]$/\1/p' <<<"$out")
run ktrace list -v 'probe:*'
check 'list -v says the same' grep -q \
	"^    dummy_xmit  .*\[on\]  at dummy:dummy_xmit  \[\(ftrace\|breakpoint\|jump\); [0-9]* hits*\]$" <<<"$out"
check 'with its fields' grep -q '^        .*len$' <<<"$out"
check 'and hit' [ "${hits:-0}" -gt 0 ]
rmmod dummy
run ktrace list -jv probe
check 'what was hit before its module has gone stays' [ "$(python3 -c 'import json, sys
(p,) = [e["probe"] for e in json.load(sys.stdin)]
print(p["armed"], p["place"], p["hits"] >= int(sys.argv[1]), *p["missed"].items())' "$hits" <<<"$out")" = \
	"waiting dummy:dummy_xmit True ('nested', 0) ('open', 0) ('idle', 0)" ]
run ktrace list -v sched:sched_switch
check 'of others it says nothing' [ "$(head -n 2 <<<"$out")" = "sched
    sched_switch" ]
kill -INT $recorder
wait $recorder
run ktrace probe check dummy:dummy_xmit
ends 0 'nobody knows how it would be armed' ''
check 'which is said' grep -q 'not known: its module is not loaded' <<<"$out"
rm -r t
run ktrace probe remove '*'
# An address within an instruction is known only when the module is there.
run ktrace record -P 'inside=dummy:dummy_xmit+3' -o t -- modprobe dummy
ends 1 'what is refused when it comes' 'probe:inside was not recorded when its module came: dummy:dummy_xmit+0x3: no instruction begins there'
rmmod dummy
rm -rf t
# The same module with another build id, as if it had been built anew.
modules=/lib/modules/$(uname -r)
file=$modules/$(sed -n 's|^\([^:]*/dummy\.ko[.a-z]*\):.*|\1|p' "$modules/modules.dep")
case $file in
*.xz) xzcat "$file" ;;
*) cat "$file" ;;
esac >dummy.ko
objcopy --dump-section .note.gnu.build-id=note dummy.ko
printf '\1\2\3' | dd of=note bs=1 seek=20 conv=notrunc status=none
objcopy --update-section .note.gnu.build-id=note dummy.ko
run ktrace record -P 'dummy:dummy_setup dev->mtu' -P dummy:dummy_xmit -o t -- insmod ./dummy.ko
ends 1 'another build of its module' 'probe:dummy_setup was not recorded when its module came: the module dummy is another build than'
check 'also for one whose values are the parameters' [ "$(grep -c 'another build' <<<"$err")" = 2 ]
run ktrace record -P 'dummy:dummy_setup dev->mtu' -o t2 -- sh -c 'rmmod dummy; modprobe dummy'
ends 1 'one that was built anew while it is recorded' 'another build'
rmmod dummy
rm -rf t t2

# ---- a killed recorder -------------------------------------------------------------------------

ktrace record -q -P vfs_read -o t &
recorder=$!
for _ in $(seq 100); do
	[ "$(cat $tree/enabled)" = 1 ] && break
	sleep 0.1
done
run ktrace probe list
check 'that of a recorder is marked' [ "$out" = 'probe:vfs_read  vfs_read  file buf count pos  [of a recorder]' ]
kill -9 $recorder
wait $recorder 2>/dev/null
check 'leaves no probe' [ -z "$(cat $tree/probes)" ]
check 'nor anything in the kernel' [ -z "$(cat /sys/kernel/debug/kprobes/list $tracing/enabled_functions)" ]
ktrace record -q -e sched:sched_process_exec -o t -- true
rm -rf t

# ---- many ----------------------------------------------------------------------------------------

for prefix in vfs security path do proc kernfs sock tcp udp ip; do
	grep -xE "${prefix}_[a-z0-9_]+" $tracing/available_filter_functions | sort | uniq -u
done | head -400 >names
mapfile -t names <names
check 'there are functions' [ ${#names[@]} = 400 ]
run ktrace probe add "${names[@]}"
ends 0 'four hundred at once'
check 'all are there' [ "$(wc -l <$tree/probes)" = 400 ]
run ktrace record -e 'probe:*' -o t -- cat /etc/hostname
ends 0 'are recorded'
run ktrace stat t
check 'and hit' [ "$(grep -c ' probe:[a-z]' <<<"$out")" -ge 5 ]
run ktrace probe remove '*'
ends 0 'and removed' '400 probes removed'
rm -r t names
# ---- patterns --------------------------------------------------------------------------------------

# Names that several functions have are not among them.
grep -xE 'vfs_[A-Za-z0-9_.]+' $tracing/available_filter_functions | sort | uniq -u >theirs
run ktrace probe add 'vfs_* %di'
ends 0 'a pattern of functions'
ktrace probe list | awk '{ print $2 }' | sort >ours
check 'means those that ftrace calls' diff theirs ours
check 'which are many' [ "$(wc -l <ours)" -ge 50 ]
run ktrace probe remove 'probe:*'
run ktrace record -P 'vfs_rea* count' -P 'vfs_rea*%return' --only -o t -- dd if=/dev/zero of=/dev/null bs=321 count=5
ends 0 'patterns are recorded' 'left out at ' 'vfs_readlink'
run ktrace report t
check 'with values' [ "$(grep -c ' probe:vfs_read: count=321$' <<<"$out")" = 5 ]
check 'and results' [ "$(grep -c ' probe:vfs_read_return: ret=321$' <<<"$out")" = 5 ]
run ktrace record -P '*' -o t2 -- true
ends 1 'all functions are too many' 'more than 2048 functions'
run ktrace record -P 'no_such_*' -o t2 -- true
ends 1 'a pattern that means none' 'no_such_'
run ktrace probe explain 'vfs_*'
ends 0 'each of them is explained'
grep '^vfs_' <<<"$out" | grep -Fxf theirs | sort >ours
check 'all that would be probed' diff theirs ours
check 'with their places' [ "$(grep -c '^  address 0x[0-9a-f]*, byte 0x[04] of ' <<<"$out")" -ge "$(wc -l <theirs)" ]
check 'with their code' [ "$(grep -c '^   > +0x[04] ' <<<"$out")" -ge "$(wc -l <theirs)" ]
check 'and how they would be armed' [ "$(grep -c '^  armed by a call of ftrace' <<<"$out")" = "$(wc -l <theirs)" ]
run ktrace probe explain 'vfs_read file->f_pos' 'vfs_rea[d]%return $retval'
ends 0 'a return, too'
check 'with values' grep -q '^    f_pos: s64, shown as loff_t: %di, ' <<<"$out"
check 'as a pattern' grep -qx 'vfs_read%return' <<<"$out"
for function in __switch_to vmlinux:do_idle; do
	run ktrace probe explain "$function%return"
	ends 0 "a return that must not be hooked, of $function"
	check 'with the reason' grep -q '^  refused: this return must not be hooked: it ' <<<"$out"
	check 'and no other place for it' [ -z "$(grep -E 'One can be|would do' <<<"$out")" ]
done
run ktrace probe check '__switch_to%return'
ends 1 'nor can such a return be checked' 'this return must not be hooked: it returns in another task'
check 'which says it once' [ "$(grep -c 'must not be hooked' <<<"$err") $(grep -c 'One can be' <<<"$err")" = '1 0' ]
run ktrace probe explain 'no_such_*'
ends 1 'but not what means none' 'no_such_'
run ktrace record -P 'vfs_* nobody_has_this' -o t2 -- true
ends 1 'values that no place has' 'nobody_has_this'
check 'nothing stays of these' [ -z "$(cat $tree/probes)" ]
rm -r t theirs ours

# ---- what was missed ------------------------------------------------------------------------------

# The text is not there: the handler reads it, and the kernel's handler of that fault is probed, too.
echo 'p:k/fault fixup_exception' >$tracing/kprobe_events
echo 1 >$tracing/events/k/enable
run ktrace record -P 'do_sys_openat2 filename' -P fixup_exception --only -o t -- \
	perl -e 'syscall(2, 8, 0, 0) for 1 .. 25'
echo 0 >$tracing/events/k/enable
theirs=$(awk '$1 == "fault" { print $3 }' $tracing/kprobe_profile)
echo >$tracing/kprobe_events
check 'record says which probe has missed hits' grep -qE 'probe:fixup_exception was hit [0-9,]+ times?, and missed [0-9,]+ more \([0-9]+ nested\)' <<<"$err"
run ktrace stat t
check 'stat has it in a table' grep -qE '^ +[0-9,]+ +[0-9,]+  probe:fixup_exception \([0-9]+ nested\)$' <<<"$out"
check 'with those that missed none' grep -qE '^ +[0-9,]+ +0  probe:do_sys_openat2$' <<<"$out"
run ktrace stat -j t
ours=$(sed -n 's/.*"name":"fixup_exception","hits":[0-9]*,"missed":{"nested":\([0-9]*\),"open":0,"idle":0}.*/\1/p' <<<"$out")
check "as many as the kernel's own probe ($ours, $theirs)" [ "$ours" = "$theirs" ]
check 'at least those that were made' [ "$ours" -ge 25 ]
run ktrace report t
check 'report says it, too' grep -q 'probe:fixup_exception was hit' <<<"$err"
rm -rf t

finish_vm probe.sh
