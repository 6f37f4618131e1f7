/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace headers define events in many flavours.  For a probe they are all the same: a
 * class, and events of the class.  After this header, a stage has to define only
 * DECLARE_EVENT_CLASS, DEFINE_EVENT and DEFINE_EVENT_PRINT.  It also defines
 * __dynamic_array, for all fields of varying size that need nothing special.
 *
 * Conditions are evaluated at the tracepoint, and registration functions are called when a
 * probe is attached.  Neither concerns a probe.
 */

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)             \
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),             \
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)); \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args));

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),        \
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),       \
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)                                      \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),      \
		    PARAMS(assign), PARAMS(print))

#undef TRACE_EVENT_SYSCALL
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print, reg, \
			    unreg)                                          \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),     \
		    PARAMS(assign), PARAMS(print))

#undef DECLARE_EVENT_SYSCALL_CLASS
#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(class, name, proto, args, reg, unreg) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(class, name, proto, args, cond) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_WRITABLE
#define DEFINE_EVENT_WRITABLE(class, name, proto, args, size) \
	DEFINE_EVENT(class, name, PARAMS(proto), PARAMS(args))

/* Events that are not compiled into this kernel. */
#undef TRACE_EVENT_NOP
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)
#undef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(name, proto, args)
#undef DEFINE_EVENT_NOP
#define DEFINE_EVENT_NOP(class, name, proto, args)

/* Tracepoints without an event: they have no layout from which to generate a probe. */
#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args)
#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)
#undef DECLARE_TRACE_WRITABLE
#define DECLARE_TRACE_WRITABLE(name, proto, args, size)
#undef DECLARE_TRACE_SYSCALL
#define DECLARE_TRACE_SYSCALL(name, proto, args)
#undef DECLARE_TRACE_EVENT
#define DECLARE_TRACE_EVENT(name, proto, args)
#undef DECLARE_TRACE_EVENT_CONDITION
#define DECLARE_TRACE_EVENT_CONDITION(name, proto, args, cond)

#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(event, flag)
#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(event, expr...)

#undef TP_STRUCT__entry
#define TP_STRUCT__entry(args...) args
#undef TP_fast_assign
#define TP_fast_assign(args...) args
#undef __perf_count
#define __perf_count(c) (c)
#undef __perf_task
#define __perf_task(t) (t)

#undef __field_ext
#define __field_ext(type, item, filter) __field(type, item)
#undef __field_struct_ext
#define __field_struct_ext(type, item, filter) __field_struct(type, item)

#undef __string
#define __string(item, src) __dynamic_array(char, item, -1)
#undef __string_len
#define __string_len(item, src, len) __dynamic_array(char, item, -1)
#undef __vstring
#define __vstring(item, format, args) __dynamic_array(char, item, -1)
#undef __bitmask
#define __bitmask(item, bits) \
	__dynamic_array(unsigned long, item, BITS_TO_LONGS(bits))
#undef __cpumask
#define __cpumask(item) __bitmask(item, nr_cpumask_bits)
#undef __sockaddr
#define __sockaddr(item, len) __dynamic_array(u8, item, len)

/* Our records need only one way to say where data is. */
#undef __rel_dynamic_array
#define __rel_dynamic_array __dynamic_array
#undef __rel_string
#define __rel_string __string
#undef __rel_string_len
#define __rel_string_len __string_len
#undef __rel_bitmask
#define __rel_bitmask __bitmask
#undef __rel_cpumask
#define __rel_cpumask __cpumask
#undef __rel_sockaddr
#define __rel_sockaddr __sockaddr
