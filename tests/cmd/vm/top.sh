# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# top.sh - ktrace top on a live kernel: what it says of a process is compared with what the kernel
# says in /proc, and with what the process has done
# One kernel is enough: the time line is that of traces.

. "$(dirname "$0")/../check.sh"
. "$(dirname "$0")/../screen.sh"
mkdir -p /mnt/top && cd /mnt/top || exit 1
export TMUX_TMPDIR=/mnt/top
patience=60

# A process that does what it is told, and else sleeps in read().
cat >worker.py <<'END'
import os, sys, time
orders = open("orders", "rb", buffering=0)
while True:
    order = orders.read(100).decode().split()
    if not order:
        break
    calls, naps, spins = map(int, order)
    for _ in range(calls):
        os.getppid()
    for _ in range(naps):
        time.sleep(0.002)
    end = time.process_time() + spins / 1000
    while time.process_time() < end:
        pass
    open("done", "w").close()
END

# What the kernel says of the process while it sleeps: switches, those without its will, run time.
state()
{
	awk '/^voluntary_ctxt/ { v = $2 } /^nonvoluntary_ctxt/ { n = $2 } END { print v + n, n }' \
		"/proc/$pid/status"
	cut -d' ' -f1 "/proc/$pid/schedstat"
}

asleep()
{
	grep -q '^State:.S' "/proc/$pid/status" && grep -qx '0 .*' "/proc/$pid/syscall"
}

lines()	# FILE COUNT
{
	[ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

# Runs top while the process obeys an order; all that it does is in whole intervals or in the last one.
watch()	# FILE ORDER OPTION...
{
	local file=$1 order=$2
	shift 2
	wait_until asleep
	state >before
	rm -f "$file" done
	ktrace top --json -d 200ms -p "$pid" -o "$file" "$@" 2>"$file.err" &
	top=$!
	wait_until lines "$file" 1
	echo "$order" >&9
	wait_until test -e done
	wait_until asleep
	kill -INT $top
	wait $top
	status=$? err=$(cat "$file.err") out=$(tail -n 3 "$file" | cut -c1-300)
	state >after
}

# An expression of python over all intervals ds; mine are the rows of the process.
is()	# WHAT FILE EXPRESSION VALUE
{
	out=$(python3 -c 'import json, sys
ds = [json.loads(line) for line in open(sys.argv[1])]
mine = [r for d in ds for r in d["rows"] if r.get("pid") == int(sys.argv[3])]
def total(rows, key):
    return sum(r[key] for r in rows)
def state(*names):
    return sum(r["states"][n] for r in mine for n in names)
before, after = [[int(w) for w in open(f).read().split()] for f in ("before", "after")]
there = [b - a for a, b in zip(before, after)]
print(eval(sys.argv[2]))' "$2" "$3" "$pid" 2>&1)
	check "$1 ($out)" [ "$out" = "$4" ]
}

mkfifo orders
python3 worker.py &
pid=$!
exec 9>orders

# ---- switches, run time ---------------------------------------------------------------

watch process.json '100 30 50'
ends 0 'top of a process'
is 'nothing was lost' process.json 'total(ds, "lost")' 0
is 'switches are those of the kernel' process.json 'total(mine, "switches") == there[0] and there[0] >= 30' True
is 'and so are those without its will' process.json 'total(mine, "preemptions") == there[1]' True
is 'intervals have no gaps' process.json 'all(a["end"] == b["begin"] for a, b in zip(ds, ds[1:]))' True
is 'all time of all CPUs' process.json 'all(d["running"] + d["idle"] + d["unknown"] == d["cpus"] * (d["end"] - d["begin"]) for d in ds)' True
is 'after the first one, all of it is known' process.json '[d["unknown"] for d in ds[2:] if d["unknown"]]' '[]'
is 'and all time of the process' process.json 'all(sum(r["states"].values()) == d["end"] - d["begin"] for d in ds for r in d["rows"] if r["pid"] == '$pid')' True
is 'it has slept' process.json 'state("sleeping") > 0' True
is 'no other process has a row' process.json 'set(r["pid"] for d in ds for r in d["rows"]) == {'$pid'}' True
is 'calls are not recorded' process.json 'any(d["waits_known"] for d in ds) or total(ds, "calls")' 0

# If the machine stands still between the kernel's clock and the event, the times differ: so once
# in a while they may.
near=
for round in 1 2 3 4 5; do
	[ $round = 1 ] || watch process.json '0 5 200'
	near=$(python3 - "$pid" <<-'END'
	import json, sys
	run = sum(r["states"]["running"] for line in open("process.json") for r in json.loads(line)["rows"] if r["pid"] == int(sys.argv[1]))
	kernel = int(open("after").read().split()[2]) - int(open("before").read().split()[2])
	print(run, kernel, "near" if abs(run - kernel) < 0.05 * kernel else "")
	END
	)
	[ "${near% near}" = "$near" ] || break
done
check "run time is that of /proc/PID/schedstat ($near)" [ "${near% near}" != "$near" ]

# ---- calls ------------------------------------------------------------------------------

watch calls.json '1234 20 0' --by call
ends 0 'top of calls'
is 'each call of the loop' calls.json 'total([r for d in ds for r in d["rows"] if r["name"] == "getppid"], "calls")' 1234
is 'and each nap' calls.json 'total([r for d in ds for r in d["rows"] if r["name"] in ("clock_nanosleep", "select", "pselect6")], "calls")' 20
is 'without a loss' calls.json 'total(ds, "lost")' 0
watch waits.json '10 20 0' -w --by thread
ends 0 'top of waits'
is 'what it waits for' waits.json 'sorted({w["reason"] for r in mine for w in r["waits"] if w["ns"] > 1e6 and w["reason"] != "not known"} & {"read", "clock_nanosleep", "select", "pselect6"})[-1]' read
is 'naps are sleep' waits.json 'sum(w["ns"] for r in mine for w in r["waits"] if w["reason"] in ("clock_nanosleep", "select", "pselect6") and w["state"] == "sleeping") > 0' True
is 'waits are all of the time that it slept' waits.json 'sum(w["ns"] for r in mine for w in r["waits"]) == state("sleeping", "blocked", "stopped")' True

# ---- a command and its children -----------------------------------------------------------

cat >loop.py <<'END'
import os
for _ in range(777):
    os.getppid()
END
run ktrace top -d 0 --by call --json -o command.json -- sh -c 'python3 loop.py; exit 3'
ends 3 'the status is that of the command'
is 'one table' command.json 'len(ds)' 1
is 'calls of its child' command.json 'total([r for r in ds[0]["rows"] if r["name"] == "getppid"], "calls") >= 777' True
is 'no more than that and a few' command.json 'total([r for r in ds[0]["rows"] if r["name"] == "getppid"], "calls") < 787' True
run ktrace top -d 0 -o command -- true
check 'lines' grep -q '^[0-9]* CPUs: .*% used, .*% idle' command
run ktrace top -b -n 2 -d 100ms
ends 0 'two tables'
check 'two' [ "$(grep -c 'CPUs: ' <<<"$out")" = 2 ]
check 'with this process marked' grep -q 'ktrace (this)' <<<"$out"
run ktrace top -b -n 2 -d 100ms --by event -e timer:hrtimer_expire_entry
ends 0 'events of more kinds'
check 'have rows' grep -q 'sched:sched_switch' <<<"$out"
run ktrace top -b -n 1 -d 100ms -e no:such_event
ends 1 'an event that is not there' no:such_event
run ktrace top --duration 300ms -d 100ms -b
ends 0 'a duration'
check 'no session is left' [ -z "$(ls /sys/kernel/ktrace/sessions | grep '^top-')" ]
run sh -c 'TMPDIR=/mnt/top ktrace top -b -n 1 -d 100ms; ls -d /mnt/top/ktrace-*'
check 'nor a trace' grep -q 'ktrace-\*' <<<"$err"

# ---- losses ---------------------------------------------------------------------------------

known_again()
{
	tail -n 1 lossy.json | grep -q '"unknown":0,.*"lost":0,"losing":0,"least":false,"waits_known"'
}

# While top stands still, calls fill the buffers.
rm -f lossy.json
ktrace top --json -w -d 200ms --by thread -o lossy.json 2>lossy.err &
top=$!
wait_until lines lossy.json 2
kill -STOP $top
dd if=/dev/zero of=/dev/null bs=1 count=400000 2>/dev/null
kill -CONT $top
wait_until grep -q '"lost":[1-9]' lossy.json
check 'what happens then is known again' wait_until known_again
kill -INT $top
wait $top
status=$? err=$(cat lossy.err)
ends 0 'top that was too slow'
is 'losses are told' lossy.json 'total(ds, "lost") > 0' True
is 'with what may be more' lossy.json 'any(d["least"] and any(r["least"] for r in d["rows"]) for d in ds)' True
is 'all time is accounted for even then' lossy.json 'all(d["running"] + d["idle"] + d["unknown"] == d["cpus"] * (d["end"] - d["begin"]) for d in ds)' True
is 'of each thread, too' lossy.json 'all(sum(r["states"].values()) <= d["end"] - d["begin"] for d in ds for r in d["rows"])' True

# ---- control groups ------------------------------------------------------------------------

mkdir -p group && if mount -t cgroup2 none group && mkdir group/known; then
	echo "$pid" >group/known/cgroup.procs
	watch groups.json '100 10 100' --by cgroup
	ends 0 'top of groups'
	is 'the group of the process' groups.json '{r["name"] for d in ds for r in d["rows"]}' "{'/known'}"
	is 'has its switches' groups.json 'sum(r["switches"] for d in ds for r in d["rows"]) == there[0]' True
	echo "$pid" >group/cgroup.procs
	rmdir group/known
	umount group
else
	not_ok 'a control group'
fi

# ---- the screen ------------------------------------------------------------------------------

trap screen_end EXIT
check 'a terminal' screen_start 130 24
before=$(terminal_settings)
text 'ktrace top --head 3'
keys Enter
shows 'no --head on a screen' '--head is for lines'
text 'clear; ktrace top -d 200ms'
keys Enter
shows 'a table' 'PID THREADS  *\[%CPU\]'
shows 'of the machine' '^[0-9]+ CPUs: .*% used'
check 'and the keys' grep -q 'q quit' <<<"$out"
text 't'
shows 'threads' '^ +TID +PID +\[%CPU\]'
text '>'
shows 'another order' '\[%READY\]'
keys Left
shows 'and back' '\[%CPU\]'
text '/worker'
shows 'a question' 'Part of the name: worker_'
keys Enter
shows 'nobody has this name' ! 'ktrace \(this\)'
keys Escape
shows 'all have rows again' 'ktrace \(this\)'
text 'w'
shows 'calls' 'CALLS/s'
text 's'
shows 'rows of calls' 'MEAN +MAX +\[TOTAL\] +NAME'
shows 'there are some' 'us +[a-z_0-9]+$'
keys End
text 'p'
text 'w'
shows 'no calls any more' 'calls are not recorded any more'
text 'w'
shows 'calls once more' 'CALLS/s'
text 'w'
shows 'and no more' 'calls are not recorded any more'
text 'e'
shows 'events' '\[EVENTS/s\]'
shows 'with names' 'sched:sched_switch'
text 'g'
shows 'groups' 'by cgroup$'
text ' '
shows 'the table stands' 'stopped: Space goes on'
text ' '
shows 'and goes on' ! 'stopped: Space goes on'
text '?'
shows 'help' 'a row for each thread'
text 'h'
shows 'help ends' ! 'a row for each thread'
tmux_do resize-window -x 60 -y 10
shows 'a small terminal' '^[0-9]+ CPUs: '
tmux_do resize-window -x 130 -y 24
text 'q'
shows 'the end' '^prompt> *$'
check 'the terminal is as it was' [ "$(terminal_settings)" = "$before" ]
text 'ktrace top'
keys Enter
shows 'once more' 'q quit'
keys C-c
shows 'Ctrl-C ends it, too' '^prompt> *$'
check 'the terminal is as it was then, too' [ "$(terminal_settings)" = "$before" ]
check 'no session is left then' [ -z "$(ls /sys/kernel/ktrace/sessions | grep '^top-')" ]

kill $pid
wait $pid
finish_vm top.sh
