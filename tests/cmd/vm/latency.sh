# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# latency.sh - waits for a CPU and calls, of a kernel: what others find in the same trace, and
# what perf has recorded and found in the same run
# One kernel is enough: analyses are made by the reader.
# Only in check-all: it takes minutes, and tests/analyse asks the same of made traces natively.

. "$(dirname "$0")/../check.sh"
analyse=$PWD/tests/analyse
export PYTHONDONTWRITEBYTECODE=1
mkdir -p /mnt/latency && cd /mnt/latency || exit 1
events=sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new

# Two that wake each other, threads that are preempted, and some that sleep.
cat >work <<'END'
for cpu in 0 1; do
	taskset -c $cpu sh -c 'while :; do :; done' &
	busy="$busy $!"
done
perf bench sched pipe -l 500 >/dev/null
i=0
while [ $i -lt 20 ]; do
	sleep 0.01
	/bin/true
	i=$((i + 1))
done
kill $busy
END

run ktrace record -q -a -s 64M -e $events -o t -- sh work
ends 0 'events are recorded'
run ktrace latency sched --json --worst 10000 t
ends 0 'latency sched'
printf '%s\n' "$out" >t.json
check 'nothing is missing' grep -q '"missing":\[\]' t.json
check 'nothing was lost' grep -q '"full":0,"overwritten":0,"nested":0' t.json
run ktrace export -q --to ctf -o t.ctf t
ends 0 'the same for babeltrace2'
babeltrace2 --clock-seconds t.ctf >t.events
run python3 "$analyse/sched.py" t.events t.json
ends 0 "is as python has it ($out)"

# Where the time of all threads went: of those that were there from the begin, python knows it, too.
ktrace why --json -C '*' t >why.json
run python3 "$analyse/why.py" why.json
ends 0 "why tells all of their time ($out)"

# The same run, recorded by two.
run perf record -q -a -k CLOCK_MONOTONIC -m 4M -o perf.data \
	-e sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new -- \
	ktrace record -q -a -s 64M -e $events -o both -- sh work
ends 0 'perf and ktrace record at once'
ktrace latency sched --json --worst 10000 both >both.json
perf sched timehist -i perf.data 2>/dev/null >timehist
run python3 "$analyse/timehist.py" timehist both.json
ends 0 "perf sched timehist has the same waits ($out)"

# Calls, interrupts and so on: stat pairs them, too.
modprobe loop
truncate -s 8M image
disk=$(losetup -f --show image)
cat >>work <<END
dd if=/dev/zero of=$disk bs=4k count=50 oflag=direct 2>/dev/null
dd if=$disk of=/dev/null bs=64k count=20 iflag=direct 2>/dev/null
END
run ktrace record -q -a -s 64M -e 'syscalls:*,irq:*,irq_vectors:*,block:*,lock:*' -o calls -- sh work
ends 0 'calls, interrupts, requests and locks are recorded'
for of in syscall irq block lock; do
	ktrace latency $of --json calls >$of.json
	run ktrace latency $of calls
	ends 0 "latency $of"
done
ktrace stat --spans --json --head 0 calls >spans.json
run python3 - "${disk#/dev/loop}" <<'END'
import json, sys
spans = {}
for s in json.load(open("spans.json"))["spans"]:
    spans[s["kind"], s["name"]] = s
seen = 0
for of in "syscall", "irq":
    for row in json.load(open(of + ".json"))["rows"]:
        span = spans[row.get("kind", "syscall"), row["name"]]
        for member in "count", "total", "min", "median", "p99", "max", "errors":
            assert row[member] == span[member], (row, span, member)
        seen += 1
assert seen == sum(kind in ("syscall", "irq", "softirq") for kind, _ in spans), (seen, len(spans))
# These have other names, or more of them.
for of, kind in ("block", "block"), ("lock", "marker"):
    rows = json.load(open(of + ".json"))["rows"]
    same = [s for (k, name), s in spans.items() if k == kind and (k == "block" or name == "contention")]
    for member in "count", "total":
        assert sum(r[member] for r in rows) == sum(s[member] for s in same), (of, rows, same)
    seen += len(rows)
# dd has told the disk so.
requests = {r["name"][:5]: r["count"] for r in json.load(open("block.json"))["rows"]}
assert requests.get("7:%s W" % sys.argv[1]) == 50 and requests.get("7:%s R" % sys.argv[1]) == 20, requests
print(seen, "rows")
END
ends 0 "stat --spans has the same numbers ($out)"
losetup -d "$disk"

# A thread whose waits are known.
cat >waits.py <<'END'
import os, time
r, w = os.pipe()
if not os.fork():
    # From now on it waits, as long as this sleep at least.
    while open("/proc/%d/stat" % os.getppid()).read().split()[2] != "S":
        time.sleep(0.01)
    time.sleep(0.3)
    os.write(w, b"x")
    os._exit(0)
os.read(r, 10)
for _ in range(5):
    time.sleep(0.1)
print(os.getpid())
END
run ktrace record -q -a -s 64M -e "$events,syscalls:*,irq:*,irq_vectors:*,exceptions:page_fault_*" -o waits -- python3 waits.py
ends 0 'known waits are recorded'
pid=$out
run ktrace why --json -p "$pid" waits
ends 0 'why of a process'
printf '%s\n' "$out" >why.json

run python3 "$analyse/why.py" why.json
ends 0 'the sums are right'
run ktrace latency syscall --json -p "$pid" waits
ends 0 'latency of its calls'
printf '%s\n' "$out" >calls.json
run python3 - <<'END'
import json
t = json.load(open("why.json"))["threads"][0]
took = sum(r["total"] for r in json.load(open("calls.json"))["rows"] if r["name"] == "clock_nanosleep")
# In a call it waits, or it has a CPU, or waits for one.
spent = sum(t["states"][s]["total"] for s in ("running", "runnable", "preempted"))
reasons = {}
for r in t["reasons"]:
    call = r["reason"].split("(")[0]
    reasons[call] = reasons.get(call, 0) + r["total"]
assert reasons["read"] >= 299e6, reasons
# On a machine that stands still, a sleep may be short: its end is counted from before the call.
assert took - spent <= reasons["clock_nanosleep"] <= took, (took, spent, reasons)
assert sum(r["count"] for r in t["reasons"] if r["reason"].startswith("clock_nanosleep(")) >= 1
assert any(w["reason"].startswith("clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME") for w in t["worst"]), t["worst"]
# A timer has ended the sleeps, the child the read.
assert any("timer" in w["comm"].lower() or "hrtimer" in w["comm"].lower() for w in t["wakers"] if not w["tid"]), t["wakers"]
assert any(w["comm"] == "python3" and w["total"] >= 299e6 for w in t["wakers"]), t["wakers"]
END
ends 0 'the waits have their reasons and wakers'
finish_vm latency.sh
