// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Instructions: instruction.h.  Zydis decodes them; it is loaded when it is needed. */
#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "instruction.h"

static __typeof__(ZydisDecoderInit) *zydis_begin;
static __typeof__(ZydisDecoderDecodeInstruction) *zydis_decode;
static __typeof__(ZydisDecoderDecodeOperands) *zydis_operands;
static __typeof__(ZydisFormatterInit) *zydis_formatter;
static __typeof__(ZydisFormatterSetProperty) *zydis_property;
static __typeof__(ZydisFormatterFormatInstruction) *zydis_format;

bool instructions_known(void)
{
	static void *library;

	if (!library)
		library = dlopen(ZYDIS_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	zydis_begin = dlsym(library, "ZydisDecoderInit");
	zydis_decode = dlsym(library, "ZydisDecoderDecodeInstruction");
	zydis_operands = dlsym(library, "ZydisDecoderDecodeOperands");
	zydis_formatter = dlsym(library, "ZydisFormatterInit");
	zydis_property = dlsym(library, "ZydisFormatterSetProperty");
	zydis_format = dlsym(library, "ZydisFormatterFormatInstruction");
	return zydis_begin && zydis_decode && zydis_operands &&
	       zydis_formatter && zydis_property && zydis_format;
}

static bool decoder_begin(ZydisDecoder *decoder, bool is_32)
{
	return ZYAN_SUCCESS(zydis_begin(decoder,
					is_32 ? ZYDIS_MACHINE_MODE_LEGACY_32
					      : ZYDIS_MACHINE_MODE_LONG_64,
					is_32 ? ZYDIS_STACK_WIDTH_32
					      : ZYDIS_STACK_WIDTH_64));
}

size_t instruction_length(const uint8_t *code, size_t size, bool is_32,
			  bool *returns)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	if (!decoder_begin(&decoder, is_32) ||
	    ZYAN_FAILED(zydis_decode(&decoder, NULL, code, size, &instruction)))
		return 0;
	*returns = instruction.mnemonic == ZYDIS_MNEMONIC_RET;
	return instruction.length;
}

bool instruction_begins(const uint8_t *code, size_t size, bool is_32, size_t at,
			size_t *before, size_t *behind)
{
	size_t next = 0, length;
	bool returns;

	*before = *behind = 0;
	for (; next < at; next += length) {
		length = instruction_length(code + next, size - next, is_32,
					    &returns);
		if (!length) {
			*behind = 0;
			return false;
		}
		*before = next;
		*behind = next + length;
	}
	return next == at;
}

/*
 * Opcodes of one byte that the kernel refuses, as ranges.  It looks at this byte also of those that
 * VEX encodes, which are others.
 */
static bool opcode_is_refused(uint8_t opcode)
{
	static const uint8_t ranges[][2] = {
		{0x06, 0x07}, {0x0e, 0x0f}, {0x16, 0x17}, {0x1e, 0x1f},
		{0x26, 0x27}, {0x2e, 0x2f}, {0x36, 0x37}, {0x3e, 0x4f},
		{0x60, 0x62}, {0x66, 0x67}, {0x6c, 0x6f}, {0x82, 0x82},
		{0x9a, 0x9a}, {0xc4, 0xc5}, {0xcc, 0xcf}, {0xd4, 0xd6},
		{0xe4, 0xe7}, {0xea, 0xea}, {0xec, 0xf1}, {0xf4, 0xf4},
		{0xfa, 0xfb},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(*ranges); i++)
		if (opcode >= ranges[i][0] && opcode <= ranges[i][1])
			return true;
	return false;
}

bool instruction_is_probed(const uint8_t *code, size_t size, bool is_32)
{
	static const ZydisInstructionAttributes refused =
		ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_EVEX |
		ZYDIS_ATTRIB_HAS_SEGMENT_CS | ZYDIS_ATTRIB_HAS_SEGMENT_SS |
		ZYDIS_ATTRIB_HAS_SEGMENT_DS | ZYDIS_ATTRIB_HAS_SEGMENT_ES |
		ZYDIS_ATTRIB_IS_PRIVILEGED;
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	if (!decoder_begin(&decoder, is_32) ||
	    ZYAN_FAILED(
		    zydis_decode(&decoder, NULL, code, size, &instruction)) ||
	    instruction.attributes & refused)
		return false;
	return (instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		instruction.opcode_map != ZYDIS_OPCODE_MAP_DEFAULT) ||
	       !opcode_is_refused(instruction.opcode);
}

/* ---- what one is ------------------------------------------------------------ */

/* A number of its own, or an address that is as far from it as it says. */
static void target_find(const ZydisDecodedInstruction *instruction,
			const ZydisDecodedOperand *operand, uint64_t address,
			struct instruction *in)
{
	uint64_t next = address + instruction->length;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    operand->imm.is_relative)
		in->target = next + operand->imm.value.s;
	else if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		 operand->mem.base == ZYDIS_REGISTER_RIP)
		in->target = next + operand->mem.disp.value;
	else
		return;
	in->has_target = true;
}

static void kind_find(const ZydisDecodedInstruction *instruction,
		      const ZydisDecodedOperand *first, struct instruction *in)
{
	bool is_fixed = false;

	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		in->is_call = is_fixed = true;
		break;
	case ZYDIS_CATEGORY_COND_BR:
		in->is_jump = is_fixed = true;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		in->is_jump = true;
		break;
	case ZYDIS_CATEGORY_INTERRUPT:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		is_fixed = true;
		break;
	default:
		break;
	}
	in->is_fixed = is_fixed;
	in->is_return = instruction->mnemonic == ZYDIS_MNEMONIC_RET;
	in->is_notrack = instruction->attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
	in->is_indirect = (in->is_call || in->is_jump) &&
			  !(first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			    first->imm.is_relative);
}

/* NULL: this version of the library has none. */
static const ZydisFormatter *formatter_get(void)
{
	/* As objdump prints: numbers without zeros in front, and as far from %rip as they are. */
	static const struct {
		ZydisFormatterProperty name;
		ZyanUPointer value;
	} properties[] = {
		{ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE},
		{ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE},
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
		 ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE,
		 ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED},
		{ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED},
	};
	static ZydisFormatter formatter;
	static bool made;

	if (made)
		return &formatter;
	if (ZYAN_FAILED(zydis_formatter(&formatter, ZYDIS_FORMATTER_STYLE_ATT)))
		return NULL;
	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
		if (ZYAN_FAILED(zydis_property(&formatter, properties[i].name,
					       properties[i].value)))
			return NULL;
	made = true;
	return &formatter;
}

static void text_make(const ZydisDecodedInstruction *instruction,
		      const ZydisDecodedOperand *operands, uint64_t address,
		      struct instruction *in)
{
	const ZydisFormatter *formatter = formatter_get();
	char *blank;

	if (!formatter || ZYAN_FAILED(zydis_format(
				  formatter, instruction, operands,
				  instruction->operand_count_visible, in->text,
				  sizeof(in->text), address, NULL))) {
		snprintf(in->text, sizeof(in->text), "(nobody can print it)");
		return;
	}
	/* The library leaves the star out in some cases. */
	blank = strrchr(in->text, ' ');
	if (in->is_indirect && blank && blank[1] != '*' &&
	    strlen(in->text) + 1 < sizeof(in->text)) {
		memmove(blank + 2, blank + 1, strlen(blank + 1) + 1);
		blank[1] = '*';
	}
}

void instruction_read(const uint8_t *code, size_t size, bool is_32,
		      uint64_t address, bool text, struct instruction *in)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT] = {0};
	ZydisDecodedInstruction instruction;
	ZydisDecoderContext context;
	ZydisDecoder decoder;

	*in = (struct instruction){.length = 1};
	snprintf(in->text, sizeof(in->text), "%s", text ? "(bad)" : "");
	if (!decoder_begin(&decoder, is_32) ||
	    ZYAN_FAILED(zydis_decode(&decoder, &context, code, size,
				     &instruction)) ||
	    ZYAN_FAILED(zydis_operands(&decoder, &context, &instruction,
				       operands, instruction.operand_count)))
		return;
	in->length = instruction.length;
	in->is_code = true;
	for (unsigned int i = 0;
	     i < instruction.operand_count_visible && !in->has_target; i++)
		target_find(&instruction, &operands[i], address, in);
	kind_find(&instruction, &operands[0], in);
	if (text)
		text_make(&instruction, operands, address, in);
}
