/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The debugging information (DWARF) of one file: of the kernel, a module, a program or a library.
 * debug_line.h finds places by it, debug_variable.h variables, debug_type.h types.
 *
 * The file may be anybody's, and say anything.  So each search has a limit, and what makes no
 * sense is taken as absent.
 */
#ifndef KT_LIB_PROBE_DEBUG_CODE_H
#define KT_LIB_PROBE_DEBUG_CODE_H

#include <bpf/btf.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/table.h"

/* The message if there is none, and what to do then. */
#define DEBUG_NONE "it has no debugging information"
#define DEBUG_NONE_HINT \
	DEBUG_NONE " (compile with -g, or install its debug symbols)"

/* A part of a unit's code. */
struct debug_range {
	uint64_t begin, end;
	size_t unit;
};

/* A function of a table of symbols. */
struct debug_symbol {
	uint64_t begin, end;
	const char *name;
	bool is_global;
};

/* Where a loaded module has its sections. */
struct debug_sections {
	/* False: it is nowhere. */
	bool (*find)(void *data, const char *name, uint64_t *address);
	void *data;
};

struct debug_code {
	Dwarf *dwarf;
	Dwfl *dwfl; /* NULL: the file is linked, and needs no more */
	Dwfl_Module *module;
	struct debug_sections sections;
	bool loaded;  /* those are given: addresses are those in memory */
	int fd;	      /* -1: libdwfl has it */
	Elf *elf;     /* the file */
	Elf *program; /* the file that runs */
	Dwarf_CFI *
		frames; /* of the program; NULL: not needed yet, or it has none */
	bool framed;	/* that was asked */
	Dwarf_Die *units;
	size_t nr_units;
	struct debug_range *ranges; /* of all units, by address */
	size_t nr_ranges;
	struct debug_symbol *symbols; /* by address; NULL: not needed yet */
	size_t nr_symbols;
	uint64_t budget; /* how many entries may still be looked at */
	uint64_t size;	 /* bytes of the file */

	/* debug_type.c */
	struct btf *btf;
	struct debug_bound *bounds; /* debug_bound.c: of each type */
	__u32 nr_bounds;
	struct btf *base; /* the kernel's own: debug_type_base(); NULL: none */
	const struct btf *others; /* of the module; NULL: none */
	struct table
		known; /* its types, by name; empty until one is asked for */
	__u32 index_type, unknown_type, float_type, long_type;
	struct arena arena;
	struct table types;	   /* by their addresses in the file */
	struct table bases;	   /* numbers, by their names */
	struct debug_named *named; /* what names in casts mean */

	/* debug_definition.c */
	struct debug_definitions {
		struct table by_name;  /* definitions, by the name alone */
		struct table declared; /* spaces of declarations, by address */
		struct table
			specified; /* definitions, by the declaration that they name */
		bool read, failed;
	} definitions;
};

/*
 * @fd stays the caller's, and may be closed.  @program: the file that runs, if @fd is a file with
 * nothing but its debugging information; NULL: @fd is that, too; it must stay open.  A module that
 * is not linked gets addresses that stand for no others: debug_code_symbol() names them.
 * -ENOENT: there is no debugging information, or it is in further files.  With a message.
 */
int debug_code_open(struct debug_code **code, int fd, Elf *program);
/*
 * The same of a module that is loaded, with the addresses that it has in memory.  What @sections
 * needs must stay as long as *@code.
 */
int debug_code_open_loaded(struct debug_code **code, int fd,
			   const struct debug_sections *sections);
/* May be NULL. */
void debug_code_close(struct debug_code *code);

/*
 * Which units may have an entry of this name, as an array with an element for each, to be freed.
 * NULL: all may.  It is found without looking at entries: a kernel has fifty million.
 */
bool *debug_units_named(struct debug_code *code, const char *name,
			size_t length);

/*
 * The function of the file's table of symbols in which an address is, as the linker calls it, and
 * how far behind its beginning.  NULL: there is none.
 */
const char *debug_code_symbol(struct debug_code *code, uint64_t address,
			      uint64_t *offset);

/* The section that has the address.  NULL: none. */
const char *debug_code_section(struct debug_code *code, uint64_t address);
/* Of a symbol, as the file has it.  False: there is none. */
bool debug_code_address(struct debug_code *code, const char *name,
			uint64_t *address);

/* ---- for searches ---------------------------------------------------------- */

/* Begins a search: each looks at a limited number of entries. */
void debug_search(struct debug_code *code);

/* One entry more is looked at.  False: those are too many. */
static inline bool debug_take(struct debug_code *code)
{
	if (!code->budget)
		return false;
	code->budget--;
	return true;
}

enum debug_way {
	DEBUG_OVER, /* to the next one */
	DEBUG_INTO, /* to those within it, first */
	DEBUG_STOP,
};

/* Calls @visit with all that is within @parent, and where @visit says so, within that. */
enum debug_way debug_walk(struct debug_code *code, Dwarf_Die *parent,
			  enum debug_way (*visit)(Dwarf_Die *die, void *data),
			  void *data);

/* Does it hold declarations, such as those of a namespace or a class? */
bool debug_is_space(Dwarf_Die *die);
/* The name in the source, of copies of it, too.  NULL: it has none. */
const char *debug_name(Dwarf_Die *die);
/* As the linker knows it: of C++ and Rust with all that it belongs to. */
const char *debug_linkage_name(Dwarf_Die *die);
/* A number that an attribute is.  False: there is none. */
bool debug_number(Dwarf_Die *die, unsigned int name, uint64_t *number);
bool debug_flag(Dwarf_Die *die, unsigned int name);
/* What type it has.  False: none, which is void. */
bool debug_type_die(Dwarf_Die *of, Dwarf_Die *type);
/*
 * Makes a type what it is without the names and qualifiers that it has.  False: void, or it does
 * not end.
 */
bool debug_type_peel(Dwarf_Die *type);
/* A struct, a class or a union. */
bool debug_is_struct(int tag);
/* What it declares may be defined elsewhere. */
bool debug_is_declaration(Dwarf_Die *die);
/* The number that something always is, such as an enumerator.  False: there is none. */
bool debug_constant(Dwarf_Die *die, uint64_t *value);

/* The linker left out functions that are here. */
bool debug_is_gone(uint64_t address);
/* NULL: no unit has the address. */
Dwarf_Die *debug_unit(struct debug_code *code, uint64_t address);
/* Where a function begins, or the part of one that was put into another one. */
bool debug_entry(Dwarf_Die *function, uint64_t *address);

#define DEBUG_SCOPES_MAX 256

/* What an address is in: the function first, then blocks and functions put into it. */
struct debug_scopes {
	Dwarf_Die list[DEBUG_SCOPES_MAX];
	unsigned int nr;
	bool cut; /* there are more, further in */
	Dwarf_Die unit;
};

/* False: it is in no function.  @unit is set all the same, if there is one. */
bool debug_scopes(struct debug_code *code, uint64_t address,
		  struct debug_scopes *scopes);

#endif /* KT_LIB_PROBE_DEBUG_CODE_H */
