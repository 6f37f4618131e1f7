#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pprof.py PROFILE FOLDED - a profile for pprof has the stacks of FOLDED (ktrace export --to folded,
# with the same weights), and all that they refer to
#
# protoc takes it apart, by pprof's numbers of fields (pprof.proto).
import collections
import sys

from protoc import decode, one, parse, text, unknown

profile = parse(iter(decode(sys.argv[1], 'pprof.proto', 'Profile')))
if unknown(profile):
    sys.exit(f'fields that pprof has not: {unknown(profile)}')
texts = [text(value) for value in profile['string_table']]
if texts[0]:
    sys.exit('the first text must be empty')
functions = {one(function, 'id'): texts[int(one(function, 'name'))]
             for function in profile.get('function', [])}
names = {one(location, 'id'): functions[one(one(location, 'line'), 'function_id')]
         for location in profile.get('location', [])}
if '0' in {*names, *functions} or len(names) != len(profile.get('location', [])):
    sys.exit('a number of a location or function is 0, or there twice')
types = [(texts[int(one(kind, 'type'))], texts[int(one(kind, 'unit'))])
         for kind in profile['sample_type']]
default = [kind for kind, _ in types].index(texts[int(one(profile, 'default_sample_type'))])
got = collections.Counter()
for sample in profile.get('sample', []):
    if len(sample['value']) != len(types):
        sys.exit(f'{len(sample["value"])} values of {len(types)} kinds')
    stack = ';'.join(names[frame] for frame in reversed(sample['location_id']))
    got[stack] += int(sample['value'][default])
want = collections.Counter()
with open(sys.argv[2], encoding='utf-8') as file:
    for line in file:
        stack, weight = line.rstrip('\n').rsplit(' ', 1)
        want[stack] += int(weight)
if got != want:
    sys.exit(f'other stacks: {got - want}, {want - got}')
print(f'{len(want)} stacks, {sum(want.values())} {types[default][0]} in {types[default][1]}')
