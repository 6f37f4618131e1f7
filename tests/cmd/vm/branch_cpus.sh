# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# branch_cpus.sh - ktrace branch --cpu: what ran on CPUs, parted by threads, is what `ktrace branch' lists of
# each thread alone (ptrace and the emulator are its judges), by the same names
# One kernel is enough: what is traced is tested by tests/kernel.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/branch_cpus && cd /mnt/branch_cpus || exit 1

cat >walk.c <<'END_OF_FILE'
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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
static __attribute__((noinline)) void on_cpu(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}
int main(int argc, char **argv)
{
	for (int cpu = 1; argc > 1 && cpu < atoi(argv[1]); cpu++) {
		on_cpu(cpu & 1);
		walk(27, 8);
	}
	walk(97, 64);
	return strlen(argv[0]) == 1;
}
END_OF_FILE
gcc -O1 -g -o walk walk.c
cp walk other

# The way of the thread NAME from where its program began: lines of the JSON on standard input without stamps
way()	# NAME; "": there is only one thread
{
	perl -e '
		my @lines = <STDIN>;
		my ($read) = grep { /"kind":"read"/ && ($ARGV[0] eq "" || /"comm":"$ARGV[0]"/) } @lines;
		my ($tid) = $read =~ /"thread":(\d+)/;
		my @mine;
		for (grep { /^\{"thread":$tid,/ } @lines) {
			s/^.*?,//;
			push @mine, $_ if /"from":/;
			@mine = () if /"kind":"sent".*"to":.*ld-linux/;
		}
		print @mine' "$1"
}

# The same if it is traced alone
alone()	# COMMAND...
{
	setarch -R ktrace branch -s 16M -F json -- "$@" 2>/dev/null | way ''
}

# ---- the same as alone ----------------------------------------------------------------

alone ./walk >thread
check 'a thread alone' [ "$(grep -c 'walk.c:' <thread)" -gt 100 ]
run setarch -R ktrace branch -c all -s 16M -F json -o all.json -- ./walk
ends 0 'all CPUs'
way walk <all.json >cpus
check 'it has the same branches, by the same names' cmp thread cpus
check 'those of libraries, too' grep -q '/libc.so.6","offset":[0-9]*,"function":"[a-z_]*exit' cpus
check 'the JSON ends with what is said of CPUs' \
	[ "$(tail -n 1 all.json | jq -c '[.kind, .overwritten, .unfollowed, has("unread")]')" = '["cpus",0,0,true]' ]
check 'ktrace itself is not there' [ "$(grep -c '"comm":"ktrace"' all.json)" = 0 ]

alone ./walk 40 >thread
run setarch -R ktrace branch -c 0,1 -s 16M -F json -o all.json -- ./walk 40
way walk <all.json >cpus
check 'of one that moves between them' cmp thread cpus
check 'which it does' [ "$(grep -c '"kind":"arrives","cpu":1' all.json)" -ge 19 ]
run setarch -R ktrace branch -c 1 -s 16M -F json -o one.json -- ./walk 40
way walk <one.json >cpus
check 'of one CPU, a part' [ "$(wc -l <cpus)" -gt 100 -a "$(wc -l <cpus)" -lt "$(wc -l <thread)" ]
check 'of that CPU' [ "$(grep -o '"cpu":[0-9]*' one.json | sort -u)" = '"cpu":1' ]

# ---- many programs --------------------------------------------------------------------

run ktrace branch -c 0-1 -s 16M -F json -o many.json -- sh -c './walk; ./other; ./walk'
ends 0 'several programs'
check 'each is a thread' [ "$(grep -o '"comm":"\(walk\|other\)"' many.json | sort | tr '\n' ' ')" = \
	'"comm":"other" "comm":"walk" "comm":"walk" ' ]
way other <many.json >cpus
check 'each with its own files' [ "$(grep -c '/other","offset":[0-9]*,"function":"walk"' cpus)" -gt 100 ]
check 'and none with that of another' [ "$(grep -c '/walk"' cpus)" = 0 ]

# A thread that is not the first one executes another program, and has another number then.
cat >second.c <<'END_OF_FILE'
#include <pthread.h>
#include <unistd.h>
static __attribute__((noinline)) int before(int x) { return x * 3; }
static void *second(void *data)
{
	volatile int sum = 0;

	for (int i = 0; i < 300; i++)
		sum += before(i);
	execl("./walk", "walk", NULL);
	return NULL;
}
int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, second, NULL);
	return pthread_join(thread, NULL);
}
END_OF_FILE
gcc -O1 -g -o second second.c
run ktrace branch -c all -s 16M -F json -o second.json -- ./second
check 'what it did before has names' [ "$(grep -c '"to":.*"function":"before"' second.json)" -ge 300 ]
check 'and what it does then' [ "$(grep -c '"to":.*"function":"walk"' second.json)" -ge 1 ]

# A number that was used again is another thread.
echo 320 >/proc/sys/kernel/pid_max
run ktrace branch -c all -s 4M -F json -o again.json -- sh -c 'for i in $(seq 60); do (:); done'
echo 32768 >/proc/sys/kernel/pid_max
check 'numbers were used again' [ "$(grep '"kind":"read"' again.json | grep -o '^."thread":[0-9]*' | sort | uniq -d | wc -l)" -gt 10 ]
check 'each thread ends once' [ "$(grep -c '"kind":"ends"' again.json)" = \
	"$(grep -c '"kind":"read".*"ended":true' again.json)" ]

# ---- how it is shown ------------------------------------------------------------------

run setarch -R ktrace branch -c all -s 16M -- ./walk
check 'the text names threads' grep -q '^thread [0-9]* (walk): [0-9,]* entries$' <<<"$out"
check 'and has lines' grep -q 'call  *main+0x[0-9a-f]* walk.c:[0-9]* → walk walk.c:' <<<"$out"
# main and what it calls, as deep as they are below it
calls()
{
	sed -n '/ main \[walk\]/,$p' | awk '{ match($0, /^ */) } NR == 1 { depth = RLENGTH }
		NR > 1 && RLENGTH <= depth { exit } { print substr($0, depth + 1) }'
}
setarch -R ktrace branch -s 16M --calls -- ./walk 2>/dev/null | calls >thread
setarch -R ktrace branch -c all -s 16M --calls -- ./walk 2>/dev/null | calls >cpus
check 'the calls are the same' cmp thread cpus
check 'each below its caller' grep -q '^    odd \[walk\]' cpus
run ktrace branch -c all --flat -s 4K -- ./walk
check 'what was overwritten is said' grep -q '^of the newest ones; [0-9,]* entries before were overwritten (--size)$' <<<"$out"
run ktrace branch -c all -s 4K -- ./walk
check 'in the text, too' grep -q '^the newest entries of each CPU; [0-9,]* before were overwritten$' <<<"$out"
run ktrace branch -c all --coverage lines.info -s 16M -- ./walk
check 'which lines have run' grep -q '^SF:.*/walk.c$' lines.info

# ---- a while --------------------------------------------------------------------------

taskset 2 sh -c 'while :; do :; done' &
busy=$!
run ktrace branch -c 1 -d 300ms -n 5
ends 0 'for a while'
check 'who runs there' grep -q "^thread $busy (sh): " <<<"$out"
kill $busy
wait $busy 2>/dev/null

# ---- what is wrong --------------------------------------------------------------------

run ktrace branch -c 99 -- true
ends 1 'a CPU that is not there' 'there is no cpu 99'
run ktrace branch -c 1-0
ends 2 'no list' "--cpu \`1-0': numbers are expected, like 0,2-3"
run ktrace branch -c all -p 1
ends 2 'CPUs and a process' '--cpu is about all programs'
run ktrace branch -c all -i .
ends 2 'CPUs of a trace' '-i shows a trace; it traces nothing'
run setpriv --inh-caps=-sys_admin --bounding-set=-sys_admin ktrace branch -c all -- true
ends 1 'not for everybody' 'for root (CAP_SYS_ADMIN)'
run setpriv --inh-caps=-ipc_lock --bounding-set=-ipc_lock sh -c 'ulimit -l 64; ktrace branch -c all -s 1M -- true'
ends 1 'more memory than allowed' 'locked memory are not allowed'

finish_vm branch_cpus.sh
