# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# users.sh - root records markers of other users' programs, whatever these users do; and
# records more other events than there are ids for
# One kernel is enough: markers are found by the command.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
program=$PWD/build/user/tests/marker/marker-program
work=/mnt/users
mkdir -p $work && chmod 711 $work && cd $work || exit 1
unset KTRACE_MARKERS

# With & behind it: $! is the command itself, which kill ends.
exec_as()	# UID COMMAND...
{
	exec setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"
}

as()	# UID COMMAND...
{
	(exec_as "$@")
}

events()	# TRACE EVENT
{
	ktrace report -q "$1" 2>/dev/null | grep -c " marker-program:$2:"
}

meet=/dev/shm/ktrace
check 'nothing is there at first' [ ! -e $meet-65534 ]

# ---- users who mean well -----------------------------------------------------------

exec_as 65534 "$program" wait >/dev/null &
waiting=$!
sleep 1
run ktrace record -q -M '*' -o both -- sh -c "
	setpriv --reuid 65534 --regid 65534 --clear-groups '$program' killed 3000
	'$program' killed 2000
	sleep 2"
ends 0 'programs of root and of another user'
check 'theirs are recorded, and ours' [ "$(events both one)" = 5000 ]
check 'also what ran before' [ "$(events both tick)" -ge 10 ]
check 'in order' sort -t= -k2 -n -c <(ktrace report -q both | grep -o 'tick: number=.*')
check 'nothing was lost' grep -q 'nothing was lost' <(ktrace stat both 2>&1)
check 'the buffers are gone' [ -z "$(ls $meet-65534 | grep recorder)" ]
check 'all is theirs' [ -z "$(find $meet-65534 ! -uid 65534)" ]

# A user who has not run a program with markers before, and users who record themselves.
run ktrace record -q -M tick -o late -- sh -c "
	sleep 1
	setpriv --reuid 2 --regid 2 --clear-groups timeout 6 '$program' wait"
check 'a user who comes later is found' [ "$(ktrace report -q late | grep -o 'marker-program-[0-9]*' | sort -u | wc -l)" = 2 ]
rm -rf $meet-2
ktrace record -q -M tick -d 3s -o root &
sleep 1
chmod 777 $work
as 65534 ktrace record -q -M tick -d 1s -o own
wait $!
chmod 711 $work
check 'they may record meanwhile' [ "$(events own tick)" -ge 10 ]
check 'as root does' [ "$(events root tick)" -ge 10 ]
kill $waiting

# ---- users who do not ----------------------------------------------------------------

echo secret >$work/secret
echo secret >/dev/shm/secret
chmod 644 /dev/shm/secret

still_works()	# WHAT
{
	rm -rf t
	run timeout -s KILL 60 ktrace record -q -M one -o t -- sh -c "'$program' killed 2000 >/dev/null; exit 9"
	ends 9 "$1: root records"
	check "$1: all of its own" [ "$(events t one)" = 2000 ]
	check "$1: nothing is touched" [ "$(cat $work/secret /dev/shm/secret | tr '\n\0' ' 0')" = 'secret secret ' ]
	check "$1: nor given away" [ -z "$(find $work/secret /dev/shm/secret ! -uid 0)" ]
}

mkdir $work/target && chmod 755 $work/target && chown 1 $work/target
as 1 ln -s $work/target $meet-1
still_works 'a link instead of the directory'
check 'nothing is put where it leads' [ -z "$(ls $work/target)" ]
rm $meet-1

# Each of three users has replaced one file by something else.
spoil_file()	# UID FILE KIND
{
	local at=$meet-$1/$2
	as "$1" mkdir -m 700 "$meet-$1"
	[ "$2" = hub ] || as "$1" touch "$meet-$1/hub"
	case $3 in
	link)	as "$1" ln -s $work/secret "$at" ;;
	hard)	ln /dev/shm/secret "$at" ;;
	fifo)	as "$1" mkfifo "$at" ;;
	folder)	as "$1" mkdir "$at" ;;
	root)	echo mine >"$at" ;;
	esac
}

for kind in link hard fifo folder root; do
	spoil_file 1 hub $kind
	spoil_file 2 lock-0 $kind
	spoil_file 3 recorder-0 $kind
	still_works "a file is a $kind"
	if [ $kind = root ]; then
		check 'what is not theirs is as it was' \
			[ "$(cat $meet-1/hub $meet-2/lock-0 | tr '\n' ' ')" = 'mine mine ' ]
	fi
	rm -rf $meet-1 $meet-2 $meet-3
done

as 1 mkdir -m 777 $meet-1
as 1 touch $meet-1/hub
chmod 777 $meet-1
still_works 'a directory that anybody may write to'
rm -rf $meet-1

# The mapped files are shortened and filled with random bytes, again and again.
cat >spoil <<'END'
cd /dev/shm/ktrace-1 || exit
n=0
while :; do
	n=$((n + 1))
	for file in hub recorder-0 recorder-1; do
		[ -e $file ] || continue
		case $((n % 4)) in
		0) : >$file ;;
		1) truncate -s $((n * 4096)) $file ;;
		2) head -c 3000000 /dev/urandom | dd of=$file conv=notrunc bs=64k 2>/dev/null ;;
		3) truncate -s 30000000 $file ;;
		esac
	done
done
END
as 1 mkdir -p -m 700 $meet-1
as 1 truncate -s 200000 $meet-1/hub
exec_as 1 sh spoil 2>/dev/null &
spoils=$!
rm -rf t
run timeout -s KILL 60 ktrace record -q -M one,tick -o t -- sh -c "
	'$program' killed 3000 >/dev/null
	sleep 1
	'$program' killed 2000 >/dev/null
	exit 0"
check "memory is spoiled: root's recorder ends as it should" [ "$status" = 0 ]
check 'and has all of its own' [ "$(events t one)" = 5000 ]
kill $spoils
wait $spoils 2>/dev/null
rm -rf $meet-1

# ---- more events than there was room for -------------------------------------------

tree=/sys/kernel/ktrace
ktrace load -q 'sched:*' 'syscalls:*'
run ktrace record -q -M one -e sched_switch -o many -- bash -c "
	for event in $tree/events/{,compat_}syscalls/*/enabled; do echo 1 >\$event; done"
ends 1 'events that share their ids with markers' 'enable so many events before'
run ktrace stat many
ends 0 'the trace is whole'
# Without the records the ids are free again: the advice of the message works.
run ktrace record -q -M one -e sched_switch -e 'syscalls:*' -e 'compat_syscalls:*' -o many-2 -- bash -c "
	for event in $tree/events/{,compat_}syscalls/*/enabled; do echo 1 >\$event; done"
ends 0 'enabled before, they have ids of their own'
check 'no process is left behind' [ -z "$(pgrep -u 1,2,65534)" ]
cd / || exit
finish_vm users.sh
