#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# Markers of kernel modules.
# One kernel is enough: a marker is a table in the module.
. tests/kernel/lib.sh

here=$PWD
work=$(mktemp -d)
same=$PWD/build/user/tests/marker/same
parameters=/sys/module/ktrace_marked/parameters

# The events of a system in a trace, without times, tasks and CPUs.
events_of() {	# <trace> <system>
	ktrace report -q --format json "$1" | sed -n "s/^.*\"event\":\"$2:/\"/p"
}

dmesg -C
check "a module with markers" load_module ktrace-marked
check "they are events" is "$(ls $tree/events/ktrace_marked | tr '\n' ' ')" \
	"both bytes empty enabled enums exit init large longs mixed nothing off one place pointers shorts string strings ten two "
check "what is refused is told" grep -q \
	'ktrace: marker ktrace_marked:place at .*marked.c:[0-9]* refused: .*another format' \
	<<END
$(dmesg)
END
check "a marker's format" is \
	"$(sed -n 's/^	//p' $tree/events/ktrace_marked/strings/format | tr -d '\t\n')" \
	"field:__data_loc char[] literal;offset:0;size:4;signed:1;field:__data_loc char[] none;offset:4;size:4;signed:1;field:__data_loc char[] array;offset:8;size:4;signed:1;field:unsigned int round;offset:12;size:4;signed:0;"
check "names, from the words" is \
	"$(sed -n 's/^	field:[a-z ]* \([a-z_0-9]*\);.*/\1/p' $tree/events/ktrace_marked/ten/format | tr '\n' ' ')" \
	"arg1 arg2 arg3 arg4 arg5 a a_7 x arg9 arg10 "
check "markers are no tracepoints without an event" not grep -q '^ktrace:' $tree/undefined
check "the list has places" grep -qE \
	'^ktrace_marked:place .*/marked\.c:[0-9]+ places_hit:2 number %d$' $tree/markers
check "the list is complete" is "$(grep -c '^ktrace_marked:' $tree/markers)" 20

# Off.
objdump -d --no-show-raw-insn --disassemble=ktrace_marked_off \
	"$KTRACE_MODULES/ktrace-marked.ko" |
	sed -nE '/<ktrace_marked_off>:$/,/ret/{/<ktrace_marked_off>:$/!s/^[^\t]*\t([a-z0-9]*).*/\1/p}' \
		>$work/code
# The no-op has two or five bytes, like the jump that it becomes. If the kernel has
# return thunks, the end of a function is a jump too.
check "off, it is a no-op" is \
	"$(grep -vE 'endbr|call' $work/code | head -2 |
		sed 's/^xchg$/nopl/; s/^jmp$/ret/' | tr '\n' ' ')" "nopl ret "
sed 's/^/# /' $work/code

# Counts.
clean
put events/ktrace_marked/place/enabled 1
put events/ktrace_marked/one/enabled 1
put enabled 1
for number in 1 2 3; do
	echo $number >$parameters/places
done
echo 100 >$parameters/same
put enabled 0
read=$($bin/ktread -d $tree)
check "the buffers are sound" test $? = 0
check "both places of a name" is "$(count "$read" ktrace_marked:place)" 6
check "each hit" is "$(count "$read" ktrace_marked:one)" 100
check "no other" is "$(count "$read" ktrace_marked:two)" ''
clean

# A filter, and a second session.
put events/ktrace_marked/place/filter 'number < 0'
put events/ktrace_marked/place/enabled 1
mkdir $tree/sessions/second
put sessions/second/events/ktrace_marked/place/enabled 1
put sessions/second/enabled 1
put enabled 1
echo 7 >$parameters/places
put enabled 0
put sessions/second/enabled 0
check "a filter" is "$(count "$($bin/ktread -d $tree)" ktrace_marked:place)" 1
check "another session" is \
	"$(count "$($bin/ktread -d $tree/sessions/second)" ktrace_marked:place)" 2
put events/ktrace_marked/place/filter 0
rmdir $tree/sessions/second
clean

# Names of enumerations are in the module's file. It is searched beside its source file;
# newer kernels give that path from the module's folder on.
built=$KTRACE_MODULES/kernel/testmod
grep -q "^ktrace_marked:enums /" $tree/markers || cd "$built/.."

# The same source file in a program.
check "the module's are recorded" ktrace record -q -e 'ktrace_marked:*' -o $work/module -- \
	sh -c "echo 300 >$parameters/same"
export KTRACE_MARKERS=$work/programs
check "the program's are recorded" ktrace record -q -M 'same:*' -o $work/program -- "$same" 300
events_of $work/module ktrace_marked >$work/from_module
events_of $work/program same >$work/from_program
check "$(wc -l <$work/from_module) of the module are equal to those of the program" \
	cmp $work/from_module $work/from_program
check "there are as many as were hit" is "$(wc -l <$work/from_module)" 4500
diff $work/from_module $work/from_program | head -6 | cut -c1-200 | sed 's/^/# /'

# Enumerations have their names wherever the file is.
enums() {
	rm -rf $work/enums
	ktrace record -q -e ktrace_marked:enums -o $work/enums -- \
		sh -c "echo 2 >$parameters/same"
	ktrace report -q $work/enums | sed 's/.*colour=/colour=/' | tr '\n' ' '
}
cp "$built/ktrace-marked.ko" "$built/ktrace-queue.ko" $work
check "beside its source" is "$(enums)" 'colour=GREEN small=MORE colour=RED small=LESS '
mount -t tmpfs tmpfs "$built"
check "nowhere: numbers" is "$(enums)" 'colour=70000 small=1 colour=1 small=-1 '
cd $work/..
cp $work/ktrace-queue.ko ktrace_marked.ko
check "another file of its name: numbers" is "$(enums)" \
	'colour=70000 small=1 colour=1 small=-1 '
echo nonsense >ktrace-marked.ko
check "no module: numbers" is "$(enums)" 'colour=70000 small=1 colour=1 small=-1 '
mkdir -p "/lib/modules/$(uname -r)/updates/test"
cp $work/ktrace-marked.ko "/lib/modules/$(uname -r)/updates/test"
check "where modules are installed" is "$(enums)" \
	'colour=GREEN small=MORE colour=RED small=LESS '
rm -r "/lib/modules/$(uname -r)/updates/test"
cp $work/ktrace-marked.ko .
check "in the current folder" is "$(enums)" 'colour=GREEN small=MORE colour=RED small=LESS '
chown 1000 ktrace-marked.ko
check "somebody else's: numbers" is "$(enums)" 'colour=70000 small=1 colour=1 small=-1 '
check "his who called sudo" is "$(SUDO_UID=1000 enums)" \
	'colour=GREEN small=MORE colour=RED small=LESS '
rm ktrace-marked.ko ktrace_marked.ko
umount "$built"
cd "$here" || exit

# The module is unloaded and loaded while it is recorded.
cat >$work/coming <<END
for round in 1 2 3 4 5; do
	echo 10 >$parameters/same
	rmmod ktrace_marked || exit
	[ ! -e $tree/events/ktrace_marked ] || exit
	insmod $KTRACE_MODULES/ktrace-marked.ko
	echo 1 >$tree/events/ktrace_marked/one/enabled
done
echo 10 >$parameters/same
exit 7
END
ktrace record -q -e 'ktrace_marked:*' -o $work/gone -- sh $work/coming
check "it goes and comes while it is recorded" is $? 7
check "what it has written stays" is "$(events_of $work/gone ktrace_marked | grep -c '"one"')" 60
check "also that it went" is "$(events_of $work/gone ktrace_marked | grep -c '"exit"')" 1

# The module is loaded before ktrace.
umount $tree
for _ in 1 2 3; do
	awk '$1 ~ /^ktrace_/ && $1 !~ /marked|queue/ { print $1 }' /proc/modules |
		xargs -r rmmod 2>/dev/null
done
check "without ktrace, they do nothing" sh -c "rmmod ktrace && echo 5 >$parameters/same"
check "ktrace, after it" load_module ktrace
mount -t ktracefs ktracefs $tree
put events/ktrace_marked/one/enabled 1
put enabled 1
echo 5 >$parameters/same
put enabled 0
check "a module that was there before ktrace" is \
	"$(count "$($bin/ktread -d $tree)" ktrace_marked:one)" 5
clean
rmmod ktrace_marked

# A marker of another version of ktrace/marker.h: nothing behind its version is read.
dmesg -C
check "a marker of another version" load_module ktrace-other
check "is refused by its tracepoint's name" is "$(dmesg -t | grep ktrace_other)" \
	'ktrace: marker ktrace_other:other refused: it was built with another ktrace/marker.h'
check "and is no marker" is "$(get markers | sed -n 's/^\(ktrace_other:[^ ]*\).*/\1/p')" \
	ktrace_other:ours
rmmod ktrace_other

# A driver, in all contexts.
check "a driver" load_module ktrace-queue
put events/ktrace_queue/enabled 1
put enabled 1
dd if=/dev/zero of=/dev/ktrace-queue bs=100 count=500 conv=fsync status=none
dd if=/dev/zero of=/dev/ktrace-queue bs=20k count=50 conv=fsync status=none
put enabled 0
read=$($bin/ktread -d $tree)
check "the buffers are sound" test $? = 0
check "all requests, moved and done" is \
	"$(count "$read" ktrace_queue:submit) $(count "$read" ktrace_queue:move) $(count "$read" ktrace_queue:done)" \
	"550 550 550"
check "its bytes" is "$(cat /dev/ktrace-queue)" $((500 * 100 + 50 * 20480))
clean
rmmod ktrace_queue
rm -rf "$work"
