#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# tests/syscalls/every.sh - runs in the guest: every system call of the kernel's table is
# recorded, and no memory that others used before gets into a record.
#
# The syscalls are made by `every', by the suite's own programs, which pass readable
# memory, and by stress-ng. First they are recorded as events alone. Then they are
# recorded with all captures, and all other events too, while ktrace fills the memory of
# records with a poison byte. census must then find this byte nowhere. Two bytes are
# used in turn, because one might be there by chance; neither is a character, and
# stress-ng writes neither.
. tests/kernel/lib.sh
programs=$PWD/build/user/tests/syscalls
trace=/dev/shm/every
cd /tmp || exit 1

cat >load <<END
$programs/every || echo "not ok - every call comes back"
for program in threads sockets signals memory faults edges; do
	$programs/program \$program >/dev/null
done
$programs/program32
for fault in argv killed exec exit vfork halves large; do
	$programs/fault \$fault
done >/dev/null
stress-ng --syscall 1 --timeout 5 --metrics-brief 2>&1 | sed -n 's/.*metrc: [^a-z]*syscall /# stress-ng: syscall /p'
true
END

# ktrace_load ARGUMENT...: loads ktrace.ko again, with these parameters
ktrace_load() {
	umount "$tree"
	for _ in 1 2 3; do
		awk '$1 ~ /^ktrace_/ { print $1 }' /proc/modules | xargs -r rmmod 2>/dev/null
	done
	rmmod ktrace && insmod "$KTRACE_MODULES/ktrace.ko" "$@" &&
		mount -t ktracefs ktracefs "$tree" && load_module ktrace-syscalls
}

# Kinds of syscall events that exist but are not in the trace.
missing() {
	for system in syscalls compat_syscalls; do
		ls "$tree/events/$system" | sed -n "s/^sys_/$system:sys_/p"
	done >there
	sed -n 's/^[0-9]* //p' census | sort >recorded
	sort there | comm -23 - recorded | tr '\n' ' '
}

# The syscalls that do not return.
endings='compat_syscalls:sys_exit_exit compat_syscalls:sys_exit_exit_group '
endings=$endings'syscalls:sys_exit_exit syscalls:sys_exit_exit_group '

# judge WHAT [POISON]: checks the trace
judge() {
	what=$1
	shift
	check "$what: the account is right, to the last event, and nothing leaks" \
		"$programs/census" "$trace" "$@" >census.log
	grep -E '^(not )?ok' census.log
	grep -vE '^((not )?ok|[0-9]+ [a-z0-9_]+:)' census.log | sed 's/^/# /'
	grep -E '^[0-9]+ [a-z0-9_]+:' census.log >census
	events=$(sed -n 's/^.* written \([0-9]*\) read .*/\1/p' census.log)
	printed=$(ktrace report -q "$trace" 2>errors | grep -vc '^\*\*\*')
	check "$what: every event is printed" is "$printed" "$events"
	ktrace report -q --format strace "$trace" >/dev/null 2>>errors
	check "$what: without a warning" is "$(cat errors)" ''
	left=$(missing)
	echo "# $what: $(grep -c . recorded) kinds of events"
}

# complete WHAT: each call is in the trace, and so is its return
complete() {
	check "$1: each call is there, and its return" is "$left" "$endings"
	echo "# $1: $(grep -c :sys_enter_ recorded) of $(grep -c :sys_enter_ there) calls," \
		"$(grep -c :sys_exit_ recorded) of $(grep -c :sys_exit_ there) returns; not there, as" \
		"they return to nobody: $left"
}

check "ktrace is loaded anew" ktrace_load

rm -rf "$trace"
check "events: they are recorded" ktrace record -q --size 16M -o "$trace" \
	-e 'syscalls:*' -e 'compat_syscalls:*' -- sh load
judge events
complete events

check "ktrace is loaded with poison" ktrace_load poison=0xb7
put enabled 1
put enabled 0
check "memory is poisoned" "$programs/census" --memory "$tree/buffers/cpu0" 0xb7
load_module ktrace-leak
for event in slot scratch; do
	rm -rf "$trace"
	ktrace record -q -o "$trace" -e "ktrace_leak:$event" -- true
	check "a leak would be found: $event" \
		sh -c "! $programs/census $trace 0xb7 >found && grep -q ^leak:.ktrace_leak:$event found"
done
rmmod ktrace_leak
rm -rf "$trace"
check "captured: they are recorded" ktrace syscalls -q -o /dev/null --trace "$trace" -- sh load
judge captured 0xb7
complete captured

check "ktrace is loaded with other poison" ktrace_load poison=0xe3
rm -rf "$trace"
check "captured again: they are recorded" \
	ktrace syscalls -q -o /dev/null --trace "$trace" -- sh load
judge "captured again" 0xe3
complete "captured again"
rm -rf "$trace"
check "other events: they are recorded" ktrace record -q --size 16M -o "$trace" -- sh -c "
		for program in signals threads sockets; do
			$programs/program \$program >/dev/null
		done
		stress-ng --fork 1 --pipe 1 --sock 1 --hdd 1 --hdd-bytes 1M --vm 1 \
			--vm-bytes 8M --timeout 3 -q >/dev/null 2>&1; true"
judge "other events" 0xe3
rm -rf "$trace"
check "ktrace is loaded as ever" ktrace_load
echo "# end of every.sh"
