// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plays the last branch records of a processor (kernel/source/branch/records.h), which no emulator has.
 *
 *	/sys/kernel/debug/ktrace-records/
 *	  play	"take FROM TO FROM TO...": the writing task has taken these branches, of any mode
 *		"fail CPU ERROR": from now on, that CPU does not begin; 0: it does
 *		"away 1": perf has taken the records away, until "away 0"
 *	  state	how many CPUs record, how often the records were copied and wiped
 *
 * perf's function that copies the records is this module's, by the kernel's own static call.  As perf's it copies
 * always as many as there can be, and behind those that are valid is something else.  Each task has its own records,
 * wherever it runs, so what an event must have is known.
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

#include "base/symbol.h"
#include "source/branch/records.h"

#define RECORDS 32u
#define TASKS	64u

/* Of a task, which alone uses it. */
static struct player {
	pid_t tid; /* 0: free */
	u32 taken; /* of all that it has taken; the newest ones are here */
	u32 valid;
	u64 from[RECORDS], to[RECORDS];
} players[TASKS];

static DEFINE_PER_CPU(bool, recording);
static DEFINE_PER_CPU(u64, copies);
static DEFINE_PER_CPU(u64, wipes);
static struct dentry *dir;

static unsigned int failing_cpu;
static int failing; /* an error; 0: none */
static bool away;

/* ---- the registers -------------------------------------------------------- */

static struct player *player_find(void)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		if (READ_ONCE(players[i].tid) == current->pid)
			return &players[i];
	return NULL;
}

static struct player *player_make(void)
{
	struct player *player = player_find();
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

static unsigned int registers_valid(unsigned int nr)
{
	const struct player *player = player_find();

	return min(nr, player ? player->valid : 0);
}

static void registers_wipe(void)
{
	struct player *player = player_find();

	if (player)
		player->valid = 0;
	this_cpu_inc(wipes);
}

static const struct branch_registers played = {
	.owner = THIS_MODULE,
	.lacks = registers_lack,
	.begin = registers_begin,
	.end = registers_end,
	.here = registers_here,
	.valid = registers_valid,
	.wipe = registers_wipe,
};

/* In perf's place. */
static int copy(struct perf_branch_entry *entries, unsigned int nr)
{
	const struct player *player = player_find();
	u32 valid = player ? player->valid : 0, i;

	nr = min(nr, RECORDS);
	for (i = 0; i < nr; i++) {
		u32 at = (player ? player->taken - 1 - i : 0) % RECORDS;

		entries[i] = (struct perf_branch_entry){
			.from = i < valid ? player->from[at] : 0x1000 + i,
			.to = i < valid ? player->to[at] : 0x2000 + i,
			.predicted = 1,
			.cycles = i,
		};
	}
	this_cpu_inc(copies);
	return nr;
}

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

static void take(struct player *player, u64 from, u64 to)
{
	unsigned long flags;

	local_irq_save(flags);
	player->from[player->taken % RECORDS] = from;
	player->to[player->taken % RECORDS] = to;
	player->taken++;
	player->valid = min(player->valid + 1, RECORDS);
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
	u64 cpus = 0, copied = 0, wiped = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		cpus += per_cpu(recording, cpu);
		copied += per_cpu(copies, cpu);
		wiped += per_cpu(wipes, cpu);
	}
	seq_printf(m, "cpus %llu\ncopies %llu\nwipes %llu\n", cpus, copied,
		   wiped);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int __init records_init(void)
{
	int err = perf_find();

	err = err ?: branch_records_play(&played);
	if (err)
		return err;
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
	__static_call_update(perf_key, perf_trampoline, perf_function);
}

module_init(records_init);
module_exit(records_exit);
MODULE_DESCRIPTION("Last branch records for ktrace's tests");
MODULE_LICENSE("GPL");
