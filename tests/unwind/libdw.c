// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libdw says by DWARF expressions where the caller's registers are.  Computing them takes a
 * small stack machine.
 */
#include <dwarf.h>
#include <string.h>

#include "libdw.h"

#define DEPTH 16

struct machine {
	const struct libdw_world *world;
	uint64_t stack[DEPTH];
	size_t depth;
	uint64_t cfa;
	bool bad;
	bool value; /* the result is the value itself, not its address */
};

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == DEPTH)
		machine->bad = true;
	else
		machine->stack[machine->depth++] = value;
}

static uint64_t pop(struct machine *machine)
{
	if (machine->depth)
		return machine->stack[--machine->depth];
	machine->bad = true;
	return 0;
}

static uint64_t reg(struct machine *machine, uint64_t number)
{
	if (number < LIBDW_REGISTERS)
		return machine->world->registers[number];
	machine->bad = true;
	return 0;
}

/* Two numbers become one.  False: it is another operation. */
static bool binary(struct machine *machine, unsigned int atom)
{
	uint64_t a, b;

	switch (atom) {
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_and:
	case DW_OP_shl:
	case DW_OP_ge:
		break;
	default:
		return false;
	}
	b = pop(machine);
	a = pop(machine);
	push(machine, atom == DW_OP_plus    ? a + b
		      : atom == DW_OP_minus ? a - b
		      : atom == DW_OP_and   ? a & b
		      : atom == DW_OP_shl   ? a << (b & 63)
					    : (int64_t)a >= (int64_t)b);
	return true;
}

static void run(struct machine *machine, const Dwarf_Op *op)
{
	unsigned int atom = op->atom;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push(machine, reg(machine, atom - DW_OP_breg0) + op->number);
	else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push(machine, atom - DW_OP_lit0);
	else if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		push(machine, reg(machine, atom - DW_OP_reg0)),
			machine->value = true;
	else if (atom == DW_OP_regx)
		push(machine, reg(machine, op->number)), machine->value = true;
	else if (atom == DW_OP_bregx)
		push(machine, reg(machine, op->number) + op->number2);
	else if (atom == DW_OP_deref)
		push(machine, machine->world->word(pop(machine)));
	else if (atom == DW_OP_plus_uconst)
		push(machine, pop(machine) + op->number);
	else if (atom == DW_OP_const1u || atom == DW_OP_const2u ||
		 atom == DW_OP_constu)
		push(machine, op->number);
	else if (atom == DW_OP_const1s || atom == DW_OP_const2s ||
		 atom == DW_OP_consts)
		push(machine, op->number);
	else if (atom == DW_OP_call_frame_cfa)
		push(machine, machine->cfa);
	else if (atom == DW_OP_stack_value)
		machine->value = true;
	else if (!binary(machine, atom))
		machine->bad = true;
}

static bool evaluate(struct machine *machine, const Dwarf_Op *ops, size_t nr,
		     uint64_t *result)
{
	machine->depth = 0;
	machine->value = machine->bad = false;
	for (size_t i = 0; i < nr && !machine->bad; i++)
		run(machine, &ops[i]);
	*result = pop(machine);
	return !machine->bad;
}

enum found { NO, YES, CANNOT };

static enum found restore(struct machine *machine, Dwarf_Frame *frame,
			  int number, uint64_t *value)
{
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, number, memory, &ops, &nr))
		return CANNOT;
	if (!nr) {
		/* The same value, or none. */
		*value = machine->world->registers[number];
		return ops == memory ? NO : YES;
	}
	if (!evaluate(machine, ops, nr, value))
		return CANNOT;
	if (!machine->value)
		*value = machine->world->word(*value);
	return YES;
}

void libdw_step(Dwarf_Frame *frame, const struct libdw_world *world,
		struct libdw_caller *caller)
{
	struct machine machine = {.world = world};
	enum found found;
	Dwarf_Op *ops;
	size_t nr;

	memset(caller, 0, sizeof(*caller));
	caller->how = LIBDW_UNKNOWN;
	/* The outermost frame may have no CFA. */
	found = restore(&machine, frame, LIBDW_REGISTERS - 1, &caller->ip);
	if (found == NO) {
		caller->how = LIBDW_NONE;
		return;
	}
	if (dwarf_frame_cfa(frame, &ops, &nr) ||
	    !evaluate(&machine, ops, nr, &machine.cfa))
		return;
	if (restore(&machine, frame, LIBDW_REGISTERS - 1, &caller->ip) != YES)
		return;
	caller->how = LIBDW_FOUND;
	caller->rbp_known = restore(&machine, frame, 6, &caller->rbp) == YES;
	caller->rbx_known = restore(&machine, frame, 3, &caller->rbx) == YES;
}
