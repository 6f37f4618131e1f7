// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: see space.h. */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "file.h"
#include "space.h"

struct space {
	struct hlist_node node;
	struct mm_struct *mm; /* mmgrab() */
	struct kt_maps *maps; /* NULL: not read yet; under RCU */
	u32 changes;	      /* how often something was mapped */
	u32 read;	      /* how many of these the maps have */
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

static void maps_put(struct kt_maps *maps)
{
	if (maps && refcount_dec_and_test(&maps->users))
		kvfree_rcu(maps, rcu);
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

bool kt_space_changed(struct mm_struct *mm, const struct task_struct *reader)
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

bool kt_space_has_code(const struct mm_struct *mm, u64 begin, u64 end)
{
	const struct kt_unwind_map *map;
	const struct kt_maps *maps;
	u32 low = 0, high = 0, middle;
	bool found = false;

	preempt_disable_notrace();
	maps = kt_space_maps(mm);
	if (maps)
		high = maps->nr;
	while (low < high) {
		middle = (low + high) / 2;
		if (maps->maps[middle].end <= begin)
			low = middle + 1;
		else
			high = middle;
	}
	if (maps && low < maps->nr) {
		map = &maps->maps[low];
		found = map->begin <= begin && end <= map->end &&
			is_code_of(map, mm);
	}
	preempt_enable_notrace();
	return found;
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

/* VMA iterators differ between kernels, and those of new ones are not exported. */
#define for_each_area(mm, vma) \
	for (vma = find_vma(mm, 0); vma; vma = find_vma(mm, vma->vm_end))

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

/* With the lock of the mappings held.  NULL: no memory. */
static struct kt_maps *maps_read(struct mm_struct *mm, pid_t pid)
{
	struct vm_area_struct *vma;
	struct kt_maps *maps;
	u32 nr = 0;

	for_each_area(mm, vma) nr += is_program(vma);
	nr = min_t(u32, nr, KT_UNWIND_MAPS_MAX);
	maps = kvzalloc(struct_size(maps, maps, nr), GFP_KERNEL | __GFP_NOWARN);
	if (!maps)
		return NULL;
	refcount_set(&maps->users, 1);
	maps->room = nr;
	maps->salt = get_random_u64();
	for_each_area(mm, vma)
	{
		if (maps->nr == nr)
			break;
		if (is_program(vma))
			map_fill(maps, vma, pid);
	}
	return maps;
}

/* Newer maps, or none: what was read is not good for what was mapped since. */
static void maps_replace(struct mm_struct *mm, struct kt_maps *maps, u32 read)
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
	}
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	maps_put(old);
	kfree(made);
}

/* Is there nothing to read?  Sets how many changes are seen by who reads from now on. */
static bool is_read(struct mm_struct *mm, u32 *changes)
{
	const struct space *space;
	unsigned long flags;
	bool read = false;

	*changes = 0;
	raw_spin_lock_irqsave(&spaces_lock, flags);
	space = space_find(mm);
	if (space) {
		*changes = space->changes;
		read = space->maps && space->read == space->changes;
	}
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	return read;
}

bool kt_space_read(struct mm_struct *mm, pid_t pid)
{
	struct kt_maps *maps;
	u32 changes;

	if (is_read(mm, &changes))
		return true;
	maps = maps_read(mm, pid);
	maps_replace(mm, maps, changes);
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
		smp_store_release(&space->maps, from->maps);
	}
	if (space)
		stale = !space->maps || space->read != space->changes;
	raw_spin_unlock_irqrestore(&spaces_lock, flags);
	kfree(made);
	return stale;
}

/* ---- the end -------------------------------------------------------------- */

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

void kt_spaces_forget(void)
{
	spaces_drop(true);
	synchronize_rcu();
}
