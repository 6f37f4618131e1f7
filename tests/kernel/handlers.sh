#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# What happens when markers of kernel modules are hit: printing, probes, BPF programs,
# and recording of markers that are forced or that match a session's patterns.
. tests/kernel/lib.sh
# On some kernels, the paths of sources in markers begin in this folder.  From another one, each
# module's file would be looked for in all of /lib/modules.
cd "$KTRACE_MODULES/kernel" || exit 1

parameters=/sys/module/ktrace_printed/parameters
marked=/sys/module/ktrace_marked/parameters
watch=/sys/module/ktrace_watch/parameters

# What was printed by a marker since the log was cleared.
printed() {	# NAME
	dmesg -t | sed -n "s/^ktrace_printed:$1: //p"
}

# ---- print ------------------------------------------------------------------------

check "a module" load_module ktrace-printed
dmesg -C
echo 1 >$parameters/all
check "nothing is printed unasked" is "$(dmesg -t | grep -c ktrace_printed)" 0
check "printing is on" put print 'ktrace_printed:*'
check "the file says so" is "$(get print)" 'ktrace_printed:*'
echo 1 >$parameters/all
check "numbers are printed" is "$(printed numbers)" \
	"d -1 u 4294967295 x 0xff hhd -56 hd -3 ld -70000000000 llu 9223372036854775808 b 1"
check "widths" is "$(printed widths)" "|    1|2    |00003|+4|005|     7|8   |"
check "nothing but text" is "$(printed nothing)" "100% of nothing"
check "strings" is "$(printed strings)" \
	"s text none (null) fault (fault) cut cu wide |  wide| array abcd"
check "a large string is cut" is "$(printed large | tr -cd x | wc -c)" 240
check "what follows it is not" is "$(printed large | tr -d x)" "large  end"
check "it is one line" is "$(printed control)" "two lines in one"
check "letters" is "$(printed letters)" ok
check "bytes" is "$(printed bytes)" \
	"mac 52:54:00:12:34:56 ip 192.168.0.1 plain 525400123456 dump 52 54 00 short c0a80001"
check "pointers" is "$(printed pointers | sed 's/file .*/file/')" \
	"there 52:54:00:12:34:56 bad (fault) raw 0000000000001234 file"
check "a forced one, too" is "$(printed forced)" "number 42"

dmesg -C
echo 100 >$parameters/many
sleep 6
echo 1 >$parameters/many
check "so many lines in an interval" is "$(printed many | grep -c '^number')" 11
check "the others are counted" is "$(dmesg -t | grep 'left out')" \
	"ktrace_printed:many: 90 lines were left out"
check "also in a file" is "$(get printed | sed -n 's/^ktrace_printed:many .* p/p/p')" \
	"printed 11 left_out 90"
echo 100 >$parameters/many
dmesg -C
check "some no longer" put print '!many'
# 91 if the interval has ended in between.
check "what was left out at the end is said" is \
	"$(dmesg -t | sed -n 's/ 9[01] lines/ 9x lines/; /left out/p')" \
	"ktrace_printed:many: 9x lines were left out"
check "both patterns are shown" is "$(get print | tr '\n' ' ')" 'ktrace_printed:* !many '
dmesg -C
echo 5 >$parameters/many
check "they are not printed" is "$(printed many | wc -l)" 0
put print 'many'
check "a pattern replaces its opposite" is "$(get print | tr '\n' ' ')" 'ktrace_printed:* many '
for bad in '!' "$(printf 'a\001b')" "$(printf 'good\n!')"; do
	check "refused: $(printf %s "$bad" | tr '\n\001' '/?')" \
		refuses print "$bad" 'is no pattern of markers'
done
put print ''
check "all patterns are gone" is "$(get print)$(get printed)" ''

for pattern in '*/forced.c' '*/forced.c:ktrace_forced_hit' '*/forced.c:ktrace_forced_hit:1' \
	forced 'ktrace_printed:f*'; do
	put print "$pattern"
	dmesg -C
	echo 1 >$parameters/all
	check "printed by $pattern" is "$(dmesg -t | grep ktrace_printed)" \
		"ktrace_printed:forced: number 42"
	put print ''
done

# A marker that is hit while a console's lock is held, and one while a message is
# stored.
delicate=/sys/module/ktrace_console/parameters
load_module ktrace-console
dmesg -n 7
put print 'ktrace_console:*'
dmesg -C
echo 10 >$delicate/locked
check "no console is written to where the marker is" is "$(cat $delicate/deadlocks)" 0
check "but the log has all, in order" is \
	"$(dmesg -t | sed -n 's/^ktrace_console:locked: number //p' | tr '\n' ' ')" \
	"0 1 2 3 4 5 6 7 8 9 "
tries=200
until [ "$(cat $delicate/lines)" = 10 ] || [ $((tries -= 1)) = 0 ]; do
	sleep 0.1
done
check "and so has the console then" is "$(cat $delicate/lines)" 10
echo 1 >$delicate/nested
check "what is nested too deep to be stored is counted" is \
	"$(get printed | awk '/:nested / { print $4 + $6, ($6 > 0) }')" "$(cat $delicate/hits) 1"
check "what is stored too" is "$(dmesg -t | grep -c '^ktrace_console:nested: hit')" \
	"$(get printed | awk '/:nested / { print $4 }')"
put print ''
dmesg -n 5
rmmod ktrace_console

# Old kernels warn if the tracepoint of messages is enabled and a message is printed in an
# NMI, so such a line is left out there. The message that an NMI took long is the kernel's.
echo 60000000000 >/sys/kernel/debug/x86/nmi_longest_ns
event=/sys/kernel/tracing/events/printk/console/enable
load_module ktrace-test
load_module ktrace-client1
echo 1 >$event
check "the kernel's own event is on" is "$(cat $event)" 1
old=$(uname -r | grep -c '^6\.[12]\.')
# in_nmi: lines of the marker in an NMI that the log has
in_nmi() {
	dmesg -t | grep -c '^ktrace_client1:hit: context 3'
}
test_run reset
dmesg -C
seen=0 tries=200
# A place prints at most ten lines; some of them must be from NMIs.
until [ "$(hits nmi)" -ge 3 ] && [ "$(in_nmi)" -gt 0 -o "$old" = 1 ] ||
    [ $((tries -= 1)) = 0 ]; do
	put print 'ktrace_client1:hit'
	test_run 'storm 1'
	seen=$((seen + $(get printed |
		awk '/^ktrace_client1:hit / { n += $4 + $6 } END { print n + 0 }')))
	put print ''
done
check "there were NMIs" at_least "$(hits nmi)" 3
if [ "$old" = 1 ]; then
	check "no line of them is printed" is "$(in_nmi)" 0
else
	check "lines of them are printed" at_least "$(in_nmi)" 1
fi
check "what is hit there is printed or counted" is "$seen" "$(hits client1)"
echo 0 >$event
rmmod ktrace_client1
rmmod ktrace_test

put print 'ktrace_printed:letters'
rmmod ktrace_printed
load_module ktrace-printed
dmesg -C
echo 1 >$parameters/all
check "a module that comes later is printed" is "$(printed letters)" ok

# Print and trace together.
put marked letters
put enabled 1
echo 1 >$parameters/all
put enabled 0
check "print and trace" is "$(printed letters | wc -l)" 2
check "and trace" is "$(count "$($bin/ktread -d $tree)" ktrace_printed:letters)" 1
put marked ''
put print ''
clean

# ---- forced -----------------------------------------------------------------------

check "forced is on in a session" is "$(get events/ktrace_printed/forced/enabled)" 1
put events/ktrace_printed/forced/enabled 0
check "and can be switched off" is "$(get events/ktrace_printed/forced/enabled)" 0
put enabled 1
check "forced, with the session" is "$(get events/ktrace_printed/forced/enabled)" 1
echo 1 >$parameters/all
put events/ktrace_printed/forced/enabled 0
echo 1 >$parameters/all
put enabled 0
check "so often as it was on" is "$(sum "$($bin/ktread $tree)")" 1
put reset 1
put enabled 1
rmmod ktrace_printed
load_module ktrace-printed
check "forced, with the module" is "$(get events/ktrace_printed/forced/enabled)" 1
echo 1 >$parameters/all
put enabled 0
check "and recorded" is "$(sum "$($bin/ktread $tree)")" 1
clean

# ---- a session's patterns ---------------------------------------------------------

put marked 'ktrace_printed:n*
!nothing'
check "marked enables" is "$(get events/ktrace_printed/numbers/enabled)" 1
check "but not what it excludes" is "$(get events/ktrace_printed/nothing/enabled)" 0
check "it is no other session's" sh -c "mkdir $tree/sessions/m &&
	[ \$(cat $tree/sessions/m/events/ktrace_printed/numbers/enabled) = 0 ]"
rmdir $tree/sessions/m
rmmod ktrace_printed
load_module ktrace-printed
check "marked, with a module that comes" is "$(get events/ktrace_printed/numbers/enabled)" 1
put marked '!numbers'
check "marked disables" is "$(get events/ktrace_printed/numbers/enabled)" 0
check "refused: nothing" refuses marked '!' 'is no pattern of markers'
put marked 'widths'
put marked ''
check "without patterns, none" is "$(get events/ktrace_printed/widths/enabled)$(get marked)" 0
put enabled 1
put marked 'ktrace_printed:*'
check "many markers that are recorded go at once" at_most "$(graces put marked '')" 10
check "and none stays" is "$(cat $tree/events/ktrace_printed/[a-eg-z]*/enabled | sort -u)" 0
put enabled 0
put reset 1

# ---- the command ------------------------------------------------------------------

work=$(mktemp -d)
export KTRACE_MARKERS=$work/programs
all="echo 1 >$parameters/all"
names() {	# TRACE
	ktrace report -q --format json "$1" | sed -n 's/^.*"event":"ktrace_printed:\([a-z]*\)".*/\1/p' |
		tr '\n' ' '
}
# record NAME PATTERN COMMAND: prints what -M has recorded
record() {
	ktrace record -q -M "$2" -o "$work/$1" -- sh -c "$3"
	names "$work/$1"
}

check "ktrace markers shows them" is \
	"$(ktrace markers -q ktrace_printed:letters | sed 's| [^ ]*printed\.c:[0-9]*||')" \
	'ktrace_printed (module)
    letters  strings_hit() "%c%c"'
check "as JSON" grep -q '"name":"letters".*"enabled":false,"kernel":true' <<END
$(ktrace markers -j letters)
END
check "record -M NAME, and what is forced" is "$(record name letters "$all")" "letters forced "
check "record -M MODULE:NAME" is "$(record module 'ktrace_printed:l*' "$all")" \
	"large letters forced "
check "record -M FILE" is "$(record file '*/forced.c' "$all")" "forced "
check "record -M FILE:FUNCTION" is \
	"$(record function '*/printed.c:bytes_hit,!pointers' "$all")" "bytes forced "
check "record -M FILE:FUNCTION:N" is \
	"$(record place '*/printed.c:strings_hit:2' "$all")" "large forced "
check "more while it runs, and less" is "$(record switched letters "
	ktrace markers letters | grep -q '\[on\]' && $all
	ktrace markers -q --on control && $all
	ktrace markers -q --off control letters && $all")" \
	"letters forced control letters forced forced "
check "modules that come meanwhile" is "$(record comes letters "$all
	rmmod ktrace_printed; insmod $KTRACE_MODULES/ktrace-printed.ko; $all")" \
	"letters forced letters forced "
ktrace record -q -e sched:sched_process_exit -M letters -o $work/both -- sh -c "$all; sleep 0"
check "with -e" is "$(names $work/both)" "letters forced "
check "and what -e is for" at_least "$(ktrace report -q -e sched_process_exit $work/both | wc -l)" 1
ktrace syscalls -o $work/text -- sh -c "$all" 2>$work/said
check "system calls are followed, forced markers or not" is "$?$(sed "s/^/# /" $work/said)" 0
check "up to the end" grep -q exit_group $work/text
check "nothing of it stays" is "$(get marked)$(get events/ktrace_printed/letters/enabled)" 0
check "--on, and nobody records" not ktrace markers --on letters 2>/dev/null
ktrace markers -q --print letters 'ktrace_printed:n*'
dmesg -C
echo 1 >$parameters/all
check "--print" is "$(dmesg -t | sed -n 's/^ktrace_printed:\([a-z]*\):.*/\1/p' | tr '\n' ' ')" \
	"numbers nothing letters "
ktrace markers -q --no-print '*'
check "--no-print" is "$(get print)$(get printed)" ''
check "--no-print takes no exclusions" not ktrace markers -q --no-print '!letters' 2>/dev/null
unset KTRACE_MARKERS
rm -rf "$work"

# ---- probe ------------------------------------------------------------------------

check "a probe before its module" insmod $KTRACE_MODULES/ktrace-watch.ko \
	pattern='ktrace_marked:*'
load_module ktrace-marked
check "it has seen the module begin" is "$(cat $watch/hits)" 1
echo 7 >$marked/places
check "both places" is "$(cat $watch/hits)" 3
check "its arguments" is "$(cat $watch/last)" "place 1:4=-7"
echo 1 >$marked/same
check "bytes and strings" is "$(cat $watch/last)" "both 7:6=020000000000 6:5=eth0"
check "a probe holds ktrace" not rmmod ktrace
echo 1 >$watch/second
echo 7 >$marked/places
check "two probes" is "$(cat $watch/seconds)" 2
echo 0 >$watch/second
echo 7 >$marked/places
check "and one" is "$(cat $watch/seconds)" 2
rmmod ktrace_marked
check "the marked module goes" is "$(cat $watch/hits)" 23
load_module ktrace-marked
echo 7 >$marked/places
check "and comes" is "$(cat $watch/hits)" 26
check "the probe goes" rmmod ktrace_watch
echo 7 >$marked/places
check "a probe after its module" insmod $KTRACE_MODULES/ktrace-watch.ko pattern=two
echo 20 >$marked/same
check "by name" is "$(cat $watch/hits)" 20
check "no probe was registered twice" not grep -q 'registered twice' <<END
$(dmesg)
END
rmmod ktrace_watch

# ---- the modules of doc/markers.md ------------------------------------------------

# Not on each kernel: compiling takes a minute, and ktrace's own test modules have the same headers.
if [ -z "${KTRACE_BRIEF-}" ]; then
	check "the example's marker" insmod $KTRACE_MODULES/example/hello.ko
	check "its probe" insmod $KTRACE_MODULES/example/listen.ko
	ktrace markers -q --print hello:say
	dmesg -C
	echo 3 >/sys/module/hello/parameters/times
	echo 4 >/sys/module/hello/parameters/times
	rmmod listen
	check "what they say" is "$(dmesg -t | grep -v ' has ')" "hello:say: text hello times 3
hello:say: text hello times 4
listen: said 7 times"
	ktrace markers -q --no-print '*'
	ktrace record -q -M hello:say -o /tmp/hello -- sh -c 'echo 3 >/sys/module/hello/parameters/times'
	check "the report" is "$(ktrace report -q /tmp/hello | grep -o 'hello:say.*')" \
		"hello:say: text=hello times=3"
	rm -rf /tmp/hello
	rmmod hello
fi

# ---- BPF --------------------------------------------------------------------------

put marked two
put enabled 1
seen=$($bin/bpf ktrace:ktrace_marked:two sh -c "echo 100 >$marked/same")
put enabled 0
put marked ''
# -0 .. -99 as signed char and 0 .. 99 as unsigned char
check "BPF is called for each hit, with its arguments" is "$seen" \
	"100 $(echo '18446744073709551616 - 4950' | bc) 4950"
check "and so is ktrace" is "$(count "$($bin/ktread -d $tree)" ktrace_marked:two)" 100
check "no module is held" rmmod ktrace_marked
check "a marker that is not there is refused" not $bin/bpf ktrace:ktrace_marked:two true
clean
rmmod ktrace_printed
