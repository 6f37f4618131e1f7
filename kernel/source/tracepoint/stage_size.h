/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the payload's size.  The sum cannot wrap: each field is limited to the size of a
 * packet, which is already too large for the ring.
 */

#define KT_DATA(item, bytes)                                 \
	do {                                                 \
		u32 __length = kt_data_length(bytes);        \
		__sources->item = __size | __length << 16;   \
		__size += __length;                          \
	} while (0);

#define KT_DATA_STRING(item, src, length)                           \
	do {                                                        \
		const char *__source = kt_string((const char *)(src)); \
		__sources->item##_source = __source;                \
		KT_DATA(item, length)                               \
	} while (0);

#undef __entry
#define __entry entry

#undef __dynamic_array
#define __dynamic_array(type, item, len) \
	KT_DATA(item, (size_t)(len) * sizeof(type))
#undef __string
#define __string(item, src) \
	KT_DATA_STRING(item, src, kt_string_length(__source) + 1)
#undef __string_len
#define __string_len(item, src, len) \
	KT_DATA_STRING(item, src, (size_t)(len) + 1)
#undef __vstring
#define __vstring(item, format, args) \
	KT_DATA(item, kt_formatted_length(format, args))

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)        \
	static __always_inline notrace u32 kt_size_##name(                    \
		struct kt_sources_##name *__sources, proto)                   \
	{                                                                     \
		struct kt_entry_##name *__maybe_unused __entry;               \
		u32 __size = offsetof(struct kt_entry_##name, __data);        \
                                                                              \
		tstruct                                                       \
		return __size;                                                \
	}
