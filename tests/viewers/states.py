#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# states.py PART WHOLE - states of threads in PART of a trace are those that they have in the WHOLE
# (both by ktrace export --to chrome): what is not exported does not change them
#
# A state may be left out or not known, or known for a shorter time.  If events are left out that
# show that a switch is missing, this need not be so.  Prints how many states are known.
import bisect
import collections
import decimal
import json
import sys


def states(path):
    """(begin, end, state) of each row, in ns."""
    trace = json.load(open(path, encoding='utf-8'), parse_float=decimal.Decimal)
    start = int(decimal.Decimal(trace['otherData']['start']) * 10**9)
    found = collections.defaultdict(list)
    for event in trace['traceEvents']:
        if event['ph'] == 'X' and event['cat'] == 'state':
            begin = start + int(event['ts'] * 1000)
            found[event['pid'], event['tid']].append(
                (begin, begin + int(event['dur'] * 1000), event['name']))
    return {row: sorted(list) for row, list in found.items()}


whole = states(sys.argv[2])
nr = 0
for row, found in states(sys.argv[1]).items():
    for begin, end, state in found:
        if state == 'unknown':
            continue
        nr += 1
        i = bisect.bisect_right(whole[row], (begin, 1 << 63))
        # Some may have no length.
        near = whole[row][max(0, i - 4):i + 1]
        if not any(b <= begin and end <= e and s == state for b, e, s in near):
            sys.exit(f'{row} is {state} {begin}-{end}, and in the whole {near}')
if not nr:
    sys.exit('no states')
print(nr)
