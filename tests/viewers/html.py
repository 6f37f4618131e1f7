#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# html.py PAGE CHROME EVENTS.json FOLDED - what a page of ktrace export --to html must hold: the browser is told
# that nothing may be fetched, no byte of the trace is in the page as it is, and its data has all that
# CHROME has (ktrace export --to chrome of the same trace): slices with their arguments, points,
# states, arrows, losses, of the same threads at the same times.  CPUs are those of EVENTS.json (ktrace export --to
# json), and so is who had a stack; all stacks together are those of FOLDED (ktrace export --to folded).
#
# The data is read as the comments of show/html/*.h say it is written, by another reader than
# that of the page.
import base64
import collections
import decimal
import hashlib
import itertools
import json
import re
import sys
import zlib

STEPS = ['state', 'slice', 'point', 'wake', 'loss']
COLUMNS = '''step time time.low state.thread state.bits state.begin slice.track slice.shape slice.length slice.length.low
    slice.end slice.cpu point.track point.shape point.cpu wake.track wake.shape wake.cpu wake.thread loss.cpu
    loss.length loss.count loss.cause loss.programs'''.split()
CALLERS = 'parent name steps time time.low thread cpu what frame'.split()
STATES = ['unknown', 'running', 'runnable', 'preempted', 'sleeping', 'blocked', 'stopped', 'dead']
ROW = 10000000  # what other rows of a thread have more than its number (show/chrome.c)
faults = collections.Counter()


def want(right, what):
    if not right:
        faults[what] += 1


def signed(value):
    return -(value + 1 >> 1) if value & 1 else value >> 1


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0
    want(not shift, 'a number is cut off')


def page_parts(page):
    found = re.findall(r'<script type="text/plain" id="(\w+)">([A-Za-z0-9+/=]*)</script>\n', page)
    want([name for name, _ in found] == ['head', 'names', 'tape', 'fields', 'stacks', 'texts'], 'parts')
    return {name: zlib.decompress(base64.b64decode(text, validate=True)) for name, text in found}


def check_page(page):
    """The page without its data is the same for all traces."""
    bare = re.sub(r'(<script type="text/plain" id="\w+">)[A-Za-z0-9+/=]*</script>', r'\1</script>', page)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', bare)[1].split()
    want(policy[:2] == ['default-src', "'none';"] and 'unsafe' not in str(policy), 'policy')
    for tag in ('style', 'script'):
        text = re.search(rf'<{tag}(?: type="module")?>(.*?)</{tag}>', bare, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        want(f"'sha256-{digest}'" in str(policy), f'{tag} is not the one that may be used')
    want(bare.count('<script') == 7, 'scripts')
    want(not re.search(r'''\b(src|href|action)\s*=\s*["']|url\(|@import|\b(fetch|XMLHttpRequest|WebSocket|import)\(|innerHTML''',
                       bare.split('</style>')[1]), 'something that could fetch')
    return hashlib.sha256(bare.encode()).hexdigest()


class Fields:
    """Rows of all shapes, one after another."""

    def __init__(self, shapes, words, data, texts):
        self.rows, self.next = [], [0] * len(shapes)
        at = 0
        for of, name, category, rows, *fields in shapes:
            columns = []
            for size in fields[1::2]:
                columns.append(list(self.values(data[at:at + size], texts)))
                want(len(columns[-1]) == rows, 'rows of a column')
                at += size
            self.rows.append([list(zip([words[f] for f in fields[::2]], row)) for row in zip(*columns)]
                             if columns else [[]] * rows)
        want(at == len(data), 'columns of fields')

    @staticmethod
    def values(data, texts):
        last = most = 0
        for value in varints(data):
            kind, code = value & 3, value >> 2
            if kind == 1:
                most += code >> 1 if code & 1 else 0
                yield texts[(most if code & 1 else code >> 1) - 1]
                continue
            last = last + signed(code) & (1 << 64) - 1
            yield hex(last) if kind == 2 else str(last - (1 << 64) if last >> 63 else last)

    def take(self, shape):
        self.next[shape] += 1
        return tuple(self.rows[shape][self.next[shape] - 1])


def columns_read(names, sizes, data):
    at, columns = 0, {}
    want(len(sizes) == len(names), 'columns')
    for name, (size, nr) in zip(names, sizes):
        columns[name] = list(varints(data[at:at + size]) if not name.endswith('low') else data[at:at + size])
        want(len(columns[name]) == nr, f'values of {name}')
        at += size
    want(at == len(data), 'bytes of columns')
    return columns


def calls_read(parts):
    """Each event with stacks: (time, cpu, event, tid or 0), and its frames as folded stacks have them."""
    head, names, texts = (json.loads(parts[name]) for name in ('head', 'names', 'texts'))
    c = columns_read(CALLERS, head['stacks'], parts['stacks'])
    tape = columns_read(COLUMNS, head['columns'], parts['tape'])
    paths, step = [], 0
    times = [0] + list(itertools.accumulate(signed(high << 8 | low) for high, low in zip(tape['time'], tape['time.low'])))
    for distance, name in zip(c['parent'], c['name']):
        paths.append((paths[-distance] if distance else []) + [texts[name]])
    for steps, high, low, thread, cpu, what, frame in zip(*(c[name] for name in CALLERS[2:])):
        step += steps
        yield (times[step] + signed(high << 8 | low), cpu, names['words'][what], names['threads'][thread - 1][0] if thread else 0), paths[frame]


def folded_read(path):
    """Names of programs are written in another way there."""
    found = collections.Counter()
    for line in open(path, encoding='utf-8', errors='replace'):
        stack, nr = line.rstrip('\n').rsplit(' ', 1)
        program, _, frames = stack.partition(';')
        found[plain(program), frames] += int(nr)
    return found


def plain(program):
    return re.sub('_+', '_', re.sub('[^!-:<-~]', '_', program))


def check_calls(parts, events, folded):
    stacks, recorded, nr = collections.Counter(), set(), 0
    for event in events:
        recorded.add((event['time'] - int(json.loads(parts['head'])['begin']), event['cpu'], event['event'], event['tid']))
    for call, (program, *frames) in calls_read(parts):
        want(call in recorded, f'nobody called so: {call}')
        nr += 1
        if frames != ['[not_recorded]']:
            stacks[plain(program), ';'.join(frames)] += 1
    for what, a, b in (('only in the page', stacks, folded), ('not in the page', folded, stacks)):
        for missing in list((a - b).items())[:4]:
            faults[f'a stack {what}: {missing}'] += 1
    return nr


def play(head, names, tape, fields):
    """Each step as (kind, time, columns, fields)."""
    columns = columns_read(COLUMNS, head['columns'], tape)
    for name in ('time', 'slice.length'):
        columns[name] = [high << 8 | low for high, low in zip(columns[name], columns.pop(name + '.low'))]
    steps, times = columns.pop('step'), columns.pop('time')
    columns = {name: iter(column) for name, column in columns.items()}
    time = 0
    for step, later in zip(steps, times):
        kind, time = STEPS[step], time + signed(later)
        values = {name.split('.')[1]: next(column) for name, column in columns.items() if name.startswith(kind + '.')}
        yield kind, time, values, fields.take(values['shape']) if 'shape' in values else ()
    want(not any(list(column) for column in columns.values()), 'values without a step')


def owner_of(names, values):
    """The number of the thread whose track it is; 0: of none, or an idle one."""
    thread = names['tracks'][values['track']][2]
    return names['threads'][thread - 1][0] if thread else 0


def page_read(parts, cpus):
    head, names, texts = (json.loads(parts[name]) for name in ('head', 'names', 'texts'))
    words = names['words']
    fields = Fields(names['shapes'], words, parts['fields'], texts)
    found, last_end, last_wake = collections.Counter(), {}, {}
    for kind, time, v, row in play(head, names, parts['tape'], fields):
        if 'shape' in v:
            name, category = (words[names['shapes'][v['shape']][i]] for i in (1, 2))
        if kind == 'state':
            tid, _, cpu = names['threads'][v['thread']][:3]
            begin = time - (v['begin'] - 1) if v['begin'] else last_end[v['thread']]
            last_end[v['thread']] = time
            state = STATES[v['bits'] & 7]
            if tid:
                found['state', tid, state, begin, time] += 1
            if tid and state == 'running':
                found['run', v['bits'] >> 6, tid, begin, time] += 1
            if v['bits'] & 16 and tid:
                found['arrow', last_wake[v['thread']], begin] += 1
        elif kind == 'slice':
            found['slice', owner_of(names, v), category, name, max(0, time - v['length']), time, row] += 1
            cpus.append((max(0, time - v['length']), v['cpu']))
        elif kind in ('point', 'wake'):
            found['point', owner_of(names, v), name, time, row] += 1
            cpus.append((time, v['cpu']))
            if kind == 'wake':
                last_wake[v['thread']] = time
        elif kind == 'loss':
            want(v['programs'] <= 1, 'a loss of programs or not')
            found['loss', v['cpu'], max(0, time - v['length']), time, v['count'], words[v['cause']]] += 1
    for track in names['tracks']:
        want(track[2] <= len(names['threads']), 'track of no thread')
    want(all(rows == n for (_, _, _, rows, *_), n in zip(names['shapes'], fields.next)), 'rows that nothing has')
    return head, found


def chrome_read(path):
    trace = json.load(open(path, encoding='utf-8'), parse_float=decimal.Decimal,
                      object_pairs_hook=lambda pairs: pairs)
    found, opened, wakes = collections.Counter(), collections.defaultdict(list), {}
    nr = 0
    for pairs in dict(trace)['traceEvents']:
        event = dict(pairs)
        row, phase = (event['pid'], event['tid']), event['ph']
        owner = event['tid'] % ROW if event['pid'] else 0
        arguments = tuple((name, str(value)) for name, value in event.get('args', ()))
        ts = int(event.get('ts', 0) * 1000)
        end = ts + int(event.get('dur', 0) * 1000)
        if phase == 'B':
            opened[row].append((event['cat'], event['name'], ts, arguments))
        elif phase == 'E':
            category, name, begin, first = opened[row].pop()
            found['slice', owner, category, name, begin, ts, first + arguments] += 1
        elif phase == 'i':
            found['point', owner, event['name'], ts, arguments] += 1
        elif phase == 's':
            wakes[event['id']] = ts
        elif phase == 'f':
            found['arrow', wakes[event['id']], ts] += 1
        elif phase == 'X' and event['cat'] == 'cpu':
            found['run', event['tid'] - 100000000, int(event['name'].rsplit(' ', 1)[1]), ts, end] += 1
        elif phase == 'X' and event['cat'] == 'state':
            found['state', event['tid'] - 90000000, event['name'], ts, end] += 1
        elif phase == 'X' and event['cat'] == 'lost':
            count = int(dict(arguments)['count']) if event['name'] == 'events lost' else 0
            found['loss', event['tid'] - 110000000, ts, end, count, dict(arguments)['cause']] += 1
        elif phase == 'X':
            found['slice', owner, event['cat'], event['name'], ts, end, arguments] += 1
    return found


def merged(found):
    """States that are not known and touch are one: the page has them so, unless something short is between them."""
    begins = {(key[1], key[3]): key for key in found if key[:1] + key[2:3] == ('state', 'unknown')}
    for key in sorted(begins.values(), key=lambda key: -key[3]):
        later = begins.get((key[1], key[4]))
        if later:
            whole = key[:4] + (later[4],)
            del found[key], found[later], begins[key[1], key[4]]
            found[whole] = 1
            begins[key[1], key[3]] = whole
    return found


page = open(sys.argv[1], encoding='ascii').read()
bare = check_page(page)
cpus = []
parts = page_parts(page)
head, got = page_read(parts, cpus)
events = [event for event in map(json.loads, open(sys.argv[3], encoding='utf-8', errors='replace')) if 'event' in event]
recorded = {(event['time'] - int(head['begin']), event['cpu']) for event in events}
calls = check_calls(parts, events, folded_read(sys.argv[4]))
# What began before the part that is in the page has a begin that is not.
want(all(pair in recorded or not pair[0] for pair in cpus), 'something was on another CPU')
want(sum(head['density']) == head['events'], 'the density has all events')
want(not head['leftOut'], 'events are left out')
expected = chrome_read(sys.argv[2])
got, expected = merged(got), merged(expected)
for what, a, b in (('only in the page', got, expected), ('not in the page', expected, got)):
    for missing in list((a - b).items())[:4]:
        faults[f'{what}: {missing}'] += 1
kinds = collections.Counter()
for key, nr in got.items():
    kinds[key[0]] += nr
print(', '.join(f'{kind}: {nr}' for kind, nr in sorted(kinds.items())), f'stacks: {calls}, page {bare[:8]}')
for fault, times in faults.items():
    print(f'{times} times: {fault}')
sys.exit(bool(faults))
