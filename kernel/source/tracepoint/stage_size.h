/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the payload's size.  The sum cannot wrap: each field is limited to the size of a
 * packet, which is already too large for the ring, or is a string in memory.
 */

#define KT_DATA(item, nr)                                    \
	do {                                                 \
		size_t __length = nr;                        \
		__sources->item.at = __size;                 \
		__sources->item.length = __length;           \
		__size += KT_BYTES(__sources->item);         \
	} while (0);

#define KT_DATA_STRING(item, src, nr)                               \
	do {                                                        \
		const char *__source = kt_string((const char *)(src)); \
		__sources->item.source = __source;                  \
		KT_DATA(item, nr)                                   \
	} while (0);

#undef __entry
#define __entry entry

#undef __dynamic_array
#define __dynamic_array(type, item, len) \
	KT_DATA(item, kt_data_length((size_t)(len) * sizeof(type)))
#undef __string
#define __string(item, src) \
	KT_DATA_STRING(item, src, kt_string_measure(__source, __sources->item.tail))
#undef __string_len
#define __string_len(item, src, len) \
	KT_DATA_STRING(item, src, kt_data_length((size_t)(len) + 1))
#undef __vstring
#define __vstring(item, format, args) \
	KT_DATA(item, kt_formatted_length(format, args))

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)        \
	static __always_inline notrace size_t kt_size_##name(                 \
		struct kt_sources_##name *__sources, proto)                   \
	{                                                                     \
		struct kt_entry_##name *__maybe_unused __entry;               \
		size_t __size = offsetof(struct kt_entry_##name, __data);     \
                                                                              \
		tstruct                                                       \
		return __size;                                                \
	}
