/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A model for Spin of one ring of programs (marker/shared.h).  Threads write on a CPU and
 * migrate between it and another one.  Each may be killed anywhere.  There is one reader.
 *
 * Such a ring does not use reservation but a restartable sequence or, with -DLOCKED, a lock
 * that can be taken from a dead thread.  Both are modelled.  The ring has 2 packets of 5
 * units: the header, three units for records, and the last one, which is never filled.  A
 * record has one unit; another one is in front of it if the last writer was another thread.
 * The first packet is full at the begin, so that few records reach the end of the ring.
 * Comments name the functions of marker/shared.c and publish.h.  An atomic or d_step block
 * is a single instruction there, or accesses nothing that is shared.  A signal handler that
 * interrupts a thread is modelled as a writer with the same tid (-DSAME).
 *
 * To limit the number of states, preemptions and migrations are bounded; a thread that
 * begins to run on an idle CPU does not count.  Not modelled: time, sizes, the wrap of
 * positions, the bound of retries, and weak memory.  order.pml covers the pairs with the
 * reader, which are the same; writers of a ring run on one CPU, or hold its lock.
 *
 * -DOVERWRITE selects the mode, -DFIRST=n -DSECOND=n how many records the two threads
 * write, -DKILLS=n how many are killed, -DSWITCHES=n how often one is preempted or
 * migrates.  Each of these mutations breaks one rule; the model must then fail:
 *	-DRESUME	a thread that was preempted in a sequence continues where
 *			it was
 *	-DMOVED		the sequence does not check on which CPU it runs
 *	-DBEHIND	the sequence does not check whether head has moved
 *	-DHALF		position and number of events are stored one after the other
 *	-DSTALE		the number of events is read before head
 *	-DGREEDY	the writer does not check whether a packet was consumed
 *	-DBLIND		reader and writer do not settle who takes a packet
 *	-DROB		the lock is taken from a living thread
 *	-DHASTY		the lock is given back before the end has moved
 */
#ifndef FIRST
#define FIRST 2
#endif
#ifndef SECOND
#define SECOND 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef SWITCHES
#define SWITCHES 3
#endif
#ifdef SAME
#define TID(me) 1
#else
#define TID(me) ((me) + 1)
#endif

#define PACKETS 2
#define UNITS	5
#define HEADER	1

#define WRITERS 2
#define NOBODY	WRITERS

/* The kind of a unit. */
#define EVENT  0
#define SWITCH 4
#define OPEN   8

#define CELL(pos)   ((pos) % (PACKETS * UNITS))
#define PACKET(pos) (((pos) / UNITS) % PACKETS)

/* struct marker_end: these three change as one. */
byte head = HEADER;
byte tid;
byte events;

byte lock; /* the holder's number + 1 */
byte consumed, lost;

/* A unit holds its own position + 1, and its kind. */
byte cell[PACKETS * UNITS];
byte kind[PACKETS * UNITS];
/* Of headers: sequence number, units used in the packet before, and events before. */
byte seq_of[PACKETS];
byte used_of[PACKETS];
byte before_of[PACKETS];

/* Who runs on the ring's CPU, and on another one. */
byte here = NOBODY;
byte there = NOBODY;
bool inside[WRITERS + 1]; /* in a sequence */
bool aborted[WRITERS + 1];
bool dead[WRITERS + 1];

/* Counts of what really happened, for the assertions. */
byte attempts, published, elsewhere;
byte running = WRITERS;

/* The writers' processes come after init, reader and kernel. */
#define ME (_pid - 3)
#ifdef LOCKED
#define RUNS true
#else
#define RUNS (dead[ME] || here == ME || there == ME)
#endif

/* The kernel takes a thread from its CPU.  If it is in a sequence, it restarts it. */
inline leave(who)
{
#ifndef RESUME
	aborted[who] = aborted[who] || inside[who];
#endif
	skip
}

proctype kernel()
{
	byte who, kills = KILLS, switches = SWITCHES;

	do
	:: running == 0 -> break
#ifndef LOCKED
	:: atomic {
		running > 0 ->
		if
		:: who = 0
		:: who = 1
		fi;
		/* Running on an idle CPU disturbs nobody. */
		if
		:: here != who && !dead[who] && (switches > 0 || (here == NOBODY && there != who)) ->
			switches = switches - (here != NOBODY || there == who);
			leave(here);
			leave(who);
			there = (there == who -> NOBODY : there);
			here = who
		:: there != who && !dead[who] && switches > 0 && here == who ->
			switches--;
			leave(there);
			leave(who);
			here = NOBODY;
			there = who
		:: else
		fi;
		who = 0
	   }
#endif
	:: atomic {
		running > 0 && kills > 0 ->
		if
		:: dead[0] = true
		:: dead[1] = true
		fi;
		kills--
	   }
	od
}

/* Copies a unit of the record to its place. */
inline copy(position, what)
{
	cell[CELL(position)] = position + 1;
	kind[CELL(position)] = what
}

/* One instruction of the writer.  In a sequence, the kernel may have aborted it. */
#define STEP(x)                                                   \
	atomic                                                    \
	{                                                         \
		if                                                \
		:: aborted[me] -> goto again                      \
		:: else -> x                                      \
		fi                                                \
	}

/* make_room(); sets denied */
inline make_room()
{
	taken = consumed;
	do
#ifdef GREEDY
	:: true -> break
#else
	:: seq - taken >= PACKETS ->
#ifdef OVERWRITE
		atomic {
			if
			:: consumed == taken ->
				consumed = taken + 1;
				taken++
			:: else -> taken = consumed
			fi
		}
#else
		denied = true;
		break
#endif
	:: else -> break
#endif
	od;
	taken = 0
}

proctype writer(byte me; byte records) provided (RUNS)
{
	byte old, seq, at, count, taken, from, to, used;
	bool denied, switched, fresh;

	{
	do
	:: records == 0 -> break
	:: else ->
		d_step {
			records--;
			attempts++
		};
#ifdef LOCKED
		/* write_locked(): lock_try().  After many tries, the record is lost. */
		if
		:: atomic { lock == 0 -> lock = me + 1 }
#ifdef ROB
		:: atomic { lock != 0 && lock != me + 1 -> lock = me + 1 }
#else
		:: lock != 0 && dead[lock - 1] ->
			from = lock;
			/* Another thread may have taken it meanwhile. */
			atomic {
				if
				:: lock == from -> lock = me + 1
				:: else -> from = NOBODY + 1
				fi
			};
			if
			:: from == NOBODY + 1 -> lost++; from = 0; goto next
			:: else -> from = 0
			fi
#endif
		:: lock != 0 -> lost++; goto next
		fi;
again:
#else
again:
		skip;
		/* write_any(): marker_rseq_cpu() */
		d_step {
			inside[me] = false;
			aborted[me] = false;
			denied = false;
			fresh = false
		};
		if
		:: here != me -> elsewhere++; goto next /* it writes to another ring */
		:: here == me
		fi;
#endif
		/* change_prepare() */
#ifdef STALE
		count = events;
		old = head;
#else
		old = head;
		count = events;
#endif
		d_step {
			switched = (tid != TID(me));
			used = old % UNITS;
			from = 1 + switched /* its size */
		};
		if
		:: used + from + 1 > UNITS ->
			seq = seq_of[PACKET(old)] + 1;
			make_room();
			if
			:: denied && head == old ->
				lost++;
				goto unlock
			:: denied && head != old -> goto again
			:: !denied
			fi;
			d_step {
				fresh = true;
				at = seq * UNITS;
				from = from + HEADER
			}
		:: else -> at = old
		fi;
#ifndef LOCKED
		/* publish_rseq() */
		d_step {
			to = at + from;
			from = 0;
			inside[me] = true
		};
#ifndef MOVED
		STEP(if :: here != me -> goto again :: else fi);
#endif
#ifndef BEHIND
		STEP(if :: head != old -> goto again :: else fi);
#endif
#endif
#ifdef LOCKED
		d_step {
			to = at + from;
			from = 0
		};
#endif
		/* The header, the record that names the thread, and the record. */
		if
		:: fresh ->
			STEP(copy(at, OPEN + TID(me)); seq_of[PACKET(at)] = seq);
			STEP(used_of[PACKET(at)] = used;
			     before_of[PACKET(at)] = count; at++)
		:: else
		fi;
		if
		:: switched -> STEP(copy(at, SWITCH + TID(me)); at++)
		:: else
		fi;
		STEP(copy(at, EVENT + TID(me)));
#ifdef HASTY
		lock = 0;
#endif
		/* The last instruction. */
#ifdef HALF
		STEP(head = to);
		STEP(events = count + 1; tid = TID(me); published++; inside[me] = false);
#else
		STEP(head = to; events = count + 1; tid = TID(me); published++;
		     inside[me] = false);
#endif
unlock:
#ifdef LOCKED
		if
		:: lock == me + 1 -> lock = 0
		:: else
		fi;
#endif
next:
		skip;
		d_step {
			inside[me] = false;
			aborted[me] = false;
			old = 0; seq = 0; at = 0; count = 0; to = 0; used = 0; from = 0;
			denied = false; switched = false; fresh = false
		}
	od
	} unless {
		atomic { dead[me] -> inside[me] = false }
	};
	atomic {
		dead[me] = true;
		running--;
		here = (here == me -> NOBODY : here);
		there = (there == me -> NOBODY : there)
	}
}

/*
 * Checks what was read: @length units of packet @seq, before which there were @before
 * events.
 */
inline check_packet()
{
	assert(length > HEADER && length < UNITS);
	i = 0;
	number = 0;
	do
	:: i < length ->
		/* Complete, of this lap, and of the thread that the reader derives. */
		assert(copied[i] == seq * UNITS + i + 1);
		if
		:: i == 0 && seq == 0 -> who = TID(0)
		:: else ->
			if
			:: what[i] / 4 == OPEN / 4 ->
				assert(i == 0);
				who = what[i] % 4
			:: what[i] / 4 == SWITCH / 4 -> who = what[i] % 4
			:: else ->
				assert(i > 0 && what[i] == who);
				number++
			fi
		fi;
		i++
	:: else -> break
	od;
	assert(number == count);
	assert(before >= expected);
#ifndef OVERWRITE
	assert(before == expected);
#endif
	gaps = gaps + before - expected;
	expected = before + number;
	read = read + number;
	number = 0;
	i = 0;
	who = 0
}

inline copy_units()
{
	copied[0] = cell[CELL(seq * UNITS)];
	what[0] = kind[CELL(seq * UNITS)];
	copied[1] = cell[CELL(seq * UNITS + 1)];
	what[1] = kind[CELL(seq * UNITS + 1)];
	copied[2] = cell[CELL(seq * UNITS + 2)];
	what[2] = kind[CELL(seq * UNITS + 2)];
	copied[3] = cell[CELL(seq * UNITS + 3)];
	what[3] = kind[CELL(seq * UNITS + 3)]
}

proctype reader()
{
	byte copied[UNITS - 1];
	byte what[UNITS - 1];
	byte seq, length, count, before, expected, read, gaps, i, number, who;

	do
	:: /* marker_ring_read() */
	   seq = consumed;
	   if
	   :: head / UNITS > seq ->
		d_step {
			before = before_of[seq % PACKETS];
			copied[0] = cell[CELL(seq * UNITS)];
			what[0] = kind[CELL(seq * UNITS)]
		};
		d_step {
			copied[1] = cell[CELL(seq * UNITS + 1)];
			what[1] = kind[CELL(seq * UNITS + 1)];
			copied[2] = cell[CELL(seq * UNITS + 2)];
			what[2] = kind[CELL(seq * UNITS + 2)]
		};
		d_step {
			copied[3] = cell[CELL(seq * UNITS + 3)];
			what[3] = kind[CELL(seq * UNITS + 3)]
		};
		d_step {
			length = used_of[(seq + 1) % PACKETS];
			count = before_of[(seq + 1) % PACKETS] - before
		};
		atomic {
			if
#ifndef BLIND
			:: consumed != seq /* -ESTALE */
#endif
			:: else ->
				consumed = seq + 1;
				check_packet()
			fi;
			length = 0; count = 0; before = 0; seq = 0;
			copied[0] = 0; copied[1] = 0; copied[2] = 0; copied[3] = 0;
			what[0] = 0; what[1] = 0; what[2] = 0; what[3] = 0
		}
	   :: else
	   fi
	:: running == 0 && head / UNITS == consumed -> break
	od;
	/* marker_ring_read_open(), when nobody writes any more */
	skip;
	d_step {
		seq = head / UNITS;
		before = before_of[seq % PACKETS];
		length = head % UNITS;
		count = events - before;
		copy_units();
		if
		:: length > HEADER -> check_packet()
		:: else
		fi
	};
	/* Each loss is counted, and no event appears that was not written. */
	assert(events == published);
	assert(read + gaps == events);
	/* The last record of a killed thread is either written or not. */
	assert(published + lost + elsewhere <= attempts);
	assert(published + lost + elsewhere + KILLS >= attempts)
}

init {
	atomic {
		/*
		 * The first thread has filled the first packet, which marker_ring_init()
		 * opened.
		 */
		cell[0] = 1;
		cell[1] = 2; kind[1] = EVENT + TID(0);
		cell[2] = 3; kind[2] = EVENT + TID(0);
		cell[3] = 4; kind[3] = EVENT + TID(0);
		head = 4; tid = TID(0); events = 3;
		attempts = 3; published = 3;
		run reader();
		run kernel();
		run writer(0, FIRST);
		run writer(1, SECOND)
	}
}
