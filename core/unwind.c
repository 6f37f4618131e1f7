// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * See unwind.h.
 *
 * Everything between env_stack_begin() and env_stack_end() is inlined into one function,
 * because in the kernel no function may be called while the program's memory is open.
 */
#include "unwind.h"

#define MULTIPLIER 0x9e3779b97f4a7c15ull

/* Of a register whose value cannot be had.  A frame has no odd address. */
#define LOST 1

/* Where the kernel stores registers for a signal handler: offsets from its rsp. */
#define SIGNAL_RBP 120
#define SIGNAL_RBX 128
#define SIGNAL_RSP 160
#define SIGNAL_RIP 168

/* A frame of code without a table has at most this size. */
#define GUESS_MAX (1u << 20)

/* How a step ended, beside the values of enum kt_stack_end (include/uapi/ktrace.h). */
enum {
	STEP_ON = KT_STACK_END_NR, /* there is a caller */
	STEP_BY_RBX,		   /* it can be found by who followed rbx */
};

struct frame {
	u64 ip, sp, bp;
	u64 bx; /* only if it is followed */
};

/* A rule leaves these bits free, and the cache has the mapping there. */
#define MAP_SHIFT 50
#define MAP_NONE  KT_UNWIND_MAPS_MAX

static __always_inline u32 map_find(const struct kt_unwind_space *space, u64 pc)
{
	u32 low = 0, high = space->nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (space->maps[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < space->nr && low < MAP_NONE && space->maps[low].begin <= pc
		       ? low
		       : MAP_NONE;
}

/*
 * The product spreads the rule's bits.  Without it, the check of one rule beside another
 * one, of a neighbouring place, could look like the check of a third place.
 */
static __always_inline u64 cache_check(u64 key, u64 rule)
{
	return key ^ rule * MULTIPLIER;
}

static __always_inline u64 rule_search(const struct kt_unwind_space *space,
				       u64 pc)
{
	u32 number = map_find(space, pc);
	const struct kt_unwind_table *table = NULL;
	const struct kt_unwind_map *map;
	u64 rule = KT_UNWIND_NONE;

	if (number != MAP_NONE) {
		map = &space->maps[number];
		table = READ_ONCE(map->file->table);
	}
	if (table)
		rule = kt_unwind_table_find(table, pc - map->bias);
	return rule | (u64)number << MAP_SHIFT;
}

/* The rule for a place, and the mapping in which it is; NULL: none. */
static __always_inline u64 rule_find(const struct kt_unwind_space *space,
				     struct kt_unwind_cache *cache, u64 pc,
				     const struct kt_unwind_map **map)
{
	u64 key = pc ^ space->salt;
	struct kt_unwind_cached *entry =
		&cache->entries[key * MULTIPLIER >>
				(64 - KT_UNWIND_CACHE_SHIFT)];
	u64 rule = READ_ONCE(entry->rule), number;

	if (unlikely(READ_ONCE(entry->check) != cache_check(key, rule))) {
		rule = rule_search(space, pc);
		WRITE_ONCE(entry->rule, rule);
		WRITE_ONCE(entry->check, cache_check(key, rule));
	}
	number = rule >> MAP_SHIFT;
	*map = likely(number < space->nr) ? &space->maps[number] : NULL;
	return rule & ((1ull << MAP_SHIFT) - 1);
}

/* How a stack names the place: by its file, if it is in one. */
static __always_inline u64 frame_word(const struct kt_unwind_map *map, u64 ip)
{
	return likely(map) ? (ip - map->bias) + map->file->label
			   : ip & KT_FRAME_PLACE_MASK;
}

/* Goes on with a register as its owner's caller had it. */
static __always_inline bool register_restore(u64 *reg, s64 place, u64 cfa)
{
	if (place > KT_UNWIND_LOST)
		return env_stack_word(cfa + place * 8, reg);
	if (place == KT_UNWIND_LOST)
		*reg = LOST;
	return true;
}

/* The address that a register of the frame has, for KT_UNWIND_REGISTER. */
static __always_inline int register_base(const struct frame *frame,
					 const struct kt_unwind_start *start,
					 u32 number, bool first, bool follow,
					 u64 *base)
{
	if (first) {
		*base = env_register(start->registers, number);
		return STEP_ON;
	}
	if (number != KT_UNWIND_REG_RBX)
		return KT_STACK_NO_RULE;
	if (!follow)
		return STEP_BY_RBX;
	*base = frame->bx;
	return frame->bx == LOST ? KT_STACK_NO_RULE : STEP_ON;
}

/* The frame that a signal has interrupted may be on any stack. */
static __always_inline int step_signal(struct frame *frame, bool follow)
{
	u64 sp = frame->sp;

	if (!env_stack_word(sp + SIGNAL_RIP, &frame->ip) ||
	    !env_stack_word(sp + SIGNAL_RBP, &frame->bp) ||
	    !env_stack_word(sp + SIGNAL_RSP, &frame->sp) ||
	    (follow && !env_stack_word(sp + SIGNAL_RBX, &frame->bx)))
		return KT_STACK_ABSENT;
	return STEP_ON;
}

static __always_inline int step_guess(struct frame *frame)
{
	u64 bp = frame->bp;

	if (bp & 7 || bp < frame->sp || bp - frame->sp > GUESS_MAX)
		return KT_STACK_NO_TABLE;
	if (!env_stack_word(bp + 8, &frame->ip) ||
	    !env_stack_word(bp, &frame->bp))
		return KT_STACK_ABSENT;
	frame->sp = bp + 16;
	frame->bx = LOST;
	return STEP_ON;
}

/*
 * Makes @frame the caller's.  @follow and @start are constants of the loop; @first: no frame
 * was left yet.
 */
static __always_inline int step(struct frame *frame, u64 rule, u64 pc,
				const struct kt_unwind_start *start, bool first,
				const bool follow)
{
	enum kt_unwind_kind kind = kt_unwind_rule_kind(rule);
	s64 offset = kt_unwind_rule_offset(rule);
	s64 rbp = kt_unwind_rule_rbp(rule);
	u64 cfa, ip;
	int err;

	if (likely(kind == KT_UNWIND_RSP)) {
		cfa = frame->sp + offset;
		goto below;
	}
	switch (kind) {
	case KT_UNWIND_END:
		return KT_STACK_COMPLETE;
	case KT_UNWIND_RBP:
		if (frame->bp == LOST)
			return KT_STACK_NO_RULE;
		cfa = frame->bp + offset;
		break;
	case KT_UNWIND_PLT:
		cfa = frame->sp + offset;
		cfa += (pc & 15) >= kt_unwind_rule_extra(rule) ? 8 : 0;
		break;
	case KT_UNWIND_AT_RSP:
		if (!env_stack_word(frame->sp + offset, &cfa))
			return KT_STACK_ABSENT;
		cfa += 8 * kt_unwind_rule_extra(rule);
		break;
	case KT_UNWIND_AT_RBP:
		if (frame->bp == LOST)
			return KT_STACK_NO_RULE;
		if (!env_stack_word(frame->bp + offset, &cfa))
			return KT_STACK_ABSENT;
		cfa += 8 * kt_unwind_rule_extra(rule);
		if (rbp == KT_UNWIND_AT_BASE) {
			if (!env_stack_word(frame->bp, &frame->bp))
				return KT_STACK_ABSENT;
			rbp = KT_UNWIND_SAME;
		}
		break;
	case KT_UNWIND_REGISTER:
		err = register_base(frame, start, kt_unwind_rule_extra(rule),
				    first, follow, &cfa);
		if (err != STEP_ON)
			return err;
		cfa += offset;
		break;
	case KT_UNWIND_LINK:
		if (!first)
			return KT_STACK_NO_RULE;
		cfa = frame->sp + offset;
		ip = env_register(start->registers, kt_unwind_rule_extra(rule));
		goto above;
	case KT_UNWIND_SIGNAL:
		return step_signal(frame, follow);
	case KT_UNWIND_NONE:
		return step_guess(frame);
	default:
		return KT_STACK_NO_RULE;
	}

below:
	if (!env_stack_word(cfa - 8, &ip))
		return KT_STACK_ABSENT;
above:
	/* The first frame may be where one stack is left for another one. */
	if (cfa <= frame->sp && !first)
		return KT_STACK_CORRUPT;
	if (!register_restore(&frame->bp, rbp, cfa))
		return KT_STACK_ABSENT;
	if (follow &&
	    !register_restore(&frame->bx, kt_unwind_rule_rbx(rule), cfa))
		return KT_STACK_ABSENT;
	frame->sp = cfa;
	frame->ip = ip;
	return STEP_ON;
}

static __always_inline u32 walk(const struct kt_unwind_space *space,
				struct kt_unwind_cache *cache,
				const struct kt_unwind_start *start, u32 depth,
				u64 *frames, int *end, const bool follow)
{
	struct frame frame = {start->ip, start->sp, start->bp, start->bx};
	const struct kt_unwind_map *map;
	u64 back = start->behind, guess = 0;
	u32 nr = 0;

	if (!env_stack_begin()) {
		frames[0] = frame.ip & KT_FRAME_PLACE_MASK;
		*end = KT_STACK_ABSENT;
		return 1;
	}
	for (;;) {
		u64 pc = frame.ip - back, rule;

		rule = rule_find(space, cache, pc, &map);
		frames[nr] = frame_word(map, frame.ip) | guess;
		*end = step(&frame, rule, pc, start, !nr, follow);
		nr++;
		if (*end != STEP_ON)
			break;
		if (!frame.ip) {
			*end = KT_STACK_COMPLETE;
			break;
		}
		if (nr == depth) {
			*end = KT_STACK_TRUNCATED;
			break;
		}
		guess = unlikely(rule == KT_UNWIND_NONE) ? KT_FRAME_GUESS : 0;
		/*
		 * A call may be the last instruction of its function, so the
		 * byte before the return address counts.  A signal comes
		 * between any two instructions.
		 */
		back = kt_unwind_rule_kind(rule) != KT_UNWIND_SIGNAL;
	}
	env_stack_end();
	return nr;
}

/*
 * Only the dynamic linker has frames on rbx, and following it costs a read for most frames.
 * So the walk begins again if that is met.
 */
static noinline u32 walk_by_rbx(const struct kt_unwind_space *space,
				struct kt_unwind_cache *cache,
				const struct kt_unwind_start *start, u32 depth,
				u64 *frames, int *end)
{
	return walk(space, cache, start, depth, frames, end, true);
}

u32 kt_unwind_program(const struct kt_unwind_space *space,
		      struct kt_unwind_cache *cache,
		      const struct kt_unwind_start *start, u32 depth,
		      u64 *frames, enum kt_stack_end *end)
{
	int ended;
	u32 nr;

	if (depth > KT_STACK_MAX)
		depth = KT_STACK_MAX;
	if (!depth)
		depth = 1;
	nr = walk(space, cache, start, depth, frames, &ended, false);
	if (ended == STEP_BY_RBX)
		nr = walk_by_rbx(space, cache, start, depth, frames, &ended);
	*end = (enum kt_stack_end)ended;
	return nr;
}
