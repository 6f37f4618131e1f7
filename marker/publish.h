/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a record becomes visible: in a restartable sequence, whose last instruction
 * moves the ring's head.  And the common case of writing one, inlined.
 */
#ifndef KT_MARKER_PUBLISH_H
#define KT_MARKER_PUBLISH_H

#include <stdint.h>

#include "shared.h"

#define barrier() asm volatile("" ::: "memory")

static __always_inline void *marker_ring_data(struct marker_ring *ring,
					      u32 position)
{
	u32 mask = (ring->control.packets << KT_PACKET_SHIFT) - 1;

	return (u8 *)ring + KT_CONTROL_SIZE + (position & mask);
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
 * has rax, xmm0 and the operands named last.  It may write up to four bytes more than the
 * record has: a packet is never filled to its last unit.
 */
/* clang-format off */
#define marker_publish(stores, again, cpu_, ring_, old_, new_, to_, word_,         \
		       tail_, state_, ...)                                         \
	asm goto(                                                                  \
		"	.pushsection __rseq_cs, \"aw\"\n"                                \
		"	.balign	32\n"                                                    \
		"1:	.long	0, 0\n"                                                  \
		"	.quad	2f, 3f - 2f, 4f\n"                                         \
		"	.popsection\n"                                                   \
		"	leaq	1b(%%rip), %%rax\n"                                         \
		"	movq	%%rax, %[area]\n"                                           \
		"2:	cmpl	%[cpu], %[cpu_id]\n"                                      \
		"	jne	%l[" #again "]\n"                                   \
		"	cmpq	%[old], %[head]\n"                                          \
		"	jne	%l[" #again "]\n"                                   \
		"	movl	%[word], (%[to])\n" stores                          \
		"	movq	%[state], (%[tail])\n"                                      \
		"	movq	%[new], %[head]\n"                                          \
		"3:\n" /* What the kernel looks for in front of where it jumps. */ \
		"	.pushsection .text.unlikely, \"ax\"\n"                           \
		"	.byte	0x0f, 0xb9, 0x3d\n"                                        \
		"	.long	%c[signature]\n"                                           \
		"4:	jmp	%l[" #again "]\n"                                   \
		"	.popsection"                                                     \
		:                                                                  \
		: [area] "m"(rseq_area()->rseq_cs),                                \
		  [cpu_id] "m"(rseq_area()->cpu_id), [cpu] "r"(cpu_),              \
		  [head] "m"((ring_)->head), [old] "r"(old_), [new] "r"(new_),     \
		  [to] "r"(to_), [word] "r"(word_), [tail] "r"(tail_),             \
		  [state] "r"(state_), [signature] "i"(RSEQ_SIG), __VA_ARGS__      \
		: "memory", "cc", "rax", "xmm0"                                    \
		: again)
/* clang-format on */

/*
 * Writes a payload of @size bytes, in @words words, where the thread wrote last, if
 * nobody has since, in the same epoch, and the packet has room.  False: nothing has
 * happened.
 */
static __always_inline bool marker_ring_words(struct marker_writer *writer,
					      u32 id, u32 size,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	struct marker_ring *ring = writer->ring;
	u64 old = writer->head, new, time, state;
	u64 *tail = (u64 *)((uintptr_t)writer->tail ^ sizeof(u64));
	u32 cpu = writer->cpu, events = writer->events + 1, position, word;
	u8 *to = writer->data + ((u32)old << KT_UNIT_SHIFT & writer->mask);

	time = env_clock() << KT_ID_BITS;
	position = (u32)old + kt_units(size + KT_HEADER_COMPACT);
	new = time >> KT_EPOCH_SHIFT << KT_EPOCH_SHIFT | position;
	if (unlikely((old ^ new) >> KT_PACKET_UNITS_SHIFT) ||
	    unlikely(id >= KT_ID_EXTENDED))
		return false;
	word = id | (u32)time;
	state = position | (u64)events << 32;
	switch (words) {
	case 0:
		marker_publish("", again, cpu, ring, old, new, to, word, tail,
			       state, "i"(0));
		break;
	case 1:
		marker_publish("	movq	%[a], 4(%[to])\n", again, cpu,
			       ring, old, new, to, word, tail,
			       state, [a] "r"(a));
		break;
	case 2:
		marker_publish("	movq	%[a], 4(%[to])\n"
			       "	movq	%[b], 12(%[to])\n",
			       again, cpu, ring, old, new, to, word, tail,
			       state, [a] "r"(a), [b] "r"(b));
		break;
	default:
		marker_publish("	movq	%[a], 4(%[to])\n"
			       "	movq	%[b], 12(%[to])\n"
			       "	movq	%[c], 20(%[to])\n",
			       again, cpu, ring, old, new, to, word, tail,
			       state, [a] "r"(a), [b] "r"(b), [c] "r"(c));
		break;
	}
	writer->events = events;
	writer->tail = tail;
	barrier();
	writer->head = new;
	return true;
again:
	return false;
}

#else

static __always_inline bool marker_ring_words(struct marker_writer *writer,
					      u32 id, u32 size,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	return false;
}

#endif

#endif /* KT_MARKER_PUBLISH_H */
