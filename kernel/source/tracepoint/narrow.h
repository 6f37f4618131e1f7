/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields that get less room in a record than in the kernel's own struct.  This is for
 * events that are so frequent that their bytes matter, and for fields that no value fills.
 * A prelude tells which:
 *
 *	#define KT_NARROW_prev_prio	~, short	another type
 *	#define KT_NARROW_prev_comm	~, 15		fewer elements
 *	#define KT_PACKED_sched_switch	~, __packed	the class that has them
 *
 *	#define KT_FILLED_args	~, 1		an array that assignments fill
 *
 * A field's name means all fields of that name in the header.  The event's description has
 * what is recorded, not what the kernel would record.  So readers and filters work
 * unchanged.
 */
#ifndef KT_KERNEL_SOURCE_TRACEPOINT_NARROW_H
#define KT_KERNEL_SOURCE_TRACEPOINT_NARROW_H

/* If the macro @item is defined, its second part; else @otherwise. */
#define KT_SECOND(...)		       KT_SECOND_(__VA_ARGS__, )
#define KT_SECOND_(first, second, ...) second
#define KT_NARROW(item, otherwise)     KT_SECOND(KT_NARROW_##item, otherwise)
#define KT_PACKED(class)	       KT_SECOND(KT_PACKED_##class, )
#define KT_FILLED(item)		       KT_SECOND(KT_FILLED_##item, 0)

/* For assignments: copies what fits.  A string may lose only a NUL by this: see the prelude. */
#define kt_copy_fitting(to, from, size) \
	__builtin_memcpy(to, from,      \
			 min_t(size_t, size, __builtin_object_size(to, 1)))

#endif /* KT_KERNEL_SOURCE_TRACEPOINT_NARROW_H */
