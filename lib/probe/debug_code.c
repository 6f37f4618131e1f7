// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Debugging information: debug_code.h.  libdw reads it.
 *
 * Which unit has an address is looked up in a table of our own: the file's (.debug_aranges) is one
 * that not every compiler writes.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "debug_code.h"
#include "symbol/program_file.h"

/* Deeper than any program is nested. */
#define DEPTH_MAX 512
/* Names and qualifiers of a type. */
#define CHAIN_MAX 256

/* ---- entries --------------------------------------------------------------- */

/* Debugging information may be compressed, but not to less. */
#define COMPRESSED 32

/*
 * An entry takes a byte at least, and no search looks at one more than a few times.  But files can
 * be made in which the same ones are within each other, or whose sections say to be any size.
 */
void debug_search(struct debug_code *code)
{
	uint64_t size = 0, most = code->size * COMPRESSED;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(code->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    !(header.sh_flags & SHF_ALLOC))
			size += header.sh_size < most ? header.sh_size : most;
	code->budget = 8 * ((1 << 20) + (size < most ? size : most));
}

static enum debug_way walk(struct debug_code *code, Dwarf_Die *parent,
			   enum debug_way (*visit)(Dwarf_Die *die, void *data),
			   void *data, unsigned int depth)
{
	Dwarf_Die die;
	enum debug_way way;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return DEBUG_OVER;
	do {
		if (!debug_take(code))
			return DEBUG_STOP;
		way = visit(&die, data);
		if (way == DEBUG_INTO)
			way = walk(code, &die, visit, data, depth + 1);
		if (way == DEBUG_STOP)
			return DEBUG_STOP;
	} while (!dwarf_siblingof(&die, &die));
	return DEBUG_OVER;
}

enum debug_way debug_walk(struct debug_code *code, Dwarf_Die *parent,
			  enum debug_way (*visit)(Dwarf_Die *die, void *data),
			  void *data)
{
	return walk(code, parent, visit, data, 0);
}

bool debug_is_space(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

const char *debug_name(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && *name ? name : NULL;
}

const char *debug_linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(
		dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute)
			?: dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name,
						&attribute));

	return name && *name ? name : debug_name(die);
}

bool debug_number(Dwarf_Die *die, unsigned int name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word found;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute),
			    &found))
		return false;
	*number = found;
	return true;
}

bool debug_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       !dwarf_formflag(&attribute, &flag) && flag;
}

bool debug_type_die(Dwarf_Die *of, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(of, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type);
}

bool debug_type_peel(Dwarf_Die *type)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_packed_type:
		case DW_TAG_shared_type:
		case DW_TAG_immutable_type:
			if (!debug_type_die(type, type))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool debug_is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type;
}

bool debug_is_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool flag = false;

	return dwarf_attr(die, DW_AT_declaration, &attribute) &&
	       !dwarf_formflag(&attribute, &flag) && flag;
}

bool debug_constant(Dwarf_Die *die, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword with_sign;
	Dwarf_Word without;

	if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
		return false;
	/* Compilers use the other forms for what is not negative. */
	switch (dwarf_whatform(&attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		if (dwarf_formsdata(&attribute, &with_sign))
			return false;
		*value = with_sign;
		return true;
	default:
		if (dwarf_formudata(&attribute, &without))
			return false;
		*value = without;
		return true;
	}
}

/* Linkers write 0, 1, or the highest two, because others would end a list. */
bool debug_is_gone(uint64_t address)
{
	return address <= 1 || address >= UINT64_MAX - 1;
}

bool debug_entry(Dwarf_Die *function, uint64_t *address)
{
	Dwarf_Addr begin = 0, end, base;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;
	bool known = !dwarf_lowpc(function, &begin) ||
		     dwarf_ranges(function, 0, &base, &begin, &end) > 0;

	if (dwarf_attr(function, DW_AT_entry_pc, &attribute)) {
		/* Since DWARF 5 it may be a distance. */
		if (dwarf_formaddr(&attribute, &base))
			base = known && !dwarf_formudata(&attribute, &offset)
				       ? begin + offset
				       : 0;
		/* GCC may mark an entry that none of its instructions is left at. */
		if (base && (!known || dwarf_haspc(function, base) > 0)) {
			begin = base;
			known = true;
		}
	}
	if (!known || debug_is_gone(begin))
		return false;
	*address = begin;
	return true;
}

/* ---- addresses ------------------------------------------------------------- */

/* Of ranges that begin alike, the shortest is the last: debug_unit() looks there. */
static int range_compare(const void *a, const void *b)
{
	const struct debug_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->end < y->end) - (x->end > y->end);
}

static int range_add(struct debug_code *code, uint64_t begin, uint64_t end)
{
	struct debug_range *more = code->ranges;

	/* What is nowhere in memory has low addresses. */
	if (debug_is_gone(begin) || begin >= end ||
	    (code->loaded && !(begin >> 63)))
		return 0;
	if (!(code->nr_ranges & (code->nr_ranges - 1)))
		more = reallocarray(more, 2 * code->nr_ranges + 1,
				    sizeof(*more));
	if (!more)
		return -ENOMEM;
	code->ranges = more;
	more[code->nr_ranges++] =
		(struct debug_range){begin, end, code->nr_units - 1};
	return 0;
}

static int unit_add(struct debug_code *code, const Dwarf_Die *die)
{
	Dwarf_Addr base, begin, end;
	Dwarf_Die *more = code->units;
	ptrdiff_t at = 0;
	int err = 0;

	if (!(code->nr_units & (code->nr_units - 1)))
		more = reallocarray(more, 2 * code->nr_units + 1,
				    sizeof(*more));
	if (!more)
		return -ENOMEM;
	code->units = more;
	more[code->nr_units++] = *die;
	while (!err && code->budget &&
	       (at = dwarf_ranges(&more[code->nr_units - 1], at, &base, &begin,
				  &end)) > 0) {
		code->budget--;
		err = range_add(code, begin, end);
	}
	return err;
}

static int units_read(struct debug_code *code)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	Dwarf_Die die;
	uint8_t type;
	bool elsewhere = false;
	int err = 0;

	debug_search(code);
	/* Nothing is asked of the other part of a unit: that would open files. */
	while (!err && code->budget &&
	       !dwarf_get_units(code->dwarf, unit, &unit, &version, &type, &die,
				NULL)) {
		code->budget--;
		elsewhere |= type == DW_UT_skeleton;
		if (type == DW_UT_compile || type == DW_UT_partial)
			err = unit_add(code, &die);
	}
	if (code->nr_ranges)
		qsort(code->ranges, code->nr_ranges, sizeof(*code->ranges),
		      range_compare);
	if (err)
		return error_set(err, "out of memory");
	if (!code->nr_units && elsewhere)
		return error_set(-ENOENT,
				 "its debugging information is in further "
				 "files (.dwo), which are not read: compile it "
				 "without -gsplit-dwarf");
	if (!code->nr_units)
		return error_set(-ENOENT, DEBUG_NONE);
	return 0;
}

Dwarf_Die *debug_unit(struct debug_code *code, uint64_t address)
{
	size_t low = 0, high = code->nr_ranges;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code->ranges[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < code->ranges[low - 1].end
		       ? &code->units[code->ranges[low - 1].unit]
		       : NULL;
}

struct scope_search {
	uint64_t address;
	struct debug_scopes *scopes;
};

static enum debug_way scope_visit(Dwarf_Die *die, void *data)
{
	struct scope_search *search = data;
	struct debug_scopes *scopes = search->scopes;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (dwarf_haspc(die, search->address) <= 0)
			return DEBUG_OVER;
		/* What a function is written in does not call it. */
		if (dwarf_tag(die) == DW_TAG_subprogram)
			scopes->nr = 0;
		scopes->cut = scopes->nr == DEBUG_SCOPES_MAX;
		if (scopes->cut)
			return DEBUG_STOP;
		scopes->list[scopes->nr++] = *die;
		return DEBUG_INTO;
	default:
		return debug_is_space(die) ? DEBUG_INTO : DEBUG_OVER;
	}
}

bool debug_scopes(struct debug_code *code, uint64_t address,
		  struct debug_scopes *scopes)
{
	struct scope_search search = {address, scopes};
	Dwarf_Die *unit = debug_unit(code, address);

	scopes->nr = 0;
	scopes->cut = false;
	if (!unit)
		return false;
	scopes->unit = *unit;
	debug_walk(code, unit, scope_visit, &search);
	return scopes->nr;
}

/* ---- opening --------------------------------------------------------------- */

static int nothing_find(Dwfl_Module *module, void **data, const char *name,
			Dwarf_Addr base, const char *program, const char *link,
			GElf_Word crc, char **found)
{
	(void)module, (void)data, (void)name, (void)base;
	(void)program, (void)link, (void)crc, (void)found;
	return -1;
}

static int section_place(Dwfl_Module *module, void **data, const char *name,
			 Dwarf_Addr base, const char *section, GElf_Word index,
			 const GElf_Shdr *header, Dwarf_Addr *address)
{
	const struct debug_code *code = *data;
	uint64_t found;

	(void)module, (void)name, (void)base, (void)index, (void)header;
	/* libdwfl's word for what is not there. */
	*address = code->sections.find(code->sections.data, section, &found)
			   ? found
			   : UINT64_MAX;
	return DWARF_CB_OK;
}

/* Linkers give some sections of modules addresses: libdwfl would ask for no others then. */
static void sections_unplace(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    !(header.sh_flags & SHF_ALLOC) || !header.sh_addr)
			continue;
		header.sh_addr = 0;
		gelf_update_shdr(section, &header);
	}
}

/* Takes over the descriptor. */
static int file_give(Dwfl_Module *module, void **data, const char *name,
		     Dwarf_Addr base, char **path, Elf **elf)
{
	struct debug_code *code = *data;
	int fd = code->fd;

	(void)module, (void)name, (void)base;
	*path = strdup("module");
	*elf = *path ? elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL) : NULL;
	if (!*elf)
		return -1;
	sections_unplace(*elf);
	code->fd = -1;
	return fd;
}

/* If libdwfl lays the file out itself, it asks for no addresses of sections. */
static void loaded_report(struct debug_code *code)
{
	void **data;

	code->module = dwfl_report_module(code->dwfl, "module", 1ull << 63,
					  UINT64_MAX);
	if (code->module && dwfl_module_info(code->module, &data, NULL, NULL,
					     NULL, NULL, NULL, NULL))
		*data = code;
}

/* Takes over the descriptor if it succeeds. */
static void offline_report(struct debug_code *code)
{
	code->module =
		dwfl_report_offline(code->dwfl, "module", "module", code->fd);
	if (code->module)
		code->fd = -1;
}

/* What is not linked has no addresses: it gets those of its sections, or libdwfl gives it some. */
static Dwarf *unlinked_open(struct debug_code *code)
{
	static const Dwfl_Callbacks offline = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = nothing_find,
		.section_address = dwfl_offline_section_address,
	};
	static const Dwfl_Callbacks loaded = {
		.find_elf = file_give,
		.find_debuginfo = nothing_find,
		.section_address = section_place,
	};
	Dwarf_Addr bias;

	code->dwfl = dwfl_begin(code->loaded ? &loaded : &offline);
	if (!code->dwfl)
		return NULL;
	dwfl_report_begin(code->dwfl);
	if (code->loaded)
		loaded_report(code);
	else
		offline_report(code);
	dwfl_report_end(code->dwfl, NULL, NULL);
	return code->module ? dwfl_module_getdwarf(code->module, &bias) : NULL;
}

/* Nobody else can cut it while it is mapped. */
static bool is_ours(int fd)
{
	struct stat file;

	return !fstat(fd, &file) && (!file.st_uid || file.st_uid == geteuid());
}

/* libdw decompresses all, to any size, and reads further files that this one names. */
static bool is_bounded(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			return false;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strncmp(name, ".debug_", 7))
			if (!name || strcmp(name, ".gnu_debugaltlink"))
				continue;
		if (header.sh_flags & SHF_COMPRESSED ||
		    header.sh_size > PROGRAM_SECTION_MAX ||
		    !strcmp(name, ".gnu_debugaltlink"))
			return false;
	}
	return true;
}

static int dwarf_open(struct debug_code *code, int fd)
{
	GElf_Ehdr header;
	struct stat stat;

	code->fd = dup(fd);
	if (code->fd < 0)
		return error_set(-errno, "the file cannot be read: %s",
				 strerror(errno));
	code->size = fstat(fd, &stat) ? 0 : stat.st_size;
	elf_version(EV_CURRENT);
	code->elf = elf_begin(code->fd,
			      is_ours(fd) ? ELF_C_READ_MMAP : ELF_C_READ, NULL);
	if (!code->elf || !gelf_getehdr(code->elf, &header) ||
	    header.e_machine != EM_X86_64 ||
	    gelf_getclass(code->elf) != ELFCLASS64)
		return error_set(-ENOENT, "it is no program of this processor");
	if (!is_ours(fd) && !is_bounded(code->elf))
		return error_set(
			-ENOENT,
			"its debugging information is compressed, very "
			"large or in further files, and it is another "
			"user's");
	if (header.e_type == ET_REL) {
		elf_end(code->elf);
		code->elf = NULL;
		code->dwarf = unlinked_open(code);
		code->elf = code->dwarf ? dwarf_getelf(code->dwarf) : NULL;
	} else {
		code->dwarf = dwarf_begin_elf(code->elf, DWARF_C_READ, NULL);
	}
	return code->dwarf ? 0 : error_set(-ENOENT, DEBUG_NONE);
}

/* Where its first part is that is loaded.  False: it tells of none. */
static bool load_address(Elf *elf, uint64_t *address)
{
	GElf_Phdr segment;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(elf, i, &segment) &&
		    segment.p_type == PT_LOAD) {
			*address = segment.p_vaddr;
			return true;
		}
	return false;
}

/* A program may have been moved since its debug file was made, as prelink does. */
static int addresses_check(struct debug_code *code)
{
	uint64_t here, there;

	if (code->program == code->elf || !load_address(code->elf, &here) ||
	    !load_address(code->program, &there) || here == there)
		return 0;
	return error_set(-ENOENT,
			 "its debug file has other addresses than it has: it "
			 "was moved since, as by prelink");
}

static int code_open(struct debug_code **code, int fd, Elf *program,
		     const struct debug_sections *sections)
{
	struct debug_code *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return error_set(-ENOMEM, "out of memory");
	if (sections) {
		new->sections = *sections;
		new->loaded = true;
	}
	err = dwarf_open(new, fd);

	if (!err) {
		new->program = program ?: new->elf;
		err = addresses_check(new) ?: units_read(new);
	}
	if (err)
		debug_code_close(new);
	else
		*code = new;
	return err;
}

int debug_code_open(struct debug_code **code, int fd, Elf *program)
{
	return code_open(code, fd, program, NULL);
}

int debug_code_open_loaded(struct debug_code **code, int fd,
			   const struct debug_sections *sections)
{
	return code_open(code, fd, NULL, sections);
}

void debug_code_close(struct debug_code *code)
{
	if (!code)
		return;
	if (code->framed && code->frames)
		dwarf_cfi_end(code->frames);
	/* It has the other two. */
	if (code->dwfl) {
		dwfl_end(code->dwfl);
	} else {
		if (code->dwarf)
			dwarf_end(code->dwarf);
		elf_end(code->elf);
	}
	btf__free(code->btf);
	free(code->bounds);
	btf__free(code->base);
	table_free(&code->types);
	table_free(&code->known);
	table_free(&code->bases);
	table_free(&code->definitions.by_name);
	table_free(&code->definitions.declared);
	table_free(&code->definitions.specified);
	arena_destroy(&code->arena);
	if (code->fd >= 0)
		close(code->fd);
	free(code->symbols);
	free(code->units);
	free(code->ranges);
	free(code);
}
