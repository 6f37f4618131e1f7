# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record_branches.sh - ktrace record --branches: the last branches before each event are those that
# `ktrace branch' lists at this place, and tests/kernel/branches.sh has ptrace for these
# One kernel is enough: what is traced is tested by tests/kernel.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/record_branches && cd /mnt/record_branches || exit 1

cat >walk.c <<'END'
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
int main(int argc, char **argv)
{
	walk(27, 64);
	if (argc > 1 && !fork()) {
		walk(97, 8);
		_exit(0);
	}
	return argc > 1 ? wait(NULL) < 0 : 0;
}
END
gcc -O1 -g -static -no-pie -o walk walk.c
# A program that enters the kernel before it takes a branch.
cat >first.S <<'END'
	.globl _start
_start:	mov $110, %eax
	syscall
	mov $60, %eax
	xor %edi, %edi
	syscall
END
gcc -g -nostdlib -static -o first first.S

# One in a line, as "KIND FROM TO", each place as FUNCTION+0xOFFSET
all_branches()	# COMMAND...
{
	ktrace branch -s 4M -F json -- "$@" | perl -ne '
		next unless /"kind":"(\w+)","from":(\{.*?\}),"to":(\{.*\})\}$/;
		my ($kind, @places) = ($1, $2, $3);
		next if $kind eq "syscall"; # none of an event
		print join " ", $kind, map {
			/"function":"([^"]*)","behind":(\d+)/ ? sprintf("%s+%#x", $1, $2) : "?"
		} @places; print "\n"'
}

# The events of a trace, a line each: their branches, in the same form, with ";" between them
event_branches()	# TRACE
{
	ktrace report -F json "$1" | jq -r 'select(.branches) | [.branches[] |
		.kind + " " + (.from | sub(" \\(.*"; "")) + " " + (.to | sub(" \\(.*"; ""))] | join(";")' |
		sed 's/\([^ ]*\) in \([^ ;]*\)/\2/g; s/+0\([ ;]\|$\)/+0x0\1/g'
}

# ---- the same branches --------------------------------------------------------------

all_branches ./walk | sed 's/+0\([ ;]\|$\)/+0x0\1/g' >all
run ktrace record -q -o t -e sys_enter_getppid --branches 32 -- ./walk
ends 0 'it records'
event_branches t >some
check 'each of the eight events has branches' [ "$(wc -l <some)" = 8 ]
check '32 of them' [ "$(awk -F';' '{ print NF }' some | sort -u)" = 32 ]
check 'they lie behind each other in the list of all' perl -e '
	my $all = join "", map { chomp; "$_;" } do { local @ARGV = ("all"); <> };
	my ($at, $n) = (0, 0);
	while (my $line = <STDIN>) {
		chomp $line;
		$at = index $all, "$line;", $at;
		die "not found: $line\n" if $at < 0;
		$n++; $at += 1;
	}
	exit($n != 8);' <some
check 'up to the call of the function that enters the kernel' \
	[ "$(grep -c ';call walk+0x[0-9a-f]* syscall+0x0$' some)" = 8 ]
run ktrace record -q -o t8 -e sys_enter_getppid --branches 8 -- ./walk
check 'as many as were asked for' [ "$(event_branches t8)" = "$(sed 's/.*;\(\([^;]*;\)\{7\}[^;]*\)$/\1/' some)" ]

# ---- how they are shown -------------------------------------------------------------

run ktrace report -g t8
check 'a line for each, with functions and lines' \
	grep -q '^	call          walk+0x[0-9a-f]* (walk) at walk.c:[0-9]* → \(odd\|even\)+0 (walk) at walk.c:[45]$' <<<"$out"
check '64 lines' [ "$(grep -c '^	[a-z_]*  *[^ ]' <<<"$out")" = 64 ]
run ktrace report t8
run ktrace report --oneline t8
check 'one line for each event' [ "$(wc -l <<<"$out")" = 8 ]
run ktrace report t8
check 'none without -g' [ "$(grep -c '^	' <<<"$out")" = 0 ]
run ktrace export --to ctf -o ctf t8
run babeltrace2 ctf
check 'in CTF, too' [ "$(grep -o '"[a-z_]* [^"]* → [^"]*"' <<<"$out" | wc -l)" = 64 ]
run ktrace report -F folded t8
check 'they are no stacks' grep -q "no event was recorded with its stack" <<<"$err"

# ---- beside stacks, and with a condition -------------------------------------------

run ktrace record -q -o both -e sys_enter_getppid,sys_exit_getppid -g='both:sys_enter_getppid' --branches 4 -- ./walk
ends 0 'with stacks'
check 'stacks of some events, branches of all' [ "$(ktrace report -F json both |
	jq -r '[.event, has("stack"), has("user_stack"), (.branches | length)] | join(" ")' | sort -u)" = \
	"syscalls:sys_enter_getppid true true 4
syscalls:sys_exit_getppid false false 4" ]
run ktrace record -q -o condition -e sys_enter_getppid,sys_exit_getppid -g='user:sys_exit_getppid if ret < 0' --branches 4 -- ./walk
check 'one condition for both' [ "$(ktrace report -F json condition |
	jq -r '[.event, has("user_stack"), has("branches")] | join(" ")' | sort | uniq -c | tr -s ' ')" = \
	" 8 syscalls:sys_enter_getppid false true
 8 syscalls:sys_exit_getppid false false" ]
run ktrace record -q -o holds -e sys_exit_getppid -g='user:sys_exit_getppid if ret > 0' --branches 4 -- ./walk
check 'that holds' [ "$(ktrace report -F json holds | jq -r '(.branches | length), has("user_stack")' | sort -u | tr '\n' ' ')" = '4 true ' ]
run ktrace record -q -o function -F do_exit --branches 4 -- ./walk
check 'calls of functions have them' [ "$(ktrace report -F json function |
	jq -r 'select(.comm == "walk") | .branches | length')" = 4 ]

# ---- room ---------------------------------------------------------------------------

run ktrace record -q -o small --stack-size 4K -e sys_enter --branches 32 -- ./walk
check 'what found no room is counted' grep -q 'record --stack-size gives more' <<<"$(ktrace stat small)"
check 'and said at the event' grep -q '^	\[no branches: there was no room for them\]$' <<<"$(ktrace report -g small)"
check 'the session has its own room again' [ "$(cat /sys/kernel/ktrace/stack_size)" = 4194304 ]
run ktrace record -q -o no --stack-size 2G -e sys_enter -g -- ./walk
ends 1 'more than there can be' 'to 1073741824 are possible'

# ---- whose ------------------------------------------------------------------------

run ktrace record -q -o children -e sys_enter_getppid --branches 8 -- ./walk fork
check 'children have theirs' [ "$(ktrace report -F json children |
	jq -r '[.pid, (.branches | length)] | join(" ")' | sort | uniq -c | awk '{ print $1, $3 }' | sort)" = "1 8
8 8" ]
run ktrace record -q -o first.t -e sys_enter_getppid --branches 8 -- sh -c 'exec ./first'
check 'not those of the program before' [ "$(ktrace report -F json first.t | jq -c 'select(.comm == "first") | has("branches")')" = false ]
run ktrace record -q -o executed --only -e sched_process_exec --branches 8 -- sh -c 'exec ./first'
check 'nor in the midst of an exec' [ "$(ktrace report -F json executed | jq -r '[.comm, has("branches")] | join(" ")')" = \
	"sh false
first false" ]
run ktrace record -q -o ended -e sched_process_exit --branches 8 -- ./walk
check 'a program that ends has them' [ "$(ktrace report -F json ended |
	jq -r 'select(.comm == "walk") | .branches[-1].from | sub("\\+.*"; "")')" = _exit ]
# A thread that is not the first one executes a program, which makes it the first one.
cat >thread.c <<'END'
#include <pthread.h>
#include <unistd.h>
static void *run(void *name)
{
	execl(name, name, NULL);
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, argv[1]);
	pthread_join(thread, NULL);
	return 1;
}
END
gcc -O1 -o thread thread.c
run ktrace record -q -o thread.t -e sys_enter_getppid --branches 4 -- ./thread ./walk
check 'a program that a second thread has executed' [ "$(ktrace report -F json thread.t |
	jq -r '.branches | length' | sort | uniq -c | tr -s ' ')" = ' 8 4' ]
# Each time that it sleeps would leave two stamps in its buffer.
cat >sleeper.c <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	long wait[2] = {0, 1000000};
	/* No branch is between these, and more sleeps than a buffer has entries. */
	asm volatile(".rept 300; mov $35, %%eax; syscall; .endr" : : "D"(wait), "S"(0L) : "rax", "rcx", "r11", "memory");
	asm volatile("mov $110, %%eax; syscall" : : : "rax", "rcx", "r11", "memory");
	return 0;
}
END
gcc -O1 -o sleeper sleeper.c
run ktrace record -q -o slept -e sys_enter_getppid --branches 1 -- ./sleeper
check 'also behind a thread that has slept often' [ "$(ktrace report -F json slept | jq -r '.branches | length')" = 1 ]
# A process that runs already; it takes its steps when it is recorded.
rm -f go over
sh -c 'while [ ! -e go ]; do sleep 0.1; done; ./walk; ./walk; touch over' &
ktrace record -o pid -e sys_enter_getppid --branches 4 -p $! 2>said &
recorder=$!
until grep -qs Ctrl-C said; do sleep 0.1; done
touch go
wait $recorder
check 'of a process that runs already' [ "$(ktrace report -F json pid | jq -r '.branches | length' | sort | uniq -c | tr -s ' ')" = ' 16 4' ]
rm -f go over
sh -c 'while [ ! -e go ]; do sleep 0.1; done; ./walk; ./walk; touch over' &
run ktrace record -q -o beside -e sys_enter_getppid --branches 4 -p $! -- sh -c 'touch go; while [ ! -e over ]; do sleep 0.1; done'
check 'and beside a command' [ "$(ktrace report -F json beside | jq -r '.branches | length' | sort | uniq -c | tr -s ' ')" = ' 16 4' ]
run ktrace record -q -o plain -e sys_enter_getppid -- ./walk
check 'none unless they are asked for' [ "$(ktrace report -F json plain | jq -c 'select(.branches)' | wc -l)" = 0 ]

# ---- a place that has only the archive ----------------------------------------------

cp walk gone
run ktrace record -q -o archived -e sys_enter_getppid --branches 4 -- ./gone
run ktrace archive -o archived.tar.zst archived
rm gone
run ktrace report -g archived.tar.zst
check 'an archive names them' [ "$(grep -c '^	call .*→ syscall+0 (gone)' <<<"$out")" = 8 ]

# ---- what is refused ----------------------------------------------------------------

for n in 0 33 x -1 ''; do
	run ktrace record -o no --branches "$n" -- ./walk
	ends 2 "--branches '$n'" '1 to 32 branches'
done
run ktrace record -o no --branches 4 --branches-by step -d 1s
ends 2 'whose is not said' 'name a command, or processes with -p'
run ktrace record -o no --branches 4 -M 'a:*' -- ./walk
ends 2 'only markers' '-e or -F is missing'
check 'nothing is left' [ ! -e no ]
run ktrace record -o no --stack-size 8M -e sys_enter -- ./walk
ends 2 'room for nothing' '-g or --branches is missing'
check 'the session has no stacks any more' [ "$(grep -c . /sys/kernel/ktrace/stack)" = 0 ]
# The module has no task to follow, so it can go.
check 'nobody is stopped any more' rmmod ktrace-branch

finish_vm record_branches.sh
