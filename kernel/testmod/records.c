// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays the last branch records of a processor (kernel/source/branch/records.h), which no emulator has.
 *
 *	/sys/kernel/debug/ktrace-records/
 *	  play	"take FROM TO FROM TO...": the writing task has taken these branches, of any mode; with bit 60 of FROM,
 *		the processor has only guessed that
 *		"fail CPU ERROR": from now on, that CPU does not begin; 0: it does
 *		"away 1": perf has taken the records away, until "away 0"
 *	  state	how many CPUs record, how often the records were copied and wiped, and how often copied in the midst
 *		of that, or while they were not there
 *
 * perf's function that copies the records is this module's, by the kernel's own static call.  As perf's it copies
 * always as many as there can be, leaves out what goes to the kernel and moves the others together, reads a register
 * with its tracepoint, and behind those that are valid is something else.
 *
 * Each CPU has registers, which keep what they have until they are wiped.  What a task has taken is put there again
 * when it comes to a CPU, so what its events must have is known, however often it is switched.  Other tasks
 * put nothing there.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <trace/events/sched.h>

#include "base/lock.h"
#include "base/symbol.h"
#include "compat/msr.h"
#include "event/tracepoints.h"
#include "source/branch/records.h"

#define RECORDS 32u
#define TASKS	64u

#define GUESSED BIT_ULL(60)
/* What perf adds to the place of a branch that was fused. */
#define FUSED 3

struct records {
	u32 taken; /* of all that there were; the newest ones are here */
	u32 valid;
	u64 from[RECORDS], to[RECORDS];
};

/* Of a task, which alone uses it. */
static struct player {
	pid_t tid; /* 0: free */
	struct records records;
} players[TASKS];

static DEFINE_PER_CPU(struct records, here);
static DEFINE_PER_CPU(bool, copying);
static DEFINE_PER_CPU(u64, wrong);
static DEFINE_PER_CPU(bool, recording);
static DEFINE_PER_CPU(u64, copies);
static DEFINE_PER_CPU(u64, wipes);
static struct dentry *dir;

static unsigned int failing_cpu;
static int failing; /* an error; 0: none */
static bool away;

/* ---- the registers -------------------------------------------------------- */

static struct player *player_find(const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; task->pid && i < TASKS; i++)
		if (READ_ONCE(players[i].tid) == task->pid)
			return &players[i];
	return NULL;
}

static struct player *player_make(void)
{
	struct player *player = player_find(current);
	unsigned int i;

	for (i = 0; !player && i < TASKS; i++)
		if (!cmpxchg(&players[i].tid, 0, current->pid))
			player = &players[i];
	return player;
}

static const char *registers_lack(void)
{
	return NULL;
}

static int registers_begin(unsigned int cpu)
{
	if (failing && cpu == failing_cpu)
		return -failing;
	per_cpu(recording, cpu) = true;
	return 0;
}

static void registers_end(unsigned int cpu)
{
	per_cpu(recording, cpu) = false;
}

static bool registers_here(void)
{
	return !READ_ONCE(away) && this_cpu_read(recording);
}

/* The @i-th newest. */
static u32 place_of(const struct records *records, u32 i)
{
	return (records->taken - 1 - i) % RECORDS;
}

static int registers_read(struct branch_register *to, unsigned int nr)
{
	const struct records *records = this_cpu_ptr(&here);
	u32 i;

	nr = min(nr, records->valid);
	for (i = 0; i < nr; i++) {
		u32 at = place_of(records, i);
		u32 fused = at % 2 ? FUSED : 0;

		to[i] = (struct branch_register){
			.from = (records->from[at] & ~GUESSED) - fused,
			.to = records->to[at],
			.reach = fused,
		};
	}
	return nr;
}

static void registers_wipe(void)
{
	this_cpu_write(here.valid, 0);
	this_cpu_inc(wipes);
}

static const struct branch_registers played = {
	.driver = {.owner = THIS_MODULE,
		   .lacks = registers_lack,
		   .begin = registers_begin,
		   .end = registers_end},
	.here = registers_here,
	.read = registers_read,
	.wipe = registers_wipe,
};

/* As perf does: what is behind stays where it is. */
static void leave_out(struct perf_branch_entry *entries, u32 nr)
{
	u32 i, j;

	for (i = 0; i < nr;) {
		if (entries[i].to < TASK_SIZE_MAX) {
			i++;
			continue;
		}
		for (j = i + 1; j < nr; j++)
			entries[j - 1] = entries[j];
		nr--;
	}
}

/* In perf's place. */
static int copy(struct perf_branch_entry *entries, unsigned int nr)
{
	const struct records *records = this_cpu_ptr(&here);
	u32 valid = records->valid, i;
	u64 unused;

	if (this_cpu_read(copying) || !registers_here()) {
		this_cpu_inc(wrong);
		return 0;
	}
	this_cpu_write(copying, true);
	nr = min(nr, RECORDS);
	for (i = 0; i < nr; i++) {
		u32 at = place_of(records, i);
		u64 from = i < valid ? records->from[at] : 0x1000 + i;

		entries[i] = (struct perf_branch_entry){
			.from = from & ~GUESSED,
			.to = i < valid ? records->to[at] : 0x2000 + i,
			.predicted = 1,
			.cycles = i,
			.spec = from & GUESSED ? PERF_BR_SPEC_WRONG_PATH
					       : PERF_BR_SPEC_NA,
		};
	}
	leave_out(entries, valid);
	rdmsrq(MSR_IA32_TSC, unused);
	(void)unused;
	this_cpu_inc(copies);
	this_cpu_write(copying, false);
	return nr;
}

/* ---- tasks ---------------------------------------------------------------- */

/* Behind ktrace's. */
static void probe_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	const struct player *player = player_find(next);

	if (player)
		*this_cpu_ptr(&here) = player->records;
}

/* The registers are ktrace's to wipe. */
static void probe_exec(void *data, struct task_struct *task, pid_t old_pid,
		       struct linux_binprm *bprm)
{
	struct player *player = player_find(current);

	if (player)
		player->records.valid = 0;
}

static __maybe_unused void check_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_process_exec(probe_exec);
}

static struct tracepoint *switch_point, *exec_point;

static int probes_attach(void)
{
	int err;

	mutex_lock(&kt_mutex);
	switch_point = kt_tracepoint_find("sched_switch");
	exec_point = kt_tracepoint_find("sched_process_exec");
	mutex_unlock(&kt_mutex);
	if (!switch_point || !exec_point)
		return -ENOENT;
	err = tracepoint_probe_register_prio(switch_point, probe_switch, NULL,
					     INT_MIN);
	if (err)
		return err;
	err = tracepoint_probe_register(exec_point, probe_exec, NULL);
	if (err)
		tracepoint_probe_unregister(switch_point, probe_switch, NULL);
	return err;
}

static void probes_detach(void)
{
	tracepoint_probe_unregister(exec_point, probe_exec, NULL);
	tracepoint_probe_unregister(switch_point, probe_switch, NULL);
	kt_tracepoints_synchronize();
}

/* ---- perf's static call --------------------------------------------------- */

static struct static_call_key *perf_key;
static void *perf_trampoline, *perf_function;

static int perf_find(void)
{
	perf_key = (void *)kt_symbol(
		STATIC_CALL_KEY_STR(perf_snapshot_branch_stack));
	perf_trampoline = (void *)kt_symbol(
		STATIC_CALL_TRAMP_STR(perf_snapshot_branch_stack));
	if (!perf_key || !perf_trampoline)
		return -ENOENT;
	perf_function = perf_key->func;
	return 0;
}

/* ---- files ---------------------------------------------------------------- */

static void put(struct records *records, u64 from, u64 to)
{
	records->from[records->taken % RECORDS] = from;
	records->to[records->taken % RECORDS] = to;
	records->taken++;
	records->valid = min(records->valid + 1, RECORDS);
}

static void take(struct player *player, u64 from, u64 to)
{
	unsigned long flags;

	local_irq_save(flags);
	put(&player->records, from, to);
	put(this_cpu_ptr(&here), from, to);
	local_irq_restore(flags);
}

static int take_all(char *text)
{
	struct player *player = player_make();
	char *word, *to;
	u64 place, next;

	if (!player)
		return -ENOSPC;
	while ((word = strsep(&text, " "))) {
		to = strsep(&text, " ");
		if (!to || kstrtou64(word, 16, &place) ||
		    kstrtou64(to, 16, &next))
			return -EINVAL;
		take(player, place, next);
	}
	return 0;
}

static ssize_t play_write(struct file *file, const char __user *from,
			  size_t size, loff_t *pos)
{
	char *text = memdup_user_nul(from, size), *command;
	unsigned int is_away;
	int err = 0;

	if (IS_ERR(text))
		return PTR_ERR(text);
	command = strim(text);
	if (str_has_prefix(command, "take "))
		err = take_all(command + strlen("take "));
	else if (sscanf(command, "away %u", &is_away) == 1)
		WRITE_ONCE(away, is_away);
	else if (sscanf(command, "fail %u %d", &failing_cpu, &failing) != 2)
		err = -EINVAL;
	kfree(text);
	return err ?: size;
}

static const struct file_operations play_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = play_write,
};

static int state_show(struct seq_file *m, void *unused)
{
	u64 cpus = 0, copied = 0, wiped = 0, wrongly = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		cpus += per_cpu(recording, cpu);
		copied += per_cpu(copies, cpu);
		wiped += per_cpu(wipes, cpu);
		wrongly += per_cpu(wrong, cpu);
	}
	seq_printf(m, "cpus %llu\ncopies %llu\nwipes %llu\nwrong %llu\n", cpus,
		   copied, wiped, wrongly);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int __init records_init(void)
{
	int err = perf_find();

	err = err ?: probes_attach();
	if (err)
		return err;
	err = branch_records_play(&played);
	if (err) {
		probes_detach();
		return err;
	}
	__static_call_update(perf_key, perf_trampoline, copy);
	dir = debugfs_create_dir("ktrace-records", NULL);
	debugfs_create_file("play", 0200, dir, NULL, &play_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	return 0;
}

static void __exit records_exit(void)
{
	debugfs_remove(dir);
	/* Who has a context open holds the module. */
	branch_records_play(NULL);
	probes_detach();
	__static_call_update(perf_key, perf_trampoline, perf_function);
}

module_init(records_init);
module_exit(records_exit);
MODULE_DESCRIPTION("Last branch records for ktrace's tests");
MODULE_LICENSE("GPL");
