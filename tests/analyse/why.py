#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
why.py WHY [EVENTS] - the sums that `ktrace why --json' tells of threads are their time, exactly;
and they are those that follow from the events alone

WHY is the JSON; EVENTS are as in sched.py, of a trace without losses in which each thread is on
one CPU at a time, and is not new.
"""
import collections
import json
import sys

from sched_events import of_line

WAITS = ("sleeping", "blocked", "stopped")


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def total(rows):
    return sum(row["total"] for row in rows)


def sums(thread):
    """All time is in one state, has one reason, and somebody else ran meanwhile."""
    who = f"thread {thread['tid']}"
    states = {name: s["total"] for name, s in thread["states"].items()}
    check(f"{who}: all", sum(states.values()), thread["wall"])
    check(f"{who}: wall", thread["end"] - thread["begin"], thread["wall"])
    for state in WAITS:
        of_state = [r for r in thread["reasons"] if r["state"] == state]
        check(f"{who}: {state} by reason", total(of_state), states[state])
        check(f"{who}: times of {state}", sum(r["count"] for r in of_state), thread["states"][state]["count"])
    check(f"{who}: instead", total(thread["instead"]) + thread["idle"] + thread["nobody"],
          states["runnable"] + states["preempted"])
    if total(thread["wakers"]) > sum(states[s] for s in WAITS):
        sys.exit(f"{who} was woken more than it slept")
    for wait in thread["worst"]:
        check(f"{who}: a wait", wait["end"] - wait["begin"], wait["ns"])
        if not thread["begin"] <= wait["begin"] <= wait["end"] <= thread["end"]:
            sys.exit(f"{who}: a wait is outside of its life")


def left(bits):
    if bits & 0x4c:
        return "stopped"
    if bits & 0x81:
        return "sleeping"
    return "blocked" if bits & 2 else "preempted"


def of_events(path):
    """By thread: state, and ns; and by thread and waker: ns."""
    states = collections.defaultdict(collections.Counter)
    wakers = collections.defaultdict(collections.Counter)
    now = {}
    current = {}
    first = last = None

    def change(tid, state, time):
        old, since = now.get(tid, ("unknown", first))
        states[tid][old] += time - since
        now[tid] = (state, time)
        return old, time - since

    for line in open(path, encoding="utf-8", errors="replace"):
        time, cpu, name, fields = of_line(line)
        first = last = time if first is None else first
        last = time
        if name == "sched_switch":
            prev, next_ = fields["prev_tid"], fields["next_tid"]
            if now.get(prev, ("", 0))[0] != "running":
                change(prev, "running", time)
            change(prev, left(fields["prev_state"]), time)
            change(next_, "running", time)
            current[cpu] = next_
        elif now.get(fields["tid"], ("unknown",))[0] in WAITS + ("unknown",):
            old, slept = change(fields["tid"], "runnable", time)
            if old in WAITS:
                wakers[fields["tid"]][current.get(cpu, 0)] += slept
    for tid in now:
        change(tid, "", last)
    return states, wakers


def main():
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    for thread in result["threads"]:
        sums(thread)
    told = f"{len(result['threads'])} threads"
    if len(sys.argv) > 2:
        states, wakers = of_events(sys.argv[2])
        for thread in result["threads"]:
            tid = thread["tid"]
            for name, s in thread["states"].items():
                check(f"{name} of {tid}", s["total"], states[tid][name])
            got = {row["tid"]: row["total"] for row in thread["wakers"]}
            check(f"who has woken {tid}", got, dict(wakers[tid]))
        told += f" in {sum(len(w) for w in wakers.values())} pairs"
    print(told)


if __name__ == "__main__":
    main()
