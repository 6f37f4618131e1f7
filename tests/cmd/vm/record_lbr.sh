# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# record_lbr.sh - ktrace record --branches by the processor's last branch records, which the module
# ktrace-records plays: each event has exactly the branches of the program that the records had, in their order and
# with names, also while tasks move; and what is refused where there are no such records
# One kernel is enough: what depends on the kernel is in calls of perf, which this test plays.
# Only in check-all: it takes minutes.

. "$(dirname "$0")/../check.sh"
mkdir -p /mnt/record_lbr && cd /mnt/record_lbr || exit 1
tree=/sys/kernel/ktrace
records=/sys/kernel/debug/ktrace-records
rmmod ktrace-branch 2>/dev/null
insmod "$KTRACE_MODULES/ktrace-branch.ko"

# refuses LINE WORDS
refuses() {
	check "refused: '$1'" sh -c '! echo "$1" 2>/dev/null >"$0/branches"' "$tree" "$1"
	check "and it is said why: $2" grep -qF "$2" "$tree/error"
}

# state WORD: of the module that plays the records
state() {
	sed -n "s/^$1 //p" $records/state
}

# hold LINE: somebody has a context until he is killed
hold() {
	rm -f ready
	sh -c "exec 3<>$tree/branches; echo $1 >&3 && cat <&3 >ready; echo >>ready; exec sleep 1000" &
	holder=$!
	until [ -s ready ]; do sleep 0.1; done
}

release() {
	kill -9 $holder
	wait $holder 2>/dev/null
}

# ---- a machine without them ---------------------------------------------------------

lacks='this machine has no last branch records'
check 'the file says so' grep -q "^lbr: no: $lacks" $tree/branches
run ktrace doctor
check 'and the doctor' grep -q "lbr: no: $lacks" <<<"$out"
refuses 'all events by lbr' "$lacks"
check 'and what would do' grep -qF 'single-stepping (pid PID events)' $tree/error
refuses 'all events' "$lacks"
refuses 'all by lbr' 'for events alone: all events by lbr'
refuses "pid $$ events by lbr" 'for events alone: all events by lbr'
refuses "pid $$ by lbr" 'for events alone: all events by lbr'
refuses 'all events by step' 'for events alone: all events by lbr'
refuses 'all events by bts' 'for events alone: all events by lbr'
refuses 'cpu 0 events by lbr' 'events that or all'
refuses 'all events kernel by lbr' 'not found by lbr'
refuses 'all events mappings by lbr' 'for events alone: all events by lbr'
refuses 'all events size 4096 by lbr' 'for events alone: all events by lbr'
refuses 'all events kernel' 'leave out "kernel"'
refuses 'all events by magic' 'by step, by bts, or by lbr, not by "magic"'
run ktrace record -o no -e sched_switch --branches 16 -d 1s
ends 1 'record refuses it' "$lacks"
check 'and says what would do' grep -q 'name a command, or processes with -p' <<<"$err"
run ktrace record -o no -e sched_switch --branches 16 --branches-by lbr -- true
ends 1 'with a command, too' "$lacks"
run ktrace record -o no --branches 4 --branches-by magic -- true
ends 2 'by somebody else' 'step or lbr is wanted'
run ktrace record -o no --branches-by lbr -- true
ends 2 'of no event' '--branches is missing'
check 'nothing is left' [ ! -e no ]

# ---- a program that takes branches --------------------------------------------------

insmod "$KTRACE_MODULES/ktrace-records.ko"
check 'now there are some' grep -q '^lbr: user$' $tree/branches
cat >recorded.c <<'END'
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <fcntl.h>
/* Never run: places of instructions. */
asm(".text\n"
    ".macro place name instruction:vararg\n.globl \\name\n.type \\name,@function\n\\name:\n \\instruction\n"
    ".size \\name, . - \\name\n.endm\n"
    "place at_jump jmp to_jump\n nop\n"
    "place to_jump nop\n"
    "place at_conditional jne to_conditional\n nop\n"
    "place to_conditional nop\n"
    "place at_indirect jmp *%rax\n"
    "place at_call call to_call\n nop\n"
    "place to_call nop\n"
    "place at_indirect_call call *%rax\n"
    "place at_return ret\n"
    "place at_nothing nop\n"
    "place at_end nop\n");
extern char at_jump[], to_jump[], at_conditional[], to_conditional[], at_indirect[], at_call[], to_call[],
	at_indirect_call[], at_return[], at_nothing[], at_end[];
#define KERNEL 0xffffffff81000000ul
#define GUESSED (1ul << 60)
/* Those without a name have an end in the kernel, or were not gone. */
static struct { const char *name; unsigned long from, to; } branches[] = {
	{"jump at_jump+0 to_jump+0", (unsigned long)at_jump, (unsigned long)to_jump},
	{"conditional at_conditional+0 to_conditional+0", (unsigned long)at_conditional, (unsigned long)to_conditional},
	{"indirect at_indirect+0 to_jump+0", (unsigned long)at_indirect, (unsigned long)to_jump},
	{"call at_call+0 to_call+0", (unsigned long)at_call, (unsigned long)to_call},
	{"indirect_call at_indirect_call+0 to_call+0", (unsigned long)at_indirect_call, (unsigned long)to_call},
	{"return at_return+0 at_end+0", (unsigned long)at_return, (unsigned long)at_end},
	{"unknown at_nothing+0 to_call+0", (unsigned long)at_nothing, (unsigned long)to_call},
	{"unknown at_jump+0 to_call+0", (unsigned long)at_jump, (unsigned long)to_call},
	{NULL, KERNEL, KERNEL + 64},
	{NULL, (unsigned long)at_nothing, KERNEL},
	{NULL, KERNEL, (unsigned long)at_nothing},
	{NULL, GUESSED + (unsigned long)at_jump, (unsigned long)to_jump},
};
#define NR (sizeof(branches) / sizeof(*branches))
static int play, max;
static unsigned int rounds;

static void move(unsigned int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *run(void *argument)
{
	unsigned int seed = (unsigned long)argument, total = 0, log[64];
	char text[4096], *says = NULL;
	size_t size;
	FILE *said = open_memstream(&says, &size);

	for (unsigned int r = 0; r < rounds; r++) {
		int len = sprintf(text, "take"), first, shown = 0;
		unsigned int n = 1 + rand_r(&seed) % (r ? 40 : 3);

		for (unsigned int i = 0; i < n; i++) {
			unsigned int b = rand_r(&seed) % NR;

			len += sprintf(text + len, " %lx %lx", branches[b].from, branches[b].to);
			log[total++ % 64] = b;
		}
		if (write(play, text, len) != len)
			abort();
		move(rand_r(&seed) % 2);
		syscall(SYS_getppid);
		/* The newest @max of the program among the 32 newest of all. */
		for (first = total; first > 0 && first + 32 > (int)total && shown < max;)
			shown += branches[log[--first % 64]].name != NULL;
		fprintf(said, "%ld ", syscall(SYS_gettid));
		for (const char *between = ""; first < (int)total; first++)
			if (branches[log[first % 64]].name) {
				fprintf(said, "%s%s", between, branches[log[first % 64]].name);
				between = ";";
			}
		fprintf(said, "\n");
	}
	fclose(said);
	fputs(says, stdout);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	if (argc > 1 && !strcmp(argv[1], "first")) {
		/* What the program before has taken is not this one's. */
		syscall(SYS_getppid);
		return 0;
	}
	play = open("/sys/kernel/debug/ktrace-records/play", O_WRONLY | O_CLOEXEC);
	max = atoi(argv[1]);
	rounds = atoi(argv[2]);
	if (argc > 3 && !strcmp(argv[3], "exec")) {
		run((void *)7ul);
		fflush(stdout);
		execl(argv[0], argv[0], "first", NULL);
	}
	if (argc > 3 && !strcmp(argv[3], "unreadable")) {
		char text[64], *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int len = sprintf(text, "take %lx %lx", (unsigned long)page, (unsigned long)to_call);

		if (write(play, text, len) != len)
			abort();
		syscall(SYS_getppid);
		return 0;
	}
	if (argc > 3 && !strcmp(argv[3], "spin")) {
		/* Until it is killed. */
		run((void *)9ul);
		fflush(stdout);
		for (;;)
			asm volatile("" : : : "memory");
	}
	for (unsigned long i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	for (unsigned int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
END
gcc -O1 -g -D_GNU_SOURCE -o recorded recorded.c || exit 1

# events TRACE [PROGRAM]: a line for each, of each thread in order: its number and its branches, with ";" between them
events() {
	ktrace report -F json "$1" | jq -r --arg comm "${2:-recorded}" 'select(.comm == $comm and .event != "function:exit" and (.event | test("^(msr|exceptions):") | not) and (.event | startswith("return:") | not)) |
		"\(.tid) " +
		([.branches[]? | .kind + " " + (.from | sub(" \\(.*"; "")) + " " + (.to | sub(" \\(.*"; ""))] | join(";"))' |
		sort -s -n -k 1,1
}

# ---- the same branches --------------------------------------------------------------

for max in 32 5 1; do
	run ktrace record -q -o t$max -e sys_enter_getppid --branches $max --branches-by lbr -- sh -c "./recorded $max 60 >said$max"
	ends 0 "it records $max"
	events t$max >got$max
	check '240 events' [ "$(wc -l <got$max)" = 240 ]
	check "each has exactly its $max newest branches of the program, in order" cmp got$max <(sort -s -n -k 1,1 said$max)
done
check 'some had fewer' [ "$(awk -F';' 'NF < 4' got32 | wc -l)" -ge 4 ]
check 'and many 20 and more' [ "$(awk -F';' 'NF > 20' got32 | wc -l)" -gt 60 ]
check 'none is lost' [ -z "$(ktrace stat t32 | grep 'without their branches')" ]
check 'they are asked for once for each event' [ "$(state copies)" -ge 720 ]
check 'nobody records any more' [ "$(state cpus)" = 0 ]
run ktrace report -g t5
check 'with names' grep -q '^	call  *at_call+0 (recorded) → to_call+0 (recorded)' <<<"$out"

# ---- of whatever runs ---------------------------------------------------------------

ktrace record -o all -e sys_enter_getppid,sched_switch --branches 8 2>said &
recorder=$!
until grep -qs Ctrl-C said; do sleep 0.1; done
check 'each CPU records' [ "$(state cpus)" = "$(nproc)" ]
./recorded 8 30 >said8
kill -INT $recorder
wait $recorder
ktrace report -F json all | jq -c 'select(.event == "syscalls:sys_enter_getppid")' >calls
check 'without a command, of all programs' cmp <(jq -r 'select(.comm == "recorded") | "\(.tid) " +
	([.branches[]? | .kind + " " + (.from | sub(" \\(.*"; "")) + " " + (.to | sub(" \\(.*"; ""))] | join(";"))' calls |
	sort -s -n -k 1,1) <(sort -s -n -k 1,1 said8)
# Nobody else has played some, and the registers keep them until they are wiped.
check 'no task has those of another one' [ "$(ktrace report -F json all |
	jq -c 'select(.comm != "recorded" and .branches)' | wc -l)" = 0 ]
check 'a task that leaves has its own' [ "$(ktrace report -F json all |
	jq -c 'select(.comm == "recorded" and .event == "sched:sched_switch" and .branches)' | wc -l)" -ge 10 ]

# ---- events in the midst of it ------------------------------------------------------

# lost TRACE: how many events are without their branches
lost() {
	ktrace stat "$1" | sed -n 's/^ *\([0-9,]*\) *stacks: events without.*/\1/p' | tr -d ,
}

copies=$(state copies)
run ktrace record -q -o msr -e 'msr:*,sys_enter_getppid' --branches 8 --branches-by lbr -- sh -c './recorded 8 20 >saidm'
ends 0 'it records what perf reads and writes for the records'
check 'system calls have theirs' cmp <(events msr) <(sort -s -n -k 1,1 saidm)
check 'each copy reads a register, which has an event without branches' [ "$(lost msr)" -ge 80 ]
check 'others of these events have some' [ "$(state copies)" -ge $((copies + 80)) ]
run ktrace record -q -o fault -e 'exceptions:page_fault_kernel,sys_enter_getppid' --branches 8 --branches-by lbr -- ./recorded 8 1 unreadable
ends 0 'it records faults of the kernel'
check 'a branch whose bytes are not there is unknown' grep -q '^[0-9]* unknown [^;]* to_call+0$' <(events fault)
check 'to look for them has an event' [ "$(ktrace report -F json fault | jq -c 'select(.comm == "recorded" and .event == "exceptions:page_fault_kernel")' | wc -l)" -ge 1 ]
check 'which has no branches' [ "$(lost fault)" -ge 1 ]

# ---- samples, and functions ---------------------------------------------------------

./recorded 6 1 spin >saidspin &
spinner=$!
until [ -s saidspin ]; do sleep 0.1; done
run ktrace record -q -o samples -F 500 --branches 6 -d 2s
kill -9 $spinner
wait $spinner 2>/dev/null
events samples >gotspin
check 'samples have them' [ "$(wc -l <gotspin)" -ge 20 ]
check 'each the same' cmp <(sort -u gotspin) saidspin
run ktrace record -q -o functions -F __x64_sys_getppid --branches 8 --branches-by lbr -- sh -c './recorded 8 20 >saidf'
check 'calls of functions have them' cmp <(events functions) <(sort -s -n -k 1,1 saidf)

# ---- exec ---------------------------------------------------------------------------

run ktrace record -q -o exec -e sys_enter_getppid --branches 8 --branches-by lbr -- sh -c 'exec ./recorded 8 10 exec >saide'
events exec >gote
check 'not those of the program before' cmp gote <(cat saide; sed -n '1s/ .*/ /p' saide)
check 'the processor forgets them' [ "$(state wipes)" -ge 1 ]

# ---- what is not there --------------------------------------------------------------

echo 'away 1' >$records/play
run ktrace record -q -o away -e sys_enter_getppid --branches 8 --branches-by lbr -- sh -c './recorded 8 20 >saida'
check 'if perf has taken them, no event has some' [ "$(events away | grep -c ';')" = 0 ]
run ktrace stat away
check 'and each is counted' grep -q '^ *[0-9,]* *stacks: events without their branches' <<<"$out"
check 'as many as there were, and not fewer' [ "$(lost away)" -ge 80 ]
echo 'away 0' >$records/play
echo 'fail 1 16' >$records/play
refuses 'all events' 'perf does not give the last branch records: is a perf event with Intel PT or branches open, or are all counters'
echo 'fail 1 95' >$records/play
refuses 'all events' 'perf does not give the last branch records: error -95'
check 'nothing is left of it' [ "$(state cpus)" = 0 ]
echo 'fail 1 0' >$records/play
hold 'all events'
check 'and the next one has it' [ "$(head -n 1 ready)" = 'by lbr' ]
check 'several may' sh -c "echo all events by lbr >$tree/branches"
check 'and those that are left record on' [ "$(state cpus)" = "$(nproc)" ]
echo 0 >/sys/devices/system/cpu/cpu1/online
check 'a CPU that goes records no more' [ "$(state cpus)" = $(($(nproc))) ]
echo 1 >/sys/devices/system/cpu/cpu1/online
check 'and again when it comes' [ "$(state cpus)" = 2 ]
# KT_READ_BRANCHES of struct kt_branches, which has 64 bytes.
check 'a context of events has nothing to read' perl -e 'use Errno; open my $f, "+<", "$ARGV[0]/branches" or die;
	syswrite $f, "all events" or die; my $read = "\0" x 64; ioctl($f, 0xc040b710, $read) and die; exit !$!{ENOENT}' $tree
check 'the records stay while somebody wants them' sh -c '! rmmod ktrace-records 2>/dev/null'
# Whose branches are traced has those.
run ktrace record -q -o both -e sys_enter_getppid --branches 4 --branches-by step -- ./recorded first
check 'steps of a program come first' [ "$(ktrace report -F json both | jq -r 'select(.comm == "recorded") | .branches | length')" = 4 ]
release

check 'perf is never asked in the midst of that, nor while it has taken them' [ "$(state wrong)" = 0 ]

# ---- the end ------------------------------------------------------------------------

until rmmod ktrace-records; do sleep 0.1; done
check 'they are not there any more' grep -q "^lbr: no: $lacks" $tree/branches
until rmmod ktrace-branch; do sleep 0.1; done

finish_vm record_lbr.sh
