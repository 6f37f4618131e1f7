/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Markers in a kernel module; included by marker.h.
 *
 *	ccflags-y += -I/usr/include		# or where ktrace's headers are
 *
 *	#include <ktrace/marker.h>
 *
 * A marker is a tracepoint, which the kernel finds in the module's own list.
 * So nothing has to be registered or linked, and it does not matter whether
 * ktrace is loaded before the module, after it, or never.  While it is off, it
 * is one no-op of five bytes, which the kernel patches; the code for a marker
 * that is on is out of line.
 *
 * A search for tracepoints finds it as "ktrace:MODULE:NAME".  A probe gets its
 * data, the marker, and the arguments, each as u64; marker_probe.h has an
 * easier way.
 */
#ifndef KTRACE_MARKER_KERNEL_H
#define KTRACE_MARKER_KERNEL_H

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <linux/version.h>

#define KTRACE_MARKER_POINT \
	"ktrace:" /* names of such tracepoints begin with it */
#define KTRACE_MARKER_MAGIC 0x6b72616d /* "mark" */

struct ktrace_marker {
	struct tracepoint tp; /* first: what the module's list points to */
	u32 magic;
	u16 version; /* up to here all versions are equal */
	u16 flags;   /* KTRACE_FLAG_ */
	const char *name;
	const char *format;
	const char *file;
	const char *function;
	const struct ktrace_argument *arguments;
	u32 line;
};

/*
 * The caller of probes must hold off their removal.  How this is done depends
 * on the kernel version.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define KTRACE_PROBES_BEGIN()                     \
	struct srcu_ctr __percpu *ktrace_probes = \
		srcu_read_lock_fast_notrace(&tracepoint_srcu)
#define KTRACE_PROBES_END() \
	srcu_read_unlock_fast_notrace(&tracepoint_srcu, ktrace_probes)
#else
#define KTRACE_PROBES_BEGIN() preempt_disable_notrace()
#define KTRACE_PROBES_END()   preempt_enable_notrace()
#endif

#define KTRACE_TYPES_0
#define KTRACE_TYPES_1	, u64
#define KTRACE_TYPES_2	KTRACE_TYPES_1, u64
#define KTRACE_TYPES_3	KTRACE_TYPES_2, u64
#define KTRACE_TYPES_4	KTRACE_TYPES_3, u64
#define KTRACE_TYPES_5	KTRACE_TYPES_4, u64
#define KTRACE_TYPES_6	KTRACE_TYPES_5, u64
#define KTRACE_TYPES_7	KTRACE_TYPES_6, u64
#define KTRACE_TYPES_8	KTRACE_TYPES_7, u64
#define KTRACE_TYPES_9	KTRACE_TYPES_8, u64
#define KTRACE_TYPES_10 KTRACE_TYPES_9, u64

#define KTRACE_PROTO_0
#define KTRACE_PROTO_1	, u64 a
#define KTRACE_PROTO_2	KTRACE_PROTO_1, u64 b
#define KTRACE_PROTO_3	KTRACE_PROTO_2, u64 c
#define KTRACE_PROTO_4	KTRACE_PROTO_3, u64 d
#define KTRACE_PROTO_5	KTRACE_PROTO_4, u64 e
#define KTRACE_PROTO_6	KTRACE_PROTO_5, u64 f
#define KTRACE_PROTO_7	KTRACE_PROTO_6, u64 g
#define KTRACE_PROTO_8	KTRACE_PROTO_7, u64 h
#define KTRACE_PROTO_9	KTRACE_PROTO_8, u64 i
#define KTRACE_PROTO_10 KTRACE_PROTO_9, u64 j

#define KTRACE_NAMES_0
#define KTRACE_NAMES_1	, a
#define KTRACE_NAMES_2	KTRACE_NAMES_1, b
#define KTRACE_NAMES_3	KTRACE_NAMES_2, c
#define KTRACE_NAMES_4	KTRACE_NAMES_3, d
#define KTRACE_NAMES_5	KTRACE_NAMES_4, e
#define KTRACE_NAMES_6	KTRACE_NAMES_5, f
#define KTRACE_NAMES_7	KTRACE_NAMES_6, g
#define KTRACE_NAMES_8	KTRACE_NAMES_7, h
#define KTRACE_NAMES_9	KTRACE_NAMES_8, i
#define KTRACE_NAMES_10 KTRACE_NAMES_9, j

/*
 * The function that is called when a marker with this number of values is hit.
 * A kernel may check the types of such calls (CFI), so use this to declare a
 * function that you define.
 */
#define KTRACE_CALLED_DEFINE(n)         \
	typedef void ktrace_called_##n( \
		void *, struct ktrace_marker *KTRACE_TYPES_##n);

KTRACE_CALLED_DEFINE(0)
KTRACE_CALLED_DEFINE(1)
KTRACE_CALLED_DEFINE(2)
KTRACE_CALLED_DEFINE(3)
KTRACE_CALLED_DEFINE(4)
KTRACE_CALLED_DEFINE(5)
KTRACE_CALLED_DEFINE(6)
KTRACE_CALLED_DEFINE(7)
KTRACE_CALLED_DEFINE(8)
KTRACE_CALLED_DEFINE(9)
KTRACE_CALLED_DEFINE(10)

/*
 * Out of line and by value, so a site that is off needs no registers or stack
 * for it.
 */
#define KTRACE_HIT_DEFINE(n)                                               \
	static noinline __cold notrace __maybe_unused void ktrace_hit_##n( \
		struct ktrace_marker *marker KTRACE_PROTO_##n)             \
	{                                                                  \
		struct tracepoint_func *probe;                             \
		KTRACE_PROBES_BEGIN();                                     \
                                                                           \
		probe = rcu_dereference_raw(marker->tp.funcs);             \
		for (; probe && probe->func; probe++)                      \
			((ktrace_called_##n *)probe->func)(                \
				probe->data, marker KTRACE_NAMES_##n);     \
		KTRACE_PROBES_END();                                       \
	}

KTRACE_HIT_DEFINE(0)
KTRACE_HIT_DEFINE(1)
KTRACE_HIT_DEFINE(2)
KTRACE_HIT_DEFINE(3)
KTRACE_HIT_DEFINE(4)
KTRACE_HIT_DEFINE(5)
KTRACE_HIT_DEFINE(6)
KTRACE_HIT_DEFINE(7)
KTRACE_HIT_DEFINE(8)
KTRACE_HIT_DEFINE(9)
KTRACE_HIT_DEFINE(10)

#define KTRACE_HIT(n, ...) KTRACE_CAT(ktrace_hit_, n)(__VA_ARGS__)
#define KTRACE_VALUE(x)	   ((u64)(x))

/*
 * An older and a newer type of the key; both begin with it, and it is zero if
 * off.
 */
#define KTRACE_IS_ON(marker) \
	arch_static_branch((struct static_key *)&(marker).tp.key, false)

/*
 * BPF programs find it by the same name, as a raw tracepoint, and get the arguments.
 * Its functions are for modules under the GPL; others define KTRACE_NO_BPF.
 */
#if defined(CONFIG_BPF_EVENTS) && !defined(KTRACE_NO_BPF)
#include <linux/trace_events.h>

#define KTRACE_BPF_DEFINE(n, ...)                                          \
	static ktrace_called_##n ktrace_bpf_##n;                           \
	static notrace __maybe_unused void ktrace_bpf_##n(                 \
		void *data, struct ktrace_marker *marker KTRACE_PROTO_##n) \
	{                                                                  \
		__VA_ARGS__;                                               \
	}

/*
 * No program without arguments exists: it would have nothing that it may read.
 */
KTRACE_BPF_DEFINE(0, bpf_trace_run1(data, 0))
KTRACE_BPF_DEFINE(1, bpf_trace_run1(data KTRACE_NAMES_1))
KTRACE_BPF_DEFINE(2, bpf_trace_run2(data KTRACE_NAMES_2))
KTRACE_BPF_DEFINE(3, bpf_trace_run3(data KTRACE_NAMES_3))
KTRACE_BPF_DEFINE(4, bpf_trace_run4(data KTRACE_NAMES_4))
KTRACE_BPF_DEFINE(5, bpf_trace_run5(data KTRACE_NAMES_5))
KTRACE_BPF_DEFINE(6, bpf_trace_run6(data KTRACE_NAMES_6))
KTRACE_BPF_DEFINE(7, bpf_trace_run7(data KTRACE_NAMES_7))
KTRACE_BPF_DEFINE(8, bpf_trace_run8(data KTRACE_NAMES_8))
KTRACE_BPF_DEFINE(9, bpf_trace_run9(data KTRACE_NAMES_9))
KTRACE_BPF_DEFINE(10, bpf_trace_run10(data KTRACE_NAMES_10))

/*
 * A struct bpf_raw_event_map, of 32 bytes; there are several if a place is
 * inlined.
 */
#define KTRACE_BPF(marker, n)                                  \
	asm volatile(".pushsection __bpf_raw_tp_map, \"aw\"\n" \
		     "	.balign	32\n"                           \
		     "	.quad	%c0, %c1\n"                       \
		     "	.long	%c2, 0, 0, 0\n"                   \
		     ".popsection" ::"i"(&(marker).tp),        \
		     "i"(KTRACE_CAT(ktrace_bpf_, n)), "i"(n))
#else
#define KTRACE_BPF(marker, n) \
	do {                  \
	} while (0)
#endif

#ifndef KTRACE_DISABLED
#define KTRACE(name_, ...)                                                    \
	do {                                                                  \
		static const struct ktrace_argument ktrace_arguments_[] = {   \
			KTRACE_EACH(KTRACE_ARGUMENT,                          \
				    __VA_ARGS__){KTRACE_ARG_END, 0, 0}};      \
		static KTRACE_SITE(__VA_ARGS__) ktrace_site_ = {              \
			.marker = {                                           \
				.tp.name = KTRACE_MARKER_POINT KBUILD_MODNAME \
				":" #name_,                                   \
				.magic = KTRACE_MARKER_MAGIC,                 \
				.version = KTRACE_MARKER_VERSION,             \
				.flags = KTRACE_FLAGS,                        \
				.name = #name_,                               \
				.format = KTRACE_FIRST(__VA_ARGS__),          \
				.file = __FILE__,                             \
				.function = __func__,                         \
				.arguments = ktrace_arguments_,               \
				.line = __LINE__,                             \
			}};                                                   \
                                                                              \
		KTRACE_FITS(__VA_ARGS__);                                     \
		asm volatile(".pushsection __tracepoints_ptrs, \"a\"\n"       \
			     "	.balign	4\n"                                   \
			     "	.long	%c0 - .\n"                               \
			     ".popsection" ::"i"(&ktrace_site_.marker.tp));   \
		KTRACE_BPF(ktrace_site_.marker, KTRACE_COUNT(__VA_ARGS__));   \
		if (0)                                                        \
			ktrace_check_format(__VA_ARGS__);                     \
		KTRACE_HANDLER(name_, __VA_ARGS__);                           \
		if (unlikely(KTRACE_IS_ON(ktrace_site_.marker)))              \
			KTRACE_HIT(KTRACE_COUNT(__VA_ARGS__),                 \
				   &ktrace_site_.marker KTRACE_EACH(          \
					   KTRACE_PASS, __VA_ARGS__));        \
	} while (0)
#endif

#endif /* KTRACE_MARKER_KERNEL_H */
