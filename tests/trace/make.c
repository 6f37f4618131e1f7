// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * make DIRECTORY [EVENTS [CPUS [LOSSES]]] - makes a trace of a busy machine
 *
 * The events are like those of a recording of everything: mostly system calls, memory and
 * context switches, sometimes a name, a string, a device.  They are the same each time.
 * LOSSES: how many times a reader is too slow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maker.h"
#include "rnd.h"

#define NR_TASKS 40

static const char *const names[] = {"dbench",	   "kworker/0:1-events",
				    "bash",	   "Web Content",
				    "rcu_preempt", "systemd"};

static const char *comm_of(uint32_t tid)
{
	return tid ? names[tid % 6] : "swapper";
}

static uint32_t running[1024];

static void make_switch(struct maker *maker, uint32_t cpu)
{
	static const int64_t states[] = {0, 1, 1, 2, 0x100, 1};
	uint32_t next = rnd(4) ? 800 + rnd(NR_TASKS) : 0;
	struct maker_switch s = {
		.prev_pid = running[cpu],
		.prev_prio = 120,
		.prev_state = states[rnd(6)],
		.next_pid = next,
		.next_prio = 120,
	};

	memcpy(s.prev_comm, comm_of(running[cpu]),
	       strnlen(comm_of(running[cpu]), 15));
	memcpy(s.next_comm, comm_of(next), strnlen(comm_of(next), 15));
	maker_event(maker, cpu, MAKER_SWITCH, &s, sizeof(s));
	maker_run(maker, cpu, next, next, comm_of(next));
	running[cpu] = next;
}

static void make_string(struct maker *maker, uint32_t cpu)
{
	static const char path[] = "/usr/lib/systemd/systemd-journald";
	char room[128];
	struct maker_exec *exec = (void *)room;

	exec->filename = sizeof(path) << 16 | sizeof(*exec);
	exec->pid = exec->old_pid = running[cpu];
	memcpy(exec->data, path, sizeof(path));
	maker_event(maker, cpu, MAKER_EXEC, exec, sizeof(*exec) + sizeof(path));
}

static void make_block(struct maker *maker, uint32_t cpu)
{
	char room[128];
	struct maker_block *block = (void *)room;

	memset(room, 0, sizeof(room));
	block->dev = 254 << 20 | 1;
	block->sector = rnd(1 << 30);
	block->nr_sector = 8;
	strcpy(block->rwbs, "WS");
	memcpy(block->comm, comm_of(running[cpu]),
	       strnlen(comm_of(running[cpu]), 15));
	block->cmd = 1u << 16 | sizeof(*block);
	maker_event(maker, cpu, MAKER_BLOCK, block, sizeof(*block) + 1);
}

static void make_event(struct maker *maker, uint32_t cpu)
{
	static const uint64_t gfp[] = {0xcc0, 0xdc0, 0x800, 0x400cc0, 0};
	struct maker_syscall sys = {.id = rnd(330)};
	struct maker_kmalloc mem = {
		.call_site = 0xffffffff81000000ull + rnd(1 << 20),
		.ptr = 0xffff888000000000ull + rnd(1u << 30) * 8,
		.bytes_req = rnd(4096),
		.bytes_alloc = 4096,
		.gfp_flags = gfp[rnd(5)],
		.node = -1,
	};
	struct maker_wakeup wake = {
		.pid = 800 + rnd(NR_TASKS),
		.prio = 120,
		.target_cpu = cpu,
	};
	struct maker_timer timer = {
		.hrtimer = 0xffff888000000000ull + rnd(1u << 30) * 8,
		.function = 0xffffffff81000000ull + rnd(64) * 4096,
		.expires = rnd(1u << 30) * 1000ll,
		.mode = rnd(4),
		.was_armed = rnd(2),
	};
	struct maker_plain plain = {.state = rnd(2), .cpu_id = cpu};
	int i;

	switch (rnd(20)) {
	case 0:
	case 1:
	case 2:
		make_switch(maker, cpu);
		break;
	case 3:
	case 4:
		memcpy(wake.comm, comm_of(wake.pid),
		       strnlen(comm_of(wake.pid), 15));
		maker_event(maker, cpu, MAKER_WAKEUP, &wake, sizeof(wake));
		break;
	case 5:
		make_string(maker, cpu);
		break;
	case 6:
		make_block(maker, cpu);
		break;
	case 7:
	case 8:
		maker_event(maker, cpu, MAKER_TIMER, &timer, sizeof(timer));
		break;
	case 9:
	case 10:
		maker_event(maker, cpu, MAKER_PLAIN, &plain, sizeof(plain));
		break;
	case 11:
	case 12:
	case 13:
	case 14:
	case 15:
		maker_event(maker, cpu, MAKER_KMALLOC, &mem, sizeof(mem));
		break;
	default:
		for (i = 0; i < 6; i++)
			sys.args[i] = i < 3 ? rnd(1u << 31) * (uint64_t)i : 0;
		maker_event(maker, cpu, MAKER_SYSCALL, &sys, sizeof(sys));
	}
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 0) : 100000;
	uint32_t cpus = argc > 3 ? atoi(argv[3]) : 2;
	uint32_t losses = argc > 4 ? atoi(argv[4]) : 0;
	uint64_t clock = 5000000000000ull, i, until = 0;
	struct maker *maker;
	uint32_t tid;

	if (argc < 2 || !cpus || cpus > 1024) {
		fprintf(stderr, "usage: make DIRECTORY [EVENTS [CPUS "
				"[LOSSES]]]\n");
		return 2;
	}
	maker = maker_create(argv[1], cpus, 4, false, 0x123456789abcdefull);
	if (!maker)
		return 1;
	for (tid = 800; tid < 800 + NR_TASKS; tid++)
		maker_known(maker, tid, tid, 1, comm_of(tid));
	for (i = 0; i < events; i++) {
		/* Bursts: one CPU does several things before another one. */
		uint32_t cpu = rnd(8) ? i / 16 % cpus : rnd(cpus);

		/* Sometimes two CPUs have events at the same time. */
		if (rnd(20))
			clock += 200 + rnd(2000);
		maker_time(maker, clock);
		if (losses && i % (events / (losses + 1) + 1) == 0 && i) {
			maker_stall(maker, 0, true);
			until = i + events / (losses + 1) / 2;
		}
		if (until && i == until)
			maker_stall(maker, 0, false);
		make_event(maker, cpu);
	}
	return maker_finish(maker, false) ? 1 : 0;
}
