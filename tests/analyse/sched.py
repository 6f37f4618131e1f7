#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
sched.py EVENTS LATENCY - the waits for a CPU that `ktrace latency sched --json' tells are those
that follow from the events alone

EVENTS are lines of `babeltrace2 --clock-seconds', of a trace that has only events of the
scheduler, no losses, and each thread on one CPU at a time. LATENCY is the JSON.
"""
import json
import sys

from sched_events import of_line

TASK_DEAD = 0x10 | 0x20


class Threads:
    def __init__(self):
        self.state = {}  # by tid: (name, since)
        self.woken = []
        self.unbegun = 0
        self.preempted = []

    def switch(self, time, cpu, fields):
        prev, next_ = fields["prev_tid"], fields["next_tid"]
        if prev:
            bits = fields["prev_state"]
            if bits & TASK_DEAD:
                self.state[prev] = ("dead", time)
            else:
                self.state[prev] = ("asleep" if bits & 0xff else "preempted", time)
        if not next_:
            return
        state, since = self.state.get(next_, ("unknown", 0))
        if state == "woken":
            self.woken.append((time - since, since, time, next_, cpu))
        elif state == "preempted":
            self.preempted.append(time - since)
        elif state == "woken before":
            self.unbegun += 1
        self.state[next_] = ("runs", time)

    def wake(self, time, tid, name):
        if name == "sched_wakeup" and tid not in self.state:
            # sched_waking comes before.
            self.state[tid] = ("woken before", time)
        elif tid and self.state.get(tid, ("asleep", 0))[0] in ("asleep", "dead", "unknown"):
            self.state[tid] = ("woken", time)


def quantile(values, permille):
    rank = -(-len(values) * permille // 1000)
    return sorted(values)[max(rank, 1) - 1]


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def compare(what, numbers, values):
    check(f"count of {what}", numbers["count"], len(values))
    if not values:
        return
    check(f"total of {what}", numbers["total"], sum(values))
    check(f"min of {what}", numbers["min"], min(values))
    check(f"max of {what}", numbers["max"], max(values))
    for name, permille in (("median", 500), ("p90", 900), ("p99", 990), ("p999", 999)):
        want = quantile(values, permille)
        if abs(numbers[name] - want) > want / 100:
            sys.exit(f"{name} of {what}: {numbers[name]} is not near {want}")
    for part in numbers["histogram"]:
        want = sum(part["from"] <= v < part["to"] for v in values)
        check(f"{what} from {part['from']}", part["count"], want)


def main():
    threads = Threads()
    offset = None
    result = json.load(open(sys.argv[2], encoding="utf-8"))
    for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
        time, cpu, name, fields = of_line(line)
        # The lines have the time of day.
        if offset is None:
            offset = time - result["begin"]
        if name == "sched_switch":
            threads.switch(time - offset, cpu, fields)
        elif name in ("sched_waking", "sched_wakeup", "sched_wakeup_new"):
            threads.wake(time - offset, fields["tid"], name)
    compare("waits", result["all"], [w[0] for w in threads.woken])
    compare("waits of preempted threads", result["preempted"], threads.preempted)
    check("waits without a begin", result["left"]["unbegun"], threads.unbegun)
    worst = result["worst"]
    threads.woken.sort(key=lambda w: (-w[0], w[2]))
    check("the worst", [(w["ns"], w["begin"], w["end"], w["tid"], w["cpu"]) for w in worst],
          threads.woken[:len(worst)])
    for w in worst:
        parts = sum(i["ns"] for i in w["instead"]) + w["others"] + w["idle"] + w["unknown"]
        check("what ran instead", parts, w["ns"])
    print(f"{len(threads.woken)} waits, {len(threads.preempted)} of preempted threads")


if __name__ == "__main__":
    main()
