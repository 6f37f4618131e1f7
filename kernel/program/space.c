// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: see space.h. */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "file.h"
#include "space.h"

/* So many mappings take some tens of microseconds to read. */
#define MAPS_MANY      1024

#define WHOLE_INTERVAL HZ

/* Bytes of large maps. */
#define RETIRED_MAX (16 << 20)
#define MADE_MAX    (16 << 20)

struct space {
	struct hlist_node node;
	struct mm_struct *mm; /* mmgrab() */
	struct kt_maps *maps; /* NULL: not read yet; under RCU */
	u32 changes;	      /* how often something was mapped */
	u32 read;	      /* how many of these the maps have */
	u64 begin, end;	      /* where the others are; nowhere: begin >= end */
	const struct task_struct
		*reader; /* it is to read them; only compared */
	struct space *dropped;
	struct rcu_head rcu;
};

/* Changes of the table, of a space's fields, and of users of maps. */
static DEFINE_RAW_SPINLOCK(spaces_lock);
static DEFINE_HASHTABLE(spaces, 10);

static struct space *space_find(const struct mm_struct *mm)
{
	struct space *space;

	hash_for_each_possible_rcu_notrace(spaces, space, node,
					   (unsigned long)mm) {
		if (space->mm == mm)
			return space;
	}
	return NULL;
}

/*
 * Bytes of large maps that were made since a sweep was due last.  Those of processes that have ended
 * since cannot be more.
 */
static atomic_long_t made_since;

/* Large maps that wait until no probe reads them, and their bytes. */
static LLIST_HEAD(retired_maps);
static atomic_long_t retired;
static DECLARE_WAIT_QUEUE_HEAD(retired_freed);

static void retired_free(struct work_struct *work)
{
	struct llist_node *all = llist_del_all(&retired_maps);
	struct kt_maps *maps, *next;

	synchronize_rcu();
	llist_for_each_entry_safe(maps, next, all, retired)
	{
		long bytes = struct_size(maps, maps, maps->room);

		kvfree(maps);
		atomic_long_sub(bytes, &retired);
		cond_resched();
	}
	wake_up_all(&retired_freed);
}

static DECLARE_WORK(retired_work, retired_free);

/*
 * kvfree_rcu() may keep hundreds for seconds: of large ones, that is too much memory.  True: they
 * are large, and are now retired.
 */
static bool maps_put(struct kt_maps *maps)
{
	if (!maps || !refcount_dec_and_test(&maps->users))
		return false;
	if (maps->room <= MAPS_MANY) {
		kvfree_rcu(maps, rcu);
		return false;
	}
	atomic_long_add(struct_size(maps, maps, maps->room), &retired);
	llist_add(&maps->retired, &retired_maps);
	schedule_work(&retired_work);
	return true;
}

void kt_spaces_settle(void)
{
	wait_event_killable(retired_freed,
			    atomic_long_read(&retired) <= RETIRED_MAX);
}

bool kt_maps_hold(const struct kt_maps *maps)
{
	return refcount_inc_not_zero(&((struct kt_maps *)maps)->users);
}
EXPORT_SYMBOL_GPL(kt_maps_hold);

void kt_maps_put(const struct kt_maps *maps)
{
	maps_put((struct kt_maps *)maps);
}
EXPORT_SYMBOL_GPL(kt_maps_put);

const struct kt_maps *kt_space_maps(const struct mm_struct *mm)
{
	const struct space *space = space_find(mm);

	return likely(space) ? READ_ONCE(space->maps) : NULL;
}
EXPORT_SYMBOL_GPL(kt_space_maps);

/* Adds a space, if there is none; with the lock held.  NULL: @made was NULL. */
static struct space *space_add(struct mm_struct *mm, struct space **made)
{
	struct space *space = space_find(mm);

	if (space || !*made)
		return space;
	space = *made;
	*made = NULL;
	mmgrab(mm);
	space->mm = mm;
	hash_add_rcu(spaces, &space->node, (unsigned long)mm);
	return space;
}

static void range_add(struct space *space, u64 begin, u64 end)
{
	bool empty = space->begin >= space->end;

	space->begin = empty ? begin : min(space->begin, begin);
	space->end = empty ? end : max(space->end, end);
}

bool kt_space_changed(struct mm_struct *mm, u64 begin, u64 end,
		      const struct task_struct *reader)
{
	struct space *made = NULL, *space;
	unsigned long flags;
	bool first = false;

	if (!space_find(mm))
		made = kzalloc(sizeof(*made), GFP_ATOMIC | __GFP_NOWARN);
	raw_spin_lock_irqsave(&spaces_lock, flags);
	space = space_add(mm, &made);
	if (space) {
		space->changes++;
		range_add(space, begin, end);
		first = space->reader != reader;
		space->reader = reader;
	}
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	kfree(made);
	return first;
}

void kt_space_release(const struct mm_struct *mm,
		      const struct task_struct *reader)
{
	struct space *space;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces_lock, flags);
	space = space_find(mm);
	if (space && space->reader == reader)
		space->reader = NULL;
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
}

/* Maps may be those of the process that has forked: then the code is not this one's. */
static bool is_code_of(const struct kt_unwind_map *map,
		       const struct mm_struct *mm)
{
	const struct kt_program_file *file =
		container_of(map->file, struct kt_program_file, unwind);

	return file->code && file->key.inode == (unsigned long)mm;
}

/* The first one that ends behind the address; maps->nr: there is none. */
static u32 maps_find(const struct kt_maps *maps, u64 address)
{
	u32 low = 0, high = maps->nr, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (maps->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool kt_space_has_code(const struct mm_struct *mm, u64 begin, u64 end)
{
	const struct kt_unwind_map *map;
	const struct kt_maps *maps;
	bool found = false;
	u32 number;

	preempt_disable_notrace();
	maps = kt_space_maps(mm);
	number = maps ? maps_find(maps, begin) : 0;
	if (maps && number < maps->nr) {
		map = &maps->maps[number];
		found = map->begin <= begin && end <= map->end &&
			is_code_of(map, mm);
	}
	preempt_enable_notrace();
	return found;
}

/* ---- processes that have ended ---------------------------------------------- */

static void spaces_drop(bool all)
{
	struct space *dropped = NULL, *space;
	struct hlist_node *next;
	unsigned long flags;
	unsigned int bucket;

	for (bucket = 0; bucket < HASH_SIZE(spaces); bucket++) {
		/* If the lock were held for all of them, interrupts would wait long. */
		raw_spin_lock_irqsave(&spaces_lock, flags);
		hlist_for_each_entry_safe(space, next, &spaces[bucket], node) {
			if (!all && atomic_read(&space->mm->mm_users))
				continue;
			hash_del_rcu(&space->node);
			space->dropped = dropped;
			dropped = space;
		}
		raw_spin_unlock_irqrestore(&spaces_lock, flags);
	}
	while (dropped) {
		space = dropped;
		dropped = space->dropped;
		maps_put(space->maps);
		mmdrop(space->mm);
		kfree_rcu(space, rcu);
	}
}

void kt_spaces_sweep(void)
{
	spaces_drop(false);
}

/* ---- reading -------------------------------------------------------------- */

/* Not that of a 32-bit program, which is another one. */
static bool is_vdso(const struct vm_area_struct *vma)
{
	return !vma->vm_file && vma->vm_start > U32_MAX &&
	       vma->vm_start == (unsigned long)vma->vm_mm->context.vdso;
}

bool kt_space_is_made(const struct vm_area_struct *vma)
{
	return !vma->vm_ops && !vma->vm_file && !(vma->vm_flags & VM_GROWSDOWN);
}

static bool is_program(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC &&
	       (vma->vm_file || is_vdso(vma) || kt_space_is_made(vma));
}

/*
 * VMA iterators differ between kernels, and those of new ones are not exported.  A process may have
 * tens of thousands, and the lock of mappings lets us wait.
 */
static struct vm_area_struct *area_from(struct mm_struct *mm, u64 address)
{
	cond_resched();
	return find_vma(mm, address);
}

#define for_each_area(mm, vma) \
	for (vma = area_from(mm, 0); vma; vma = area_from(mm, vma->vm_end))

static void map_fill(struct kt_maps *maps, struct vm_area_struct *vma,
		     pid_t pid)
{
	const struct kt_seen seen = {pid, vma->vm_start, vma->vm_end};
	const struct kt_program_file *file;
	u64 offset = 0;

	if (kt_space_is_made(vma)) {
		file = kt_program_code(vma->vm_mm, &seen);
		offset = vma->vm_start;
	} else {
		file = kt_program_file(vma->vm_file, &seen);
		if (vma->vm_file)
			offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	}

	/* Frames have no room for a place that is farther on: it would be that of another file. */
	if (!file ||
	    offset + (vma->vm_end - vma->vm_start) > KT_FRAME_PLACE_MASK)
		return;
	maps->maps[maps->nr++] = (struct kt_unwind_map){
		.begin = vma->vm_start,
		.end = vma->vm_end,
		.bias = vma->vm_start - offset,
		.file = &file->unwind,
	};
}

/*
 * Room for so many.  NULL: no memory.  It is charged to the process; but not to who reads those of
 * others, at first.
 */
static struct kt_maps *maps_alloc(const struct mm_struct *mm, u32 nr)
{
	gfp_t flags = mm == current->mm ? GFP_KERNEL_ACCOUNT : GFP_KERNEL;
	struct kt_maps *maps;

	nr = min_t(u32, nr, KT_UNWIND_MAPS_MAX);
	maps = kvmalloc(struct_size(maps, maps, nr), flags | __GFP_NOWARN);
	if (!maps)
		return NULL;
	if (nr > MAPS_MANY)
		atomic_long_add(struct_size(maps, maps, nr), &made_since);
	refcount_set(&maps->users, 1);
	maps->room = nr;
	maps->nr = 0;
	maps->whole = jiffies;
	maps->salt = get_random_u64();
	return maps;
}

/* All of them. */
static struct kt_maps *maps_read(struct mm_struct *mm, pid_t pid)
{
	struct vm_area_struct *vma;
	struct kt_maps *maps;
	u32 nr = 0;

	for_each_area(mm, vma) nr += is_program(vma);
	maps = maps_alloc(mm, nr);
	if (!maps)
		return NULL;
	for_each_area(mm, vma)
	{
		if (maps->nr == maps->room)
			break;
		if (is_program(vma))
			map_fill(maps, vma, pid);
	}
	return maps;
}

/*
 * What must be read anew: a range of addresses, and the old maps that are in it.  No mapping and
 * no old map is partly in it.
 */
struct part {
	u64 begin, end;
	u32 first, behind; /* of the old maps */
	u32 nr;		   /* how many mappings there may be */
};

static void part_begin(struct part *part, struct mm_struct *mm,
		       const struct kt_maps *old)
{
	const struct vm_area_struct *vma;
	u64 begin;

	do {
		begin = part->begin;
		vma = find_vma(mm, begin);
		if (vma)
			part->begin = min_t(u64, begin, vma->vm_start);
		part->first = maps_find(old, part->begin);
		if (part->first < old->nr)
			part->begin =
				min(part->begin, old->maps[part->first].begin);
	} while (part->begin != begin);
}

static void part_end(struct part *part, struct mm_struct *mm,
		     const struct kt_maps *old)
{
	u64 at = part->begin;

	part->behind = part->first;
	for (;;) {
		const struct vm_area_struct *vma = area_from(mm, at);
		bool more = vma && vma->vm_start < part->end;

		if (more) {
			part->nr += is_program(vma);
			at = vma->vm_end;
			part->end = max_t(u64, part->end, at);
		}
		while (part->behind < old->nr &&
		       old->maps[part->behind].begin < part->end) {
			part->end = max(part->end, old->maps[part->behind].end);
			part->behind++;
			more = true;
		}
		if (!more)
			break;
	}
}

/* Adds as many of these as there is room for. */
static void maps_copy(struct kt_maps *maps, const struct kt_unwind_map *from,
		      u32 nr)
{
	const u32 end = maps->nr + min(nr, maps->room - maps->nr);

	while (maps->nr < end) {
		u32 some = min_t(u32, end - maps->nr, MAPS_MANY);

		memcpy(maps->maps + maps->nr, from, some * sizeof(*from));
		maps->nr += some;
		from += some;
		cond_resched();
	}
}

/* The old ones, but for those of the part, which are read. */
static struct kt_maps *maps_read_part(struct mm_struct *mm, pid_t pid,
				      const struct kt_maps *old,
				      const struct part *part)
{
	u32 above = old->nr - part->behind;
	struct vm_area_struct *vma;
	struct kt_maps *maps;

	maps = maps_alloc(mm, part->first + part->nr + above);
	if (!maps)
		return NULL;
	maps->whole = old->whole;
	maps_copy(maps, old->maps, part->first);
	for (vma = area_from(mm, part->begin);
	     vma && vma->vm_start < part->end && maps->nr < maps->room;
	     vma = area_from(mm, vma->vm_end))
		if (is_program(vma))
			map_fill(maps, vma, pid);
	maps_copy(maps, old->maps + part->behind, above);
	return maps;
}

/*
 * A process that maps one file after the other would wait for more and more mappings to be read,
 * each time for all of them.  So if there are many, only those are read that have changed.  Not
 * all changes are told: something is not mapped any more, or was moved.  So all are read if we
 * would know more than there are, and if that was not done for a while.
 */
static bool is_part_enough(struct mm_struct *mm, const struct kt_maps *old,
			   struct part *part)
{
	if (!old || mm->map_count <= MAPS_MANY ||
	    time_after(jiffies, old->whole + WHOLE_INTERVAL))
		return false;
	part_begin(part, mm, old);
	part_end(part, mm, old);
	return part->first + part->nr + old->nr - part->behind <= mm->map_count;
}

/*
 * Newer maps, or none: what was read is not good for what was mapped since.  True: large ones are
 * retired.
 */
static bool maps_replace(struct mm_struct *mm, struct kt_maps *maps, u32 read)
{
	struct space *made = kzalloc(sizeof(*made), GFP_KERNEL), *space;
	struct kt_maps *old = maps;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces_lock, flags);
	space = space_add(mm, &made);
	/* A thread that has begun to read later may have been faster. */
	if (space && (s32)(read - space->read) >= 0) {
		old = space->maps;
		smp_store_release(&space->maps, maps);
		space->read = read;
		if (read == space->changes)
			space->begin = space->end = 0;
	}
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	kfree(made);
	return maps_put(old);
}

/* What is known of a process when its mappings are read. */
struct known {
	u32 changes;	      /* what is seen by who reads from now on */
	struct kt_maps *maps; /* held; NULL: none are known */
	struct part part; /* all changes that the maps do not have are in it */
};

/* False: there is nothing to read. */
static bool known_take(struct mm_struct *mm, struct known *known)
{
	const struct space *space;
	unsigned long flags;
	bool read = false;

	*known = (struct known){};
	raw_spin_lock_irqsave(&spaces_lock, flags);
	space = space_find(mm);
	if (space) {
		known->changes = space->changes;
		known->part.begin = space->begin;
		known->part.end = space->end;
		read = space->maps && space->read == space->changes;
		if (space->maps && !read && kt_maps_hold(space->maps))
			known->maps = space->maps;
	}
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	return !read;
}

/* True to one caller. */
static bool sweep_is_due(void)
{
	return atomic_long_read(&made_since) > MADE_MAX &&
	       atomic_long_xchg(&made_since, 0) > MADE_MAX;
}

bool kt_space_read(struct mm_struct *mm, pid_t pid, bool *retires)
{
	struct kt_maps *maps;
	struct known known;
	bool large;

	if (!known_take(mm, &known))
		return true;
	if (is_part_enough(mm, known.maps, &known.part))
		maps = maps_read_part(mm, pid, known.maps, &known.part);
	else
		maps = maps_read(mm, pid);
	large = maps && maps->room > MAPS_MANY;
	*retires = maps_replace(mm, maps, known.changes);
	*retires |= maps_put(known.maps);
	/* Or a program whose children each map something and end would leave theirs for a second. */
	if (large && sweep_is_due()) {
		kt_spaces_sweep();
		*retires = true;
	}
	return maps;
}

/* ---- forks ---------------------------------------------------------------- */

bool kt_space_fork(struct mm_struct *parent, struct mm_struct *child)
{
	struct space *made = kzalloc(sizeof(*made), GFP_ATOMIC | __GFP_NOWARN);
	const struct space *from;
	struct space *space;
	unsigned long flags;
	bool stale = false;

	raw_spin_lock_irqsave(&spaces_lock, flags);
	from = space_find(parent);
	space = from ? space_add(child, &made) : NULL;
	if (space && !space->maps && from->maps) {
		refcount_inc(&from->maps->users);
		space->changes = from->changes;
		space->read = from->read;
		space->begin = from->begin;
		space->end = from->end;
		smp_store_release(&space->maps, from->maps);
	}
	if (space)
		stale = !space->maps || space->read != space->changes;
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	kfree(made);
	return stale;
}

/* ---- the end -------------------------------------------------------------- */

void kt_spaces_forget(void)
{
	spaces_drop(true);
	synchronize_rcu();
}

void kt_spaces_exit(void)
{
	flush_work(&retired_work);
}
