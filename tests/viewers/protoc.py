# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Messages of protocol buffers, taken apart by protoc: dictionaries of lists."""
import os
import re
import subprocess

here = os.path.dirname(os.path.realpath(__file__))


def parse(lines):
    """A message of protoc's text."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == '}':
            return message
        if line.endswith(' {'):
            name, value = line[:-2], parse(lines)
        else:
            name, value = line.split(': ', 1)
        message.setdefault(name, []).append(value)
    return message


def one(message, name, default=None):
    values = message.get(name, [default])
    assert len(values) == 1, f'{name} is there {len(values)} times'
    return values[0]


def text(value):
    """A string as protoc prints it."""
    return re.sub(rb'\\(\d{3})|\\(.)',
                  lambda m: bytes([int(m[1], 8)]) if m[1] else
                  {b'n': b'\n', b't': b'\t', b'r': b'\r'}.get(m[2], m[2]),
                  value[1:-1].encode()).decode()


def unknown(message):
    """Fields that have no name."""
    return [name for name in message if name.isdigit()] + [
        field for values in message.values() for value in values if isinstance(value, dict)
        for field in unknown(value)]


def decode(path, proto, kind):
    """The text of a file's only message, line by line."""
    with open(path, 'rb') as file:
        return subprocess.run(['protoc', '-I', here, f'--decode={kind}', proto], stdin=file,
                              stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
