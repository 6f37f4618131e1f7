// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dwarf VMLINUX SYMBOLS - compares the prototypes that ktrace takes from a kernel's type
 * information (BTF) with what the compiler says in the kernel's debug information (DWARF)
 *
 * VMLINUX has both; SYMBOLS has lines as /proc/kallsyms.  Of each function, all types are
 * compared as a text in C; of each argument, where it is when the function begins, its size
 * and its sign.  Functions of assembler have no types there, and clones have none in BTF.
 *
 * Output: a line for each difference, and what was counted.  Exit status 1 if anything
 * differs.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "session/prototype.h"

/* Differences that are printed; all are counted. */
#define SHOWN_MAX 50

struct symbol {
	uint64_t address;
	const char *name;
};

static struct symbol *symbols;
static size_t nr_symbols;

static Dwarf *dwarf;
static struct type_base base;
static struct prototypes prototypes = {.bases = &base, .nr = 1};

static struct {
	size_t functions, clones, others, ambiguous, unknown;
	size_t compared, differ, inlined, unsafe;
	size_t arguments, placed, misplaced, missized;
} count;

static void fail(const char *what)
{
	fprintf(stderr, "dwarf: %s\n", what);
	exit(2);
}

/* ---- symbols --------------------------------------------------------------- */

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void symbols_read(Elf *elf)
{
	Elf_Scn *section = NULL;
	Elf_Data *data;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) &&
		    header.sh_type == SHT_SYMTAB)
			break;
	data = section ? elf_getdata(section, NULL) : NULL;
	if (!data)
		fail("it has no symbols");
	symbols = calloc(header.sh_size / header.sh_entsize, sizeof(*symbols));
	if (!symbols)
		fail("out of memory");
	for (int i = 0; gelf_getsym(data, i, &symbol); i++)
		if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value)
			symbols[nr_symbols++] = (struct symbol){
				symbol.st_value, elf_strptr(elf, header.sh_link,
							    symbol.st_name)};
	qsort(symbols, nr_symbols, sizeof(*symbols), symbol_compare);
}

/* The first one at the address, or behind it. */
static const struct symbol *symbol_at(uint64_t address)
{
	size_t begin = 0, end = nr_symbols;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (symbols[middle].address < address)
			begin = middle + 1;
		else
			end = middle;
	}
	return &symbols[begin];
}

/* ---- types ----------------------------------------------------------------- */

/* False: void. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type);
}

/* Without qualifiers and other names; false: void. */
static bool type_strip(Dwarf_Die *type)
{
	for (;;) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
			if (!type_of(type, type))
				return false;
			break;
		default:
			return true;
		}
	}
}

static void type_text(struct text *text, Dwarf_Die *type);

/* The type that @type is derived from. */
static void inner_text(struct text *text, Dwarf_Die *type)
{
	Dwarf_Die inner;

	if (type_of(type, &inner))
		type_text(text, &inner);
	else
		text_puts(text, "void");
}

static void pointer_text(struct text *text, Dwarf_Die *type)
{
	Dwarf_Die to, stripped;
	bool is_something = type_of(type, &to);

	stripped = to;
	if (is_something && type_strip(&stripped) &&
	    dwarf_tag(&stripped) == DW_TAG_subroutine_type) {
		text_puts(text, "void *");
		return;
	}
	inner_text(text, type);
	text_puts(text, is_something && dwarf_tag(&to) == DW_TAG_pointer_type
				? "*"
				: " *");
}

static void named_text(struct text *text, const char *word, Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	text_puts(text, word);
	text_puts(text, name ? name : "");
}

static void const_text(struct text *text, Dwarf_Die *type)
{
	Dwarf_Die to;

	if (type_of(type, &to) && dwarf_tag(&to) == DW_TAG_pointer_type) {
		type_text(text, &to);
		text_puts(text, "const");
	} else {
		text_puts(text, "const ");
		inner_text(text, type);
	}
}

/* As it stands before a name. */
static void type_text(struct text *text, Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
		pointer_text(text, type);
		break;
	case DW_TAG_const_type:
		const_text(text, type);
		break;
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
		inner_text(text, type);
		break;
	case DW_TAG_structure_type:
		named_text(text, "struct ", type);
		break;
	case DW_TAG_union_type:
		named_text(text, "union ", type);
		break;
	case DW_TAG_enumeration_type:
		named_text(text, "enum ", type);
		break;
	case DW_TAG_array_type:
		inner_text(text, type);
		text_puts(text, " *");
		break;
	default:
		named_text(text, "", type);
	}
}

/* ---- functions ------------------------------------------------------------- */

/* What says all of the function: the copy for inlining knows each argument. */
static void declaration_of(Dwarf_Die *function, Dwarf_Die *declaration)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr(function, DW_AT_abstract_origin, &attribute) ||
	    !dwarf_formref_die(&attribute, declaration))
		*declaration = *function;
}

/* A qualifier of an argument itself says nothing to who calls. */
static void parameter_text(struct text *text, Dwarf_Die *parameter)
{
	Dwarf_Die type;

	if (!type_of(parameter, &type))
		text_puts(text, "void");
	else if (dwarf_tag(&type) == DW_TAG_const_type ||
		 dwarf_tag(&type) == DW_TAG_volatile_type)
		inner_text(text, &type);
	else
		type_text(text, &type);
}

/* "TYPE (TYPE, TYPE)". */
static void theirs_text(struct text *text, Dwarf_Die *declaration)
{
	const char *between = " (";
	Dwarf_Die child;

	inner_text(text, declaration);
	if (!dwarf_child(declaration, &child)) {
		do {
			int tag = dwarf_tag(&child);

			if (tag != DW_TAG_formal_parameter &&
			    tag != DW_TAG_unspecified_parameters)
				continue;
			text_puts(text, between);
			between = ", ";
			if (tag == DW_TAG_formal_parameter)
				parameter_text(text, &child);
			else
				text_puts(text, "...");
		} while (!dwarf_siblingof(&child, &child));
	}
	text_puts(text, *between == ',' ? ")" : " (void)");
}

static int ours_text(struct text *text, const char *name)
{
	const struct btf_type *proto, *type;
	const char *between = " (";
	const struct btf *btf;
	int err = signature_find(&prototypes, name, "vmlinux", &btf, &proto);

	if (err)
		return err;
	type_write(text, btf, proto->type);
	for (int i = 0; i < btf_vlen(proto); i++) {
		__u32 id = btf_params(proto)[i].type;

		text_puts(text, between);
		between = ", ";
		type = id ? btf__type_by_id(btf, id) : NULL;
		if (!type)
			text_puts(text, "...");
		else
			type_write(text, btf,
				   btf_is_const(type) || btf_is_volatile(type)
					   ? type->type
					   : id);
	}
	text_puts(text, btf_vlen(proto) ? ")" : " (void)");
	return 0;
}

static void difference(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void difference(const char *format, ...)
{
	static int shown;
	va_list ap;

	if (shown++ >= SHOWN_MAX)
		return;
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
}

/*
 * The register in which the argument is when the function begins; -1: in none, or not told.  If
 * there is one place for the whole function, it is where the argument is kept later on.
 */
static int register_of(Dwarf_Die *parameter, Dwarf_Addr entry)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_whatform(&attribute) == DW_FORM_exprloc ||
	    dwarf_getlocation_addr(&attribute, entry, &ops, &nr, 1) != 1 ||
	    nr != 1 || ops->atom < DW_OP_reg0 || ops->atom > DW_OP_reg31)
		return -1;
	return ops->atom - DW_OP_reg0;
}

static const struct ktrace_field *argument_find(
	const struct function_fields *fields, const char *name)
{
	for (unsigned int i = 0; i < fields->nr_arguments; i++)
		if (!strcmp(fields->arguments[i].name, name))
			return &fields->arguments[i];
	return NULL;
}

static void value_compare(const char *function, const char *name,
			  Dwarf_Die *parameter,
			  const struct ktrace_field *field)
{
	Dwarf_Attribute attribute;
	Dwarf_Word size, encoding = DW_ATE_unsigned;
	bool is_signed;
	Dwarf_Die type;

	if (!type_of(parameter, &type) || !type_strip(&type) ||
	    dwarf_aggregate_size(&type, &size))
		return;
	if (dwarf_tag(&type) == DW_TAG_base_type &&
	    dwarf_attr(&type, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	if (field->size == size && (field->is_signed == is_signed ||
				    dwarf_tag(&type) != DW_TAG_base_type))
		return;
	count.missized++;
	difference("%s: %s has %u bytes%s, not %u%s", function, name,
		   (unsigned int)field->size,
		   field->is_signed ? " with a sign" : "", (unsigned int)size,
		   is_signed ? " with a sign" : "");
}

static void argument_compare(const char *function, Dwarf_Die *parameter,
			     Dwarf_Addr entry,
			     const struct function_fields *fields)
{
	/* In DWARF's numbers: rdi, rsi, rdx, rcx, r8 and r9. */
	static const int registers[] = {5, 4, 1, 2, 8, 9};
	const char *name = dwarf_diename(parameter);
	const struct ktrace_field *field;
	int where = register_of(parameter, entry);
	unsigned int word;

	field = name ? argument_find(fields, name) : NULL;
	count.arguments++;
	if (where < 0 || !field || field->offset < 8)
		return;
	word = (field->offset - 8) / 8;
	count.placed++;
	if (word >= sizeof(registers) / sizeof(*registers) ||
	    registers[word] != where) {
		count.misplaced++;
		difference("%s: %s is in register %d of DWARF, not in word %u",
			   function, name, where, word);
	}
	value_compare(function, name, parameter, field);
}

static void arguments_compare(const char *name, Dwarf_Die *function,
			      Dwarf_Addr entry, struct arena *arena)
{
	struct function_fields fields;
	Dwarf_Die child;

	if (prototypes_function(&prototypes, name, "vmlinux", &fields, arena) ||
	    dwarf_child(function, &child))
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			argument_compare(name, &child, entry, &fields);
	} while (!dwarf_siblingof(&child, &child));
}

/* Has BTF several functions of this name, or none? */
static void absent_count(const char *name)
{
	if (prototype_list_find(&base.functions, name, NULL))
		count.ambiguous++;
	else
		count.unknown++;
}

/* All functions of the kernel; @visit returns DWARF_CB_ABORT to end. */
static void functions_visit(int (*visit)(Dwarf_Die *function, void *data),
			    void *data)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	while (!dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		Dwarf_Die unit;

		if (dwarf_offdie(dwarf, offset + header, &unit) &&
		    dwarf_srclang(&unit) != DW_LANG_Mips_Assembler)
			dwarf_getfuncs(&unit, visit, data, 0);
		offset = next;
	}
}

/* What is const says nothing of values, and not all declarations of a function say the same. */
static void const_remove(char *text)
{
	static const char word[] = "const";
	char *at;

	while ((at = strstr(text, word))) {
		size_t length = strlen(word) + (at[strlen(word)] == ' ');

		memmove(at, at + length, strlen(at + length) + 1);
	}
}

/* Up to the next comma, or the end. */
static size_t part_length(const char *text)
{
	const char *comma = strstr(text, ", ");

	return comma ? (size_t)(comma - text) : strcspn(text, ")");
}

/* Equal, or less is said of what is pointed to. */
static bool types_fit(const char *ours, const char *theirs)
{
	static const char unknown[] = "void *";

	for (;;) {
		size_t nr = part_length(ours), their_nr = part_length(theirs);

		if ((nr != their_nr || strncmp(ours, theirs, nr)) &&
		    !(nr == strlen(unknown) && !strncmp(ours, unknown, nr) &&
		      their_nr && theirs[their_nr - 1] == '*'))
			return false;
		if (ours[nr] != ',' || theirs[their_nr] != ',')
			return ours[nr] == theirs[their_nr];
		ours += nr + strlen(", ");
		theirs += their_nr + strlen(", ");
	}
}

#define NAMESAKES_MAX 64

/* Functions of one name: those with the types, and those that have code of their own. */
struct namesakes_seen {
	const char *name, *types;
	Dwarf_Off fitting[NAMESAKES_MAX], coded[NAMESAKES_MAX];
	size_t nr_fitting, nr_coded;
};

static int namesake_visit(Dwarf_Die *function, void *data)
{
	const char *name = dwarf_diename(function);
	struct namesakes_seen *seen = data;
	struct text text = {0};
	Dwarf_Die declaration;
	Dwarf_Addr entry;

	if (!name || strcmp(name, seen->name) ||
	    seen->nr_fitting == NAMESAKES_MAX ||
	    seen->nr_coded == NAMESAKES_MAX)
		return DWARF_CB_OK;
	declaration_of(function, &declaration);
	if (!dwarf_entrypc(function, &entry) && entry) {
		seen->coded[seen->nr_coded++] = dwarf_dieoffset(&declaration);
		return DWARF_CB_OK;
	}
	theirs_text(&text, function);
	const_remove(text.s);
	if (!strcmp(text.s, seen->types))
		seen->fitting[seen->nr_fitting++] = dwarf_dieoffset(function);
	text_free(&text);
	return DWARF_CB_OK;
}

/*
 * Is it the prototype of another function with this name, which is inlined wherever it is
 * called?  Then what made the type information has confused them, and nothing tells.
 */
static bool is_of_inlined(const char *name, const char *types)
{
	struct namesakes_seen seen = {.name = name, .types = types};
	bool coded;

	functions_visit(namesake_visit, &seen);
	for (size_t i = 0; i < seen.nr_fitting; i++) {
		coded = false;
		for (size_t k = 0; k < seen.nr_coded; k++)
			coded |= seen.coded[k] == seen.fitting[i];
		if (!coded)
			return true;
	}
	return false;
}

/* Does a value of the type fit into one register?  Void does. */
static bool is_register(Dwarf_Die *of)
{
	Dwarf_Word size;
	Dwarf_Die type;
	int tag;

	if (!type_of(of, &type) || !type_strip(&type))
		return true;
	tag = dwarf_tag(&type);
	return tag == DW_TAG_pointer_type ||
	       ((tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type) &&
		!dwarf_aggregate_size(&type, &size) && size <= 8);
}

/* Are all arguments in registers?  If not, no trampoline may stand between it and its caller. */
static bool is_in_registers(Dwarf_Die *declaration)
{
	bool all = is_register(declaration);
	unsigned int nr = 0;
	Dwarf_Die child;

	if (dwarf_child(declaration, &child))
		return all;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_formal_parameter:
			all = all && ++nr <= 6 && is_register(&child);
			break;
		case DW_TAG_unspecified_parameters:
			return false;
		}
	} while (!dwarf_siblingof(&child, &child));
	return all;
}

static void trampoline_compare(const char *name, Dwarf_Die *declaration)
{
	struct function_fields fields;
	struct arena arena = {0};

	if (!prototypes_function(&prototypes, name, "vmlinux", &fields,
				 &arena) &&
	    fields.in_registers && !is_in_registers(declaration)) {
		count.unsafe++;
		difference("%s: its arguments are not all in registers", name);
	}
	arena_destroy(&arena);
}

static void function_compare(const char *name, Dwarf_Die *function,
			     Dwarf_Addr entry)
{
	struct text theirs = {0}, ours = {0};
	struct arena arena = {0};
	Dwarf_Die declaration;
	bool inlined;

	if (ours_text(&ours, name)) {
		absent_count(name);
		return;
	}
	declaration_of(function, &declaration);
	trampoline_compare(name, &declaration);
	theirs_text(&theirs, &declaration);
	const_remove(ours.s);
	const_remove(theirs.s);
	count.compared++;
	if (types_fit(ours.s, theirs.s)) {
		arguments_compare(name, function, entry, &arena);
	} else {
		inlined = is_of_inlined(name, ours.s);
		count.inlined += inlined;
		count.differ += !inlined;
		difference(
			"%s: %s\n    is in DWARF %s%s", name, ours.s, theirs.s,
			inlined ? " (it is that of an inlined namesake)" : "");
	}
	text_free(&ours);
	text_free(&theirs);
	arena_destroy(&arena);
}

static int function_visit(Dwarf_Die *function, void *unused)
{
	const char *name = dwarf_diename(function);
	const struct symbol *symbol;
	Dwarf_Addr entry;

	if (!name || dwarf_entrypc(function, &entry) || !entry)
		return DWARF_CB_OK;
	for (symbol = symbol_at(entry);
	     symbol < symbols + nr_symbols && symbol->address == entry;
	     symbol++) {
		if (!strcmp(symbol->name, name)) {
			count.functions++;
			function_compare(name, function, entry);
			return DWARF_CB_OK;
		}
	}
	if (symbol_at(entry) < symbols + nr_symbols &&
	    symbol_at(entry)->address == entry &&
	    strchr(symbol_at(entry)->name, '.'))
		count.clones++;
	else
		count.others++;
	return DWARF_CB_OK;
}

static void base_open(const char *path, const char *symbols_path)
{
	prototypes.symbols = symbols_path;
	base.module = "vmlinux";
	base.first = 1;
	base.btf = btf__parse(path, NULL);
	if (!base.btf)
		fail("it has no type information (BTF)");
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 3)
		fail("usage: dwarf VMLINUX SYMBOLS");
	elf_version(EV_CURRENT);
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fail(strerror(errno));
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (!dwarf)
		fail("it has no debug information (DWARF)");
	symbols_read(dwarf_getelf(dwarf));
	base_open(argv[1], argv[2]);
	functions_visit(function_visit, NULL);
	printf("functions %zu: same %zu, differ %zu, of inlined namesakes %zu, "
	       "without types %zu, with namesakes %zu\n",
	       count.functions, count.compared - count.differ - count.inlined,
	       count.differ, count.inlined, count.unknown, count.ambiguous);
	printf("clones %zu, others %zu, not in registers %zu\n", count.clones,
	       count.others, count.unsafe);
	printf("arguments %zu: compared %zu, elsewhere %zu, other values %zu\n",
	       count.arguments, count.placed, count.misplaced, count.missized);
	dwarf_end(dwarf);
	close(fd);
	return count.differ || count.misplaced || count.missized ||
	       count.unsafe;
}
