/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the events of system calls.  All that is known of an argument is its C
 * type, from the kernel's metadata.
 */
#ifndef KT_KERNEL_SOURCE_SYSCALL_FIELD_H
#define KT_KERNEL_SOURCE_SYSCALL_FIELD_H

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "capture.h"
#include "event/event.h"

#define ARGUMENTS 6

enum abi {
	NATIVE,
	COMPAT,
	ABIS,
};

static const struct kt_field exit_fields[] = {
	{.type = "long", .name = "nr", .size = 8, .is_signed = true},
	{.type = "long",
	 .name = "ret",
	 .offset = 8,
	 .size = 8,
	 .is_signed = true},
};

static const struct kt_field exit_field = {
	.type = "long",
	.name = "ret",
	.size = 8,
	.is_signed = true,
};

static const struct kt_field unknown_fields[] = {
	{.type = "long", .name = "nr", .size = 8, .is_signed = true},
	{.type = "unsigned long[6]",
	 .name = "args",
	 .offset = 8,
	 .size = 48,
	 .len = 6},
};

/* Offsets of the arguments in struct pt_regs. */
static const u8 registers[ABIS][ARGUMENTS] = {
	[NATIVE] = {offsetof(struct pt_regs, di), offsetof(struct pt_regs, si),
		    offsetof(struct pt_regs, dx), offsetof(struct pt_regs, r10),
		    offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9)},
	[COMPAT] = {offsetof(struct pt_regs, bx), offsetof(struct pt_regs, cx),
		    offsetof(struct pt_regs, dx), offsetof(struct pt_regs, si),
		    offsetof(struct pt_regs, di), offsetof(struct pt_regs, bp)},
};

/* The same for capture programs, and the stack pointer. */
#define WORD(name) (offsetof(struct pt_regs, name) / sizeof(u64))
static const u8 words[ABIS][KT_CAPTURE_ARGUMENTS] = {
	[NATIVE] = {WORD(di), WORD(si), WORD(dx), WORD(r10), WORD(r8), WORD(r9),
		    WORD(sp), KT_CAPTURE_NO_WORD},
	[COMPAT] = {WORD(bx), WORD(cx), WORD(dx), WORD(si), WORD(di), WORD(bp),
		    WORD(sp), KT_CAPTURE_NO_WORD},
};

/* Names of arguments if a call has no metadata. */
static const char *const register_names[ARGUMENTS] = {
	"arg0", "arg1", "arg2", "arg3", "arg4", "arg5",
};

/* C types of 32 bits; all others have 64. */
static const struct {
	const char *name;
	bool is_signed;
} small_types[] = {
	{"int", true},		{"unsigned int", false}, {"unsigned", false},
	{"u32", false},		{"__u32", false},	 {"uint32_t", false},
	{"s32", true},		{"__s32", true},	 {"pid_t", true},
	{"uid_t", false},	{"gid_t", false},	 {"umode_t", false},
	{"qid_t", true},	{"key_t", true},	 {"clockid_t", true},
	{"key_serial_t", true}, {"timer_t", true},	 {"mqd_t", true},
	{"rwf_t", true},
};

static const char *const signed_types[] = {
	"long", "off_t", "loff_t", "ssize_t", "s64", "__s64", "long long",
};

static void field_describe(struct kt_field *field, const char *type,
			   const char *name, bool compat)
{
	const char *base = type;
	size_t i;

	field->type = type;
	field->name = name;
	field->size = sizeof(u64);
	if (str_has_prefix(base, "const "))
		base += 6;
	for (i = 0; i < ARRAY_SIZE(small_types); i++) {
		if (strcmp(small_types[i].name, base))
			continue;
		field->size = sizeof(u32);
		field->is_signed = small_types[i].is_signed;
	}
	if (str_has_prefix(base, "enum ") && !strchr(base, '*'))
		field->size = sizeof(u32);
	for (i = 0; i < ARRAY_SIZE(signed_types); i++) {
		if (!strcmp(signed_types[i], base))
			field->is_signed = true;
	}
	if (compat)
		field->size = sizeof(u32);
}

#endif /* KT_KERNEL_SOURCE_SYSCALL_FIELD_H */
