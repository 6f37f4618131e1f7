# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# set.sh - sets of enabled events: saved, loaded, recorded; compared with the control tree
# One kernel is enough: sets are files of the user.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/set && cd /mnt/set || exit 1
export XDG_CONFIG_HOME=/mnt/set/config
tree=/sys/kernel/ktrace
sets=$XDG_CONFIG_HOME/ktrace/sets

enabled()	# [FOLDER]
{
	(cd "${1:-$tree}/events" && grep -lx 1 */*/enabled | sort)
}

filters()
{
	(cd $tree/events && for event in $(enabled | sed 's|/enabled||'); do
		echo "$event $(cat "$event/filter")"
	done)
}

clear()
{
	echo 0 >$tree/events/enabled
	for event; do
		echo 0 >"$tree/events/$event/filter"
	done
}

ktrace load -q sched raw_syscalls block syscalls:sys_enter_openat
run ktrace set save none
ends 1 'save where nothing is on' 'nothing is enabled'
run ktrace set list
ends 0 'list without any' '0 sets'

# ---- saved from options, loaded into the session ------------------------------

run ktrace set save one -e 'sched:sched_switch,sched:sched_wakeup' \
	-e raw_syscalls:sys_enter -f 'id == 59' -c openat -n 'what for'
ends 0 'save with options' "$sets/one"
run ktrace set show one
check 'it is text' [ "$(grep -v '^# saved' <<<"$out")" = '# what for
event sched:sched_switch,sched:sched_wakeup
event raw_syscalls:sys_enter if id == 59
syscall openat' ]
run ktrace set load one
ends 0 load 'are enabled'
out=$(enabled)
expected=$(cd $tree/events && ls -d */sys_e*_openat/enabled raw_syscalls/sys_enter/enabled \
	sched/sched_switch/enabled sched/sched_wakeup/enabled | sort)
check "just that is enabled" [ "$out" = "$expected" ]
check 'with the filter' [ "$(cat $tree/events/raw_syscalls/sys_enter/filter)" = 'id == 59' ]

# ---- what is enabled, saved and loaded again -------------------------------------

enabled >before
filters >>before
run ktrace set save two
ends 0 'save what is enabled'
run ktrace set show two
check 'a call is one line' grep -qx 'syscall openat' <<<"$out"
check 'an event has its filter' grep -qx 'event raw_syscalls:sys_enter if id == 59' <<<"$out"
clear raw_syscalls/sys_enter
check 'nothing is enabled' [ -z "$(enabled)" ]
run ktrace set load two
ends 0 'load it again'
enabled >after
filters >>after
check 'all is as it was' cmp -s before after
clear raw_syscalls/sys_enter
echo 1 >$tree/events/sched/enabled
run ktrace set save whole
run ktrace set show whole
check 'a whole system is one line' grep -qx 'event sched:\*' <<<"$out"
clear

# ---- all or nothing -----------------------------------------------------------------

run ktrace set save two -e x
ends 1 'a set that is there' --force
mkdir -p files
printf 'event sched:sched_switch\nevent sched:no_such_event\n' >files/unknown
run ktrace set load files/unknown
ends 1 'an event that is not there' 'there is no event `sched:no_such_event'
check 'nothing of it is enabled' [ -z "$(enabled)" ]
run ktrace set load --known files/unknown
ends 0 --known 'left out' '1 event is enabled'
check 'what is there is enabled' [ "$(enabled)" = sched/sched_switch/enabled ]
printf 'event sched:sched_waking\nevent sched:sched_wakeup_new if no_field == 1\n' >files/filter
run ktrace set load files/filter
ends 1 'a filter that does not fit' no_field
check 'nothing of it is enabled, and what was is' \
	[ "$(enabled)" = sched/sched_switch/enabled ]
printf 'event sched:sched_waking\nmarker x:*\n' >files/markers
run ktrace set load files/markers
ends 1 'markers that nobody records' 'nobody records markers'
check 'the events are not enabled then' [ "$(enabled)" = sched/sched_switch/enabled ]
clear
printf 'event sched:sched_waking\n\nevent sched:sched_switch unless x\n' >files/bad
run ktrace set load files/bad
ends 1 'a bad line' 'files/bad:3: '
check 'nothing of the file is enabled' [ -z "$(enabled)" ]

# ---- markers of kernel modules ---------------------------------------------------------

insmod "$KTRACE_MODULES/ktrace-marked.ko"
printf 'marker ktrace_marked:o*\nmarker !ktrace_marked:off\n' >files/marked
run ktrace set load files/marked
ends 0 'load markers of a module' 'of kernel modules'
check 'they are enabled' [ "$(enabled)" = ktrace_marked/one/enabled ]
run ktrace set save marked
check 'and saved as patterns' [ "$(grep -v '^#' "$sets/marked")" = 'marker ktrace_marked:o*
marker !ktrace_marked:off' ]
echo 1 >$tree/events/ktrace_marked/two/enabled
run ktrace set save -F marked
check 'beside what is enabled by hand' grep -qx 'event ktrace_marked:two' "$sets/marked"
clear
echo >$tree/marked
run ktrace record -q --set marked -o marked -- bash -c "echo 3 >/sys/module/ktrace_marked/parameters/same"
ends 0 'recorded'
check 'they are there' [ "$(ktrace report -q -e ktrace_marked marked | grep -c ktrace_marked:one)" = 3 ]
clear
ktrace set remove marked

# ---- recorded -------------------------------------------------------------------------

run ktrace record -q --set one -o trace -- ls /
ends 0 'record --set'
run ktrace report -q trace
check 'only what the set has' \
	[ -z "$(grep -vE ' (sched:sched_(switch|wakeup)|raw_syscalls:sys_enter|(compat_)?syscalls:sys_(enter|exit)_openat): ' <<<"$out")" ]
check 'and its call' grep -q 'syscalls:sys_enter_openat: ' <<<"$out"
check 'its filter' [ "$(grep -c raw_syscalls <<<"$out")" = "$(grep -cE 'raw_syscalls:sys_enter: id=(59|execve)' <<<"$out")" ]
check 'nothing stays enabled' [ -z "$(enabled)" ]
run ktrace record --set nowhere -- true
ends 1 'record a set that is not there' 'there is no set `nowhere'

# ---- in another session, while it records ---------------------------------------------

ktrace record -q -S beside -e sched_switch -o beside 2>err &
recorder=$!
for ((i = 0; i < 300; i++)); do
	[ "$(cat $tree/sessions/beside/enabled 2>/dev/null)" != 1 ] || break
	sleep 0.1
done
printf 'event sched:sched_process_exec\n' >files/exec
run ktrace set load files/exec -s beside
ends 0 'load into a session that records'
check 'it is enabled there' grep -qx sched/sched_process_exec/enabled \
	<<<"$(enabled $tree/sessions/beside)"
run ktrace set save beside -s beside
check 'and saved from there' grep -qx 'event sched:sched_process_exec' "$sets/beside"
cat /proc/version >/dev/null
kill -INT $recorder
wait $recorder
check 'the recording has it' grep -q 'sched:sched_process_exec.*cat' <<<"$(ktrace report -q beside)"
check 'nothing is enabled in the default session' [ -z "$(enabled)" ]

# ---- every set of calls ---------------------------------------------------------

for group in %file %desc %net %process %signal %memory %ipc umount2 chown32; do
	echo "syscall $group" >files/group
	rm -rf group
	run ktrace record -q --set files/group -o group -- true
	ends 0 "record --set, of $group"
done
echo 'syscall chown32' >files/group
run ktrace set load files/group
check 'a call by the name of 32-bit programs' [ "$(enabled | tr '\n' ' ')" = \
	'compat_syscalls/sys_enter_chown/enabled compat_syscalls/sys_exit_chown/enabled ' ]
run ktrace set save narrow
run ktrace set show narrow
check 'is not saved as another call' [ -z "$(grep -x 'syscall chown' <<<"$out")" ]
rm "$sets/narrow"
echo 0 >$tree/events/enabled

run ktrace set list
ends 0 'list' "$sets"
check 'each has its line' [ "$(cut -d' ' -f1 <<<"$out" | tr '\n' ' ')" = 'beside one two whole ' ]
finish_vm set.sh
