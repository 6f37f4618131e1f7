#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tests/syscalls/events.sh - runs in the guest: events of system calls, and capture
# programs, good and bad ones
. tests/kernel/lib.sh
program=$PWD/build/user/tests/syscalls/program
normal=$PWD/tests/syscalls/normal.awk

load_module ktrace-syscalls
openat=syscalls/sys_enter_openat
check "calls are events" test -d "$tree/events/$openat"
check "32-bit calls too" test -d "$tree/events/compat_syscalls/sys_enter_mmap_pgoff"
check "hundreds of them" at_least "$(ls "$tree/events/syscalls" | wc -l)" 600

check "structs that belong to the interface are as the kernel has them" \
	"$PWD/build/user/tests/syscalls/layouts" lib/syscall/layouts.tab

# Calls with arguments that calls.tab does not know, but for those that only have numbers and
# addresses without names: seconds; a slot or a struct of the thread's descriptors; where shared
# memory is; which question about file systems, and what goes with it; a cookie.
bare='alarm get_thread_area set_thread_area shmdt sysfs lookup_dcookie unknown'
for format in "$tree"/events/syscalls/sys_enter_*/format; do
	name=${format%/format}
	name=${name##*/sys_enter_}
	grep -q '^	field:' "$format" || continue
	grep -qE "^[^#]*\\b$name(=|[[:blank:]]|$)" lib/syscall/calls.tab && continue
	case " $bare " in
	*" $name "*) ;;
	*) echo "$name" ;;
	esac
done >/tmp/unknown
check "each call with arguments has a line in calls.tab" is "$(cat /tmp/unknown)" ''

# ---- names of calls of 32-bit programs ----------------------------------------------

# The C library's list of their names; new kernels implement none of these.
gone='_sysctl afs_syscall bdflush break create_module ftime get_kernel_syms getpmsg gtty idle lock
	lookup_dcookie mpx nfsservctl prof profil putpmsg query_module stty ulimit vserver'
headers=/usr/include/x86_64-linux-gnu/asm
sed -n 's/^#define __NR_\([^ ]*\) .*/\1/p' $headers/unistd_32.h |
	grep -vxF "$(printf '%s\n' $gone)" >/tmp/names
# An old kernel has some of them.
for name in $gone; do
	[ ! -e "$tree/events/compat_syscalls/sys_enter_$name" ] || echo "$name" >>/tmp/names
done
# Those that only socketcall and ipc make.
printf '%s\n' accept send recv semop semtimedop >>/tmp/names
check "there are hundreds of names" at_least "$(wc -l </tmp/names)" 400
sed 's/^/syscall /' /tmp/names >/tmp/names.set
quietly() {
	"$@" >/tmp/quiet 2>&1 || { cat /tmp/quiet; return 1; }
}
put events/enabled 0
check "all of them are known" quietly ktrace set load /tmp/names.set
reached() {
	grep -lx "$1" "$tree"/events/compat_syscalls/*/enabled |
		sed 's|/enabled$||; s/.*sys_[enxtri]*_//' | sort -u
}
# Those that are newer than the list have the same name for all programs.
reached 0 | grep -vx unknown >/tmp/newer
check "and reach each call of these programs" is "$(while read -r name; do
		! grep "__NR_$name " $headers/unistd_64.h
	done </tmp/newer)" ''
put events/enabled 0
{ echo 'syscall chown'; sed 's/^/syscall /' /tmp/newer; } >/tmp/names.set
check "newer ones are known" quietly ktrace set load /tmp/names.set
check "and reached, too" is "$(reached 1)" "$({ echo chown16; cat /tmp/newer; } | sort)"
put events/enabled 0
printf 'syscall chown\nsyscall sendfile\n' >/tmp/names.set
check "two of them" quietly ktrace set load /tmp/names.set
check "reach the calls that these programs mean" is "$(reached 1 | tr '\n' ' ')" 'chown16 sendfile '
put events/enabled 0
printf 'syscall *_time32\nsyscall mmap_pgoff\nsyscall chown16\n' >/tmp/names.set
check "the kernel's names do, too" quietly ktrace set load /tmp/names.set
check "reach theirs" is "$(reached 1 | grep -c '^mmap_pgoff$\|^chown16$\|^futex_time32$')" 3
put events/enabled 0

# ---- the file capture ------------------------------------------------------------

check "nothing is captured at first" is "$(get capture)" ''
check "accepted" put capture "$openat: char name: a1 string 64"
check "read back" is "$(get capture)" "$openat: char name: a1 string 64"
check "the format has the field" grep -q '__data_loc char\[\] name' "$tree/events/$openat/format"
check "an unknown word" refuses capture "$openat: char name: a1 strnig 64" 'no such word'
check "too much" refuses capture "$openat: char name: a1 string 40000" 'a maximum is'
check "nothing on the stack" refuses capture "$openat: char name: string 64" 'nothing is left'
put define 'ktsyscalls/waking sched_waking; ptr struct task_struct *p'
check "a path elsewhere, where locks may be held" \
	refuses capture 'ktsyscalls/waking: char path: 3 path 64' 'only system calls have paths'
put define '!ktsyscalls/waking'
check "a field twice" refuses capture "$openat: char dfd: a1 string 64" 'two fields named "dfd"'
check "no such event" refuses capture "$openat-: char name: a1 string 64" 'there is no event'
check "no program" refuses capture "$openat" 'SYSTEM/EVENT: PROGRAM'
{
	echo 'syscalls/sys_enter_read: u8 a: a1 1 bytes 1'
	echo "$openat: char a: b"
} >/tmp/lines
check "one bad line" not dd if=/tmp/lines of="$tree/capture" bs=4k status=none
check "none counts" is "$(get capture)" "$openat: char name: a1 string 64"
put "events/$openat/enabled" 1
id=$(get "events/$openat/id")
check "not while it is enabled" refuses capture "$openat: char other: a1 string 64" 'disable it first'
check "nor none" refuses capture none 'disable it first'
put "events/$openat/enabled" 0
check "but afterwards" put capture "$openat: char other: a1 string 64"
check "what was recorded keeps its id" grep -q "^event syscalls:sys_enter_openat id $id " "$tree/gone"
put "events/$openat/enabled" 1
check "and the event has another" test "$(get "events/$openat/id")" != "$id"
put "events/$openat/enabled" 0
check "none" put capture none
check "is none" is "$(get capture)" ''

# A syscall number is an int, whatever the upper half of the register has.
unknown=syscalls/sys_enter_unknown
put capture "$unknown: char s: a0 string 64"
for number in -1:2 2457:1; do
	put events/$unknown/filter "nr == ${number%:*}"
	put reset 1
	put events/$unknown/enabled 1
	put enabled 1
	"$program" numbers
	put enabled 0
	put events/$unknown/enabled 0
	check "the number ${number%:*}, with a string and without" \
		is "$(count "$("$bin/ktread" "$tree")" syscalls:sys_enter_unknown)" "${number#*:}"
done
put events/$unknown/filter 0
put reset 1
put capture none

# ---- every call at once ------------------------------------------------------------

clean
put events/syscalls/enabled 1
put events/compat_syscalls/enabled 1
put mode overwrite
put enabled 1
"$program" memory
"$program" faults >/dev/null
stress-ng --enosys 1 --timeout 5 -q 2>/dev/null
stress-ng --sysinval 1 --timeout 10 -q >/dev/null 2>&1
put enabled 0
check "all are enabled" is "$(get events/syscalls/enabled)" 1
check "and recorded" at_least "$(get overflow | sed -n 's/^total events \([0-9]*\).*/\1/p')" 1000
check "nothing was lost but what newer ones replaced" \
	grep -q '^total .* full 0 .*nested 0 large 0' "$tree/overflow"
put events/syscalls/enabled 0
put events/compat_syscalls/enabled 0
clean
put events/enabled 1
check "all events are not these" is "$(get events/syscalls/enabled)" 0
clean

# ---- the command -------------------------------------------------------------------

cd /tmp || exit 1
ktrace syscalls -q -o lines -- "$program" faults >/dev/null
like() {
	grep -qE -- "$1" lines || { cat lines; return 1; }
}
has() {
	grep -qF -- "$1" lines || { cat lines; return 1; }
}
check "an address that is none" has 'openat(AT_FDCWD, 0x8,'
check "a string that ends before its page" has '"xxxxx", O_RDONLY)'
check "a string of 1 MB says that it is cut" has 'yyyy"..., O_RDONLY) = -1 ENAMETOOLONG'
check "a number that no call has" has 'syscall_0x270f(0x1, 0x2'

ktrace syscalls -q -e openat -o lines -- "$program" edges >wanted
sed -n '/openat(AT_FDCWD/d; s/.*openat([^,]*, \(.*\), [^,]*) *= .*/\1/p' lines >got
check "strings at every place in a word and at the end of memory" diff wanted got
check "all of them" is "$(wc -l <wanted)" 596

# ptrace of one process may be shown in the middle of the other's syscall: join the lines.
ktrace syscalls -q -o traced -- "$program" traced
awk -f "$normal" traced >lines
check "a tracee" has 'ptrace(PTRACE_TRACEME) = 0'
check "its tracer" has 'WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], WSTOPPED, NULL) ='
check "that lets it go on" has 'ptrace(PTRACE_CONT, PID, NULL, 0) = 0'
# The address at which an event happened lies behind its tracepoint, not in a probe, even if
# the probe takes an unusual path.  6.1 does not have this event.
if [ -e /sys/kernel/tracing/events/sock/sk_data_ready ]; then
	for filter in 'family != 0' 'family >= 0 && comm != nobody'; do
		ktrace record -q -o place -e sock:sk_data_ready -f "$filter" \
			-- "$program" sockets >/dev/null
		ktrace report place >lines
		check "an event with a condition ($filter)" like 'sk_data_ready: .* ip=[a-z]'
		check "did not happen in a probe" not grep -q 'ip=kt_' lines
		rm -rf place
	done
else
	check "this is a kernel without sk_data_ready" test "$(uname -r | cut -d. -f1-2)" = 6.1
fi

ktrace syscalls -q -e %net -o lines -- "$program" sockets
check "sets: sockets" has 'connect('
check "sets: and nothing else" is "$(grep -c 'mmap(' lines)" 0
ktrace syscalls -q --json -o lines -- "$program" signals
check "signals in JSON" like \
	'"signal":"SIGUSR1","code":"SI_USER","pid":[0-9]*,"uid":0,"kills":false}'
check "with the values that were sent" like \
	'"signal":"SIGUSR2","code":"SI_QUEUE","pid":[0-9]*,"uid":0,"int":7,"ptr":7,"kills":false}'
check "and the address of a fault" like \
	'"signal":"SIGSEGV","code":"SEGV_MAPERR","addr":16,"kills":false}'
ktrace syscalls -q -e signal=none -o lines -- "$program" signals
check "no signals" not grep -qE ' --- SIG|killed' lines
# The parent's wait is interrupted when its child ends, and succeeds.
both='cat /nowhere; true'
ktrace syscalls -q -Z -o lines -- sh -c "$both" 2>/dev/null
check "those that failed" has '"/nowhere", O_RDONLY)  = -1 ENOENT'
check "and none else" not grep -vqE '\) += -1 E|(---|\+\+\+) ' lines
ktrace syscalls -q -z -o lines -- sh -c "$both" 2>/dev/null
check "those that did not fail" like 'wait4\(-1, \[\{WIFEXITED'
check "and no others" not grep -qE '\) += -1 E|unfinished|exit_group' lines
check "twice is once" ktrace syscalls -q -ZZ -o lines -- true
check "not both" not ktrace syscalls -q -zZ -o lines -- true 2>/dev/null
ktrace syscalls -q -Z --json -o lines -- sh -c "$both" 2>/dev/null
check "failed, in JSON" has '"error":"ENOENT"'
check "each of them" not grep -vq '"error":"\|"signal":"' lines
ktrace syscalls -q -c -o lines -- true
check "a summary" has '100.00'
printf 'a\tb\n' >text
printf 'a\tb\001\n' >binary
for option in -x -xx; do
	strace $option -y -o theirs -e trace=read cat text binary >/dev/null
	ktrace syscalls -q $option -y -o lines -e read -- cat text binary >/dev/null
	sed -i 's/^\[pid *[0-9]*\] //' lines
	check "$option: strings as strace has them" cmp theirs lines
done
check "also paths" has '\x62\x69\x6e\x61\x72\x79>, "\x61\x09\x62\x01\x0a"'
ktrace syscalls -q -r -C -S name -o lines -e read,close -- true
sed -i 's/^\[pid *[0-9]*\] //' lines
check "times after each other" like '^     0\.000000 (read|close)'
check "and no line is without" is "$(sed '/^% time/,$d' lines | grep -cv '^ *[0-9]*\.[0-9]\{6\} ')" 0
check "calls, and their counts by name" is "$(sed -n '/^% time/,$s/.* \([a-z]*\)$/\1/p' lines | tr '\n' ' ')" \
	"syscall close read total "
ktrace syscalls -q -A -o lines -e openat -- true
check "a file is kept" has 'total'
check "and longer" has 'openat('
for options in '-c -C' '-C --json' '-S calls' '-c -S nonsense' '-A'; do
	check "refused: $options" not ktrace syscalls -q $options -- true 2>/dev/null
done
ktrace syscalls -q --json -o lines -- true
check "JSON" has '"call":"execve"'
ktrace syscalls -q -o lines -- sh -c 'kill -9 $$'
check "the exit status is the command's" is "$(ktrace syscalls -q -o lines -- sh -c 'exit 7'; echo $?)" 7

# -p accepts the number of any thread of a process.
python3 -c '
import threading, time
def calls():
    while True:
        time.sleep(0.05)
threading.Thread(target=calls).start()
calls()' &
named=$!
until thread=$(ls "/proc/$named/task" | grep -vx "$named"); do sleep 0.1; done
ktrace syscalls -q -p "$thread" -d 3s -o lines
check "-p with the number of a thread" has nanosleep
kill "$named"

# Events are shown while the command runs, and equal those in the trace.
mkdir /tmp/live.$$ && cd /tmp/live.$$ || exit 1
ktrace syscalls -q -o lines --trace kept -- \
	sh -c '/bin/true; sleep 3; cp lines early; ls -lR /usr/share/doc/bash' >/dev/null
check "calls are shown while the command runs" grep -q 'execve("/bin/true", \["/bin/true"\]' early
check "one that lasts is shown before it ends" grep -q 'nanosleep(.*<unfinished' early
check "but not what comes later" not grep -q bash early
# Both show the thread from the first line on.
first=$(sed -n '1s/^\(\[pid *[0-9]*\]\).*/\1/p' lines)
ktrace report -q --format strace kept | sed "/^\[pid/!s/^/$first /" >after
awk -f "$normal" lines >lines.normal
awk -f "$normal" after >after.normal
check "what is shown is what was recorded" cmp lines.normal after.normal
check "all of it" at_least "$(wc -l <after.normal)" 400
mkdir tmp
TMPDIR=$PWD/tmp ktrace syscalls -q -o /dev/null -- \
	sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=50000 status=none
		for i in $(seq 100); do
			du -k --apparent-size -s tmp >size; du -k -s tmp >used
			[ "$(cut -f 1 used)" -ge 2000 ] || break
			sleep 0.5
		done'
check "a trace that nobody wants to keep" at_least "$(cut -f 1 size)" 3000
check "does not stay on the disk" at_least 2000 "$(cut -f 1 used)"
check "nor anything of it" is "$(ls tmp)" ''
ktrace syscalls -o /dev/full -- sh -c 'ls; sleep 1; touch ran' >/dev/null 2>lines
check "what cannot be shown is told" is "$?" 1
check "with the reason" has 'No space left on device'
check "and the command runs to its end" test -e ran
cd /tmp && rm -r "/tmp/live.$$"

check "nothing is left enabled" is "$(get events/enabled)" 0
check "no session is left" is "$(ls "$tree/sessions")" ''
echo "# end of events.sh"
