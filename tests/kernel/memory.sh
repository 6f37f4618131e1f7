#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Captures read the memory of the running program, and of no other.
. tests/kernel/lib.sh

load_module ktrace-test
# Then every program is loaded at the same address.
places=$(cat /proc/sys/kernel/randomize_va_space)
echo 0 >/proc/sys/kernel/randomize_va_space
first=$(sh -c 'sed -n "1s/-.*//p" /proc/$$/maps')
check "programs begin where they do" is "$first" 555555554000
address='1431655765 65536 * 16384 +'

put define 'raw/hit test_hit; u32 unsigned context; u64 u64 number'
check "a program that reads there" put capture \
	"raw/hit: u8 word: $address 8 bytes 8; u8 bytes: $address 16 bytes 16; char magic: $address 1 + string 3"

# readers COMMAND FILTER: how many hits by this command pass
readers() {
	put events/raw/hit/filter "context == 0 && $2" || return
	put events/raw/hit/enabled 1
	put reset 1
	put enabled 1
	sh -c "echo '$1' >$test_dir/run"
	put enabled 0
	put events/raw/hit/enabled 0
	count "$($bin/ktread $tree)" raw:hit
}
check "a program reads its own" is "$(readers 'task 50' '__unread == 0')" 50
check "which is what its file begins with" is "$(readers 'task 50' 'magic == ELF')" 50
check "kernel threads have hits" at_least "$(readers 'storm 1000' 'number > 0')" 1000
check "a kernel thread reads nothing of it" is "$(readers 'storm 1000' '__unread != 7')" 0

put events/raw/hit/filter 0
put capture none
put define '!raw/hit'
echo "$places" >/proc/sys/kernel/randomize_va_space
rmmod ktrace-test
clean
