# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branch_trace.sh - ktrace record --branch-trace: the trace has the branches that `ktrace branch' lists (ptrace
# and the emulator are its judges), and each stands among the events where it happened
# One kernel is enough: what is traced is tested by tests/kernel.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/branch_trace && cd /mnt/branch_trace || exit 1

cat >walk.c <<'END'
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) int odd(int x) { return x * 3 + 1; }
static __attribute__((noinline)) int even(int x) { return x / 2; }
static __attribute__((noinline)) int walk(int x, int steps)
{
	for (int i = 0; i < steps; i++) {
		x = x & 1 ? odd(x) : even(x);
		if (i % 8 == 7)
			syscall(SYS_getppid);
	}
	return x;
}
static __attribute__((noinline)) void on_signal(int signal)
{
	syscall(SYS_getpgrp);
}
int main(int argc, char **argv)
{
	walk(27, 64);
	if (argc > 1 && *argv[1] == 'k')
		raise(SIGKILL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	if (argc > 1 && !fork()) {
		walk(97, 8);
		_exit(0);
	}
	return argc > 1 ? wait(NULL) < 0 : 0;
}
END
gcc -O1 -g -static -no-pie -o walk walk.c

# What there is of each thread but stamps: "KIND FROM TO", by address
way()	# of the JSON on standard input
{
	jq -r 'select(.from) | [.kind, .from.address, .from.function, .to.address // .signal, .to.function] |
		join(" ")'
}

# ---- the same branches --------------------------------------------------------------

# The C library's string functions branch by where a string lies within its page.
same="setarch -R"
run $same ktrace branch -s 4M -F json -o live.json -- ./walk
ends 0 'branches of now'
run $same ktrace record -o t -e 'syscalls:*' --only --branch-trace=4M -- ./walk
ends 0 'branches beside events' 'branches of 1 thread: ktrace branch -i t shows them alone'
ktrace branch -i t -F json >trace.json
way <live.json >live
way <trace.json >kept
check 'many' [ "$(wc -l <live)" -gt 1000 ]
check 'the same in the trace' cmp live kept
check 'as many as it says' [ "$(grep -o 'and [0-9,]* branches' <<<"$err" | tr -dc 0-9)" = "$(wc -l <kept)" ]
for view in --calls --flat; do
	$same ktrace branch -s 4M $view -- ./walk 2>/dev/null | sed 1d >now
	check "$view shows the same" [ "$(ktrace branch -i t $view | sed 1d | cmp - now && wc -l <now)" -gt 10 ]
done
check '-n is of the newest' [ "$(ktrace branch -i t -n 5 | wc -l)" = 6 ]

# ---- among the events -----------------------------------------------------------------

ktrace report -F json t >woven.json
jq -r 'select(.event | startswith("branch:")) | .event + " " + .fields.from + " " + (.fields.to // .fields.signal | tostring)' \
	woven.json | sed 's/^branch://' >woven
jq -r 'select(.from) | [.kind, .from.address, (.to.address // .signal | tostring)] | join(" ")' trace.json >plain
check 'each of them is an event, in its order' cmp plain woven
check 'the report says what they are called' [ "$(ktrace report -e branch:call t |
	grep -c 'walk-[0-9]* .* branch:call: walk+0x[0-9a-f]* (walk) at walk.c:[0-9]* → odd+0 (walk) at walk.c:5$')" = \
	"$(grep -c '^call .* walk .* odd$' kept)" ]

# A system call that came back: its entry, its exit, and then it is the next of the way.  None of the way
# is amid one.
order()	# of a report's JSON
{
	jq -r '[.tid, .event] | @tsv' | perl -lane '
		my ($tid, $event) = @F;
		if ($event =~ /^syscalls:sys_enter_/) {
			$in{$tid} = 1;
		} elsif ($event =~ /^syscalls:sys_exit_/) {
			$in{$tid} = 0;
			$out{$tid} = 1;
		} elsif ($event =~ /^branch:(\w+)/) {
			# The first one comes behind an exec or a fork.
			my $wants = $begun{$tid}++ ? $out{$tid} : $1 eq "syscall";
			$late++ if $in{$tid} && $1 ne "last";
			$calls += $1 eq "syscall";
			$wrong++ if $1 eq "syscall" ? !$wants : $wants && $1 ne "sent";
			$out{$tid} = 0;
		}
		END { print "calls ", $calls // 0, " late ", $late // 0, " wrong ", $wrong // 0 }'
}
set -- $(order <woven.json)
check 'each system call stands behind its exit' [ "$6 $(($2 > 20))" = '0 1' ]
check 'and no branch is amid one' [ "$4" = 0 ]
run ktrace record -q -o many -e 'syscalls:*' --only --branch-trace=4M -- ./walk many
ends 0 'with a child'
set -- $(ktrace report -F json many | order)
check 'each with its own order' [ "$4 $6 $(($2 > 15))" = '0 0 1' ]
check 'two threads' [ "$(ktrace branch -i many | grep -c '^thread ')" = 2 ]
check 'a signal sends it to the handler' [ "$(ktrace report -e branch:sent t | grep -c ' → on_signal+0 (walk) at walk.c:')" = 1 ]
check 'and the kernel back' [ "$(ktrace report -e branch:sent t | wc -l)" = "$(grep -c ^sent kept)" ]

# A call that a signal interrupts, and that begins again, comes back once.
cat >again.c <<'END'
#include <signal.h>
#include <unistd.h>
static int ends[2];
static void on_alarm(int signal)
{
	write(ends[1], "x", 1);
}
int main(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	char c;

	pipe(ends);
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	return read(ends[0], &c, 1) != 1;
}
END
gcc -O1 -g -static -no-pie -o again again.c 2>/dev/null
run ktrace branch -F json -o again.json -- ./again
ends 0 'a call that is interrupted'
from=$(jq -r 'select(.kind == "sent" and .to.function == "on_alarm") | .from.address' again.json)
check 'the handler is sent to from there' [ -n "$from" ]
check 'and the call comes back once' [ "$(jq -r 'select(.kind == "syscall") | .from.address' again.json | grep -cx "$from")" = 1 ]

# ---- a part of them -------------------------------------------------------------------

check 'they can be left out' [ "$(ktrace report -e '!branch:*' t | wc -l)" = \
	"$(ktrace report -e 'syscalls:*' t | wc -l)" ]
check 'and chosen' [ "$(ktrace report -e branch:call t | wc -l)" = "$(grep -c '^call ' kept)" ]
check 'they are counted' [ "$(ktrace stat t | awk '$NF == "branch:call" { gsub(",", "", $1); print $1 }')" = \
	"$(grep -c '^call ' kept)" ]
run ktrace record -o small -e sys_enter_getppid --only --branch-trace=4K -- ./walk
ends 0 'a small buffer' 'older entries were overwritten' '--branch-trace=64M'
check 'has the newest' [ "$(ktrace branch -i small -F json | way | tail -n 100)" = "$(tail -n 100 kept)" ]

# ---- elsewhere ------------------------------------------------------------------------

ktrace archive -o t.ktar t 2>/dev/null
cp walk walk.kept
echo '#!/bin/sh' >walk
check 'names are in the trace' [ "$(ktrace branch -i t -F json | way | cmp - kept && echo same)" = same ]
check 'and in an archive of it' [ "$(ktrace branch -i t.ktar -F json | way | cmp - kept && echo same)" = same ]
cp walk.kept walk
if command -v babeltrace2 >/dev/null; then
	ktrace export --to ctf -o t.ctf t 2>/dev/null
	babeltrace2 t.ctf | grep 'branches = \[ \[0\] = "' >ctf
	check 'CTF has them' [ "$(wc -l <ctf)" = "$(wc -l <kept)" ]
	check 'with their names' [ "$(grep -c ' call: .*"call walk+0x[0-9a-f]* (walk) at walk.c:[0-9]* → odd+0 ' ctf)" = \
		"$(grep -c '^call .* walk .* odd$' kept)" ]
fi
ktrace record -q -e sys_enter_getppid --only --branch-trace=4M -o - -- ./walk >stream
ktrace branch -i - -F json <stream | way >piped
check 'a stream has them' cmp kept piped
ktrace report - <stream >/dev/null 2>err
check 'but not among the events, and says so' grep -q 'of a stream, by ktrace branch -i -' err

# ---- ends -----------------------------------------------------------------------------

run ktrace record -q -o killed -e sys_enter_getppid --only --branch-trace -- ./walk kill
ends 137 'a command that is killed'
check 'where it was' grep -q '^killed by SIGKILL .* at ' <<END
$(ktrace branch -i killed)
END
check 'also in the report' grep -q 'branch:last: .* signal=9$' <<END
$(ktrace report killed)
END
mkfifo go
ktrace record -q -o cut -e sys_enter_getppid --branch-trace -- sh -c 'read line <go' &
until [ "$(ktrace stat cut 2>/dev/null | wc -l)" -gt 0 ] || [ -s cut/metadata ]; do sleep 0.2; done
sleep 1
kill -9 $!
wait $! 2>/dev/null
echo >go &
run ktrace branch -i cut
ends 1 'a recorder that was killed has written none' 'were not written' 'cut off'
run ktrace report cut
ends 0 'the rest can be read'
ktrace unload 2>/dev/null
kill %% 2>/dev/null

# ---- what makes no sense ----------------------------------------------------------------

run ktrace record --branch-trace -d 1s
ends 2 'whose?' '--branch-trace: whose?' '-p'
run ktrace record --branch-trace=1K -- true
ends 2 'too small' "--branch-trace \`1K': 4K to 64M"
run ktrace branch -i t -- true
ends 2 'a trace and a command' '-i shows a trace'
run ktrace branch -i t --coverage x
ends 2 'lines of a trace' '--coverage'
run ktrace branch -i nothing
ends 1 'no trace' 'nothing'
ktrace record -q -o plain.t -e sys_enter_getppid --only -- ./walk
run ktrace branch -i plain.t
ends 1 'a trace without branches' 'it has no branches: ktrace record --branch-trace'

finish_vm branch_trace.sh
