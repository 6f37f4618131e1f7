// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What differs between languages: debug_language.h. */
#include <dwarf.h>

#include "debug_language.h"

static bool is_c(int language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: /* C17 */
		return true;
	default:
		return language == -1;
	}
}

static bool is_cxx(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* What is no more than its members, which are numbers, is passed as in C. */
static bool is_plain(Dwarf_Die *class)
{
	Dwarf_Die child, type;

	if (dwarf_child(class, &child))
		return true;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
		case DW_TAG_inheritance:
			return false;
		case DW_TAG_member:
			if (debug_type_die(&child, &type) &&
			    debug_type_peel(&type) &&
			    (debug_is_struct(dwarf_tag(&type)) ||
			     dwarf_tag(&type) == DW_TAG_array_type))
				return false;
		}
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

bool debug_is_passed_as_in_c(Dwarf_Die *of)
{
	Dwarf_Die unit, type;
	int language =
		dwarf_diecu(of, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;

	if (is_c(language))
		return true;
	if (language == DW_LANG_Go)
		return false;
	if (!debug_type_die(of, &type) || !debug_type_peel(&type) ||
	    !debug_is_struct(dwarf_tag(&type)))
		return true;
	return is_cxx(language) && is_plain(&type);
}

bool debug_unit_is_c(Dwarf_Die *unit)
{
	int language = dwarf_srclang(unit);

	return language != -1 && is_c(language);
}

bool debug_is_c(struct debug_code *code, uint64_t address)
{
	Dwarf_Die *unit = debug_unit(code, address);

	return unit && debug_unit_is_c(unit);
}
