#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
# A source of events of a new kind (kernel/testmod/source.c): its files in the tree, its
# events without a tracepoint, attaching as a transaction, misses, loading and unloading.
# One kernel is enough: the source is made for this test.
. tests/kernel/lib.sh

fails=/sys/module/ktrace_source/parameters/fails
cpus=$(nproc)

# counts OUTPUT: hits of both events
counts() {
	echo "$(count "$1" knock:first) $(count "$1" knock:second)"
}

# missed SESSION
missed() {
	sed -n 's/^source knock missed //p' "$tree/$1overflow"
}

# ---- what there is ----------------------------------------------------------------

insmod $KTRACE_MODULES/ktrace-source.ko fails_after=3 2>/dev/null &
sleep 1
check "a module that may still fail has no files" not cat $tree/knock_limit 2>/dev/null
wait
check "it has failed" test ! -e /sys/module/ktrace_source
check "no source counts misses" is "$(grep -c '^source' $tree/overflow)" 0
load_module ktrace-source
mkdir $tree/sessions/other
check "the root has the source's file" test -f $tree/knock
check "a session does not" test ! -e $tree/sessions/other/knock
check "each session has the other one" is \
	"$(ls $tree $tree/sessions/other | grep -c knock_limit)" 2
check "its events are there without a tracepoint" is "$(ls $tree/events/knock | tr '\n' ' ')" \
	"enabled first second "
check "they are listed" is "$(grep -c '^event knock:[a-z]* id 0 enabled 0 module vmlinux$' $tree/available)" 2
check "they are described" is "$(sed -n 's/^\tfield:u32 \([a-z]*\);.*/\1/p' \
	$tree/events/knock/first/format | tr '\n' ' ')" "number cpu "
check "they have their own print format" is \
	"$(sed -n 's/^print fmt: //p' $tree/events/knock/first/format)" \
	'"number=%u cpu=%u", REC->number, REC->cpu'
put events/enabled 1
check "who enables all events does not mean tracepoints alone" is \
	"$(get events/knock/enabled)" 1
put events/enabled 0
check "a bad write to its file is refused" refuses knock x 'a number up to 10000'
check "nobody records, nobody misses" is "$(put knock 5; missed '')" 0

# ---- recording --------------------------------------------------------------------

put reset 1
put events/knock/first/enabled 1
put enabled 1
put knock 50
put events/knock/second/enabled 1
put knock 50
check "one that is not there yet cannot be filtered" refuses \
	events/knock/second/filter 'nobody == 1' 'nobody'
put events/knock/second/filter 'number < 10'
put knock 50
put events/knock/first/enabled 0
put knock 50
put enabled 0
put knock 50
read=$($bin/ktread $tree)
check "the buffers are sound" test $? = 0
check "each hit is recorded while it is wanted" is "$(counts "$read")" \
	"$((150 * cpus)) $((70 * cpus))"
put events/knock/second/filter none
put events/knock/enabled 0

# ---- misses -----------------------------------------------------------------------

put reset 1
put events/knock/enabled 1
put enabled 1
put knock_limit 30
put sessions/other/knock_limit 7
put sessions/other/events/knock/first/enabled 1
put sessions/other/enabled 1
put knock 100
put enabled 0
put sessions/other/enabled 0
check "limits are the sessions' own" is "$(get knock_limit) $(get sessions/other/knock_limit)" \
	"30 7"
read=$($bin/ktread $tree)
both=$(($(count "$read" knock:first) + $(count "$read" knock:second)))
check "what the source does not miss is recorded" is "$both" 30
check "what it misses is counted" is "$(missed '')" $((200 * cpus - 30))
read=$($bin/ktread $tree/sessions/other)
check "so in another session" is "$(count "$read" knock:first) $(missed sessions/other/)" \
	"7 $((100 * cpus - 7))"
put knock_limit 0
put sessions/other/events/knock/enabled 0

# ---- all or nothing ---------------------------------------------------------------

put events/knock/enabled 0
echo lacks >$fails
check "what the machine lacks is said" refuses events/knock/first/enabled 1 \
	'knock:first: there is no door'
echo attach >$fails
put enabled 1
put reset 1
check "one that cannot be attached takes all back" refuses events/knock/enabled 1 \
	'the door is stuck'
put knock 10
check "the other can be alone" put events/knock/first/enabled 1
put knock 20
put events/knock/enabled 0
echo commit >$fails
check "so does a source that cannot commit" refuses events/knock/enabled 1 'nobody opens'
put knock 10
put enabled 0
check "what is only wanted is not attached" put events/knock/enabled 1
check "switching on is a transaction, too" refuses enabled 1 'nobody opens'
check "the events are still wanted" is "$(get events/knock/enabled)" 1
put knock 10
echo >$fails
check "it can be tried again" put enabled 1
put knock 3
put enabled 0
check "what was taken back was never recorded" is "$(counts "$($bin/ktread $tree)")" \
	"$((23 * cpus)) $((3 * cpus))"
put events/knock/enabled 0
if [ -e /sys/kernel/tracing/kprobe_events ] ||
    mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; then
	put enabled 1
	put events/knock/enabled 1
	check "both are waited for once" is "$(graces put events/knock/enabled 0)" 1
	put enabled 0
fi

# ---- coming and going -------------------------------------------------------------

put reset 1
put knock_limit 5
put events/knock/enabled 1
put enabled 1
put knock 2
check "the module stays while its events are enabled" not rmmod ktrace_source 2>/dev/null
put events/knock/enabled 0
exec 3>$tree/knock
check "and while its file is open" not rmmod ktrace_source 2>/dev/null
exec 3>&-
put knock_limit 0
check "it goes with its session on" rmmod ktrace_source
check "its files are gone" test ! -e $tree/knock -a ! -e $tree/knock_limit \
	-a ! -e $tree/sessions/other/knock_limit
check "its events are gone" test ! -e $tree/events/knock
check "what is in the buffers is still described" is \
	"$(grep -c '^event knock:[a-z]* id [1-9]' $tree/gone)" 2
check "nobody shows misses" is "$(missed '')" ""
load_module ktrace-source
check "it begins anew" is "$(get knock_limit) $(missed '') $(get events/knock/enabled)" "0 0 0"
put reset 1
put events/knock/enabled 1
put knock 4
put enabled 0
check "and is recorded" is "$(counts "$($bin/ktread $tree)")" "$((4 * cpus)) $((4 * cpus))"
put events/knock/enabled 0
rmdir $tree/sessions/other
rmmod ktrace_source
clean
