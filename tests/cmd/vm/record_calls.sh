# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record_calls.sh - record --decode: a recording of everything has what `ktrace syscalls' and
# strace show of each call, and all outputs, filters, parts and snapshots have it
# One kernel is enough: the probes and capture programs are those of ktrace syscalls.

. "$(dirname "$0")/../check.sh"
program=$PWD/build/user/tests/syscalls/program
normal=$PWD/tests/syscalls/normal.awk
viewers=$PWD/tests/viewers
mkdir -p /mnt/record_calls && cd /mnt/record_calls || exit 1
tree=/sys/kernel/ktrace

# Makes and opens files: their names have a number each.
cat >open.py <<'END'
import os, sys, time
name, nr = sys.argv[1], int(sys.argv[2])
open('ready', 'w').close()
for i in range(nr):
    try:
        os.close(os.open('/mnt/record_calls/%s%d' % (name, i), os.O_RDONLY))
    except OSError:
        pass
    if len(sys.argv) > 3 and not i % 50:
        time.sleep(float(sys.argv[3]))
END
# Is each of the names in the traces, once?
names()	# NAME COUNT TRACE...
{
	local trace
	cmp <(seq 0 $(($2 - 1))) <(for trace in "${@:3}"; do
		ktrace report -q -e syscalls:sys_enter_openat "$trace"
	done | sed -n "s|.* filename=0x[0-9a-f]* \"/mnt/record_calls/$1\([0-9]*\)\" .*|\1|p")
}

# ---- as ktrace syscalls and strace show it -------------------------------------------

# A thread's lines, without what is in front of them and where results are.
plain()
{
	sed -e 's/^\[pid *[0-9]*\] //' -e 's/ \+= / = /'
}

behind_exec()
{
	awk 'on; /^execve\(/ { on = 1 }'
}

# Both record the same run.  Before its exec, the program is the tracer's.
both()	# NAME COMMAND...
{
	local name=$1
	shift
	rm -rf all lines
	ktrace record -q -S all -s 16M $options --decode -o all -- \
		ktrace syscalls -q $options -o lines -- "$@" >/dev/null 2>&1 </dev/null
	ktrace report -q -F strace -p "$(sed -n '1s/^\[pid *\([0-9]*\)\].*/\1/p' lines)" all 2>said |
		plain | behind_exec >recorded
	plain <lines | behind_exec >shown
	out=$(diff shown recorded | head -n 8)
	check "$name: as ktrace syscalls shows it ($(wc -l <shown) lines)" \
		[ -z "$out" -a ! -s said -a "$(wc -l <shown)" -ge 20 ]
}
options=
# Of one thread: the order of those on several CPUs is another one in each recording.
for name in memory sockets commands; do
	both "$name" "$program" "$name"
done
options=-y
both '-y' "$program" memory
options=-yy
both '-yy' "$program" sockets

like_strace()	# NAME COMMAND...
{
	local name=$1 lines agree
	shift
	setarch -R strace -f -o theirs "$@" >/dev/null 2>&1 </dev/null
	rm -rf copy t
	# Each event of the machine: what the command does, and who gets its signals.
	setarch -R ktrace record -q --only --decode -s 16M -o t -- "$@" >/dev/null 2>&1 </dev/null
	# The first thread has no number as long as there is no other.
	ktrace report -q -F strace t | awk -v first="$(ktrace report -q -n 1 --columns pid t)" '
		!/^\[pid/ { $0 = "[pid " first + 0 "] " $0 } { print }' >ours
	rm -rf copy
	awk -f "$normal" theirs >theirs.normal
	awk -f "$normal" ours >ours.normal
	lines=$(wc -l <theirs.normal)
	out=$(diff theirs.normal ours.normal)
	agree=$((lines - $(grep -c '^<' <<<"$out")))
	check "$name: as strace shows it ($agree of $lines)" \
		[ "$lines" -ge 50 -a $((agree * 100)) -ge $((lines * 97)) ]
}
mkdir -p tree/a/b
for ((i = 0; i < 20; i++)); do
	echo "file $i" >tree/a/file$i
	ln -s file$i tree/a/b/link$i
done
like_strace cp /usr/bin/cp -a tree copy
like_strace sh /bin/sh -c 'ls /mnt/record_calls/tree/a | grep file1 | wc -l; test -e /nowhere || kill -TERM $$'
# Another thread may end before it or after it.
check 'a signal is shown once, with its sender' [ "$(grep -c 'killed by SIGTERM' ours)" = 1 ]
like_strace signals "$program" signals

# ---- what is recorded -----------------------------------------------------------------

systems()	# TRACE
{
	ktrace stat -j "$1" | jq -r '.types[] | select(.events > 0) | .system' | sort -u | tr '\n' ' '
}
run systems t
check 'without -e: other events, and those of each call' grep -q 'kmem .*sched .*syscalls ' <<<"$out"
check 'but not those of all calls' [ -z "$(grep raw_syscalls <<<"$out")" ]
run ktrace record -q --only -e 'raw_syscalls:*,syscalls:sys_enter_openat' --decode -o r -- cat /etc/passwd
run systems r
check 'unless they are named' [ "$out" = 'raw_syscalls syscalls ' ]
check 'the session is as before' [ -z "$(cat $tree/capture)" ]
# Both halves of a call are needed, also if one is recorded.
run ktrace record -q --only -e syscalls:sys_exit_read --decode -o r -- /bin/cat /etc/passwd
run ktrace report -q --columns fields r
check 'the return alone has its data' grep -q '__buf_val=726f6f743a' <<<"$out"
run ktrace record -q --only -e signal:signal_deliver --decode -o r -- sh -c 'trap : USR1; kill -USR1 $$'
ends 0 'signals'
run ktrace report -q -F strace r
check 'they have a sender' grep -q -- '--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_USER, si_pid=' <<<"$out"
run ktrace record -q --only -e syscalls:sys_enter_write --string 5 -o r -- /bin/echo a text
run ktrace report -q -F strace r
check '--string: so much of data' grep -q 'write(1, "a tex"..., 7' <<<"$out"
run ktrace record -q --only -e 'syscalls:*_write' --string 100 -o r -- /bin/echo $(seq 100 150)
run ktrace report -q -F strace r
check 'and shows as much as strace' grep -q 'write(1, "100 101 102 103 104 105 106 107 "..., 204)' <<<"$out"
run ktrace report -q -F strace --string 100 r
check 'or all of it' grep -q 'write(1, "100 .* 123 124 "..., 204)' <<<"$out"

# ---- in all outputs ---------------------------------------------------------------------

touch needle
run ktrace record -q --only -y -s 16M -o n -- /bin/sh -c ': <needle; exec /bin/cat needle'
path='"needle"'
run ktrace report -q -e 'syscalls:*' n
check 'text: the name' grep -q "sys_enter_openat: dfd=AT_FDCWD \"$PWD\" filename=0x[0-9a-f]* $path flags=" <<<"$out"
check 'text: a descriptor' grep -q "sys_enter_close: fd=3 \"$PWD/needle\"$" <<<"$out"
check 'text: no masks' [ -z "$(grep __cut <<<"$out")" ]
run ktrace export -q --to json -o n.json n
ends 0 'json'
check 'json: the name' [ "$(jq -r 'select(.event == "syscalls:sys_enter_openat") | .fields.__filename_val' \
	n.json | grep -cx needle)" = 2 ]
run ktrace export -q --to chrome -o n.chrome n
check 'chrome: the name' grep -q '"name":"openat","args":.*\\"needle\\"' n.chrome
run ktrace export -q --to firefox -o n.firefox n
check 'firefox: the name' grep -q 'needle' n.firefox
run ktrace export -q --to perfetto -o n.perfetto n
check 'perfetto: the name' grep -qa "$path" n.perfetto
run python3 "$viewers/perfetto.py" n.perfetto n.json
ends 0 "perfetto has it all ($out)"
# The page is compared with the slices of chrome, arguments included.
run ktrace export -q --to html -o n.html n
ktrace export -q --to folded -o n.folded n
run python3 "$viewers/html.py" n.html n.chrome n.json n.folded
ends 0 "html has it all ($out)"
run ktrace export -q --to ctf -o n.ctf n
run babeltrace2 n.ctf
check 'ctf: the name' grep -q '__filename_val = "needle"' <<<"$out"
run ktrace stat -q -j n
events=$(jq '[.types[].events] | add' <<<"$out")
run babeltrace2 n.ctf
check 'ctf: all events' [ "$(wc -l <<<"$out")" = "$events" ]

# Who waits for another end of a pipe is asked for, with its name.
mkfifo pipe
run ktrace record -q -y -s 16M -o w -- sh -c '/bin/cat pipe & sleep 1; : >pipe; wait'
run ktrace why -C cat w
check 'why: in which call of which file' grep -q 'sleeping  openat(AT_FDCWD<.*>, "pipe", O_RDONLY) = 3<.*/pipe>; woken by sh-' <<<"$out"
run ktrace latency syscall w
ends 0 'latency'

# ---- hints ------------------------------------------------------------------------------

ktrace report -F strace n 2>said >shown
check 'what is decoded needs no hint' [ -s shown -a ! -s said ]
run ktrace record -q --only -e 'syscalls:*' -o plain -- /bin/cat needle
run ktrace report -F strace plain
ends 0 'registers alone' 'ktrace record --decode'
check 'they are told once' [ "$(grep -c decode <<<"$err")" = 1 ]
run ktrace report -q -F strace plain
check 'not with -q' [ -z "$err" ]
run ktrace record -q --only -e 'syscalls:*_getppid' -o p -- /bin/true
run ktrace report -F strace p
check 'no hint without pointers' [ -z "$err" ]
run ktrace record -q -e sched:sched_switch -o p -- /bin/true
run ktrace report -F strace p
ends 0 'no calls' 'no system calls' 'ktrace record --decode'

# ---- filters ----------------------------------------------------------------------------

opens=syscalls:sys_enter_openat
run ktrace record -q -e $opens --decode -f 'filename ~ "*/found[0-9]*"' -o f -- \
	sh -c 'python3 open.py found 30; python3 open.py other 30'
ends 0 'in the kernel'
check 'the kernel has taken these' names found 30 f
check 'and no others' [ "$(ktrace report -q f | grep -c .)" = 30 ]
run ktrace record -q -e $opens --decode -o f -- sh -c 'python3 open.py found 30; python3 open.py other 30'
run ktrace report -q -f 'filename ~ "*/found[0-9]*"' f
check 'report finds as many' [ "$(grep -c . <<<"$out")" = 30 ]
run ktrace report -q -f 'filename == "/mnt/record_calls/other7"' f
check 'or one' [ "$(grep -c . <<<"$out")" = 1 ]
run ktrace record -q -e 'syscalls:sys_enter_read' -y -f 'fd ~ "*/needle"' -o f -- /bin/cat needle open.py
check 'by the path of a descriptor' [ "$(ktrace report -q f | grep -c '/needle"')" = "$(ktrace report -q f | grep -c .)" \
	-a "$(ktrace report -q f | grep -c .)" -ge 1 ]
run ktrace record -e $opens -f 'filename ~ "*"' -o f -- true
ends 1 'without --decode' '~ is for strings' 'with --decode'
run ktrace record -q -e 'sched:*' --decode -o f -- true
ends 1 'nothing can be decoded' "-e 'syscalls:*'"

# ---- parts, snapshots, streams, what a killed recorder left ------------------------------

run ktrace record -q -e "$opens,syscalls:sys_exit_openat" --decode --rotate 100K -o parts -- \
	python3 open.py part 6000 0.15
traces=($(ls -d parts.[0-9]* | sort -t. -k2n) parts)
check "several parts (${#traces[@]})" [ ${#traces[@]} -ge 3 ]
check 'the names are in all parts, each once' names part 6000 "${traces[@]}"
run ktrace record -q -e $opens --decode --rotate 1h --snapshot-on x -o x -- true
ends 2 'parts and snapshots do not go together'

rm -f ready
ktrace record -q -e $opens --decode -m overwrite -o snap -d 1000s 2>/dev/null &
recorder=$!
wait_until grep -q 1 $tree/enabled
python3 open.py shot 50
kill -USR2 $recorder
snapped()
{
	[ -e snap.1/metadata ] && names shot 50 snap.1
}
wait_until snapped
kill -INT $recorder
wait $recorder
check 'a snapshot has the names' names shot 50 snap.1

# The trigger is about a name, too: it fires at this one only.
ktrace record -q -e 'sched:sched_process_exit,syscalls:sys_enter_openat' --decode -o fire -d 1000s \
	--snapshot-on "$opens if filename ~ \"*/fire0\"" 2>/dev/null &
recorder=$!
wait_until grep -q 1 $tree/enabled
python3 open.py water 20
# It has looked at the trigger since, each time that it slept.
slept=$(rests $recorder)
looked()
{
	[ "$(rests $recorder)" -ge $((slept + 5)) ]
}
wait_until looked
check 'another name takes no snapshot' [ ! -e fire.1 ]
python3 open.py fire 20
wait_until [ -e fire.1/metadata ]
kill -INT $recorder
wait $recorder
check 'the name takes one' names water 20 fire.1

run sh -c "ktrace record -q -e $opens --decode -o - -- python3 open.py stream 40 >stream"
ktrace report -q - <stream | grep -c '/stream[0-9]*"' >count
check 'a stream has the names' [ "$(cat count)" = 40 ]

ktrace record -q -e $opens --decode -o killed -d 1000s 2>/dev/null &
recorder=$!
wait_until grep -q 1 $tree/enabled
python3 open.py left 10
kill -KILL $recorder
wait $recorder 2>/dev/null
run ktrace record --keep -e $opens --decode -o kept -- python3 open.py kept 10
ends 0 '--keep' 'begin this trace'
check 'new events have the names' names kept 10 kept
check 'those that were left, too' names left 10 killed kept

# ---- everything, and what is named beside it ---------------------------------------------

for what in '*' '*:*' '*,net:*' '*,!net:*'; do
	run ktrace record --only -s 16M --decode -e "$what" -o beside -- cat needle
	ends 0 "-e '$what'"
	ktrace report -q beside >lines
	check "-e '$what': calls are decoded" grep -q 'sys_enter_openat: .*"needle"' lines
	check "-e '$what': and told once" [ "$(grep -c raw_syscalls: lines)" = 0 ]
done
run ktrace record --only -s 16M --decode -e '*' -F 99 -o beside -- cat needle
check '-F beside -e: calls are decoded' grep -q 'sys_enter_openat: .*"needle"' <<<"$(ktrace report -q beside)"
run ktrace record --only -s 16M --decode -e '!syscalls:*' -o beside -- cat needle
ends 0 "-e '!syscalls:*'"
check 'which leaves the events of all calls' grep -q raw_syscalls: <<<"$(ktrace report -q beside)"
run ktrace record --only --decode -e 'signal:*' -o beside -- sh -c 'kill -TERM $$'
ends 143 'signals alone' 'only signals are decoded'

# ---- who may not read the kernel's memory -----------------------------------------------

mount -o remount,gid=65534,mode=770 $tree
echo 0 >$tree/kernel_reads
chmod 777 .
run setpriv --reuid 65534 --regid 65534 --clear-groups ktrace record --only --decode -e 'syscalls:*,signal:*' -o user -- \
	/bin/sh -c 'cat needle; kill -TERM $$'
ends 143 'another user' 'without who sent them'
run ktrace report -q -F strace user
check 'has names' grep -q 'openat(AT_FDCWD, "needle"' <<<"$out"
check 'and what has ended it, once' [ "$(grep -c 'killed by SIGTERM' <<<"$out")" = 1 ]

finish_vm record_calls.sh
