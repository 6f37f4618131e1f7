/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A model of the ring for Spin: reserve, commit, packet switch, completion, publication,
 * and the reader's consume.  A task is interrupted by an interrupt, which is interrupted by
 * an NMI; a reader runs on another CPU.
 *
 * The ring has 2 packets (-DPACKETS=n) of 4 units: the header, two records of one unit, and
 * the last unit, which is never filled.  Each label names the function of core/ring.h or
 * core/ring.c whose steps follow.  Each access to shared data is one statement.  An atomic
 * or d_step block is a single instruction in C, or accesses nothing that is shared at that
 * time.  Not modelled: epochs, sizes, extended headers and the wrap of positions, which
 * unit tests cover; and weak memory, which order.pml covers.
 *
 * -DOVERWRITE selects the mode, -DTASK=n -DIRQ=n -DNMI=n how many records each context
 * writes, -DFLUSH=n how often the interrupt flushes.  Each of these mutations breaks one
 * rule; the model must then fail:
 *	-DMARK		completion sets its mark after publishing
 *	-DORDER		a packet is published at once when it is complete
 *	-DUNDONE	publishing does not check the mark
 *	-DSEEN		the publisher forgets others that came meanwhile
 *	-DGREEDY	the writer does not check whether a packet was consumed
 *	-DBLIND		reader and writer do not settle who takes a packet
 *	-DUNSIGNED	room is computed without regard to the sign
 *	-DEARLY		a packet is opened a lap before it is published
 *	-DLATE		the totals of a header are read after head has moved
 */
#ifndef TASK
#define TASK 3
#endif
#ifndef IRQ
#define IRQ 2
#endif
#ifndef NMI
#define NMI 1
#endif
#ifndef FLUSH
#define FLUSH 1
#endif

#ifndef PACKETS
#define PACKETS 2
#endif
#define UNITS  4
#define HEADER 1

#define SLOT(pos) (((pos) / UNITS) % PACKETS)
#define CELL(pos) ((pos) % (PACKETS * UNITS))

/* More laps than ever happen: ring_seq() of an old position. */
#define FAR 100

/* struct kt_ring, the words of its packets, and struct kt_control */
byte head = HEADER;
byte publishing;
byte units[PACKETS]; /* commit, upper part */
byte count[PACKETS]; /* commit, lower part */
byte mark[PACKETS];
byte produced, consumed, events;
byte lost_full, lost_nested, lost_overwritten;

/* The packets.  A written cell holds its own position + 1. */
byte cell[PACKETS * UNITS];
byte packet_used[PACKETS];
byte packet_events[PACKETS];
byte packet_before[PACKETS];
byte packet_lost[PACKETS];

/* Counts of what really happened, for the assertions. */
byte attempts, read, gaps;

/* The process that runs on the writers' CPU; that of the task is the first. */
#define TASK_PID 2
byte level = TASK_PID;
byte running = 3;

/* ring_publish() */
inline publish()
{
	d_step {
		publishing++;
		seen = publishing
	};
	if
	:: d_step { seen != 1 -> seen = 0 }
	:: else ->
		do
		:: d_step { next = produced; seen = publishing };
		   do
#ifdef UNDONE
		   :: next < head / UNITS ->
#else
		   :: mark[next % PACKETS] == next + 1 ->
#endif
			d_step {
				packet_before[next % PACKETS] = events;
				events = events + packet_events[next % PACKETS];
				next++
			};
			produced = next /* pair A */
		   :: else -> break
		   od;
		   atomic {
#ifdef SEEN
			publishing = 0;
#else
			publishing = publishing - seen;
#endif
			if
			:: publishing == 0 -> seen = 0; next = 0; break
			:: else
			fi
		   }
		od
	fi
}

/* kt_ring_complete() */
inline complete(at)
{
	d_step {
		packet_events[SLOT(at)] = count[SLOT(at)];
		count[SLOT(at)] = 0
	};
#if defined(ORDER)
	packet_before[SLOT(at)] = events;
	events = events + packet_events[SLOT(at)];
	produced = at / UNITS + 1
#elif defined(MARK)
	publish();
	mark[SLOT(at)] = at / UNITS + 1
#else
	mark[SLOT(at)] = at / UNITS + 1; /* pair C */
	publish()
#endif
}

/* kt_ring_commit() */
inline commit(at, size, event)
{
	d_step {
		units[SLOT(at)] = units[SLOT(at)] + size;
		count[SLOT(at)] = count[SLOT(at)] + event;
		carry = units[SLOT(at)] / UNITS;
		units[SLOT(at)] = units[SLOT(at)] % UNITS
	};
	if
	:: carry -> carry = 0; complete(at)
	:: else
	fi
}

/* ring_make_room(); sets cause: 0 there is room, 1 FULL, 2 NESTED */
inline make_room()
{
	cause = 0;
	if
#ifdef EARLY
	:: seq - produced >= 2 * PACKETS -> cause = 2
#else
	:: seq - produced >= PACKETS -> cause = 2
#endif
	:: else ->
		taken = consumed; /* pair B */
		do
#if defined(GREEDY)
		:: break
#elif defined(UNSIGNED)
		:: seq - taken >= PACKETS || seq < taken ->
#else
		:: seq - taken >= PACKETS ->
#endif
#ifdef OVERWRITE
			lose = packet_events[taken % PACKETS];
#ifdef BLIND
			consumed = taken + 1;
			taken++;
			lost_overwritten = lost_overwritten + lose;
#else
			atomic {
				if
				:: consumed == taken ->
					consumed = taken + 1; /* pair B */
					taken++
				:: else -> taken = consumed; lose = 0
				fi
			};
			lost_overwritten = lost_overwritten + lose;
#endif
			lose = 0;
			assert(consumed <= produced)
#else
			cause = 1;
			break
#endif
		:: else -> break
		od
	fi;
	taken = 0
}

/*
 * ring_switch(), with room for @size units.  Afterwards pos is in the new packet, or cause
 * is set.  If neither, head has moved.
 */
inline switch(size)
{
	/* ring_seq() */
	d_step {
		seq = old / UNITS + 1;
		if
		:: old / UNITS < produced -> seq = produced + FAR
		:: else
		fi
	};
	make_room();
	if
	:: cause ->
		if
		:: head != old -> cause = 0
		:: else
		fi
	:: else ->
		lost = lost_full + lost_nested;
		atomic {
			if
			:: head == old ->
				head = seq * UNITS + HEADER + size;
				won = 1
			:: else
			fi
		};
		if
		:: won ->
			/* ring_close() */
			d_step {
				won = 0;
				packet_used[SLOT(old)] = old % UNITS
			};
			commit(old, UNITS - old % UNITS, 0);
			/* ring_open() */
			atomic {
				pos = seq * UNITS;
				cell[CELL(pos)] = pos + 1
			};
#ifdef LATE
			lost = lost_full + lost_nested;
#endif
			packet_lost[SLOT(pos)] = lost;
			commit(pos, HEADER, 0);
			pos = pos + HEADER
		:: else
		fi
	fi;
	atomic {
		lost = 0;
		seq = 0
	}
}

/*
 * kt_ring_reserve() and kt_ring_reserve_slow(), which are the same in this model.
 * Afterwards either pos or cause is set.
 */
inline reserve()
{
	do
	:: pos || cause -> break
	:: else ->
		old = head;
		if
		:: old % UNITS + 1 < UNITS ->
			atomic {
				if
				:: head == old -> head++; pos = old
				:: else
				fi
			}
		:: else -> switch(1)
		fi
	od;
	old = 0
}

/* kt_ring_flush() */
inline flush()
{
	do
	:: pos || cause -> break
	:: else ->
		old = head;
		if
		:: old % UNITS == HEADER -> break
		:: else -> switch(0)
		fi
	od;
	old = 0;
	pos = 0;
	cause = 0
}

/*
 * Contexts interrupt each other in stack order: of those that have begun, the one with the
 * highest number runs.  Each may begin at any time.
 */
proctype writer(byte records; byte flushes) provided (level <= _pid)
{
	byte old, pos, seq, next, seen, taken, lose, lost, cause, before;
	bit carry, won;

	atomic {
		before = level;
		level = _pid
	};
	do
	:: records > 0 ->
		d_step {
			records--;
			attempts++
		};
		reserve();
		if
		:: cause == 1 -> lost_full++; cause = 0
		:: cause == 2 -> lost_nested++; cause = 0
		:: else ->
			cell[CELL(pos)] = pos + 1; /* the payload */
			commit(pos, 1, 1)
		fi;
		pos = 0
	:: flushes > 0 ->
		flushes--;
		flush()
	:: records == 0 && flushes == 0 -> break
	od;
	atomic {
		level = before;
		running--
	}
}

/* The reader, with kt_ring_consume(). */
proctype reader()
{
	byte copy[UNITS - 1];
	byte seq, i, used, number, before, lost, last_lost, next;

	do
	:: seq = consumed;
	   if
	   :: seq < produced -> /* pair A */
		d_step {
			used = packet_used[seq % PACKETS];
			number = packet_events[seq % PACKETS];
			before = packet_before[seq % PACKETS];
			lost = packet_lost[seq % PACKETS]
		};
		copy[0] = cell[(seq % PACKETS) * UNITS];
		copy[1] = cell[(seq % PACKETS) * UNITS + 1];
		copy[2] = cell[(seq % PACKETS) * UNITS + 2];
		/* pair B */
		atomic {
			if
#ifndef BLIND
			:: consumed != seq /* ESTALE: overwritten meanwhile */
#endif
			:: else ->
				consumed = seq + 1;
				/* If consume succeeds, the copy must be good. */
				assert(used > HEADER && used < UNITS);
				assert(number == used - HEADER);
				i = 0;
				do
				:: i < used ->
					assert(copy[i] == seq * UNITS + i + 1);
					i++
				:: else -> break
				od;
				assert(before >= next);
#ifndef OVERWRITE
				assert(before == next);
#endif
				assert(lost >= last_lost);
				gaps = gaps + before - next;
				next = before + number;
				last_lost = lost;
				read = read + number
			fi;
			used = 0; number = 0; before = 0; lost = 0; i = 0;
			copy[0] = 0; copy[1] = 0; copy[2] = 0
		}
	   :: else ->
		/* It may also stop reading at any time. */
		if
		:: running > 0
		:: break
		fi
	   fi
	od;

	(running == 0);
	/* Every closed packet is published, exactly once. */
	assert(produced == head / UNITS);
	assert(publishing == 0);
	assert(consumed <= produced);
	assert(head / UNITS - consumed < PACKETS);
	/* Each loss is counted, and nothing is counted twice. */
	used = count[SLOT(head)];
	assert(attempts == events + used + lost_full + lost_nested);
	do
	:: consumed < produced ->
		used = used + packet_events[consumed % PACKETS];
		consumed++
	:: else -> break
	od;
	assert(attempts ==
	       read + used + lost_full + lost_nested + lost_overwritten);
	assert(gaps <= lost_overwritten)
}

init {
	atomic {
		/* kt_ring_begin() */
		cell[0] = 1;
		units[0] = HEADER;
		run reader();
		run writer(TASK, 0); /* TASK_PID */
		run writer(IRQ, FLUSH);
		run writer(NMI, 0)
	}
}
