/* SPDX-License-Identifier: GPL-2.0-only */
/* The first stage: names of constants in print formats. */

#undef TRACE_DEFINE_ENUM
#define TRACE_DEFINE_ENUM(a) KT_CONSTANT(__COUNTER__, #a, a)

#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_SIZEOF(a) \
	KT_CONSTANT(__COUNTER__, "sizeof(" #a ")", sizeof(a))

#define KT_CONSTANT(number, text, val)	KT_CONSTANT_(number, text, val)
#define KT_CONSTANT_(number, text, val)                                     \
	static const struct kt_constant __used kt_constant_##number = {     \
		.system = __stringify(TRACE_SYSTEM),                        \
		.name = text,                                               \
		.value = (s64)(val),                                        \
	};                                                                  \
	KT_LIST_ADD(constants, kt_constant_##number)

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)
#undef DEFINE_EVENT
#define DEFINE_EVENT(class, name, proto, args)
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(class, name, proto, args, print)
