#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Loading, mounting, unloading.
. tests/kernel/lib.sh

mode_of() {
	stat -c '%a %u %g' "$1"
}

check "mounted, for root only" is "$(mode_of $tree)" "700 0 0"
check "version" is "$(get version | cut -d' ' -f2)" 1
check "the trace's clock has a frequency" \
	at_least "$(sed -n 's/^frequency //p' $tree/trace)" 1000000
check "a sync has three numbers" \
	grep -qE '^sync [0-9]+ [0-9]+ [0-9]+$' $tree/trace
check "debugfs has a link" is "$(readlink /sys/kernel/debug/ktrace)" ../ktrace
check "unloading is refused while it is mounted" not rmmod ktrace 2>/dev/null

umount $tree
mount -t ktracefs -o mode=750,gid=44,uid=7 none $tree
check "mount options" is "$(mode_of $tree)" "750 7 44"
check "mount options hold for all files" \
	is "$(mode_of $tree/enabled)" "660 7 44"
mount -o remount,mode=700,gid=0,uid=0 $tree
check "remount" is "$(mode_of $tree) $(mode_of $tree/info)" \
	"700 0 0 440 0 0"
umount $tree
for options in mode=1777 mode=x uid=-1 gid=foo nonsense=1; do
	check "mount -o $options is refused" \
		not mount -t ktracefs -o $options none $tree 2>/dev/null
done

n=0
while [ $n -lt 5 ]; do
	n=$((n + 1))
	rmmod ktrace && load_module ktrace && mount -t ktracefs none $tree ||
		break
	put enabled 1
	umount $tree
done
check "unload and load, enabled" is $n 5
check "the mount point goes with the module" \
	sh -c "rmmod ktrace && ! [ -e $tree ] && ! [ -h /sys/kernel/debug/ktrace ]"
check "load again" load_module ktrace
mount -t ktracefs none $tree

other=/run/ktrace-other
mkdir $other
mount -t ktracefs none $other
put mode overwrite
check "a second mount shows the same tree" is "$(cat $other/mode)" overwrite
umount $other
mount -o remount,mode=750,gid=44,uid=7 $tree
mount -t ktracefs none $other
check "a second mount without options changes none" is "$(mode_of $tree)" "750 7 44"
umount $other
mount -t ktracefs -o gid=45 none $other
check "one with options changes those, for all" \
	is "$(mode_of $tree) $(mode_of $other/info)" "750 7 45 440 7 45"
umount $other
check "a second mount does not take bad ones" \
	not mount -t ktracefs -o mode=1777,gid=46 none $other 2>/dev/null
check "nor a part of them" is "$(mode_of $tree)" "750 7 45"
mount -o remount,mode=700,gid=0,uid=0 $tree
check "they can be taken back" is "$(mode_of $tree)" "700 0 0"
rmdir $other
clean
