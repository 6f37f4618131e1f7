# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# scopes.py - for gdb: where variables are at the addresses in the file $COPIES, which has lines
# "ADDRESS NAME"
import os

import gdb

for line in open(os.environ["COPIES"]):
    address, name = line.split()
    print("\n@" + name + " " + address)
    try:
        gdb.execute("info scope *0x" + address)
    except gdb.error:
        pass
