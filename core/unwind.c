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

/* What replaces return addresses is at the beginning of such a page. */
#define RETURN_PAGE 4096

/* How a step ended, beside the values of enum kt_stack_end (include/uapi/ktrace.h). */
enum {
	STEP_ON = KT_STACK_END_NR, /* there is a caller */
	STEP_BY_RBX,		   /* it can be found by who followed rbx */
};

struct frame {
	u64 ip, sp, bp;
	u64 bx;	    /* only if it is followed */
	u64 limit;  /* of what may be read: the same for all frames */
	u64 absent; /* what could not be read */
};

/*
 * Marks of a rule in the cache, in bits that rules leave free.  Most frames begin at rsp, or at
 * rbp, and end at a known distance from there; all that must be read lies in between.
 */
#define RULE_IN_FILE	  (1ull << 61)
#define RULE_PLAIN_BY_RBP (1ull << 62)
#define RULE_PLAIN	  (1ull << 63)

#define MAP_NONE	  KT_UNWIND_MAPS_MAX

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
 * The product spreads the bits.  Without it, the check of one rule beside another one, of a
 * neighbouring place, could look like the check of a third place.
 */
static __always_inline u64 cache_check(u64 key, u64 rule, u64 label)
{
	return key ^ (rule + label) * MULTIPLIER;
}

static __always_inline struct kt_unwind_cached *cache_entry(
	struct kt_unwind_cache *cache, u64 key)
{
	return &cache->entries[key * MULTIPLIER >>
			       (64 - KT_UNWIND_CACHE_SHIFT)];
}

/* What is needed of the cache, read once. */
struct found {
	u64 rule, label;
};

static __always_inline bool cache_find(const struct kt_unwind_cached *entry,
				       u64 key, struct found *found)
{
	found->rule = READ_ONCE(entry->rule);
	found->label = READ_ONCE(entry->label);
	return likely(READ_ONCE(entry->check) ==
		      cache_check(key, found->rule, found->label));
}

/* Whether it is a plain one. */
static __always_inline u64 rule_mark(u64 rule)
{
	enum kt_unwind_kind kind = kt_unwind_rule_kind(rule);
	s64 words = kt_unwind_rule_offset(rule) / 8;
	s64 rbp = kt_unwind_rule_rbp(rule);

	if (words <= 0 ||
	    (rbp != KT_UNWIND_SAME &&
	     (rbp < KT_UNWIND_PLACE_MIN || rbp >= 0 || rbp < -words)))
		return 0;
	if (kind == KT_UNWIND_RBP)
		return RULE_PLAIN_BY_RBP;
	return kind == KT_UNWIND_RSP ? RULE_PLAIN : 0;
}

static __always_inline struct found rule_search(
	const struct kt_unwind_space *space, u64 pc)
{
	struct found found = {KT_UNWIND_NONE, 0};
	u32 number = map_find(space, pc);
	const struct kt_unwind_table *table;
	const struct kt_unwind_map *map;

	if (number == MAP_NONE)
		return found;
	map = &space->maps[number];
	table = READ_ONCE(map->file->table);
	if (table)
		found.rule = kt_unwind_table_find(table, pc - map->bias);
	found.rule |= RULE_IN_FILE | rule_mark(found.rule);
	found.label = map->file->label - map->bias;
	return found;
}

static __always_inline struct found rule_find(
	const struct kt_unwind_space *space, struct kt_unwind_cache *cache,
	u64 pc)
{
	u64 key = pc ^ space->salt;
	struct kt_unwind_cached *entry = cache_entry(cache, key);
	struct found found;

	if (cache_find(entry, key, &found))
		return found;
	found = rule_search(space, pc);
	WRITE_ONCE(entry->rule, found.rule);
	WRITE_ONCE(entry->label, found.label);
	WRITE_ONCE(entry->check, cache_check(key, found.rule, found.label));
	return found;
}

/* How a stack names the place: by its file, if it is in one. */
static __always_inline u64 frame_word(struct found found, u64 ip)
{
	return likely(found.rule & RULE_IN_FILE) ? ip + found.label
						 : ip & KT_FRAME_PLACE_MASK;
}

u64 kt_unwind_place(const struct kt_unwind_space *space, u64 address)
{
	u32 number = map_find(space, address);
	const struct kt_unwind_map *map;

	if (number == MAP_NONE)
		return address & KT_FRAME_PLACE_MASK;
	map = &space->maps[number];
	return address + (map->file->label - map->bias);
}

/* False: it is not there, or not the program's. */
static __always_inline bool word(struct frame *frame, u64 from, u64 *value)
{
	if (from >= frame->limit)
		return false;
	if (env_stack_word(env_index(from, frame->limit), value))
		return true;
	frame->absent = from;
	return false;
}

/* Goes on with a register as its owner's caller had it. */
static __always_inline bool register_restore(struct frame *frame, u64 *reg,
					     s64 place, u64 cfa)
{
	if (place > KT_UNWIND_LOST)
		return word(frame, cfa + place * 8, reg);
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

	if (!word(frame, sp + SIGNAL_RIP, &frame->ip) ||
	    !word(frame, sp + SIGNAL_RBP, &frame->bp) ||
	    !word(frame, sp + SIGNAL_RSP, &frame->sp) ||
	    (follow && !word(frame, sp + SIGNAL_RBX, &frame->bx)))
		return KT_STACK_ABSENT;
	return STEP_ON;
}

static __always_inline int step_guess(struct frame *frame)
{
	u64 bp = frame->bp;

	if (bp & 7 || bp < frame->sp || bp - frame->sp > GUESS_MAX)
		return KT_STACK_NO_TABLE;
	if (!word(frame, bp + 8, &frame->ip) || !word(frame, bp, &frame->bp)) {
		/* That it is the stack is only a guess. */
		frame->absent = 0;
		return KT_STACK_ABSENT;
	}
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
		if (!word(frame, frame->sp + offset, &cfa))
			return KT_STACK_ABSENT;
		cfa += 8 * kt_unwind_rule_extra(rule);
		break;
	case KT_UNWIND_AT_RBP:
		if (frame->bp == LOST)
			return KT_STACK_NO_RULE;
		if (!word(frame, frame->bp + offset, &cfa))
			return KT_STACK_ABSENT;
		cfa += 8 * kt_unwind_rule_extra(rule);
		if (rbp == KT_UNWIND_AT_BASE) {
			if (!word(frame, frame->bp, &frame->bp))
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
	if (!word(frame, cfa - 8, &ip))
		return KT_STACK_ABSENT;
above:
	/* The first frame may be where one stack is left for another one. */
	if (cfa <= frame->sp && !first)
		return KT_STACK_CORRUPT;
	if (!register_restore(frame, &frame->bp, rbp, cfa))
		return KT_STACK_ABSENT;
	if (follow &&
	    !register_restore(frame, &frame->bx, kt_unwind_rule_rbx(rule), cfa))
		return KT_STACK_ABSENT;
	frame->sp = cfa;
	frame->ip = ip;
	return STEP_ON;
}

/*
 * Goes on while rules are in the cache and plain, or until nobody has called.  It does what
 * rule_find() and step() do, with half of the instructions; whatever else there is, or is
 * wrong, is left to these.  @back: 0 or 1.  STEP_ON: with @known, @found is the rule of the next
 * frame.
 */
static __always_inline int walk_plain(const struct kt_unwind_space *space,
				      struct kt_unwind_cache *cache,
				      struct frame *frame, u64 back,
				      u64 *frames, u32 *nr, u32 depth,
				      struct found *found, bool *known)
{
	const u64 salt = space->salt, limit = frame->limit;
	u64 pc = frame->ip - back, sp = frame->sp, bp = frame->bp;
	u64 *const first = frames + *nr, *to = first;
	int end = STEP_ON;

	/* Below the limit, plain frames only lead upwards. */
	if (unlikely(sp >= limit))
		return STEP_ON;
	for (;;) {
		u64 key = pc ^ salt, base = sp, below, caller, saved = bp;
		s64 rbp;

		if (!cache_find(cache_entry(cache, key), key, found))
			break;
		if (unlikely(!(found->rule & RULE_PLAIN))) {
			if (kt_unwind_rule_kind(found->rule) == KT_UNWIND_END) {
				*to++ = pc + 1 + found->label;
				end = KT_STACK_COMPLETE;
				break;
			}
			if (!(found->rule & RULE_PLAIN_BY_RBP) || bp < sp ||
			    bp >= limit) {
				*known = true;
				break;
			}
			base = bp;
		}
		/* This is the comparison, too: 0 is left to the others. */
		below = env_index(base + kt_unwind_rule_offset(found->rule) - 8,
				  limit);
		if (unlikely(!below) || !env_stack_word(below, &caller))
			break;
		rbp = kt_unwind_rule_rbp(found->rule);
		if (rbp != KT_UNWIND_SAME &&
		    !env_stack_word(below + 8 + rbp * 8, &saved))
			break;
		*to++ = pc + 1 + found->label;
		pc = caller - 1;
		sp = below + 8;
		bp = saved;
		if (unlikely(!caller)) {
			end = KT_STACK_COMPLETE;
			break;
		}
		if (unlikely(to == frames + depth)) {
			end = KT_STACK_TRUNCATED;
			break;
		}
	}
	if (to != first) {
		/* It may be the instruction itself; all others are behind a call. */
		*first -= 1 - back;
		back = 1;
	}
	frame->ip = pc + back;
	frame->sp = sp;
	frame->bp = bp;
	*nr = to - frames;
	return end;
}

/*
 * A probe of a function's return replaces the return address with that of its own code, which
 * is at the beginning of a page, and in no file.  A task may still have a return that it has
 * left by longjmp(), and another one in the same place since then: this one is no such page.
 */
static __always_inline bool return_restore(struct frame *frame,
					   const struct kt_unwind_space *space,
					   const struct kt_unwind_start *start)
{
	u32 i;

	if (frame->ip & (RETURN_PAGE - 1) ||
	    map_find(space, frame->ip) != MAP_NONE)
		return false;
	for (i = 0; i < start->nr_returns; i++) {
		if (start->returns[i].sp == frame->sp - 8) {
			frame->ip = start->returns[i].ip;
			return true;
		}
	}
	return false;
}

static __always_inline u32 walk(const struct kt_unwind_space *space,
				struct kt_unwind_cache *cache,
				const struct kt_unwind_start *start, u32 depth,
				u64 *frames, int *end, u64 *absent,
				const bool follow)
{
	struct frame frame = {start->ip, start->sp, start->bp, start->bx, 0, 0};
	u64 back = start->behind, guess = 0;
	u32 nr = 0;

	if (!env_stack_begin(&frame.limit)) {
		frames[0] = frame.ip & KT_FRAME_PLACE_MASK;
		*end = KT_STACK_ABSENT;
		*absent = 0;
		return 1;
	}
	for (;;) {
		struct found found;
		bool known = false;
		u32 before = nr;
		u64 pc;

		*end = STEP_ON;
		if (!follow && !guess)
			*end = walk_plain(space, cache, &frame, back, frames,
					  &nr, depth, &found, &known);
		if (*end != STEP_ON)
			break;
		if (nr != before)
			back = 1;
		if (unlikely(start->nr_returns) &&
		    return_restore(&frame, space, start)) {
			back = 1;
			known = false;
		}
		pc = frame.ip - back;
		if (!known)
			found = rule_find(space, cache, pc);
		frames[nr] = frame_word(found, frame.ip) | guess;
		*end = step(&frame, found.rule, pc, start, !nr, follow);
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
		guess = unlikely(kt_unwind_rule_kind(found.rule) ==
				 KT_UNWIND_NONE)
				? KT_FRAME_GUESS
				: 0;
		/*
		 * A call may be the last instruction of its function, so the
		 * byte before the return address counts.  A signal comes
		 * between any two instructions.
		 */
		back = kt_unwind_rule_kind(found.rule) != KT_UNWIND_SIGNAL;
	}
	env_stack_end();
	*absent = frame.absent;
	return nr;
}

/*
 * Only the dynamic linker has frames on rbx, and following it costs a read for most frames.
 * So the walk begins again if that is met.
 */
static noinline u32 walk_by_rbx(const struct kt_unwind_space *space,
				struct kt_unwind_cache *cache,
				const struct kt_unwind_start *start, u32 depth,
				u64 *frames, int *end, u64 *absent)
{
	return walk(space, cache, start, depth, frames, end, absent, true);
}

/*
 * By ebp alone.  A frame is a pair of words, the caller's ebp and the return address, which one
 * read gets.  Whoever begins a stack has ebp of zero, as the psABI for the i386 asks for; if that
 * is a function with a frame, what seems to be its return address is none.
 */
static noinline u32 walk_narrow(const struct kt_unwind_space *space,
				const struct kt_unwind_start *start, u32 depth,
				u64 *frames, int *end, u64 *absent)
{
	u64 ip = (u32)start->ip, sp = (u32)start->sp, bp = (u32)start->bp;
	u64 back = start->behind, guess = 0, pair;
	struct frame frame = {0};
	u32 nr = 0;

	*end = KT_STACK_ABSENT;
	*absent = 0;
	if (!env_stack_begin(&frame.limit)) {
		frames[0] = ip;
		return 1;
	}
	for (;;) {
		struct found found = rule_search(space, ip - back);

		if (guess && !(found.rule & RULE_IN_FILE)) {
			*end = bp || nr < 2 ? KT_STACK_NO_TABLE
					    : KT_STACK_COMPLETE;
			break;
		}
		frames[nr++] = frame_word(found, ip) | guess;
		if (bp & 3 || bp < sp || bp - sp > GUESS_MAX) {
			*end = bp || !guess ? KT_STACK_NO_TABLE
					    : KT_STACK_COMPLETE;
			break;
		}
		if (nr == depth) {
			*end = KT_STACK_TRUNCATED;
			break;
		}
		if (!word(&frame, bp, &pair))
			break;
		sp = bp + 8;
		bp = (u32)pair;
		ip = pair >> 32;
		back = 1;
		guess = KT_FRAME_GUESS;
	}
	env_stack_end();
	return nr;
}

u32 kt_unwind_program(const struct kt_unwind_space *space,
		      struct kt_unwind_cache *cache,
		      const struct kt_unwind_start *start, u32 depth,
		      u64 *frames, struct kt_unwind_ended *ended)
{
	u64 *absent = &ended->absent;
	int end;
	u32 nr;

	if (unlikely(depth - 1 >= KT_STACK_MAX))
		depth = depth ? KT_STACK_MAX : 1;
	if (unlikely(start->narrow))
		nr = walk_narrow(space, start, depth, frames, &end, absent);
	else
		nr = walk(space, cache, start, depth, frames, &end, absent,
			  false);
	if (end == STEP_BY_RBX)
		nr = walk_by_rbx(space, cache, start, depth, frames, &end,
				 absent);
	ended->end = (enum kt_stack_end)end;
	return nr;
}
