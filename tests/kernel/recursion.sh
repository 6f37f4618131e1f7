#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Tracing must not trace itself endlessly. Reading the memory that an event points to
# may fault, and a fault is an event whose address cannot be read either.
. tests/kernel/lib.sh

# The kernel writes to new memory, so there is a page fault in the kernel for each page.
# Not with huge pages: if the memory begins at 2 MiB, two faults are enough for all of it.
huge=/sys/kernel/mm/transparent_hugepage/enabled
huge_before=$(sed 's/.*\[\(.*\)\].*/\1/' $huge)
echo never >$huge
fault() {
	dd if=/dev/zero of=/dev/null bs=4M count=4 2>/dev/null
}

put define 'x/fault page_fault_kernel; ptr void* address; ptr void* regs; u64 u64 code'
check "a program that reads where the fault is" put capture 'x/fault: u8 word: a0 8 bytes 8; u8 text: a0 16 bytes 16; char string: a0 string 64'
put events/x/fault/enabled 1
put enabled 1
fault
put enabled 0
read=$($bin/ktread $tree)
check "the buffers are sound" test $? = 0
recorded=$(count "$read" x:fault)
check "faults are recorded" at_least "$recorded" 100
lost=$(number "$read" total recursion)
check "those that reading causes are lost, and counted" at_least "$lost" "$recorded"
# Three fields; each read may be tried a second time in another way.
check "and no more than reading causes" at_least $((recorded * 6)) "$lost"

# Another session reads the same memory: two sessions must not recurse endlessly either.
mkdir $tree/sessions/other
check "in another session too" put sessions/other/capture 'x/fault: u8 word: a0 8 bytes 8'
put sessions/other/events/x/fault/enabled 1
put sessions/other/enabled 1
put reset 1
put enabled 1
fault
put sessions/other/enabled 0
put enabled 0
for session in . sessions/other; do
	read=$($bin/ktread $tree/$session)
	check "$session: the buffers are sound" test $? = 0
	check "$session: faults are recorded" at_least "$(count "$read" x:fault)" 100
	check "$session: some are lost" at_least "$(number "$read" total recursion)" 100
done
rmdir $tree/sessions/other

# Faults that are caused by captures of other events are ordinary events.
clean
load_module ktrace-syscalls
put capture 'syscalls/sys_enter_openat: char name: a1 string 4095'
put events/syscalls/sys_enter_openat/enabled 1
put events/x/fault/enabled 1
put enabled 1
# Not busybox's, which opens no libraries.
/bin/ls /usr/lib >/dev/null
put enabled 0
read=$($bin/ktread $tree)
check "with system calls: the buffers are sound" test $? = 0
check "with system calls: they are recorded" \
	at_least "$(count "$read" syscalls:sys_enter_openat)" 5
clean
put capture none
put define '!x/fault'
rmmod ktrace-syscalls
echo "$huge_before" >$huge
