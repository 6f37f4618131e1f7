# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tests/syscalls/view.sh - runs in the guest: options of ktrace syscalls that strace has, too:
# strace says what must be shown
. tests/kernel/lib.sh

rm -rf /tmp/view
mkdir /tmp/view
cd /tmp/view || exit 1
like() {
	grep -qE -- "$1" lines || { cat lines; return 1; }
}
has() {
	grep -qF -- "$1" lines || { cat lines; return 1; }
}

# refused "OPTION...": as a misuse, which a failure for another reason is not.
refused() {
	ktrace syscalls -q $1 -- true 2>lines
	check "refused: $1" is "$?" 2
}

# Replaces what is another number in each run; strace alone sees a signal that is ignored.
plain() {
	sed -e '/^--- SIGCHLD/d' -e 's/\(kill(\|si_pid=\|getpid() *= \)[0-9]*/\1PID/' \
		-e 's/0x[0-9a-f]\{8,\}/ADDR/g' "$1"
}

# same OPTION... -- COMMAND...: are the lines those of strace?  ktrace names the thread in each.
same() {
	rm -f fifo
	setarch -R strace -o theirs "$@" >/dev/null 2>&1 </dev/null
	rm -f fifo
	setarch -R ktrace syscalls -q -o lines "$@" >/dev/null 2>&1 </dev/null
	sed -i 's/^\[pid *[0-9]*\(<[^>]*>\)\?\] //' lines
	plain theirs >theirs.plain
	plain lines >lines.plain
	[ -s theirs.plain ] && diff theirs.plain lines.plain
}

# ---- constants -------------------------------------------------------------------

check "-yy: files as strace" same -yy -e trace=openat,read -- cat /etc/passwd
for style in raw abbrev verbose; do
	check "-X $style: as strace" same -X $style -e trace=openat,newfstatat,fadvise64 -- \
		cat /etc/passwd
	check "-X $style: modes and signals, as strace" \
		same -X $style -e trace=rt_sigaction,fchmodat,umask,mknodat,kill -- \
		sh -c 'trap : USR1; kill -USR1 $$; umask 027; exec mknod fifo p'
done
refused '-X nonsense'
# The programs that capture have limits, too.
ktrace syscalls -q -y -s 8192 -o lines -- cat /etc/passwd >/dev/null
check "-s 8192" is "$?" 0
check "-s 8192: all of a file" like '^\[pid +[0-9]+\] read.*nobody'

# ---- what files are --------------------------------------------------------------

check "-yy: a device as strace" same -yy -e trace=openat,read,close -- cat /dev/null
check "-yy: a device" has '</dev/null<char 1:3>>, "", '
cat >files.py <<'END'
import os, signal, socket

kept = []
def pair(family, address):
    if family == socket.AF_UNIX and address[0] != '\0' and os.path.exists(address):
        os.unlink(address)
    server = socket.socket(family)
    server.bind(address)
    server.listen()
    client = socket.socket(family)
    client.connect(server.getsockname())
    kept.extend([server, client, server.accept()[0]])
    if family != socket.AF_UNIX:
        ends = [('[%s]:%d' if ':' in a[0] else '%s:%d') % a[:2]
                for a in (client.getsockname(), client.getpeername())]
        print('TCP%s:[%s->%s]' % ('v6' * (family == socket.AF_INET6), *ends))
    client.send(b'to the server')
    kept[-1].send(b'and back')
    kept[-1].getpeername()

for family, address in (socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1'):
    pair(family, (address, 0))
    udp = socket.socket(family, socket.SOCK_DGRAM)
    udp.connect((address, 9))
    udp.getpeername()
    kept.append(udp)
    refused = socket.socket(family)
    try:
        refused.connect((address, 1))
    except OSError:
        refused.getsockname()
    kept.append(refused)
pair(socket.AF_UNIX, 'quo"ted\n\033')
pair(socket.AF_UNIX, '\0abstract\001')
pair(socket.AF_UNIX, '\0ends' + 9 * '\0')
kept.extend(socket.socketpair())
kept[-1].send(b'x')
print('UNIX-STREAM:[%d->%d]' % tuple(os.fstat(s.fileno()).st_ino for s in kept[:-3:-1]), flush=True)
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
netlink.bind((0, 0))
netlink.getsockname()
process = os.pidfd_open(os.getpid())
signal.pidfd_send_signal(process, 0)
os._exit(0)
END
# Inodes, ports and processes are others in each run.
numbers() {
	same "$@" >/dev/null
	sed -i -E 's/[0-9]{3,}/N/g' theirs.plain lines.plain
	[ -s theirs.plain ] && diff theirs.plain lines.plain
}
calls=sendto,getsockname,getpeername,pidfd_send_signal
# strace asks these modules, and has no addresses without them; ktrace does not need them.
if modprobe -qa tcp_diag udp_diag unix_diag netlink_diag; then
	check "-yy: sockets and a pidfd, as strace" numbers -yy -e trace=$calls -- python3 files.py
	check "--decode-fds=path,socket: as strace" numbers --decode-fds=path,socket \
		-e trace=sendto,pidfd_send_signal -- python3 files.py
else
	echo "# -yy: the kernel has no sock_diag, so strace has no addresses"
fi
ktrace syscalls -q -yy -o lines -e $calls -- python3 files.py >ends
check "-yy: it says which sockets it has" is "$(grep -c '' ends)" 3
while read -r ends; do
	check "-yy: both ends, as the program knows them" has "<$ends>"
done <ends
for file in 'TCP:\[127.0.0.1:[0-9]+->127.0.0.1:[0-9]+\]' 'TCPv6:\[\[::1\]:[0-9]+\]' \
	'UDP(v6)?:\[.*:9\]' 'NETLINK:\[ROUTE:[0-9]+\]' 'pid:[0-9]+' \
	'UNIX-STREAM:\[[0-9]+,"quo\\"ted\\n\\33"\]' 'UNIX-STREAM:\[[0-9]+->[0-9]+,@"abstract\\1"\]' \
	'UNIX-STREAM:\[[0-9]+->[0-9]+\]'; do
	check "-yy: $file" like "<$file>"
done
check "--decode-fds=pidfd: as strace" numbers -e decode-fds=pidfd \
	-e trace=sendto,pidfd_send_signal -- python3 files.py
ktrace syscalls -q -yy --json -o lines -e openat -- cat /dev/null
check "-yy --json: what the file is" has '"path":"/dev/null","object":"char 1:3"'
# The raw events, and a trace that is kept.
ktrace syscalls -q -yy --trace kept -o lines -e close,read -- cat /dev/null
ktrace report kept >lines
check "-yy: the descriptor's file beside it" like 'sys_enter_close: fd=3 "/dev/null"$'
ktrace report -F strace kept >lines
check "-yy: in a kept trace" has '</dev/null<char 1:3>>'

# ---- names of processes -----------------------------------------------------------

check "-Y: as strace" same -Y -e trace=kill,getpid,prlimit64 -- \
	/bin/sh -c 'trap : USR1; kill -USR1 $$; ulimit -n >/dev/null'
check "-Y: a name" like '^kill\([0-9]+<sh>, SIGUSR1\)'
check "-Y: of the sender" like 'si_pid=[0-9]+<sh>, si_uid=0'
ktrace syscalls -q -e decode-pids=comm -o lines -e umask -- /bin/sh -c 'umask 027; /bin/true & wait'
check "-e decode-pids=comm" like '^\[pid +[0-9]+<sh>\] umask\(027\)'
ktrace syscalls -q --decode-pids=comm -o lines -e %process -- /bin/sh -c '/bin/true & wait'
check "-Y: of a child" like '\[pid +[0-9]+<sh>\] clone\(.*\) += [0-9]+<sh>$'
check "-Y: which calls another program" like '\[pid +[0-9]+<sh>\] execve\("/bin/true"'
check "-Y: and then has its name" like '\[pid +[0-9]+<true>\] exit_group'
check "-Y: which it keeps" like '\[pid +[0-9]+<sh>\] .*wait4.* = [0-9]+<true>$'
refused --decode-pids=pidns

# ---- stacks ----------------------------------------------------------------------

# The places in the program; names in libraries depend on who reads their tables.
strace -k -e trace=openat,close cat /etc/passwd 2>&1 >/dev/null |
	sed -n 's|.*/cat(.*) \[\(0x[0-9a-f]*\)\]$|cat+\1|p' >theirs
mkfifo held
exec 3<>held
hold_in pipe_read cat held
ktrace syscalls -q -k -e openat,close -o lines -- cat /etc/passwd >/dev/null
grep -o '	cat+0x[0-9a-f]*' lines | tr -d '\t' >ours
check "-k: there are some" at_least "$(wc -l <ours)" 8
check "-k: where the program was, as strace" diff theirs ours
check "-k: and in which function of a library" like '^	[_a-z0-9]*open[_a-z0-9]*\+0x[0-9a-f]* \(libc'
# What is shown while it is recorded has names, too.
rm -f first
ktrace syscalls -q -k -e clock_nanosleep -o lines -- \
	sh -c 'sleep 0.1; sleep 6000 & echo $! >first; wait' &
tracer=$!
has_stack() {
	grep -A1 'clock_nanosleep.* = 0$' lines | grep -q '^	'
}
wait_until has_stack
wait_until [ -s first ]
cp lines shown
wait_until sleeps_in nanosleep "$(cat first)"
kill $tracer
wait $tracer
kill "$(cat first)"
check "-k: while the program runs" \
	is "$(grep -A1 'clock_nanosleep.* = 0$' shown | grep -c '^	[^ ]*nanosleep[^ ]*+0x[0-9a-f]* (libc')" 1
check "-k: who was not shown before" \
	is "$(grep -A1 '<detached \.\.\.>' lines | grep -c '^	[^ ]*nanosleep[^ ]*+0x[0-9a-f]* (libc')" 1
rm -f first
# Two sleep when the recording ends: the second one's line comes between the parts of the first one's.
ktrace syscalls -q -k -e clock_nanosleep -o lines -- \
	sh -c 'sleep 6000 & echo $! >first; sleep 6000 & echo $! >second; wait' &
tracer=$!
both_sleep() {
	[ -s first ] && [ -s second ] && sleeps_in nanosleep "$(cat first)" &&
		sleeps_in nanosleep "$(cat second)"
}
wait_until both_sleep
# This ends the command, too: only who waits for the two.
kill $tracer
wait $tracer
kill $(cat first second)
check "-k: who is in a call at the end" \
	is "$(grep -A1 '<detached \.\.\.>' lines | grep -c '^	.*nanosleep')" 2
ktrace syscalls -q --stack-traces -ff -e openat -o file -- cat /etc/passwd >/dev/null
check "-k with -ff" grep -q '^	cat+0x' file.*
let_go
exec 3<&-
rm -f file.*
for options in '-k --json' '-k -c'; do
	refused "$options"
done

# ---- which calls -----------------------------------------------------------------

for options in '' -y; do
	check "-P $options: as strace" same $options -P /etc/passwd -P /etc/hostname -- \
		cat /etc/passwd /etc/none /etc/hostname
done
cp /etc/passwd .
ln -s "$PWD/passwd" link
check "-P: a link and its file, as strace" same --trace-path=link -e trace=openat,read,close -- \
	cat "$PWD/passwd" /etc/hostname
ktrace syscalls -q -P "$PWD/passwd" -o lines -e openat -- cat passwd >/dev/null
check "-P: by what a call returns" like '"passwd", O_RDONLY\) += 3'
for status in successful failed unfinished '!successful' 'failed,detached' all none; do
	check "-e status=$status: as strace" same -e '!getrandom,set_tid_address' \
		-e status="$status" -- /bin/cat /etc/none /etc/passwd
	check "--status=$status: as strace" same --status="$status" -e trace=%file,exit_group -- \
		/bin/sh -c 'exec 9</etc/passwd; exit 3'
done
# A signal that kills without a core is SIGKILL in the kernel, where no tracer is.
ulimit -c 0
for signals in usr1 '!SIGUSR1' 'usr1,abrt' all 6 '!10'; do
	check "-e signal=$signals: as strace" same -e trace=umask -e signal="$signals" -- \
		/bin/sh -c 'trap : USR1; kill -USR1 $$; umask 027; kill -ABRT $$'
	check "--signal=$signals: as strace" same -e trace=umask --signal="$signals" -- \
		/bin/sh -c 'trap : USR1; kill -USR1 $$; umask 027; kill -ABRT $$'
done
for options in '-e status=nonsense' '--status=' '-e signal=usr3' '--signal=65' \
	'--signal=rt_33' '--signal=rt_18446744073709551615' '-P =' '-z -e status=failed' \
	'-e inject=read:error=EIO' '-e fault=read' '--inject=read' '-e raw=read'; do
	[ "$options" = '-P =' ] && options="--trace-path="
	refused "$options"
done
ktrace syscalls -q -e fault=read -- true 2>lines
check "with the reason" has 'are not stopped at their calls'

# ---- files -----------------------------------------------------------------------

# The child's number is not that under strace.
two='/bin/sh -c "exec /bin/true" & wait; umask 027'
for tracer in 'strace' 'ktrace syscalls -q'; do
	name=${tracer%% *}
	# A sh of its own calls sh, so that both have a first and a second thread.
	$tracer -ff -o "$name" -e trace=umask,execve,exit_group /bin/sh -c "$two" >/dev/null 2>&1
	check "-ff: two files ($name)" is "$(ls $name.* | wc -l)" 2
	first=$(grep -l umask $name.*)
	second=$(grep -L umask $name.*)
	plain "$first" >"$name-first"
	plain "$second" >"$name-second"
done
check "-ff: the first, as strace" diff strace-first ktrace-first
check "-ff: the second, as strace" diff strace-second ktrace-second
check "-ff: no calls are cut" not grep -q 'resumed\|unfinished' ktrace.*
# The program itself makes the file, before its first line is there.
ktrace syscalls -q -ff -A -o added -e umask -- /bin/sh -c 'echo before >added.$$; umask 027'
check "-ff with -A adds lines" is "$(sed 's/(.*//' added.* | uniq | xargs)" 'before umask +++ exited with 0 +++'
rm -f added.*
check "-ff: no such folder" not ktrace syscalls -q -ff -o nowhere/file -- true
for options in '-ff -c' '-ff -C' '-ff --json'; do
	refused "$options -o file"
done
# The lines of the files are no lines of the terminal.
escape=$(printf '\033')
script -qec 'ktrace syscalls -q -e openat -- cat /etc/none' /dev/null >lines
check "colors at a terminal" has "$escape"
script -qec 'ktrace syscalls -q -ff -o ktrace -e openat -- cat /etc/none' /dev/null >/dev/null
check "-ff: no colors in files, at a terminal" not grep -q "$escape" ktrace.*
check "-ff: but lines" grep -q 'openat(.*ENOENT' ktrace.*
check "-ff without -o is -f" ktrace syscalls -q -ff -e none -- true
rm -f strace* ktrace*

cd /tmp && rm -r /tmp/view
echo "# end of view.sh"
