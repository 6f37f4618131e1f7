#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
machine.py SEED CPUS THREADS EVENTS - a script for analyse-make: a machine on which threads run,
sleep, are woken and preempted at random, each on one CPU at a time
"""
import random
import sys


def main():
    seed, cpus, threads, events = map(int, sys.argv[1:])
    rnd = random.Random(seed)
    running = [0] * cpus
    asleep = list(range(100, 100 + threads))
    ready = []
    now = 0
    print(f"cpus {cpus}")
    print("type sched:sched_waking $comm pid prio target_cpu")
    for tid in asleep:
        print(f"known {tid} {tid} t{tid % 7}")
    for cpu in range(cpus):
        print(f"0 run {cpu} 0 0 swapper/{cpu}")
    for _ in range(events):
        now += 2 * rnd.randrange(1, 10000)
        cpu = rnd.randrange(cpus)
        if asleep and rnd.random() < 0.5:
            tid = asleep.pop(rnd.randrange(len(asleep)))
            ready.append(tid)
            how = rnd.choice(["event {} sched:sched_waking t{} {} 120 {}", "wakeup {} {}"])
            if how.startswith("event"):
                print(now, how.format(cpu, tid % 7, tid, rnd.randrange(cpus)))
                now += 2 * rnd.randrange(1, 100)
            print(now, f"wakeup {cpu} {tid} {rnd.randrange(cpus)} t{tid % 7}")
            continue
        prev = running[cpu]
        next_ = ready.pop(rnd.randrange(len(ready))) if ready else 0
        if prev == next_:
            continue
        state = 0
        if prev:
            state = rnd.choice([0, 1, 2, 0x80])
            (asleep if state else ready).append(prev)
        print(now, f"switch {cpu} {prev} {state} {next_} " + (f"t{next_ % 7}" if next_ else f"swapper/{cpu}"))
        running[cpu] = next_


main()
