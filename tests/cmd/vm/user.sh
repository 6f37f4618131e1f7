# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# user.sh - the command runs as the user of -u
# One kernel is enough: who the command is, the recorder decides.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/user && chmod 755 /mnt/user && cd /mnt/user || exit 1
id=$(type -P id) name=nobody
uid=$("$id" -u $name)

# What a user is, as those say who know it: setpriv(1), id(1) and the database.
as_others_say()
{
	setpriv --reuid "$uid" --regid "$("$id" -g $name)" --init-groups \
		sh -c 'id; grep -E "^(Uid|Gid|Groups|CapEff)" /proc/self/status'
	getent passwd $name | cut -d: -f6
	echo "$name $name"
}
says='id; grep -E "^(Uid|Gid|Groups|CapEff)" /proc/self/status; echo "$HOME"; echo "$USER $LOGNAME"'
expected=$(as_others_say)

run ktrace record -q -u $name -e sched_process_exec -o record -- sh -c "$says"
ends 0 'record -u'
check 'record -u: all of the user, nothing of root' [ "$out" = "$expected" ]
run ktrace record -q --user "$uid" -e sched_process_exec -o number -- sh -c "$says"
check 'record --user NUMBER' [ "$out" = "$expected" ]
run ktrace report -q -e sched_process_exec record
check 'record -u: the exec is in the trace' grep -q 'filename=.*/sh' <<<"$out"
check 'record -u: the trace stays root'\''s' [ "$(stat -c %u record/metadata)" = 0 ]
run ktrace record -q -u root -e sched_process_exec -o root -- sh -c 'id -u; echo $HOME'
check 'record -u root' [ "$out" = $'0\n'"$(getent passwd root | cut -d: -f6)" ]
run ktrace record -q -u $name --only -e raw_syscalls -o only -- sh -c 'ls / >/dev/null'
check 'record -u --only: only the command' \
	[ -z "$(ktrace report -q only | grep -v '^\(sh\|ls\|ktrace\)-')" ]
run ktrace syscalls -u $name -e openat -o calls -- sh -c "$says"
ends 0 'syscalls -u'
check 'syscalls -u: all of the user' [ "$out" = "$expected" ]
run ktrace graph -u $name -f vfs_open --alone -o graph -- sh -c "$says"
ends 0 'graph -u'
check 'graph -u: all of the user' [ "$out" = "$expected" ]
run ktrace branch -u $name -o branches -- "$id" -u
ends 0 'branch -u'
check 'branch -u: the user' [ "$out" = "$uid" ]
check 'branch -u: branches' grep -q "^thread [0-9]*: [0-9,]* entries" branches

# What root could run, and the user cannot.
mkdir -m 700 hidden && cp "$(type -P true)" hidden/program
run ktrace record -q -u $name -e sched_process_exec -o hidden.data -- /mnt/user/hidden/program
ends 126 'a program that the user cannot reach' 'Permission denied'
run ktrace record -u $name -e sched_process_exec -d 1s -o none
ends 2 'no command' '-u is about the command'
run ktrace record -u nobody-knows -e sched_process_exec -o none -- true
ends 1 'an unknown user' 'nobody-knows' 'no such user'
run ktrace record -u 3999999999 -e sched_process_exec -o none -- true
ends 1 'a number that nobody has' 'no such user'
for bad in '' -1 99999999999999999999 $'a\nb'; do
	run ktrace record -u "$bad" -e sched_process_exec -o none -- true
	ends 1 "user '${bad:0:3}'" 'no such user'
done
run setpriv --reuid "$uid" --clear-groups "$(command -v ktrace)" record -u root -M '*' -o none -- true
ends 1 'without root' 'only root'
# In this user namespace root has no right to choose groups.
run unshare --user --map-root-user ktrace record -q -u $name -M '*' -o denied -- true
ends 126 'without the right' "cannot become this user"
check 'nothing stays enabled' [ "$(cat /sys/kernel/ktrace/enabled)" = 0 ]

finish_vm user.sh
