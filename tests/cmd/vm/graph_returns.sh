# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# graph_returns.sh - functions that signals, jumps out of handlers, kills and execs go through: each
# call returns where it was called, or is one of those that do not return; the kernel's kprobes and
# kretprobes say which calls there were
# Only in check-all: it takes long.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/graph_returns && cd /mnt/graph_returns || exit 1
tree=/sys/kernel/ktrace
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing

cat >signals.c <<'END'
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf out;
static int pipes[2];
static volatile sig_atomic_t jumps;

static void handle(int signal)
{
	if (jumps)
		siglongjmp(out, 1);
}

/* Alarms come again and again, because the first may come before something waits for it. */
static void alarms(int on)
{
	const struct timeval period = {.tv_usec = on ? 5000 : 0};
	struct itimerval timer = {period, period};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Reads from an empty pipe until an alarm interrupts it. */
static int interrupted(void)
{
	int good;
	char c;

	alarms(1);
	good = read(pipes[0], &c, 1) < 0 && errno == EINTR;
	alarms(0);
	return good;
}

/* The same, but the handler does not return. */
static int jumped_out(void)
{
	jumps = 1;
	if (!sigsetjmp(out, 1))
		interrupted();
	jumps = 0;
	alarms(0);
	return 1;
}

static int killed(void)
{
	int status;
	pid_t child = fork();
	char c;

	if (!child) {
		read(pipes[0], &c, 1);
		_exit(1);
	}
	usleep(1000);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return WIFSIGNALED(status);
}

static void *sleeps(void *data)
{
	pause();
	return data;
}

static void *executes(void *name)
{
	execl(name, name, "0", NULL);
	return NULL;
}

/* Another thread than the first executes a program, while others sleep: they are killed, and it takes
 * the place of the first. */
static void exec_in_thread(const char *name)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, sleeps, NULL);
	usleep(2000);
	pthread_create(&threads[3], NULL, executes, (void *)name);
	pause();
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = handle};
	int i, status, good = 0;

	if (argc > 1)
		return 0;
	pipe(pipes);
	sigaction(SIGALRM, &action, NULL);
	for (i = 0; i < 10; i++)
		good += interrupted() + jumped_out() + killed();
	for (i = 0; i < 5; i++) {
		execl("/no/such/file", "none", NULL);
		execl("/etc/hostname", "none", NULL);
		if (!fork())
			exec_in_thread(argv[0]);
		wait(&status);
		good += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	printf("%d good\n", good);
	return good != 35;
}
END
gcc -O1 -pthread -o signals signals.c 2>/dev/null
cat >workload <<'END'
echo $BASHPID >shell
echo $BASHPID >/sys/kernel/tracing/set_event_pid
echo 1 >/sys/kernel/tracing/tracing_on
$PWD/signals
status=$?
echo 0 >/sys/kernel/tracing/tracing_on
exit $status
END
patterns='do_*,get_signal,arch_do_signal_or_restart,bprm_execve,begin_new_exec,load_elf_binary,exec_mmap,de_thread'
patterns+=',__x64_sys_*,ksys_*,signal_setup_done,setup_signal_stack_si,force_sig*,send_sig*,__send_signal*'
patterns+=',zap_other_threads,release_task,exit_mm,exit_signals,exit_files,vfs_read,pipe_read,kernel_*,path_openat'
# What does not return, on any kernel.
forever='^(do_exit|do_group_exit|do_task_dead|make_task_dead|__x64_sys_exit|__x64_sys_exit_group)$'

# A task's calls return in the opposite order, until it exits: then those that are open stay open. A
# thread that executes a program gets the number of its leader, so some returns of an exec come in
# a task that did not begin it. Prints what is otherwise, and "open COUNT NAME" of what stays open.
cat >pairs.pl <<'END'
my (%open, %left, %moved);
while (<>) {
	my ($task, $name, $what) = split;
	my $stack = $open{$task} //= [];
	if ($what eq '+' && $name eq 'do_exit') {
		$left{$_}++ for @$stack, $name;
		$open{$task} = [];
	} elsif ($what eq '+') {
		push @$stack, $name;
	} elsif (@$stack && $stack->[-1] eq $name) {
		pop @$stack;
	} elsif (grep { $_ eq $name } @$stack) {
		print "$name of task $task returns while $stack->[-1] is open\n";
		pop @$stack while $stack->[-1] ne $name;
		pop @$stack;
	} else {
		push @{$moved{$name}}, $task;
	}
}
# What has moved was begun by threads that are gone without an exit.
for my $name (keys %moved) {
	my $begun = grep { $_ eq $name } map { @$_ } values %open;
	print "$name returns in tasks @{$moved{$name}}, and has begun in $begun\n"
		if $begun != @{$moved{$name}};
	$open{$_} = [grep { $_ ne $name } @{$open{$_}}] for keys %open;
}
for my $task (keys %open) {
	print "$_ of task $task is open, and the task has not exited\n"
		for grep { $_ ne 'do_task_dead' } @{$open{$task}};
}
print "open $left{$_} $_\n" for sort keys %left;
END

# How many calls and returns of each function there are in each of the shell's children. Not of each
# thread: one that executes a program has its leader's number at once for the kernel, and for us when
# the program is loaded.
counted()
{
	grep -v "^$(cat shell) " | sort | uniq -c | awk '{ print $2, $3, $4, $1 }'
}

all_return()	# WAY
{
	run sh -c 'ktrace report -F json t >json'
	check "$1: nothing is missed" [ -z "$err" ]
	perl -ne 'print "$1 $3 ", $2 eq "function" ? "+" : "-", "\n"
		if /"tid":(\d+),.*"event":"(function|return):([^"]+)"/' json >all
	perl -ne 'print "$1 $3 ", $2 eq "function" ? "+" : "-", "\n"
		if /"pid":(\d+),.*"event":"(function|return):([^"]+)"/' json >processes
	perl pairs.pl all >pairs
	out=$(grep -v '^open ' pairs | head)
	check "$1: each call returns in its task, one within the other, unless the task exits" [ -z "$out" ]
	out=$(awk -v forever="$forever" '$2 ~ forever && $3 == "-"' all)
	check "$1: what cannot return does not" [ -z "$out" ]
	check "$1: who is killed is so in what handles signals" grep -qE '^open [23][0-9] get_signal$' pairs
	check "$1: those are there" [ "$(grep -c ' do_exit +$' all)" -ge 25 ]
	check "$1: so are signals" [ "$(grep -c ' get_signal +$' all)" -ge 30 ]
	check "$1: and execs" [ "$(grep -c ' __x64_sys_execve +$' all)" -ge 15 ]
}

# ---- by trampolines ---------------------------------------------------------------------------

run ktrace record -q --only --plain --size 64M -F "$(patterns_here "$patterns")" -o t -- bash workload
ends 0 'programs do what they should while their functions are hooked'
check 'the program says so' [ "$out" = '35 good' ]
all_return direct
functions_once >once
cut -d ' ' -f 2 all | sort -u | grep -xFf once | grep -v '\.' >called
rm -r t

# ---- by ftrace, beside kprobes ------------------------------------------------------------------

: >probed
while read -r name; do
	echo "p:kt/p_$name $name" >>$tracing/kprobe_events 2>/dev/null || continue
	# Without a probe of its return where there is none.
	[[ $name =~ $forever ]] || echo "r2000:kt/r_$name $name" >>$tracing/kprobe_events
	echo "$name" >>probed
done <called
check 'kprobes are at many functions' [ "$(wc -l <probed)" -ge 50 ]
echo 0 >$tracing/tracing_on
echo >$tracing/trace
echo 32768 >$tracing/buffer_size_kb
echo 1 >$tracing/options/event-fork
echo 1 >$tracing/options/record-tgid
echo 1 >$tracing/events/kt/enable
run ktrace record -q --only --plain --size 64M -F "$(paste -sd, probed)" -o t -- bash workload
ends 0 'the same beside kprobes'
sed -n 's/^ *.*-[0-9]* *( *\([0-9]*\)) *\[.*: \([pr]\)_\([^ :]*\): .*/\1 \3 \2/p' $tracing/trace |
	sed 's/p$/+/; s/r$/-/' | counted >theirs
check 'no kretprobe was missed' [ -z "$(awk '$1 ~ /^r_/ && $3' $tracing/kprobe_profile)" ]
echo 0 >$tracing/events/kt/enable
echo 0 >$tracing/options/event-fork
echo 0 >$tracing/options/record-tgid
echo >$tracing/set_event_pid
echo >$tracing/kprobe_events
echo 1408 >$tracing/buffer_size_kb
echo 1 >$tracing/tracing_on
all_return ftrace
grep -f <(awk '{ print "^" $1 " " }' theirs | sort -u) processes | counted >ours
out=$(diff theirs ours | head -20)
check 'there are many' [ "$(awk '{ n += $4 } END { print n }' theirs)" -gt 2000 ]
check 'the same calls and returns' [ -z "$out" ]
rm -r t
finish_vm graph_returns.sh
