# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Run by gdb: stops at each address of the lines that probe-words -a prints (file $WORDS), runs the words over the
# registers and the memory there, and compares with what gdb knows of the same variables.
# With $VALUES, writes to this file what gdb knows, a line for each value of each hit: ADDRESS NAME PATH VALUE.
import os
import re
import gdb

M = (1 << 64) - 1
REGISTERS = {'flags': 'eflags'}
for name in 'ax bx cx dx si di bp sp ip'.split():
    REGISTERS[name] = 'r' + name

places = {}
entries = set()
for line in open(os.environ['WORDS']):
    word = line.split()
    if word[0] == 'place' and word[2].endswith('+0x0'):
        entries.add(int(word[1], 16))
    if word[0] in ('value', 'refused'):
        places.setdefault(int(word[1], 16), []).append(line.rstrip('\n').split(' ', 5))

gdb.execute('set pagination off')
gdb.execute('set confirm off')
gdb.execute('set startup-with-shell off')
gdb.execute('starti', to_string=True)
process = gdb.selected_inferior()
base = 0
program = os.path.realpath(gdb.current_progspace().filename)
if open(program, 'rb').read(18)[16] == 3:
    for line in open('/proc/%d/maps' % process.pid):
        if line.rstrip().endswith(program):
            base = int(line.split('-')[0], 16)
            break


def register(name):
    return int(gdb.parse_and_eval('$' + REGISTERS.get(name, name))) & M


def number(word):
    return int(word, 0)


def run(words):
    at = register(words[0])
    i = 1
    while i < len(words):
        w = words[i]
        if w[0] == '@':
            at = int.from_bytes(bytes(process.read_memory(at, int(w[1:]))), 'little')
            i += 1
        elif w.isdigit() or w[:2] == '0x':
            n = number(w)
            op = words[i + 1]
            at = at + n if op == '+' else at - n if op == '-' else at & n if op == '&' else at >> n
            i += 2
        else:
            at += register(w) * number(words[i + 1])
            assert words[i + 2:i + 4] == ['*', '+']
            i += 4
        at &= M
    return at


# gdb has no symbol for what a class has for all of its objects.
class OfClass:
    def __init__(self, name):
        self.name = name

    def value(self, frame):
        frame.select()
        return gdb.parse_and_eval(self.name)


def symbol(name, frame):
    block = gdb.block_for_pc(frame.pc())
    static = block.static_block if block else None
    inner, outer = [], []
    while block and not block.is_static and not block.is_global:
        (outer if any(b.function for b in inner) else inner).append(block)
        block = block.superblock
    # gdb knows which namespaces are around the function.
    if not outer and not any(s.name == name for b in inner for s in b):
        found, of_class = gdb.lookup_symbol(name, frame.block())
        if found or of_class:
            return found or OfClass(name)
    # What a function was put into is not around it: it is meant only if the place is that function's.
    for block in inner + [static, static.global_block if static else None] + outer:
        for s in block or ():
            if s.name == name and not s.is_function and s.addr_class != gdb.SYMBOL_LOC_TYPEDEF:
                return s
    return None


# Members of a base class are those of the class.
def member(value, name):
    type = value.type.strip_typedefs()
    for field in type.fields():
        if field.is_base_class:
            try:
                return member(value[field], name)
            except KeyError:
                pass
        elif field.name == name:
            return value[field]
        elif not field.name and field.type.strip_typedefs().code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
            try:
                return member(value[field], name)
            except KeyError:
                pass
    raise KeyError(name)


def pointed(value):
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return value.referenced_value()
    return value.dereference()


REFERENCES = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


def follow(value, path):
    for part in re.findall(r'->[A-Za-z_0-9]+|\.[A-Za-z_0-9]+|\[\d+\]', path if path != '-' else ''):
        code = value.type.strip_typedefs().code
        if part[0] == '[':
            index = int(part[1:-1])
            if code in REFERENCES:
                value = value.referenced_value()
                continue
            if code == gdb.TYPE_CODE_PTR and value.type.strip_typedefs().target().strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
                value = value.dereference()
            value = value[index]
        elif part[0] == '-':
            value = member(pointed(value), part[2:])
        else:
            value = member(value, part[1:])
    return value


def plain(value):
    type = value.type.strip_typedefs()
    if type.code in REFERENCES:
        return int(value.referenced_value().address)
    if type.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):  # of one number
        return plain(value[type.fields()[0]])
    if type.code in (gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_MEMBERPTR):
        return int(value.cast(gdb.lookup_type('long')))
    return int(value)


late = []
counts = {'same': 0, 'refused': 0, 'refused with a value': 0, 'neither': 0, 'not known to gdb': 0}
wrong = 0
seen = set()
said = open(os.environ['VALUES'], 'w') if 'VALUES' in os.environ else None


def judge(line, frame, early=None):
    global wrong
    kind, _, name, path = line[:4]
    found = symbol(name, frame)
    try:
        value = follow(found.value(frame), path)
        value.fetch_lazy()
        theirs = plain(value)
    except (gdb.error, gdb.MemoryError, KeyError, AttributeError) as e:
        theirs = None
        why = str(e)
        if 'on DWARF stack' in why:
            counts['not known to gdb'] += 1
            return
    if kind == 'refused':
        if theirs is None:
            counts['refused'] += 1
        else:
            counts['refused with a value'] += 1
            print('# refused, but %#x: %s' % (theirs & M, ' '.join(line)))
        return
    if said and early is None:
        print(line[1], name, path, 'unread' if theirs is None else theirs, file=said)
    words, mask = line[5], M
    try:
        ours = run(words.split()) if early is None else early[0]
    except gdb.MemoryError:
        ours = None
    if ours is None and theirs is None:
        counts['neither'] += 1
    elif early is None and frame.pc() in entries and (ours is None or theirs is None or (ours ^ theirs) & mask):
        late.append((line, [ours]))
    elif ours is None or theirs is None or (ours ^ theirs) & mask:
        wrong += 1
        print('# not the same: %s: %s, not %s' % (' '.join(line), 'nothing' if ours is None else hex(ours & mask),
              why if theirs is None else hex(theirs & mask)))
    else:
        counts['same'] += 1


entries = {base + address for address in entries}
for address in places:
    gdb.execute('break *%#x' % (base + address), to_string=True)
hits = 0
while True:
    gdb.execute('continue', to_string=True)
    if not process.pid or hits > 2000:
        break
    frame = gdb.newest_frame()
    hits += 1
    for line in places.get(frame.pc() - base, []):
        judge(line, frame)
    seen.add(frame.pc())
    # Where a function begins, gdb looks where the parameters will be: what is there then?
    if late:
        gdb.execute('advance ' + frame.function().linkage_name, to_string=True)
        for line, early in late:
            judge(line, gdb.newest_frame(), early)
        late.clear()
print('# %s: %d of %d places, %d hits, %s' % (os.path.basename(program), len(seen), len(places), hits,
      ', '.join('%d %s' % (counts[k], k) for k in counts)))
print('result %d wrong %d same' % (wrong, counts['same']))
gdb.execute('kill') if process.pid else None
