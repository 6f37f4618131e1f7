/* SPDX-License-Identifier: GPL-2.0-only */
/* The last stage: tables that describe the events, as tracefs would. */

/* The module that has the tracepoints, if it is an out-of-tree module. */
#ifndef KT_POINT_MODULE
#define KT_POINT_MODULE NULL
#endif

#define KT_FIELD(_type, _name, _offset, _size, _len, _signed)   \
	{                                                       \
		.type = _type,                                  \
		.name = _name,                                  \
		.offset = _offset,                              \
		.size = _size,                                  \
		.len = _len,                                    \
		.is_signed = _signed,                           \
	},

/* One more level of macros, so that a type that is a macro gets expanded. */
#define KT_FIELD_PLAIN_(type, item, is_signed)                            \
	KT_FIELD(#type, #item, offsetof(__kt_entry, item), sizeof(type), 0, \
		 is_signed)
#define KT_FIELD_PLAIN(type, item, is_signed) \
	KT_FIELD_PLAIN_(type, item, is_signed)

#undef __field
#define __field(type, item)                         \
	KT_FIELD_PLAIN(KT_NARROW(item, type), item, \
		       is_signed_type(KT_NARROW(item, type)))
#undef __field_struct
#define __field_struct(type, item) KT_FIELD_PLAIN(type, item, false)
#undef __array
#define __array(type, item, len)                                  \
	KT_FIELD(#type "[" __stringify(KT_NARROW(item, len)) "]", #item, \
		 offsetof(__kt_entry, item),                             \
		 sizeof(type[KT_NARROW(item, len)]),                     \
		 KT_NARROW(item, len), is_signed_type(type))
#undef __dynamic_array
#define __dynamic_array(type, item, len)                           \
	KT_FIELD("__data_loc " #type "[]", #item,                  \
		 offsetof(__kt_entry, __data_loc_##item), 4, 0,    \
		 is_signed_type(type))
#undef __cpumask
#define __cpumask(item)                            \
	KT_FIELD("__data_loc cpumask_t", #item,    \
		 offsetof(__kt_entry, __data_loc_##item), 4, 0, false)

/* Keep these in print formats as they are: the reader evaluates them. */
#undef __entry
#define __entry REC
#undef __print_flags
#undef __print_flags_u64
#undef __print_symbolic
#undef __print_symbolic_u64
#undef __print_hex
#undef __print_hex_str
#undef __print_hex_dump
#undef __print_array
#undef __print_dynamic_array
#undef __get_buf
#undef __get_dynamic_array
#undef __get_dynamic_array_len
#undef __get_str
#undef __get_bitmask
#undef __get_cpumask
#undef __get_sockaddr
#undef __get_rel_dynamic_array
#undef __get_rel_dynamic_array_len
#undef __get_rel_str
#undef __get_rel_bitmask
#undef __get_rel_cpumask
#undef __get_rel_sockaddr
#undef __print_ns_to_secs
#define __print_ns_to_secs(val) (val) / 1000000000UL
#undef __print_ns_without_secs
#define __print_ns_without_secs(val) (val) % 1000000000UL
#undef TP_printk
#define TP_printk(format, args...) "\"" format "\", " __stringify(args)

/*
 * The tables are inside a function, because __kt_entry must mean this class.  Each has an
 * assembler name, so that code outside can refer to it.  Nobody calls the function.  It
 * must be emitted so that its tables are; it is freed with the module's init code.
 */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(_name, proto, args, tstruct, assign, _print)   \
	extern const struct kt_class kt_class_##_name;                     \
	static void __init __used notrace kt_describe_##_name(void)        \
	{                                                                  \
		typedef struct kt_entry_##_name __kt_entry;                \
		static const struct kt_field fields[] = { tstruct };       \
		static const struct kt_class __used class                  \
			asm("kt_class_" #_name) = {                        \
			.fields = fields,                                  \
			.nr_fields = ARRAY_SIZE(fields),                   \
			.size = offsetof(__kt_entry, __data),              \
			.dynamic = KT_FLAGS(_name) != 0,                   \
			.probe = kt_probe_##_name,                         \
			.print = _print,                                   \
		};                                                         \
	}

#define KT_EVENT(_class, _name, _print)                                    \
	static inline void __maybe_unused kt_check_##_name(void)           \
	{                                                                  \
		check_trace_callback_type_##_name(kt_probe_##_class);      \
	}                                                                  \
	static struct kt_event __used kt_event_##_name = {                 \
		.system = __stringify(TRACE_SYSTEM),                       \
		.name = #_name,                                            \
		.point = #_name,                                           \
		.module = KT_POINT_MODULE,                                 \
		.class = &kt_class_##_class,                               \
		.source = &kt_tracepoint_source,                           \
		.print = _print,                                           \
		.owner = THIS_MODULE,                                      \
	};                                                                 \
	KT_LIST_ADD(events, kt_event_##_name);                             \
	MODULE_INFO(event, __stringify(TRACE_SYSTEM) ":" #_name);

#undef DEFINE_EVENT
#define DEFINE_EVENT(class, name, proto, args) KT_EVENT(class, name, NULL)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(class, name, proto, args, print) \
	KT_EVENT(class, name, print)
