#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# firefox.py PROFILE CHROME [FOLDED] - what a profile for the Firefox Profiler must hold: its tables
# are whole, and it has all of CHROME (ktrace export --to chrome of the same trace), at the same times.
# With FOLDED (ktrace report --folded), each stack is one of these, also if it has none; in a trace of
# samples, all are there.  All threads that ran are there.
#
# Prints how many markers there are, and how many of them have stacks.
import collections
import decimal
import json
import re
import sys

profile = json.load(open(sys.argv[1], encoding='utf-8'), parse_float=decimal.Decimal)
chrome = json.load(open(sys.argv[2], encoding='utf-8'), parse_float=decimal.Decimal)
want, ran, opened = collections.Counter(), 0, collections.defaultdict(list)
runners = set()
for event in chrome['traceEvents']:
    row = event['pid'], event['tid']
    if event['ph'] == 'i':
        want[event['name'], event['ts'], None] += 1
    elif event['ph'] == 'B':
        opened[row].append(event)
    elif event['ph'] == 'E':
        begin = opened[row].pop()
        want[begin['name'], begin['ts'], event['ts']] += 1
    elif event['ph'] == 'X' and event['cat'] == 'cpu':
        ran += event['dur']
        runners.add(int(event['name'].rsplit(' ', 1)[1]))
    elif event['ph'] == 'X' and event['cat'] != 'state':
        want[event['name'], event['ts'], event['ts'] + event['dur']] += 1

folded = collections.Counter()
if len(sys.argv) > 3:
    for line in open(sys.argv[3], encoding='utf-8'):
        path, count = line.rstrip('\n').rsplit(' ', 1)
        folded[path] = int(count)


def path_of(thread, stack):
    """As folded has it: a blank or a semicolon would end the program's name."""
    names = []
    while stack is not None:
        func = thread['frameTable']['func'][thread['stackTable']['frame'][stack]]
        names.append(thread['stringArray'][thread['funcTable']['name'][func]])
        stack = thread['stackTable']['prefix'][stack]
    names.append(re.sub(r'[^!-:<-~]', '_', names.pop()))
    return ';'.join(reversed(names))


got, got_ran = collections.Counter(), 0
causes, samples, sampled = collections.Counter(), collections.Counter(), False
for thread in profile['threads']:
    strings = thread['stringArray']
    assert len(set(strings)) == len(strings), 'a string is there twice'
    for table in ('samples', 'markers', 'stackTable', 'frameTable', 'funcTable'):
        for name, column in thread[table].items():
            if isinstance(column, list):
                assert len(column) == thread[table]['length'], f'{table}.{name}'
    for prefix, frame in zip(thread['stackTable']['prefix'], thread['stackTable']['frame']):
        assert prefix is None or prefix < frame
    assert thread['samples']['time'] == sorted(thread['samples']['time'])
    assert all(s < thread['stackTable']['length'] for s in thread['samples']['stack'])
    if thread['samples']['weightType'] == 'samples':
        sampled = True
        for time, stack, weight in zip(thread['samples']['time'], thread['samples']['stack'],
                                       thread['samples']['weight']):
            assert weight == 1
            samples[path_of(thread, stack)] += 1
            got['sample', time * 1000, None] += 1
    else:
        got_ran += sum(thread['samples']['threadCPUDelta'])
    markers = thread['markers']
    for name, begin, end, phase, data in zip(
            markers['name'], markers['startTime'], markers['endTime'], markers['phase'],
            markers['data']):
        assert phase == (end is not None) and isinstance(data['what'], str)
        if 'cause' in data:
            causes[path_of(thread, data['cause']['stack'])] += 1
        got[strings[name], begin * 1000, None if end is None else end * 1000] += 1
if got != want:
    sys.exit(f'other markers: {list((got - want).items())[:5]}, {list((want - got).items())[:5]}')
if not sampled and got_ran != ran:
    sys.exit(f'threads ran for {got_ran} us, not {ran}')
missing = runners - {0} - {thread['tid'] for thread in profile['threads']}
if missing:
    sys.exit(f'threads that ran are not there: {sorted(missing)[:5]}')
# Samples of idle CPUs are markers of these.
stacks = samples + causes
if len(sys.argv) > 3 and (stacks - folded or sampled and stacks != folded):
    sys.exit(f'other stacks: {list((stacks - folded).items())[:3]}, '
             f'{list((folded - stacks).items())[:3]}')
print(sum(got.values()), sum(causes.values()))
