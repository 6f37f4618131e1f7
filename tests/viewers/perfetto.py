#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# perfetto.py TRACE EVENTS.json - what a Perfetto trace must hold beyond its syntax
#
# protoc takes the trace apart, by Perfetto's numbers of fields (perfetto.proto). Here it is
# checked that what an event refers to was there before, that slices of a track are inside of
# each other or apart, that a thread is in one state and on one CPU at a time, that arrows lead
# from one event to a later one, and that nothing is missing: EVENTS.json has the same events
# (ktrace export --to json).
import collections
import json
import re
import sys

from protoc import decode, one, parse, text, unknown

LOST_TID = 8388608


faults = collections.Counter()


def want(right, what):
    if not right:
        faults[what] += 1


def packets(path):
    lines = iter(decode(path, 'perfetto.proto', 'Trace'))
    for line in lines:
        assert line == 'packet {', line
        packet = parse(lines)
        want(not unknown(packet), 'a field that Perfetto has not')
        yield packet


KINDS = {'event_categories': 'category', 'event_names': 'name',
         'debug_annotation_names': 'argument', 'debug_annotation_string_values': 'value'}
interned = {kind: {} for kind in KINDS.values()}
tracks = {}
events = collections.defaultdict(list)  # by track
states = []
clock = None


def name_of(kind, message, number, literal):
    if number in message:
        iid = int(one(message, number))
        want(iid in interned[kind], f'{kind} is not interned')
        return interned[kind].get(iid)
    return text(one(message, literal)) if literal in message else None


def track_take(descriptor):
    uuid = int(one(descriptor, 'uuid'))
    parent = int(one(descriptor, 'parent_uuid', 0))
    want(uuid, 'track 0')
    want(not parent or parent in tracks, 'parent was not declared')
    named = 'process' in descriptor and 'process_name' in descriptor['process'][0]
    want(uuid not in tracks or named, 'track is declared twice')
    tracks[uuid] = descriptor


def event_take(packet, event, index):
    global clock
    time = int(one(packet, 'timestamp'))
    if 'timestamp_clock_id' in packet:
        want(one(packet, 'timestamp_clock_id') == '3', 'clock')
    else:
        clock += time
        time = clock
    want(one(packet, 'sequence_flags') == '2', 'needs what was interned, and does not say so')
    track = int(one(event, 'track_uuid'))
    want(track in tracks, 'track was not declared')
    arguments = {}
    for a in event.get('debug_annotations', []):
        name = name_of('argument', a, 'name_iid', 'name')
        want(name, 'argument without a name')
        if 'int_value' in a:
            arguments[name] = int(one(a, 'int_value'))
        else:
            arguments[name] = name_of('value', a, 'string_value_iid', 'string_value')
            want(arguments[name] is not None, 'argument without a value')
    events[track].append((time, index, one(event, 'type'), {
        'name': name_of('name', event, 'name_iid', 'name'),
        'category': name_of('category', event, 'category_iids', 'categories'),
        'arguments': arguments,
        'value': one(event, 'counter_value'),
        'flows': event.get('flow_ids', []),
        'ends': event.get('terminating_flow_ids', [])}))


def packet_take(packet, index):
    global clock
    want(one(packet, 'trusted_packet_sequence_id') == '1', 'sequence')
    if not index:
        want(one(packet, 'first_packet_on_sequence') == 'true', 'first packet')
        want(one(packet, 'sequence_flags') == '1', 'first flags')
        want(one(one(packet, 'trace_packet_defaults'), 'timestamp_clock_id') == '64', 'defaults')
        for c in packet['clock_snapshot'][0]['clocks']:
            if one(c, 'clock_id') == '64':
                clock = int(one(c, 'timestamp'))
    for group in packet.get('interned_data', []):
        for field, kind in KINDS.items():
            for entry in group.get(field, []):
                iid = int(one(entry, 'iid'))
                want(iid, 'interned as 0')
                want(iid not in interned[kind], 'interned twice')
                interned[kind][iid] = text(one(entry, 'text', '""'))
    if 'track_descriptor' in packet:
        track_take(packet['track_descriptor'][0])
    if 'track_event' in packet:
        event_take(packet, packet['track_event'][0], index)
    if 'generic_kernel_task_state_event' in packet:
        state = packet['generic_kernel_task_state_event'][0]
        want(one(packet, 'timestamp_clock_id') == '3', 'clock of a state')
        want(one(state, 'comm'), 'state without a name')
        states.append((int(one(packet, 'timestamp')), index, int(one(state, 'cpu')),
                       int(one(state, 'tid')), one(state, 'state')[len('TASK_STATE_'):]))


def check_tracks():
    flows = {}
    for track, found in events.items():
        depth = value = 0
        for time, index, kind, event in sorted(found, key=lambda e: e[:2]):
            if kind == 'TYPE_SLICE_BEGIN':
                depth += 1
                want(event['name'] is not None, 'slice without a name')
            elif kind == 'TYPE_SLICE_END':
                want(depth, 'end without a begin')
                depth -= 1
            elif kind == 'TYPE_COUNTER':
                want('counter' in tracks[track], 'counter on another track')
                of_losses = text(one(tracks[track], 'name')).startswith('events lost on CPU')
                want(not of_losses or int(event['value']) >= value, 'sum goes back')
                value = int(event['value'])
            for flow in event['flows']:
                want(flow not in flows, 'arrow begins twice')
                flows[flow] = time
        want(not depth, 'slice without an end')
    ended = set()
    for found in events.values():
        for time, index, kind, event in found:
            for flow in event['ends']:
                want(flow in flows and flows[flow] <= time, 'arrow ends that did not begin')
                want(flow not in ended, 'arrow ends twice')
                ended.add(flow)
    return len(flows)


# What these events say is the value of a counter: the fields with the value and of what it is.
COUNTED = {'power:cpu_frequency': ('state', ('cpu_id',), 'frequency of CPU', 'kHz'),
           'power:clock_set_rate': ('state', ('name',), 'clock', 'Hz'),
           'thermal:thermal_temperature': ('temp', ('thermal_zone',), 'temperature', 'm\u00b0C'),
           'kmem:rss_stat': ('size', ('mm_id', 'member'), 'memory of', 'B')}


def check_counters(path):
    """Each has the values of its events, at their times."""
    recorded, told = collections.defaultdict(list), collections.defaultdict(list)
    for line in open(path, encoding='utf-8', errors='replace'):
        event = json.loads(line)
        if event.get('event') in COUNTED:
            value, keys, words, unit = COUNTED[event['event']]
            fields = event['fields']
            name = ' '.join([words, *(str(fields[key]) for key in keys)]) + ', ' + unit
            recorded[name].append((event['time'], int(fields[value])))
    for track, found in events.items():
        name = text(one(tracks[track], 'name', '""'))
        if 'counter' in tracks[track] and not name.startswith('events lost on CPU'):
            told[name] += [(time, int(event['value'])) for time, _, _, event in found]
    want(told == recorded, f'counters: {dict(told)} instead of {dict(recorded)}')
    return len(told)


def check_states():
    """As Perfetto's importer follows them: who starts on a CPU takes it from who had it."""
    had, at = {}, {}
    for time, index, cpu, tid, state in sorted(states):
        want(tid, 'the idle thread')
        if state == 'RUNNING':
            other = at.get(tid)
            want(other is None or other == cpu, 'a thread on two CPUs')
            if cpu in had:
                # Its own state at this time may come later.
                at.pop(had[cpu], None)
            had[cpu] = tid
            at[tid] = cpu
        elif tid in at:
            want(at[tid] == cpu, 'a thread stops on another CPU than it ran on')
            want(had.get(cpu) == tid, 'a thread stops that did not run')
            had.pop(cpu, None)
            at.pop(tid)


def check_counts(path):
    recorded = collections.Counter()
    lost = 0
    for line in open(path, encoding='utf-8', errors='replace'):
        event = json.loads(line)
        if 'event' in event:
            recorded[event['event']] += 1
        else:
            lost += event.get('lost', 0)
    told = collections.Counter()
    sums = 0
    for track, found in events.items():
        for time, index, kind, event in found:
            if event['category'] in ('lost', 'state', 'wake'):
                if event['category'] == 'lost' and event['name'] == 'events lost':
                    sums += event['arguments']['count']
                continue
            if kind == 'TYPE_INSTANT' or kind == 'TYPE_SLICE_BEGIN':
                told[kind] += 1
            elif kind == 'TYPE_SLICE_END' and event['arguments'] and \
                    'end' not in event['arguments']:
                told[kind] += 1
    whole = sum(n for name, n in recorded.items() if name.startswith('call:'))
    events_told = sum(told.values()) + recorded['sched:sched_switch']
    want(events_told == sum(recorded.values()),
         f'{sum(recorded.values())} events, {whole} whole, of which it has {events_told}: {told}')
    want(sums == lost, f'{lost} lost events, of which it has {sums}')
    return sum(recorded.values()), lost


n = 0
for n, packet in enumerate(packets(sys.argv[1]), 1):
    packet_take(packet, n - 1)
nr_flows = check_tracks()
check_states()
nr_events, nr_lost = check_counts(sys.argv[2])
nr_counters = check_counters(sys.argv[2])
print(f'{n} packets, {nr_events} events, {nr_lost} lost, {len(tracks)} tracks, '
      f'{len(states)} states, {nr_flows} arrows, {nr_counters} counters')
for fault, times in faults.items():
    print(f'{times} times: {fault}')
sys.exit(bool(faults))
