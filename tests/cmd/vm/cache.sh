# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# cache.sh - what recordings keep in /run/ktrace changes no trace, whatever is in there
# One kernel is enough: what is kept is the text of files.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
work=/mnt/cache
mkdir -p $work && chmod 711 $work && cd $work || exit 1
tree=/sys/kernel/ktrace
kept=/run/ktrace
files='formats symbols'

# What a trace says of events and of functions.
record()	# TRACE
{
	run ktrace record -q -o "$1" -e 'sched:*' -e 'kmem:*' -e 'timer:*' -- true
	grep -E '^\{"type":"(event|struct)"' "$1/metadata" >"$1.events"
	[ "$status" = 0 ] && [ "$(wc -l <"$1.events")" -gt 50 ]
}

same()	# TRACE
{
	record "$1" && cmp first.events "$1.events" && cmp first/symbols "$1/symbols"
}

# As /proc/kallsyms has them.
functions()
{
	awk '$2 ~ /[tTwW]/ && $1 !~ /^0+$/ {
		gsub(/[][]/, "", $4)
		print $1, $3 ($4 != "" ? " " $4 : "")
	}' /proc/kallsyms | LC_ALL=C sort -s -k1,1
}

record warm	# loads modules
rm -rf $kept
check 'a recording that finds nothing' record first
check 'keeps what it found out' [ "$(cd $kept && echo *)" = "$files" ]
check 'of which others see no addresses' [ "$(stat -c '%u %a' $kept/symbols)" = '0 600' ]
check 'names of flags are among it' grep -q '"flags":{' first.events
# The functions of the image are packed, and behind them the others are plain.
expand()	# SYMBOLS
{
	local plain=$(/bin/grep -aboF "$(head -n 1 $tree/symbols)" "$1" | head -n 1 | cut -d: -f1)
	head -c "$plain" "$1" | zstd -dc
	tail -c "+$((plain + 1))" "$1"
}
check 'all functions are in the trace' cmp <(functions) <(expand first/symbols | LC_ALL=C sort -s -k1,1)
check 'which takes little room' [ "$(stat -c %s first/symbols)" -lt 2000000 ]
check 'the next recording is the same' same next
ino=$(stat -c %i $kept/formats)
check 'and so is one more' same more
check 'which writes no file' [ "$(stat -c %i $kept/formats)" = "$ino" ]

for file in $files; do
	printf x | dd of=$kept/$file bs=1 seek=5000 conv=notrunc status=none
	cp $kept/$file damaged
	check "$file: damaged" same damaged-$file
	check "$file: made anew" bash -c "! cmp -s damaged $kept/$file"
	truncate -s 5000 $kept/$file
	check "$file: cut" same cut-$file
	check "$file: made anew" [ "$(stat -c %s $kept/$file)" -gt 5000 ]
	: >$kept/$file
	check "$file: empty" same empty-$file
	# The head has the id of the boot behind 16 bytes.
	printf 00000000 | dd of=$kept/$file bs=1 seek=16 conv=notrunc status=none
	cp $kept/$file damaged
	check "$file: of another boot" same boot-$file
	check "$file: made anew" bash -c "! cmp -s damaged $kept/$file"
	chown 65534 $kept/$file
	check "$file: of another user" same user-$file
	check "$file: replaced" [ "$(stat -c %u $kept/$file)" = 0 ]
	mv $kept/$file moved
	ln -s $work/moved $kept/$file
	check "$file: a link" same link-$file
	check "$file: replaced, not followed" [ ! -L $kept/$file ]
done

chown 65534 $kept
rm $kept/*
check 'a folder of another user' same folder
check 'is not used' [ -z "$(ls -A $kept)" ]
rm -rf $kept
ln -s $work/elsewhere $kept
mkdir elsewhere
check 'a folder that is a link' same folder-link
check 'is not used' [ -z "$(ls -A elsewhere)" ]
rm $kept
mount -o remount,ro /run
check '/run is read-only' same read-only
check 'so nothing is kept' [ ! -e $kept ]
mount -o remount,rw /run
check 'it can be written again' same again

# ---- names that several functions have -------------------------------------------------

# Of type_show there are several, with other types.
right()	# TRACE
{
	run ktrace record -q -o "$1" -F type_show,vfs_read -- cat /sys/class/net/lo/type
	[ "$status" = 0 ] && has_argument "$1" vfs_read count && has_argument "$1" type_show rdi
}

has_argument()	# TRACE FUNCTION ARGUMENT
{
	grep '"type":"variant".*"system":"function","name":"'"$2"'"' "$1/metadata" |
		grep -q '"name":"'"$3"'"'
}

check 'functions are recorded with their types' right functions
check 'names are kept' [ -s $kept/namesakes ]
check 'and used' right functions-next
printf x | dd of=$kept/namesakes bs=1 seek=1000 conv=notrunc status=none
check 'damaged: made anew' right functions-damaged
: >$kept/namesakes
check 'empty: made anew' right functions-empty
check 'it is' [ -s $kept/namesakes ]

# ---- who may see addresses ---------------------------------------------------------

echo 2 >/proc/sys/kernel/kptr_restrict
check 'if nobody may see addresses' record hidden
check 'no trace has them' [ ! -s hidden/symbols ]
check 'nor the control tree' bash -c "! cat $tree/symbols 2>/dev/null | grep -q ."
echo 1 >/proc/sys/kernel/kptr_restrict
mount -o remount,gid=65534,mode=770 $tree
as()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
mkdir theirs && chown 65534 theirs
run as ktrace record -q -o theirs/trace -e 'sched:*' -e 'kmem:*' -e 'timer:*' -- true
ends 0 'a user of the group records'
check 'the same events' cmp first.events \
	<(grep -E '^\{"type":"(event|struct)"' theirs/trace/metadata)
check 'and sees no addresses, as in kallsyms' \
	[ "$(as head -c 16 $tree/symbols 2>/dev/null)" = '' ]
check 'which are not in the trace either' [ ! -s theirs/trace/symbols ]
mount -o remount,gid=0,mode=700 $tree
echo 0 >/proc/sys/kernel/kptr_restrict

finish_vm cache.sh
