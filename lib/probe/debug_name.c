// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names in a file: in which units the source has them, and functions of the table of symbols. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "debug_code.h"
#include "symbol/section.h"

/* ---- names ----------------------------------------------------------------- */

/* Fewer units are looked at as fast. */
#define UNITS_FEW 16
/* One bit for the lower bits of each word that is looked for. */
#define SIEVE_BITS 18

/* What an entry of a name has among its bytes. */
struct needle {
	const char *name;
	size_t length;
	uint32_t beginning; /* of the name, if it is there itself */
	uint32_t *
		offsets; /* else one of these, in the section of texts; sorted */
	size_t nr;
	unsigned char sieve[1 << (SIEVE_BITS - 3)];
};

static Elf_Data *section_data(Elf *elf, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = section_named(elf, name, &header);

	return section && !(header.sh_flags & SHF_COMPRESSED)
		       ? elf_getdata(section, NULL)
		       : NULL;
}

static uint32_t word_at(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static void needle_sieve(struct needle *n, uint32_t word)
{
	word &= (1u << SIEVE_BITS) - 1;
	n->sieve[word / 8] |= 1 << word % 8;
}

static int offset_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A text may be the end of a longer one, because linkers keep both once. */
static int needle_make(struct needle *n, const Elf_Data *texts)
{
	const char *begin = texts->d_buf, *at = begin, *end;
	uint32_t *more;

	end = begin + texts->d_size;
	n->beginning = word_at(n->name);
	needle_sieve(n, n->beginning);
	while ((at = memmem(at, end - at, n->name, n->length + 1))) {
		more = array_grow(n->offsets, n->nr, sizeof(*more));
		if (!more)
			return -ENOMEM;
		n->offsets = more;
		more[n->nr] = at - begin;
		needle_sieve(n, more[n->nr++]);
		at++;
	}
	if (n->nr)
		qsort(n->offsets, n->nr, sizeof(*n->offsets), offset_compare);
	return 0;
}

static bool needle_is_in(const struct needle *n, const char *at,
			 const char *end)
{
	uint32_t word;

	for (; end - at >= (ptrdiff_t)sizeof(word); at++) {
		uint32_t low;

		word = word_at(at);
		low = word & ((1u << SIEVE_BITS) - 1);
		if (!(n->sieve[low / 8] & 1 << low % 8))
			continue;
		if (word == n->beginning && (size_t)(end - at) > n->length &&
		    !memcmp(at, n->name, n->length + 1))
			return true;
		if (n->nr && bsearch(&word, n->offsets, n->nr,
				     sizeof(*n->offsets), offset_compare))
			return true;
	}
	return false;
}

bool *debug_units_named(struct debug_code *code, const char *name,
			size_t length)
{
	Elf_Data *entries = section_data(code->elf, ".debug_info");
	Elf_Data *texts = section_data(code->elf, ".debug_str");
	struct needle *n = NULL;
	bool *named = NULL;
	char *own = NULL;

	/* Tables of numbers stand for texts, or they are in another file. */
	if (code->nr_units < UNITS_FEW || code->dwfl || !entries || !texts ||
	    !entries->d_buf || !texts->d_buf || length + 1 < sizeof(uint32_t) ||
	    section_data(code->elf, ".debug_str_offsets") ||
	    section_data(code->elf, ".gnu_debugaltlink"))
		return NULL;
	n = calloc(1, sizeof(*n));
	own = strndup(name, length);
	named = calloc(code->nr_units, sizeof(*named));
	if (n && own && named) {
		n->name = own;
		n->length = length;
	}
	if (!n || !own || !named || needle_make(n, texts)) {
		free(named);
		named = NULL;
	}
	for (size_t i = 0; named && i < code->nr_units; i++) {
		size_t from = dwarf_dieoffset(&code->units[i]);
		size_t to = i + 1 < code->nr_units
				    ? dwarf_dieoffset(&code->units[i + 1])
				    : entries->d_size;

		/* They are in the order of the file. */
		named[i] = from > to || to > entries->d_size ||
			   needle_is_in(n, (char *)entries->d_buf + from,
					(char *)entries->d_buf + to);
	}
	if (n)
		free(n->offsets);
	free(n);
	free(own);
	return named;
}

/* ---- symbols --------------------------------------------------------------- */

/* So many may be within each other, or have one place. */
#define SYMBOLS_NEAR 64

static int symbol_add(struct debug_code *code, const GElf_Sym *symbol,
		      const char *name)
{
	struct debug_symbol *more;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_size ||
	    !name || symbol->st_value + symbol->st_size < symbol->st_value)
		return 0;
	more = array_grow(code->symbols, code->nr_symbols, sizeof(*more));
	if (!more)
		return -ENOMEM;
	code->symbols = more;
	more[code->nr_symbols++] = (struct debug_symbol){
		.begin = symbol->st_value,
		.end = symbol->st_value + symbol->st_size,
		.name = name,
		.is_global = GELF_ST_BIND(symbol->st_info) == STB_GLOBAL,
	};
	return 0;
}

static void symbols_add(struct debug_code *code, Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	Elf_Data *data;
	size_t nr;
	int err = 0;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		nr = data ? data->d_size /
				     gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT)
			  : 0;
		for (size_t i = 0; !err && i < nr && i < INT32_MAX; i++) {
			if (!gelf_getsym(data, i, &symbol))
				break;
			err = symbol_add(code, &symbol,
					 elf_strptr(elf, header.sh_link,
						    symbol.st_name));
		}
	}
}

/* A global name is more than a local one, so it is the last of one place. */
static int symbol_compare(const void *a, const void *b)
{
	const struct debug_symbol *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->is_global - y->is_global;
}

static const char *linked_symbol(struct debug_code *code, uint64_t address,
				 uint64_t *offset)
{
	size_t low = 0, high, end;

	if (!code->symbols) {
		symbols_add(code, code->elf);
		if (code->program != code->elf)
			symbols_add(code, code->program);
		if (code->symbols)
			qsort(code->symbols, code->nr_symbols,
			      sizeof(*code->symbols), symbol_compare);
	}
	high = code->nr_symbols;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (code->symbols[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	end = low > SYMBOLS_NEAR ? low - SYMBOLS_NEAR : 0;
	while (low-- > end) {
		if (address >= code->symbols[low].end)
			continue;
		*offset = address - code->symbols[low].begin;
		return code->symbols[low].name;
	}
	return NULL;
}

const char *debug_code_symbol(struct debug_code *code, uint64_t address,
			      uint64_t *offset)
{
	GElf_Off behind = 0;
	const char *name;
	GElf_Sym symbol;

	if (!code->module)
		return linked_symbol(code, address, offset);
	name = dwfl_module_addrinfo(code->module, address, &behind, &symbol,
				    NULL, NULL, NULL);
	*offset = behind;
	return name;
}

/* ---- places of the file -------------------------------------------------------- */

const char *debug_code_section(struct debug_code *code, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(code->elf, &names))
		return NULL;
	while ((section = elf_nextscn(code->elf, section)))
		if (gelf_getshdr(section, &header) &&
		    header.sh_flags & SHF_ALLOC && address >= header.sh_addr &&
		    address - header.sh_addr < header.sh_size)
			return elf_strptr(code->elf, names, header.sh_name);
	return NULL;
}

bool debug_code_address(struct debug_code *code, const char *name,
			uint64_t *address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	const char *own;
	Elf_Data *data;

	while ((section = elf_nextscn(code->elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    header.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			own = elf_strptr(code->elf, header.sh_link,
					 symbol.st_name);
			if (!own || strcmp(own, name))
				continue;
			*address = symbol.st_value;
			return true;
		}
	}
	return false;
}
