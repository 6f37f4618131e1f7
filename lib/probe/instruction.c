// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Instructions: instruction.h.  Zydis decodes them; it is loaded when it is needed. */
#include <Zydis/Zydis.h>
#include <dlfcn.h>

#include "instruction.h"

static __typeof__(ZydisDecoderInit) *zydis_begin;
static __typeof__(ZydisDecoderDecodeInstruction) *zydis_decode;

bool instructions_known(void)
{
	static void *library;

	if (!library)
		library = dlopen(ZYDIS_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	zydis_begin = dlsym(library, "ZydisDecoderInit");
	zydis_decode = dlsym(library, "ZydisDecoderDecodeInstruction");
	return zydis_begin && zydis_decode;
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
