// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The compiler makes copies of functions, for calls that have something in common, and leaves out
 * what they do not need: arguments, and what is returned.  The type information (BTF) tells
 * nothing of them.  The debug information tells where each argument of the original is when the
 * copy begins, if it is anywhere.  The copy is called as a function of the arguments that are
 * left, so this makes a prototype: types that the kernel's type information has are those, and
 * others (pointers to them) are added behind it.
 *
 * In place of a struct's address, the compiler may pass members of it (NAME.isra.0).  So further
 * arguments may be behind those that are known, and all registers are shown.
 */
#include <bpf/libbpf.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/table.h"
#include "clones.h"
#include "passing.h"

/* Of types of types. */
#define DEPTH_MAX 16

/* A copy, by its name. */
struct clone {
	const char *name;
	Dwarf_Addr address;
	bool ambiguous;
};

struct clones {
	struct btf *
		kernel; /* a copy: adding types moves all that it is based on */
	struct btf *added;
	int fd;
	Dwarf *dwarf;
	struct clone *list;
	size_t nr;
	struct table by_name; /* struct clone */
	struct table types;   /* ids of the kernel's, by their names */
};

bool is_clone(const char *name)
{
	return strchr(name, '.');
}

/* ---- which there are ------------------------------------------------------- */

static struct clone *clone_find(const struct clones *c, const char *name)
{
	uint64_t hash = table_hash(name, strlen(name));
	const struct table_slot *slot = NULL;

	while ((slot = table_next(&c->by_name, hash, slot)))
		if (!strcmp(((struct clone *)slot->value)->name, name))
			return slot->value;
	return NULL;
}

static int clone_add(struct clones *c, const char *name, Dwarf_Addr address)
{
	struct clone *found = clone_find(c, name);

	if (found) {
		found->ambiguous = true;
		return 0;
	}
	found = &c->list[c->nr++];
	*found = (struct clone){name, address, false};
	return table_add(&c->by_name, table_hash(name, strlen(name)), found);
}

static int symbols_read(struct clones *c, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	int nr, err = 0;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_SYMTAB)
			break;
	data = section ? elf_getdata(section, NULL) : NULL;
	if (!data)
		return -ENOENT;
	/* The file may say another size of each. */
	nr = data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	c->list = calloc(nr + 1, sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	for (int i = 0; !err && i < nr; i++) {
		if (!gelf_getsym(data, i, &symbol))
			break;
		const char *name =
			elf_strptr(elf, header.sh_link, symbol.st_name);

		if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
		    is_clone(name))
			err = clone_add(c, name, symbol.st_value);
	}
	return err;
}

/* ---- types ----------------------------------------------------------------- */

/* One pass over all types, because a search for each name would take one. */
static int types_index(struct clones *c)
{
	__u32 end = btf__type_cnt(c->kernel);
	int err = 0;

	for (__u32 id = 1; id < end && !err; id++) {
		const struct btf_type *t = btf__type_by_id(c->kernel, id);
		const char *name = btf__name_by_offset(c->kernel, t->name_off);

		if (name && *name && !btf_is_func(t) && !btf_is_fwd(t))
			err = table_add(&c->types,
					table_hash(name, strlen(name)),
					(void *)(uintptr_t)id);
	}
	return err;
}

/* -ENOENT: there is none of this kind and name; -EEXIST: there are several. */
static int type_find(const struct clones *c, int tag, const char *name)
{
	const struct table_slot *slot = NULL;
	uint64_t hash;
	int found = -ENOENT;

	if (!name)
		return -ENOENT;
	hash = table_hash(name, strlen(name));
	while ((slot = table_next(&c->types, hash, slot))) {
		__u32 id = (uintptr_t)slot->value;
		const struct btf_type *t = btf__type_by_id(c->kernel, id);
		bool fits = tag == DW_TAG_base_type	   ? btf_is_int(t)
			    : tag == DW_TAG_typedef	   ? btf_is_typedef(t)
			    : tag == DW_TAG_structure_type ? btf_is_struct(t)
			    : tag == DW_TAG_union_type	   ? btf_is_union(t)
							   : btf_is_any_enum(t);

		if (!fits ||
		    strcmp(btf__name_by_offset(c->kernel, t->name_off), name))
			continue;
		if (found >= 0)
			return -EEXIST;
		found = id;
	}
	return found;
}

/* Of one that the kernel's type information does not have there is the name. */
static int struct_map(struct clones *c, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	int tag = dwarf_tag(type), found = type_find(c, tag, name);

	if (found != -ENOENT || !name)
		return found;
	return btf__add_fwd(c->added, name,
			    tag == DW_TAG_union_type ? BTF_FWD_UNION
						     : BTF_FWD_STRUCT);
}

/* The type of an argument or a function, or what a type is derived from.  < 0: not known. */
static int type_map(struct clones *c, Dwarf_Die *of, unsigned int depth)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	int found;

	if (!dwarf_attr_integrate(of, DW_AT_type, &attribute))
		return 0; /* void */
	if (!dwarf_formref_die(&attribute, &type) || depth == DEPTH_MAX)
		return -ENOENT;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
		found = type_map(c, &type, depth + 1);
		return btf__add_ptr(c->added, found < 0 ? 0 : found);
	case DW_TAG_const_type:
		found = type_map(c, &type, depth + 1);
		return found < 0 ? found : btf__add_const(c->added, found);
	case DW_TAG_volatile_type:
		found = type_map(c, &type, depth + 1);
		return found < 0 ? found : btf__add_volatile(c->added, found);
	case DW_TAG_restrict_type:
		return type_map(c, &type, depth + 1);
	case DW_TAG_subroutine_type:
		/* What it takes is not shown. */
		return btf__add_func_proto(c->added, 0);
	case DW_TAG_typedef:
		found = type_find(c, DW_TAG_typedef, dwarf_diename(&type));
		return found >= 0 ? found : type_map(c, &type, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return struct_map(c, &type);
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return type_find(c, dwarf_tag(&type), dwarf_diename(&type));
	default:
		return -ENOENT;
	}
}

/* ---- prototypes ------------------------------------------------------------ */

/* What a register has when the copy begins. */
struct slot {
	const char *name; /* NULL: not known */
	int type;
};

/*
 * Which of the registers for arguments; -1: none, or not told.  Some functions have one place for
 * an argument, which is where it is kept later on.  That is a register which calls preserve, so it
 * is none for arguments (of 49,252 functions of 6.12 without copies, no argument was in another
 * one of these).
 */
static int register_of(Dwarf_Die *parameter, Dwarf_Addr entry)
{
	/* In the order of arguments; these are DWARF's numbers (System V ABI, figure 3.36). */
	static const int numbers[PASSING_REGISTERS] = {5, 4, 1, 2, 8, 9};
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, entry, &ops, &nr, 1) != 1 ||
	    nr != 1)
		return -1;
	for (int i = 0; i < PASSING_REGISTERS; i++)
		if (ops->atom == DW_OP_reg0 + numbers[i])
			return i;
	return -1;
}

/* Does a value of this type fill one register? */
static bool is_word(const struct btf *btf, int type)
{
	return type > 0 && passing_class(btf, type) == PASSING_WORDS &&
	       btf__resolve_size(btf, type) <= (__s64)sizeof(uint64_t);
}

/*
 * The arguments that are in registers.  How many registers that is, those in between included.
 * -EINVAL: they are not in the order in which a call passes them; -ENOENT: none is.  @more: it
 * takes any number of further ones.
 */
static int slots_fill(struct clones *c, Dwarf_Die *function, Dwarf_Addr entry,
		      struct slot slots[PASSING_REGISTERS], bool *more)
{
	Dwarf_Die child;
	bool some = false;
	int nr = 0;

	if (dwarf_child(function, &child))
		return 0;
	do {
		int where, type;

		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			*more = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		some = true;
		where = register_of(&child, entry);
		if (where < 0)
			continue;
		if (where < nr)
			return -EINVAL;
		nr = where + 1;
		type = type_map(c, &child, 0);
		if (!is_word(c->added, type))
			continue;
		slots[where].name = dwarf_diename(&child);
		slots[where].type = type;
	} while (!dwarf_siblingof(&child, &child));
	return some && !nr ? -ENOENT : nr;
}

/* Clang makes no table of the addresses of units. */
static bool unit_find(struct clones *c, Dwarf_Addr address, Dwarf_Die *unit)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	if (dwarf_addrdie(c->dwarf, address, unit))
		return true;
	while (!dwarf_nextcu(c->dwarf, offset, &next, &header, NULL, NULL,
			     NULL)) {
		if (dwarf_offdie(c->dwarf, offset + header, unit) &&
		    dwarf_haspc(unit, address) > 0)
			return true;
		offset = next;
	}
	return false;
}

/* The function in whose code the address is. */
static bool function_find(struct clones *c, Dwarf_Addr address,
			  Dwarf_Die *function)
{
	Dwarf_Die unit;

	if (!unit_find(c, address, &unit) || dwarf_child(&unit, function))
		return false;
	do {
		if (dwarf_tag(function) == DW_TAG_subprogram &&
		    dwarf_haspc(function, address) > 0)
			return true;
	} while (!dwarf_siblingof(function, function));
	return false;
}

bool clone_returns(const char *name)
{
	return !strstr(name, ".isra.") && !strstr(name, ".part.");
}

/* GCC and clang call it differently. */
static int word_find(const struct clones *c)
{
	int word = type_find(c, DW_TAG_base_type, "long unsigned int");

	return word >= 0 ? word
			 : type_find(c, DW_TAG_base_type, "unsigned long");
}

static int prototype_add(struct clones *c, const char *name,
			 Dwarf_Die *function, Dwarf_Addr entry)
{
	static const char *const registers[PASSING_REGISTERS] = {
		"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
	struct slot slots[PASSING_REGISTERS] = {{0}};
	bool more = false;
	int nr = slots_fill(c, function, entry, slots, &more);
	int result = type_map(c, function, 0), word = word_find(c), id, err = 0;

	if (nr < 0 || word < 0)
		return -ENOENT;
	/* Members of structs may be passed, of which nothing is told, behind what is known. */
	if (strstr(name, ".isra."))
		nr = PASSING_REGISTERS;
	if (result && (!clone_returns(name) || !is_word(c->added, result)))
		result = word;
	id = btf__add_func_proto(c->added, result);
	for (int i = 0; id >= 0 && !err && i < nr; i++)
		err = btf__add_func_param(c->added,
					  slots[i].name ?: registers[i],
					  slots[i].name ? slots[i].type : word);
	if (id >= 0 && !err && more)
		err = btf__add_func_param(c->added, "", 0);
	return err ?: id;
}

int clones_find(struct clones *c, const char *name, const struct btf **btf,
		const struct btf_type **proto)
{
	const struct clone *clone = clone_find(c, name);
	Dwarf_Die function;
	int id;

	if (!clone || clone->ambiguous ||
	    !function_find(c, clone->address, &function))
		return -ENOENT;
	id = prototype_add(c, name, &function, clone->address);
	if (id < 0)
		return id == -ENOMEM ? id : -ENOENT;
	*btf = c->added;
	*proto = btf__type_by_id(c->added, id);
	return 0;
}

/* ---- opening --------------------------------------------------------------- */

struct clones *clones_open(const struct btf *kernel, int fd)
{
	struct clones *c = calloc(1, sizeof(*c));
	const void *bytes;
	__u32 size;

	if (!c) {
		close(fd);
		return NULL;
	}
	c->fd = fd;
	bytes = btf__raw_data(kernel, &size);
	c->kernel = bytes ? btf__new(bytes, size) : NULL;
	c->added = c->kernel ? btf__new_empty_split(c->kernel) : NULL;
	elf_version(EV_CURRENT);
	c->dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (c->added && c->dwarf && !symbols_read(c, dwarf_getelf(c->dwarf)) &&
	    !types_index(c))
		return c;
	clones_close(c);
	return NULL;
}

void clones_close(struct clones *c)
{
	if (!c)
		return;
	table_free(&c->by_name);
	table_free(&c->types);
	free(c->list);
	if (c->dwarf)
		dwarf_end(c->dwarf);
	btf__free(c->added);
	btf__free(c->kernel);
	close(c->fd);
	free(c);
}
