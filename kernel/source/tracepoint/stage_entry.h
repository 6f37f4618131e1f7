/* SPDX-License-Identifier: GPL-2.0-only */
/* The payload: what ftrace records, without ftrace's own header. */

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a)
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a)

#undef __field
#define __field(type, item) KT_NARROW(item, type) item;
#undef __field_struct
#define __field_struct(type, item) type item;
#undef __array
#define __array(type, item, len) type item[KT_NARROW(item, len)];
#undef __dynamic_array
#define __dynamic_array(type, item, len) u32 __data_loc_##item;

/* __data marks the end of the fixed part, which sizeof() would round up. */
#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
	struct kt_entry_##name {                                       \
		tstruct                                                \
		char __data[];                                         \
	} KT_PACKED(name);
