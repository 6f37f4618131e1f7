/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring's pairs of ordering on a machine that reorders: litmus tests.
 *
 * A thread here performs its accesses in every order that its ordering does not forbid.
 * For two threads that share two words, this covers everything that hardware and compilers
 * may do.  The sequentially consistent model (ring.pml) relies only on these three
 * properties:
 *
 *	-DPUBLISH	pair A: if the reader sees produced, it sees the packet
 *	-DGIVE		pair B, discard: the writer stores into a packet only
 *			after the reader's last load from it
 *	-DTAKE		pair B, overwrite: if the reader's cmpxchg succeeds, it has
 *			loaded nothing that the writer stored after its own cmpxchg
 *
 * -DWRITER or -DREADER removes the ordering of that side.  Then the property must fail,
 * except for the writer in GIVE, whose store depends on what it has loaded.
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

bit packet;   /* 0: what the reader should see; in PUBLISH: not yet written */
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
