/* SPDX-License-Identifier: GPL-2.0-only */
/* Arguments of any prototype, each in 64 bits, as fields of a record. */
#ifndef KT_KERNEL_SOURCE_NUMBERS_H
#define KT_KERNEL_SOURCE_NUMBERS_H

#include "event/event.h"

/* Stores the low bytes of an argument, at any alignment. */
static __always_inline void kt_number_store(void *to, u64 argument, u16 size)
{
	switch (size) {
	case 1:
		*(u8 *)to = argument;
		break;
	case 2:
		memcpy(to, &argument, 2);
		break;
	case 4:
		memcpy(to, &argument, 4);
		break;
	default:
		memcpy(to, &argument, 8);
		break;
	}
}

static __always_inline void kt_numbers_store(const struct kt_class *class,
					     u8 *payload, const u64 *arguments,
					     unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const struct kt_field *field = &class->fields[i];

		kt_number_store(payload + field->offset, arguments[i],
				field->size);
	}
}

/* Lists of N parameters, and of N arguments. */
#define KT_U64_1    u64 a1
#define KT_U64_2    KT_U64_1, u64 a2
#define KT_U64_3    KT_U64_2, u64 a3
#define KT_U64_4    KT_U64_3, u64 a4
#define KT_U64_5    KT_U64_4, u64 a5
#define KT_U64_6    KT_U64_5, u64 a6
#define KT_U64_7    KT_U64_6, u64 a7
#define KT_U64_8    KT_U64_7, u64 a8
#define KT_U64_9    KT_U64_8, u64 a9
#define KT_U64_10   KT_U64_9, u64 a10
#define KT_U64_11   KT_U64_10, u64 a11
#define KT_U64_12   KT_U64_11, u64 a12

#define KT_NAMES_1  a1
#define KT_NAMES_2  KT_NAMES_1, a2
#define KT_NAMES_3  KT_NAMES_2, a3
#define KT_NAMES_4  KT_NAMES_3, a4
#define KT_NAMES_5  KT_NAMES_4, a5
#define KT_NAMES_6  KT_NAMES_5, a6
#define KT_NAMES_7  KT_NAMES_6, a7
#define KT_NAMES_8  KT_NAMES_7, a8
#define KT_NAMES_9  KT_NAMES_8, a9
#define KT_NAMES_10 KT_NAMES_9, a10
#define KT_NAMES_11 KT_NAMES_10, a11
#define KT_NAMES_12 KT_NAMES_11, a12

#endif /* KT_KERNEL_SOURCE_NUMBERS_H */
