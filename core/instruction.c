// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Lengths and branches of x86 instructions: see instruction.h. */
#include "instruction.h"

/* What follows an opcode. */
enum operand {
	NO,	 /* nothing */
	M,	 /* a ModRM byte, and what that asks for */
	I1,	 /* an immediate of a byte */
	I2,	 /* of two bytes */
	I3,	 /* of three */
	IZ,	 /* of 4 bytes; of 2 with the prefix 66 */
	IV,	 /* of 8 bytes with REX.W; otherwise like IZ */
	M_I1,	 /* ModRM and an immediate */
	M_IZ,	 /* the same */
	FAR,	 /* an address and a segment */
	MOFFS,	 /* an address as long as addresses are */
	M_TEST1, /* ModRM; an immediate only for two of its operations */
	M_TESTZ,
	BAD,
};

#define X4(a)	   a, a, a, a
#define X8(a)	   X4(a), X4(a)
#define X16(a)	   X8(a), X8(a)
#define ARITHMETIC X4(M), I1, IZ, NO, NO

/* clang-format off */

/* Prefixes and the escapes to other maps are taken before these are looked at. */
static const u8 one_byte[256] = {
	/* 00 */ ARITHMETIC, ARITHMETIC, ARITHMETIC, ARITHMETIC,
	/* 20 */ ARITHMETIC, ARITHMETIC, ARITHMETIC, ARITHMETIC,
	/* 40 */ X16(NO), X16(NO),
	/* 60 */ NO, NO, M, M, X4(NO), IZ, M_IZ, I1, M_I1, X4(NO),
	/* 70 */ X16(I1),
	/* 80 */ M_I1, M_IZ, M_I1, M_I1, X4(M), X8(M),
	/* 90 */ X8(NO), NO, NO, FAR, NO, X4(NO),
	/* a0 */ X4(MOFFS), X4(NO), I1, IZ, NO, NO, X4(NO),
	/* b0 */ X8(I1), X8(IV),
	/* c0 */ M_I1, M_I1, I2, NO, M, M, M_I1, M_IZ, I3, NO, I2, NO, NO, I1, NO, NO,
	/* d0 */ X4(M), I1, I1, NO, NO, X8(M),
	/* e0 */ X8(I1), IZ, IZ, FAR, I1, X4(NO),
	/* f0 */ X4(NO), NO, NO, M_TEST1, M_TESTZ, X4(NO), NO, NO, M, M,
};

/* Behind 0f. */
static const u8 two_bytes[256] = {
	/* 00 */ X4(M), BAD, NO, NO, NO, NO, NO, BAD, NO, BAD, M, NO, M_I1,
	/* 10 */ X16(M),
	/* 20 */ X4(M), X4(BAD), X8(M),
	/* 30 */ X4(NO), NO, NO, BAD, NO, M, BAD, M_I1, BAD, X4(BAD),
	/* 40 */ X16(M),
	/* 50 */ X16(M),
	/* 60 */ X16(M),
	/* 70 */ X4(M_I1), M, M, M, NO, X8(M),
	/* 80 */ X16(IZ),
	/* 90 */ X16(M),
	/* a0 */ NO, NO, NO, M, M_I1, M, M, M, NO, NO, NO, M, M_I1, M, M, M,
	/* b0 */ X8(M), M, M, M_I1, M, X4(M),
	/* c0 */ M, M, M_I1, M, M_I1, M_I1, M_I1, M, X8(NO),
	/* d0 */ X16(M),
	/* e0 */ X16(M),
	/* f0 */ X16(M),
};

/* clang-format on */

enum map {
	ONE_BYTE,
	TWO_BYTES,   /* 0f */
	THREE_BYTES, /* 0f 38 */
	IMMEDIATES,  /* 0f 3a */
	HALF_FLOATS, /* EVEX's maps 5 and 6 */
	XOP_8,	     /* AMD's */
	XOP_9,
	XOP_A,
};

struct decoder {
	const u8 *at, *end;
	bool narrow;
	bool vector;	/* VEX, EVEX or XOP: the opcode is no branch */
	bool operand16; /* prefix 66 */
	bool address_other;
	bool rex_w;
	enum map map;
	u8 opcode, modrm;
};

static bool take(struct decoder *d, u8 *byte)
{
	if (d->at == d->end)
		return false;
	*byte = *d->at++;
	return true;
}

static bool skip(struct decoder *d, u32 bytes)
{
	if ((u64)(d->end - d->at) < bytes)
		return false;
	d->at += bytes;
	return true;
}

/* ---- prefixes ------------------------------------------------------------- */

/* False: it is none. */
static bool is_prefix(struct decoder *d, u8 byte)
{
	switch (byte) {
	case 0x66:
		d->operand16 = true;
		break;
	case 0x67:
		d->address_other = true;
		break;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		break;
	default:
		return false;
	}
	/* REX counts only immediately before the opcode. */
	d->rex_w = false;
	return true;
}

static bool vex_map(struct decoder *d, u8 number)
{
	static const u8 maps[] = {
		[1] = TWO_BYTES,   [2] = THREE_BYTES, [3] = IMMEDIATES,
		[5] = HALF_FLOATS, [6] = HALF_FLOATS, [8] = XOP_8,
		[9] = XOP_9,	   [10] = XOP_A,
	};

	d->vector = true;
	if (number >= sizeof(maps) || maps[number] == ONE_BYTE)
		return false;
	d->map = maps[number];
	return take(d, &d->opcode);
}

/* In programs of 32 bits, these are other instructions if they name memory. */
static bool is_vector(const struct decoder *d, u8 byte)
{
	if (d->at == d->end)
		return false;
	switch (byte) {
	case 0x62:
	case 0xc4:
	case 0xc5:
		return !d->narrow || *d->at >= 0xc0;
	case 0x8f:
		return (*d->at & 0x1f) >= 8;
	}
	return false;
}

static bool vector_opcode(struct decoder *d, u8 prefix)
{
	u8 byte;

	if (!take(d, &byte))
		return false;
	switch (prefix) {
	case 0xc5:
		return vex_map(d, 1);
	case 0x62:
		return skip(d, 2) && vex_map(d, byte & 7);
	default:
		return skip(d, 1) && vex_map(d, byte & 0x1f);
	}
}

static bool opcode(struct decoder *d)
{
	u8 byte;

	do {
		if (!take(d, &byte))
			return false;
	} while (is_prefix(d, byte));
	if (!d->narrow && (byte & 0xf0) == 0x40) {
		d->rex_w = byte & 8;
		if (!take(d, &byte))
			return false;
		/* A REX that has no effect, before another one or a prefix: compilers make none. */
		if ((byte & 0xf0) == 0x40 || is_prefix(d, byte))
			return false;
	}
	d->opcode = byte;
	if (is_vector(d, byte))
		return vector_opcode(d, byte);
	if (byte != 0x0f)
		return true;
	d->map = TWO_BYTES;
	if (!take(d, &d->opcode))
		return false;
	if (d->opcode != 0x38 && d->opcode != 0x3a)
		return true;
	d->map = d->opcode == 0x38 ? THREE_BYTES : IMMEDIATES;
	return take(d, &d->opcode);
}

/* ---- operands ------------------------------------------------------------- */

static enum operand operand_of(const struct decoder *d)
{
	switch (d->map) {
	case ONE_BYTE:
		return one_byte[d->opcode];
	case TWO_BYTES:
		/* The immediates of loops and of MMX are the same for VEX and EVEX. */
		return two_bytes[d->opcode];
	case IMMEDIATES:
	case XOP_8:
		return M_I1;
	case XOP_A:
		return M_IZ;
	default:
		return M;
	}
}

static bool modrm(struct decoder *d)
{
	u8 mod, rm, sib;

	if (!take(d, &d->modrm))
		return false;
	mod = d->modrm >> 6;
	rm = d->modrm & 7;
	/* Moves to and from control and debug registers name no memory, whatever they say. */
	if (mod == 3 || (d->map == TWO_BYTES && !d->vector &&
			 d->opcode >= 0x20 && d->opcode <= 0x23))
		return true;
	if (d->narrow && d->address_other) {
		if (mod == 0)
			return skip(d, rm == 6 ? 2 : 0);
		return skip(d, mod);
	}
	if (rm == 4) {
		if (!take(d, &sib))
			return false;
		rm = sib & 7;
	} else if (mod == 0 && rm == 5) {
		return skip(d, 4);
	}
	if (mod == 0)
		return skip(d, rm == 5 ? 4 : 0);
	return skip(d, mod == 1 ? 1 : 4);
}

static u32 immediate_size(const struct decoder *d, enum operand operand)
{
	switch (operand) {
	case I1:
	case M_I1:
	case M_TEST1:
		return 1;
	case I2:
		return 2;
	case I3:
		return 3;
	case IV:
		if (d->rex_w)
			return 8;
		break;
	case FAR:
		return d->operand16 ? 4 : 6;
	case MOFFS:
		if (d->narrow)
			return d->address_other ? 2 : 4;
		return d->address_other ? 4 : 8;
	default:
		break;
	}
	return d->operand16 && !d->rex_w ? 2 : 4;
}

/* Near branches with the prefix 66: in 64-bit code, Intel's processors ignore it. */
static bool is_near(const struct decoder *d)
{
	if (d->map == ONE_BYTE)
		return d->opcode == 0xe8 || d->opcode == 0xe9;
	return d->map == TWO_BYTES && !d->vector && (d->opcode & 0xf0) == 0x80;
}

/* ud2 and its kin, push, and what the kernel alone may do, have no surprises. */
static bool operands(struct decoder *d)
{
	enum operand operand = operand_of(d);
	bool more = true;

	if (!d->narrow && is_near(d))
		d->operand16 = false;
	switch (operand) {
	case BAD:
		return false;
	case NO:
		/* Only with VEX a vector operation has no ModRM: vzeroupper. */
		return true;
	case M:
	case M_I1:
	case M_IZ:
	case M_TEST1:
	case M_TESTZ:
		if (!modrm(d))
			return false;
		if (operand == M_TEST1 || operand == M_TESTZ)
			more = (d->modrm & 0x38) < 0x10;
		else
			more = operand != M;
		break;
	default:
		break;
	}
	return !more || skip(d, immediate_size(d, operand));
}

/* One byte, and only for programs of 32 bits. */
static bool is_narrow(u8 opcode)
{
	switch (opcode) {
	case 0x06:
	case 0x07:
	case 0x0e:
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60 ... 0x62:
	case 0x82:
	case 0x9a:
	case 0xc4:
	case 0xc5:
	case 0xce:
	case 0xd4 ... 0xd6:
	case 0xea:
		return true;
	}
	return false;
}

/* ---- where it goes -------------------------------------------------------- */

static s64 signed_of(const u8 *bytes, u32 size)
{
	u64 value = 0;

	for (u32 i = 0; i < size; i++)
		value |= (u64)bytes[i] << 8 * i;
	return (s64)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

static void goes(struct kt_instruction *instruction, const struct decoder *d,
		 enum kt_branch_kind kind, u32 size)
{
	instruction->kind = kind;
	instruction->direct = true;
	instruction->offset = signed_of(d->at - size, size);
}

static void two_bytes_kind(struct kt_instruction *instruction,
			   const struct decoder *d)
{
	switch (d->opcode) {
	case 0x05:
	case 0x34:
		instruction->kind = KT_BRANCH_SYSCALL;
		instruction->fast_call = true;
		break;
	case 0xb2:
		instruction->effect = KT_EFFECT_LOADS_SS;
		break;
	default:
		if ((d->opcode & 0xf0) != 0x80)
			break;
		goes(instruction, d, KT_BRANCH_CONDITIONAL,
		     d->operand16 ? 2 : 4);
		instruction->condition = d->opcode & 15;
	}
}

static void group_kind(struct kt_instruction *instruction, u8 operation)
{
	switch (operation) {
	case 2:
	case 3:
		instruction->kind = KT_BRANCH_INDIRECT_CALL;
		break;
	case 4:
	case 5:
		instruction->kind = KT_BRANCH_INDIRECT;
		break;
	}
}

static void one_byte_kind(struct kt_instruction *instruction,
			  const struct decoder *d)
{
	u8 reg = (d->modrm >> 3) & 7;

	switch (d->opcode) {
	case 0x70 ... 0x7f:
		goes(instruction, d, KT_BRANCH_CONDITIONAL, 1);
		instruction->condition = d->opcode & 15;
		break;
	case 0xe0 ... 0xe3:
		goes(instruction, d, KT_BRANCH_CONDITIONAL, 1);
		instruction->condition = 16 + (d->opcode & 3);
		instruction->address_size = d->narrow ? 4 : 8;
		if (d->address_other)
			instruction->address_size /= 2;
		break;
	case 0xe8:
		goes(instruction, d, KT_BRANCH_CALL, d->operand16 ? 2 : 4);
		break;
	case 0xe9:
		goes(instruction, d, KT_BRANCH_JUMP, d->operand16 ? 2 : 4);
		break;
	case 0xeb:
		goes(instruction, d, KT_BRANCH_JUMP, 1);
		break;
	case 0x9a:
		instruction->kind = KT_BRANCH_CALL;
		break;
	case 0xea:
		instruction->kind = KT_BRANCH_JUMP;
		break;
	case 0xcf:
		instruction->effect = KT_EFFECT_LOADS_FLAGS;
		instruction->kind = KT_BRANCH_RETURN;
		break;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
		instruction->kind = KT_BRANCH_RETURN;
		break;
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xf1:
		instruction->kind = KT_BRANCH_SYSCALL;
		break;
	case 0x9c:
		instruction->effect = KT_EFFECT_PUSHES_FLAGS;
		break;
	case 0x9d:
		instruction->effect = KT_EFFECT_LOADS_FLAGS;
		break;
	case 0x17:
		instruction->effect = KT_EFFECT_LOADS_SS;
		break;
	case 0x8e:
		if (reg == 2)
			instruction->effect = KT_EFFECT_LOADS_SS;
		break;
	case 0xc7:
		/* xbegin: the processor goes to where it says if it gives up. */
		if (d->modrm == 0xf8)
			goes(instruction, d, KT_BRANCH_UNKNOWN,
			     d->operand16 ? 2 : 4);
		break;
	case 0xff:
		group_kind(instruction, reg);
		break;
	}
}

bool kt_instruction_decode(struct kt_instruction *instruction, const u8 *bytes,
			   u32 size, bool narrow)
{
	struct decoder d = {.at = bytes, .end = bytes + size, .narrow = narrow};

	if (size > KT_INSTRUCTION_MAX)
		d.end = bytes + KT_INSTRUCTION_MAX;
	*instruction = (struct kt_instruction){};
	if (!opcode(&d) ||
	    (!narrow && d.map == ONE_BYTE && is_narrow(d.opcode)) ||
	    !operands(&d))
		return false;
	instruction->length = d.at - bytes;
	instruction->size = d.operand16 ? 2 : narrow ? 4 : 8;
	if (d.vector)
		return true;
	if (d.map == ONE_BYTE)
		one_byte_kind(instruction, &d);
	else if (d.map == TWO_BYTES)
		two_bytes_kind(instruction, &d);
	return true;
}

#define CF (1u << 0)
#define PF (1u << 2)
#define ZF (1u << 6)
#define SF (1u << 7)
#define OF (1u << 11)

bool kt_instruction_taken(const struct kt_instruction *instruction, u64 flags,
			  u64 cx)
{
	bool less = !(flags & SF) != !(flags & OF), is;

	if (instruction->condition >= 16) {
		bool zero =
			!(cx & (~0ull >> (64 - 8 * instruction->address_size)));

		switch (instruction->condition) {
		case 16:
			return !zero && !(flags & ZF);
		case 17:
			return !zero && flags & ZF;
		case 18:
			return !zero;
		default:
			return zero;
		}
	}
	switch (instruction->condition >> 1) {
	case 0:
		is = flags & OF;
		break;
	case 1:
		is = flags & CF;
		break;
	case 2:
		is = flags & ZF;
		break;
	case 3:
		is = flags & (CF | ZF);
		break;
	case 4:
		is = flags & SF;
		break;
	case 5:
		is = flags & PF;
		break;
	case 6:
		is = less;
		break;
	default:
		is = less || flags & ZF;
	}
	return is != (instruction->condition & 1);
}
