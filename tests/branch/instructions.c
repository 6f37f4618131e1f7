// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Instructions as core/instruction.c sees them and as objdump does.
 *
 *	objdump -d -w FILE | instructions [narrow]
 *
 * Compares lengths, branches and where they go.  Instructions that objdump does not know, and what
 * it shows where data lie among the code, are left out.  Prints a line "N same, N wrong".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instruction.h"

/* Prefixes that objdump writes as words of their own. */
static bool is_prefix(const char *word, size_t length)
{
	static const char *const words[] = {
		"bnd",	"notrack",  "data16",	"addr32", "cs",
		"ds",	"es",	    "fs",	"gs",	  "ss",
		"rep",	"repz",	    "repnz",	"repe",	  "repne",
		"lock", "xacquire", "xrelease", "addr16", "data32",
	};

	if (!strncmp(word, "rex", 3))
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == length &&
		    !strncmp(word, words[i], length))
			return true;
	return false;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* As objdump names it. */
static enum kt_branch_kind kind_of(const char *name, bool indirect)
{
	if (begins(name, "jmp") || begins(name, "ljmp"))
		return indirect ? KT_BRANCH_INDIRECT : KT_BRANCH_JUMP;
	if (begins(name, "call") || begins(name, "lcall"))
		return indirect ? KT_BRANCH_INDIRECT_CALL : KT_BRANCH_CALL;
	if (name[0] == 'j' || begins(name, "loop"))
		return KT_BRANCH_CONDITIONAL;
	if (begins(name, "ret") || begins(name, "lret") || begins(name, "iret"))
		return KT_BRANCH_RETURN;
	if (begins(name, "syscall") || begins(name, "sysenter") ||
	    begins(name, "int ") || begins(name, "int3") ||
	    begins(name, "int1") || begins(name, "into"))
		return KT_BRANCH_SYSCALL;
	if (begins(name, "xbegin"))
		return KT_BRANCH_UNKNOWN;
	return KT_BRANCH_NONE;
}

static enum kt_instruction_effect effect_of(const char *name)
{
	const char *comma = strrchr(name, ',');

	if (begins(name, "pushf"))
		return KT_EFFECT_PUSHES_FLAGS;
	if (begins(name, "popf") || begins(name, "iret"))
		return KT_EFFECT_LOADS_FLAGS;
	if (begins(name, "pop    %ss") || begins(name, "lss ") ||
	    (begins(name, "mov") && comma && begins(comma, ",%ss")))
		return KT_EFFECT_LOADS_SS;
	return KT_EFFECT_NONE;
}

/*
 * Also waiting instructions of the FPU, which are two for the processor, and near jumps with the
 * prefix 66, of which objdump shows what AMD's processors do.
 */
static bool is_data(const char *name, const u8 *bytes, u32 nr)
{
	return strstr(name, "(bad)") || begins(name, ".byte") ||
	       (bytes[0] == 0x9b && nr > 1) || begins(name, "jmpw ") ||
	       begins(name, "callw ");
}

static u32 bytes_of(const char *text, u8 *bytes)
{
	u32 nr = 0;
	int used;
	unsigned int byte;

	while (nr < 32 && sscanf(text, " %2x%n", &byte, &used) == 1 &&
	       (text[used] == ' ' || text[used] == '\t' || !text[used])) {
		bytes[nr++] = byte;
		text += used;
	}
	return nr;
}

int main(int argc, char **argv)
{
	bool narrow = argc > 1 && !strcmp(argv[1], "narrow");
	unsigned long same = 0, wrong = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, stdin) > 0) {
		struct kt_instruction got;
		u8 bytes[32];
		char *hex = strchr(line, '\t'), *name, *operand;
		u64 address = strtoull(line, NULL, 16), to;
		enum kt_branch_kind kind;
		bool ok;
		u32 nr;

		if (!hex || !(name = strchr(hex + 1, '\t')))
			continue;
		*name++ = '\0';
		nr = bytes_of(hex + 1, bytes);
		name[strcspn(name, "\n")] = '\0';
		while (strchr(name, ' ') &&
		       is_prefix(name, strcspn(name, " ,")))
			name += strcspn(name, " ") +
				strspn(strchr(name, ' '), " ");
		if (!nr || !*name || is_prefix(name, strlen(name)) ||
		    is_data(name, bytes, nr))
			continue;
		operand = name + strcspn(name, " ");
		operand += strspn(operand, " ");
		kind = kind_of(name, *operand == '*');
		ok = kt_instruction_decode(&got, bytes, nr, narrow) &&
		     got.length == nr && got.kind == kind &&
		     got.effect == effect_of(name) &&
		     !kt_instruction_decode(&got, bytes, nr - 1, narrow);
		kt_instruction_decode(&got, bytes, nr, narrow);
		if (ok && got.direct) {
			to = strtoull(operand, NULL, 16);
			ok = (narrow ? (u32)(address + nr + got.offset)
				     : address + nr + got.offset) == to;
		}
		if (ok) {
			same++;
			continue;
		}
		if (++wrong <= 20)
			printf("# %s: %s: %u of %u bytes, kind %u of %u\n",
			       hex + 1, name, got.length, nr, got.kind, kind);
	}
	free(line);
	printf("%lu same, %lu wrong\n", same, wrong);
	return wrong || !same;
}
