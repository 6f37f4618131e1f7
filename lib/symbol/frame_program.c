// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libdw can run these instructions, too, but only from a function's first byte to one place:
 * to learn all places, the time would grow with the square of a function's size.  Here one
 * run gives all of them.  The tests compare the results with libdw's.
 */
#include <dwarf.h>
#include <errno.h>

#include "frame_program.h"
#include "unwind_rows.h"
#include "unwind_table.h"

/* Compilers need one. */
#define STATES_MAX 16

struct machine {
	const struct frame_common *common;
	struct dwarf_reader program;
	struct frame_state state;
	struct frame_state states[STATES_MAX]; /* remembered */
	unsigned int nr_states;
	uint64_t at, end;
	struct unwind_rows *rows; /* NULL: a CIE, which has no places */
};

/* The register's place in a state.  NULL: it is not needed. */
static struct frame_place *place_of(struct frame_state *state, uint64_t reg)
{
	switch (reg) {
	case FRAME_RBX:
		return &state->rbx;
	case FRAME_RBP:
		return &state->rbp;
	case FRAME_RSP:
		return &state->rsp;
	case FRAME_RIP:
		return &state->rip;
	default:
		return NULL;
	}
}

static void place_set(struct machine *machine, uint64_t reg, int how,
		      int64_t offset)
{
	struct frame_place *place = place_of(&machine->state, reg);

	if (place)
		*place = (struct frame_place){.how = how, .offset = offset};
}

static void place_restore(struct machine *machine, uint64_t reg)
{
	struct frame_state initial = machine->common->initial;
	struct frame_place *place = place_of(&machine->state, reg);

	if (place)
		*place = *place_of(&initial, reg);
}

static struct frame_expression expression_read(struct dwarf_reader *program)
{
	uint64_t size = dwarf_unsigned(program);

	return (struct frame_expression){
		.bytes = dwarf_block(program, size),
		.size = size,
	};
}

static void place_set_expression(struct machine *machine, int how)
{
	struct frame_place *place =
		place_of(&machine->state, dwarf_unsigned(&machine->program));
	struct frame_expression expression = expression_read(&machine->program);

	if (place)
		*place = (struct frame_place){.how = how,
					      .expression = expression};
}

static void cfa_set(struct machine *machine, uint64_t base, int64_t offset)
{
	machine->state.cfa = (struct frame_expression){0};
	machine->state.base = base;
	machine->state.offset = offset;
}

/* What was said so far is good up to @by bytes further. */
static int advance(struct machine *machine, uint64_t by)
{
	uint64_t left = machine->end - machine->at, begin = machine->at;

	if (!machine->rows || !by)
		return 0;
	machine->at += by < left ? by : left;
	return unwind_rows_add(machine->rows, begin,
			       frame_rule(&machine->state,
					  machine->common->signal));
}

static int64_t factored(const struct machine *machine, int64_t offset)
{
	/* Numbers of strangers may overflow, which does no harm. */
	return (uint64_t)offset * (uint64_t)machine->common->data_factor;
}

/* Instructions with an operand in their lowest bits.  False: it is none of these. */
static bool step_short(struct machine *machine, uint8_t op, int *err)
{
	struct dwarf_reader *program = &machine->program;
	uint8_t operand = op & 0x3f;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		*err = advance(machine, operand * machine->common->code_factor);
		return true;
	case DW_CFA_offset:
		place_set(machine, operand, FRAME_STORED,
			  factored(machine, dwarf_unsigned(program)));
		return true;
	case DW_CFA_restore:
		place_restore(machine, operand);
		return true;
	default:
		return false;
	}
}

/* Instructions about the CFA.  False: it is none of these. */
static bool step_cfa(struct machine *machine, uint8_t op)
{
	struct dwarf_reader *program = &machine->program;
	struct frame_state *state = &machine->state;
	uint64_t base;

	switch (op) {
	case DW_CFA_def_cfa:
		base = dwarf_unsigned(program);
		cfa_set(machine, base, dwarf_unsigned(program));
		return true;
	case DW_CFA_def_cfa_sf:
		base = dwarf_unsigned(program);
		cfa_set(machine, base,
			factored(machine, dwarf_signed(program)));
		return true;
	case DW_CFA_def_cfa_register:
		cfa_set(machine, dwarf_unsigned(program), state->offset);
		return true;
	case DW_CFA_def_cfa_offset:
		cfa_set(machine, state->base, dwarf_unsigned(program));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		cfa_set(machine, state->base,
			factored(machine, dwarf_signed(program)));
		return true;
	case DW_CFA_def_cfa_expression:
		state->cfa = expression_read(program);
		return true;
	default:
		return false;
	}
}

/* Instructions about one register.  False: it is none of these. */
static bool step_register(struct machine *machine, uint8_t op)
{
	struct dwarf_reader *program = &machine->program;
	uint64_t reg;

	switch (op) {
	case DW_CFA_expression:
		place_set_expression(machine, FRAME_STORED_BY);
		return true;
	case DW_CFA_val_expression:
		place_set_expression(machine, FRAME_OTHER);
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_GNU_negative_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_register:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		break;
	default:
		return false;
	}
	reg = dwarf_unsigned(program);
	switch (op) {
	case DW_CFA_offset_extended:
		place_set(machine, reg, FRAME_STORED,
			  factored(machine, dwarf_unsigned(program)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		place_set(machine, reg, FRAME_STORED,
			  factored(machine, -dwarf_unsigned(program)));
		break;
	case DW_CFA_offset_extended_sf:
		place_set(machine, reg, FRAME_STORED,
			  factored(machine, dwarf_signed(program)));
		break;
	case DW_CFA_restore_extended:
		place_restore(machine, reg);
		break;
	case DW_CFA_undefined:
		place_set(machine, reg, FRAME_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		place_set(machine, reg, FRAME_SAME, 0);
		break;
	case DW_CFA_register:
		place_set(machine, reg, FRAME_IN_REGISTER,
			  dwarf_unsigned(program));
		break;
	default:
		dwarf_unsigned(program);
		place_set(machine, reg, FRAME_OTHER, 0);
	}
	return true;
}

/* All others.  -EBADMSG: there is no such instruction, or it makes no sense here. */
static int step_other(struct machine *machine, uint8_t op)
{
	struct dwarf_reader *program = &machine->program;
	uint64_t factor = machine->common->code_factor;

	switch (op) {
	case DW_CFA_nop:
		return 0;
	case DW_CFA_advance_loc1:
		return advance(machine, dwarf_fixed(program, 1) * factor);
	case DW_CFA_advance_loc2:
		return advance(machine, dwarf_fixed(program, 2) * factor);
	case DW_CFA_advance_loc4:
		return advance(machine, dwarf_fixed(program, 4) * factor);
	case DW_CFA_remember_state:
		if (machine->nr_states == STATES_MAX)
			return -EBADMSG;
		machine->states[machine->nr_states++] = machine->state;
		return 0;
	case DW_CFA_restore_state:
		if (!machine->nr_states)
			return -EBADMSG;
		machine->state = machine->states[--machine->nr_states];
		return 0;
	case DW_CFA_GNU_args_size:
		dwarf_unsigned(program);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int program_run(struct machine *machine)
{
	struct dwarf_reader *program = &machine->program;
	int err = 0;

	while (!err && program->at < program->end) {
		uint8_t op = dwarf_fixed(program, 1);

		if (!step_short(machine, op, &err) && !step_cfa(machine, op) &&
		    !step_register(machine, op))
			err = step_other(machine, op);
		if (program->bad)
			err = -EBADMSG;
		/* Alignment may leave room behind a function's last instruction. */
		if (machine->rows && machine->at == machine->end)
			break;
	}
	return err;
}

bool frame_program_begin(struct frame_common *common,
			 struct dwarf_reader program)
{
	struct machine machine = {
		.common = common,
		.program = program,
		/* If nothing is said of it, there is no return address. */
		.state = {.rip = {.how = FRAME_OTHER}},
	};
	int err = program_run(&machine);

	common->initial = machine.state;
	return !err;
}

int frame_program_run(const struct frame_common *common,
		      struct dwarf_reader program, uint64_t begin, uint64_t end,
		      struct unwind_rows *rows)
{
	struct machine machine;
	int err;

	/* The remembered states need no initial value. */
	machine.common = common;
	machine.program = program;
	machine.state = common->initial;
	machine.nr_states = 0;
	machine.at = begin;
	machine.end = end;
	machine.rows = rows;
	err = program_run(&machine);
	if (err == -EBADMSG)
		return unwind_rows_add(rows, machine.at, KT_UNWIND_UNKNOWN);
	return err ? err : advance(&machine, end - machine.at);
}
