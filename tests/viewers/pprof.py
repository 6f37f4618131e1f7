#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pprof.py PROFILE FOLDED [EVENTS] - a profile for pprof has the stacks of FOLDED (ktrace export --to
# folded, with the same weights), and all that they refer to; EVENTS is that without weights
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
if types[0] != ('events', 'count') or default != len(types) - 1 or len(types) != len(sys.argv) - 2:
    sys.exit(f'other kinds of values: {types}')
for sample in profile.get('sample', []):
    if len(sample['value']) != len(types):
        sys.exit(f'{len(sample["value"])} values of {len(types)} kinds')


def stacks_of(column):
    stacks = collections.Counter()
    for sample in profile.get('sample', []):
        stack = ';'.join(names[frame] for frame in reversed(sample['location_id']))
        stacks[stack] += int(sample['value'][column])
    return +stacks


def folded(path):
    stacks = collections.Counter()
    with open(path, encoding='utf-8') as file:
        for line in file:
            stack, weight = line.rstrip('\n').rsplit(' ', 1)
            stacks[stack] += int(weight)
    return stacks


want = folded(sys.argv[2])
if stacks_of(default) != want:
    sys.exit(f'other stacks: {stacks_of(default) - want}, {want - stacks_of(default)}')
# What has no such weight is left out there.
for stack, events in stacks_of(0).items() if len(types) > 1 else []:
    if stack in want and events > folded(sys.argv[3])[stack]:
        sys.exit(f'{events} events of {stack}')
print(f'{len(want)} stacks, {sum(want.values())} {types[default][0]} in {types[default][1]}')
