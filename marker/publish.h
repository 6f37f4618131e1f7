/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a record becomes visible: in a restartable sequence, whose last
 * instruction moves the ring's end.  Also the common case of writing a record,
 * in few instructions.  Each instruction counts, because almost none of them
 * can be hidden behind reading the clock.
 */
#ifndef KT_MARKER_PUBLISH_H
#define KT_MARKER_PUBLISH_H

#include <stdint.h>

#include "shared.h"

/* The memory at @position, in units. */
static __always_inline void *marker_ring_at(const struct marker_rings *rings,
					    struct marker_ring *ring,
					    u64 position)
{
	return (u8 *)ring + KT_CONTROL_SIZE +
	       (position << KT_UNIT_SHIFT & rings->mask);
}

/* What a record adds to the ring's end. */
struct marker_step {
	u64 units;
	u64 event; /* one, where it is counted: 1 << 32 */
} __attribute__((aligned(16), may_alias));

/* The C library must support rseq: glibc does from 2.35 on, musl does not. */
#if defined(__x86_64__) && !defined(KT_MARKER_LOCKED) && __has_include(<sys/rseq.h>)

#define MARKER_RSEQ 1

#include <sys/rseq.h>

/* A copy of the C library's variable; reading it saves one load. */
extern ptrdiff_t marker_rseq_offset __attribute__((visibility("hidden")));

/* Above all CPUs if the kernel does not say. */
static __always_inline u32 marker_rseq_cpu(void)
{
	struct rseq __seg_fs *area = (void __seg_fs *)marker_rseq_offset;

	return *(volatile u32 __seg_fs *)&area->cpu_id;
}

/*
 * The parts of a sequence: from the label 2 to the label 3 the thread stays on
 * its CPU and is alone there.  Otherwise it goes to @again, and nothing has
 * happened.  At the start rcx has the address of the thread's struct rseq; rdx
 * is used too.
 */
#define MARKER_SEQUENCE_BEGIN                    \
	"	.pushsection __rseq_cs, \"aw\"\n"      \
	"	.balign	32\n"                          \
	"1:	.long	0, 0\n"                        \
	"	.quad	2f, 3f - 2f, 4f\n"               \
	"	.popsection\n"                         \
	"	movq	%[offset], %%rcx\n"               \
	"	leaq	1b(%%rip), %%rdx\n"               \
	"	movq	%%rdx, %%fs:%c[rseq_cs](%%rcx)\n" \
	"2:\n"
/* The kernel expects the signature in front of its jump target. */
#define MARKER_SEQUENCE_END                      \
	"3:\n"                                   \
	"	.pushsection .text.unlikely, \"ax\"\n" \
	"	.byte	0x0f, 0xb9, 0x3d\n"              \
	"	.long	%c[signature]\n"                 \
	"4:	jmp	%l[again]\n"                     \
	"	.popsection\n"
#define MARKER_SEQUENCE_OPERANDS                               \
	[offset] "m"(marker_rseq_offset),                      \
		[rseq_cs] "i"(offsetof(struct rseq, rseq_cs)), \
		[cpu_id] "i"(offsetof(struct rseq, cpu_id)),   \
		[end] "i"(offsetof(struct marker_ring, end)),  \
		[signature] "i"(RSEQ_SIG)

/*
 * Special cases take the slow path: another thread wrote last, the last record
 * has another epoch, or the packet has no room.  Words may be written beyond
 * the record: a packet is never filled to its last unit.
 */
/* clang-format off */
#define MARKER_WORDS(stores, ...)					\
	asm goto(MARKER_SEQUENCE_BEGIN					\
		/* ecx: the CPU; rcx: its ring */			\
		"	movl	%%fs:%c[cpu_id](%%rcx), %%ecx\n"	\
		"	cmpl	%[cpus], %%ecx\n"			\
		"	jae	%l[again]\n"				\
		"	imulq	%[stride], %%rcx\n"			\
		"	addq	%[base], %%rcx\n"			\
		"	cmpl	%[tid], %c[end] + 8(%%rcx)\n"		\
		"	jne	%l[again]\n"				\
		/* xmm0: the new end; has only the position's lower part changed? */ \
		"	movdqa	%c[end](%%rcx), %%xmm0\n"		\
		"	paddq	%[step], %%xmm0\n"			\
		"	movd	%%xmm0, %%eax\n"			\
		"	xorl	%c[end](%%rcx), %%eax\n"		\
		"	testl	%[packets], %%eax\n"			\
		"	jne	%l[again]\n"				\
		/* edx: the epoch; eax: the lower time and the id */	\
		"	rdtsc\n"					\
		"	shldl	%[shift], %%eax, %%edx\n"		\
		"	shll	%[shift], %%eax\n"			\
		"	cmpl	%%edx, %c[end] + 4(%%rcx)\n"		\
		"	jne	%l[again]\n"				\
		"	orl	%[id], %%eax\n"				\
		"	movl	%c[end](%%rcx), %%edx\n"		\
		"	shlq	%[unit], %%rdx\n"			\
		"	andq	%[mask], %%rdx\n"			\
		"	addq	%%rcx, %%rdx\n"				\
		"	movl	%%eax, %c[data](%%rdx)\n"		\
		stores							\
		"	movaps	%%xmm0, %c[end](%%rcx)\n"		\
		MARKER_SEQUENCE_END					\
		:							\
		: MARKER_SEQUENCE_OPERANDS,				\
		  [cpus] "m"(rings->cpus), [stride] "m"(rings->stride),	\
		  [base] "m"(rings->base), [mask] "m"(rings->mask),	\
		  [tid] "r"(tid), [step] "m"(*step),			\
		  [id] "r"(id),						\
		  [shift] "i"(KT_ID_BITS), [unit] "i"(KT_UNIT_SHIFT),	\
		  [packets] "i"(~0u << KT_PACKET_UNITS_SHIFT),		\
		  [data] "i"(KT_CONTROL_SIZE), __VA_ARGS__		\
		: "memory", "cc", "rax", "rcx", "rdx", "xmm0"		\
		: again)
#define MARKER_STORE(word, offset) \
	"	movq	%[" word "], %c[data] + " offset "(%%rdx)\n"
/* clang-format on */

/*
 * Writes a record of the thread @tid.  @id fits a compact header.  False:
 * nothing has happened.
 */
static __always_inline bool marker_ring_words(const struct marker_rings *rings,
					      const struct marker_step *step,
					      u32 tid, u32 id,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	switch (words) {
	case 0:
		MARKER_WORDS("", "i"(0));
		break;
	case 1:
		MARKER_WORDS(MARKER_STORE("a", "4"), [a] "r"(a));
		break;
	case 2:
		MARKER_WORDS(MARKER_STORE("a", "4") MARKER_STORE("b", "12"),
			     [a] "r"(a), [b] "r"(b));
		break;
	default:
		MARKER_WORDS(MARKER_STORE("a", "4") MARKER_STORE("b", "12")
				     MARKER_STORE("c", "20"),
			     [a] "r"(a), [b] "r"(b), [c] "r"(c));
		break;
	}
	return true;
again:
	return false;
}

#else

static __always_inline bool marker_ring_words(const struct marker_rings *rings,
					      const struct marker_step *step,
					      u32 tid, u32 id,
					      unsigned int words, u64 a, u64 b,
					      u64 c)
{
	return false;
}

#endif

#endif /* KT_MARKER_PUBLISH_H */
