# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
compass.py METADATA <LINES - does Trace Compass read the CTF export right?

LINES is what babeltrace2 prints.  The rules are those of Trace Compass (LttngKernelTrace,
Lttng27EventLayout to Lttng29EventLayout, and the handlers of its kernel analysis): it chooses the
names of events by the environment, casts these fields to numbers or text, and loses the view of
threads if an interrupt ends that has not begun.
"""
import collections
import re
import sys

NUMBER, TEXT = 'number', 'text'
TID = {'tid': NUMBER}
INTERRUPT = {'irq': NUMBER}
SOFTIRQ = {'vec': NUMBER}
NEEDS = {
    'sched_switch': {'prev_tid': NUMBER, 'prev_state': NUMBER, 'next_comm': TEXT,
                     'next_tid': NUMBER, 'next_prio': NUMBER},
    'sched_wakeup': {**TID, 'prio': NUMBER, 'target_cpu': NUMBER},
    'sched_waking': {**TID, 'prio': NUMBER, 'target_cpu': NUMBER},
    'sched_wakeup_new': {**TID, 'prio': NUMBER, 'target_cpu': NUMBER},
    'sched_migrate_task': {**TID, 'orig_cpu': NUMBER, 'dest_cpu': NUMBER},
    'sched_pi_setprio': {**TID, 'newprio': NUMBER},
    'sched_process_fork': {'parent_tid': NUMBER, 'child_comm': TEXT, 'child_tid': NUMBER},
    'sched_process_exec': {**TID, 'filename': TEXT},
    'sched_process_exit': TID,
    'sched_process_free': TID,
    'irq_handler_entry': {**INTERRUPT, 'name': TEXT},
    'irq_handler_exit': INTERRUPT,
    'irq_softirq_raise': SOFTIRQ,
    'irq_softirq_entry': SOFTIRQ,
    'irq_softirq_exit': SOFTIRQ,
    'timer_hrtimer_start': {'hrtimer': NUMBER, 'expires': NUMBER},
    'timer_hrtimer_expire_entry': {'hrtimer': NUMBER, 'now': NUMBER},
    'timer_hrtimer_expire_exit': {'hrtimer': NUMBER},
    'timer_hrtimer_cancel': {'hrtimer': NUMBER},
    'power_cpu_frequency': {'cpu_id': NUMBER, 'state': NUMBER},
}
VECTOR = 'x86_irq_vectors_'
EXITS = ('syscall_exit_', 'compat_syscall_exit_')
# What the kernel calls these events, and what Trace Compass would take for something else.
WRONG = re.compile(r'sys_|softirq_|hrtimer_|local_timer_|exit_syscall')

EVENT = re.compile(r'(\S+): \{ cpu_id = (\d+) \}.*, \{ (.*) \}$|(\S+): \{ cpu_id = (\d+) \}')
FIELD = re.compile(r'(\w+) = ("(?:[^"\\]|\\.)*"|\( .*? \)|\[ .*? \]|[^,]*)')
LOSS = re.compile(r'discarded')


def kind(value):
    """What a field is for a reader: an enumeration is neither a number nor text."""
    if value.startswith('"'):
        return TEXT
    return NUMBER if re.fullmatch(r'-?(0x)?[0-9A-Fa-f]+', value) else 'other'


def needs(name):
    if name.startswith(EXITS):
        return {'ret': NUMBER}
    if name.startswith(VECTOR):
        return {'vector': NUMBER}
    return NEEDS.get(name, {})


def environment(path):
    text = open(path).read()
    env = re.search(r'^env \{(.*?)^\};', text, re.M | re.S).group(1)
    return dict(re.findall(r'^\s*(\w+) = "?(.*?)"?;$', env, re.M))


def main():
    bad = []
    env = environment(sys.argv[1])
    if env.get('domain') != 'kernel' or env.get('tracer_name') != 'lttng-modules':
        bad.append('another tracer')
    if (int(env['tracer_major']), int(env['tracer_minor'])) < (2, 9):
        bad.append('an older layout')
    known, lines, alone = collections.Counter(), 0, 0
    begun = collections.defaultdict(set)
    for line in sys.stdin:
        match = EVENT.search(line)
        if not match:
            continue
        lines += 1
        name, cpu = match.group(1) or match.group(4), match.group(2) or match.group(5)
        fields = dict(FIELD.findall(match.group(3) or ''))
        if WRONG.match(name):
            bad.append(f'{name} is no name')
        for field, wanted in needs(name).items():
            if kind(fields.get(field, '')) != wanted:
                bad.append(f'{name}: {field} is no {wanted}: {fields.get(field)}')
        if needs(name):
            known[name] += 1
        if name.endswith('_without_entry'):
            alone += 1
        if name.startswith((VECTOR, 'irq_')):
            key = [fields[f] for f in ('irq', 'vec', 'vector') if f in fields]
            if name.endswith('_entry'):
                begun[cpu].add((name[:-len('_entry')], *key))
            elif name.endswith('_exit'):
                this = (name[:-len('_exit')], *key)
                if this not in begun[cpu]:
                    bad.append(f'{name} {key} has not begun on CPU {cpu}')
                begun[cpu].discard(this)
    for what in bad[:5]:
        print(what, file=sys.stderr)
    print(f'{lines} events, {sum(known.values())} known, {alone} without entry')
    print(' '.join(sorted(known)))
    sys.exit(bool(bad) or not lines)


main()
