# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""diff.py DIFF BEFORE AFTER - what `ktrace latency --json --diff` says (DIFF) is what it says of each
trace alone (BEFORE, AFTER); prints what is not."""
import json
import sys

diff, before, after = (json.load(open(name)) for name in sys.argv[1:])
sides = {"before": before, "after": after}
none = dict.fromkeys(("count", "total", "min", "median", "p90", "p99", "p999", "max", "errors"), 0)


def key(row):
    return row.get("kind"), row["name"]


def numbers(row):
    return {name: row[name] for name in none}


def same(what, got, want):
    if got != want:
        print(f"{what}: {got}, not {want}")


names = [key(row) for row in diff["rows"]]
same("names", sorted(names, key=str), sorted({key(row) for side in sides.values() for row in side["rows"]}, key=str))
for side, alone in sides.items():
    rows = {key(row): numbers(row) for row in alone["rows"]}
    for row in diff["rows"]:
        same(f"{side} {key(row)}", row[side], rows.get(key(row), none))
    same(f"{side} all", diff["all"][side], numbers(alone["all"]))
    for name, value in diff[side].items():
        same(f"{side} {name}", value, alone[name])
for row in diff["rows"] + [diff["all"]]:
    a, b = row["before"], row["after"]
    change = None
    if a["count"] and b["count"]:
        change = b["total"] - b["count"] * a["total"] // a["count"]
    same(f"change of {row.get('name')}", row["change"], change)
