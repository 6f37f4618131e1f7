# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# judge.py WORDS VMLINUX FOLDER FUNCTION... - compares where variables of the kernel are with what perf
# probe says
#
# WORDS is what probe-words -l prints of places.  Writes to FOLDER the same places as texts of ktrace
# record (texts) and as kprobe events with perf's fetch arguments (events), for the guest.  Every second
# place is a line for ktrace, the others are an offset.  Behind them come the begins and the returns of the
# FUNCTIONs, with arguments and results as the kernel fetches them.
import re
import subprocess
import sys

PLACES_OF_FUNCTION = 2
SIZES = {8: 'x64', 4: 'x32', 2: 'x16', 1: 'x8'}


def places_read(path):
    places, place, text = [], None, None
    for line in open(path):
        word = line.rstrip('\n').split(' ', 5)
        if word[0] == 'text':
            text = word[1] if word[2] == '1' else None
        elif word[0] == 'place':
            symbol, offset = word[2].rsplit('+', 1)
            place = None
            # A line at several places would be several events.
            if text and word[3] == '-' and symbol.isidentifier():
                place = (symbol, int(offset, 16), {}, text)
                places.append(place)
        elif word[0] == 'value' and place and word[3] == '-':
            place[2][word[2]] = (word[5], int(word[4]))
    return [p for p in places if p[2]]


# "sp 16 + @8 4 + @4" as perf has it: +4(+16(%sp)), and a size.
def fetch_of(words, size):
    word = words.split()
    text, offset, i = '%' + word[0], 0, 1
    while i < len(word):
        if word[i][0] == '@':
            text = '%+d(%s)' % (offset, text)
            offset = 0
            size = int(word[i][1:])
            i += 1
        elif i + 1 < len(word) and word[i + 1] in '+-':
            offset += int(word[i]) if word[i + 1] == '+' else -int(word[i])
            i += 2
        else:
            return None, size
    return (None if offset else text), size


# Asks for all variables, then for those that it knows.
def perf_ask(vmlinux, symbol, offset, names):
    names = list(names)
    while names:
        done = subprocess.run(['perf', 'probe', '-k', vmlinux, '-D', '%s+%d %s' % (symbol, offset, ' '.join(names))],
                              capture_output=True, text=True)
        line = [l for l in done.stdout.split('\n') if l.startswith('p:')]
        if not done.returncode and len(line) == 1:
            return dict(a.split('=', 1) for a in line[0].split()[2:])
        bad = [n for n in names if re.search(r"'%s'|\b%s\b" % (n, n), done.stderr)]
        if not bad:
            return {}
        names = [n for n in names if n not in bad]
    return {}


def main():
    vmlinux, folder, *functions = sys.argv[2:]
    used, seen = {}, set()
    same = wrong = computed = unknown = asked = 0
    texts, events = open(folder + '/texts', 'w'), open(folder + '/events', 'w')
    for symbol, offset, values, text in places_read(sys.argv[1]):
        if used.get(symbol, 0) == PLACES_OF_FUNCTION or (symbol, offset) in seen:
            continue
        seen.add((symbol, offset))
        answers = perf_ask(vmlinux, symbol, offset, values)
        chosen = []
        for name, (words, size) in values.items():
            fetch, own = fetch_of(words, size)
            answer = answers.get(name)
            if answer is None or fetch is None:
                unknown += 1
                continue
            theirs, kind = answer.rsplit(':', 1)
            theirs = theirs.replace('+-', '-')
            bits = int(re.sub('[^0-9]', '', kind) or 0)
            if theirs == fetch and bits == 8 * own:
                same += 1
                chosen.append((name, theirs, own))
            elif theirs == '+0(%s)' % fetch:
                # perf takes a value that is computed (DW_OP_stack_value) for the address of one.
                computed += 1
            else:
                wrong += 1
                print('wrong %s+%d %s: %s (%s), perf %s' % (symbol, offset, name, fetch, words, answer), flush=True)
        if not chosen:
            continue
        used[symbol] = used.get(symbol, 0) + 1
        asked += 1
        name = 'at%d' % asked
        if asked % 2:
            text = '%s+%d' % (symbol, offset)
        texts.write('%s=%s %s\n' % (name, text, ' '.join('%s:x%d' % (n, 8 * s) for n, _, s in chosen)))
        events.write('p:kt/%s %s+%d %s\n' % (name, symbol, offset, ' '.join(
            '%s=%s:%s' % (n, f, SIZES[s]) for n, f, s in chosen)))
    # Of arguments that are int, ktrace extends the sign; the kernel knows no types.
    for i, function in enumerate(functions):
        texts.write('at%d=%s a=%%di:x64 b=$arg2:x32 c=$arg3:x32\n' % (1000 + i, function))
        events.write('p:kt/at%d %s a=%%di:x64 b=$arg2:x32 c=$arg3:x32\n' % (1000 + i, function))
        texts.write('at%d=%s%%return r=$retval:x32 a=%%ax:x64\n' % (2000 + i, function))
        # With fewer instances, returns of calls that sleep would be missed.
        events.write('r100:kt/at%d %s r=$retval:x32 a=%%ax:x64\n' % (2000 + i, function))
    print('%d places same %d wrong %d computed %d unknown %d' % (asked, same, wrong, computed, unknown))


main()
