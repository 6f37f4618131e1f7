// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where variables are: debug_location.h.
 *
 * DWARF has a stack machine for that.  It is run here over what is known only later: each value on
 * its stack is a number, a register times a number and plus a number, or words.  What words cannot
 * say is refused.  There are no jumps, so it ends.
 */
#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_location.h"
#include "debug_term.h"

#define STACK_MAX 16
/* What the kernel takes (kernel/source/probe/fetch.h). */
#define STEPS_MAX 12

static const char entry_why[] =
	"it is known only by what it was when the function began: probe there";
static const char computed_why[] =
	"it is computed here in a way that a probe cannot repeat: name "
	"registers, as %di";
static const char float_why[] =
	"it is in a register for floating point numbers, which probes do not "
	"see";
static const char base_why[] =
	"nobody knows where the file is in memory, so what has a fixed address "
	"in it cannot be found";
static const char thread_why[] = "each thread has one of its own: they have no "
				 "fixed address";
static const char cpu_why[] =
	"each CPU has one of its own: it has no fixed address";
static const char init_why[] = "it was only there at the beginning";
static const char unloaded_why[] =
	"each CPU has its own, or it is not in memory any more";
static const char broken_why[] = "the debugging information makes no sense";
static const char pointer_why[] = "what it points to is optimised out here";

/* ---- the stack --------------------------------------------------------------- */

struct machine {
	struct debug_code *code;
	const struct debug_where *where;
	Dwarf_Die *function;
	Dwarf_Attribute *attribute; /* NULL: rules of a frame */
	bool framed; /* it is the beginning of the frame that is asked for */
	struct debug_term stack[STACK_MAX];
	unsigned int nr;
	const char *why;
};

/* DWARF's numbers (System V ABI, figure 3.36). */
static const char *register_name(uint64_t number)
{
	static const char *const names[] = {"ax",  "dx",  "cx",	 "bx",	"si",
					    "di",  "bp",  "sp",	 "r8",	"r9",
					    "r10", "r11", "r12", "r13", "r14",
					    "r15", "ip"};

	return number < sizeof(names) / sizeof(*names) ? names[number] : NULL;
}

static bool push(struct machine *m, const struct debug_term *t)
{
	if (m->nr == STACK_MAX)
		return false;
	m->stack[m->nr++] = *t;
	return true;
}

static bool number_push(struct machine *m, uint64_t number)
{
	const struct debug_term t = {.number = number, .scale = 1};

	return push(m, &t);
}

static bool register_push(struct machine *m, uint64_t number, uint64_t offset)
{
	const struct debug_term t = {
		.of = register_name(number),
		.scale = 1,
		.number = offset,
	};

	m->why = t.of ? m->why : float_why;
	return t.of && push(m, &t);
}

/* Why nothing is at the address of a variable; NULL: it may be there. */
static const char *nowhere(struct debug_code *code, uint64_t address)
{
	const char *section = debug_code_section(code, address);

	/* In sections of these names, an address is an offset in what each CPU has. */
	if (section && !strncmp(section, ".data..percpu", 13))
		return cpu_why;
	if (section && !strncmp(section, ".init.", 6))
		return init_why;
	/* What is not in memory has an address in the file, or none. */
	if (code->loaded && !(address >> 63))
		return unloaded_why;
	return debug_is_gone(address) ? broken_why : NULL;
}

/* A mark such as __bss_start may have the address of a variable, and no copy of it is made. */
static bool is_variable(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size;
}

/*
 * Other files may use what a library exports.  Then it reads the address from its own table, because
 * the program may have a copy that all use.  Where in that table; 0: the library uses its own one.
 */
static uint64_t slot_find(Elf *elf, uint64_t address)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;
	GElf_Rela entry;
	Elf_Data *data, *symbols;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    header.sh_type != SHT_RELA || !header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		symbols = elf_getdata(elf_getscn(elf, header.sh_link), NULL);
		for (int i = 0; data && symbols && i < INT32_MAX &&
				gelf_getrela(data, i, &entry);
		     i++)
			if (GELF_R_TYPE(entry.r_info) == R_X86_64_GLOB_DAT &&
			    gelf_getsym(symbols, GELF_R_SYM(entry.r_info),
					&symbol) &&
			    symbol.st_shndx != SHN_UNDEF &&
			    symbol.st_value == address && is_variable(&symbol))
				return entry.r_offset;
	}
	return 0;
}

static bool fixed_push(struct machine *m, uint64_t address)
{
	const struct debug_where *where = m->where;

	m->why = nowhere(m->code, address);
	if (m->why)
		return false;
	switch (m->code->dwfl && !m->code->loaded ? DEBUG_BASE_NONE
						  : where->base) {
	case DEBUG_BASE_KNOWN:
		return number_push(m, address + where->slide);
	case DEBUG_BASE_IP:
		return register_push(m, 16, address - where->address);
	default:
		m->why = base_why;
		return false;
	}
}

static bool address_push(struct machine *m, uint64_t address)
{
	struct debug_term *t;
	uint64_t slot;

	m->why = nowhere(m->code, address);
	if (m->why)
		return false;
	slot = m->code->dwfl ? 0 : slot_find(m->code->program, address);
	if (!slot)
		return fixed_push(m, address);
	if (!fixed_push(m, slot))
		return false;
	t = &m->stack[m->nr - 1];
	return debug_term_settle(t) && debug_words_add(t->words, " @8");
}

/* ---- frames -------------------------------------------------------------------- */

static bool op_run(struct machine *m, const Dwarf_Op *op);

static bool ops_run(struct machine *m, const Dwarf_Op *ops, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!op_run(m, &ops[i]))
			return false;
	return true;
}

/* Kernels have the one kind of rules, programs the other. */
static Dwarf_Frame *frame_find(struct debug_code *code, uint64_t address)
{
	Dwarf_CFI *debug = dwarf_getcfi(code->dwarf);
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr bias;

	if (debug && !dwarf_cfi_addrframe(debug, address, &frame))
		return frame;
	if (!code->framed && !code->dwfl)
		code->frames = dwarf_getcfi_elf(code->program);
	code->framed = true;
	debug = code->dwfl ? dwfl_module_eh_cfi(code->module, &bias)
			   : code->frames;
	return debug && !dwarf_cfi_addrframe(debug, address, &frame) ? frame
								     : NULL;
}

static bool cfa_push(struct machine *m)
{
	Dwarf_Frame *frame =
		m->framed ? NULL : frame_find(m->code, m->where->address);
	Dwarf_Attribute *attribute = m->attribute;
	Dwarf_Op *ops;
	size_t nr;
	bool good = frame && !dwarf_frame_cfa(frame, &ops, &nr) && nr;

	m->framed = true;
	m->attribute = NULL;
	good = good && ops_run(m, ops, nr);
	m->framed = false;
	m->attribute = attribute;
	free(frame);
	if (!good && !m->why)
		m->why = "nobody knows where the function's frame is";
	return good;
}

static bool frame_push(struct machine *m, uint64_t offset)
{
	Dwarf_Attribute base, *attribute = m->attribute;
	const struct debug_term by = {.number = offset, .scale = 1};
	unsigned int before = m->nr;
	Dwarf_Op *ops;
	size_t nr;
	bool good;

	if (m->framed || !m->function ||
	    !dwarf_attr_integrate(m->function, DW_AT_frame_base, &base) ||
	    dwarf_getlocation_addr(&base, m->where->address, &ops, &nr, 1) !=
		    1 ||
	    !nr)
		return false;
	/* Here it is what the register has, and not where a variable is. */
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		return register_push(m, ops->atom - DW_OP_reg0, offset);
	if (nr == 1 && ops->atom == DW_OP_call_frame_cfa) {
		good = cfa_push(m);
	} else {
		m->framed = true;
		m->attribute = &base;
		good = ops_run(m, ops, nr);
		m->framed = false;
		m->attribute = attribute;
	}
	return good && m->nr > before &&
	       debug_term_add(&m->stack[m->nr - 1], &by);
}

/* ---- operations ------------------------------------------------------------------ */

/* The topmost two become one. */
static bool binary_run(struct machine *m, uint8_t atom)
{
	struct debug_term *a, *b;

	if (m->nr < 2)
		return false;
	a = &m->stack[m->nr - 2];
	b = &m->stack[m->nr - 1];
	m->nr--;
	switch (atom) {
	case DW_OP_plus:
		return debug_term_add(a, b);
	case DW_OP_minus:
		b->number = -b->number;
		return debug_term_is_number(b) && debug_term_add(a, b);
	case DW_OP_mul:
		if (debug_term_is_number(a)) {
			struct debug_term swapped = *a;

			*a = *b;
			*b = swapped;
		}
		return debug_term_is_number(b) &&
		       debug_term_multiply(a, b->number);
	case DW_OP_shl:
		return debug_term_is_number(b) &&
		       debug_term_shift_left(a, b->number);
	case DW_OP_shr:
		return debug_term_is_number(b) &&
		       debug_term_shift_right(a, b->number, false);
	case DW_OP_shra:
		return debug_term_is_number(b) &&
		       debug_term_shift_right(a, b->number, true);
	case DW_OP_and:
		if (debug_term_is_number(a)) {
			struct debug_term swapped = *a;

			*a = *b;
			*b = swapped;
		}
		return debug_term_is_number(b) && debug_term_and(a, b->number);
	case DW_OP_or:
		a->number |= b->number;
		break;
	default:
		a->number ^= b->number;
	}
	return debug_term_is_number(a) && debug_term_is_number(b);
}

static bool order_run(struct machine *m, const Dwarf_Op *op)
{
	unsigned int from = op->atom == DW_OP_over   ? 1
			    : op->atom == DW_OP_pick ? op->number
						     : 0;
	struct debug_term top;

	if (op->atom == DW_OP_swap) {
		if (m->nr < 2)
			return false;
		top = m->stack[m->nr - 1];
		m->stack[m->nr - 1] = m->stack[m->nr - 2];
		m->stack[m->nr - 2] = top;
		return true;
	}
	if (op->number > STACK_MAX || m->nr <= from)
		return false;
	return push(m, &m->stack[m->nr - 1 - from]);
}

static bool unary_run(struct machine *m, const Dwarf_Op *op)
{
	const struct debug_term by = {.number = op->number, .scale = 1};
	struct debug_term *t = &m->stack[m->nr - 1];
	unsigned int size = op->atom == DW_OP_deref ? 8 : op->number;

	if (!m->nr)
		return false;
	switch (op->atom) {
	case DW_OP_plus_uconst:
		return debug_term_add(t, &by);
	case DW_OP_deref:
	case DW_OP_deref_size:
		return (size == 1 || size == 2 || size == 4 || size == 8) &&
		       debug_term_settle(t) &&
		       debug_words_add(t->words, " @%u", size);
	case DW_OP_neg:
		t->number = -t->number;
		return debug_term_is_number(t);
	case DW_OP_not:
		t->number = ~t->number;
		return debug_term_is_number(t);
	default:
		m->nr--;
		return true;
	}
}

static bool indexed_push(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute result;
	Dwarf_Addr address;

	return m->attribute &&
	       !dwarf_getlocation_attr(m->attribute, op, &result) &&
	       !dwarf_formaddr(&result, &address) && address_push(m, address);
}

static bool refuse(struct machine *m, const char *why)
{
	m->why = why;
	return false;
}

/*
 * What is on the stack becomes a number of a type, which keeps its value when it becomes one of a
 * larger type.
 */
static bool convert_run(struct machine *m, const Dwarf_Op *op)
{
	uint64_t size = 0, encoding = 0;
	Dwarf_Die type;

	/* Without a type: the machine's own. */
	if ((op->atom == DW_OP_convert || op->atom == DW_OP_GNU_convert) &&
	    !op->number)
		return m->nr;
	if (!m->nr || !m->attribute ||
	    dwarf_getlocation_die(m->attribute, op, &type) ||
	    !debug_number(&type, DW_AT_byte_size, &size) || !size || size > 8)
		return false;
	debug_number(&type, DW_AT_encoding, &encoding);
	if (encoding != DW_ATE_signed && encoding != DW_ATE_signed_char &&
	    encoding != DW_ATE_unsigned && encoding != DW_ATE_unsigned_char &&
	    encoding != DW_ATE_boolean)
		return false;
	return size == 8 ||
	       debug_term_narrow(&m->stack[m->nr - 1], 8 * size,
				 encoding == DW_ATE_signed ||
					 encoding == DW_ATE_signed_char);
}

static bool op_run(struct machine *m, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return number_push(m, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return register_push(m, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return number_push(m, op->number);
	case DW_OP_bregx:
		return register_push(m, op->number, op->number2);
	case DW_OP_fbreg:
		return frame_push(m, op->number);
	case DW_OP_call_frame_cfa:
		return cfa_push(m);
	case DW_OP_addr:
		return address_push(m, op->number);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return indexed_push(m, op);
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
		return binary_run(m, atom);
	case DW_OP_plus_uconst:
	case DW_OP_deref:
	case DW_OP_deref_size:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_drop:
		return unary_run(m, op);
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
		return order_run(m, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return convert_run(m, op);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return register_push(m, op->number, 0) && convert_run(m, op);
	case DW_OP_nop:
		return true;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return refuse(m, thread_why);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return refuse(m, entry_why);
	default:
		return refuse(m, computed_why);
	}
}

/* ---- pieces ---------------------------------------------------------------------- */

/* The kernel refuses more, and so do all steps that come behind them. */
static bool has_few_steps(const char *words)
{
	unsigned int steps = 0;

	for (; *words; words++)
		steps += strchr("+-&>@", *words) && words[1] != '>';
	return steps <= STEPS_MAX;
}

static struct debug_piece *piece_add(struct debug_location *l)
{
	struct debug_piece *piece = &l->pieces[l->nr];

	if (l->nr == DEBUG_PIECES)
		return NULL;
	*piece = (struct debug_piece){0};
	if (l->nr)
		piece->begin = piece[-1].begin + piece[-1].size;
	l->nr++;
	return piece;
}

/* A value of so many bytes that the file itself has. */
static bool bytes_add(struct debug_location *l, const void *bytes, size_t size)
{
	struct debug_piece *piece;
	uint64_t number;
	size_t part;

	if (!size)
		return false;
	for (size_t at = 0; at < size; at += part) {
		part = size - at < 8 ? size - at : 8;
		number = 0;
		memcpy(&number, (const char *)bytes + at, part);
		piece = piece_add(l);
		if (!piece)
			return false;
		piece->is_value = true;
		piece->size = size <= 8 ? 0 : part;
		debug_words_add(piece->words, "ip 0 &");
		debug_number_add(piece->words, number);
	}
	return true;
}

/* A register that is no address, but has the variable. */
static bool register_add(struct machine *m, struct debug_location *l,
			 uint64_t number)
{
	const char *name = register_name(number);
	struct debug_piece *piece = piece_add(l);

	if (!name || !piece)
		return refuse(m, name ? computed_why : float_why);
	piece->is_value = true;
	return debug_words_add(piece->words, "%s", name);
}

/* What is on the stack. */
static bool term_take(struct machine *m, struct debug_location *l,
		      bool is_value)
{
	struct debug_piece *piece = m->nr ? piece_add(l) : NULL;

	if (!piece)
		return false;
	piece->is_value = is_value;
	m->nr--;
	return debug_term_write(&m->stack[m->nr], piece->words) &&
	       has_few_steps(piece->words);
}

static bool implicit_add(struct machine *m, struct debug_location *l,
			 const Dwarf_Op *op)
{
	Dwarf_Block block;

	return m->attribute &&
	       !dwarf_getlocation_implicit_value(m->attribute, op, &block) &&
	       bytes_add(l, block.data, block.length);
}

/* Runs up to the end of a piece, or the last one.  Returns how many operations that were; 0: error. */
static size_t piece_run(struct machine *m, struct debug_location *l,
			const Dwarf_Op *ops, size_t nr)
{
	unsigned int before = l->nr;
	size_t i;

	for (i = 0; i < nr; i++) {
		const Dwarf_Op *op = &ops[i];
		uint8_t atom = op->atom;
		bool good = true;

		if (atom == DW_OP_piece ||
		    (atom == DW_OP_bit_piece && !op->number2)) {
			uint64_t size = op->number;

			if (atom == DW_OP_bit_piece && size % 8)
				return 0;
			if (l->nr == before && m->nr)
				good = term_take(m, l, false);
			else if (l->nr == before) /* it is nowhere */
				good = piece_add(l);
			if (!good || l->nr != before + 1)
				return 0;
			l->pieces[before].size =
				atom == DW_OP_piece ? size : size / 8;
			return l->pieces[before].size ? i + 1 : 0;
		}
		if (l->nr != before)
			return 0;
		if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
			good = register_add(m, l, atom - DW_OP_reg0);
		else if (atom == DW_OP_regx)
			good = register_add(m, l, op->number);
		else if (atom == DW_OP_implicit_value)
			good = implicit_add(m, l, op);
		else if (atom == DW_OP_stack_value)
			good = term_take(m, l, true);
		else if (atom == DW_OP_implicit_pointer ||
			 atom == DW_OP_GNU_implicit_pointer)
			good = refuse(m, pointer_why);
		else
			good = op_run(m, op);
		if (!good)
			return 0;
	}
	if (l->nr == before && !term_take(m, l, false))
		return 0;
	return i;
}

static int location_run(struct machine *m, struct debug_location *l,
			const Dwarf_Op *ops, size_t nr)
{
	bool some = false;
	size_t done;

	while (nr) {
		done = piece_run(m, l, ops, nr);
		if (!done) {
			l->why = m->why ?: computed_why;
			return -EINVAL;
		}
		ops += done;
		nr -= done;
		m->nr = 0;
	}
	for (unsigned int i = 0; i < l->nr; i++)
		some |= *l->pieces[i].words;
	return some ? 0 : -ENOENT;
}

/* Without a location it may always have the same value. */
static int constant_find(Dwarf_Die *variable, struct debug_location *l)
{
	Dwarf_Attribute attribute;
	Dwarf_Block block;
	uint64_t value;

	if (debug_constant(variable, &value))
		return bytes_add(l, &value, sizeof(value)) ? 0 : -ENOENT;
	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attribute))
		return -ENOENT;
	if (dwarf_formblock(&attribute, &block) ||
	    !bytes_add(l, block.data, block.length)) {
		l->why = computed_why;
		return -EINVAL;
	}
	return 0;
}

int debug_location_find(struct debug_code *code,
			const struct debug_where *where, Dwarf_Die *function,
			Dwarf_Die *variable, struct debug_location *location)
{
	Dwarf_Attribute attribute;
	struct machine m = {
		.code = code,
		.where = where,
		.function = function,
		.attribute = &attribute,
	};
	Dwarf_Op *ops;
	size_t nr;

	location->nr = 0;
	location->why = NULL;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return constant_find(variable, location);
	/* If several ranges of addresses have this one, they say the same. */
	if (dwarf_getlocation_addr(&attribute, where->address, &ops, &nr, 1) !=
		    1 ||
	    !nr)
		return -ENOENT;
	return location_run(&m, location, ops, nr);
}

/* ---- elsewhere --------------------------------------------------------------------- */

uint64_t debug_location_next(struct debug_code *code,
			     const struct debug_where *where,
			     Dwarf_Die *function, Dwarf_Die *variable)
{
	struct debug_where there = *where;
	struct debug_location location;
	Dwarf_Addr base, begin, end;
	Dwarf_Attribute attribute;
	uint64_t found = 0;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return 0;
	while (code->budget &&
	       (at = dwarf_getlocations(&attribute, at, &base, &begin, &end,
					&ops, &nr)) > 0) {
		code->budget--;
		if (begin >= end || begin <= where->address ||
		    (found && begin >= found))
			continue;
		there.address = begin;
		if (!debug_location_find(code, &there, function, variable,
					 &location))
			found = begin;
	}
	return found;
}

/* The rule of the frame alone, which holds from the first instruction on. */
static bool has_cfa(Dwarf_Die *function)
{
	Dwarf_Attribute base;
	Dwarf_Op *ops;
	size_t nr;

	return function &&
	       dwarf_attr_integrate(function, DW_AT_frame_base, &base) &&
	       !dwarf_getlocation(&base, &ops, &nr) && nr == 1 &&
	       ops->atom == DW_OP_call_frame_cfa;
}

bool debug_location_is_late(Dwarf_Die *function, Dwarf_Die *parameter)
{
	/* Registers of arguments. */
	static const uint8_t passed[] = {5, 4, 1, 2, 8, 9};
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	/* A list of places says where it is first. */
	if (!dwarf_attr_integrate(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &nr))
		return false;
	if (nr != 1)
		return nr;
	for (size_t i = 0; i < sizeof(passed); i++)
		if (ops->atom == DW_OP_reg0 + passed[i])
			return false;
	/* The caller's part of the stack. */
	return ops->atom != DW_OP_fbreg || (int64_t)ops->number < 0 ||
	       !has_cfa(function);
}
