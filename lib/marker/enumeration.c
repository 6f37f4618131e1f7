// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The variable of each marker, ktrace_site_, is a union of the marker and of a
 * pointer to a function that is never called, whose parameters have the types
 * of the arguments. So debug information, in the file or in a separate one,
 * shows which of them are enumerations.
 *
 * Variables are matched to markers by their addresses.  Those of a kernel
 * module have no addresses before it is loaded: there the line of the source
 * file is used.
 *
 * A large program has much debug information, and events wait while it is read.
 * So only the units whose source files have markers are read first, and others
 * only up to a bound.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbol/debug_file.h"
#include "program_file.h"
#include "enumeration.h"
#include "module_file.h"

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
	u32 line;
	bool found;
	const char *file;
	const char *function; /* of a module's: there it counts */
	const struct enumeration *arguments[ARGUMENTS_MAX];
};

struct enum_file {
	struct enum_file *next;
	const char *system; /* what markers call it */
	bool read;
	bool module;	    /* of the kernel; its path is not known yet */
	struct arena arena; /* of what is told of them, and of what was read */
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

/* The type of the child @name of @die.  False: there is none with @tag. */
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
	/* The first one exists for markers without arguments. */
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

/* The address of a variable, in the file. */
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

static const char *without_folders(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Compilers may shorten the path of a source file in one place and not in
 * another.
 */
static bool site_is_at(const struct site *site, const char *function,
		       Dwarf_Die *variable)
{
	const char *path = dwarf_decl_file(variable);
	int line;

	return path && function && !dwarf_decl_line(variable, &line) &&
	       (u32)line == site->line && !strcmp(function, site->function) &&
	       !strcmp(without_folders(path), without_folders(site->file));
}

static struct site *site_find(struct enum_file *file, const char *function,
			      Dwarf_Die *variable)
{
	struct site *found = NULL;
	Dwarf_Addr address;

	if (!file->module && !variable_address(variable, &address))
		return NULL;
	for (size_t i = 0; i < file->nr; i++) {
		struct site *site = &file->sites[i];

		if (!file->module && site->address == address)
			return site;
		if (!file->module || !site_is_at(site, function, variable))
			continue;
		/* Two in one line cannot be distinguished. */
		if (found)
			return NULL;
		found = site;
	}
	return found;
}

static void variable_read(struct enum_file *file, const char *function,
			  Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	struct site *site;

	if (!name || strcmp(name, "ktrace_site_"))
		return;
	site = site_find(file, function, die);
	if (!site || site->found)
		return;
	arguments_read(file, site, die);
	site->found = true;
	file->nr_found++;
}

/* Walks everything that can contain variables of functions. */
static void children_walk(struct enum_file *file, Dwarf_Die *parent,
			  const char *function, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (++file->dies > DIES_MAX)
			return;
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			variable_read(file, function, &die);
			break;
		case DW_TAG_subprogram:
			children_walk(file, &die, dwarf_diename(&die),
				      depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_lexical_block:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			children_walk(file, &die, function, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&die, &die));
}

static bool unit_has_markers(const struct enum_file *file, Dwarf_Die *unit)
{
	const char *name = dwarf_diename(unit);

	for (size_t i = 0; name && i < file->nr; i++)
		if (!strcmp(without_folders(file->sites[i].file),
			    without_folders(name)))
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
			children_walk(file, &unit, NULL, 0);
		at = next;
	}
}

/* @build_id: of the wanted file; NULL: the file is known to be the one. */
static bool build_id_matches(Dwfl_Module *module,
			     const struct build_id *build_id)
{
	const unsigned char *bytes;
	GElf_Addr address;
	int size;

	if (!build_id)
		return true;
	size = dwfl_module_build_id(module, &bytes, &address);
	return size == (int)build_id->size &&
	       !memcmp(bytes, build_id->bytes, size);
}

/* False: it is not the wanted file, or has no debug information. */
static bool debug_read(struct enum_file *file, const char *path, int fd,
		       const struct build_id *build_id)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = debug_file_find,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	Dwarf_Addr bias;
	Dwarf *dwarf;
	bool found;

	if (!dwfl)
		return false;
	dwfl_report_begin(dwfl);
	/* Takes over the descriptor if it succeeds. */
	fd = dup(fd);
	module = dwfl_report_offline(dwfl, path, path, fd);
	if (!module)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	dwarf = module && build_id_matches(module, build_id)
			? dwfl_module_getdwarf(module, &bias)
			: NULL;
	found = dwarf;
	if (found) {
		units_walk(file, dwarf, true);
		if (file->nr_found < file->nr)
			units_walk(file, dwarf, false);
	}
	dwfl_end(dwfl);
	return found;
}

/* ---- files -------------------------------------------------------------------------- */

static struct site *site_add(struct enum_file *file)
{
	struct site *more =
		realloc(file->sites, (file->nr + 1) * sizeof(*more));

	if (!more)
		return NULL;
	file->sites = more;
	more[file->nr] = (struct site){0};
	return &more[file->nr++];
}

static int marker_add(void *data, const struct marker_description *d,
		      bool forced)
{
	struct enum_file *file = data;
	struct site *site = site_add(file);

	(void)forced;
	if (!site)
		return -ENOMEM;
	site->id = marker_id(d);
	site->address = d->address;
	site->file = arena_strdup(&file->arena, d->name.file);
	return site->file ? 0 : -ENOMEM;
}

static bool module_read(void *data, const char *path,
			const struct build_id *build_id)
{
	int fd = debug_file_open(path);
	bool found;

	if (fd < 0)
		return false;
	found = debug_read(data, path, fd, build_id);
	close(fd);
	return found;
}

static void program_read(struct enum_file *file)
{
	int fd = debug_file_open(file->path);

	if (fd < 0)
		return;
	/*
	 * Reads the file that was checked: the path may lead elsewhere by now.
	 */
	if (!marker_elf_each_of(fd, file->path, marker_add, file) && file->nr)
		debug_read(file, file->path, fd, NULL);
	close(fd);
}

static void enums_read(struct enum_file *file)
{
	file->read = true;
	if (!file->module)
		program_read(file);
	else if (file->nr)
		marker_module_find(file->system, file->sites[0].file,
				   module_read, file);
}

static struct enum_file *file_find(const struct enum_files *files,
				   const char *path)
{
	struct enum_file *file = files->first;

	while (file && strcmp(file->path, path))
		file = file->next;
	return file;
}

static struct enum_file *file_make(struct enum_files *files, const char *path)
{
	struct enum_file *file = calloc(1, sizeof(*file) + strlen(path) + 1);

	if (!file)
		return NULL;
	strcpy(file->path, path);
	file->system = without_folders(file->path);
	file->next = files->first;
	files->first = file;
	return file;
}

void enum_files_add(struct enum_files *files, const char *path)
{
	if (!file_find(files, path))
		file_make(files, path);
}

void enum_files_add_place(struct enum_files *files, const char *module, u64 id,
			  const struct kt_marker_name *name, u32 line)
{
	struct enum_file *file = file_find(files, module);
	struct site *site;

	if (!file)
		file = file_make(files, module);
	if (!file)
		return;
	file->module = true;
	site = site_add(file);
	if (!site)
		return;
	site->id = id;
	site->line = line;
	site->file = arena_strdup(&file->arena, name->file);
	site->function = arena_strdup(&file->arena, name->function);
	if (!site->file || !site->function)
		file->nr--;
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

/* @system comes from a table, where long names are cut. */
static bool is_called(const struct enum_file *file, const char *system)
{
	return !strncmp(file->system, system, strlen(system));
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
			enums_read(f);
		for (size_t i = 0; i < f->nr; i++)
			if (f->sites[i].id == id && f->sites[i].found)
				return f->sites[i].arguments[number];
	}
	return NULL;
}

void enum_files_name(struct enum_files *files, const char *system, u64 id,
		     unsigned int number, struct ktrace_field *field,
		     struct arena *arena)
{
	const struct enumeration *e;
	struct ktrace_names *names;
	struct ktrace_name *copy;

	if (field->kind > KTRACE_UINT || field->base != KTRACE_DEC)
		return;
	e = files_find(files, system, id, number);
	if (!e)
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
