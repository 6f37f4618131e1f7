#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
timehist.py TIMEHIST LATENCY - `perf sched timehist' has found the same waits for a CPU as
`ktrace latency sched --json' in a recording of the same run

Both have recorded the same events, but not at the same nanosecond: one after the other, and an
emulated machine may be stopped in between. So most waits must be there in both and nearly as
long, not all. perf leaves out those of threads that were woken just before they slept, which it
calls time travel. Its times have six digits behind the point.
"""
import bisect
import collections
import json
import re
import sys

LINE = re.compile(r"\s*(\d+\.\d+) \[\d+\]\s+.*?\[(\d+)(?:/\d+)?\]\s+[\d.]+\s+([\d.]+)\s+([\d.]+)")
NEAR = 1000  # us


def perf_waits(path):
    """By thread: when it began to run, and how long it had waited then, in us."""
    waits = collections.defaultdict(list)
    begin = end = None
    for line in open(path, encoding="utf-8", errors="replace"):
        match = LINE.match(line)
        if not match:
            continue
        end = float(match[1]) * 1e6
        begin = begin or end
        if float(match[3]) > 0:
            waits[int(match[2])].append((end - float(match[4]) * 1000, float(match[3]) * 1000))
    for of_thread in waits.values():
        of_thread.sort()
    return waits, begin, end


def main():
    perf, begin, end = perf_waits(sys.argv[1])
    nr, off = 0, []
    for wait in json.load(open(sys.argv[2], encoding="utf-8"))["worst"]:
        ran, waited = wait["end"] / 1000, wait["ns"] / 1000
        if ran - waited < begin or ran > end:
            continue
        nr += 1
        others = perf[wait["tid"]]
        at = bisect.bisect_left(others, (ran,))
        near = [(abs(ran - o[0]), abs(waited - o[1])) for o in others[max(at - 1, 0):at + 1]]
        if near and min(near)[0] < NEAR:
            off.append(min(near)[1])
    off.sort()
    median = off[len(off) // 2] if off else 0
    print(f"{nr} waits, {nr - len(off)} only here; they differ by {median:.1f} us (median), "
          f"{off[len(off) * 9 // 10]:.1f} us (90 %)")
    if nr < 500 or len(off) < nr * 0.95 or median > NEAR / 10:
        sys.exit("these are not the same")


main()
