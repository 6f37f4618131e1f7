# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""System calls from deep in the interpreter: deep.py TIMES"""
import ctypes
import functools
import json
import os
import re
import sys
import threading


class Closed:
    def __del__(self):
        os.getppid()

    def __lt__(self, other):
        os.getppid()
        return id(self) < id(other)


def nested(depth):
    if depth == 0:
        os.getppid()
        return 0
    return functools.reduce(lambda a, b: a + nested(depth - 1), [depth], 0)


def generated(depth):
    if depth:
        yield from generated(depth - 1)
    os.getppid()
    yield depth


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
def compare(a, b):
    os.getppid()
    return a[0] - b[0]


def sort_by_c():
    numbers = (ctypes.c_int * 4)(4, 1, 3, 2)
    ctypes.CDLL(None).qsort(numbers, 4, 4, compare)


for number in range(int(sys.argv[1])):
    nested(number % 8)
    list(generated(5))
    sorted(Closed() for _ in range(5))
    re.sub("a", lambda match: str(os.getppid()), "abaca")
    json.loads('[{"a": 1}, {"b": 2}]', object_hook=lambda _: os.getppid())
    sort_by_c()
    thread = threading.Thread(target=nested, args=(3,))
    thread.start()
    thread.join()
    with open("/dev/null", "w") as file:
        print(number, file=file, flush=True)
