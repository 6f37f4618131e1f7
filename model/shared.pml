/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A model for Spin of one ring of programs (marker/shared.h): threads that write on a CPU
 * and move between it and another, each of which may be killed anywhere, and a reader.
 *
 * Two things replace a reservation there, and both are here: a restartable sequence, and
 * with -DLOCKED a lock that is taken from the dead.  The ring has 2 packets of 5 units:
 * the header, three units for records, and the last one, which is never filled.  A record
 * has one unit, and another one in front of it if another thread wrote last.  The first
 * packet is full at the begin, so that few records come to the end of the ring.  Comments
 * name the functions of marker/shared.c and publish.h; what lies in one atomic or d_step block
 * is one instruction there, or is not shared.  A handler that interrupts a thread is a
 * writer with the same tid (-DSAME).
 *
 * How often a thread is preempted or moved is bounded, or there were too many states; that
 * somebody comes to a CPU where nobody runs is not counted.  Not modelled: time, sizes, the wrap of positions, the bound of retries, and weak memory:
 * of the pairs with the reader, order.pml has the same; writers of a ring run on one CPU,
 * or have its lock.
 *
 * -DOVERWRITE selects the mode, -DFIRST=n -DSECOND=n how many records the two write,
 * -DKILLS=n how many are killed, -DSWITCHES=n how often one is preempted or moved.  Each of these breaks one rule; the model must find it:
 *	-DRESUME	who was preempted in a sequence goes on where it was
 *	-DMOVED		the sequence does not look on which CPU it is
 *	-DBEHIND	the sequence does not look whether head has moved
 *	-DHALF		position and number of events change one after the other
 *	-DSTALE		the number of events is read before head
 *	-DGREEDY	the writer does not ask whether a packet was consumed
 *	-DBLIND		reader and writer do not settle who takes a packet
 *	-DROB		the lock is taken from the living
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

/* What a unit is, beside its position. */
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

/* A unit holds its own position + 1, and what it is. */
byte cell[PACKETS * UNITS];
byte kind[PACKETS * UNITS];
/* Of headers; how much of the packet before was used, and how many events were before. */
byte seq_of[PACKETS];
byte used_of[PACKETS];
byte before_of[PACKETS];

/* Who runs on the CPU of the ring, and on another one. */
byte here = NOBODY;
byte there = NOBODY;
bool inside[WRITERS + 1]; /* a sequence */
bool aborted[WRITERS + 1];
bool dead[WRITERS + 1];

/* What really happened. */
byte attempts, published, elsewhere;
byte running = WRITERS;

/* The writers' processes come behind init, reader and kernel. */
#define ME (_pid - 3)
#ifdef LOCKED
#define RUNS true
#else
#define RUNS (dead[ME] || here == ME || there == ME)
#endif

/* The kernel: whom it takes from a CPU in a sequence goes back to the begin. */
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
		/* Nobody is disturbed where nobody runs. */
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

/* A unit of the record that is copied to its place. */
inline copy(position, what)
{
	cell[CELL(position)] = position + 1;
	kind[CELL(position)] = what
}

/*
 * One instruction of the writer.  In a sequence it may turn out that the kernel has sent it
 * back.
 */
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
		/* write_locked(): lock_try(), or after many tries it is lost. */
		if
		:: atomic { lock == 0 -> lock = me + 1 }
#ifdef ROB
		:: atomic { lock != 0 && lock != me + 1 -> lock = me + 1 }
#else
		:: lock != 0 && dead[lock - 1] ->
			from = lock;
			/* Somebody else may have taken it meanwhile. */
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
		:: here != me -> elsewhere++; goto next /* in another ring */
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
		/* The header, the record that tells of the thread, and the record. */
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

/* What has been read: @length units of the packet @seq, which began after @before events. */
inline check_packet()
{
	assert(length > HEADER && length < UNITS);
	i = 0;
	number = 0;
	do
	:: i < length ->
		/* Whole, of this lap, and by the thread that the reader takes for it. */
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
	/* Nothing is lost that is not counted, nothing is there that was not written. */
	assert(events == published);
	assert(read + gaps == events);
	/* Whoever was killed has written what it tried to write last, or has not. */
	assert(published + lost + elsewhere <= attempts);
	assert(published + lost + elsewhere + KILLS >= attempts)
}

init {
	atomic {
		/* The first thread has filled a packet, which marker_ring_init() opened. */
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
