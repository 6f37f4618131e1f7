# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record.sh - what record records, where to, and how it ends
# One kernel is enough: options are the work of the command.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/record && cd /mnt/record || exit 1
tree=/sys/kernel/ktrace

nothing_enabled()
{
	[ "$(cat $tree/enabled)$(cat $tree/events/enabled)$(cat $tree/owner)" = 000 ]
}

events()	# TRACE [REPORT OPTION...]
{
	local trace=$1
	shift
	ktrace report "$@" "$trace" 2>/dev/null | grep -c ' \[[0-9]*\] [0-9.]* [a-z0-9_]*:'
}

# ---- the first steps of a newcomer -------------------------------------------

run ktrace doctor
ends 0 doctor
check 'doctor says what finds branches' grep -q '^ok    branches  *step: user' <<<"$out"
run ktrace record -e 'sched:*' -- ls /
ends 0 'record -e sched:* -- ls' 'recorded' 'ktrace report'
check 'the output is the command'\''s' grep -qx usr <<<"$out"
check 'nothing stays enabled' nothing_enabled
run ktrace report
ends 0 report
check 'report shows the exec' grep -q 'sched:sched_process_exec.*ls' <<<"$out"
check 'report knows who it was' grep -qE '^ls-[0-9]+ .*sched:sched_process_exit' <<<"$out"
check 'only sched events' \
	[ -z "$(grep -v 'sched:sched_\|^\*\*\*' <<<"$out")" ]
run ktrace stat
ends 0 stat
check 'stat says that nothing was lost' grep -q 'nothing was lost' <<<"$out"

# ---- exit status -------------------------------------------------------------

run ktrace record -q -e sched_switch -- bash -c 'exit 7'
ends 7 'the exit status is passed on'
run ktrace record -q -e sched_switch -- bash -c 'kill -9 $$'
ends 137 'a signal is passed on'
run ktrace record -q -e sched_switch -- ./no-such-program
ends 127 'a command that is not there' 'there is no such command'
printf '#!/nonexistent/interpreter\n' >script && chmod +x script
run ktrace record -q -e sched_switch -o badscript -- ./script
ends 127 'a script without its interpreter'
check 'nothing stays enabled after failures' nothing_enabled

# ---- where the trace goes ------------------------------------------------------

run ktrace record -e sched_switch -o t -- true
ends 0 '-o'
run ktrace record -e sched_switch -o t -- true
ends 0 'again' 't.old'
check 'the older trace is kept' [ -s t.old/metadata ]
run ktrace record -e sched_switch -o t/ -- true
ends 0 'with a slash' 't.old'
mkdir other && touch other/file
run ktrace record -e sched_switch -o other -- true
ends 1 'a directory of other things' 'not a trace'
check 'is left alone' [ "$(ls other)" = file ]
mkdir void
run ktrace record -e sched_switch -o void -- true
ends 0 'an empty directory'
run ktrace record -e sched_switch -o missing/t -- true
ends 1 'a directory that is not there' missing
run ktrace record -e sched_switch -o /proc/t -- true
ends 1 'where nothing can be written' /proc/t
check 'nothing stays enabled after refusals' nothing_enabled
check 'the trace is private' [ "$(stat -c %a t)" = 700 ]
SUDO_UID=65534 SUDO_GID=65534 run ktrace record -q -e sched_switch -o sudo -- true
check 'under sudo the trace is the caller'\''s' \
	[ "$(stat -c %u sudo sudo/metadata | sort -u)" = 65534 ]

# ---- which events --------------------------------------------------------------

run ktrace record -q -e 'sched:*,!sched:sched_switch' -e sys_enter -o choice -- ls /
ends 0 'patterns'
check 'excluded events are not there' [ "$(events choice -e sched_switch)" = 0 ]
check 'events of two patterns are' [ "$(events choice -e sys_enter)" -gt 10 ]
run ktrace record -e sched:sched_swich -- true
ends 1 'an unknown event' 'sched:sched_switch'
run ktrace record -e shed -- true
ends 1 'an unknown system' 'sched'
run ktrace record -e 'nothing*' -- true
ends 1 'a pattern without a match' 'ktrace list'
for pattern in ':' '::' '[' '*:[' '\' "$(head -c 3000 /dev/zero | tr '\0' x)" 'a b' $'\n' '%s%n' '../../etc'; do
	run ktrace record -e "$pattern" -- true
	ends 1 "garbage pattern '${pattern:0:10}'"
done
run ktrace record -q -e raw_syscalls:sys_enter -f 'id == 59' -o filter -- bash -c 'ls / >/dev/null'
ends 0 '-f'
run ktrace report -e sys_enter filter
all=$(grep -c sys_enter <<<"$out") execs=$(grep -c 'id=59\|id=execve' <<<"$out")
check '-f: only what it says' [ "$all" -gt 0 -a "$all" -eq "$execs" ]
run ktrace record -q -e raw_syscalls:sys_enter -o nofilter -- ls /
check 'a filter does not outlive its recording' \
	[ "$(events nofilter)" -gt "$(events nofilter -e sys_exit)" -a \
	  "$(ktrace report -q nofilter | grep -vc 'id=59')" -gt 0 ]
run ktrace record -e sched_switch -f 'no_such_field == 1' -- true
ends 1 'a filter that does not fit' 'no_such_field'
run ktrace record -e sched_switch -f 'prev_pid ==' -- true
ends 1 'half a filter' '-f'
check 'nothing stays enabled after bad filters' nothing_enabled

# ---- whose events ----------------------------------------------------------------

sleep 1000 &
sleeper=$!
run ktrace record -q -e raw_syscalls --only -o only -- bash -c 'ls / >/dev/null; cat /proc/version'
ends 0 --only
run ktrace report -q only
check '--only: children too' grep -q '^cat-' <<<"$out"
check '--only: nobody else' [ -z "$(grep -v '^\(bash\|ls\|cat\|ktrace\)-' <<<"$out")" ]
bash -c 'while :; do :; read -t 0.05 <> <(:); done' &
busy=$!
run ktrace record -q -e 'sched:*' -e raw_syscalls -p $busy -d 1s -o pid
ends 0 -p
check '-p: something' [ "$(events pid)" -gt 0 ]
kill $busy
wait $busy 2>/dev/null
run ktrace record -q -e raw_syscalls -p $sleeper,1 -d 300ms -o pids
ends 0 '-p with two'
(wait_until grep -qx 1 $tree/enabled; kill $sleeper) &
run timeout 60 ktrace record -e raw_syscalls -p $sleeper -o ended
ends 0 '-p: ends with the process'
check 'the conditions are gone' [ -z "$(cat $tree/pids)" ]

# ---- on which CPUs -----------------------------------------------------------------

taskset=$(type -P taskset)
both='"$0" 1 ls / >/dev/null; "$0" 2 cat /proc/version'
run ktrace record -q -e raw_syscalls -C 1 -o cpu -- sh -c "$both" "$taskset"
ends 0 -C
check '-C: only that CPU has a file' [ "$(echo cpu/cpu*)" = cpu/cpu1 ]
run ktrace report -q cpu
check '-C: no event of another one' [ -z "$(grep -v ' \[001\] ' <<<"$out")" ]
check '-C: what ran there' grep -q '^cat-' <<<"$out"
check '-C: afterwards all are recorded' [ "$(cat $tree/cpus)" = all ]
run ktrace record -q -e raw_syscalls -C 0-1 -o cpus -- sh -c "$both" "$taskset"
check '-C with both' [ "$(echo cpus/cpu*)" = 'cpus/cpu0 cpus/cpu1' ]
run ktrace record -q -e raw_syscalls -C 0 --rotate 300ms -o parted -- sh -c "$both; sleep 2" "$taskset"
check '-C and parts' [ "$(echo parted.1/cpu*)" = parted.1/cpu0 ]
run ktrace record -e raw_syscalls -C 77 -o none -- true
ends 1 'a CPU that is not there' 'the machine has CPUs 0-1'
check 'a CPU that is not there: nothing is recorded' [ ! -e none ]
ktrace record -q -e raw_syscalls -C 1 -o killed &
recorder=$!
wait_until grep -qx 1 $tree/enabled
kill -9 $recorder
wait $recorder 2>/dev/null
run ktrace record -e raw_syscalls -o after -- sh -c "$both" "$taskset"
ends 0 'after a recorder that was killed'
check 'after a recorder that was killed, all CPUs' [ "$(echo after/cpu*)" = 'after/cpu0 after/cpu1' ]

# ---- how it ends -----------------------------------------------------------------

began=$SECONDS
run ktrace record -q -e sched_switch -d 1500ms -o duration
ends 0 --duration
check '--duration: not sooner' [ $((SECONDS - began)) -ge 1 ]
run ktrace record -q -e sched_switch -d 500ms -o both -- bash -c 'sleep 2; exit 3'
ends 3 '--duration is shorter than the command'
for signal in INT TERM HUP; do
	ktrace record -e sched_switch -o "signal-$signal" 2>err.$signal &
	recorder=$!
	until [ "$(cat $tree/enabled)" = 1 ]; do sleep 0.1; done
	sleep 0.3
	kill -$signal $recorder
	wait $recorder
	status=$? out='' err=$(cat err.$signal)
	case $signal in
	INT)	ends 0 "SIG$signal" recorded ;;
	TERM)	ends 143 "SIG$signal" recorded ;;
	HUP)	ends 129 "SIG$signal" recorded ;;
	esac
	check "SIG$signal: the trace is whole" ktrace stat -q "signal-$signal" >/dev/null
	check "SIG$signal: nothing stays enabled" nothing_enabled
done
# A shell makes programs that it starts in the background ignore SIGINT, and the command
# inherits this until env has run.  No process makes the file: bash ignores a SIGINT that its
# foreground process outlives.
rm -f ready
ktrace record -q -e sched_switch -o inner -- env --default-signal=INT bash -c ': >ready
	exec sleep 60' 2>err.inner &
recorder=$!
until [ -e ready ]; do sleep 0.1; done
kill -INT $recorder
wait $recorder
status=$? out='' err=$(cat err.inner)
ends 130 'SIGINT reaches the command'
# If a signal is sent only to the recorder, it is passed to the command, once.
for recorder in 'record -e sched_switch -o term' 'syscalls -o /dev/null'; do
	rm -f ready told
	# shellcheck disable=SC2086
	ktrace ${recorder/ / -q } -- bash -c 'trap "echo told >>told; exit 3" TERM
		touch ready
		while :; do sleep 0.1; done' 2>err.term &
	pid=$!
	until [ -e ready ]; do sleep 0.1; done
	kill -TERM $pid
	wait $pid
	status=$? out='' err=$(cat err.term)
	ends 3 "${recorder%% *}: SIGTERM reaches the command"
	check "${recorder%% *}: once" [ "$(cat told)" = told ]
done

# ---- flight recorder ---------------------------------------------------------------

run ktrace record --mode overwrite --size 256K -e 'sched:*' -e 'kmem:*' -o flight -- bash -c \
	'for i in {1..50}; do /bin/ls / >/dev/null; done; exec -a last /bin/sleep 0.2'
ends 0 'overwrite mode' 'overwritten'
check 'the end survives' grep -q 'comm=sleep' \
	<(ktrace report -q flight | grep ' sched:sched_process_exit: ' | tail -n 3)
check 'the beginning does not' \
	[ "$(ktrace report -q flight | grep -c 'sched_process_exit.*comm=ls')" -lt 50 ]
run ktrace record -q --session mine -e sched_switch -o session -- ls /
ends 0 --session
check 'the session is gone' [ ! -e $tree/sessions/mine ]
run ktrace record -q --session a/b -e sched_switch -- true
ends 1 'a session with a bad name'

# ---- nothing ---------------------------------------------------------------------

run ktrace record -e sched_switch -f 'prev_pid == 4194303' -o none -- true
ends 0 'a trace without events' 'no event came'
run ktrace report none
ends 0 'its report'

finish_vm record.sh
