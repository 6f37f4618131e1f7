#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
chain.py CHAIN [EVENTS] - the paths that `ktrace why --chain --json' tells have a piece for each
moment of their interval, and just one; and they are those that follow from the events alone

CHAIN is the JSON; EVENTS are as in sched.py, of a trace without losses in which each thread is on
one CPU at a time, and is not new.
"""
import bisect
import collections
import json
import sys

from sched_events import of_line
from why import WAITS, left

DEEP = 64


def check(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, not {want}")


def is_whole(path):
    """Pieces add up, and followed waits have their pieces in them."""
    who = f"{path['name']} of {path['tid']}"
    check(f"{who}: wall", path["end"] - path["begin"], path["wall"])
    check(f"{who}: by thread", sum(r["total"] for r in path["threads"]), path["wall"])
    check(f"{who}: by reason", sum(r["total"] for r in path["reasons"]), path["wall"])
    pieces = [p for p in path["path"] if not p["followed"]]
    check(f"{who}: all pieces", sum(p["ns"] for p in pieces) + path["shorter"]["total"], path["wall"])
    count = len(pieces) + path["shorter"]["count"]
    for rows in "threads", "reasons":
        check(f"{who}: pieces by {rows}", sum(r["count"] for r in path[rows]), count)
    if not path["shorter"]["count"]:
        now = path["begin"]
        for p in pieces:
            check(f"{who}: the next piece", p["begin"], now)
            check(f"{who}: its length", p["end"] - p["begin"], p["ns"])
            now = p["end"]
        check(f"{who}: the last piece", now, path["end"])
    for p in path["path"]:
        if p["state"] in ("runnable", "preempted"):
            instead = sum(i["ns"] for i in p["instead"]) + p["others"] + p["idle"] + p["unknown"]
            check(f"{who}: who ran instead", instead, p["ns"])
        elif p["followed"] and not path["shorter"]["count"]:
            inside = [q for q in pieces if q["depth"] > p["depth"] and p["begin"] <= q["begin"] and q["end"] <= p["end"]]
            check(f"{who}: what is in a wait", sum(q["ns"] for q in inside), p["ns"])
            check(f"{who}: the waker was last", (inside[-1]["tid"], inside[-1]["depth"], inside[-1]["end"]),
                  (p["waker_tid"], p["depth"] + 1, p["end"]))


class Machine:
    """What each thread did, from the events: lists of (begin, end, state, waker)."""

    def __init__(self, path, begin):
        self.past = collections.defaultdict(list)
        self.current = {}
        self.switched = set()
        now = {}
        time = first = 0

        def change(tid, state, waker=None):
            if tid in now:
                since, old = now[tid]
                if time > since:
                    self.past[tid].append((since, time, old, waker))
            now[tid] = (time, state)

        for line in open(path, encoding="utf-8", errors="replace"):
            time, cpu, name, fields = of_line(line)
            # The events have the time of the day.
            first = first or time
            time += begin - first
            if name == "sched_switch":
                prev, next_ = fields["prev_tid"], fields["next_tid"]
                if now.get(prev, (0, ""))[1] != "running":
                    change(prev, "running")
                change(prev, left(fields["prev_state"]))
                change(next_, "running")
                self.current[cpu] = next_
                if cpu not in self.switched:
                    self.since = time
                self.switched.add(cpu)
                continue
            tid = fields["tid"]
            if now.get(tid, (0, "unknown"))[1] in WAITS + ("unknown",):
                # Who, and is that sure?
                waker = (self.current.get(cpu, 0) if name == "sched_waking" else None,
                         cpu in self.switched)
                change(tid, "runnable", waker)
        for tid in list(now):
            change(tid, "")
        self.begins = {tid: [p[0] for p in past] for tid, past in self.past.items()}

    def before(self, tid, time):
        i = bisect.bisect_left(self.begins.get(tid, []), time)
        if not i:
            return 0, time, "unknown", None
        begin, end, state, waker = self.past[tid][i - 1]
        # It ran although nobody has been seen to wake it.
        if state in WAITS and end == time and waker and waker[0] is None:
            state = "unknown"
        return begin, end, state, waker

    def path(self, tid, begin, end, depth=0):
        """The last piece first."""
        time = end
        while time > begin:
            since, until, state, waker = self.before(tid, time)
            since = max(since, begin)
            if state in WAITS and until == time and waker and waker[0] and waker[1] and depth + 1 < DEEP:
                yield from self.path(waker[0], since, time, depth + 1)
            else:
                yield since, time, tid, state, depth
            time = since


def main():
    result = json.load(open(sys.argv[1], encoding="utf-8"))
    for path in result["paths"]:
        is_whole(path)
    told = f"{len(result['paths'])} paths"
    if len(sys.argv) > 2:
        machine = Machine(sys.argv[2], result["begin"])
        pieces = deepest = 0
        for path in result["paths"]:
            want = list(machine.path(path["tid"], path["begin"], path["end"]))[::-1]
            sums = collections.Counter()
            for since, until, tid, state, depth in want:
                sums[tid, state] += until - since
                deepest = max(deepest, depth)
            got = {(r["tid"], r["state"]): r["total"] for r in path["threads"]}
            check(f"states of the path of {path['tid']}", got, dict(sums))
            check("pieces", sum(r["count"] for r in path["threads"]), len(want))
            if not path["shorter"]["count"]:
                check(f"path of {path['tid']}", [(p["begin"], p["end"], p["tid"], p["state"], p["depth"])
                                                 for p in path["path"] if not p["followed"]], want)
            pieces += len(want)
            # Who ran before the first switch of a CPU is not known, nor where one was to run that did not.
            for p in path["path"]:
                if p.get("unknown") and p["begin"] > machine.since:
                    check(f"who ran instead of {p['tid']}", p["end"], result["end"])
        told += f" of {pieces} pieces, {deepest} deep"
    print(told)


if __name__ == "__main__":
    main()
