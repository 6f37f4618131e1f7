#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# firefox.py PROFILE CHROME - what a profile for the Firefox Profiler must hold: its tables are whole,
# and it has all of CHROME (ktrace export --to chrome of the same trace), at the same times
#
# Prints how many markers there are.
import collections
import decimal
import json
import sys

profile = json.load(open(sys.argv[1], encoding='utf-8'), parse_float=decimal.Decimal)
chrome = json.load(open(sys.argv[2], encoding='utf-8'), parse_float=decimal.Decimal)
want, ran, opened = collections.Counter(), 0, collections.defaultdict(list)
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
    elif event['ph'] == 'X' and event['cat'] != 'state':
        want[event['name'], event['ts'], event['ts'] + event['dur']] += 1

got, got_ran = collections.Counter(), 0
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
    got_ran += sum(thread['samples']['threadCPUDelta'])
    markers = thread['markers']
    for name, begin, end, phase, data in zip(
            markers['name'], markers['startTime'], markers['endTime'], markers['phase'],
            markers['data']):
        assert phase == (end is not None) and isinstance(data['what'], str)
        got[strings[name], begin * 1000, None if end is None else end * 1000] += 1
if got != want:
    sys.exit(f'other markers: {list((got - want).items())[:5]}, {list((want - got).items())[:5]}')
if got_ran != ran:
    sys.exit(f'threads ran for {got_ran} us, not {ran}')
print(sum(got.values()))
