/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probe: the event's own assignments, straight into the ring's slot.  Flags are
 * constants; so is the size if the class has a fixed size.
 */

#undef __string
#define __string(item, src) __dynamic_array(char, item, -1)
#undef __string_len
#define __string_len(item, src, len) __dynamic_array(char, item, -1)
#undef __vstring
#define __vstring(item, format, args) __dynamic_array(char, item, -1)

/*
 * No assignment stores the gaps between fields, and behind the last one.  They would
 * contain bytes of an older record, so they are zeroed, each by one store of all units that
 * it touches: fields there are stored later.  (Where a data location is stored meanwhile, it
 * fills its unit.)  The compiler knows the gaps; few classes have any.
 *
 * Assignments do not fill every array either: a string may be shorter, an address may be of
 * another family.  So arrays are zeroed first.  The exceptions are arrays that a prelude
 * has narrowed or declared as filled (KT_FILLED).
 */
#define KT_GAP(item)                                                         \
	kt_zero(__entry, __end, offsetof(typeof(*__entry), item));           \
	__end = offsetof(typeof(*__entry), item) + sizeof(__entry->item);

#undef __field
#define __field(type, item) KT_GAP(item)
#undef __field_struct
#define __field_struct(type, item) KT_GAP(item)
#undef __array
#define __array(type, item, len)                             \
	KT_GAP(item)                                         \
	if (sizeof(__entry->item) == (len) * sizeof(type) && \
	    !KT_FILLED(item))                                \
		memset(__entry->item, 0, sizeof(__entry->item));
#undef __dynamic_array
#define __dynamic_array(type, item, len) \
	KT_GAP(__data_loc_##item)        \
	__entry->__data_loc_##item = KT_DATA_LOC(__sources->item);

/* How assignments find their data. */
#undef __get_dynamic_array
#define __get_dynamic_array(item) \
	((void *)__entry + __sources->item.at)
#undef __get_dynamic_array_len
#define __get_dynamic_array_len(item) ((u32)KT_BYTES(__sources->item))
#undef __get_str
#define __get_str(item) ((char *)__get_dynamic_array(item))
#undef __get_bitmask
#define __get_bitmask(item) __get_str(item)
#undef __get_cpumask
#define __get_cpumask(item) __get_str(item)
#undef __get_sockaddr
#define __get_sockaddr(item) ((struct sockaddr *)__get_dynamic_array(item))

#undef __assign_str
#define __assign_str(item, ...)                                       \
	KT_ASSIGN_STR(item, ##__VA_ARGS__, __sources->item.source)
#define KT_ASSIGN_STR(item, src, ...)                                      \
	kt_string_store_again(__entry, __sources->item, (const char *)(src), \
			      KT_HAS_TAIL(__sources->item) &&              \
			      KT_HAS_TAIL(*__sources) &&                   \
			      !(offsetof(typeof(*__entry), __data) % KT_UNIT))
#undef __assign_str_len
#define __assign_str_len(item, src, len)                                 \
	kt_string_store(__get_str(item), KT_BYTES(__sources->item),       \
			kt_string(src))
#undef __assign_vstr
#define __assign_vstr(item, format, args)                                   \
	kt_formatted_store(__get_str(item), __get_dynamic_array_len(item), \
			   format, args)
#undef __assign_bitmask
#define __assign_bitmask(item, src, bits) \
	memcpy(__get_bitmask(item), src, __get_dynamic_array_len(item))
#undef __assign_cpumask
#define __assign_cpumask(item, src) \
	memcpy(__get_cpumask(item), src, __get_dynamic_array_len(item))
#undef __assign_sockaddr
#define __assign_sockaddr(item, src, len) \
	memcpy(__get_dynamic_array(item), src, __get_dynamic_array_len(item))

#undef __get_rel_dynamic_array
#define __get_rel_dynamic_array __get_dynamic_array
#undef __get_rel_dynamic_array_len
#define __get_rel_dynamic_array_len __get_dynamic_array_len
#undef __get_rel_str
#define __get_rel_str __get_str
#undef __get_rel_bitmask
#define __get_rel_bitmask __get_bitmask
#undef __get_rel_cpumask
#define __get_rel_cpumask __get_cpumask
#undef __get_rel_sockaddr
#define __get_rel_sockaddr __get_sockaddr
#undef __assign_rel_str
#define __assign_rel_str __assign_str
#undef __assign_rel_str_len
#define __assign_rel_str_len __assign_str_len
#undef __assign_rel_bitmask
#define __assign_rel_bitmask __assign_bitmask
#undef __assign_rel_cpumask
#define __assign_rel_cpumask __assign_cpumask
#undef __assign_rel_sockaddr
#define __assign_rel_sockaddr __assign_sockaddr

#define KT_FLAGS(name) \
	(sizeof(struct kt_sources_##name) ? KT_RECORD_DYNAMIC | KT_RECORD_TAIL : 0)

/*
 * A probe that calls no function needs no stack frame, which would be a third of its
 * instructions.  So it handles only the common case.  Two more copies of it, not inlined,
 * handle the rest: kt_judge_ the common case of an event with conditions, also without a
 * frame; kt_slow_ every case.
 *
 * The copies are called last, as tail calls.  So _RET_IP_ in an event's assignments is
 * still the address of the tracepoint.  Each copy disables preemption by itself.  The gate
 * may change before that, so it is read again.
 */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)       \
	static __always_inline notrace void kt_store_##name(                 \
		void *__payload, struct kt_sources_##name *__sources, proto) \
	{                                                                    \
		struct kt_entry_##name *__entry = __payload;                 \
		u32 __maybe_unused __end = 0;                                \
                                                                             \
		tstruct                                                      \
		{ assign; }                                                  \
	}                                                                    \
                                                                             \
	static __always_inline notrace bool kt_try_##name(                   \
		struct kt_enabled *__enabled, proto)                         \
	{                                                                    \
		struct kt_sources_##name __sources __kt_uninitialized;       \
		struct kt_write __write __kt_uninitialized;                  \
		void *__payload;                                             \
		size_t __size;                                               \
                                                                             \
		if (!static_branch_likely(&kt_clock_tsc))                    \
			return false;                                        \
		kt_probe_enter();                                            \
		__size = kt_size_##name(&__sources, args);                   \
		if (unlikely(!kt_write_try_begin(&__write, __enabled, __size, \
						 KT_FLAGS(name), &__payload))) { \
			kt_probe_exit();                                     \
			return false;                                        \
		}                                                            \
		if (!(KT_FLAGS(name) & KT_RECORD_TAIL))                      \
			kt_tail_zero(__payload, __size);                     \
		kt_store_##name(__payload, &__sources, args);                \
		kt_write_try_end(&__write);                                  \
		kt_probe_exit();                                             \
		return true;                                                 \
	}                                                                    \
                                                                             \
	static __always_inline notrace bool kt_try_judge_##name(             \
		struct kt_enabled *__enabled, proto)                         \
	{                                                                    \
		struct kt_sources_##name __sources __kt_uninitialized;       \
		const struct kt_gate *__gate;                                \
		struct kt_buffer *__buffer;                                  \
		void *__payload;                                             \
		u32 __size;                                                  \
                                                                             \
		kt_probe_enter();                                            \
		__gate = READ_ONCE(__enabled->gate);                         \
		if (unlikely(!__gate)) {                                     \
			kt_probe_exit();                                     \
			return false;                                        \
		}                                                            \
		if (!kt_gate_admits(__gate)) {                               \
			kt_probe_exit();                                     \
			return true;                                         \
		}                                                            \
		__buffer = kt_ring_here(__enabled)->owner;                   \
		__size = kt_data_length(kt_size_##name(&__sources, args));   \
		if (unlikely(!kt_gate_try_begin(__buffer, __size, &__payload))) { \
			kt_probe_exit();                                     \
			return false;                                        \
		}                                                            \
		kt_tail_zero(__payload, __size);                             \
		kt_store_##name(__payload, &__sources, args);                \
		kt_gate_end(__gate, __buffer, __payload, __size, KT_FLAGS(name)); \
		kt_probe_exit();                                             \
		return true;                                                 \
	}                                                                    \
                                                                             \
	static noinline __cold notrace void kt_slow_##name(                  \
		struct kt_enabled *__enabled, proto)                         \
	{                                                                    \
		struct kt_sources_##name __sources __kt_uninitialized;       \
		struct kt_write __write __kt_uninitialized;                  \
		void *__payload;                                             \
		u32 __size;                                                  \
                                                                             \
		kt_probe_enter();                                            \
		__size = kt_data_length(kt_size_##name(&__sources, args));   \
		__payload = kt_write_begin(&__write, __enabled, __size,      \
					   KT_FLAGS(name));                  \
		if (likely(__payload)) {                                     \
			kt_tail_zero(__payload, __size);                     \
			kt_store_##name(__payload, &__sources, args);        \
			kt_write_end(&__write, KT_FLAGS(name));              \
		}                                                            \
		kt_probe_exit();                                             \
	}                                                                    \
                                                                             \
	static noinline notrace void kt_judge_##name(                        \
		struct kt_enabled *__enabled, proto)                         \
	{                                                                    \
		if (unlikely(!kt_try_judge_##name(__enabled, args)))         \
			kt_slow_##name(__enabled, args);                     \
	}                                                                    \
                                                                             \
	static notrace void kt_probe_##name(void *__data, proto)             \
	{                                                                    \
		struct kt_enabled *__enabled = __data;                       \
                                                                             \
		if (!kt_write_is_direct(__enabled))                          \
			kt_judge_##name(__enabled, args);                    \
		else if (unlikely(!kt_try_##name(__enabled, args)))          \
			kt_slow_##name(__enabled, args);                     \
	}
