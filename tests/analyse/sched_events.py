# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Events of the scheduler, as lines of `babeltrace2 --clock-seconds'."""
import re
import sys

LINE = re.compile(r"\[(\d+)\.(\d+)\] .*? (sched_\w+): \{ cpu_id = (\d+) \}, \{[^}]*\}, \{ (.*) \}")
FIELD = re.compile(r"(\w+) = (0x[0-9a-fA-F]+|-?\d+)")


def of_line(line):
    match = LINE.match(line)
    if not match:
        sys.exit(f"what is this? {line}")
    fields = {name: int(value, 0) for name, value in FIELD.findall(match[5])}
    return int(match[1]) * 10**9 + int(match[2]), int(match[4]), match[3], fields
