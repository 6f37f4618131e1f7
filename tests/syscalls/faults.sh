#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tests/syscalls/faults.sh - runs in the guest: syscalls that take unusual paths, under
# strace -f and under ktrace syscalls. ktrace must show what strace shows; the
# exceptions are listed here with their reasons.
. tests/kernel/lib.sh
programs=$PWD/build/user/tests/syscalls
normal=$PWD/tests/syscalls/normal.awk
mkdir -p /tmp/faults && cd /tmp/faults || exit 1

# If a process was killed during a syscall, or by it, strace only learns that it has ended.
cut_off() {
	sed -E 's/= \? ERESTART.*/= ?/
		s/ <unfinished \.\.\.>\) = \?/) = ?/
		s/^([0-9]+: kill\(PID, SIGKILL\)) = 0/\1 = ?/' "$1"
}

# trace NAME COMMAND...: writes NAME.strace and NAME.all; both must end as the command does
paths=
trace() {
	name=$1
	shift
	timeout 600 setarch -R strace -f $paths -o "$name.strace" "$@" >/dev/null 2>&1
	wanted=$?
	timeout 600 setarch -R ktrace syscalls -q $paths -o "$name.all" -- "$@" >/dev/null 2>errors
	check "$name: ends as under strace" is "$?" "$wanted"
	check "$name: without complaint" is "$(cat errors)" ''
	for kind in strace all; do
		awk -f "$normal" "$name.$kind" >raw
		cut_off raw >"$name.$kind.normal"
	done
}

# same NAME [PATTERN]: all lines agree, except those that match PATTERN
same() {
	grep -vE -- "${2:-^$}" "$1.strace.normal" >wanted
	grep -vE -- "${2:-^$}" "$1.all.normal" >got
	diff wanted got
}

has() {
	grep -qF -- "$2" "$1.all" || { cat "$1.all"; return 1; }
}

count() {
	grep -cE -- "$2" "$1.all"
}

trace argv "$programs/fault" argv
check "argv of 100,000 strings: as strace" same argv
check "argv of 100,000 strings: says that there are more" \
	has argv '"x", "x", ...], '
check "argv of 100,000 strings: and the call succeeds" \
	is "$(grep -c '"fault", "end", "x".*= 0$' argv.all.normal)" 1

# The program checks for waiters a random number of times.
looks='FUTEX_CMP_REQUEUE|clock_nanosleep'
trace killed "$programs/fault" killed
check "killed within a call: as strace" same killed "$looks"
check "killed within a call: that is unfinished" has killed 'FUTEX_WAIT, 0, NULL <unfinished ...>'
check "killed within a call: both threads" is "$(count killed '\+\+\+ killed by SIGKILL \+\+\+$')" 2
# The kernel ends the threads by SIGKILL then: SIGTERM itself reaches none where no tracer is.
trace ended "$programs/fault" ended
check "ended within a call: as strace" same ended "$looks|--- SIGTERM"
check "ended within a call: by which signal" is "$(count ended '\+\+\+ killed by SIGTERM \+\+\+$')" 2
ktrace syscalls -q --json -e trace=none -o objects -- "$programs/fault" ended
check "ended within a call: as JSON" \
	is "$(jq -r 'select(.kills) | .killed_by' objects | tr '\n' ' ')" 'SIGTERM SIGTERM '
caps=-perfmon,-sys_admin
setpriv --bounding-set=$caps --inh-caps=$caps ktrace syscalls -e trace=none -o few.all -- \
	sh -c 'trap : USR1; kill -USR1 $$; exec "$0" ended' "$programs/fault" 2>errors
check "without the kernel's memory: that is said" grep -q 'only root may read kernel memory' errors
check "without the kernel's memory: by which signal" is "$(count few '\+\+\+ killed by SIGTERM \+\+\+$')" 2
check "without the kernel's memory: other signals" is "$(count few '--- SIGUSR1 {')" 1
check "without the kernel's memory: each once" is "$(count few '\+\+\+ killed by SIGKILL')" 0
trace kills "$programs/fault" kills
check "killed by its own call: as strace" same kills
check "killed by its own call: says so" has kills '+++ killed by SIGKILL +++'

trace exec "$programs/fault" exec
check "exec of another thread: as strace" same exec "$looks"
check "exec of another thread: the first one is no more" \
	is "$(count exec '\+\+\+ superseded by execve in pid [0-9]+ \+\+\+$')" 1
check "exec of another thread: and it has ended" has exec '<... execve resumed>)'
trace exit "$programs/fault" exit
check "exit_group of another thread: as strace" same exit "$looks"
check "exit_group of another thread: ends all" is "$(count exit '\+\+\+ exited with 5 \+\+\+$')" 2
paths='-e trace=umask'
trace unseen "$programs/fault" exit
check "exit_group that is not shown: as strace" same unseen
paths=

trace vfork "$programs/fault" vfork
check "vfork: as strace" same vfork
check "vfork: its parent waits" is "$(count vfork 'vfork\( <unfinished')" 2

# Nothing comes after the syscall that ends the program, and it may have ended before ktrace
# looks at it.
trace once "$programs/once"
check "a program that ends at once: as strace" same once
for i in 1 2 3 4 5 6 7 8; do
	ktrace syscalls -q -o once.all -- "$programs/once"
	echo "$? $(sed -E 's/^\[pid +[0-9]+\] //; s/\(.*//' once.all | tr '\n' ' ')"
done | sort -u >got
check "a program that ends at once: always whole" \
	is "$(cat got)" '7 execve exit_group +++ exited with 7 +++ '

# ktrace reads only the data that is shown, which is present; strace reads all.
trace halves "$programs/fault" halves
check "what is not there: as strace" same halves \
	': (write\(3, |pwrite64\(1234, )'
check "what is not there: data as far as it is shown" has halves 'write(3, "llll'
check "what is not there: strings" has halves '["fault", ... /* 0x'
check "what is not there: structs" is "$(count halves '(nanosleep\(|connect\(1234)[^{]*0x[0-9a-f]+')" 2

# strace reads the value only after the syscall; ERANGE says that the syscall has not
# read it.
trace large "$programs/fault" large
check "1 MB: as strace" same large ': setxattr\('
check "1 MB: strings that are too long" is "$(count large '"z{32,}"\.\.\.')" 8
check "1 MB: and the call fails" is "$(count large ' = -1 (ENAMETOOLONG|E2BIG) ')" 5

# The kernel reads nothing in a write to /dev/null, so that data is missing afterwards too.
# So are the arguments of the first program's execve(), after another program took its
# place.
trace later "$programs/fault" later
check "read in by the call: as strace" same later ': (write\(.*= 15|execve\(.*= 0)$'
check "read in by the call: structs and sets" \
	is "$(count later '(sun_path="/tmp/nowhere"|tv_nsec=1000|\[USR1\]|sa_mask=\[USR2\]|tv_sec=100|fd=1234|tv_nsec=2)')" 7
check "read in by the call: data and strings" \
	is "$(count later '( write\([0-9]+, "data to write"|iov_base="vector"|\[65536\]|"/dev/none"|"/etc/passwd", O_RDONLY|"/nowhere", \["one", "two"\])')" 8
check "read in by the call: nothing of another program" \
	is "$(count later '^[^"]*execve\(0x[0-9a-f]+, (0x[0-9a-f]+|\[.*\]), .* = 0$')" 1

trace last "$programs/fault" last
check "the end of a program's addresses: as strace" same last
check "the end of a program's addresses: a string is read" has last '"/nobody", O_RDONLY'
check "the end of a program's addresses: but not beyond" \
	is "$(count last 'AT_FDCWD, 0x7fffffffeff8, .*EFAULT|AT_FDCWD, 0x7ffffffff000, .*EFAULT')" 2

# strace reads words that are not there yet from outside, and those that are gone when the call begins.
# 64-bit programs that call as 32-bit ones do are 64-bit programs to some versions of it.
ktrace syscalls -q -a 1 -o words.all -- "$programs/fault" words
check "words that are not there yet: the call as it was made" \
	has words 'socketcall(SYS_CONNECT, 0x10000000) = -1 EBADF'
check "words that are not there yet: nothing else of it" is "$(count words 'connect(\(| resumed)')" 0
check "words that are gone: the call ends" is "$(count words '(recv\(.*|recv resumed>.*) = 1$')" 1
check "words that are gone: as it began" is "$(count words 'socketcall\(SYS_RECV')" 0
check "wide registers: a string" has words 'open("/nowhere", O_RDONLY) = -1 ENOENT'
check "wide registers: words" is "$(count words 'socket\(AF_UNIX, SOCK_STREAM, 0\) = [0-9]')" 1
ktrace syscalls -q -a 1 -e connect -o words.all -- "$programs/fault" words
check "who selects the call gets it, too" \
	has words 'socketcall(SYS_CONNECT, 0x10000000) = -1 EBADF'
ktrace record -q -e 'compat_syscalls:sys_*_connect' -o missed -- "$programs/fault" words
ktrace stat missed >words.all
check "who has only the events of the call is told what is missing" \
	is "$(count words '^ +1  syscall: calls of 32-bit programs by socketcall')" 1
sleep 1000 &
other=$!
ktrace record -q -e 'compat_syscalls:sys_*_connect' -p $other -o others &
tracer=$!
wait_until grep -q 1 "$tree/enabled"
"$programs/fault" words
kill $tracer
wait $tracer
kill $other
ktrace stat others >words.all
check "but not of processes that are not recorded" is "$(count words ' syscall: ')" 0

# A first run creates the deep directory, so both find that it exists.
paths=-y
"$programs/fault" fds
trace fds "$programs/fault" fds
check "-y: as strace" same fds
check "-y: a file that is deleted" has fds '>(deleted), 20) = 20<'
check "-y: none that is closed, or was never open" is "$(count fds '(read\((20|1234)|close\(-1|dup2\(.*, -1)[,)]')" 4
check "-y: the working directory, and one that is deleted" \
	is "$(count fds 'AT_FDCWD</tmp(/faults/gone \(deleted\))?>, "nothing"')" 2
check "-y: no path that is too long" is "$(count fds 'AT_FDCWD, "nothing"')" 1
check "-y: pipes, sockets and the like" \
	is "$(count fds '<(pipe:|socket:|anon_inode:\[event(fd|poll)\]|/memfd:memory>\(deleted\))' | awk '{ print ($1 > 9) }')" 1
paths=
cd / && rm -r /tmp/faults
echo "# end of faults.sh"
