/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring's pairs of ordering on a machine that reorders: litmus tests.
 *
 * A thread here performs its accesses in every order that its ordering does not
 * forbid.  With two threads that share two words this covers what hardware and
 * compilers may do.  A sequentially consistent model (ring.pml) needs no more
 * than these three properties of them:
 *
 *	-DPUBLISH	pair A: whoever sees produced sees the packet
 *	-DGIVE		pair B, discard: the writer stores into a packet only
 *			after the reader's last load of what was in it
 *	-DTAKE		pair B, overwrite: a reader whose cmpxchg succeeds has
 *			loaded nothing that the writer stored after its own
 *
 * -DWRITER or -DREADER takes the ordering away from that side: each must fail,
 * but for the writer in GIVE, whose store depends on what it has loaded.
 */
#if defined(WRITER)
#define WRITER_AFTER(x) true
#else
#define WRITER_AFTER(x) (x)
#endif
#if defined(READER)
#define READER_AFTER(x) true
#else
#define READER_AFTER(x) (x)
#endif

bit packet;   /* 0: as the reader is to see it, but PUBLISH: not yet written */
bit position; /* produced or consumed */

#if defined(PUBLISH)

active proctype writer()
{
	bit stored, released;

	do
	:: !stored -> packet = 1; stored = 1
	/* smp_store_release(&control->produced) */
	:: !released && WRITER_AFTER(stored) -> position = 1; released = 1
	:: stored && released -> break
	od
}

active proctype reader()
{
	bit acquired, loaded, produced, value;

	do
	/* smp_load_acquire(&control->produced) */
	:: !acquired -> produced = position; acquired = 1
	:: !loaded && READER_AFTER(acquired) -> value = packet; loaded = 1
	:: acquired && loaded -> break
	od;
	assert(!produced || value)
}

#elif defined(GIVE)

active proctype writer()
{
	bit acquired, stored, consumed;

	do
	/* smp_load_acquire(&control->consumed) */
	:: !acquired -> consumed = position; acquired = 1
	:: !stored && acquired ->
		if
		:: consumed -> packet = 1
		:: else /* full */
		fi;
		stored = 1
	:: acquired && stored -> break
	od
}

active proctype reader()
{
	bit loaded, given, value;

	do
	:: !loaded -> value = packet; loaded = 1
	/* env_cmpxchg(&control->consumed) */
	:: !given && READER_AFTER(loaded) -> position = 1; given = 1
	:: loaded && given -> break
	od;
	assert(!value)
}

#elif defined(TAKE)

active proctype writer()
{
	bit taken, stored;

	do
	/* env_cmpxchg(&control->consumed): whoever wins, the packet is free. */
	:: !taken -> position = 1; taken = 1
	:: !stored && WRITER_AFTER(taken) -> packet = 1; stored = 1
	:: taken && stored -> break
	od
}

active proctype reader()
{
	bit loaded, given, won, value;

	do
	:: !loaded -> value = packet; loaded = 1
	/* env_cmpxchg(&control->consumed) */
	:: !given && READER_AFTER(loaded) ->
		atomic { won = !position; position = 1 };
		given = 1
	:: loaded && given -> break
	od;
	assert(!won || !value)
}

#endif
