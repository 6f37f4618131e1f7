// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Compilers and assemblers write few kinds of expressions into call frame information.  Each of
 * them is known here by its operations; any other one is KT_UNWIND_UNKNOWN.
 */
#include <dwarf.h>

#include "dwarf_reader.h"
#include "frame_rule.h"
#include "unwind_table.h"

#define WORD 8

/* Where the kernel stores registers for a signal handler (core/unwind.c). */
#define SIGNAL_RSP 160
#define SIGNAL_RIP 168

/* register + offset, or *(register + offset) + addend */
struct address {
	unsigned int base;
	int64_t offset;
	bool load;
	uint64_t addend;
};

static bool address_parse(const struct frame_expression *expression,
			  struct address *address)
{
	struct dwarf_reader reader = {
		.at = expression->bytes,
		.end = expression->bytes + expression->size,
	};
	unsigned int op = dwarf_fixed(&reader, 1);

	if (op < DW_OP_breg0 || op > DW_OP_breg15)
		return false;
	*address = (struct address){
		.base = op - DW_OP_breg0,
		.offset = dwarf_signed(&reader),
	};
	if (reader.at < reader.end) {
		address->load = true;
		if (dwarf_fixed(&reader, 1) != DW_OP_deref)
			return false;
	}
	if (reader.at < reader.end) {
		if (dwarf_fixed(&reader, 1) != DW_OP_plus_uconst)
			return false;
		address->addend = dwarf_unsigned(&reader);
	}
	return !reader.bad && reader.at == reader.end;
}

static bool offset_fits(int64_t offset)
{
	return offset % WORD == 0 && offset / WORD >= KT_UNWIND_OFFSET_MIN &&
	       offset / WORD <= KT_UNWIND_OFFSET_MAX;
}

static int place_code(const struct frame_place *place)
{
	if (place->how == FRAME_SAME)
		return KT_UNWIND_SAME;
	if (place->how == FRAME_STORED && place->offset % WORD == 0 &&
	    place->offset / WORD >= KT_UNWIND_PLACE_MIN &&
	    place->offset / WORD <= KT_UNWIND_PLACE_MAX)
		return place->offset / WORD;
	return KT_UNWIND_LOST;
}

/* The kernel's frame of a signal, as the C library's __restore_rt describes it. */
static uint64_t signal_rule(const struct frame_state *state)
{
	struct address cfa, rip;

	if (state->cfa.bytes && address_parse(&state->cfa, &cfa) && cfa.load &&
	    cfa.base == FRAME_RSP && cfa.offset == SIGNAL_RSP && !cfa.addend &&
	    state->rip.how == FRAME_STORED_BY &&
	    address_parse(&state->rip.expression, &rip) && !rip.load &&
	    rip.base == FRAME_RSP && rip.offset == SIGNAL_RIP)
		return KT_UNWIND_SIGNAL;
	return KT_UNWIND_UNKNOWN;
}

/*
 * A procedure linkage table has entries of 16 bytes.  Each pushes a word somewhere, so its
 * CFA is rsp + 8 + ((rip & 15) >= where) * 8.
 */
static bool plt_parse(const struct frame_expression *expression,
		      int64_t *offset, unsigned int *where)
{
	static const uint8_t middle[] = {DW_OP_breg16, 0, DW_OP_lit15,
					 DW_OP_and};
	static const uint8_t end[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl,
				      DW_OP_plus};
	struct dwarf_reader reader = {
		.at = expression->bytes,
		.end = expression->bytes + expression->size,
	};
	const uint8_t *found;
	unsigned int op;

	if (dwarf_fixed(&reader, 1) != DW_OP_breg7)
		return false;
	*offset = dwarf_signed(&reader);
	found = dwarf_block(&reader, sizeof(middle));
	if (!found || memcmp(found, middle, sizeof(middle)))
		return false;
	op = dwarf_fixed(&reader, 1);
	if (op < DW_OP_lit0 || op > DW_OP_lit15)
		return false;
	*where = op - DW_OP_lit0;
	found = dwarf_block(&reader, sizeof(end));
	return found && !memcmp(found, end, sizeof(end)) &&
	       reader.at == reader.end && offset_fits(*offset);
}

static uint64_t expression_rule(const struct frame_state *state)
{
	int rbp = place_code(&state->rbp), rbx = place_code(&state->rbx);
	struct address cfa, place;
	unsigned int where;
	int64_t offset;

	if (plt_parse(&state->cfa, &offset, &where))
		return kt_unwind_rule(KT_UNWIND_PLT, offset / WORD, rbp, rbx,
				      where);
	if (!address_parse(&state->cfa, &cfa) || !offset_fits(cfa.offset) ||
	    cfa.addend % WORD || cfa.addend / WORD > 0xff)
		return KT_UNWIND_UNKNOWN;
	if (!cfa.load)
		return kt_unwind_rule(KT_UNWIND_REGISTER, cfa.offset / WORD,
				      rbp, rbx, cfa.base);
	if (cfa.base == FRAME_RSP)
		return kt_unwind_rule(KT_UNWIND_AT_RSP, cfa.offset / WORD, rbp,
				      rbx, cfa.addend / WORD);
	if (cfa.base != FRAME_RBP)
		return KT_UNWIND_UNKNOWN;
	/* A function that realigns its frame has the caller's rbp where its own points. */
	if (state->rbp.how == FRAME_STORED_BY &&
	    address_parse(&state->rbp.expression, &place) && !place.load &&
	    place.base == FRAME_RBP && !place.offset)
		rbp = KT_UNWIND_AT_BASE;
	return kt_unwind_rule(KT_UNWIND_AT_RBP, cfa.offset / WORD, rbp, rbx,
			      cfa.addend / WORD);
}

uint64_t frame_rule(const struct frame_state *state, bool signal)
{
	int rbp = place_code(&state->rbp), rbx = place_code(&state->rbx);

	if (state->rip.how == FRAME_UNDEFINED)
		return KT_UNWIND_END;
	if (signal)
		return signal_rule(state);
	if (state->rsp.how != FRAME_SAME)
		return KT_UNWIND_UNKNOWN;
	if (!state->cfa.bytes && !offset_fits(state->offset))
		return KT_UNWIND_UNKNOWN;
	if (state->rip.how == FRAME_IN_REGISTER && !state->cfa.bytes &&
	    state->base == FRAME_RSP && state->rip.offset >= 0 &&
	    state->rip.offset < KT_UNWIND_REGISTERS)
		return kt_unwind_rule(KT_UNWIND_LINK, state->offset / WORD, rbp,
				      rbx, state->rip.offset);
	if (state->rip.how != FRAME_STORED || state->rip.offset != -WORD)
		return KT_UNWIND_UNKNOWN;
	if (state->cfa.bytes)
		return expression_rule(state);
	if (state->base == FRAME_RSP)
		return kt_unwind_rule(KT_UNWIND_RSP, state->offset / WORD, rbp,
				      rbx, 0);
	if (state->base == FRAME_RBP)
		return kt_unwind_rule(KT_UNWIND_RBP, state->offset / WORD, rbp,
				      rbx, 0);
	if (state->base < KT_UNWIND_REGISTERS)
		return kt_unwind_rule(KT_UNWIND_REGISTER, state->offset / WORD,
				      rbp, rbx, state->base);
	return KT_UNWIND_UNKNOWN;
}
