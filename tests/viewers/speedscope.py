#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# speedscope.py PROFILE FOLDED [SCHEMA] - a profile for speedscope has the stacks of FOLDED (ktrace
# export --to folded), and is what its SCHEMA says (of npm's package speedscope)
import collections
import json
import sys

profile = json.load(open(sys.argv[1], encoding='utf-8'))
if sys.argv[3:]:
    import jsonschema
    jsonschema.validate(profile, json.load(open(sys.argv[3])))
names = [frame['name'] for frame in profile['shared']['frames']]
(samples,) = profile['profiles']
got = collections.Counter()
for stack, weight in zip(samples['samples'], samples['weights'], strict=True):
    got[';'.join(names[frame] for frame in stack)] += weight
want = collections.Counter()
for line in open(sys.argv[2], encoding='utf-8'):
    stack, weight = line.rstrip('\n').rsplit(' ', 1)
    want[stack] += int(weight)
if got != want or samples['endValue'] != sum(want.values()):
    sys.exit(f'other stacks: {got - want}, {want - got}')
print(f'{len(want)} stacks, {sum(want.values())} {samples["name"]}')
