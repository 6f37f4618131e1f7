/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the size stage finds and the probe uses: for each field of varying size its location
 * in the payload, its length (KT_SOURCE says whether with a NUL) and, for strings, the source.
 * Empty if and only if the class has a fixed size.
 */

#undef __field
#define __field(type, item)
#undef __field_struct
#define __field_struct(type, item)
#undef __array
#define __array(type, item, len)
#undef __dynamic_array
#define __dynamic_array(type, item, len) \
	KT_SOURCE(0) item;
#undef __string
#define __string(item, src) KT_SOURCE(1) item;

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
	struct kt_sources_##name {                                     \
		tstruct                                                \
	};
