// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The variable of each marker, ktrace_site_, is a union of the marker and of a pointer
 * to a function that is never called, whose parameters have the types of the arguments.
 * So debug information, where there is any, in the file or apart from it, tells the
 * enumerations among them.
 *
 * A large program has much of it, and events wait meanwhile: first only the units are
 * read whose source files have markers, and others no further than to a bound.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "marker_elf.h"
#include "marker_enum.h"

#define DIES_MAX      1000000
#define DEPTH_MAX     40
#define CONSTANTS_MAX 1024
#define ARGUMENTS_MAX 10

struct enumeration {
	char type[64];
	struct ktrace_names names;
};

struct site {
	u64 id;
	u64 address;
	char file[200];
	const struct enumeration *arguments[ARGUMENTS_MAX];
};

struct enum_file {
	struct enum_file *next;
	bool read;
	struct arena arena; /* of what was read */
	struct site *sites;
	size_t nr;
	size_t nr_found;
	size_t dies;
	char path[];
};

/* ---- debug information -------------------------------------------------------------- */

/* Without typedefs, const, and the like; false: there is no type. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, type))
		return false;
	for (int i = 0; i < DEPTH_MAX; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
		case DW_TAG_reference_type:
			if (!dwarf_attr(type, DW_AT_type, &attribute) ||
			    !dwarf_formref_die(&attribute, type))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

static bool constant_read(Dwarf_Die *die, struct ktrace_name *name,
			  struct arena *arena)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword value;

	if (dwarf_tag(die) != DW_TAG_enumerator || !dwarf_diename(die) ||
	    !dwarf_attr(die, DW_AT_const_value, &attribute) ||
	    dwarf_formsdata(&attribute, &value))
		return false;
	name->value = value;
	name->name = arena_strdup(arena, dwarf_diename(die));
	return name->name;
}

static const struct enumeration *enumeration_read(Dwarf_Die *type,
						  struct arena *arena)
{
	struct enumeration *e = arena_alloc(arena, sizeof(*e));
	struct ktrace_name *names;
	const char *tag = dwarf_diename(type);
	uint32_t nr = 0, count = 0;
	Dwarf_Die die;

	if (!e || dwarf_child(type, &die))
		return NULL;
	do
		nr++;
	while (!dwarf_siblingof(&die, &die) && nr < CONSTANTS_MAX);
	names = arena_alloc(arena, nr * sizeof(*names));
	if (!names || dwarf_child(type, &die))
		return NULL;
	do
		count += constant_read(&die, &names[count], arena);
	while (!dwarf_siblingof(&die, &die) && count < nr);
	if (!count)
		return NULL;
	snprintf(e->type, sizeof(e->type), "enum%s%s", tag ? " " : "",
		 tag ?: "");
	e->names.names = names;
	e->names.count = count;
	return e;
}

/* Follows from a child of @die to its type, if they are what they must be. */
static bool child_type(Dwarf_Die *die, const char *name, unsigned int tag,
		       Dwarf_Die *type)
{
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		const char *called = dwarf_diename(&child);

		if (called && !strcmp(called, name))
			return type_of(&child, type) &&
			       (unsigned int)dwarf_tag(type) == tag;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static void arguments_read(struct enum_file *file, struct site *site,
			   Dwarf_Die *variable)
{
	Dwarf_Die type, pointer, function, parameter;
	unsigned int nr = 0;

	if (!type_of(variable, &type) ||
	    dwarf_tag(&type) != DW_TAG_union_type ||
	    !child_type(&type, "types", DW_TAG_pointer_type, &pointer) ||
	    !type_of(&pointer, &function) ||
	    dwarf_tag(&function) != DW_TAG_subroutine_type ||
	    dwarf_child(&function, &parameter))
		return;
	/* The first one is there for whoever has no arguments. */
	while (nr < ARGUMENTS_MAX && !dwarf_siblingof(&parameter, &parameter)) {
		if (dwarf_tag(&parameter) != DW_TAG_formal_parameter)
			continue;
		if (type_of(&parameter, &type) &&
		    dwarf_tag(&type) == DW_TAG_enumeration_type)
			site->arguments[nr] =
				enumeration_read(&type, &file->arena);
		nr++;
	}
}

/* Where a variable lies, in the file. */
static bool variable_address(Dwarf_Die *die, Dwarf_Addr *address)
{
	Dwarf_Attribute attribute, indexed;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &nr) || nr != 1)
		return false;
	if (ops->atom == DW_OP_addr) {
		*address = ops->number;
		return true;
	}
	return ops->atom == DW_OP_addrx &&
	       !dwarf_getlocation_attr(&attribute, ops, &indexed) &&
	       !dwarf_formaddr(&indexed, address);
}

static void variable_read(struct enum_file *file, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Addr address;

	if (!name || strcmp(name, "ktrace_site_") ||
	    !variable_address(die, &address))
		return;
	for (size_t i = 0; i < file->nr; i++)
		if (file->sites[i].address == address) {
			arguments_read(file, &file->sites[i], die);
			file->nr_found++;
			return;
		}
}

/* All that can have variables of functions. */
static void children_walk(struct enum_file *file, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (++file->dies > DIES_MAX)
			return;
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			variable_read(file, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			children_walk(file, &die, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static bool unit_has_markers(const struct enum_file *file, Dwarf_Die *unit)
{
	const char *name = dwarf_diename(unit);

	for (size_t i = 0; name && i < file->nr; i++)
		if (!strcmp(file->sites[i].file, name))
			return true;
	return false;
}

static void units_walk(struct enum_file *file, Dwarf *dwarf, bool expected)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die unit;

	while (!dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (dwarf_offdie(dwarf, at + header, &unit) &&
		    unit_has_markers(file, &unit) == expected)
			children_walk(file, &unit, 0);
		at = next;
	}
}

static void debug_read(struct enum_file *file, int fd)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwarf *dwarf;

	if (!dwfl)
		return;
	dwfl_report_begin(dwfl);
	/* Takes over the descriptor if it succeeds. */
	fd = dup(fd);
	module = dwfl_report_offline(dwfl, file->path, file->path, fd);
	if (!module)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	dwarf = module ? dwfl_module_getdwarf(module, &bias) : NULL;
	if (dwarf) {
		units_walk(file, dwarf, true);
		if (file->nr_found < file->nr)
			units_walk(file, dwarf, false);
	}
	dwfl_end(dwfl);
}

/* ---- files -------------------------------------------------------------------------- */

static int site_add(void *data, const struct marker_description *d, bool forced)
{
	struct enum_file *file = data;
	struct site *more =
		realloc(file->sites, (file->nr + 1) * sizeof(*more));

	(void)forced;
	if (!more)
		return -ENOMEM;
	file->sites = more;
	more[file->nr] =
		(struct site){.id = marker_id(d), .address = d->address};
	snprintf(more[file->nr].file, sizeof(more->file), "%s", d->name.file);
	file->nr++;
	return 0;
}

/* Those of other users are not read: they may be made to mislead. */
static bool is_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (st.st_uid == geteuid() || !st.st_uid);
}

static void file_read(struct enum_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	file->read = true;
	if (fd < 0)
		return;
	if (is_trusted(fd) && !marker_elf_each(file->path, site_add, file) &&
	    file->nr)
		debug_read(file, fd);
	close(fd);
}

static const char *file_name(const struct enum_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash ? slash + 1 : file->path;
}

void enum_files_add(struct enum_files *files, const char *path)
{
	struct enum_file *file;

	for (file = files->first; file; file = file->next)
		if (!strcmp(file->path, path))
			return;
	file = calloc(1, sizeof(*file) + strlen(path) + 1);
	if (!file)
		return;
	strcpy(file->path, path);
	file->next = files->first;
	files->first = file;
}

void enum_files_destroy(struct enum_files *files)
{
	struct enum_file *file;

	while ((file = files->first)) {
		files->first = file->next;
		arena_destroy(&file->arena);
		free(file->sites);
		free(file);
	}
}

/* What is told of markers may have cut it. */
static bool is_called(const struct enum_file *file, const char *system)
{
	return !strncmp(file_name(file), system, strlen(system));
}

bool enum_files_has(const struct enum_files *files, const char *system)
{
	for (const struct enum_file *f = files->first; f; f = f->next)
		if (is_called(f, system))
			return true;
	return false;
}

static const struct enumeration *files_find(struct enum_files *files,
					    const char *system, u64 id,
					    unsigned int number)
{
	for (struct enum_file *f = files->first; f; f = f->next) {
		if (!is_called(f, system))
			continue;
		if (!f->read)
			file_read(f);
		for (size_t i = 0; i < f->nr; i++)
			if (f->sites[i].id == id)
				return f->sites[i].arguments[number];
	}
	return NULL;
}

void enum_files_name(struct enum_files *files, const char *system, u64 id,
		     unsigned int number, struct ktrace_field *field,
		     struct arena *arena)
{
	const struct enumeration *e = files_find(files, system, id, number);
	struct ktrace_names *names;
	struct ktrace_name *copy;

	if (!e || field->kind > KTRACE_UINT || field->base != KTRACE_DEC)
		return;
	names = arena_alloc(arena, sizeof(*names));
	copy = arena_alloc(arena, e->names.count * sizeof(*copy));
	if (!names || !copy)
		return;
	for (uint32_t i = 0; i < e->names.count; i++) {
		copy[i].value = e->names.names[i].value;
		if (field->kind == KTRACE_UINT && field->size < 8)
			copy[i].value &= (1ull << 8 * field->size) - 1;
		copy[i].name = arena_strdup(arena, e->names.names[i].name);
		if (!copy[i].name)
			return;
	}
	names->names = copy;
	names->count = e->names.count;
	field->names = names;
	field->ctype = arena_strdup(arena, e->type) ?: field->ctype;
}
