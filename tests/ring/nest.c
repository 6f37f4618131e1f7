// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Every place where the ring can be interrupted, one after the other.
 *
 * The ring calls world_step() before each step that another context could
 * notice.  A run prepares a ring, lets the task do one thing, and at chosen
 * steps lets something else happen: an interrupt that traces, loses, fills more
 * than the whole ring or flushes, or another CPU that reads.  What happens may
 * be interrupted in the same way.  All single steps are tried with everything
 * that can happen, and one of N pairs of steps (-p N; all of them take
 * minutes). After each run the account must be exact.
 */
#include "check.h"
#include "load.h"
#include "world.h"

#include <unistd.h>

enum action {
	TRACE_SMALL,
	TRACE_HALF, /* two of them fill a packet */
	TRACE_LAP,  /* more than all packets hold */
	TRACE_MIX,  /* extended headers, a loss, a task record */
	FLUSH,
	READ_ALL,  /* by another CPU */
	READ_COPY, /* likewise: copies a packet, or gives back the copied one */
	ACTIONS,
};

/* The state of the ring before the task's step. */
struct scene {
	enum kt_mode mode;
	u32 packets;
	u64 seq;   /* where it begins */
	u64 tick;  /* of the clock: how often the epoch changes */
	u32 left;  /* units in the open packet */
	bool full; /* all other packets are waiting for the reader */
	enum action task;
};

struct plan {
	unsigned long at;
	enum action action;
};

static struct world world;
static struct load loads[LOAD_LEVELS];
static struct verify v;
static unsigned int depth;
static bool reading;
static u8 copy[KT_PACKET_SIZE] __attribute__((aligned(8)));
static u64 copied; /* sequence number + 1, 0: none */
static struct plan plans[3];
static unsigned int planned;
static unsigned long steps, runs, stale;

static void read_copy(void)
{
	const struct kt_control *control = &world.control;
	u64 seq = control->consumed;
	int err;

	if (!copied) {
		if (control->produced == seq)
			return;
		memcpy(copy,
		       world.data + ((seq & (control->packets - 1))
				     << KT_PACKET_SHIFT),
		       sizeof(copy));
		copied = seq + 1;
		return;
	}
	seq = copied - 1;
	copied = 0;
	err = kt_ring_consume(&world.ring, seq);
	if (err == -ESTALE && control->mode == KT_MODE_OVERWRITE)
		stale++;
	else if (err)
		check_fail("consume: %d", err);
	else if (!verify_packet(&v, copy, sizeof(copy)) ||
		 v.next_seq != seq + 1)
		check_fail("a copied packet: %s", v.why);
}

static void act(enum action action)
{
	struct load *load = &loads[depth];
	u32 i;

	switch (action) {
	case TRACE_SMALL:
		load_write(load, LOAD_FIXED, 0);
		break;
	case TRACE_HALF:
		load_write(load, LOAD_DYNAMIC, 30000);
		break;
	case TRACE_LAP:
		for (i = 0; i < 2 * world.control.packets + 3; i++)
			load_write(load, LOAD_DYNAMIC, 30000);
		break;
	case TRACE_MIX:
		load_write(load, LOAD_WIDE, 0);
		load_write(load, LOAD_LARGE, 0);
		load_write(load, LOAD_TASK, 0);
		load_write(load, LOAD_DYNAMIC, 5);
		break;
	case FLUSH:
		kt_ring_flush(&world.ring);
		break;
	case READ_ALL:
	case READ_COPY:
		/* There is one reader. */
		if (reading)
			break;
		reading = true;
		if (copied || action == READ_COPY)
			read_copy();
		else if (world.control.mode == KT_MODE_DISCARD &&
			 !verify_drain(&v, &world.ring))
			check_fail("%s", v.why);
		reading = false;
		break;
	default:
		abort();
	}
}

static void step(void)
{
	steps++;
	if (planned < 3 && plans[planned].at == steps) {
		enum action action = plans[planned++].action;

		depth++;
		act(action);
		depth--;
	}
}

static void prepare(const struct scene *scene)
{
	struct kt_ring *ring = &world.ring;
	u32 i, used;

	world_step = NULL;
	world_now = 1;
	world_tick = scene->tick;
	if (world.control.packets != scene->packets ||
	    (enum kt_mode)world.control.mode != scene->mode) {
		free(world.data);
		world_create(&world, scene->packets, scene->mode);
		world_tick = scene->tick;
	}
	kt_ring_begin(ring, scene->seq);
	v = (struct verify){.overwrite = scene->mode == KT_MODE_OVERWRITE};
	for (i = 0; i < LOAD_LEVELS; i++)
		loads[i] = (struct load){.ring = ring, .level = i};
	if (scene->full)
		for (i = 0; i < 2 * (scene->packets - 1); i++)
			load_write(&loads[0], LOAD_DYNAMIC, 32000);
	kt_ring_flush(ring);
	load_write(&loads[0], LOAD_DYNAMIC, 20000);
	used = ring->head & (KT_PACKET_UNITS - 1);
	if (scene->left < KT_PACKET_UNITS / 2)
		load_write(&loads[0], LOAD_DYNAMIC,
			   (KT_PACKET_UNITS - used - scene->left) * KT_UNIT -
				   KT_HEADER_COMPACT - sizeof(u32) -
				   sizeof(struct load_event) -
				   (scene->tick > 1 ? 12 : 0));
	depth = 0;
	reading = false;
	copied = 0;
	planned = 0;
	steps = 0;
}

static void run(const struct scene *scene)
{
	int err, i;

	runs++;
	prepare(scene);
	world_step = step;
	act(scene->task);
	world_step = NULL;
	for (i = 0; i < 2; i++) {
		if (copied)
			read_copy();
		err = kt_ring_flush(&world.ring);
		if (!verify_drain(&v, &world.ring))
			check_fail("%s", v.why);
		if (!err)
			break;
	}
	CHECK_EQ(err, 0);
	CHECK_EQ(world.ring.publishing, 0);
	if (!verify_end(&v, &world.ring, loads))
		check_fail("%s", v.why);
}

static const char *scene_name(const struct scene *scene)
{
	static char name[200];

	snprintf(name, sizeof(name),
		 "mode %d packets %u seq %llu tick %llu left %u full %d task "
		 "%d plan %lu:%d %lu:%d %lu:%d",
		 scene->mode, scene->packets, scene->seq, scene->tick,
		 scene->left, scene->full, scene->task, plans[0].at,
		 plans[0].action, plans[1].at, plans[1].action, plans[2].at,
		 plans[2].action);
	return name;
}

static unsigned int one_of = 61; /* pairs of steps */

/* Interrupts at every step of the task, and at every step of these interrupts. */
static void run_all(const struct scene *scene)
{
	static unsigned int turn;
	unsigned long i, j, alone;
	unsigned int a, b;

	memset(plans, 0, sizeof(plans));
	run(scene);
	alone = steps;
	for (a = 0; a < ACTIONS; a++) {
		for (i = 1; i <= alone; i++) {
			unsigned long both;

			plans[0] = (struct plan){.at = i, .action = a};
			plans[1].at = 0;
			run(scene);
			both = steps;
			for (j = i + 1; j <= both; j++) {
				for (b = 0; b < ACTIONS; b++) {
					if (++turn % one_of)
						continue;
					plans[1] = (struct plan){.at = j,
								 .action = b};
					/* Sometimes a third one. */
					plans[2] = (struct plan){
						.at = j + turn % 37,
						.action = turn / 7 % ACTIONS,
					};
					run(scene);
				}
			}
		}
	}
}

static void run_mode(enum kt_mode mode)
{
	static const u32 lefts[] = {11, 12, 30000};
	static jmp_buf escape;
	struct scene scene = {.mode = mode};
	unsigned int i;

	/* Say where it failed. */
	memcpy(&escape, &check_escape, sizeof(escape));
	if (setjmp(check_escape)) {
		check_note("in: %s", scene_name(&scene));
		memcpy(&check_escape, &escape, sizeof(escape));
		longjmp(check_escape, 1);
	}
	runs = stale = 0;
	for (i = 0; i < 2 * 2 * 3 * 2 * 5; i++) {
		scene.packets = i & 1 ? 4 : 2;
		scene.tick = i & 2 ? 1 << 20 : 1;
		scene.left = lefts[i / 4 % 3];
		scene.full = i / 12 % 2;
		scene.task = i / 24;
		/* Half of them across the wrap of positions. */
		scene.seq = (i ^ i >> 2) & 1 ? (1u << 18) - 2 : 5;
		run_all(&scene);
	}
	check_note("%lu runs, %lu copies were overwritten meanwhile", runs,
		   stale);
	CHECK_EQ(stale > 0, mode == KT_MODE_OVERWRITE);
}

TEST(discard)
{
	run_mode(KT_MODE_DISCARD);
}

TEST(overwrite)
{
	run_mode(KT_MODE_OVERWRITE);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "p:")) >= 0) {
		one_of = option == 'p' ? atoi(optarg) : 0;
		if (!one_of) {
			fprintf(stderr,
				"usage: %s [-p N] [discard|overwrite]\n",
				argv[0]);
			return 2;
		}
	}
	argv[optind - 1] = argv[0];
	return check_run(argc - optind + 1, argv + optind - 1);
}
