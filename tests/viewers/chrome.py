#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# chrome.py TRACE EVENTS.json - what a trace of Chrome's Trace Event Format must hold: it is
# JSON, slices of a row are inside of each other or apart, arrows lead from one event to a later
# one, times are exact, and all of EVENTS.json is there (ktrace export --to json)
import collections
import decimal
import json
import sys

trace = json.load(open(sys.argv[1], encoding='utf-8'), parse_float=decimal.Decimal)
start = int(decimal.Decimal(trace['otherData']['start']) * 10**9)
faults = collections.Counter()


def want(right, what):
    if not right:
        faults[what] += 1


def ns(us):
    return int(us * 1000)


recorded, lost, times = collections.Counter(), 0, collections.defaultdict(collections.Counter)
for line in open(sys.argv[2], encoding='utf-8', errors='replace'):
    event = json.loads(line)
    if 'event' in event:
        recorded[event['event']] += 1
        times[event['event'].split(':')[1]][event['time'] - start] += 1
    else:
        lost += event.get('lost', 0)

names, arrows = {}, {}
told, sums = 0, 0
last = collections.Counter()
rows = set()
completes = collections.defaultdict(list)
slices = collections.defaultdict(list)
begins = collections.defaultdict(list)
for event in trace['traceEvents']:
    row = event['pid'], event['tid']
    phase = event['ph']
    if phase == 'M':
        names[row, event['name']] = event['args']['name']
        continue
    rows.add(row)
    if phase == 'B':
        want(event['ts'] >= last[row], 'a row goes back')
        last[row] = event['ts']
        begins[row].append(ns(event['ts']))
        told += 1
    elif phase == 'E':
        want(event['ts'] >= last[row], 'a row goes back')
        last[row] = event['ts']
        want(begins[row], 'end without a begin')
        if begins[row]:
            slices[row].append((begins[row].pop(), ns(event['ts'])))
        told += 'args' in event and 'end' not in event['args']
    elif phase == 'i':
        told += 1
        want(times[event['name']][ns(event['ts'])], 'an event has another time')
        times[event['name']][ns(event['ts'])] -= 1
    elif phase == 'X':
        want(event['dur'] >= 0, 'a length below 0')
        slices[row].append((ns(event['ts']), ns(event['ts']) + ns(event['dur'])))
        if event['cat'] == 'lost':
            sums += event['args']['count'] if event['name'] == 'events lost' else 0
        elif event['cat'] in ('cpu', 'state'):
            completes[row].append((ns(event['ts']), ns(event['dur'])))
        else:
            told += 1
    elif phase == 's':
        arrows[event['id']] = event['ts']
    elif phase == 'f':
        want(event['id'] in arrows and arrows[event['id']] <= event['ts'],
             'arrow ends that did not begin')
    else:
        want(False, 'phase ' + phase)
want(not any(begins.values()), 'slice without an end')
for row, found in slices.items():
    around = []
    for begin, end in sorted(found, key=lambda s: (s[0], -s[1])):
        while around and around[-1] <= begin:
            around.pop()
        want(not around or end <= around[-1], 'slices overlap')
        around.append(end)
for row in rows:
    want((row, 'thread_name') in names, 'row without a name')
for row, found in completes.items():
    end = 0
    for begin, length in sorted(found):
        want(begin >= end, 'a thread in two states, or a CPU with two threads')
        end = begin + length
told += recorded['sched:sched_switch']
want(told == sum(recorded.values()), f'{sum(recorded.values())} events, of which it has {told}')
want(sums == lost, f'{lost} lost events, of which it has {sums}')
print(f'{told} events, {lost} lost, {len(rows)} rows, {len(arrows)} arrows')
for fault, nr in faults.items():
    print(f'{nr} times: {fault}')
sys.exit(bool(faults))
