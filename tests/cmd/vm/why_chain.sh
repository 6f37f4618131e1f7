# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# why_chain.sh - the critical path of a read at the end of a pipeline, on a kernel: it goes through those
# who were waited for, in their order, and perf has seen the same wakes in the same run
# One kernel is enough: analyses are made by the reader.

. "$(dirname "$0")/../check.sh"
analyse=$PWD/tests/analyse
export PYTHONDONTWRITEBYTECODE=1
mkdir -p /mnt/why_chain && cd /mnt/why_chain || exit 1
events='sched:*,syscalls:*,irq:*,irq_vectors:*,exceptions:page_fault_*,lock:*,block:*'

# A reads what B writes, who reads what C writes.  C writes when both are asleep, and sleeps before; B
# sleeps before it writes.
cat >pipeline.py <<'END'
import os, time

def asleep(pid):
    return open("/proc/%d/stat" % pid).read().split()[2] == "S"

a = os.getpid()
from_c, to_b = os.pipe()
from_b, to_a = os.pipe()
b = os.fork()
if not b:
    b = os.getpid()
    c = os.fork()
    if not c:
        while not (asleep(a) and asleep(b)):
            time.sleep(0.01)
        time.sleep(0.3)
        os.write(to_b, b"x")
        os._exit(0)
    os.read(from_c, 10)
    time.sleep(0.2)
    os.write(to_a, b"%d %d %d" % (a, b, c))
    os._exit(0)
print(os.read(from_b, 100).decode())
END
# When a thread slept, and for how long, as the scheduler's events say: from when it left the CPU to when
# it was woken.
cat >scheduled.py <<'END'
import json

def sleeps(tid):
    found = set()
    since = None
    for line in open("scheduled.json"):
        e = json.loads(line)
        f = e["fields"]
        if e["event"] == "sched:sched_switch" and f["prev_pid"] == tid:
            since = e["time"]
        elif e["event"] == "sched:sched_waking" and f["pid"] == tid and since:
            found.add((since, e["time"] - since))
            since = None
    return found
END
scheduled()	# TRACE
{
	ktrace report -F json -e sched:sched_switch,sched:sched_waking "$1" >scheduled.json
}
cat >judge.py <<'END'
import json, re, sys
from scheduled import sleeps
a, b, c = map(int, sys.argv[1:4])
d = json.load(open("path.json"))
path = d["paths"][0]
assert path["tid"] == a and path["name"].startswith("read("), path["name"]
pieces = [p for p in path["path"] if not p["followed"]]
order = []
for p in pieces:
    if not order or order[-1] != p["tid"]:
        order.append(p["tid"])
# What else was waited for (memory, the kernel's locks) may lie between.
ours = [t for i, t in enumerate(o for o in order if o in (a, b, c))]
ours = [t for i, t in enumerate(ours) if not i or ours[i - 1] != t]
assert ours[-3:] == [c, b, a], (order, a, b, c)
for tid in c, b:
    slept = [p for p in pieces if p["tid"] == tid and p["state"] == "sleeping" and "nanosleep" in p["reason"]]
    assert slept and {(p["begin"], p["ns"]) for p in slept} <= sleeps(tid), (tid, slept, sleeps(tid))
    assert all(not p["waker_tid"] and "timer" in p["waker"].lower() for p in slept), slept
# A waits for B, and in that B for C.
waits = {(p["tid"], p["waker_tid"]) for p in path["path"] if p["followed"]}
assert (a, b) in waits and (b, c) in waits, waits
if len(sys.argv) > 4:
    seen = set()
    for line in open(sys.argv[4], errors="replace"):
        m = re.search(r"\[\d+\]\s.*\[(\d+)(?:/\d+)?\]\s+awakened: .*\[(\d+)(?:/\d+)?\]\s*$", line)
        if m:
            seen.add((int(m[2]), int(m[1])))
    assert seen, "perf has no wakes"
    assert waits <= seen, (waits - seen)
print(len(pieces), "pieces,", len(waits), "wakers")
END

run ktrace record -q -a -s 64M -e "$events" -o t -- python3 pipeline.py
ends 0 'a pipeline is recorded'
who=$out
run ktrace why --chain --of syscalls:read -p "${who%% *}" --worst 1 --json t
ends 0 'why --chain'
printf '%s\n' "$out" >path.json
check 'nothing was lost' grep -q '"full":0,"overwritten":0,"nested":0' path.json
check 'nothing is missing' grep -q '"missing":\[\]' path.json
run python3 "$analyse/chain.py" path.json
ends 0 "all adds up ($out)"
scheduled t
run python3 judge.py $who
ends 0 "the path goes through all three ($out)"
run ktrace why --chain --of syscalls:read -p "${who%% *}" --worst 1 t
ends 0 'as text'
printf '%s\n' "$out" | head -60 | sed 's/^/# /'

# All that each thread did.
run ktrace why --chain --worst 10000 -C '*' --json t
ends 0 'of all threads'
printf '%s\n' "$out" >all.json
run python3 "$analyse/chain.py" all.json
ends 0 "all adds up ($out)"
run ktrace why --chain --worst 10000 --of '*:*' --json t
ends 0 'of all spans'
printf '%s\n' "$out" >all.json
run python3 "$analyse/chain.py" all.json
ends 0 "all of these add up ($out)"

# A call of a function is a span, which is told when it ends.
run ktrace record -q -a -s 64M -e "$events" -F hrtimer_nanosleep -o calls -- sleep 0.3
ends 0 'a function is recorded'
run ktrace why --chain --of '*:hrtimer_nanosleep' -C sleep --json calls
ends 0 'why --chain of a function'
printf '%s\n' "$out" >path.json
run python3 "$analyse/chain.py" path.json
ends 0 "all adds up ($out)"
scheduled calls
run python3 -c '
import json
from scheduled import sleeps
p = json.load(open("path.json"))["paths"][0]
assert p["name"].endswith(":hrtimer_nanosleep") and p["wall"] >= 299e6, p
slept = [q for q in p["path"] if q["state"] == "sleeping"]
longest = max(slept, key=lambda q: q["ns"])
assert (longest["begin"], longest["ns"]) in sleeps(p["tid"]) and "timer" in longest["waker"], slept'
ends 0 'has slept until a timer'

# A stream has the same.
ktrace record -q -a -s 64M -e "$events" -o - -- sleep 0.3 >stream
run ktrace why --chain --of '*nanosleep' -C sleep --json - <stream
ends 0 'why --chain of a stream'
printf '%s\n' "$out" >path.json
run python3 "$analyse/chain.py" path.json
ends 0 "all adds up ($out)"
check 'a timer has woken it' grep -q '"reason":"clock_nanosleep(.*"waker":"irq local_timer"' path.json

# The same run, recorded by two.
run perf record -q -a -k CLOCK_MONOTONIC -m 4M -o perf.data \
	-e sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new -- \
	ktrace record -q -a -s 64M -e "$events" -o both -- python3 pipeline.py
ends 0 'perf and ktrace record at once'
who=$out
run ktrace why --chain --of syscalls:read -p "${who%% *}" --worst 1 --json both
ends 0 'why --chain of that'
printf '%s\n' "$out" >path.json
perf sched timehist -w -i perf.data >timehist 2>/dev/null
scheduled both
run python3 judge.py $who timehist
ends 0 "perf has the same wakers ($out)"
finish_vm why_chain.sh
