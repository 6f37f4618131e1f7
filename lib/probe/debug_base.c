// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Numbers: debug_base.h. */
#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "debug_base.h"
#include "debug_known.h"

/* Expressions call them as GCC does, clang does not. */
static const char *gcc_name(const char *name)
{
	static const char *const names[][2] = {
		{"long", "long int"},
		{"short", "short int"},
		{"long long", "long long int"},
		{"unsigned long", "long unsigned int"},
		{"unsigned short", "short unsigned int"},
		{"unsigned long long", "long long unsigned int"},
		{"bool", "_Bool"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return name;
}

const char *debug_base_name(Dwarf_Die *type)
{
	return gcc_name(debug_name(type) ?: "number");
}

/* What BTF calls it.  False: it is no whole number. */
static bool base_encoding(Dwarf_Die *type, int *encoding)
{
	uint64_t told = 0;

	debug_number(type, DW_AT_encoding, &told);
	*encoding = told == DW_ATE_boolean ? BTF_INT_BOOL
		    : told == DW_ATE_signed || told == DW_ATE_signed_char
			    ? BTF_INT_SIGNED
			    : 0;
	return *encoding || told == DW_ATE_unsigned ||
	       told == DW_ATE_unsigned_char || told == DW_ATE_UTF ||
	       told == DW_ATE_ASCII || told == DW_ATE_address;
}

static int base_find(const struct debug_code *code, const char *name,
		     uint64_t size, int encoding)
{
	const struct table_slot *slot = NULL;
	const struct btf_type *t;
	__u32 id;

	while ((slot = table_next(&code->bases, table_hash(name, strlen(name)),
				  slot))) {
		id = (uintptr_t)slot->value;
		t = btf__type_by_id(code->btf, id);
		if (t && t->size == size && btf_is_int(t) &&
		    btf_int_encoding(t) == encoding &&
		    !strcmp(btf__name_by_offset(code->btf, t->name_off), name))
			return id;
	}
	return 0;
}

int debug_base_same(const struct debug_code *code, Dwarf_Die *type)
{
	uint64_t size = 0;
	int encoding;

	debug_number(type, DW_AT_byte_size, &size);
	return base_encoding(type, &encoding)
		       ? base_find(code, debug_base_name(type), size, encoding)
		       : 0;
}

static int base_keep(struct debug_code *code, const char *name, int id)
{
	if (id > 0 && table_add(&code->bases, table_hash(name, strlen(name)),
				(void *)(uintptr_t)id))
		return -ENOMEM;
	return id;
}

static int int_add(struct debug_code *code, const char *name, uint32_t size,
		   int encoding)
{
	return base_keep(code, name,
			 btf__add_int(code->btf, name, size, encoding));
}

int debug_base_add(struct debug_code *code, Dwarf_Die *type)
{
	const char *name = debug_base_name(type);
	uint64_t size = 0, told = 0;
	int id, encoding;

	debug_number(type, DW_AT_byte_size, &size);
	debug_number(type, DW_AT_encoding, &told);
	if (told == DW_ATE_float)
		id = btf__add_float(code->btf, name, size);
	else if (base_encoding(type, &encoding))
		id = btf__add_int(code->btf, name, size, encoding);
	else
		id = -EINVAL;
	return id > 0 ? base_keep(code, name, id) : -EINVAL;
}

int debug_base_begin(struct debug_code *code, const char *name, uint32_t size,
		     int encoding)
{
	__u32 id = code->base ? known_find(code, name, BTF_KIND_INT) : 0;

	return id ? base_keep(code, name, id)
		  : int_add(code, name, size, encoding);
}

int debug_bases_begin(struct debug_code *code)
{
	static const struct {
		const char *name;
		uint8_t size;
		uint8_t encoding;
	} bases[] = {
		{"int", 4, BTF_INT_SIGNED},
		{"unsigned int", 4, 0},
		{"short int", 2, BTF_INT_SIGNED},
		{"short unsigned int", 2, 0},
		{"char", 1, BTF_INT_SIGNED},
		{"signed char", 1, BTF_INT_SIGNED},
		{"unsigned char", 1, 0},
		{"long long int", 8, BTF_INT_SIGNED},
		{"long long unsigned int", 8, 0},
		{"_Bool", 1, BTF_INT_BOOL},
	};
	int err = 0;

	for (size_t i = 0; err >= 0 && i < sizeof(bases) / sizeof(*bases); i++)
		err = debug_base_begin(code, bases[i].name, bases[i].size,
				       bases[i].encoding);
	return err;
}
