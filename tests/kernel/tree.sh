#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Every control file, with everything that might be written to it.
# One kernel is enough: the files are those of ktrace itself.
. tests/kernel/lib.sh

put define 'kttree/waking sched_waking; ptr struct task_struct *p'
mkdir $tree/sessions/tree

files="enabled mode buffer_size reset pids define kernel_reads events/enabled
	events/kttree/enabled events/kttree/waking/enabled
	events/kttree/waking/filter sessions/tree/enabled sessions/tree/mode
	sessions/tree/buffer_size sessions/tree/reset
	sessions/tree/events/enabled sessions/tree/events/kttree/waking/filter"

state() {
	for file in $files; do
		case $file in
		*reset) ;;
		*) get $file ;;
		esac
	done
}

error_of() {
	case $1 in
	sessions/*) get sessions/tree/error ;;
	*) get error ;;
	esac
}

before=$(state)
for file in $files; do
	check "$file: all that is bad" is "$($bin/poke $tree/$file)" \
		"EINVAL E2BIG EINVAL EINVAL EINVAL 0"
	case $(error_of $file) in
	"$tree/$file: "?*) ;;
	*) echo "not ok - $file: the reason ($(error_of $file))" ;;
	esac
done
check "nothing has changed" is "$(state)" "$before"

for file in enabled events/enabled events/kttree/waking/enabled kernel_reads; do
	for text in 2 -1 on 01 '1 1' ' '; do
		check "$file: \"$text\"" refuses $file "$text" "0 or 1 is wanted"
	done
done
check "mode: an unknown one" refuses mode ring "discard or overwrite"
for text in 0 -1 4k5 1e6 0x 99999999999999999999 9000000000; do
	check "buffer_size: $text" refuses buffer_size $text ""
done
for size in 1:131072 131072:131072 131073:262144 1M:1048576 3000000:4194304; do
	put buffer_size ${size%:*}
	check "buffer_size: $size" is "$(get buffer_size)" ${size#*:}
done
put buffer_size 8589934592
check "a size that the machine has not is possible, but not enabled" \
	refuses enabled 1 "no memory"
put buffer_size 4194304
put enabled 1
check "mode: not while enabled" refuses mode overwrite "disable it first"
check "buffer_size: not while enabled" refuses buffer_size 1M "disable it first"
check "the same again is no change" put buffer_size 4194304
put enabled 0

for file in error info owner overflow tasks trace version undefined \
    events/kttree/waking/format events/kttree/waking/id; do
	check "$file cannot be written" not put $file 1
done
check "reset cannot be read" not get reset 2>/dev/null
check "no files can be made" not touch $tree/new 2>/dev/null
check "no directories but sessions" not mkdir $tree/events/new 2>/dev/null
check "no files can be removed" not rm $tree/enabled 2>/dev/null
check "no directories can be removed" not rmdir $tree/events 2>/dev/null
check "no files can be renamed" not mv $tree/mode $tree/moved 2>/dev/null
check "what is not there is not found" not get events/kttree/none/id 2>/dev/null
check "no buffer of a CPU that is not there" \
	not cat $tree/buffers/cpu77 2>/dev/null
check "nor under a name like it" not cat $tree/buffers/cpu00 2>/dev/null

check "the tree can be listed" \
	is "$(find $tree/events/kttree | LC_ALL=C sort | tr '\n' ' ')" \
	"$(printf "$tree/events/kttree%s " '' /enabled /waking /waking/enabled \
		/waking/filter /waking/format /waking/id)"
check "in parts, too" is "$(ls $tree/buffers | LC_ALL=C sort | tr '\n' ' ')" \
	"cpu0 cpu1 "

rmdir $tree/sessions/tree
put define '!kttree/waking'
clean
