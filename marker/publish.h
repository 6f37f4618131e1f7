/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a record becomes visible: in a restartable sequence, whose last instruction
 * moves the ring's head.  And the common case of writing one, inlined.
 */
#ifndef KT_MARKER_PUBLISH_H
#define KT_MARKER_PUBLISH_H

#include "shared.h"

extern __thread u32 marker_thread_tid
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static __always_inline void *marker_ring_data(struct marker_ring *ring,
					      u32 position)
{
	u32 mask = (ring->control.packets << KT_PACKET_SHIFT) - 1;

	return (u8 *)ring + KT_CONTROL_SIZE + (position & mask);
}

static __always_inline bool marker_tail_holds(const struct marker_ring *ring,
					      unsigned int i, u64 head)
{
	return READ_ONCE(ring->tails[i].position) == (u32)head;
}

#if defined(__x86_64__) && !defined(KT_MARKER_LOCKED)

#define MARKER_RSEQ 1

#include <sys/rseq.h>

static __always_inline struct rseq *rseq_area(void)
{
	return (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

/* Beyond all CPUs if there is no rseq. */
static __always_inline u32 rseq_cpu(void)
{
	return *(volatile u32 *)&rseq_area()->cpu_id;
}

/*
 * Between the labels 2 and 3 the thread is on @cpu and alone; else it goes to @again,
 * and nothing has happened.  @stores puts what follows @word behind @to, for which it
 * has rax, rcx and the operands named last.  It may write up to four bytes more than
 * the record has: a packet is never filled to its last unit.
 */
#define marker_publish(stores, again, cpu_, ring_, old_, new_, to_, word_,    \
		       tail_, who_, events_, ...)                             \
	asm goto("	.pushsection __rseq_cs, \"aw\"\n"                     \
		 "	.balign	32\n"                                         \
		 "1:	.long	0, 0\n"                                       \
		 "	.quad	2f, 3f - 2f, 4f\n"                            \
		 "	.popsection\n"                                        \
		 "	leaq	1b(%%rip), %%rax\n"                           \
		 "	movq	%%rax, %[area]\n"                             \
		 "2:	cmpl	%[cpu], %[cpu_id]\n"                          \
		 "	jne	%l[" #again "]\n"                             \
		 "	cmpq	%[old], %[head]\n"                            \
		 "	jne	%l[" #again "]\n"                             \
		 "	movl	%[word], (%[to])\n"                           \
		 stores                                                       \
		 "	movq	%[who], (%[tail])\n"                          \
		 "	movq	%[events], 8(%[tail])\n"                      \
		 "	movq	%[new], %[head]\n"                            \
		 "3:\n"                                                       \
		 /* What the kernel looks for in front of where it jumps. */  \
		 "	.pushsection .text.unlikely, \"ax\"\n"                \
		 "	.byte	0x0f, 0xb9, 0x3d\n"                           \
		 "	.long	%c[signature]\n"                              \
		 "4:	jmp	%l[" #again "]\n"                             \
		 "	.popsection"                                          \
		 :                                                            \
		 : [area] "m"(rseq_area()->rseq_cs),                          \
		   [cpu_id] "m"(rseq_area()->cpu_id), [cpu] "r"(cpu_),        \
		   [head] "m"((ring_)->head), [old] "r"(old_),                \
		   [new] "r"(new_), [to] "r"(to_), [word] "r"(word_),         \
		   [tail] "r"(tail_), [who] "r"(who_), [events] "r"(events_), \
		   [signature] "i"(RSEQ_SIG), __VA_ARGS__                     \
		 : "memory", "cc", "rax", "rcx"                               \
		 : again)

/*
 * Writes a payload of @size bytes, in @words words, if the thread is the one that
 * wrote here last, in the same epoch, and the packet has room.  False: nothing has
 * happened.
 */
static __always_inline bool marker_ring_words(const struct marker_rings *rings,
					      u32 id, u32 size,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	u32 cpu = rseq_cpu(), tid = marker_thread_tid, position, word;
	struct marker_ring *ring;
	struct marker_tail *tail, *next;
	u64 old, new, time, who, events;
	u8 *to;

	if (unlikely(cpu >= rings->cpus))
		return false;
	ring = marker_ring(rings, cpu);
	old = READ_ONCE(ring->head);
	time = env_clock() << KT_ID_BITS;
	position = (u32)old + kt_units(size + KT_HEADER_COMPACT);
	new = time >> KT_EPOCH_SHIFT << KT_EPOCH_SHIFT | position;
	next = &ring->tails[marker_tail_holds(ring, 0, old)];
	tail = &ring->tails[!marker_tail_holds(ring, 0, old)];
	if (unlikely((old ^ new) >> KT_PACKET_UNITS_SHIFT) ||
	    unlikely(tail->tid != tid) || unlikely(id >= KT_ID_EXTENDED))
		return false;
	word = id | (u32)time;
	who = position | (u64)tid << 32;
	events = tail->events + 1;
	to = marker_ring_data(ring, (u32)old << KT_UNIT_SHIFT);
	switch (words) {
	case 0:
		marker_publish("", again, cpu, ring, old, new, to, word, next,
			       who, events, "i"(0));
		break;
	case 1:
		marker_publish("	movq	%[a], 4(%[to])\n", again, cpu,
			       ring, old, new, to, word, next, who, events,
			       [a] "r"(a));
		break;
	case 2:
		marker_publish("	movq	%[a], 4(%[to])\n"
			       "	movq	%[b], 12(%[to])\n",
			       again, cpu, ring, old, new, to, word, next, who,
			       events, [a] "r"(a), [b] "r"(b));
		break;
	default:
		marker_publish("	movq	%[a], 4(%[to])\n"
			       "	movq	%[b], 12(%[to])\n"
			       "	movq	%[c], %%rax\n"
			       "	movq	%%rax, 20(%[to])\n",
			       again, cpu, ring, old, new, to, word, next, who,
			       events, [a] "r"(a), [b] "r"(b), [c] "m"(c));
		break;
	}
	return true;
again:
	return false;
}

#else

static __always_inline bool marker_ring_words(const struct marker_rings *rings,
					      u32 id, u32 size,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	return false;
}

#endif

#endif /* KT_MARKER_PUBLISH_H */
