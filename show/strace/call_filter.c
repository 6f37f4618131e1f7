// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Instructions of filters: those of bpf, and the classic ones of seccomp and sockets. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "call.h"

#define INSN_SIZE 8

/* bpf(2): struct bpf_insn. */
struct insn {
	uint8_t code;
	uint8_t registers;
	int16_t offset;
	int32_t immediate;
};

static void put_or_name(struct line *line, const char *set, uint32_t value)
{
	line_puts(line, "|");
	value_names(line, set, value);
}

/* Bits that mean nothing there. */
static void put_unknown(struct line *line, uint32_t bits)
{
	if (bits)
		line_printf(line, "|%#x /* BPF_??? */", bits);
}

static void put_load(struct line *line, uint16_t code, const char *modes)
{
	put_or_name(line, "bpf_size", BPF_SIZE(code));
	put_or_name(line, modes, BPF_MODE(code));
}

static void put_operation(struct line *line, uint16_t code, const char *set)
{
	put_or_name(line, "bpf_source", BPF_SRC(code));
	put_or_name(line, set, BPF_OP(code));
}

static void put_classic_code(struct line *line, uint16_t code)
{
	uint16_t rest = code & ~BPF_CLASS(code);

	value_names(line, "bpf_class", BPF_CLASS(code));
	switch (BPF_CLASS(code)) {
	case BPF_LD:
	case BPF_LDX:
		put_load(line, code, "bpf_mode");
		break;
	case BPF_ALU:
		put_operation(line, code, "bpf_alu");
		break;
	case BPF_JMP:
		put_operation(line, code, "bpf_jump");
		break;
	case BPF_RET:
		put_or_name(line, "bpf_returned", BPF_RVAL(code));
		put_unknown(line, rest & ~BPF_RVAL(code));
		break;
	case BPF_MISC:
		put_or_name(line, "bpf_misc", BPF_MISCOP(code));
		put_unknown(line, rest & ~BPF_MISCOP(code));
		break;
	default:
		put_unknown(line, rest);
	}
}

static void put_code(struct line *line, uint8_t code)
{
	value_names(line, "bpf_insn_class", BPF_CLASS(code));
	switch (BPF_CLASS(code)) {
	case BPF_LD:
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		put_load(line, code, "bpf_insn_mode");
		break;
	case BPF_ALU:
	case BPF_MISC: /* BPF_ALU64 */
		put_operation(line, code, "bpf_alu");
		break;
	case BPF_JMP:
		put_operation(line, code, "bpf_jump");
		break;
	default: /* BPF_JMP32, which strace 6.1 has as one that is not used */
		put_unknown(line, code & ~BPF_CLASS(code));
	}
}

static void put_insn(struct line *line, const uint8_t *bytes)
{
	struct insn insn;

	memcpy(&insn, bytes, sizeof(insn));
	line_puts(line, "{code=");
	put_code(line, insn.code);
	line_puts(line, ", dst_reg=");
	value_names(line, "bpf_register", insn.registers & 0xf);
	line_puts(line, ", src_reg=");
	value_names(line, "bpf_register", insn.registers >> 4);
	line_printf(line, ", off=%d, imm=%#x}", insn.offset,
		    (uint32_t)insn.immediate);
}

/* What a filter of system calls returns. */
static bool put_action(struct line *line, const struct sock_filter *insn)
{
	uint32_t action = insn->k & SECCOMP_RET_ACTION_FULL;

	if (BPF_CLASS(insn->code) != BPF_RET)
		return false;
	value_names(line, "seccomp_action", action);
	if (insn->k & ~action)
		line_printf(line, "|%#x", insn->k & ~action);
	return true;
}

/* A packet's headers are at these places, and what is known of it beside them. */
static bool put_place(struct line *line, const struct sock_filter *insn)
{
	static const uint32_t places[] = {SKF_AD_OFF, SKF_NET_OFF, SKF_LL_OFF};
	size_t i = 0, nr = sizeof(places) / sizeof(places[0]);

	if (BPF_CLASS(insn->code) != BPF_LD || BPF_MODE(insn->code) != BPF_ABS)
		return false;
	while (i < nr && insn->k < places[i])
		i++;
	if (i == nr)
		return false;
	value_names(line, "filter_place", places[i]);
	line_puts(line, "+");
	if (!i)
		value_names(line, "filter_data", insn->k - places[i]);
	else
		line_printf(line, "%u", insn->k - places[i]);
	return true;
}

static void put_classic(struct line *line, const uint8_t *bytes, bool socket)
{
	struct sock_filter insn;
	bool jump;

	memcpy(&insn, bytes, sizeof(insn));
	jump = insn.jt || insn.jf;
	line_puts(line, jump ? "BPF_JUMP(" : "BPF_STMT(");
	put_classic_code(line, insn.code);
	line_puts(line, ", ");
	if (jump)
		line_printf(line, "%#x, %#x, %#x", insn.k, insn.jt, insn.jf);
	else if (!(socket ? put_place(line, &insn) : put_action(line, &insn)))
		line_printf(line, "%#x", insn.k);
	line_puts(line, ")");
}

void insns_print(struct line *line, const char *kind, const struct captured *c,
		 uint64_t address, uint64_t count)
{
	bool bpf = !strncmp(kind, "bpf", 3);
	size_t i, there = c->there ? c->size / INSN_SIZE : 0;

	if (!address || (count && !there)) {
		value_address(line, address);
		return;
	}
	line_puts(line, "[");
	for (i = 0; i < count && i < there && i < BPF_MAXINSNS; i++) {
		const uint8_t *bytes = c->bytes + i * INSN_SIZE;

		line_puts(line, i ? ", " : "");
		if (bpf)
			put_insn(line, bytes);
		else
			put_classic(line, bytes, !strncmp(kind, "socket", 6));
	}
	if (i < count)
		line_puts(line, ", ...");
	if (i < count && i < BPF_MAXINSNS && c->unread)
		line_printf(line, " /* %#" PRIx64 " */",
			    address + i * INSN_SIZE);
	line_puts(line, "]");
}
